package posterior

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Unknown coefficients. For given values a problem is linear, and the evidence
// p(readings | coefficients, physics) is exact. It is integrated over as the hyper-parameters are: places all over the prior
// say where it lies, a surrogate of its logarithm what it is about each of its maxima, see explore.go. The posterior
// is a mixture again. Each component is that of one layer with coefficients about one place, where
// weights depend on them linearly; their values are further parameters of it.

const (
	// scanNeurons is how many the layers of a scan have.
	scanNeurons = 100
	// exploredSites is how many sites there are, besides those that suit other places, whose layers the evidence is explored with.
	exploredSites = 4
	// exploredNeurons bounds the layers with which the evidence is explored, all fields together.
	exploredNeurons = 400
	// placesToCome is about how many places are looked at after the scan, for each coefficient: for progress alone.
	placesToCome = 80
	// evidenceDraws is how many draws each site has.
	evidenceDraws = 2
	// mostPatches is about how many components the mixture has where what layers say of coefficients is not normal. A layer then
	// has fewestPatches at least.
	mostPatches, fewestPatches = 16, 2
	// mostLost is the weight of components from which on it matters that they could not be conditioned.
	mostLost = 0.05
	// quiet is by how many of their standard deviations answers may move when neurons are doubled for the fewer to do.
	quiet = 0.1
	// Layers are looked for anew where coefficients have moved so much that the evidence has gained so many nats.
	movedGain, mostSettled = 0.5, 3
	// lightest is the weight below which a mode is left out.
	lightest = 0.01
)

// mode is what lies about one maximum of the posterior of the coefficients.
type mode struct {
	weight float64
	values []float64 // of all coefficients, the mean there
}

// conditional is a posterior at values of the coefficients, and the problem there.
type conditional struct {
	problem *system.Problem
	q       *Posterior
	modes   []mode
	off     float64 // by how much interpolated log evidences were, in nats
	lost    float64 // weight of components that could not be conditioned
}

// coefficients integrates over those of a problem.
type coefficients struct {
	problem *system.Problem
	config  Config
	wide    []float64 // prior sd of linear parameters that state none
	// of the layers that the evidence is explored with
	frame    *frame
	ratio    []float64 // of sizes of equations to those that are natural
	sites    []site
	shares   []float64
	neurons  int
	at       *conditional // where these were found
	assemble time.Duration
	told     *told
	lock     sync.Mutex
}

// fitCoefficients is Fit for a problem that has some.
func fitCoefficients(p *system.Problem, c Config) (*Posterior, error) {
	if c.Method != BPIELM && c.Method != "" {
		return nil, &ConfigError{"method", "only bpielm infers coefficients"}
	}
	begin := time.Now()
	p, err := refinedAtMedians(p, c)
	if err != nil {
		return nil, err
	}
	e, clouds, err := explored(p, c)
	if err != nil {
		return nil, err
	}
	q, err := e.mixture(clouds)
	if err != nil {
		return nil, err
	}
	e.told.finish()
	q.summary.Assemble = e.at.q.summary.Assemble + e.assemble
	q.summary.Fit = time.Since(begin) - q.summary.Assemble
	return q, nil
}

// refinedAtMedians is refined for a problem with coefficients: further points are those that suit the medians of their
// priors.
func refinedAtMedians(p *system.Problem, c Config) (*system.Problem, error) {
	medians := make([]float64, len(p.Coefficients))
	for i := range medians {
		medians[i] = p.Coefficients[i].Value(0)
	}
	at := p.With(medians)
	more, err := refined(at, c)
	if err != nil || more == at {
		return p, err
	}
	q := *p
	q.Equations = slices.Clone(p.Equations)
	for i := range q.Equations {
		e, from := &q.Equations[i], &more.Equations[i]
		e.Points, e.Spare, e.Refine, e.Candidates = from.Points, from.Spare, 0, nil
	}
	return &q, nil
}

