package main

import (
	"fmt"
	"math"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// When an equation or condition counts as unmet: its residual, in the root mean
// square, exceeds this share of the largest of its terms. The solution of a
// stated problem stays far below; readings that contradict the physics do not.
const unmetShare = 0.3

// unmetSDs is by how many of its own standard deviations, where it has one, it must be
// off besides.
const unmetSDs = 3

// unmetPoints is at how many of its points an equation is looked at.
const unmetPoints = 64

// unmet names the equations and conditions that the solution does not fulfil,
// which happens where readings contradict them. A term is at least as large as
// the field's range over the box allows: 0 is no scale to compare with.
func unmet(file *spec.File, q predictor, s *solution) ([]string, error) {
	p := file.Problem
	var list []string
	for i, e := range append(append([]system.Equation(nil), p.Equations...), p.Conditions...) {
		points := everyFew(e.Points, unmetPoints)
		residual, _, err := q.Predict(e.Residual, points)
		if err != nil {
			return nil, err
		}
		size := 0.0
		for _, t := range e.Residual.Terms {
			t.Coefficient = magnitude{t.Coefficient}
			term, _, err := q.Predict(system.Functional{Terms: []system.Term{t}}, points)
			if err != nil {
				return nil, err
			}
			size = math.Max(size, rootMeanSquare(term))
			natural := s.fields[t.Field].reach()
			for d, order := range t.Derivative {
				for range order {
					natural /= p.Variables[d].Max - p.Variables[d].Min
				}
			}
			coefficient := make([]float64, points.Rows())
			t.Coefficient.EvalTo(coefficient, points)
			size = math.Max(size, rootMeanSquare(coefficient)*natural)
		}
		for _, t := range e.Residual.Parameters {
			term, _, err := q.Predict(system.Functional{Parameters: []system.ParameterTerm{t}}, points)
			if err != nil {
				return nil, err
			}
			size = math.Max(size, rootMeanSquare(term))
		}
		if e.Residual.Known != nil {
			known := make([]float64, points.Rows())
			e.Residual.Known.EvalTo(known, points)
			size = math.Max(size, rootMeanSquare(known))
		}
		if off := rootMeanSquare(residual); off > math.Max(unmetShare*size, unmetSDs*e.SD) {
			what := "equation"
			if i >= len(p.Equations) {
				what = "condition"
			}
			where := ""
			if e.Name != "" {
				where = " on " + e.Name
			}
			list = append(list, fmt.Sprintf("the %s %s%s is not met: it is off by %.3g, and its terms are about %.3g; do the readings contradict it, or are more neurons needed?",
				what, describeEquation(p, &e.Residual), where, off, size))
		}
	}
	return list, nil
}

// magnitude is a coefficient's absolute value; 1 without a coefficient.
type magnitude struct{ of system.Function }

// EvalTo implements system.Function.
func (m magnitude) EvalTo(dst []float64, points *mat.Dense) {
	if m.of == nil {
		m.of = system.Constant(1)
	}
	m.of.EvalTo(dst, points)
	for i := range dst {
		dst[i] = math.Abs(dst[i])
	}
}

// reach is how far the mean of a field goes from its middle or from 0.
func (f *fieldSolution) reach() float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range f.mean {
		if !math.IsNaN(v) {
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
	}
	if !(lo <= hi) {
		return 0
	}
	return math.Max(hi-lo, math.Max(-lo, hi))
}

// everyFew returns at most n of the rows, evenly chosen.
func everyFew(points *mat.Dense, n int) *mat.Dense {
	rows := points.Rows()
	if rows <= n {
		return points
	}
	few := mat.NewDense(n, points.Cols(), nil)
	for i := range n {
		copy(few.Row(i), points.Row(i*rows/n))
	}
	return few
}

func rootMeanSquare(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return math.Sqrt(sum / float64(len(x)))
}
