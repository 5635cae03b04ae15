package posterior

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior/rowtree"
	"github.com/bpielm/bpielm/system"
)

// The search integrates over what defines a layer: the activation of the neurons, their scale along
// each variable, for two variables their orientation, and the draw. A site is one such choice; its
// log evidence has amplitude, slack and noise integrated out. From a ladder of scales common to all
// variables the search climbs to the best site. Then it evaluates a grid around that site as far as
// the evidence matters, and repeats the good sites with further draws.

const (
	// The first common scales, in octaves; the best activation continues in steps of ladderStep.
	ladderLow, ladderHigh = 0, 1.5
	ladderStep            = 1.5
	// Limits within which a neuron is neither flat nor a step.
	lowestOctave, highestOctave = -6, 6
	climbRounds                 = 8
	// Neighbours of a site are evaluated if its tempered log evidence is within siteDrop of the best,
	// and it is drawn again if within drawDrop.
	siteDrop = 4
	drawDrop = 2.5
	// latticeStep is the step of the lattice over the prior, close to the nodes of a three-point
	// Gauss-Hermite rule.
	latticeStep = 2
	// mostSites bounds the grid, without the lattice, and mostDrawn the sites that are drawn again.
	// Where larger layers will follow, or the layer is large itself, only fewSites are evaluated,
	// with one draw each and without a lattice.
	mostSites, mostDrawn = 32, 3
	fewSites             = 10
)

// tried is a site with its evidence.
type tried struct {
	site
	score  float64   // log evidence plus prior
	prior  float64   // log prior, less charges
	charge float64   // penalty for what the layer cannot represent
	lacks  float64   // see lacking
	refund float64   // where coefficients are compared
	noise  []float64 // typical, of each group; where coefficients are compared
	room   []float64 // of each parameter, see decomposition.room
	doubts doubts
	err    error

	// The states with their path and evidence, so that the layer can be conditioned without a new
	// survey; nil: survey again.
	states   []state
	path     Path
	evidence float64
	layer    *layerPosterior // conditioned when it was tried, see search.eager, and not yet asked for; nil: otherwise
}

// remember keeps the states that a posterior is made of, without what lives in borrowed memory.
func (t *tried) remember(ph *Physics, states []state, logEvidence float64) {
	t.states = slices.Clone(states)
	for i := range t.states {
		t.states[i].decomposition, t.states[i].observed = nil, nil
	}
	t.path, t.evidence = ph.path, logEvidence
}

// forget drops what depends on sizes and on the weights of readings, which have changed.
func (t *tried) forget() { t.states, t.layer = nil, nil }

// stated is the score with the noise as stated, where it may be louder.
func (t *tried) stated() float64 {
	if math.IsNaN(t.doubts.right) {
		return t.score
	}
	return t.doubts.right + t.prior
}

// plain is the score without penalties.
func (t *tried) plain() float64 { return t.score + t.charge + t.lacks }

// search evaluates layers of one size.
type search struct {
	*frame
	config    Config
	neurons   int
	held      []float64 // scales that the configuration gives; nil: open
	book      map[string]*tried
	order     []*tried // in order of evaluation
	lock      sync.Mutex
	free      []*storage
	assemble  time.Duration
	failure   error
	told      *progress
	brief     bool        // see doubts
	eager     bool        // layers are conditioned when they are tried: all will be asked for, and they need not be compiled again
	meanAlone bool        // layers are conditioned for the means of weights alone
	unsound   atomic.Bool // sums of squares were not accurate enough for some layer
	settled   bool        // the answers are those of half as many neurons; false: not compared, or others
}

func newSearch(f *frame, c Config, neurons int, told *progress) *search {
	s := &search{frame: f, config: c, neurons: neurons, book: map[string]*tried{}, told: told}
	if len(c.Scale) > 0 {
		s.held = c.Scale
	}
	return s
}

// layer describes a site's layer.
func (s *search) layer(t *site) feature.Config {
	scale := s.held
	if scale == nil {
		scale = t.scales()
	}
	return feature.Config{
		Neurons: s.neurons, Scale: scale, Seed: memberSeed(s.config.Seed, t.draw), Draw: s.config.Draw,
		Activation: t.activation, Axes: t.axes(), Constant: true, Patches: s.config.Patches, Edges: s.config.edges,
	}
}

// memberSeed is the seed of the k-th draw; draw 0 has the given seed.
func memberSeed(seed uint64, k int) uint64 { return seed + uint64(k)*0x9e3779b97f4a7c15 }