// explored finds where the posterior of the coefficients lies.
func explored(p *system.Problem, c Config) (*coefficients, []*cloud, error) {
	d := len(p.Coefficients)
	e := &coefficients{problem: p, config: c, told: &told{to: c.Progress, total: scanPlaces(d) + placesToCome*d + mostPatches*(1+2*d)}}
	e.config.Progress = nil
	if err := e.begin(); err != nil {
		return nil, nil, err
	}
	rough := newLandscape(d, e.shares, e.evidence)
	starts := rough.peaks()
	if len(starts) == 0 {
		return nil, nil, dataError("coefficients", "for none of the values that were tried can the problem be solved")
	}
	others := e.compare(starts)

	// Layers that suit the best place may move it.
	top, fine, m := starts[0], (*landscape)(nil), local{}
	for range mostSettled {
		if err := e.settle(top.z, others); err != nil {
			return nil, nil, err
		}
		fine = newLandscape(d, e.shares, e.evidence)
		before := fine.at(top.z)
		if top, m = fine.climb(*fine.look(top.z), fineGain); top.log < before+movedGain {
			break
		}
	}
	var clouds []*cloud
	var failure error
	known := func(z []float64) bool {
		return slices.ContainsFunc(clouds, func(c *cloud) bool { return c.holds(z) })
	}
	for i, s := range starts {
		if known(s.z) {
			continue
		}
		if i > 0 {
			top, m = fine.climb(*fine.look(s.z), fineGain)
		}
		if known(top.z) {
			continue
		}
		c, err := fine.around(top, m)
		if err != nil {
			failure = err
			continue
		}
		if known(c.mean) || slices.ContainsFunc(clouds, func(o *cloud) bool { return c.holds(o.mean) }) {
			continue // it has led to one that is known
		}
		clouds = append(clouds, c)
	}
	if len(clouds) == 0 {
		return nil, nil, failure
	}
	return e, clouds, nil
}

// values are the coefficients at standard normal numbers.
func (e *coefficients) values(z []float64) []float64 {
	v := make([]float64, len(z))
	for i := range z {
		v[i] = e.problem.Coefficients[i].Value(z[i])
	}
	return v
}

// begin prepares a scan: layers that suit most solutions more or less, and parameters as wide as any values of the
// coefficients may make them.
func (e *coefficients) begin() error {
	e.neurons = scanNeurons
	if n := e.config.Neurons; n > 0 {
		e.neurons = min(n, e.neurons)
	}
	d := len(e.problem.Coefficients)
	median := make([]float64, d)
	p := balanced(e.problem.With(e.values(median)).ForNeurons(e.neurons))
	var err error
	if e.frame, err = newFrame(p); err != nil {
		return err
	}
	for _, a := range e.config.activations() {
		for _, k := range []float64{ladderLow, ladderHigh} {
			e.sites = append(e.sites, alike(a, len(p.Variables), k))
		}
	}
	e.shares = make([]float64, len(e.sites))
	e.ratio = slices.Repeat([]float64{1}, len(e.frame.sizes.residual))
	e.wide = slices.Clone(e.frame.sizes.parameter)
	for i := range d {
		for _, z := range []float64{-2, 2} {
			off := slices.Clone(median)
			off[i] = z
			for k, v := range naturalSizes(balanced(e.problem.With(e.values(off)).ForNeurons(e.neurons))).parameter {
				if finite(v) {
					e.wide[k] = math.Max(e.wide[k], v)
				}
			}
		}
	}
	return nil
}

