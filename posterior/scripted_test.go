package posterior

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// scripted is a family of problems with one coefficient, whose solutions are as a test wants them.
type scripted struct {
	*withCoefficients
	script func(z float64, neurons, most int) (scriptedSolution, error)
	lock   sync.Mutex
	asked  []string
}

// scriptedSolution is what a script says of a solution.
type scriptedSolution struct {
	evidence float64 // with the prior of the coefficient; 0: that of the solution
	neurons  int
	settled  bool
}

// solve implements family, with few neurons whatever the script says.
func (f *scripted) solve(z []float64, neurons, most int) (*system.Problem, *Posterior, *search, error) {
	f.lock.Lock()
	f.asked = append(f.asked, fmt.Sprintf("%g: %d, at most %d", z[0], neurons, most))
	f.lock.Unlock()
	want, err := f.script(z[0], neurons, most)
	if err != nil {
		return nil, nil, nil, err
	}
	p, q, s, err := f.withCoefficients.solve(z, 12, 0)
	if err != nil {
		return nil, nil, nil, err
	}
	if s.neurons, s.settled = want.neurons, want.settled; want.evidence != 0 {
		q.summary.Evidence = want.evidence + 0.5*squares(z)
	}
	return p, q, s, nil
}

// scriptedCoefficients is the exploration of a problem with one coefficient by a script.
func scriptedCoefficients(p *system.Problem, script func(z float64, neurons, most int) (scriptedSolution, error)) (*coefficients, *scripted) {
	e := &coefficients{list: p.Coefficients, fields: 1, told: newProgress(nil)}
	f := &scripted{withCoefficients: &withCoefficients{p, &e.config}, script: script}
	e.family = f
	return e, f
}

// Rough solutions are replaced by those with as many neurons as the best one needs, as far as they may matter, and by larger ones
// only where these may come near the top.
func TestRoughSolutionsAreSolvedAgainWhereTheyMatter(t *testing.T) {
	const best, near, low, rising, far = 0.0, 0.1, 0.3, 0.4, 0.6
	gains := map[float64]float64{near: 0.1, low: 0.2, rising: 6}
	e, f := scriptedCoefficients(coefficientProblems(1)[0].problem, func(z float64, neurons, most int) (scriptedSolution, error) {
		s := scriptedSolution{-1 - 50*z*z, neurons, false}
		switch {
		case z == best:
			s.neurons, s.settled = 200, true
		case neurons == 0: // it takes all that it may have
			s.neurons, s.evidence = most, s.evidence+gains[z]
		}
		return s, nil
	})
	if err := e.solve(0, 0, spot{z: []float64{best}}); err != nil {
		t.Fatal(err)
	}
	for _, z := range []float64{near, low, rising, far} {
		if err := e.solve(100, 0, spot{z: []float64{z}}); err != nil {
			t.Fatal(err)
		}
	}
	f.asked = nil
	if err := e.solveAgain(deepest); err != nil {
		t.Fatal(err)
	}
	slices.Sort(f.asked)
	if want := []string{"0.1: 0, at most 200", "0.1: 0, at most 400", "0.3: 0, at most 200", "0.4: 0, at most 200", "0.4: 0, at most 400"}; !slices.Equal(f.asked, want) {
		t.Errorf("solved again are %q, want %q", f.asked, want)
	}
	neurons := map[float64]int{}
	for i := range e.solved {
		s := &e.solved[i]
		if neurons[s.z[0]] != 0 {
			t.Errorf("%g is solved twice", s.z[0])
		}
		neurons[s.z[0]] = s.neurons
		if s.rough != (s.z[0] != best) {
			t.Errorf("%g with %d neurons is rough: %t", s.z[0], s.neurons, s.rough)
		}
	}
	for z, want := range map[float64]int{best: 200, near: 400, low: 200, rising: 400, far: 100} {
		if neurons[z] != want {
			t.Errorf("%g has %d neurons, want %d", z, neurons[z], want)
		}
	}
	// What needs 400 neurons somewhere is explored with half as many.
	if e.begin(); e.neurons != 200 {
		t.Errorf("exploration begins with %d neurons", e.neurons)
	}
}

// Where the best solution has the fewest neurons that there are, others may need more.
func TestRoughSolutionsOfTheSameSize(t *testing.T) {
	e, f := scriptedCoefficients(coefficientProblems(1)[0].problem, func(z float64, neurons, most int) (scriptedSolution, error) {
		return scriptedSolution{-1 - 50*z*z, max(100, most), most > 0}, nil
	})
	if err := errors.Join(e.solve(0, 0, spot{z: []float64{0}}), e.solve(100, 0, spot{z: []float64{0.3}}, spot{z: []float64{0.1}})); err != nil {
		t.Fatal(err)
	}
	f.asked = nil
	if err := e.solveAgain(deepest); err != nil {
		t.Fatal(err)
	}
	slices.Sort(f.asked)
	if want := []string{"0.1: 0, at most 200", "0.3: 0, at most 200"}; !slices.Equal(f.asked, want) {
		t.Errorf("solved again are %q, want %q", f.asked, want)
	}
}

