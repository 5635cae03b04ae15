package calibration

import (
	"math"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// truth is the exact solution of a problem with the true parameters.
type truth struct {
	*Problem
	file *spec.File
}

// ValueTo implements system.State.
func (s truth) ValueTo(dst []float64, f *system.Functional, points *mat.Dense) {
	clear(dst)
	add := func(c system.Function, values []float64) {
		if c == nil {
			c = system.Constant(1)
		}
		v := make([]float64, len(dst))
		c.EvalTo(v, points)
		for i := range dst {
			dst[i] += v[i] * values[i]
		}
	}
	ones := make([]float64, len(dst))
	for i := range ones {
		ones[i] = 1
	}
	for _, t := range f.Terms {
		var order [dims]int
		copy(order[:], t.Derivative)
		add(t.Coefficient, s.draft.exact[t.Field].derivative(order).values(points))
	}
	for _, t := range f.Parameters {
		value := make([]float64, len(dst))
		mat.Axpy(s.Truth[s.file.Problem.Parameters[t.Parameter].Name], ones, value)
		add(t.Coefficient, value)
	}
	if f.Known != nil {
		add(f.Known, ones)
	}
}

// Every form of nonlinearity comes up, and the exact solution solves the equations as the file states them.
func TestExactSolutionsSolveNonlinearEquations(t *testing.T) {
	const problems = 80
	seen, unknown := map[string]bool{}, 0
	for number := range problems {
		p, err := DrawWith(7, number, Options{Nonlinear: true})
		if err != nil {
			t.Fatal(err)
		}
		f, err := p.Read()
		if err != nil {
			t.Fatalf("%s, number %d: %v", p.Kind, number, err)
		}
		if f.Problem.IsLinear() {
			t.Errorf("%s, number %d is linear", p.Kind, number)
		}
		seen[p.draft.curved.form.name] = true
		if p.draft.curved.name != "" {
			unknown++
		}
		var values []float64
		for _, c := range f.Problem.Coefficients {
			values = append(values, p.Truth[c.Name])
		}
		state := truth{p, f}
		for _, e := range f.Problem.Equations {
			residual := e.Residual.With(values)
			rest, size := make([]float64, e.Points.Rows()), make([]float64, e.Points.Rows())
			residual.Values(rest, state, e.Points)
			(&system.Functional{Terms: residual.Terms[:1]}).Values(size, state, e.Points)
			known := make([]float64, len(rest))
			if residual.Known != nil {
				residual.Known.EvalTo(known, e.Points)
			}
			largest := 0.0
			for i := range size {
				largest = math.Max(largest, math.Max(math.Abs(size[i]), math.Abs(known[i])))
			}
			for i, v := range rest {
				if !(math.Abs(v) <= 1e-8*largest) {
					t.Fatalf("%s, number %d, %s: at %v there remain %g of terms up to %g", p.Kind, number, p.draft.curved.form.name, e.Points.Row(i), v, largest)
				}
			}
		}
	}
	if len(seen) != len(nonlinearForms) || unknown < problems/3 || unknown > problems*5/6 {
		t.Errorf("forms %v, %d of %d strengths are unknown", seen, unknown, problems)
	}
}
