package posterior

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior/rowtree"
	"github.com/bpielm/bpielm/system"
)

// The best layers of a search are conditioned on the readings and mixed.

const (
	// mostComponents bounds the mixture; components of less weight than
	// negligibleComponent are left out.
	mostComponents      = 8
	negligibleComponent = 0.03
)

// posterior conditions the layers that matter on the readings and mixes them; on all readings, where
// the search saw only some.
func (s *search) posterior(most int) (*Posterior, error) { return s.posteriorOf(most, s.config.large) }

// posteriorOf is posterior; without l, the readings that the search saw will do.
func (s *search) posteriorOf(most int, l *large) (*Posterior, error) {
	good := s.ranked()
	if len(good) == 0 {
		if s.failure != nil {
			return nil, s.failure
		}
		return nil, s.sizes.beyondArithmetic(s.problem)
	}
	good, weights := representatives(good, most)
	whole := make([][]*rowtree.Node, len(good))
	if l != nil {
		begin := time.Now()
		var err error
		if whole, err = l.reduce(s, good); err != nil {
			return nil, err
		}
		s.assemble += time.Since(begin)
	}
	layers, errs := make([]*layerPosterior, len(good)), make([]error, len(good))
	unsound := s.unsound.Load() // the same for all, so that their order does not matter
	widths := slices.Clone(s.sizes.parameter)
	workers := s.workers(len(good))
	inParallel(len(good), workers, func(i int) {
		store := s.borrow()
		l, assemble, err := s.condition(good[i], unsound, store, whole[i])
		layers[i], errs[i] = l, err
		store.reclaim()
		s.lock.Lock()
		defer s.lock.Unlock()
		s.free = append(s.free, store)
		s.assemble += assemble / time.Duration(workers)
		s.told.more()
	})
	var members []*layerPosterior
	var logs []float64
	for i, l := range layers {
		if errs[i] == nil {
			l.octaves = good[i].octavesAlong()
			members = append(members, l)
			logs = append(logs, weights[i]+(l.logEvidence+good[i].prior-good[i].score)/temper) // by rows the evidence may differ
		}
	}
	if len(members) == 0 {
		return nil, errs[0]
	}
	total := logSumExp(logs)
	for i, l := range members {
		l.weight = mat.Exp(logs[i] - total)
	}
	for _, t := range s.order { // those that are not mixed need not be kept
		t.layer = nil
	}
	q := mixed(s.problem, members, widths)
	q.summary.Neurons = s.neurons // without the constant one
	return q, nil
}

// condition conditions a site's layer on the readings, unless that was done when it was tried: by sums of
// squares where these are asked for or accurate enough, otherwise by rows.
func (s *search) condition(t *tried, unsound bool, store *storage, whole []*rowtree.Node) (l *layerPosterior, assemble time.Duration, err error) {
	if t.layer != nil && !unsound && whole == nil {
		l, t.layer = t.layer, nil
		l.site, l.layer = &t.site, s.layer(&t.site)
		return l, 0, nil
	}
	paths := []Path{s.config.Path}
	if s.config.openPath() && s.searchPath() == GramPath {
		paths = []Path{autoSums, SquareRoot}
		if unsound {
			paths = paths[1:]
		}
	}
	for _, path := range paths {
		store.reclaim()
		var ph *Physics
		var r *readings
		if ph, r, err = s.compile(&t.site, path, store, whole, true); err == nil {
			assemble += ph.assemble
			if t.states != nil && t.path == ph.path && whole == nil {
				l, err = ph.resume(t.states, r, t.evidence)
			} else {
				var states []state
				if l, states, err = ph.layerPosterior(r); err == nil && t.states == nil && whole == nil {
					t.remember(ph, states, l.logEvidence)
				}
			}
			if err == nil {
				l.site, l.layer = &t.site, s.layer(&t.site)
			}
		}
		var pivot *mat.NotPositiveDefiniteError // sums of squares that rounding has made so
		if err != errUnsound && (path != autoSums || !errors.As(err, &pivot)) {
			return l, assemble, err
		}
		s.unsound.Store(true)
	}
	return l, assemble, err
}

// mixed returns the mixture of layers by their weights.
func mixed(p *system.Problem, members []*layerPosterior, widths []float64) *Posterior {
	members = slices.Clone(members)
	slices.SortStableFunc(members, func(a, b *layerPosterior) int { return cmp.Compare(b.weight, a.weight) })
	sum := 0.0
	for i, m := range members {
		if m.weight < 0.5*negligibleComponent {
			members = members[:i]
			break
		}
		sum += m.weight
	}
	components := make([]component, len(members))
	for i, m := range members {
		m.weight /= sum
		components[i] = m.component
	}
	q := newPosterior(p, components, mixedSummary(members))
	q.octaves = make([]float64, len(members[0].octaves))
	for _, m := range members {
		for i, k := range m.octaves {
			q.octaves[i] += float64(m.weight * k)
		}
	}
	q.wide = widths
	q.warn(p, widths)
	return q
}

// mixedSummary is the heaviest member's summary with averages of what members differ in; scales,
// noise, amplitude and slack are averaged as logarithms.
func mixedSummary(members []*layerPosterior) Summary {
	s := members[0].summary
	s.Ensemble, s.Warnings = len(members), nil
	s.Noise = slices.Clone(s.Noise)
	mean := func(of func(*Summary) float64) float64 {
		total := 0.0
		for _, m := range members {
			total += float64(m.weight * of(&m.summary))
		}
		return total
	}
	geometric := func(of func(*Summary) float64) float64 {
		return mat.Exp(mean(func(m *Summary) float64 { return mat.Log(of(m)) }))
	}
	s.Evidence = mean(func(m *Summary) float64 { return m.Evidence })
	s.EffectiveParameters = mean(func(m *Summary) float64 { return m.EffectiveParameters })
	s.Amplitude = geometric(func(m *Summary) float64 { return m.Amplitude })
	s.Tolerance = geometric(func(m *Summary) float64 { return m.Tolerance })
	s.Scale = slices.Clone(s.Scale)
	for i := range s.Scale {
		s.Scale[i] = geometric(func(m *Summary) float64 { return m.Scale[i] })
	}
	for i := range s.Noise {
		if s.Noise[i].Learned {
			s.Noise[i].Sigma = geometric(func(m *Summary) float64 { return m.Noise[i].Sigma })
		}
	}
	return s
}
