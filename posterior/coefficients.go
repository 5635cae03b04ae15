package posterior

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Unknown coefficients. Given their values a problem is linear, and the evidence p(readings |
// coefficients, physics) is exact. It is integrated like the hyper-parameters: a scan of the prior
// finds where it lies, and a surrogate models its logarithm around each maximum, see explore.go. What
// it takes for that which the equations leave open is weighed in two ways, see comparison.go. The
// posterior is again a mixture. Each component is one layer with coefficients around one point,
// where weights depend on them linearly; their values are further parameters of it.
//
// There are several stages. Layers with few neurons are searched at points all over the prior. At
// the points that these do not rule out, the problem is solved as with known coefficients. The
// layers that suit any of these points are views: each has its own posterior of the coefficients,
// see views.go. The heaviest is explored, and others by their difference from it, see likeness.go.
// They are mixed by their tempered evidence, see coefficients_mixture.go.
//
// From the solutions on, the same serves parameters of nonlinear problems, see nonlinear_outer.go.

const (
	// placesToCome is about how many points are evaluated for each coefficient after the problem has
	// been solved: for the progress report only.
	placesToCome = 300
	// evidenceDraws is how many draws each site has.
	evidenceDraws = 2
	// A solution is near the posterior within nearEnough standard deviations of its centre, in the root mean square over the
	// numbers: about as far as the coefficients themselves may be. Otherwise the problem is solved there, at most mostMoved times.
	nearEnough, mostMoved = 1, 3
)

// family is a problem that is linear once some numbers are given: its coefficients, or what a nonlinear problem is linearised
// with. A standard normal number stands for each.
type family interface {
	// solve solves the problem at a point as if the numbers were known, with layers of so many neurons. With 0 it takes as many
	// as the problem needs, but no more than most, unless that is 0. The search is to be released.
	solve(z []float64, neurons, most int) (*system.Problem, *Posterior, *search, error)
	// near is the problem at a point, as it is for a site's layer.
	near(z []float64, neurons int, at *site) (*system.Problem, error)
	// logPrior is the log density of the prior, relative to that of standard normal numbers.
	logPrior(z []float64) float64
}

// withCoefficients is the family of a linear problem.
type withCoefficients struct {
	problem *system.Problem
	config  *Config
}

func (f *withCoefficients) at(z []float64) *system.Problem {
	return f.problem.With(valuesAt(f.problem, z))
}

func (f *withCoefficients) solve(z []float64, neurons, most int) (*system.Problem, *Posterior, *search, error) {
	p, c := f.at(z), *f.config
	if c.Neurons == 0 {
		c.Neurons, c.mostNeurons = neurons, most
	}
	q, s, err := integrate(p, c)
	return p, q, s, err
}

func (f *withCoefficients) near(z []float64, _ int, _ *site) (*system.Problem, error) {
	return f.at(z), nil
}

func (f *withCoefficients) logPrior([]float64) float64 { return 0 }

// coefficients integrates over the coefficients of a problem.
type coefficients struct {
	family   family
	list     []system.Coefficient // what the numbers stand for
	fields   int
	config   Config
	wide     []float64  // prior sd of linear parameters that state none; nil: those that suit each point
	solved   []solution // best first
	frame    *frame     // of the best solution
	ratio    []float64  // of its sizes of equations to the natural ones
	tops     rated      // of the densities that views explore
	levelled int        // the neurons of layers by which tops are those of maxima; 0: those of solutions
	neurons  int        // of the layers that explore the evidence
	views    []*view
	found    []*cloud     // of the site that was the heaviest when it was sketched
	at       *conditional // the solution nearest to the posterior
	changed  float64      // change of the evidence in the last doubling of neurons, in nats; 0: hardly any, NaN: not known
	assemble time.Duration
	told     *progress
	lock     sync.Mutex
}

// solution is the solution at one point.
type solution struct {
	problem *system.Problem
	z       []float64
	rated   rated
	log     float64
	q       *Posterior
	frame   *frame
	noise   []float64 // of each group
	neurons int
	rough   bool     // its layers may not be as large as they need to be
	sites   []*tried // layers of the solution, best first
}

// fitCoefficients is Fit for a problem with unknown coefficients.
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
	q, err := e.answer(p)
	if err != nil {
		return nil, err
	}
	e.told.finish()
	took := time.Since(begin)
	q.summary.Assemble = min(e.at.q.summary.Assemble+e.assemble, took) // it counts what ran side by side as if it had not
	q.summary.Fit = took - q.summary.Assemble
	return q, nil
}

// answer is the mixture, with the coefficients behind the other parameters.
func (e *coefficients) answer(p *system.Problem) (*Posterior, error) {
	q, err := e.mixture()
	if err != nil {
		return nil, err
	}
	for i := range p.Coefficients {
		q.names = append(q.names, p.Coefficients[i].Name)
	}
	q.coefficients = slices.Clone(p.Coefficients)
	return q, nil
}

