package problems

import (
	"fmt"
	"math"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// The equations as written hold for the exact solutions as written, with the
// true parameters: derivatives are taken by differences.
func TestExactSolutionsSolveTheEquations(t *testing.T) {
	truth := map[string][]float64{
		"inverse-poisson":   {0.49, 2.25},
		"inverse-helmholtz": {10, 16, -10},
	}
	for _, e := range All {
		t.Run(e.Name, func(t *testing.T) {
			file, err := e.Read()
			if err != nil {
				t.Fatal(err)
			}
			equation := &file.Problem.Equations[0]
			points := equation.Points
			if e.Name == "advection" {
				points = awayFromKink(points)
			}
			residual, size := make([]float64, points.Rows()), make([]float64, points.Rows())
			add := func(coefficient system.Function, values []float64) {
				c := evaluated(coefficient, points)
				for i := range residual {
					residual[i] += c[i] * values[i]
					size[i] += math.Abs(c[i] * values[i])
				}
			}
			for _, term := range equation.Residual.Terms {
				add(term.Coefficient, differentiated(file.Output.Exact[0], term.Derivative, points))
			}
			for _, term := range equation.Residual.Parameters {
				lambda := truth[e.Name][term.Parameter]
				add(term.Coefficient, evaluated(system.Constant(lambda), points))
			}
			if equation.Residual.Known != nil {
				add(nil, evaluated(equation.Residual.Known, points))
			}
			for i := range residual {
				if !(math.Abs(residual[i]) <= 1e-5*(1+size[i])) {
					t.Fatalf("at %v the residual is %g of terms that sum to %g", points.Row(i), residual[i], size[i])
				}
			}
		})
	}
}

// evaluated returns a function's values; 1 for nil.
func evaluated(f system.Function, points *mat.Dense) []float64 {
	if f == nil {
		f = system.Constant(1)
	}
	values := make([]float64, points.Rows())
	f.EvalTo(values, points)
	return values
}

// differentiated takes derivatives of order at most four in each variable by
// central differences of fourth order.
func differentiated(f system.Function, orders []int, points *mat.Dense) []float64 {
	return differentiatedBy(f, orders, points, nil)
}

// stencils are the weights of central differences, by order and shift.
var stencils = [5]map[int]float64{
	{0: 1},
	{-2: 1. / 12, -1: -2. / 3, 1: 2. / 3, 2: -1. / 12},
	{-2: -1. / 12, -1: 4. / 3, 0: -5. / 2, 1: 4. / 3, 2: -1. / 12},
	{-3: 1. / 8, -2: -1, -1: 13. / 8, 1: -13. / 8, 2: 1, 3: -1. / 8},
	{-3: -1. / 6, -2: 2, -1: -13. / 2, 0: 28. / 3, 1: -13. / 2, 2: 2, 3: -1. / 6},
}

// differentiatedBy takes steps that are given for each variable; 1e-3 where
// they are not.
func differentiatedBy(f system.Function, orders []int, points *mat.Dense, steps []float64) []float64 {
	for d, order := range orders {
		if order == 0 {
			continue
		}
		h := 1e-3
		if steps != nil {
			h = steps[d]
		}
		rest := append([]int(nil), orders...)
		rest[d] = 0
		sum := make([]float64, points.Rows())
		for shift := -3; shift <= 3; shift++ {
			weight := stencils[order][shift]
			if weight == 0 {
				continue
			}
			moved := points.Clone()
			for i := range moved.Rows() {
				moved.Set(i, d, moved.At(i, d)+float64(shift)*h)
			}
			for i, v := range differentiatedBy(f, rest, moved, steps) {
				sum[i] += weight * v / math.Pow(h, float64(order))
			}
		}
		return sum
	}
	return evaluated(f, points)
}

// awayFromKink keeps the points where the advected wave is smooth: x - 2t not
// near an integer.
func awayFromKink(points *mat.Dense) *mat.Dense {
	var kept []float64
	for i := range points.Rows() {
		phase := points.At(i, 0) - 2*points.At(i, 1)
		if math.Abs(phase-math.Round(phase)) > 0.02 {
			kept = append(kept, points.Row(i)...)
		}
	}
	return mat.NewDense(len(kept)/2, 2, kept)
}

// The equations and conditions hold for the exact solution with the true
// parameters, and what the sensors read is what they are said to measure, by
// differences.
func TestExactSolutionsOfStudies(t *testing.T) {
	const most = 500 // points of an equation: some exact solutions are integrals that take long
	for i := range Studies {
		s := &Studies[i]
		t.Run(s.Name, func(t *testing.T) {
			file, err := s.Read()
			if err != nil {
				t.Fatal(err)
			}
			p := file.Problem
			for k, e := range p.Equations {
				checkVanishes(t, fmt.Sprintf("equation %d", k+1), s, file, &e.Residual, thinned(e.Points, most), nil)
			}
			for k, e := range p.Conditions {
				checkVanishes(t, fmt.Sprintf("condition %d", k+1), s, file, &e.Residual, thinned(e.Points, most), nil)
			}
			if len(s.Groups) != len(p.Sensors) {
				t.Fatalf("%d groups, the file has %d", len(s.Groups), len(p.Sensors))
			}
			for k := range p.Sensors {
				g := &s.Groups[k]
				if sigma := p.Sensors[k].Sigma; g.File != p.Sensors[k].Name || sigma != nil && sigma[0] != g.Noise {
					t.Errorf("%s: the file says %s with sigma %g", g.File, p.Sensors[k].Name, sigma)
				}
				_, reads, err := s.Reads(g)
				if err != nil {
					t.Fatal(err)
				}
				checkVanishes(t, g.File, s, file, &p.Sensors[k].Measures, p.Sensors[k].Points, reads)
			}
		})
	}
}

// thinned returns at most so many of points: not every n-th, which would be a line of a grid.
func thinned(points *mat.Dense, most int) *mat.Dense {
	if points.Rows() <= most {
		return points
	}
	const golden = 0.6180339887498949
	some := mat.NewDense(most, points.Cols(), nil)
	for i := range most {
		_, part := math.Modf(golden * float64(i))
		copy(some.Row(i), points.Row(int(part*float64(points.Rows()))))
	}
	return some
}

// exactState is the exact solution of a study with the true parameters: derivatives are taken by differences.
type exactState struct {
	t     *testing.T
	study *Study
	file  *spec.File
}

// ValueTo implements system.State.
func (e exactState) ValueTo(dst []float64, f *system.Functional, points *mat.Dense) {
	clear(dst)
	for _, values := range e.terms(f, points) {
		mat.Axpy(1, values, dst)
	}
}

// terms returns the values of the terms of a functional without a nonlinear part.
func (e exactState) terms(f *system.Functional, points *mat.Dense) (all [][]float64) {
	add := func(coefficient system.Function, values []float64) {
		for i, c := range evaluated(coefficient, points) {
			values[i] *= c
		}
		all = append(all, values)
	}
	var steps []float64
	share := 2e-3
	if e.study.Groups[0].Solution != nil { // orbits turn sharply
		share = 5e-4
	}
	if e.file.Features.Patches != nil { // fronts are a thousandth of the domain
		share = 1e-4
	}
	for _, v := range e.file.Problem.Variables {
		steps = append(steps, share*(v.Max-v.Min))
	}
	for _, term := range f.Expanded().Terms {
		add(term.Coefficient, differentiatedBy(e.file.Output.Exact[term.Field], term.Derivative, term.Footprint.Places(0, points), steps))
	}
	for _, term := range f.Parameters {
		add(term.Coefficient, evaluated(system.Constant(e.truth(e.file.Problem.Parameters[term.Parameter].Name)), points))
	}
	if f.Known != nil {
		add(nil, evaluated(f.Known, points))
	}
	return all
}

func (e exactState) truth(name string) float64 {
	e.t.Helper()
	truth, known := e.study.Truth[name]
	if !known {
		e.t.Fatalf("the truth of %s is not stated", name)
	}
	return truth
}

// checkVanishes applies a functional to the exact solution and compares it with
// a function, with 0 for nil.
func checkVanishes(t *testing.T, where string, s *Study, file *spec.File, f *system.Functional, points *mat.Dense, want system.Function) {
	t.Helper()
	e := exactState{t, s, file}
	if list := file.Problem.Coefficients; len(list) > 0 {
		var values []float64
		for i := range list {
			values = append(values, e.truth(list[i].Name))
		}
		g := f.With(values)
		f = &g
	}
	all := e.terms(f, points)
	if f.Nonlinear != nil {
		values, part := make([]float64, points.Rows()), system.Functional{Nonlinear: f.Nonlinear}
		part.Values(values, e, points)
		all = append(all, values)
	}
	if want != nil {
		values := evaluated(want, points)
		for i := range values {
			values[i] = -values[i]
		}
		all = append(all, values)
	}
	sum, size := make([]float64, points.Rows()), make([]float64, points.Rows())
	for _, values := range all {
		for i, v := range values {
			sum[i] += v
			size[i] += math.Abs(v)
		}
	}
	// Where all terms vanish only rounding is left, measured by the largest.
	largest := 0.0
	for _, v := range size {
		largest = max(largest, v)
	}
	for i := range sum {
		if !(math.Abs(sum[i]) <= 1e-5*largest+1e-8) {
			t.Fatalf("%s: at %v there remain %g of terms that sum to %g", where, points.Row(i), sum[i], size[i])
		}
	}
}

func TestSensorPlaces(t *testing.T) {
	p := &system.Problem{Variables: []system.Variable{{Name: "x", Min: 0, Max: 1}, {Name: "t", Min: 0, Max: 2}}}
	places := Find("advection").Place(p, 28)
	for i, want := range map[int][2]float64{0: {0, 2}, 1: {0, 16. / 9}, 9: {0, 0}, 10: {1. / 9, 0}, 18: {1, 0}, 27: {1, 2}} {
		if x, y := places.At(i, 0), places.At(i, 1); math.Abs(x-want[0]) > 1e-15 || math.Abs(y-want[1]) > 1e-15 {
			t.Errorf("sensor %d of 28 stands at (%g, %g), want %v", i, x, y, want)
		}
	}
	line := Find("inverse-poisson").Place(&system.Problem{Variables: []system.Variable{{Name: "x", Min: -10, Max: 10}}}, 20)
	for i := range 20 {
		if x := line.At(i, 0); math.Abs(x-(-10+20*float64(i)/19)) > 1e-14 {
			t.Errorf("sensor %d of 20 stands at %g", i, x)
		}
	}
}
