package system_test

import (
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Values that are given leave the same equations, conditions and sensors, with fewer parameters.
func TestParametersThatAreGiven(t *testing.T) {
	sum := system.Functional{ // 2 a + b + 3 c + 5
		Parameters: []system.ParameterTerm{{Parameter: 0, Coefficient: system.Constant(2)}, {Parameter: 1}, {Parameter: 2, Coefficient: system.Constant(3)}},
		Known:      system.Constant(5),
	}
	product := system.Functional{Nonlinear: &system.Nonlinear{Of: []system.Functional{system.Field(0), sum}}}
	p := &system.Problem{
		Variables:  []system.Variable{{Name: "x", Min: 0, Max: 1}},
		Fields:     []string{"u"},
		Parameters: []system.Parameter{{Name: "a"}, {Name: "b"}, {Name: "c"}},
		Equations:  []system.Demand{{Residual: sum}},
		Conditions: []system.Demand{{Residual: product}},
		Sensors:    []system.Sensors{{Measures: sum}},
	}
	g := p.Given([]int{0, 1}, []float64{10, 100})
	if len(g.Parameters) != 1 || g.Parameters[0].Name != "c" {
		t.Errorf("the parameters left are %+v", g.Parameters)
	}
	for where, f := range map[string]*system.Functional{
		"equation": &g.Equations[0].Residual, "condition": &g.Conditions[0].Residual.Nonlinear.Of[1], "sensors": &g.Sensors[0].Measures,
	} {
		known := make([]float64, 1)
		f.Known.EvalTo(known, mat.NewDense(1, 1, nil))
		if known[0] != 125 || len(f.Parameters) != 1 || f.Parameters[0].Parameter != 0 || f.Parameters[0].Coefficient != system.Constant(3) {
			t.Errorf("%s: known %g, terms %+v", where, known[0], f.Parameters)
		}
	}
	if len(p.Parameters) != 3 || len(p.Equations[0].Residual.Parameters) != 3 || len(p.Conditions[0].Residual.Nonlinear.Of[1].Parameters) != 3 {
		t.Error("the problem itself has changed")
	}
}