// compile compiles the physics of a site in borrowed memory. Summaries of groups of readings, where
// there are any, stand for these. A layer that will be conditioned is limited: what it cannot produce is found, too.
func (s *search) compile(t *site, path Path, store *storage, whole []*rowtree.Node, limited bool) (*Physics, *readings, error) {
	s.config.halt.check()
	layer, err := feature.New(s.problem.Box(), s.layer(t))
	if err != nil {
		return nil, nil, err
	}
	ph, err := compile(s.frame, layer, CompileConfig{Tolerance: s.config.Tolerance, Path: path, keepEquations: s.config.compared, keepLimits: limited}, s.sizes, store)
	if err != nil {
		return nil, nil, err
	}
	ph.slack, ph.maximum, ph.louder, ph.halt, ph.meanAlone = s.config.slack, s.config.Maximum, !s.config.Maximum, s.config.halt, s.meanAlone
	ph.halt.check()
	begin := time.Now()
	r, err := newReadings(store, ph.basis, s.sensors(), s.problem, s.sizes, s.weights, whole)
	if err != nil {
		return nil, nil, err
	}
	ph.assemble += time.Since(begin)
	return ph, r, nil
}

// workers is how many of n layers are evaluated at once. Large layers follow one another, each on all
// processors: together they would need the memory of many.
func (s *search) workers(n int) int {
	if s.neurons > manyNeurons {
		return 1
	}
	return min(n, runtime.GOMAXPROCS(0))
}

// inParallel calls f for each of n tasks, on all processors or, with one worker, in turn.
func inParallel(n, workers int, f func(i int)) {
	if workers > 1 {
		mat.Parallel(n, f)
		return
	}
	for i := range n {
		f(i)
	}
}

// try evaluates those of the sites that are new, in parallel.
func (s *search) try(sites ...site) {
	var list []*tried
	for i := range sites {
		t := &tried{site: sites[i], score: math.Inf(-1)}
		if s.book[t.key()] != nil || s.beyond(t) {
			continue
		}
		s.book[t.key()] = t
		list = append(list, t)
	}
	s.order = append(s.order, list...)
	workers := s.workers(len(list))
	inParallel(len(list), workers, func(i int) {
		t := list[i]
		store := s.borrow()
		path := s.searchPath()
		if path == GramPath {
			path = autoSums
		}
		ph, r, err := s.compile(&t.site, path, store, nil, s.eager)
		if err == nil {
			var e float64
			t.doubts = newDoubts(s.brief)
			ph.doubts = &t.doubts
			var states []state
			if states, e, err = ph.survey(r); err == nil {
				heaviest := slices.MaxFunc(states, func(a, b state) int { return cmp.Compare(a.logWeight, b.logWeight) })
				t.room = heaviest.decomposition.room(heaviest.tau)
				t.charge = float64(slackRate*ph.missing()) + heaviest.decomposition.contradiction(heaviest.tau)
				t.lacks = ph.lacking(states)
				if s.config.compared {
					t.refund, t.noise = ph.refund(states, s.config.reference)
				}
				t.prior = t.logPrior() - t.charge - t.lacks
				if states = ph.kept(states); s.eager && s.config.openPath() {
					t.layer, _ = ph.layerPosteriorAt(states, r, e) // where that fails, condition tries other paths
				}
				t.remember(ph, states, e)
				t.score = e + t.prior
			}
		}
		t.err = err
		store.reclaim()
		s.lock.Lock()
		defer s.lock.Unlock()
		s.free = append(s.free, store)
		if ph != nil {
			s.assemble += ph.assemble / time.Duration(workers)
		}
		s.told.more()
	})
	for _, t := range list {
		if t.err != nil && s.failure == nil {
			s.failure = t.err
		}
	}
}

// searchPath is the Gram path where possible: it is several times as fast, and its rounding errors
// do not decide between layers. Exact conditions beside parameters, and tolerances below what sums
// of squares can tell from zero, need rows.
func (s *search) searchPath() Path {
	tightest := s.config.Tolerance
	for _, e := range s.problem.Demands() {
		if e.Tolerance > 0 && (tightest == 0 || e.Tolerance < tightest) {
			tightest = e.Tolerance
		}
	}
	const resolved = 1e-5
	if tightest > 0 && tightest < resolved {
		return SquareRoot
	}
	if len(s.problem.Parameters) > 0 && slices.ContainsFunc(s.problem.Conditions, func(e system.Demand) bool { return e.Exact }) {
		return SquareRoot // elimination mixes parameters with neurons
	}
	return GramPath
}

