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
//
// This goes by stages. Layers with few neurons are looked for at places all over the prior. Where these do not rule coefficients out, the
// problem is solved as it is where they are known. Layers that suit any of these places are views: each says what the coefficients are, see
// views.go. They are mixed by their tempered evidence, see coefficients_mixture.go.

const (
	// placesToCome is about how many places layers are looked at, for each coefficient, after the problem has been solved: for progress alone.
	placesToCome = 300
	// evidenceDraws is how many draws each site has.
	evidenceDraws = 2
	// A solution is near the posterior so many of its standard deviations from its mean; else the problem is solved there, so often at most.
	nearEnough, mostMoved = 0.5, 3
)

// coefficients integrates over those of a problem.
type coefficients struct {
	problem  *system.Problem
	config   Config
	wide     []float64  // prior sd of linear parameters that state none
	solved   []solution // best first
	frame    *frame     // of the best
	ratio    []float64  // of its sizes of equations to those that are natural
	neurons  int        // of the layers that the evidence is explored with
	views    []*view
	at       *conditional // the best place
	changed  float64      // by how many nats the evidence did when neurons were doubled last; 0 where it hardly does any more
	assemble time.Duration
	told     *progress
	lock     sync.Mutex
}

// solution is the problem's at one place.
type solution struct {
	z       []float64
	log     float64
	q       *Posterior
	frame   *frame
	neurons int
	sites   []*tried // that it is made of, best first
}

