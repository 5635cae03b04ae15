package posterior

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// assimilatorError bounds how far an Assimilator may be from what it is by definition,
// relative to a standard deviation, effectiveError its effective parameters.
const (
	assimilatorError, effectiveError = 1e-7, 1e-6
	// With parameters, whose prior sd is that many times larger than what readings leave, less is kept.
	besideParameters, effectiveBesideParameters = 2e-4, 2e-3
)

func assimilatorBounds(p *system.Problem) (moments, effective float64) {
	if len(p.Parameters) > 0 {
		return besideParameters, effectiveBesideParameters
	}
	return assimilatorError, effectiveError
}

// furthest returns how far posteriors are apart: their means in standard deviations, and these
// relatively.
func furthest(t *testing.T, got, want *Posterior) (mean, sd float64) {
	t.Helper()
	return furthestWhereFree(t, got, want, 0)
}

// furthestWhereFree ignores standard deviations below a share of the largest.
func furthestWhereFree(t *testing.T, got, want *Posterior, share float64) (mean, sd float64) {
	t.Helper()
	points := system.Grid(want.variables, nil, []int{9})
	for _, f := range []system.Functional{system.Field(0), system.Derivative(0, 1)} {
		m1, s1, err1 := got.Predict(f, points)
		m2, s2, err2 := want.Predict(f, points)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		for i := range m1 {
			mean = math.Max(mean, math.Abs(m1[i]-m2[i])/s2[i])
			if s2[i] >= share*slices.Max(s2) {
				sd = math.Max(sd, relative(s1[i], s2[i]))
			}
		}
	}
	for i, e := range want.Parameters() {
		g := got.Parameters()[i]
		mean, sd = math.Max(mean, math.Abs(g.Mean-e.Mean)/e.SD), math.Max(sd, relative(g.SD, e.SD))
	}
	return mean, sd
}

func assimilatorProblems() map[string]*system.Problem {
	known, _ := wave(rand.New(rand.NewPCG(1, 2)), 14, 0.05)
	learned, _ := wave(rand.New(rand.NewPCG(1, 2)), 16, 0.05)
	learned.Sensors[0].Sigma = nil
	alone := learnedRod(withoutParameters(rod(true)))
	many, _ := wave(rand.New(rand.NewPCG(1, 2)), 90, 0.05)
	two, _ := wave(rand.New(rand.NewPCG(1, 2)), 20, 0.05)
	other := two.Sensors[0]
	other.Sigma, other.Measures, other.Name = nil, system.Derivative(0, 1), "slopes"
	two.Sensors = append(two.Sensors, other)
	exact := rod(true)
	exact.Conditions[0].Exact = true
	sd := rod(true)
	sd.Conditions[0].SD = 0.02
	return map[string]*system.Problem{"exact condition": exact, "condition with an sd": sd, "known noise": known, "learned noise": learned, "learned noise alone": alone, "more readings than unknowns": many, "two noise levels": two, "two fields": twoFields(), "rod": rod(true)}
}

// bestState is the most probable state of a survey.
func bestState(t *testing.T, ph *Physics, sensors []system.Sensors) state {
	t.Helper()
	states, _, err := ph.survey(mustRead(t, ph, sensors))
	if err != nil {
		t.Fatal(err)
	}
	return slices.MaxFunc(states, func(a, b state) int { return cmp.Compare(a.logWeight, b.logWeight) })
}

// referenceOf conditions Physics at an Assimilator's nodes, at the decomposition and slack of a
// state.
func referenceOf(t *testing.T, a *Assimilator, first state, sensors []system.Sensors) (*Posterior, *layerPosterior) {
	t.Helper()
	ph, r := a.ph, mustRead(t, a.ph, sensors)
	s := state{decomposition: first.decomposition, observed: newObserved(ph.scaled(r), len(ph.scale), first.decomposition, nil), tau: first.tau, slack: first.slack, logWeight: 1}
	for _, n := range a.nodes {
		s.nodes = append(s.nodes, node{n.Amplitude, everyNoise(r, n.Noise), mat.Log(n.Share), false})
	}
	effective := &layerPosterior{}
	if err := ph.condition(effective, []state{s}); err != nil {
		t.Fatal(err)
	}
	return conditioned(t, ph, []state{s}), effective
}

