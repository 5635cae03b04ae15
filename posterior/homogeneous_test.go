package posterior

import (
	"math"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// forced is u_xx + c u = f, readings of the solution that is as smooth as f, and c unknown if that is nil. Of f only the shape
// is known. Then no reading tells c: with each the same solution has another f.
func forced(seed uint64, c *float64) *system.Problem {
	const k = 2.6
	x := system.Variable{Name: "x", Min: 0, Max: 2.7}
	wave := func(x []float64) float64 { return mat.Sin(float64(k*x[0]) - 1.6) }
	p := &system.Problem{
		Variables: []system.Variable{x}, Fields: []string{"u"}, Parameters: []system.Parameter{{Name: "strength"}},
		Coefficients: []system.Coefficient{{Name: "c", Min: 2, Max: 300}},
		Equations: []system.Demand{{Points: line(x, 80), Residual: system.Functional{
			Terms: []system.Term{
				{Derivative: []int{2}}, {Coefficient: of(func(c []float64) float64 { return c[0] })},
			},
			Parameters: []system.ParameterTerm{{Coefficient: system.DependentFunc(func(x, _ []float64) float64 { return -wave(x) })}},
		}}},
		Sensors: []system.Sensors{read(line(x, 11), 0.003, seed, func(x []float64) float64 { return 0.5 * wave(x) })},
	}
	if c != nil {
		p = p.With([]float64{*c})
	}
	return p
}

// What nothing tells keeps its prior: layers that are too smooth for steep homogeneous solutions do not favour a large
// coefficient, and neither does the strength of the source, which is proportional to it.
func TestACoefficientThatNoReadingTells(t *testing.T) {
	if testing.Short() {
		t.Skip("solves it three times")
	}
	// 95 % of the prior is from 2.3 to 265, and its quartiles are 7 and 86.
	const lowest, highest = 6, 100
	for seed := range uint64(3) {
		q, err := Fit(forced(seed, nil), Config{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		c := q.Parameters()[1]
		t.Logf("%s is %.3g ± %.3g, from %.3g to %.3g", c.Name, c.Mean, c.SD, c.Lower95, c.Upper95)
		if c.Lower95 > lowest || c.Upper95 < highest {
			t.Errorf("seed %d: %s is said to lie from %.3g to %.3g", seed, c.Name, c.Lower95, c.Upper95)
		}
	}
}

// A layer that lacks the homogeneous solutions has the more evidence for it, and pays that back.
func TestLackingHomogeneousSolutions(t *testing.T) {
	const steep, most = 200, 3.0 // nats
	c := float64(steep)
	p := balanced(forced(1, &c))
	f, err := newFrame(p)
	if err != nil {
		t.Fatal(err)
	}
	s := newSearch(f, Config{compared: true}, 100, nil)
	sites := []site{alike(feature.Sine, 1, 0), alike(feature.Sine, 1, 4)} // scales of 2.5 and 40; sqrt(c) times half the side is 19
	s.try(sites...)
	smooth, rough := s.book[sites[0].key()], s.book[sites[1].key()]
	if smooth.err != nil || rough.err != nil {
		t.Fatal(smooth.err, rough.err)
	}
	gain, charge := smooth.evidence-rough.evidence, smooth.lacks-rough.lacks
	t.Logf("the smooth layer has %.1f nats more evidence, and is charged %.1f more", gain, charge)
	if gain < 2*most || math.Abs(gain-charge) > most {
		t.Errorf("the smooth layer has %.1f nats more evidence, and is charged %.1f more", gain, charge)
	}
	alone := newSearch(f, Config{}, 100, nil)
	alone.try(sites...)
	if l := alone.book[sites[0].key()].lacks; l != 0 {
		t.Errorf("where nothing is compared it is charged %g", l)
	}
}

func TestHomogeneousSolutions(t *testing.T) {
	for _, p := range coefficientProblems(1) {
		want := map[string]int{"cooling": 1, "oscillator": 2, "fin": 2, "heat": 2}[p.name]
		if got := homogeneousSolutions(p.problem); got != want {
			t.Errorf("%s: %d, want %d", p.name, got, want)
		}
	}
}