// fitCoefficients is Fit for a problem that has some.
func fitCoefficients(p *system.Problem, c Config) (*Posterior, error) {
	if c.Method != BPIELM && c.Method != "" {
		return nil, &ConfigError{"method", "only bpielm infers coefficients"}
	}
	begin := time.Now()
	p, err := Ranged(p)
	if err != nil {
		return nil, err
	}
	p, err = refinedAtMedians(p, c)
	if err != nil {
		return nil, err
	}
	e, err := explored(p, c)
	if err != nil {
		return nil, err
	}
	q, err := e.mixture()
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
		medians[i] = typical(&p.Coefficients[i])
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
func explored(p *system.Problem, c Config) (*coefficients, error) {
	d := len(p.Coefficients)
	e := &coefficients{problem: p, config: c, told: &progress{to: c.Progress, total: scoutPlaces(p.Coefficients) + solvedPlaces(d) + placesToCome*d + mostPatches*(1+2*d)}}
	e.config.Progress = nil
	e.widen()
	scouts := e.scout()
	if len(scouts) == 0 {
		return nil, dataError("coefficients", "for none of the values that were tried can the problem be solved")
	}
	failure := e.solve(scouts[0])
	doubt := float64(temper)
	if len(e.solved) == 0 || !(e.solved[0].q.summary.Unsettled < quiet) {
		doubt *= temper // layers with few neurons may not hold what larger ones do
	}
	failure = errors.Join(failure, e.solve(chosenPlaces(scouts, solvedPlaces(d), doubt)[1:]...))
	var memory *MemoryError // what is found must not depend on how much there is
	if len(e.solved) == 0 || errors.As(failure, &memory) {
		return nil, failure
	}
	e.begin()
	for moved := 0; ; {
		if err := e.sketch(); err != nil {
			return nil, err
		}
		settled := e.settled()
		if settled || moved == mostMoved {
			if e.moreNeurons() {
				continue
			}
			if err := e.explore(); err != nil {
				return nil, err
			}
			settled = e.settled()
		}
		if settled || moved == mostMoved {
			e.settle()
			return e, nil
		}
		// Layers that suit the place that was found may say more.
		moved++
		if err := e.solve(spot{z: e.heaviest().mean}); err != nil {
			return nil, err
		}
		if e.neurons <= manyNeurons {
			e.choose()
		}
	}
}

// values are the coefficients at standard normal numbers.
func (e *coefficients) values(z []float64) []float64 {
	v := make([]float64, len(z))
	for i := range z {
		v[i] = e.problem.Coefficients[i].Value(z[i])
	}
	return v
}

// widen finds parameters as wide as any values of the coefficients may make them.
func (e *coefficients) widen() {
	d := len(e.problem.Coefficients)
	sizes := func(z []float64) []float64 {
		return naturalSizes(balanced(e.problem.With(e.values(z)).ForNeurons(firstNeurons))).parameter
	}
	e.wide = sizes(make([]float64, d))
	for i := range d {
		for _, by := range []float64{-2, 2} {
			z := make([]float64, d)
			z[i] = by
			for k, v := range sizes(z) {
				if finite(v) {
					e.wide[k] = math.Max(e.wide[k], v)
				}
			}
		}
	}
}

// scout looks at places all over the prior, with layers of few neurons that suit each, and returns those that can be solved,
// best first.
func (e *coefficients) scout() []spot {
	neurons := firstNeurons
	if n := e.config.Neurons; n > 0 {
		neurons = min(n, neurons)
	}
	l := newLandscape(len(e.problem.Coefficients), func(z []float64) float64 {
		p := balanced(e.problem.With(e.values(z)).ForNeurons(neurons))
		f, err := newFrame(p)
		if err != nil {
			return math.Inf(-1)
		}
		s, err := f.pilot(e.config, p, neurons, nil)
		if err != nil {
			return math.Inf(-1)
		}
		defer s.release()
		e.looked(s.assemble)
		return s.best().score
	})
	return slices.DeleteFunc(l.scan(scoutPlaces(e.problem.Coefficients)), func(s spot) bool { return math.IsInf(s.log, -1) })
}

// scoutPlaces is how many places are looked at.
func scoutPlaces(list []system.Coefficient) int { return min(wantedPlaces(list), mostScanned) }

// wantedPlaces is how many would be enough: more where a prior is wide, for each to stand for a factor of e at most along each coefficient.
func wantedPlaces(list []system.Coefficient) int {
	n := float64(scanPlaces(len(list)))
	along := mat.Exp(mat.Log(n) / float64(len(list)))
	for i := range list {
		c := &list[i]
		switch {
		case c.Fine > 0:
			n *= math.Max(1, (mat.Log(2*c.Max/c.Fine)+mat.Log(-2*c.Min/c.Fine))/along)
		case c.Min > 0:
			n *= math.Max(1, mat.Log(c.Max/c.Min)/along)
		}
	}
	return int(n)
}

// solvedPlaces is at how many places at first a problem is solved as it is solved where coefficients are known.
func solvedPlaces(dimensions int) int { return 3 + 2*dimensions }

// chosenPlaces are the best of a scan, which has the best first, and others that are far from it and from each other, unless they are
// ruled out. Of so many nats that one has less than the best, one is believed.
func chosenPlaces(list []spot, most int, doubt float64) []spot {
	apart := slices.Repeat([]float64{math.Inf(1)}, len(list))
	chosen, next := []spot(nil), 0
	for {
		chosen = append(chosen, list[next])
		best := 0.0
		last := list[next]
		for i, s := range list {
			sum := 0.0
			for k, z := range s.z {
				d := normalBelow(z) - normalBelow(last.z[k])
				sum += float64(d * d)
			}
			apart[i] = math.Min(apart[i], math.Sqrt(sum))
			if worth := apart[i] * mat.Exp((s.log-list[0].log)/doubt); worth > best && s.log > list[0].log-float64(deepest*doubt/temper) {
				best, next = worth, i
			}
		}
		if best == 0 || len(chosen) == most {
			return chosen
		}
	}
}

// solve solves the problem at places as it is solved where coefficients are known. It fails where it could not at any.
func (e *coefficients) solve(places ...spot) error {
	list, errs := make([]solution, len(places)), make([]error, len(places))
	mat.Parallel(len(places), func(i int) {
		z := places[i].z
		q, s, err := integrate(e.problem.With(e.values(z)), e.config)
		if err != nil {
			errs[i] = err
			return
		}
		s.release()
		e.looked(s.assemble)
		sites := firstDraws(s.ranked())
		if e.config.Maximum {
			sites = sites[:1]
		}
		list[i] = solution{z, q.summary.Evidence - float64(0.5*squares(z)), q, s.frame, s.neurons, sites}
	})
	for _, err := range errs {
		var memory *MemoryError
		if errors.As(err, &memory) {
			return err
		}
	}
	list = slices.DeleteFunc(list, func(s solution) bool { return s.q == nil })
	e.solved = append(e.solved, list...)
	slices.SortStableFunc(e.solved, func(a, b solution) int { return cmp.Compare(b.log, a.log) })
	if len(list) == 0 {
		return errors.Join(errs...)
	}
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
func (e *coefficients) search(z []float64, neurons int, sites ...site) *search {
	f := *e.frame
	f.problem = balanced(e.problem.With(e.values(z)).ForNeurons(neurons))
	natural := naturalSizes(f.problem)
	f.sizes = e.frame.sizes.clone()
	for i, v := range natural.residual {
		f.sizes.residual[i] = v * e.ratio[i]
	}
	copy(f.sizes.parameter, e.wide)
	s := newSearch(&f, e.config, neurons, nil)
	s.brief = true
	s.try(sites...)
	e.looked(s.assemble)
	return s
}

// evidence returns the log evidence of coefficients with a site's layers. At some values a finite layer may have
// a solution that fulfils the equations by chance, and suits the readings. Another draw has it elsewhere: so the evidence
// is the tempered harmonic mean of two draws, which is high where both are.
func (e *coefficients) evidence(z []float64, at *site, neurons int) float64 {
	var draws []site
	for k := range evidenceDraws {
		draws = append(draws, at.drawn(k))
	}
	s := e.search(z, neurons, draws...)
	defer s.release()
	var inverse []float64
	for i := range draws {
		t := s.book[draws[i].key()]
		if t == nil || t.err != nil || !finite(t.score) {
			return math.Inf(-1)
		}
		inverse = append(inverse, -(t.score-logScalePrior(t.octaves))/temper)
	}
	return -temper * (logSumExp(inverse) - mat.Log(evidenceDraws))
}
