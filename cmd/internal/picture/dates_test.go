package picture

import (
	"testing"

	"github.com/bpielm/bpielm/cmd/internal/figure"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// flat is a solution that is 1 everywhere.
type flat struct{}

func (flat) Predict(_ system.Functional, at *mat.Dense) (mean, sd []float64, err error) {
	mean, sd = make([]float64, at.Rows()), make([]float64, at.Rows())
	for i := range mean {
		mean[i], sd[i] = 1, 0.1
	}
	return mean, sd, nil
}

// Axes of a time with a start have dates, and so have titles of slices; other axes keep their units.
func TestPicturesHaveDates(t *testing.T) {
	p := &system.Problem{
		Variables: []system.Variable{{Name: "x", Max: 2, Unit: "m"}, {Name: "t", Max: 48, Unit: "h", Start: "2024-02-28", Label: "time"}},
		Fields:    []string{"u"},
		Sensors:   []system.Sensors{{Measures: system.Field(0), Points: mat.NewDense(4, 2, []float64{1, 0, 1, 12, 1, 24, 1, 36}), Values: make([]float64, 4), Sigma: []float64{1}}},
	}
	a := &artist{file: &spec.File{Problem: p, Output: spec.Output{Grid: []int{5, 5}}}, problem: p, predictor: flat{}}
	solved, sliced, err := a.figures()
	if err != nil {
		t.Fatal(err)
	}
	if m := solved.Rows[0][0].(*figure.Map); m.XLabel != "x (m)" || m.XDates != nil || m.YLabel != "time" || m.YDates == nil {
		t.Errorf("the map has the axes %q, %v and %q, %v", m.XLabel, m.XDates, m.YLabel, m.YDates)
	}
	for i, want := range []string{"2024-02-28", "2024-02-29", "2024-03-01"} {
		if c := sliced.Rows[i][0].(*figure.Curve); c.Title != want || c.XLabel != "x (m)" || c.XDates != nil {
			t.Errorf("slice %d is %q, along %q", i, c.Title, c.XLabel)
		}
	}
	read, err := a.readings(nil)
	if err != nil {
		t.Fatal(err)
	}
	if c := read.Rows[0][0].(*figure.Curve); c.XLabel != "time" || c.XDates == nil {
		t.Errorf("readings are along %q, %v", c.XLabel, c.XDates)
	}
}
