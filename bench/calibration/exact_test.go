package calibration

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// The equations and conditions hold for the exact solution with the true parameters, and
// the exact readings are what the sensors measure.
func TestExactSolutions(t *testing.T) {
	count := 160
	if testing.Short() {
		count = len(kinds)
	}
	for number := range count {
		p := draw(t, number, Options{})
		f := read(t, p)
		check := func(where string, o *system.Functional, points *mat.Dense, want []float64) {
			t.Helper()
			if err := vanishes(p, f, o, points, want); err != nil {
				t.Errorf("%s, number %d, %s: %v\n%s", p.Kind, number, where, err, p.files[problemFile])
			}
		}
		for k, e := range f.Problem.Equations {
			check(fmt.Sprintf("equation %d", k+1), &e.Residual, inLayer(f, &e.Residual, e.Points), nil)
		}
		for k, e := range f.Problem.Conditions {
			check(fmt.Sprintf("condition %d", k+1), &e.Residual, e.Points, nil)
		}
		for k, s := range f.Problem.Sensors {
			check(s.Name, &s.Measures, s.Points, p.draft.groups[k].exact)
		}
	}
}

// The check detects a wrong equation.
func TestWrongEquationsDoNotVanish(t *testing.T) {
	for number := range len(kinds) {
		p, err := Spoil(draw(t, number, Options{}), WrongCoefficient, 1)
		if err != nil {
			t.Fatal(err)
		}
		f := read(t, p)
		holds := true
		for _, e := range f.Problem.Equations {
			holds = holds && vanishes(p, f, &e.Residual, inLayer(f, &e.Residual, e.Points), nil) == nil
		}
		if holds {
			t.Errorf("%s, number %d: the spoilt equations hold", p.Kind, number)
		}
	}
}

func draw(t *testing.T, number int, o Options) *Problem {
	t.Helper()
	p, err := DrawWith(1, number, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func read(t *testing.T, p *Problem) *spec.File {
	t.Helper()
	f, err := p.Read()
	if err != nil {
		t.Fatalf("%s, number %d: %v\n%s", p.Kind, p.Number, err, p.files[problemFile])
	}
	return f
}

// inLayer keeps the points at which the field of the first term exists.
func inLayer(f *spec.File, o *system.Functional, points *mat.Dense) *mat.Dense {
	var kept []float64
	for i := range points.Rows() {
		if f.Output.Holds(o.Terms[0].Field, points.Row(i)) {
			kept = append(kept, points.Row(i)...)
		}
	}
	return mat.NewDense(len(kept)/points.Cols(), points.Cols(), kept)
}

// vanishes applies a functional to the exact solution of the problem file, by finite
// differences, and compares the result with want; nil stands for 0.
func vanishes(p *Problem, f *spec.File, o *system.Functional, points *mat.Dense, want []float64) error {
	sum, size := make([]float64, points.Rows()), make([]float64, points.Rows())
	add := func(coefficient system.Function, values []float64) {
		c := evaluated(coefficient, points)
		for i := range sum {
			sum[i] += c[i] * values[i]
			size[i] += math.Abs(c[i] * values[i])
		}
	}
	for _, term := range o.Expanded().Terms {
		add(term.Coefficient, differentiated(p, f, term.Field, term.Derivative, term.Footprint.Places(0, points)))
	}
	for _, term := range o.Parameters {
		truth, known := p.Truth[f.Problem.Parameters[term.Parameter].Name]
		if !known {
			return fmt.Errorf("the truth of parameter %d is not stated", term.Parameter)
		}
		add(term.Coefficient, evaluated(system.Constant(truth), points))
	}
	if o.Known != nil {
		add(nil, evaluated(o.Known, points))
	}
	if want != nil {
		add(system.Constant(-1), want)
	}
	// Where all terms vanish, only the rounding of differences is left.
	largest := largestOf(size)
	grid := system.Grid(f.Problem.Variables, f.Problem.Domain, f.Output.Grid)
	for _, term := range o.Expanded().Terms {
		natural := largestOf(evaluated(term.Coefficient, points)) * largestOf(evaluated(f.Output.Exact[term.Field], grid))
		for d, n := range term.Derivative {
			v := f.Problem.Variables[d]
			natural /= math.Pow(v.Max-v.Min, float64(n))
		}
		largest = max(largest, natural)
	}
	for i := range sum {
		if !(math.Abs(sum[i]) <= 2e-6*largest) {
			return fmt.Errorf("at %v, terms of up to %g leave %g", points.Row(i), largest, sum[i])
		}
	}
	return nil
}

// evaluated returns the values of a function at points; nil is 1.
func evaluated(f system.Function, points *mat.Dense) []float64 {
	if f == nil {
		f = system.Constant(1)
	}
	values := make([]float64, points.Rows())
	f.EvalTo(values, points)
	return values
}

// differentiated returns a derivative of an exact solution by central differences on eleven
// points in each variable.
func differentiated(p *Problem, f *spec.File, field int, order []int, points *mat.Dense) []float64 {
	d := slices.IndexFunc(order, func(n int) bool { return n > 0 })
	if d < 0 {
		return evaluated(f.Output.Exact[field], points)
	}
	v, n := f.Problem.Variables[d], order[d]
	h := 0.012 * (v.Max - v.Min) * min(1, 6/steepest(p, d))
	rest := slices.Clone(order)
	rest[d] = 0
	sum := make([]float64, points.Rows())
	for k, weight := range stencil(n) {
		moved := points.Clone()
		for i := range moved.Rows() {
			moved.Set(i, d, moved.At(i, d)+float64(k-stencilHalf)*h)
		}
		for i, value := range differentiated(p, f, field, rest, moved) {
			sum[i] += weight * value / math.Pow(h, float64(n))
		}
	}
	return sum
}

// steepest returns the number of half-waves in the box that corresponds to the largest slope
// of an argument, at least one.
func steepest(p *Problem, d int) float64 {
	most := 1.0
	for _, e := range p.draft.exact {
		for _, q := range e {
			for _, f := range q.factors {
				most = max(most, math.Abs(f.at.slope[d])*p.draft.side(d)/math.Pi)
			}
		}
	}
	return most
}

const stencilHalf = 5

// stencil returns the weights of the values at -5 to 5 for a derivative at 0, exact for
// polynomials of degree 10: the derivatives of Lagrange's polynomials.
func stencil(order int) []float64 {
	var weights []float64
	for i := -stencilHalf; i <= stencilHalf; i++ {
		polynomial, below := []float64{1}, 1.0 // coefficients, lowest power first
		for j := -stencilHalf; j <= stencilHalf; j++ {
			if j == i {
				continue
			}
			times := append([]float64{0}, polynomial...) // x - j
			for k, c := range polynomial {
				times[k] -= float64(j) * c
			}
			polynomial, below = times, below*float64(i-j)
		}
		factorial := 1.0
		for k := 2; k <= order; k++ {
			factorial *= float64(k)
		}
		weights = append(weights, polynomial[order]*factorial/below)
	}
	return weights
}