// beyond tells whether the search skips a site: too flat, too steep, or with more waves than the
// equations have points, so that they would hold only at the points.
func (s *search) beyond(t *tried) bool {
	waves, common := 1.0, true
	for i, scale := range t.scales() {
		k := t.octaves[i]
		if k < lowestOctave || k > highestOctave {
			return true
		}
		common = common && k <= ladderHigh
		waves *= math.Max(1, scale/math.Pi) // along the side of the box, which is 2
	}
	points := 0
	for i := range s.problem.Equations {
		points = max(points, s.problem.Equations[i].Points.Rows())
	}
	return !common && points > 0 && waves > float64(points)
}

// best returns the site with the largest score, the first of equals; nil without any.
func (s *search) best() *tried {
	var best *tried
	for _, t := range s.order {
		if t.err == nil && (best == nil || t.score > best.score) {
			best = t
		}
	}
	return best
}

// bestOf is best for one activation.
func (s *search) bestOf(a feature.Activation) *tried {
	var best *tried
	for _, t := range s.order {
		if t.err == nil && t.activation == a && (best == nil || t.score > best.score) {
			best = t
		}
	}
	return best
}

// climb finds the best site of each activation with the first draw: first over scales common to all
// variables, then along each variable.
func (s *search) climb(rounds int) {
	s.begin(s.config.activations()...)
	if s.held != nil {
		return
	}
	d := len(s.problem.Variables)
	s.improve(climbRounds, s.config.activations(), func(t *tried) []site {
		var next []site
		for _, step := range []float64{ladderStep, -ladderStep} {
			next = append(next, alike(t.activation, d, t.octaves[0]+step))
		}
		return next
	})
	s.ascend(rounds, s.config.activations()...)
}

// begin tries the first scales of activations.
func (s *search) begin(activations ...feature.Activation) {
	var rungs []site
	for _, a := range activations {
		if s.held != nil {
			rungs = append(rungs, site{activation: a})
			continue
		}
		for _, k := range []float64{ladderLow, ladderHigh} {
			rungs = append(rungs, alike(a, len(s.problem.Variables), k))
		}
	}
	s.try(rungs...)
}

// improve tries what is next to the best site of each activation until that stays the best, for the given number of
// rounds at most. Activations do not depend on each other, and climb side by side to keep all processors busy.
func (s *search) improve(rounds int, activations []feature.Activation, next func(t *tried) []site) {
	for range rounds {
		var list []site
		before := make([]*tried, len(activations))
		for i, a := range activations {
			if before[i] = s.bestOf(a); before[i] != nil {
				list = append(list, next(before[i])...)
			}
		}
		if len(list) == 0 || s.held != nil {
			return
		}
		s.try(list...)
		var climbing []feature.Activation
		for i, a := range activations {
			if s.bestOf(a) != before[i] {
				climbing = append(climbing, a)
			}
		}
		activations = climbing
	}
}

// ascend climbs along the variables and, where axes are turned, along the turn.
func (s *search) ascend(rounds int, activations ...feature.Activation) {
	s.improve(rounds, activations, func(t *tried) []site {
		return slices.Concat(t.neighbours(1), t.turns(coarseTurn/2), t.turns(coarseTurn/4))
	})
}

// rescale looks for other scales where layers are charged for what they cannot represent. More neurons may represent it with much
// steeper scales along all variables at once: what is steeper along one alone is often worse.
func (s *search) rescale() {
	best := s.best()
	if best == nil || s.held != nil {
		return
	}
	d := len(s.problem.Variables)
	middle := math.Round(best.octave())
	var list []site
	for _, a := range s.config.activations() {
		list = append(list, alike(a, d, middle), alike(a, d, middle+1))
	}
	s.try(list...)
	s.improve(climbRounds, s.config.activations(), func(t *tried) []site { return []site{t.rescaled(0.5), t.rescaled(-0.5)} })
}

// follow starts from the result of another search: from its best site of each activation that may
// matter.
func (s *search) follow(other *search) {
	s.followAlong(other)
	s.tryTurns()
}

// followAlong is follow without turned neurons.
func (s *search) followAlong(other *search) {
	top := other.best()
	if top == nil {
		return
	}
	var list []site
	var activations []feature.Activation
	for _, a := range s.config.activations() {
		if t := other.bestOf(a); t != nil && t.score > top.score-hopeless {
			list, activations = append(list, t.site.drawn(0)), append(activations, a)
		}
	}
	s.try(list...)
	s.ascend(climbRounds, activations...)
}

// An activation counts in follow if its best site is at most hopeless nats below the best: sizes of
// equations and layers have changed since.
const hopeless = 15

