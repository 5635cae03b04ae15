package posterior

import (
	"errors"
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// state is the physics at one slack, with the posterior of amplitude and noise there.
type state struct {
	decomposition *decomposition
	observed      *observed // the readings in its coordinates
	tau           float64
	slack         float64   // relative; 0: tau times the amplitude
	part          slackPart // where slack is 0: what tau stands for
	nodes         []node
	logWeight     float64 // log of the sum of the nodes' weights
	alternatives
}

// slackOf returns the slack at a node; NaN where every equation has its own.
func (s *state) slackOf(n *node) float64 {
	if s.slack == 0 {
		return s.tau * n.amplitude
	}
	return s.slack
}

// meanSquareSlack is that over the nodes; 0 where every equation has its own.
func (s *state) meanSquareSlack() float64 {
	sum := 0.0
	for _, n := range strata(s.nodes, nodesKept) {
		if slack := s.slackOf(&n); !math.IsNaN(slack) {
			sum += float64(n.logWeight * float64(slack*slack))
		}
	}
	return sum
}

// The grid of log tau has a point for each decade. Below squareRootFloor, relative to the largest
// column of the physics, rounding dominates; for sums of squares the limit is sumsFloor.
const (
	tauStep         = ln10
	tighter         = 100 // factor that extends a grid that ends too loose
	looseTau        = 1.0
	tightTau        = 1e-9
	squareRootFloor = 1e-13
	sumsFloor       = 3e-7
	// Looser slacks are skipped once the log evidence has fallen by this much, twice.
	slackDrop = 12
	// With patches, once by that much.
	blockDrop = 7
	// Grid step of log a where equations have a tolerance of their own: every second point is left out where
	// the integrals over either half of the others differ by less than halvesAgree nats.
	stepLogA, halvesAgree = 0.4, 0.05
)

// survey integrates the evidence of readings over slack, amplitude and noise. It returns the states
// on the grid, and the log evidence of the layer.
func (ph *Physics) survey(r *readings) (states []state, logEvidence float64, err error) {
	if ph.demanded.fixed == nil {
		states, err = ph.surveyOpen(r)
	} else {
		states, err = ph.surveyFixed(r)
	}
	if err != nil {
		return nil, 0, err
	}
	ph.doubts.sum(states)
	return states, logEvidenceOf(states), nil
}

// logEvidenceOf is what layers are compared by: the log evidence of the readings, with slack, amplitude
// and noise integrated out. The search, the mixture, coefficients and nonlinear problems know no other
// number of a layer.
//
// To compare layers by another number, as the probability of each reading given all others, compute it
// here from the states. Each has the readings under its slack (observed.under), from which residuals.go
// makes predictions of every reading by the others. It must be in nats and for all readings together,
// because log priors are added to it and temper divides it. Make it a field of Config that
// search.compile passes to the Physics. The evidences in doubts no longer compare with it: set free,
// right and louder to NaN, and the verdict leaves out the checks that need them. Where rows are
// compressed, single readings are not available. bruteForceCases has problems to test it on.
//
// Another integral over amplitude and noise at one slack is a matter of evidence.go, and of what is
// listed there.
func logEvidenceOf(states []state) float64 {
	logs := make([]float64, len(states))
	for i := range states {
		logs[i] = states[i].logWeight
	}
	return logSumExp(logs)
}

// lowestTau is the tightest slack per amplitude that arithmetic can resolve, at most looseTau.
func (ph *Physics) lowestTau() float64 {
	floor := squareRootFloor
	if ph.path == GramPath {
		floor = sumsFloor
	}
	return math.Min(math.Max(tightTau, floor*ph.steepest), looseTau)
}

// integrate sets the nodes of one slack, the log of their integral and the alternatives. It also
// updates the doubts.
func (ph *Physics) integrate(u *underPhysics, a amplitudes, s *state) error {
	nodes, total, err := u.integrate(a)
	if err == nil && !finite(total) {
		err = dataError("evidence", "it is %g", total)
	}
	if err == nil && ph.doubts != nil {
		err = ph.doubts.ask(u, nodes)
	}
	s.nodes, s.logWeight, s.alternatives = slices.Clone(nodes), total, u.alternatives
	return err
}

// surveyOpen surveys equations that all share the open slack, tau times the amplitude.
func (ph *Physics) surveyOpen(r *readings) (states []state, err error) {
	dec, err := ph.at(1)
	if err != nil {
		return nil, err
	}
	o := newObserved(ph.scaled(r), len(ph.scale), dec, ph.store)
	if ph.doubts != nil && ph.exact == nil && !ph.doubts.brief {
		ph.doubts.free = o.free()
	}
	low := math.Max(ph.lowestTau(), referenceSlack)
	grid, err := ph.surveyFrom(low, dec, o)
	if err != nil {
		return nil, err
	}
	for {
		// A large amplitude needs a tighter tau for the same slack. What has been evaluated stays: a grid
		// at other slacks would make the evidence jump where it becomes necessary.
		first := &weighty(grid)[0]
		if low <= ph.lowestTau() || first.tau > low || isTight(first) {
			return grid, nil
		}
		next := math.Max(low/tighter, ph.lowestTau())
		grid, low = ph.surveyBelow(next, grid, dec, o), next
	}
}

// surveyFrom surveys the slacks per amplitude from tightestTau up.
func (ph *Physics) surveyFrom(tightestTau float64, dec *decomposition, o *observed) (states []state, err error) {
	var failure error
	low := mat.Log(tightestTau)
	top, falls := math.Inf(-1), 0
	mostFalls, drop := 2, float64(slackDrop)
	if ph.blocks != nil { // a slack may take a second
		mostFalls, drop = 1, blockDrop
	}
	for logTau := low; logTau <= mat.Log(looseTau)+tauStep/2 && falls < mostFalls; logTau += tauStep {
		tau, part := tightestTau, slackPart{below: tauStep / 2, logWidth: logTauStep}
		if logTau > low {
			tau, part = mat.Exp(logTau), slackPart{logWidth: logTauStep}
		}
		s, err := ph.surveySlack(tau, part, dec, o)
		if err != nil {
			failure = err
			continue
		}
		states = append(states, s)
		top = math.Max(top, s.logWeight)
		if falls++; s.logWeight > top-drop {
			falls = 0
		}
	}
	if len(states) == 0 {
		return nil, failure
	}
	return states, nil
}

// surveyBelow extends a survey to the slacks per amplitude from tightestTau up. Without one that can be
// resolved, the survey stays what it was.
func (ph *Physics) surveyBelow(tightestTau float64, states []state, dec *decomposition, o *observed) []state {
	first := states[0]
	taus := []float64{first.tau}
	for tau := first.tau / 10; tau > 1.001*tightestTau; tau /= 10 {
		taus = append(taus, tau)
	}
	taus = append(taus, tightestTau)
	slices.Reverse(taus)
	half := func(i int) float64 { return float64(0.5 * mat.Log(taus[i+1]/taus[i])) } // up to the next
	var more []state
	part := slackPart{below: half(0), logWidth: logTauStep}
	for i, tau := range taus[:len(taus)-1] {
		if len(more) > 0 {
			part = slackPart{logWidth: mat.Log(half(i-1) + half(i))}
		}
		if s, err := ph.surveySlack(tau, part, dec, o); err == nil {
			more = append(more, s)
		} else {
			part.below = half(min(i+1, len(taus)-2))
		}
	}
	if len(more) == 0 {
		return states
	}
	first.become(slackPart{logWidth: mat.Log(half(len(taus)-2) + tauStep/2)}, ph.slack)
	return slices.Concat(more, []state{first}, states[1:])
}

// surveySlack integrates the evidence at one slack per amplitude.
func (ph *Physics) surveySlack(tau float64, part slackPart, dec *decomposition, o *observed) (state, error) {
	ph.halt.check()
	p := ph.store.slackPrior()
	if err := p.set(dec, tau); err != nil {
		return state{}, err
	}
	logTau := mat.Log(tau)
	a := amplitudes{louder: ph.louder, density: func(logA, a float64) (exponent, factor float64) {
		exponent, factor = amplitudeDensity(logA, a)
		more, times := part.density(logTau+logA, float64(tau*a), ph.slack)
		return exponent + more, float64(factor * times)
	}}
	s := state{decomposition: dec, observed: o, tau: tau, part: part}
	err := ph.integrate(o.under(p), a, &s)
	return s, err
}

// slackPart is the slacks that a point of the grid of log tau stands for: half the way to its
// neighbours, and the tightest point for everything tighter.
type slackPart struct {
	below    float64 // the tightest point: log of the factor up to which it does; 0: another point
	logWidth float64 // log of the length of log tau
}

// density is the probability of the part at a slack, as exp(exponent) times factor; known is the slack if it is known, 0 if not.
func (p *slackPart) density(logSlack, slack, known float64) (exponent, factor float64) {
	switch {
	case known > 0:
		return logSlackAbout(logSlack-mat.Log(known)) + p.logWidth, 1
	case p.below > 0:
		exponent, factor = slackBelow(logSlack + p.below)
		return exponent - float64(slackRate*slack), factor
	}
	return logSlackDensity(logSlack, slack) + p.logWidth, 1
}

// logPrior is the logarithm of density.
func (p *slackPart) logPrior(slack, known float64) float64 {
	exponent, factor := p.density(mat.Log(slack), slack, known)
	return exponent + mat.Log(factor)
}

// become makes a state stand for another part.
func (s *state) become(part slackPart, known float64) {
	s.nodes = slices.Clone(s.nodes)
	logs := make([]float64, len(s.nodes))
	for i := range s.nodes {
		n := &s.nodes[i]
		slack := s.tau * n.amplitude
		n.logWeight += part.logPrior(slack, known) - s.part.logPrior(slack, known)
		logs[i] = n.logWeight
	}
	before := s.logWeight
	s.part, s.logWeight = part, logSumExp(logs)
	s.logRight += s.logWeight - before
	s.logLouder += s.logWeight - before
}

// surveyFixed surveys equations of which some or all have their own tolerance. Then tau is the
// inverse of the amplitude, and the open slack, if any, has its own grid.
func (ph *Physics) surveyFixed(r *readings) (states []state, err error) {
	slacks := []float64{math.NaN()}
	if ph.demanded.open != nil {
		slacks = slacks[:0]
		for e := slackFloor; e < 1; e *= 10 {
			slacks = append(slacks, e)
		}
	}
	rows := ph.scaled(r)
	var (
		failure error
		o       *observed
	)
	for _, slack := range slacks {
		ph.halt.check()
		volume := 0.0
		if ph.demanded.open != nil {
			volume += logTauStep
			if ph.slack > 0 {
				volume += logSlackAbout(mat.Log(slack / ph.slack))
			} else {
				volume += logSlackPrior(slack)
			}
		}
		dec, err := ph.at(slack)
		if err != nil {
			failure = err
			continue
		}
		if o == nil || ph.decomposition == nil {
			o = newObserved(rows, len(ph.scale), dec, ph.store)
			if ph.doubts != nil && ph.exact == nil && !ph.doubts.brief {
				ph.doubts.free = o.free()
			}
		}
		more, err := ph.surveyAmplitudes(slack, volume, dec, o)
		if err != nil {
			failure = err
		}
		states = append(states, more...)
	}
	if len(states) == 0 {
		return nil, failure
	}
	return states, nil
}

// surveyAmplitudes integrates over the amplitude at one open slack, whose part of the prior has the given log
// volume, by the trapezoidal rule. Halving its step about squares its error [Trefethen & Weideman, The
// exponentially convergent trapezoidal rule, SIAM Review 56, 2014]. So where either half of the amplitudes
// gives nearly the same integral, both together are enough. Otherwise those between are added, where the
// density is not negligible. States come with the last error, if any.
func (ph *Physics) surveyAmplitudes(slack, volume float64, dec *decomposition, o *observed) (states []state, failure error) {
	p := ph.store.slackPrior()
	look := func(logA, step float64) *state {
		if err := p.set(dec, mat.Exp(-logA)); err != nil {
			failure = err
			return nil
		}
		a := amplitudes{single: true, logA: logA, louder: ph.louder, density: func(logA, a float64) (exponent, factor float64) {
			exponent, factor = amplitudeDensity(logA, a)
			return exponent + volume + mat.Log(step), factor
		}}
		s := &state{decomposition: dec, observed: o, tau: p.tau, slack: slack}
		if err := ph.integrate(o.under(p), a, s); err != nil {
			failure = err
			return nil
		}
		return s
	}
	var grid []float64
	for logA := lowestLogA; logA <= highestLogA; logA += stepLogA {
		grid = append(grid, logA)
	}
	wide, logs := make([]*state, (len(grid)+1)/2), make([]float64, (len(grid)+1)/2)
	visit := func(i int) float64 {
		if wide[i] = look(grid[2*i], 2*stepLogA); wide[i] != nil {
			logs[i] = wide[i].logWeight
		}
		return logs[i]
	}
	for i := range logs {
		logs[i] = math.Inf(-1)
	}
	if ph.blocks != nil { // one may take a second
		outward(len(wide), visit)
	} else {
		for i := range wide {
			visit(i)
		}
	}
	halves := [2][]float64{}
	for i, log := range logs {
		halves[i%2] = append(halves[i%2], log)
	}
	between := make([]*state, len(wide)) // after each
	if !(math.Abs(logSumExp(halves[0])-logSumExp(halves[1])) < halvesAgree) {
		top := slices.Max(logs)
		for i := 1; i < len(grid); i += 2 {
			if k := i / 2; math.Max(logs[k], logs[min(k+1, len(logs)-1)]) > top-negligibleNode {
				between[k] = look(grid[i], stepLogA)
			}
		}
	}
	for i, s := range wide {
		if s != nil {
			share := 1.0 // of what it stood for
			for _, k := range []int{i - 1, i} {
				if between[max(k, 0)] != nil {
					share -= 0.25
				}
			}
			s.times(mat.Log(share))
			states = append(states, *s)
		}
		if s := between[i]; s != nil {
			states = append(states, *s)
		}
	}
	return states, failure
}

// outward visits n points from the natural amplitude up and then down, each way until the evidence has fallen by blockDrop.
func outward(n int, visit func(i int) (log float64)) {
	natural := int(math.Round(-lowestLogA / (2 * stepLogA)))
	highest := math.Inf(-1)
	fallen := func(i int) bool {
		log := visit(i)
		highest = math.Max(highest, log)
		return log < highest-blockDrop
	}
	for i := natural; i < n && !fallen(i); i++ {
	}
	for i := natural - 1; i >= 0 && !fallen(i); i-- {
	}
}

// times makes a state stand for a larger or smaller part of the prior.
func (s *state) times(log float64) {
	for i := range s.nodes {
		s.nodes[i].logWeight += log
	}
	s.logWeight += log
	s.logRight += log
	s.logLouder += log
}

// scaled returns the readings with their columns times D. With exact conditions, the rotation is
// left to the decomposition.
func (ph *Physics) scaled(r *readings) *readings {
	s := *r
	s.groups = slices.Clone(r.groups)
	for i := range s.groups {
		g := &s.groups[i]
		g.h = ph.store.clone(g.h)
		scaleColumns(g.h, ph.scale)
	}
	return &s
}

// errUnsound says that sums of squares have lost digits that the result depends on.
var errUnsound = errors.New("sums of squares are not accurate enough")

// resolvedSlack is the slack below which a tighter one makes no difference.
const resolvedSlack = 3e-4

// sound tells whether sums of squares resolve the slack: where the tightest slack they can resolve
// carries weight, it must be as good as none.
func (ph *Physics) sound(states []state) bool {
	lowest := ph.lowestTau()
	for i := range states {
		if s := &states[i]; s.slack == 0 && s.tau <= lowest {
			for _, n := range strata(s.nodes, 1) {
				if s.tau*n.amplitude > resolvedSlack {
					return false
				}
			}
		}
	}
	return true
}