// refinedAtMedians is refined for a problem with coefficients: the additional points are those for
// the prior medians.
func refinedAtMedians(p *system.Problem, c Config) (*system.Problem, error) {
	at := p.With(medians(p))
	more, err := refined(at, c)
	if err != nil || more == at {
		return p, err
	}
	return withPointsOf(p, more), nil
}

// medians are the prior medians of the coefficients.
func medians(p *system.Problem) []float64 {
	medians := make([]float64, len(p.Coefficients))
	for i := range medians {
		medians[i] = typical(&p.Coefficients[i])
	}
	return medians
}

// explored finds where the posterior of the coefficients lies.
func explored(p *system.Problem, c Config) (*coefficients, error) {
	d := len(p.Coefficients)
	e := &coefficients{list: p.Coefficients, fields: len(p.Fields), config: c, told: newProgress(c.Progress), changed: math.NaN()}
	e.config.Progress, e.config.compared = nil, true
	f := &withCoefficients{p, &e.config}
	e.family = f
	const scouting = 0.3 // of the time
	e.told.span(0, scouting, scoutPlaces(p.Coefficients))
	scouts := e.scout(f)
	e.told.span(scouting, 1, solvedPlaces(d)+placesToCome*d+mostPatches*(1+2*d))
	if len(scouts) == 0 {
		return nil, dataError("coefficients", "the problem could not be solved for any of the values tried")
	}
	failure := e.solve(0, 0, scouts[0])
	doubt, neurons := float64(temper), 0
	if len(e.solved) == 0 || !(e.solved[0].q.summary.Unsettled < quiet) {
		doubt *= temper // small layers may not represent what larger ones do
	}
	if len(e.solved) > 0 { // elsewhere nothing may explain the readings, however many neurons there are
		neurons = max(startingNeurons(p), (e.solved[0].neurons+1)/2)
	}
	failure = errors.Join(failure, e.solve(neurons, 0, chosenPlaces(scouts, solvedPlaces(d), doubt)[1:]...), e.solveAgain(float64(deepest*doubt/temper)))
	var memory *MemoryError // the result must not depend on the memory limit
	if len(e.solved) == 0 || errors.As(failure, &memory) {
		return nil, failure
	}
	if err := e.find(); err != nil {
		return nil, err
	}
	e.checkNeurons()
	return e, nil
}

// find finds where the posterior lies, from the solutions that there are.
func (e *coefficients) find() error {
	e.begin()
	for moved := 0; ; {
		if err := e.sketch(); err != nil {
			return err
		}
		rivals := e.rivals()
		settled := e.settled() && rivals == nil
		// A size that is asked for is compared with at once.
		if settled || moved == mostMoved || moved == 0 && e.config.Neurons > 0 {
			if e.moreNeurons() {
				continue
			}
		}
		if settled || moved == mostMoved {
			if err := e.explore(); err != nil {
				return err
			}
			settled, rivals = e.settled(), nil
		}
		if settled || moved == mostMoved {
			e.settle()
			return nil
		}
		// Layers that suit the points that were found may be better.
		moved++
		settled = e.settled()
		if !settled {
			rivals = append([]spot{{z: e.heaviest().mean}}, rivals...)
		}
		if err := e.solve(0, 0, rivals...); err != nil {
			var memory *MemoryError
			if !settled || errors.As(err, &memory) {
				return err
			}
			moved = mostMoved // rivals that cannot be solved do without layers of their own
		}
		e.refer()
		if e.neurons <= manyNeurons {
			e.choose()
		}
	}
}

// values maps standard normal numbers to coefficients.
func (e *coefficients) values(z []float64) []float64 {
	v := make([]float64, len(z))
	for i := range z {
		v[i] = e.list[i].Value(z[i])
	}
	return v
}

// solve solves the problem at points as with known coefficients, with neurons as in family. It fails where no point can be
// solved, or where memory does not suffice for one.
func (e *coefficients) solve(neurons, most int, places ...spot) error {
	list, errs := make([]solution, len(places)), make([]error, len(places))
	mat.Parallel(len(places), func(i int) {
		z := places[i].z
		p, q, s, err := e.family.solve(z, neurons, most)
		if err != nil {
			errs[i] = err
			return
		}
		s.release()
		e.looked(s.assemble)
		all := s.ranked()
		sites := firstDraws(all)
		charge := meanOf(all, func(t *tried) float64 { return t.charge })
		lacks, refund := meanOf(all, func(t *tried) float64 { return t.lacks }), meanOf(all, func(t *tried) float64 { return t.refund })
		if e.config.Maximum {
			sites = sites[:1]
		}
		list[i] = solution{
			problem: p, z: z, rated: rated{q.summary.Evidence - charge - lacks, q.summary.Evidence - charge + refund}.plus(e.family.logPrior(z) - float64(0.5*squares(z))),
			q: q, frame: s.frame, neurons: s.neurons, noise: all[0].noise, rough: e.config.Neurons == 0 && (neurons > 0 || most > 0 && s.neurons >= most && !s.settled), sites: sites,
		}
	})
	for _, err := range errs {
		var memory *MemoryError
		if errors.As(err, &memory) {
			return err
		}
	}
	list = slices.DeleteFunc(list, func(s solution) bool { return s.q == nil })
	e.solved = append(e.solved, list...)
	e.order()
	if len(list) == 0 {
		return errors.Join(errs...)
	}
	return nil
}

