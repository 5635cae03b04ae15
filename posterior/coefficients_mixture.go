package posterior

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"sort"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

const (
	// mostPatches is about how many components the mixture has at most; each layer may have fewestPatches.
	mostPatches, fewestPatches = 16, 2
	// mostLost is the weight of what is left out above which it matters.
	mostLost = 0.05
	// lightest is the weight below which a mode is dropped, even if all layers have it.
	lightest = 0.01
)

// mode is the density around one maximum of the posterior of the coefficients.
type mode struct {
	weight float64
	values []float64 // mean of each coefficient
}

// conditional is a posterior at given values of the coefficients, and the problem there.
type conditional struct {
	z       []float64
	problem *system.Problem
	neurons int
	q       *Posterior
	modes   []mode
	off     float64 // error of the interpolated log evidence, in nats
	changed float64 // by how much twice as many neurons would change the log evidence, in nats; 0: hardly
	lost    float64 // weight of what was dropped, or could not be conditioned
	apart   float64 // of the posterior of the coefficients, in their standard deviations
}

// mixture makes the posterior: a mixture over layers of their posteriors of the coefficients.
func (e *coefficients) mixture() (*Posterior, error) {
	patches := e.allPatches()
	if moved := e.at.q.summary.Unsettled; moved >= quiet { // fewer neurons would say less of the fields
		e.neurons = max(e.neurons, e.at.neurons)
	}
	members, errs := make([]*layerPosterior, len(patches)), make([]error, len(patches))
	mat.Parallel(len(patches), func(i int) {
		if members[i], errs[i] = e.component(&patches[i]); errs[i] == nil {
			members[i].weight = patches[i].weight
		}
	})
	members = slices.DeleteFunc(members, func(m *layerPosterior) bool { return m == nil })
	if len(members) == 0 {
		return nil, cmp.Or(errors.Join(errs...), dataError("coefficients", "no layer could be conditioned on the readings"))
	}
	return e.joined(members), nil
}

// allPatches returns the patches of all views, and collects the modes that they lie in.
func (e *coefficients) allPatches() []patch {
	at := e.at
	type part struct {
		cloud   *cloud
		site    *site
		weight  float64
		patches []patch
	}
	var parts []part
	for _, v := range e.views {
		mass := v.mass()
		for _, c := range v.clouds {
			if weight := v.weight * mat.Exp(c.mass-mass); weight >= lightest/float64(len(e.views)) {
				parts = append(parts, part{cloud: c, site: &v.site, weight: weight})
			}
		}
	}
	mat.Parallel(len(parts), func(i int) {
		parts[i].patches = e.patchesOf(parts[i].cloud, parts[i].weight)
	})
	var patches []patch
	var centres []*cloud // of modes, heaviest first
	for _, from := range parts {
		c := from.cloud
		at.off += float64(from.weight * float64(c.off*c.off))
		m := slices.IndexFunc(centres, func(o *cloud) bool { return o.holds(c.mean) || c.holds(o.mean) })
		if m < 0 {
			m, centres, at.modes = len(centres), append(centres, c), append(at.modes, mode{values: make([]float64, len(e.list))})
		}
		for i, p := range from.patches {
			p.site, p.weight = from.site.drawn(i%evidenceDraws), p.weight*from.weight
			mat.Axpy(p.weight, p.values, at.modes[m].values)
			at.modes[m].weight += p.weight
			patches = append(patches, p)
		}
	}
	at.off = math.Sqrt(at.off)
	for _, m := range at.modes {
		for i := range m.values {
			m.values[i] /= m.weight
		}
	}
	at.modes = slices.DeleteFunc(at.modes, func(m mode) bool { return m.weight < lightest })
	sort.SliceStable(at.modes, func(i, j int) bool { return at.modes[i].weight > at.modes[j].weight })
	return patches
}

// joined returns the mixture of members, whose weights were to sum to 1.
func (e *coefficients) joined(members []*layerPosterior) *Posterior {
	at := e.at
	slices.SortStableFunc(members, func(a, b *layerPosterior) int { return cmp.Compare(b.weight, a.weight) })
	components, sum := make([]component, len(members)), 0.0
	for _, m := range members {
		sum += m.weight
	}
	at.lost = 1 - sum
	for i, m := range members {
		m.weight /= sum
		components[i] = m.component
	}
	q := newPosterior(at.problem, components, mixedSummary(members))
	q.summary.Neurons, q.summary.Unsettled = e.neurons, at.q.summary.Unsettled
	if q.wide = e.wide; q.wide == nil {
		q.wide = naturalSizes(balanced(at.problem.ForNeurons(e.neurons))).parameter
	}
	q.weights, q.octaves, q.at = at.q.weights, at.q.octaves, at
	return q
}

// conditioned is the posterior of a site's layer at a point, or its mean alone. Where the site has states, from another point, these
// are kept; otherwise it is given those that are found.
func (e *coefficients) conditioned(z []float64, t *tried, meanAlone bool) (*layerPosterior, error) {
	s, err := e.search(z, e.neurons, &t.site)
	if err != nil {
		return nil, err
	}
	defer s.release()
	store := s.borrow()
	defer func() {
		store.reclaim()
		s.free = append(s.free, store)
	}()
	s.meanAlone = meanAlone
	l, assemble, err := s.condition(t, false, store, nil)
	e.looked(assemble)
	return l, err
}

// component is a layer's joint posterior of weights and coefficients. Given the coefficients,
// weights are distributed as at the patch's centre, but with a mean that depends on them linearly,
// by central differences over one standard deviation to either side. Slack, amplitude and noise stay
// distributed as at the centre, too.
func (e *coefficients) component(p *patch) (*layerPosterior, error) {
	t := &tried{site: p.site}
	l, err := e.conditioned(p.centre, t, false)
	if err != nil {
		return nil, err
	}
	d := len(p.centre)
	n, factor := len(l.mean), l.root()
	joint := mat.NewDense(n+d, factor.Cols()+d, nil)
	joint.Slice(0, n, 0, factor.Cols()).CopyFrom(factor)
	for k := range d {
		var means [2][]float64
		for side, sign := range []float64{-1, 1} {
			z := slices.Clone(p.centre)
			for i := range z {
				z[i] += float64(sign * p.root.At(i, k))
			}
			m, err := e.conditioned(z, t, true)
			if err != nil {
				return nil, err
			}
			means[side] = m.mean
		}
		for i := range d {
			joint.Set(n+i, factor.Cols()+k, p.root.At(i, k))
		}
		for i := range n {
			joint.Set(i, factor.Cols()+k, 0.5*(means[1][i]-means[0][i]))
		}
	}
	l.octaves = t.octavesAlong()
	l.mean = append(slices.Clone(l.mean), p.centre...)
	l.basis.Parameters += d
	l.factor, l.late, l.residuals = joint, nil, nil
	l.coefficients = e.values(p.centre)
	l.room, l.filled, l.beyond = nil, nil, nil
	return l, nil
}
