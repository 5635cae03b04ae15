package posterior

import (
	"math"
	"time"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Integration proceeds in stages. A first search with natural sizes finds one solution, which gives
// the sizes of the equations. Then the layers that matter are evaluated and mixed. Where the number
// of neurons is open it is doubled; where it is large, the search uses fewer.

const (
	// pilotRounds is how often the first search climbs along the variables. It only has to find the
	// size of the equations, and a starting point.
	pilotRounds = 2
	// Layers are doubled from firstNeurons on: smaller ones rule out steep solutions, which they
	// cannot represent. Along a single variable fewestNeurons resolve more than those do in two.
	// Problems with several fields start with fewestNeurons, too, to leave room for doubling. Layers
	// have at most mostColumns weights, or columnsAstray where they do not explain the readings, and
	// maxNeurons neurons.
	fewestNeurons = 100
	firstNeurons  = 200
	mostColumns   = 900
	columnsAstray = 1600
	maxNeurons    = 800
	// Layers of more than manyNeurons are searched with fewer: the best scales hardly depend on the
	// number, and the cost of a layer grows with its third power. Then mostLarge layers are mixed.
	manyNeurons = 400
	mostLarge   = 4
	// stillness is how far the answers may move when neurons are doubled for their number to be
	// enough: a root mean square, in standard deviations.
	stillness = 0.3
	// similarWidth is how far standard deviations may differ, in logarithms, where layers of another size are to say the same.
	similarWidth = 0.2
	// quiet is how far they may move for the smaller layers to be used for the rest, if the problem is solved many times: with other
	// coefficients, or linearised elsewhere.
	quiet = 0.1
	// lessCharge is by how many nats the penalty of larger layers must fall, see tried, for still
	// larger ones to be tried.
	lessCharge = 2
)

// stage is one round of searching and mixing.
type stage struct {
	neurons    int
	wide       bool // it may be the last, and searches everywhere, see search.explore
	components int
	astray     bool // only if the stage before did not explain the readings
}

// stages returns the rounds for a problem.
func (c *Config) stages(p *system.Problem) []stage {
	most := mostComponents
	if c.Maximum {
		most = 1
	}
	if n := c.Neurons; n > 0 {
		for n > manyNeurons {
			n = (n + 1) / 2
		}
		list := []stage{{n, true, most, false}}
		if n < c.Neurons {
			list = append(list, stage{neurons: c.Neurons, components: min(most, mostLarge)})
		}
		return list
	}
	first, columns := startingNeurons(p), len(p.Fields)
	if c.linearised || !p.IsLinear() {
		first = pilotNeurons(p)
	}
	largest := maxNeurons
	if c.mostNeurons > 0 {
		largest = c.mostNeurons
	}
	list := []stage{{first, false, most, false}}
	for n := 2 * first; n*columns <= columnsAstray && n <= largest; n *= 2 {
		large := n*columns > mostColumns
		list = append(list, stage{n, n <= manyNeurons && !large, most, large})
	}
	if len(list) == 1 || list[1].astray {
		list[0].wide = true
	}
	return list
}

// startingNeurons is how many neurons the first layers of a problem have.
func startingNeurons(p *system.Problem) int {
	if len(p.Variables) == 1 {
		return fewestNeurons
	}
	return pilotNeurons(p)
}

// pilotNeurons is how many neurons the pilot has. What it finds of the sizes of the equations is never revised, so it has
// no fewer along one variable: with few neurons, scales that are much too steep may suit the readings best.
func pilotNeurons(p *system.Problem) int {
	if 2*firstNeurons*len(p.Fields) > mostColumns {
		return fewestNeurons
	}
	return firstNeurons
}

// integrate returns the mixture and the last search, whose storage the caller must release.
func integrate(p *system.Problem, c Config) (*Posterior, *search, error) {
	begin := time.Now()
	p = balanced(p)
	f, err := newFrame(p)
	if err != nil {
		return nil, nil, err
	}
	stages := c.stages(p)
	first := stages[0].neurons
	if c.Neurons == 0 {
		first = pilotNeurons(p)
	}
	if err := c.fits(p, max(c.Neurons, first)); err != nil {
		return nil, nil, err
	}
	told := newProgress(c.Progress)
	told.span(0, 1, layersToCome(len(stages), len(p.Variables)))
	s, err := f.pilot(c, p.ForNeurons(first), first, told)
	if err != nil {
		return nil, nil, err
	}
	assemble := s.assemble
	var (
		q     *Posterior
		grown growth
	)
	for _, g := range stages {
		if g.astray && (!grown.astray || s.searchPath() == SquareRoot) { // by rows it would take minutes
			break
		}
		var took time.Duration
		if s, took, err = f.stage(p, c, g, s, grown.astray, told); err != nil {
			return nil, nil, err
		}
		if q, err = s.mix(g.components); err != nil {
			s.release()
			return nil, nil, err
		}
		assemble += took + s.assemble
		if len(stages) == 1 || c.Neurons > 0 {
			continue
		}
		if err := grown.judge(f, s, q, stages[1].astray); err != nil {
			s.release()
			return nil, nil, err
		}
		if s.settled = grown.settled; s.settled {
			break
		}
	}
	told.finish()
	s.explain(p, q)
	q.summary.Assemble = assemble
	q.summary.Fit = time.Since(begin) - assemble
	return q, s, nil
}

// stage searches the layers of a stage, from what the last search found, and releases that. Where the
// readings went astray it begins anew, and returns how long the pilot took to assemble its rows: the
// best site of layers that cannot follow the readings does not lead to that of layers that can.
func (f *frame) stage(p *system.Problem, c Config, g stage, last *search, astray bool, told *progress) (next *search, took time.Duration, err error) {
	defer func() { last.release() }()
	if err := c.fits(p, g.neurons); err != nil {
		return nil, 0, err
	}
	if astray {
		last.release()
		pilot, err := f.pilot(c, p.ForNeurons(g.neurons), g.neurons, told)
		if err != nil {
			return nil, 0, err
		}
		last, took = pilot, pilot.assemble
	}
	f.problem = p.ForNeurons(g.neurons)
	next = newSearch(f, c, g.neurons, told)
	// What the best layer cannot represent, more neurons may at other scales.
	best := last.best()
	charged := g.neurons > last.neurons && best != nil && best.charge > lessCharge
	switch {
	case g.neurons <= manyNeurons || astray:
		next.follow(last)
		next.explore(g.wide)
	case charged:
		next.repeat(last, g.components)
	default:
		next.take(last, g.components)
	}
	if charged {
		next.rescale()
	}
	return next, took, nil
}

// explain gives a posterior what its verdict asks for.
func (s *search) explain(p *system.Problem, q *Posterior) {
	if s.config.Patches != nil {
		s.explainBlocks(p, q)
		return
	}
	q.weights, q.tried, q.larger, q.nearby = s.weights, s.ranked(), s.movement(p, q), s.nearby(p, q)
}

// growth compares stages.
type growth struct {
	answers *answers // of the last stage; nil before the first
	charge  float64  // of its best layer
	astray  bool     // the readings are not explained, or larger layers may do better
	settled bool     // the readings are explained, and larger layers would say the same
}

// judge evaluates a stage. The first is checked for explaining the readings only if the next depends
// on it.
func (g *growth) judge(f *frame, s *search, q *Posterior, first bool) error {
	now, err := f.middles(q)
	if err != nil {
		return err
	}
	charge, explained := s.ranked()[0].charge, true
	if g.answers != nil || first {
		q.tried = s.ranked()
		if explained, err = f.explained(q); err != nil {
			return err
		}
	}
	if g.answers != nil {
		q.summary.Unsettled = now.movedFrom(g.answers)
		explained = explained && !(charge < g.charge-lessCharge)
		g.settled = explained && q.summary.Unsettled <= stillness
	}
	g.answers, g.charge, g.astray = now, charge, !explained
	return nil
}

// pilot finds a first solution, and the sizes of equations from it.
func (f *frame) pilot(c Config, p *system.Problem, neurons int, told *progress) (*search, error) {
	f.problem = p
	s, q, err := f.first(c, neurons, told)
	if err != nil {
		return nil, err
	}
	if err := f.sizes.refine(p, q); err != nil {
		s.release()
		return nil, err
	}
	return s, nil
}

// first finds a first solution, and settles the weights of the readings.
func (f *frame) first(c Config, neurons int, told *progress) (*search, *Posterior, error) {
	s, q, err := f.firstFrom(c, neurons, told)
	if err != nil || !f.statedRobust() {
		return s, q, err
	}
	// With gross errors the noise may have seemed large at first, and much of the signal may pass
	// for noise. The other extreme is to believe all readings at first.
	weights, fits := f.weights, f.fits
	f.plainWeights()
	other, believed, err := f.firstFrom(c, neurons, told)
	switch {
	case err == nil && f.fits > fits:
		s, other, q = other, s, believed
	default:
		f.weights, f.fits = weights, fits
	}
	if other != nil {
		other.release()
	}
	return s, q, nil
}

// firstFrom climbs with the current weights of the readings, and settles the weights.
func (f *frame) firstFrom(c Config, neurons int, told *progress) (*search, *Posterior, error) {
	for round := 0; ; round++ {
		s := newSearch(f, c, min(neurons, manyNeurons), told)
		s.brief = true
		s.climb(pilotRounds)
		q, err := s.posteriorOf(1, nil)
		change := 0.0
		if err == nil && s.robust() && round < reclimbs {
			// Another layer may suit the reweighted readings better.
			change, err = s.reweigh(q)
		}
		if err == nil && change < weightsSettled {
			if q, err = s.settleWeights(q); err == nil {
				return s, q, nil
			}
		}
		s.release()
		if err != nil {
			return nil, nil, err
		}
	}
}

// mix returns the posterior of the layers that matter, with weights of readings from all of them
// together.
func (s *search) mix(components int) (*Posterior, error) {
	q, err := s.posterior(components)
	if err != nil || !s.robust() {
		return q, err
	}
	if _, err = s.reweigh(q); err != nil {
		return nil, err
	}
	s.forget()
	return s.posterior(components)
}

// explained tells whether a posterior explains the readings and satisfies the equations. Small
// layers may agree that everything is noise, or violate the equations where they cannot follow.
func (f *frame) explained(q *Posterior) (bool, error) {
	all, err := q.innovations()
	if err != nil {
		return false, err
	}
	v := &Verdict{Sound: true}
	if err := v.equations(q, f.problem, f.sizes); err != nil {
		return false, err
	}
	readings, err := q.leaveOneOut(f.problem, all)
	if err != nil {
		return false, err
	}
	if err := v.outliers(f.problem, readings, len(readings), nil); err != nil {
		return false, err
	}
	v.alternatives(q, f.problem, f.sizes)
	v.held(q, f.problem, nil)
	if err := v.groups(q, f.problem, readings, all); err != nil {
		return false, err
	}
	return v.Sound, nil
}

// movement is how far answers move with another number of neurons, in standard deviations, and the room that these layers
// leave the parameters; nil: not known, or not asked for.
type movement struct {
	moved   float64
	where   string // it is that far; "": everywhere, in the root mean square
	neurons int
	room    []float64
}

// movement returns a function that compares the answers of a mixture with those of the best layer
// with more neurons: how far they move, as answers.movedFrom. A large layer costs eight times as much
// again to double, and one on many readings four times: if half as many neurons say the same, twice as
// many will.
func (s *search) movement(p *system.Problem, q *Posterior) func() (movement, error) {
	best, f, c := s.ranked()[0].site, *s.frame, s.config
	f.sizes = f.sizes.clone()
	now := *q
	now.tried = nil // keep no more than is needed
	neurons := s.neurons
	return func() (movement, error) {
		if neurons > manyNeurons || c.large != nil {
			if m, err := f.movedWith(p, c, best, neurons/2, &now); err == nil && m.moved <= unsettledLimit {
				return m, nil
			}
		}
		return f.movedWith(p, c, best, moreNeurons(neurons), &now)
	}
}

// movedWith is how far the answers of a mixture move with another number of neurons. The best site of a
// small layer may not be that of a much larger one: then the search is repeated.
func (f frame) movedWith(p *system.Problem, c Config, best site, neurons int, now *Posterior) (movement, error) {
	f.problem = p.ForNeurons(neurons)
	next := newSearch(&f, c, neurons, nil)
	defer next.release()
	next.try(best.drawn(c.Ensemble))
	if neurons > 2*now.summary.Neurons && next.held == nil {
		next.try(alike(best.activation, len(p.Variables), ladderLow), alike(best.activation, len(p.Variables), ladderHigh))
		next.ascend(climbRounds, best.activation)
	}
	a, b, err := f.both(next, now)
	if err != nil {
		return movement{}, err
	}
	return movement{moved: a.movedFrom(b), neurons: neurons}, nil
}

// both returns the answers of the best layer of another search and of a mixture.
func (f *frame) both(next *search, now *Posterior) (a, b *answers, err error) {
	other, err := next.posterior(1)
	if err != nil {
		return nil, nil, err
	}
	if a, err = f.answers(other); err != nil {
		return nil, nil, err
	}
	b, err = f.answers(now)
	return a, b, err
}

// room is what the layers leave the parameters, the most of each.
func (s *search) room(parameters int) []float64 {
	room := make([]float64, parameters)
	for _, t := range s.ranked() {
		for i, r := range t.room {
			room[i] = math.Max(room[i], r)
		}
	}
	return room
}

// moreNeurons is the number of neurons that a layer is compared with.
func moreNeurons(neurons int) int { return 2 * max(neurons, fewestNeurons) }

// answers are what a posterior says of the fields all over the domain, and of the parameters.
type answers struct{ mean, sd []float64 }

func (f *frame) answers(q *Posterior) (*answers, error) {
	a := &answers{}
	for i := range f.problem.Fields {
		mean, sd, err := q.Predict(system.Field(i), f.domain)
		if err != nil {
			return nil, err
		}
		a.mean, a.sd = append(a.mean, mean...), append(a.sd, sd...)
	}
	for _, e := range q.Parameters() {
		for range f.domain.Rows() { // a parameter counts as much as a field
			a.mean, a.sd = append(a.mean, e.Mean), append(a.sd, e.SD)
		}
	}
	return a, nil
}

// middles are answers with medians for means, and for standard deviations half of what the central 68 % span.
// A layer of small weight that says something else has little say in them.
func (f *frame) middles(q *Posterior) (*answers, error) {
	a := &answers{}
	add := func(m mixture) {
		low, high := m.atNormal(-1), m.atNormal(1)
		a.mean, a.sd = append(a.mean, m.atNormal(0)), append(a.sd, 0.5*(high-low))
	}
	for i := range f.problem.Fields {
		all, err := q.marginals(system.Field(i), f.domain, true)
		if err != nil {
			return nil, err
		}
		for _, m := range all {
			add(m)
		}
	}
	for i := range f.problem.Parameters {
		m := q.parameter(i)
		add(m)
		for k := len(a.mean) - 1; len(a.mean) <= k+f.domain.Rows()-1; { // as in answers
			a.mean, a.sd = append(a.mean, a.mean[k]), append(a.sd, a.sd[k])
		}
	}
	return a, nil
}

// z is how far answer i is from another, in units of the larger of the two standard deviations.
func (a *answers) z(b *answers, i int) float64 {
	moved := a.mean[i] - b.mean[i]
	if moved == 0 { // both may be certain
		return 0
	}
	return moved / math.Max(a.sd[i], b.sd[i])
}

// widened returns the root mean square of the logarithms by which standard deviations differ from those of other answers.
func (a *answers) widened(b *answers) float64 {
	sum := 0.0
	for i, sd := range a.sd {
		if sd != b.sd[i] { // both may be certain
			log := mat.Log(sd / b.sd[i])
			sum = mat.FMA(log, log, sum)
		}
	}
	return math.Sqrt(sum / float64(len(a.sd)))
}

// movedFrom returns the root mean square difference from other answers, in units of the larger of
// the two standard deviations.
func (a *answers) movedFrom(b *answers) float64 {
	sum := 0.0
	for i := range a.mean {
		z := a.z(b, i)
		sum = mat.FMA(z, z, sum)
	}
	return math.Sqrt(sum / float64(len(a.mean)))
}
