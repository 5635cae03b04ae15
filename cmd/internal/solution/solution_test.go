package solution

import (
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// sum predicts the sum of the coordinates, with a constant standard deviation.
type sum struct{}

func (sum) Predict(_ system.Functional, points *mat.Dense) (mean, sd []float64, err error) {
	mean, sd = make([]float64, points.Rows()), make([]float64, points.Rows())
	for i := range mean {
		for _, x := range points.Row(i) {
			mean[i] += x
		}
		sd[i] = 0.1
	}
	return mean, sd, nil
}

// square is a problem in [0, 2] x [0, 2] with a grid of 5 x 5.
func square(fields ...string) *spec.File {
	side := func(name string) system.Variable { return system.Variable{Name: name, Min: 0, Max: 2} }
	f := &spec.File{Problem: &system.Problem{Fields: fields, Variables: []system.Variable{side("x"), side("y")}}}
	f.Output.Grid = []int{5, 5}
	f.Output.Exact = make([]system.Function, len(fields))
	return f
}

func TestFieldsCountWhereTheyAreDefined(t *testing.T) {
	file := square("u", "v")
	file.Output.Where = []system.Domain{system.Region(func(x []float64) bool { return x[0] < 0.7 }), nil}
	s, err := OnGrid(file, sum{})
	if err != nil {
		t.Fatal(err)
	}
	if u, v := s.Fields[0].Shown, s.Fields[1].Shown; u != 10 || v != 25 || s.Points.Rows() != 25 {
		t.Errorf("u is shown at %d, v at %d of %d points", u, v, s.Points.Rows())
	}
}

// The score covers the points where the exact solution is a number. Of five columns
// that at x = 0 has none, three are exact, and that at x = 2 is off by 0.3, which is
// outside the band.
func TestScoreAgainstTheExactSolution(t *testing.T) {
	file := square("u")
	file.Output.Exact[0] = system.Func(func(x []float64) float64 {
		switch x[0] {
		case 0:
			return 0 / (x[0]) // no number
		case 2:
			return x[0] + x[1] + 0.3
		}
		return x[0] + x[1]
	})
	s, err := OnGrid(file, sum{})
	if err != nil {
		t.Fatal(err)
	}
	e := s.Fields[0].Score()
	near := func(a, b float64) bool { return a > b-1e-12 && a < b+1e-12 }
	if e.Points != 20 || !near(e.MAE, 0.3/4) || !near(e.MaxAE, 0.3) || e.Coverage95 != 0.75 {
		t.Errorf("%+v", e)
	}
	if w := s.Warnings(); len(w) != 1 {
		t.Errorf("warnings %q", w)
	}
}
