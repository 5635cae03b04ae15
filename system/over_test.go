package system

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
)

// sourced is heat with the unknown source s(x), and an unknown number.
func sourced() *Problem {
	return &Problem{
		Variables:  []Variable{{Name: "x", Max: 2}, {Name: "t", Max: 1}},
		Fields:     []string{"u", "s"},
		Over:       [][]bool{nil, {true, false}},
		Parameters: []Parameter{{Name: "q"}},
		Equations: []Demand{{
			Points: mat.NewDense(2, 2, []float64{0.5, 0.1, 1.5, 0.9}),
			Residual: Functional{
				Terms:      []Term{{Derivative: []int{0, 1}}, {Derivative: []int{2}, Coefficient: Constant(-1)}, {Field: 1, Coefficient: Constant(-1)}},
				Parameters: []ParameterTerm{{Coefficient: Constant(3)}},
			},
		}},
		Sensors: []Sensors{{Measures: Field(0), Points: mat.NewDense(1, 2, []float64{1, 0.5}), Values: []float64{1}, Sigma: []float64{0.1}}},
	}
}

// Columns are those of the neurons of each field, which for some of the variables are fewer, and of parameters.
func TestColumnsOfFieldsOfSomeVariables(t *testing.T) {
	p := sourced()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	layer, err := feature.New(p.Box(), feature.Config{Neurons: 20, Scale: []float64{2}, Seed: 4, Constant: true})
	if err != nil {
		t.Fatal(err)
	}
	b := p.Basis(layer)
	first, end := b.FieldColumns(1)
	if b.Fields() != 2 || first != 21 || end != 32 || b.ParameterColumn(0) != 32 || b.Columns() != 33 || p.Columns(21) != 33 {
		t.Errorf("%d fields, the second in columns %d to %d, parameter in %d of %d", b.Fields(), first, end, b.ParameterColumn(0), b.Columns())
	}
	if b.FieldLayer(0) != layer || b.FieldLayer(1).Neurons() != 11 {
		t.Error("a field has the neurons of another")
	}
	// The row is the sum of what each term does to its own columns.
	e := &p.Equations[0]
	rows := mat.NewDense(2, 33, nil)
	b.RowsTo(rows, nil, &e.Residual, e.Points)
	u, s := mat.NewDense(2, 21, nil), mat.NewDense(2, 11, nil)
	layer.RowsTo(u, e.Points, []feature.Term{{Derivative: []int{0, 1}}, {Derivative: []int{2}, Coefficient: []float64{-1}}})
	b.FieldLayer(1).RowsTo(s, e.Points, []feature.Term{{Coefficient: []float64{-1}}})
	for i := range 2 {
		if want := slices.Concat(u.Row(i), s.Row(i), []float64{3}); !slices.Equal(rows.Row(i), want) {
			t.Errorf("row %d is %v, want %v", i, rows.Row(i), want)
		}
	}
	p.Over = [][]bool{{true, true}, {true, false}}
	if n := p.Columns(21); n != 33 {
		t.Errorf("%d columns where all variables are named", n)
	}
	if !p.DependsOn(0, 1) || p.DependsOn(1, 1) || !p.DependsOn(1, 0) {
		t.Error("fields depend on other variables than was said")
	}
	if b := (Basis{}); b.Columns() != 0 {
		t.Errorf("nothing has %d columns", b.Columns())
	}
}

func TestFieldsOfNoVariablesAreRefused(t *testing.T) {
	for want, change := range map[string]func(p *Problem){
		`the variables of 1 are stated, of 2 fields`:                       func(p *Problem) { p.Over = p.Over[:1] },
		`field "s": it must be a function of at least one`:                 func(p *Problem) { p.Over[1] = []bool{false, false} },
		`field "u": it must be a function of at least one`:                 func(p *Problem) { p.Over[0] = []bool{true} },
		`a derivative with respect to t of s, which does not depend on it`: func(p *Problem) { p.Equations[0].Residual.Terms[2].Derivative = []int{0, 1} },
	} {
		p := sourced()
		change(p)
		var refused *ProblemError
		if err := p.Validate(); !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