// compare looks for layers that suit each of several places, since those of a scan may suit none, and puts the best
// place first. It returns the best layer of each that may matter.
func (e *coefficients) compare(starts []spot) []*tried {
	if len(starts) == 1 {
		return nil
	}
	neurons := firstNeurons
	if n := e.config.Neurons; n > 0 {
		neurons = min(n, neurons)
	}
	type start struct {
		spot
		best *tried
	}
	list := make([]start, len(starts))
	for i, at := range starts {
		list[i].spot = at
		list[i].log = math.Inf(-1)
		p := e.problem.With(e.values(at.z)).ForNeurons(neurons)
		f, err := newFrame(p)
		if err != nil {
			continue
		}
		s, err := f.pilot(e.config, p, neurons, nil)
		if err != nil {
			continue
		}
		t := s.best()
		s.release()
		list[i].log, list[i].best = t.score-float64(0.5*squares(at.z)), t
		e.looked(s.assemble)
	}
	slices.SortStableFunc(list, func(a, b start) int { return cmp.Compare(b.log, a.log) })
	var others []*tried
	for i, at := range list {
		starts[i] = at.spot
		if i > 0 && at.best != nil && at.log > list[0].log-deepest {
			others = append(others, at.best)
		}
	}
	return others
}

// settle solves the problem at one place as it is solved where coefficients are known, and explores with the layers that
// were found from then on, and with those that suit other places.
func (e *coefficients) settle(z []float64, others []*tried) error {
	p := e.problem.With(e.values(z))
	q, s, err := integrate(p, e.config)
	if err != nil {
		return err
	}
	s.release()
	most := exploredSites
	if e.config.Maximum {
		most = 1
	}
	chosen, _ := representatives(s.ranked(), most)
	if !e.config.Maximum {
		for _, t := range others {
			if !slices.ContainsFunc(chosen, func(o *tried) bool { return o.place() == t.place() }) {
				chosen = append(chosen, t)
			}
		}
	}
	e.sites = nil
	for _, t := range chosen {
		e.sites = append(e.sites, t.site)
	}
	e.shares = logShares(chosen)
	total := logSumExp(e.shares)
	for i := range e.shares {
		e.shares[i] -= total
	}
	neurons := s.neurons
	if moved := q.summary.Unsettled; moved > 0 && moved < quiet {
		neurons /= 2 // which say the same
	}
	e.neurons = min(neurons, max(fewestNeurons, exploredNeurons/len(p.Fields)))
	e.frame = s.frame
	natural := naturalSizes(balanced(p.ForNeurons(e.neurons)))
	for i, v := range s.sizes.residual {
		e.ratio[i] = v / natural.residual[i]
	}
	e.at = &conditional{problem: p, q: q}
	return nil
}

// looked is told of a place, with the time that its rows have taken.
func (e *coefficients) looked(assemble time.Duration) {
	e.lock.Lock()
	defer e.lock.Unlock()
	e.assemble += assemble
	e.told.more()
}

// search returns the layers, tried, at a place.
func (e *coefficients) search(z []float64, sites []site) *search {
	f := *e.frame
	f.problem = balanced(e.problem.With(e.values(z)).ForNeurons(e.neurons))
	natural := naturalSizes(f.problem)
	f.sizes = e.frame.sizes.clone()
	for i, v := range natural.residual {
		f.sizes.residual[i] = v * e.ratio[i]
	}
	copy(f.sizes.parameter, e.wide)
	s := newSearch(&f, e.config, e.neurons, nil)
	s.brief = true
	s.try(sites...)
	e.looked(s.assemble)
	return s
}

// evidence returns the log evidence of coefficients with the layers of each site. At some values a finite layer may have
// a solution that fulfils the equations by chance, and suits the readings. Another draw has it elsewhere: so the evidence
// is the tempered harmonic mean of two draws, which is high where both are.
func (e *coefficients) evidence(z []float64) []float64 {
	var all []site
	for i := range e.sites {
		for k := range evidenceDraws {
			all = append(all, e.sites[i].drawn(k))
		}
	}
	s := e.search(z, all)
	defer s.release()
	logs := make([]float64, len(e.sites))
	for i := range e.sites {
		var inverse []float64
		for k := range evidenceDraws {
			if t := s.book[all[evidenceDraws*i+k].key()]; t != nil && t.err == nil && finite(t.score) {
				inverse = append(inverse, -(t.score-logScalePrior(t.octaves))/temper)
			}
		}
		logs[i] = math.Inf(-1)
		if len(inverse) == evidenceDraws {
			logs[i] = -temper * (logSumExp(inverse) - mat.Log(evidenceDraws))
		}
	}
	return logs
}