// A maximum elsewhere at which the problem cannot be solved is explored with the layers that there are.
func TestRivalThatCannotBeSolved(t *testing.T) {
	p := *coefficientProblems(1)[0].problem
	p.Coefficients = []system.Coefficient{{Name: "root", Mean: 0.3, SD: 1}} // of the rate: either sign explains the readings
	p.Equations = slices.Clone(p.Equations)
	p.Equations[0].Residual = system.Functional{
		Terms: []system.Term{{Derivative: []int{1}}, {Coefficient: of(func(c []float64) float64 { return c[0] * c[0] })}},
		Known: of(func(c []float64) float64 { return -20 * c[0] * c[0] }),
	}
	begun := false
	e, f := scriptedCoefficients(&p, func(z float64, _, _ int) (scriptedSolution, error) {
		if begun && z < -0.3 {
			return scriptedSolution{}, dataError("coefficients", "it cannot be solved there")
		}
		return scriptedSolution{neurons: 12, settled: true}, nil
	})
	e.config.Neurons = 12
	if err := e.solve(0, 0, spot{z: []float64{0.53}}, spot{z: []float64{-0.9}}); err != nil {
		t.Fatal(err)
	}
	begun, f.asked = true, nil
	if err := e.find(); err != nil {
		t.Fatal(err)
	}
	if len(f.asked) == 0 {
		t.Error("no rival was to be solved")
	}
	if _, err := e.mixture(); err != nil {
		t.Fatal(err)
	}
	if m := e.at.modes; len(m) != 2 || m[0].weight > 0.8 || math.Abs(m[0].values[0]+m[1].values[0]) > 0.05 {
		t.Errorf("the modes are %v, want one of either sign", m)
	}
}

// More neurons may make a density narrower. What levelling knows of its top is not searched for again.
func TestFollowingBeginsWhereTheTopIsKnown(t *testing.T) {
	const at, width = 1.003, 1e-3
	looked := 0
	land := func(v *view) {
		v.rates = map[string]*ratedSpot{}
		v.land = newLandscape(1, func(z []float64) float64 { return v.rated(z)[0] })
	}
	var before, after view
	land(&before)
	land(&after)
	after.rate = func(z []float64) rated {
		looked++
		x := (z[0] - at) / width
		return rated{-0.5 * x * x, -0.5 * x * x}
	}
	before.clouds = []*cloud{{centre: []float64{1}, mean: []float64{1}, root: mat.NewDense(1, 1, []float64{0.02})}}
	after.evidence([]float64{at})
	looked = 0
	clouds := before.follow(&after, []float64{width})
	if len(clouds) != 1 || math.Abs(clouds[0].centre[0]-at) > 0.1*width || math.Abs(clouds[0].root.At(0, 0)/width-1) > 0.1 {
		t.Fatalf("the maximum is %+v", clouds)
	}
	if looked > 4 { // at the old mean and to both sides
		t.Errorf("%d points were looked at", looked)
	}
}

// A solution that turns out to have had as many neurons as it needs is not solved a third time, and does not count twice.
func TestRoughSolutionsThatHadEnough(t *testing.T) {
	e, f := scriptedCoefficients(coefficientProblems(1)[0].problem, func(z float64, neurons, most int) (scriptedSolution, error) {
		s := scriptedSolution{-1 - 50*z*z, neurons, true}
		if neurons == 0 {
			s.neurons = 200
			if z == 0 {
				s.neurons = 400
			}
		}
		return s, nil
	})
	if err := errors.Join(e.solve(0, 0, spot{z: []float64{0}}), e.solve(200, 0, spot{z: []float64{0.1}})); err != nil {
		t.Fatal(err)
	}
	f.asked = nil
	if err := e.solveAgain(deepest); err != nil {
		t.Fatal(err)
	}
	if want := []string{"0.1: 0, at most 400"}; !slices.Equal(f.asked, want) {
		t.Errorf("solved again are %q, want %q", f.asked, want)
	}
	if len(e.solved) != 2 || e.solved[1].rough || e.solved[1].neurons != 200 {
		t.Errorf("%d solutions, the second of %d neurons", len(e.solved), e.solved[1].neurons)
	}
}

// With few neurons stated, none were compared with fewer, so the change with twice as many is computed.
func TestChangeWithFewStatedNeurons(t *testing.T) {
	q := fit(t, coefficientProblems(1)[0].problem, Config{Neurons: 16})
	if !(q.at.changed > 0) {
		t.Errorf("with twice as many neurons the evidence would change by %g nats", q.at.changed)
	}
}

// Checks of a solution that is far from the posterior are remarked on.
func TestVerdictOnAFarSolution(t *testing.T) {
	for _, test := range []struct {
		apart float64
		want  int
	}{{farSolution - 0.1, 0}, {farSolution + 0.1, 1}} {
		var v Verdict
		v.explored(&conditional{apart: test.apart})
		notes := 0
		for _, c := range v.Checks {
			if c.Status == Note {
				notes++
			}
		}
		if notes != test.want {
			t.Errorf("%g standard deviations away there are %d notes", test.apart, notes)
		}
	}
}

func TestVerdictOnWideRanges(t *testing.T) {
	decades := func(n int) system.Coefficient {
		return system.Coefficient{Min: math.Pow(10, float64(-n)), Max: math.Pow(10, float64(n))}
	}
	for _, test := range []struct {
		list []system.Coefficient
		want Status
	}{
		{[]system.Coefficient{decades(8)}, Passed},
		{[]system.Coefficient{decades(2), decades(2)}, Passed},
		{[]system.Coefficient{decades(8), decades(8)}, Note},
		{[]system.Coefficient{{Mean: 1, SD: 1e9}, {Median: 1, Factor: 10}}, Passed}, // a normal number each
	} {
		var v Verdict
		v.ranges(test.list)
		if got := v.Checks[0].Status; got != test.want {
			t.Errorf("%v: %s, not %s", test.list, got, test.want)
		}
	}
}