// tryTurns tries neurons that are turned, and longer along one axis.
func (s *search) tryTurns() {
	best := s.best()
	if best == nil || s.held != nil || len(best.octaves) != 2 {
		return
	}
	var turns []site
	long := best.with(0, 1)
	long = long.with(1, -1)
	for by := coarseTurn; by < 2*int(math.Round(math.Pi/2/turnUnit)); by += 2 * coarseTurn {
		turns = append(turns, long.turnedFar(by))
	}
	s.try(append(turns, s.across()...)...)
	s.ascend(climbRounds, best.activation)
}

// spread tries a lattice over the prior of scales, for every activation that may matter: the
// evidence can have several modes, or hardly depend on scales. It returns the number of new sites.
// In three and more variables the lattice is a star, with scales common to all.
func (s *search) spread() int {
	top, before := s.best(), len(s.order)
	if top == nil || s.held != nil {
		return 0
	}
	d := len(s.problem.Variables)
	var list []site
	for _, a := range s.config.activations() {
		if t := s.bestOf(a); t == nil || t.score < top.score-hopeless {
			continue
		}
		for _, k := range []float64{0, latticeStep, -latticeStep} {
			middle := alike(a, d, k)
			list = append(list, middle)
			if k == 0 {
				list = append(list, middle.neighbours(latticeStep)...)
			} else if d == 2 {
				list = append(list, middle.with(1, float64(-2*k)))
			}
		}
		if d == 1 { // few sites, so the steepest, too: between them and the best one the evidence may have a dip
			for k := 2.0 * latticeStep; k <= highestOctave; k += latticeStep {
				list = append(list, alike(a, d, k))
			}
		}
	}
	s.try(list...)
	return len(s.order) - before
}

// explore evaluates the grid around the best site, best first, as far as it matters. A wide search
// also evaluates a lattice first, more sites, and further draws of the good ones.
func (s *search) explore(wide bool) {
	sites, drawn := fewSites, 0
	if wide {
		sites, drawn = mostSites+s.spread(), mostDrawn
	}
	expanded := map[*tried]bool{}
	for len(s.order) < sites && s.held == nil {
		top := s.best()
		if top == nil {
			return
		}
		var next *tried
		for _, t := range s.order {
			if t.err == nil && !expanded[t] && t.score > top.score-siteDrop*temper && (next == nil || t.score > next.score) {
				next = t
			}
		}
		if next == nil {
			break
		}
		expanded[next] = true
		s.try(append(next.neighbours(1), next.turns(coarseTurn/4)...)...)
	}
	good := s.ranked()
	top := s.best()
	if top == nil {
		return
	}
	// Where one more draw changes nothing, others will not either.
	for k := 1; k < s.config.Ensemble; k++ {
		var again []site
		for i, t := range good {
			if i == drawn || t.score < top.score-drawDrop*temper {
				break
			}
			again = append(again, t.drawn(k))
		}
		s.try(again...)
		same := true
		for i := range again {
			same = same && math.Abs(s.book[again[i].key()].score-good[i].score) < sameDraw
		}
		if same {
			return
		}
	}
}

// sameDraw is by how much the evidence of two draws may differ, in nats, for them to count as one.
const sameDraw = 0.5

// chosen are the sites that represent a search.
func (s *search) chosen(most int) []*tried {
	ranked := s.ranked()
	if len(ranked) == 0 {
		return nil
	}
	chosen, _ := representatives(ranked, most)
	return chosen
}

// repeat tries the best sites of another search.
func (s *search) repeat(other *search, most int) {
	var sites []site
	for _, t := range other.chosen(most) {
		sites = append(sites, t.site)
	}
	s.try(sites...)
}

// take takes over the best sites of another search, with their evidence.
func (s *search) take(other *search, most int) {
	for _, t := range other.chosen(most) {
		found := *t
		found.forget()
		s.order, s.book[t.key()] = append(s.order, &found), &found
	}
}

// ranked returns the sites that worked, best first.
func (s *search) ranked() []*tried {
	good := slices.DeleteFunc(slices.Clone(s.order), func(t *tried) bool { return t.err != nil || !finite(t.score) })
	slices.SortStableFunc(good, func(a, b *tried) int { return cmp.Compare(b.score, a.score) })
	return good
}

// borrow lends storage that no candidate uses.
func (s *search) borrow() *storage {
	s.lock.Lock()
	defer s.lock.Unlock()
	n := len(s.free)
	if n == 0 {
		return borrowStorage()
	}
	store := s.free[n-1]
	s.free = s.free[:n-1]
	return store
}

// release gives all storage back.
func (s *search) release() {
	for _, store := range s.free {
		store.giveBack()
	}
	s.free = nil
}

// forget makes the search survey its layers again: sizes or weights of readings have changed.
func (s *search) forget() {
	for _, t := range s.order {
		t.forget()
	}
}