// TestAssimilatorConditionsItsNodes: with new readings, and with moved sensors, it equals Physics
// conditioned at its nodes, at the slack of the first readings.
func TestAssimilatorConditionsItsNodes(t *testing.T) {
	for name, p := range assimilatorProblems() {
		bound, effectiveBound := assimilatorBounds(p)
		for _, tolerance := range []float64{0, 1e-3} {
			ph, err := Compile(p, layerFor(p, 20, 4, 3), CompileConfig{Tolerance: tolerance})
			if err != nil {
				t.Fatal(err)
			}
			a, first := ph.Assimilator(), bestState(t, ph, p.Sensors)
			for round, sensors := range rounds(p) {
				got, err := a.Assimilate(sensors)
				if err != nil {
					t.Fatal(err)
				}
				if a.svd == nil { // has no diagonal form
					want, err := ph.Assimilate(sensors)
					if err != nil {
						t.Fatal(err)
					}
					if mean, sd := furthest(t, got, want); mean != 0 || sd != 0 {
						t.Errorf("%s, round %d: it is not what Assimilate says", name, round)
					}
					continue
				}
				want, effective := referenceOf(t, a, first, sensors)
				if mean, sd := furthest(t, got, want); !(mean < bound && sd < bound) {
					t.Errorf("%s, tolerance %g, round %d: means are %.2g sd off, sd %.2g", name, tolerance, round, mean, sd)
				}
				if e := got.Summary().EffectiveParameters; math.Abs(e-effective.effective) > effectiveBound*effective.effective {
					t.Errorf("%s, tolerance %g, round %d: %g effective parameters, want %g", name, tolerance, round, e, effective.effective)
				}
			}
		}
	}
}

// rounds is six sets of readings; with the fourth a sensor moves.
func rounds(p *system.Problem) [][]system.Sensors {
	random := rand.New(rand.NewPCG(3, 4))
	var list [][]system.Sensors
	sensors := slices.Clone(p.Sensors)
	for round := range 6 {
		sensors = slices.Clone(sensors)
		if round == 3 {
			sensors[0].Points = sensors[0].Points.Clone()
			sensors[0].Points.Set(0, 0, sensors[0].Points.At(0, 0)+0.1)
		}
		for i := range sensors {
			sensors[i].Values = slices.Clone(sensors[i].Values)
			for j := range sensors[i].Values {
				sensors[i].Values[j] += 0.03 * random.NormFloat64()
			}
		}
		list = append(list, sensors)
	}
	return list
}

const (
	// What is held of an Assimilator, and what three nodes leave out, may move means by so
	// many standard deviations and change these by so much, where they are not a small part of the
	// largest: there they are what the slack is.
	heldMean, heldSD, heldFree = 0.35, 0.4, 0.2
)

// TestAssimilatorIsNearAssimilate, which integrates over everything that the Assimilator holds.
func TestAssimilatorIsNearAssimilate(t *testing.T) {
	for name, p := range assimilatorProblems() {
		for _, tolerance := range []float64{0, 1e-3} {
			ph, err := Compile(p, layerFor(p, 20, 4, 3), CompileConfig{Tolerance: tolerance})
			if err != nil {
				t.Fatal(err)
			}
			want, err := ph.Assimilate(p.Sensors)
			if err != nil {
				t.Fatal(err)
			}
			got, err := ph.Assimilator().Assimilate(p.Sensors)
			if err != nil {
				t.Fatal(err)
			}
			mean, sd := furthestWhereFree(t, got, want, heldFree)
			a, b := got.Summary(), want.Summary()
			if !(mean < heldMean && sd < heldSD) {
				t.Errorf("%s, tolerance %g: means are %.2g sd off, sd %.2g", name, tolerance, mean, sd)
			}
			if len(a.Warnings) != len(b.Warnings) || math.IsNaN(a.Tolerance) != math.IsNaN(b.Tolerance) {
				t.Errorf("%s, tolerance %g: %+v\nwant %+v", name, tolerance, a, b)
			}
		}
	}
}

