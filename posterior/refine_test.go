package posterior

import (
	"errors"
	"math"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// layerProblem is u_xx = f with the exact solution tanh(30 (x - 0.7)) on [0, 1]: all changes happen
// within a twentieth of the range.
func layerProblem(points, refine int) (*system.Problem, system.Func) {
	exact := system.Func(func(x []float64) float64 { return mat.Tanh(30 * (x[0] - 0.7)) })
	source := system.Func(func(x []float64) float64 { // minus u_xx
		t, u := []float64{0}, []float64{0}
		mat.TanhSech2To(t, u, []float64{30 * (x[0] - 0.7)})
		return 1800 * float64(t[0]*u[0])
	})
	p := &system.Problem{
		Variables: []system.Variable{{Name: "x", Min: 0, Max: 1}},
		Fields:    []string{"u"},
		Equations: []system.Demand{{Residual: system.Functional{Terms: []system.Term{{Derivative: []int{2}}}, Known: source}, Refine: refine}},
		Sensors:   []system.Sensors{{Measures: system.Field(0), Points: column(0, 1), Values: []float64{exact([]float64{0}), exact([]float64{1})}, Sigma: []float64{0.01}}},
	}
	p.Equations[0].Points = system.Grid(p.Variables, nil, []int{points})
	p.Equations[0].Candidates = system.Grid(p.Variables, nil, []int{2001})
	return p, exact
}

// TestRefinementGoesWhereTheEquationIsWorst and lowers the error.
func TestRefinementGoesWhereTheEquationIsWorst(t *testing.T) {
	c := Config{Neurons: 120, Seed: 1, Scale: []float64{20}}
	p, exact := layerProblem(25, 25)
	more, err := refined(p, c)
	if err != nil {
		t.Fatal(err)
	}
	points := more.Equations[0].Points
	if points.Rows() != 50 || more.Equations[0].Refine != 0 || p.Equations[0].Points.Rows() != 25 {
		t.Fatalf("%d points, %d left to refine", points.Rows(), more.Equations[0].Refine)
	}
	in := 0
	for i := 25; i < 50; i++ {
		if x := points.At(i, 0); math.Abs(x-0.7) < 0.15 {
			in++
		}
	}
	if in < 6 { // evenly spread there would be 7 or 8 in that third; apart by rank, at most 15
		t.Errorf("%d of 25 points near the layer", in)
	}
	at := system.Grid(p.Variables, nil, []int{401})
	worst := func(p *system.Problem) (largest float64) {
		mean, _, err := fit(t, p, c).Predict(system.Field(0), at)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range mean {
			largest = math.Max(largest, math.Abs(m-exact(at.Row(i))))
		}
		return largest
	}
	coarse, _ := layerProblem(25, 0)
	if a, b := worst(coarse), worst(p); !(b < 0.5*a) {
		t.Errorf("largest error %g, refined %g", a, b)
	}
}

func TestApartByRank(t *testing.T) {
	v := []system.Variable{{Name: "x", Min: 0, Max: 10}}
	// Five of the largest are neighbours: of these only some are taken.
	candidates := column(0, 5, 5.1, 5.2, 5.3, 5.4, 9, 10)
	got := apartByRank(v, candidates, []float64{1, 9, 8, 7, 6, 5, 3, 2}, 3)
	if len(got) != 3 || got[0] != 0 && got[0] != 1 || got[1] != 6 && got[2] != 6 {
		t.Errorf("rows %v", got)
	}
	if got := apartByRank(v, candidates, []float64{1, 9, 8, 7, 6, 5, 3, 2}, 8); len(got) != 8 {
		t.Errorf("all are wanted: %v", got)
	}
}

func TestRefinementNeedsCandidates(t *testing.T) {
	for _, candidates := range []*mat.Dense{nil, column(0.5)} {
		p, _ := layerProblem(25, 2)
		p.Equations[0].Candidates = candidates
		var problem *system.ProblemError
		if _, err := Fit(p, Config{Neurons: 10}); !errors.As(err, &problem) {
			t.Errorf("error %v", err)
		}
	}
}
