package posterior

import (
	"math"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// stretched is u_tt + 4 u = 0 times a function, read with noise.
func stretched(factor system.Function) *system.Problem {
	t := system.Variable{Name: "t", Min: 0, Max: 3}
	four := system.Function(system.Constant(4))
	if factor != nil {
		four = system.Scaled(factor, 4)
	}
	return &system.Problem{
		Variables: []system.Variable{t}, Fields: []string{"u"},
		Equations: []system.Demand{{Points: line(t, 80), Residual: system.Functional{
			Terms: []system.Term{{Derivative: []int{2}, Coefficient: factor}, {Coefficient: four}},
		}}},
		Sensors: []system.Sensors{read(line(t, 6), 0.02, 3, func(x []float64) float64 { return mat.Cos(2 * x[0]) })},
	}
}

// An equation multiplied by a function that spans many orders of magnitude gives the same answers.
func TestEquationsAreRelativeToTheirLargestTermEverywhere(t *testing.T) {
	steep := system.Func(func(x []float64) float64 { return mat.Exp(8 * x[0]) })
	plain, err := Fit(stretched(nil), Config{Neurons: 40})
	if err != nil {
		t.Fatal(err)
	}
	other, err := Fit(stretched(steep), Config{Neurons: 40})
	if err != nil {
		t.Fatal(err)
	}
	points := line(system.Variable{Name: "t", Min: 0, Max: 3}, 13)
	mean, sd, err := plain.Predict(system.Field(0), points)
	if err != nil {
		t.Fatal(err)
	}
	again, sdAgain, err := other.Predict(system.Field(0), points)
	if err != nil {
		t.Fatal(err)
	}
	const off = 0.05 // of a standard deviation
	for i := range mean {
		if math.Abs(mean[i]-again[i]) > off*sd[i] || math.Abs(sdAgain[i]/sd[i]-1) > off {
			t.Errorf("at %g: %g ± %g became %g ± %g", points.At(i, 0), mean[i], sd[i], again[i], sdAgain[i])
		}
	}
}

// Terms of a balanced equation are at most 1 everywhere, and the largest is 1. Even equations do not
// change.
func TestBalanceDividesByTheLargestTerm(t *testing.T) {
	p := stretched(system.Func(func(x []float64) float64 { return mat.Exp(8 * x[0]) }))
	q := balanced(p)
	e := &q.Equations[0]
	largest := make([]float64, e.Points.Rows())
	for i := range e.Residual.Terms {
		term := &e.Residual.Terms[i]
		unit := termSize(q, &system.Term{Derivative: term.Derivative}, e.Points, halfWaves)
		for k, v := range evaluated(term.Coefficient, e.Points) {
			largest[k] = math.Max(largest[k], math.Abs(v)*unit)
		}
	}
	for k, v := range largest {
		if math.Abs(v-1) > 1e-12 {
			t.Errorf("at point %d the largest term is %g", k, v)
		}
	}
	for name, same := range map[string]*system.Problem{
		"constant": stretched(nil),
		"even":     stretched(system.Func(func(x []float64) float64 { return 1 + x[0] })),
	} {
		if balanced(same) != same {
			t.Errorf("%s coefficients are divided", name)
		}
	}
	p.Equations[0].SD = 0.1
	if balanced(p) != p {
		t.Error("an equation with an sd in its own units is divided")
	}
}