// TestAssimilatorHolds amplitude and noise of the last readings, even when sensors move, and chooses
// again when it no longer holds.
func TestAssimilatorHolds(t *testing.T) {
	for _, name := range []string{"known noise", "learned noise alone"} {
		p := assimilatorProblems()[name]
		ph, err := Compile(p, layerFor(p, 20, 4, 3), CompileConfig{})
		if err != nil {
			t.Fatal(err)
		}
		a, first := ph.Assimilator(), bestState(t, ph, p.Sensors)
		if _, err := a.Assimilate(p.Sensors); err != nil {
			t.Fatal(err)
		}
		best := a.nodes[1]
		a.Hold(true)
		for round, sensors := range rounds(p) {
			for i := range sensors[0].Values {
				sensors[0].Values[i] *= 1.3
			}
			got, err := a.Assimilate(sensors)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range a.nodes {
				if n.Amplitude != best.Amplitude || n.Noise != best.Noise {
					t.Errorf("%s, round %d: amplitude %g and noise %g, held %g and %g", name, round, n.Amplitude, n.Noise, best.Amplitude, best.Noise)
				}
			}
			if s := got.Summary(); relative(s.Amplitude, best.Amplitude) > 1e-12 {
				t.Errorf("%s: amplitude %g, held %g", name, s.Amplitude, best.Amplitude)
			}
			bound, _ := assimilatorBounds(p)
			want, _ := referenceOf(t, a, first, sensors)
			if mean, sd := furthest(t, got, want); !(mean < bound && sd < bound) {
				t.Errorf("%s, round %d: means are %.2g sd off, sd %.2g", name, round, mean, sd)
			}
		}
		a.Hold(false)
		if _, err := a.Assimilate(rounds(p)[2]); err != nil || a.nodes[0].Amplitude == a.nodes[1].Amplitude {
			t.Errorf("%s: amplitude is held still, %v", name, err)
		}
	}
}

func TestAssimilatorDoesNotAllocate(t *testing.T) {
	for _, name := range []string{"known noise", "learned noise alone", "rod", "two fields", "exact condition"} {
		p := assimilatorProblems()[name]
		physics, err := Compile(p, layerFor(p, 20, 4, 3), CompileConfig{})
		if err != nil {
			t.Fatal(err)
		}
		a := physics.Assimilator()
		for _, held := range []bool{false, true} {
			a.Hold(held)
			run := func() {
				p.Sensors[0].Values[0] += 0.001
				if _, err := a.Assimilate(p.Sensors); err != nil {
					t.Fatal(err)
				}
			}
			run()
			if n := testing.AllocsPerRun(20, run); n != 0 {
				t.Errorf("%s, held %v: %g allocations", name, held, n)
			}
		}
	}
}

func TestAssimilatorRefuses(t *testing.T) {
	p := rod(true)
	physics, err := Compile(p, layerFor(p, 10, 2, 3), CompileConfig{Tolerance: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	a := physics.Assimilator()
	sensors := append([]system.Sensors(nil), p.Sensors...)
	values := sensors[0].Values
	for range 2 { // before and after it has seen good ones
		sensors[0].Values = append([]float64{math.NaN()}, values[1:]...)
		var data *DataError
		var problem *system.ProblemError
		if _, err := a.Assimilate(sensors); !errors.As(err, &data) && !errors.As(err, &problem) {
			t.Errorf("a reading of NaN: %v", err)
		}
		sensors[0].Values = values
		sensors[0].Points = mat.NewDense(1, 1, nil)
		if _, err := a.Assimilate(sensors); !errors.As(err, &problem) {
			t.Errorf("points that do not fit: %v", err)
		}
		sensors[0].Points = p.Sensors[0].Points
		if _, err := a.Assimilate(sensors); err != nil {
			t.Fatal(err)
		}
	}
}