// order compares the solutions, and sorts them.
func (e *coefficients) order() {
	tops := topsOf(e.solved)
	for i := range e.solved {
		e.solved[i].log = e.solved[i].rated.together(tops)
	}
	if e.levelled == 0 {
		e.tops = tops
	}
	sort.SliceStable(e.solved, func(i, j int) bool { return e.solved[i].log > e.solved[j].log })
}

// solveAgain solves the problem with more neurons where rough solutions may matter, which are within so many nats of the best:
// layers that are too small are too sure. At wrong coefficients no number of neurons may be enough. There it takes as many as
// where the scan was best. It takes twice as many only where these are not enough, and where another gain like that from them, if
// there was one to see, would bring the place near the top.
func (e *coefficients) solveAgain(within float64) error {
	enough, before := e.enough(), map[string]rated{}
	matters := func(s *solution) bool { return s.rough && s.log > e.solved[0].log-within }
	err := e.solveLarger(enough, func(s *solution) bool {
		if !matters(s) || s.neurons >= enough {
			return false
		}
		before[fmt.Sprint(s.z)] = s.rated
		return true
	})
	return errors.Join(err, e.solveLarger(2*enough, func(s *solution) bool {
		gain := math.Inf(1)
		if was, known := before[fmt.Sprint(s.z)]; known {
			gain = math.Max(s.rated[0]-was[0], s.rated[1]-was[1])
		}
		largest := min(2*enough, maxNeurons)
		return matters(s) && (s.neurons < largest || enough == 0) && s.log+math.Max(gain, 0) > e.solved[0].log-highNats
	}))
}

// solveLarger solves the problem with as many neurons as it needs, up to most unless that is 0, in place of some solutions.
func (e *coefficients) solveLarger(most int, which func(s *solution) bool) error {
	var others, before []solution
	var places []spot
	for i := range e.solved {
		if s := &e.solved[i]; which(s) {
			before, places = append(before, *s), append(places, spot{z: s.z})
		} else {
			others = append(others, *s)
		}
	}
	if places == nil {
		return nil
	}
	e.solved = others
	err := e.solve(0, min(most, maxNeurons), places...)
	renewed := map[string]bool{}
	for i := range e.solved {
		renewed[fmt.Sprint(e.solved[i].z)] = true
	}
	for i := range before {
		if !renewed[fmt.Sprint(before[i].z)] {
			e.solved = append(e.solved, before[i])
		}
	}
	e.order()
	return err
}

// enough is with how many neurons the problem was solved where they could be as many as needed; 0: nowhere.
func (e *coefficients) enough() int {
	neurons := 0
	for i := range e.solved {
		if s := &e.solved[i]; !s.rough {
			neurons = max(neurons, s.neurons)
		}
	}
	return neurons
}

// looked reports an evaluated point, with the time that its rows took.
func (e *coefficients) looked(assemble time.Duration) {
	e.lock.Lock()
	defer e.lock.Unlock()
	e.assemble += assemble
	e.told.more()
}

// search returns a search for a site's layers at a point.
func (e *coefficients) search(z []float64, neurons int, at *site) (*search, error) {
	p, err := e.family.near(z, neurons, at)
	if err != nil {
		return nil, err
	}
	f := *e.frame
	f.problem = balanced(p.ForNeurons(neurons))
	natural := naturalSizes(f.problem)
	f.sizes = e.frame.sizes.clone()
	for i, v := range natural.residual {
		f.sizes.residual[i] = v * e.ratio[i]
	}
	copy(f.sizes.parameter, natural.parameter)
	if e.wide != nil {
		copy(f.sizes.parameter, e.wide)
	}
	s := newSearch(&f, e.config, neurons, nil)
	s.brief = true
	return s, nil
}

// rate rates coefficients with a site's layers. At some values a finite layer may happen to satisfy the equations and suit the
// readings. Another draw does so elsewhere; so it takes the tempered harmonic mean of two draws, which is high where both are.
func (e *coefficients) rate(z []float64, at *site, neurons int) rated {
	var draws []site
	for k := range evidenceDraws {
		draws = append(draws, at.drawn(k))
	}
	s, err := e.search(z, neurons, &draws[0])
	if err != nil {
		return impossible
	}
	defer s.release()
	s.try(draws...)
	e.looked(s.assemble)
	var inverse [len(rated{})][]float64
	for i := range draws {
		t := s.book[draws[i].key()]
		if t == nil || t.err != nil || !finite(t.score) {
			return impossible
		}
		for k, v := range t.rated() {
			inverse[k] = append(inverse[k], -(v-t.logPrior())/temper)
		}
	}
	var r rated
	for k := range r {
		r[k] = float64(-temper*(logSumExp(inverse[k])-mat.Log(evidenceDraws))) + e.family.logPrior(z)
	}
	return r
}
