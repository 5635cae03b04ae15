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
	slack         float64 // relative; 0: tau times the amplitude
	nodes         []node
	logWeight     float64 // log of the sum of the nodes' weights
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
	halfTauStep     = 3.1622776601683795 // exp(tauStep/2)
	tighter         = 100                // factor that extends a grid that ends too loose
	looseTau        = 1.0
	tightTau        = 1e-9
	squareRootFloor = 1e-13
	sumsFloor       = 3e-7
	// Looser slacks are skipped once the log evidence has fallen by this much, twice.
	slackDrop = 12
	// With patches, once by that much.
	blockDrop = 7
	// Grid step of log a where equations have a tolerance of their own.
	stepLogA = 0.4
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

// integrate returns the nodes of one slack and the log of their integral. It also updates the
// doubts.
func (ph *Physics) integrate(u *underPhysics, a amplitudes) ([]node, float64, error) {
	nodes, total, err := u.integrate(a)
	if err == nil && !finite(total) {
		err = dataError("evidence", "it is %g", total)
	}
	if err == nil && ph.doubts != nil {
		err = ph.doubts.ask(u, a, nodes)
	}
	return slices.Clone(nodes), total, err
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
	for low := math.Max(ph.lowestTau(), referenceSlack); ; {
		if states, err = ph.surveyFrom(low, dec, o); err != nil {
			return nil, err
		}
		// A large amplitude needs a tighter tau for the same slack.
		if first := &weighty(states)[0]; low <= ph.lowestTau() || first.tau > low || isTight(first) {
			return states, nil
		}
		low = math.Max(low/tighter, ph.lowestTau())
		ph.doubts.start()
	}
}

// surveyFrom surveys the slacks per amplitude from tightestTau up.
func (ph *Physics) surveyFrom(tightestTau float64, dec *decomposition, o *observed) (states []state, err error) {
	var failure error
	p, low := ph.store.slackPrior(), mat.Log(tightestTau)
	top, falls := math.Inf(-1), 0
	mostFalls, drop := 2, float64(slackDrop)
	if ph.blocks != nil { // a slack may take a second
		mostFalls, drop = 1, blockDrop
	}
	for logTau := low; logTau <= mat.Log(looseTau)+tauStep/2 && falls < mostFalls; logTau += tauStep {
		ph.halt.check()
		tightest := logTau == low
		tau := tightestTau
		if !tightest {
			tau = mat.Exp(logTau)
		}
		if err := p.set(dec, tau); err != nil {
			failure = err
			continue
		}
		a := amplitudes{louder: ph.louder, logPrior: func(logA float64) float64 {
			slack := tau * mat.Exp(logA)
			if ph.slack > 0 {
				return logAmplitudePrior(logA) + logSlackAbout(ph.slack, slack) + logTauStep
			}
			if tightest { // it represents everything tighter, and half the way to the next
				return logAmplitudePrior(logA) + logSlackBelow(halfTauStep*slack) - float64(slackRate*slack)
			}
			return logAmplitudePrior(logA) + logSlackPrior(slack) + logTauStep
		}}
		nodes, total, err := ph.integrate(o.under(p), a)
		if err != nil {
			failure = err
			continue
		}
		states = append(states, state{dec, o, tau, 0, nodes, total})
		top = math.Max(top, total)
		if falls++; total > top-drop {
			falls = 0
		}
	}
	if len(states) == 0 {
		return nil, failure
	}
	return states, nil
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
	p := ph.store.slackPrior()
	for _, slack := range slacks {
		ph.halt.check()
		volume := mat.Log(stepLogA)
		if ph.demanded.open != nil {
			volume += logTauStep
			if ph.slack > 0 {
				volume += logSlackAbout(ph.slack, slack)
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
		for logA := lowestLogA; logA <= highestLogA; logA += stepLogA {
			if err := p.set(dec, mat.Exp(-logA)); err != nil {
				failure = err
				continue
			}
			a := amplitudes{single: true, logA: logA, louder: ph.louder, logPrior: func(logA float64) float64 { return logAmplitudePrior(logA) + volume }}
			nodes, total, err := ph.integrate(o.under(p), a)
			if err != nil {
				failure = err
				continue
			}
			states = append(states, state{dec, o, p.tau, slack, nodes, total})
		}
	}
	if len(states) == 0 {
		return nil, failure
	}
	return states, nil
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