// mixture makes the posterior of what was found: a mixture over layers, of what each says of the coefficients.
func (e *coefficients) mixture(clouds []*cloud) (*Posterior, error) {
	at := e.at
	masses := make([]float64, len(e.sites))
	for k := range e.sites {
		all := make([]float64, len(clouds))
		for i, c := range clouds {
			all[i] = c.masses[k]
		}
		masses[k] = logSumExp(all)
	}
	weights := modelWeights(e.shares, masses)
	var patches []patch
	for _, c := range clouds {
		at.off = math.Max(at.off, c.off)
		found := mode{values: make([]float64, len(e.problem.Coefficients))}
		for k := range e.sites {
			weight := weights[k] * mat.Exp(c.masses[k]-masses[k])
			if weight < lightest {
				continue
			}
			count := 1
			if !c.normal[k] {
				count = max(fewestPatches, int(float64(mostPatches*weight)+0.5))
			}
			for i, p := range e.patches(c, c.weights[k], count) {
				p.site, p.weight = e.sites[k].drawn(i%evidenceDraws), p.weight*weight
				mat.Axpy(p.weight, p.values, found.values)
				found.weight += p.weight
				patches = append(patches, p)
			}
		}
		if found.weight > lightest {
			for i := range found.values {
				found.values[i] /= found.weight
			}
			at.modes = append(at.modes, found)
		}
	}
	slices.SortStableFunc(at.modes, func(a, b mode) int { return cmp.Compare(b.weight, a.weight) })
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
	slices.SortStableFunc(members, func(a, b *layerPosterior) int { return cmp.Compare(b.weight, a.weight) })
	components, all, sum := make([]component, len(members)), 0.0, 0.0
	for i := range patches {
		all += patches[i].weight
	}
	for _, m := range members {
		sum += m.weight
	}
	at.lost = 1 - sum/all
	for i, m := range members {
		m.weight /= sum
		components[i] = m.component
	}
	q := newPosterior(at.problem, components, mixedSummary(members))
	q.summary.Neurons, q.summary.Unsettled = e.neurons, at.q.summary.Unsettled
	for i := range e.problem.Coefficients {
		q.names = append(q.names, e.problem.Coefficients[i].Name)
	}
	q.coefficients = slices.Clone(e.problem.Coefficients)
	q.weights, q.octaves, q.at = at.q.weights, at.q.octaves, at
	return q, nil
}

// conditioned is the posterior of a site's layer at a place.
func (e *coefficients) conditioned(s *search, t *site) (*layerPosterior, error) {
	tried := s.book[t.key()]
	if tried == nil || tried.err != nil {
		return nil, dataError("layers", "one could not be tried")
	}
	store := s.borrow()
	defer func() {
		store.reclaim()
		s.free = append(s.free, store)
	}()
	l, assemble, err := s.condition(tried, false, store)
	e.lock.Lock()
	e.assemble += assemble
	e.lock.Unlock()
	return l, err
}

// component is a layer's posterior of weights and coefficients together: given these, weights are as at the patch's centre
// but for a mean that depends on them linearly. How it does comes from what the mean is a standard deviation to either
// side.
func (e *coefficients) component(p *patch) (*layerPosterior, error) {
	t := &p.site
	s := e.search(p.centre, []site{*t})
	defer s.release()
	l, err := e.conditioned(s, t)
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
			other := e.search(z, []site{*t})
			m, err := e.conditioned(other, t)
			other.release()
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
	l.room, l.filled = nil, nil
	return l, nil
}
