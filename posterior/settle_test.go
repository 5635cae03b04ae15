package posterior

import (
	"math"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Where readings and equations disagree, no step fits better than the last one, and none that is shortened
// to nothing leads anywhere: less than a standard deviation from its end a solution comes to rest in a few steps.
func TestStepsThatFitNoBetterComeToRest(t *testing.T) {
	x := []system.Variable{{Name: "x", Min: 0, Max: 1}}
	readings := []float64{0.1, 0.3, 0.5, 0.7, 0.9}
	p := &system.Problem{
		Variables: x, Fields: []string{"u"},
		Sensors: []system.Sensors{{Measures: system.Field(0), Points: mat.NewDense(5, 1, readings), Values: readings, Sigma: []float64{0.05}}},
	}
	p.Equations = []system.Demand{{Points: system.Grid(x, nil, []int{120}), Residual: system.Functional{ // u_xx = u^3 - 3 sin(2 pi x)
		Terms: []system.Term{{Derivative: []int{2}}},
		Known: system.Func(func(x []float64) float64 { return 3 * mat.Sin(2*math.Pi*x[0]) }),
		Nonlinear: &system.Nonlinear{
			Of:       []system.Functional{system.Field(0)},
			Value:    system.Func(func(x []float64) float64 { return -x[1] * x[1] * x[1] }),
			Partials: []system.Function{system.Func(func(x []float64) float64 { return -3 * x[1] * x[1] })},
		},
	}}}
	for order := range 2 { // u and u_x are periodic
		at, minus := []int{order}, system.Constant(-1)
		p.Conditions = append(p.Conditions, system.Demand{Points: mat.NewDense(1, 1, nil), Exact: order == 1, Residual: system.Functional{
			Terms: []system.Term{{Derivative: at}, {Derivative: at, Coefficient: minus, Footprint: system.Shifted(1)}},
		}})
	}
	c := Config{Neurons: 60}
	if err := c.complete(); err != nil {
		t.Fatal(err)
	}
	n := &newton{problem: p, config: c, neurons: c.Neurons, sigma: guessNoise(p), told: newProgress(nil)}
	modes, _, err := n.modes()
	if err != nil {
		t.Fatal(err)
	}
	m := modes[0]
	before := len(m.moved)
	if _, err := m.settle(); err != nil {
		t.Fatal(err)
	}
	if steps := len(m.moved) - before; steps > 6 {
		t.Errorf("%d steps: %.3g", steps, m.moved[before:])
	}
}
