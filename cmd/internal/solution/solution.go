package solution

import (
	"fmt"
	"math"
	"time"

	"github.com/bpielm/bpielm/bench/score"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// A Predictor evaluates a functional of the solution at points. A
// posterior.Posterior is one. A nil sd means that the method has no uncertainty.
type Predictor interface {
	Predict(f system.Functional, points *mat.Dense) (mean, sd []float64, err error)
}

// A Solution is the posterior on the output grid, inside the domain.
type Solution struct {
	Points  *mat.Dense // of the fields that depend on all variables
	Fields  []Field
	Predict time.Duration // how long the evaluation took
}

// A Field is one field at given points. SD is nil where the method has no
// uncertainty, Exact where the exact solution is not given. Values are NaN where
// the field is not defined.
type Field struct {
	Name            string
	Mean, SD, Exact []float64
	Shown           int // number of points where the field is defined

	Points    *mat.Dense
	Variables []system.Variable // those that the field depends on
}

// OnGrid evaluates all fields on the problem's output grid.
func OnGrid(file *spec.File, q Predictor) (*Solution, error) {
	p := file.Problem
	s := &Solution{Points: system.Grid(p.Variables, p.Domain, file.Output.Grid)}
	begin := time.Now()
	for i := range p.Fields {
		of, predictor, number, points := file, q, i, s.Points
		own, embedded, partial := OwnVariables(file, q, i)
		if partial {
			of, predictor, number, points = own, embedded, 0, system.Grid(own.Problem.Variables, nil, own.Output.Grid)
		}
		f, err := Evaluate(of, predictor, number, points)
		if err != nil {
			return nil, err
		}
		f.Variables = of.Problem.Variables
		s.Fields = append(s.Fields, f)
	}
	s.Predict = time.Since(begin)
	return s, nil
}

// Evaluate returns field number i at points.
func Evaluate(file *spec.File, q Predictor, i int, points *mat.Dense) (Field, error) {
	f := Field{Name: file.Problem.Fields[i], Points: points}
	var err error
	if f.Mean, f.SD, err = q.Predict(system.Field(i), points); err != nil {
		return f, err
	}
	if exact := file.Output.Exact; i < len(exact) && exact[i] != nil {
		f.Exact = make([]float64, points.Rows())
		exact[i].EvalTo(f.Exact, points)
	}
	for k := range f.Mean {
		if file.Output.Holds(i, points.Row(k)) {
			f.Shown++
		} else {
			f.Erase(k)
		}
	}
	return f, nil
}

// Erase makes the values at point k NaN, as where the field is not defined.
func (f *Field) Erase(k int) {
	for _, values := range [][]float64{f.Mean, f.SD, f.Exact} {
		if values != nil {
			values[k] = math.NaN()
		}
	}
}

// Deviation returns mean - exact at every point, nil where the exact solution is
// not given.
func (f *Field) Deviation() []float64 {
	if f.Exact == nil {
		return nil
	}
	d := make([]float64, len(f.Mean))
	for i := range d {
		d[i] = f.Mean[i] - f.Exact[i]
	}
	return d
}

// A Score says how far a field is from the exact solution: its mean and largest
// absolute error, and the share of points within the 95 % band, that is within
// 1.96 latent standard deviations (NaN without uncertainty). Points counts the
// points where the exact solution is a finite number. If there are none, the
// other three are NaN.
type Score struct {
	MAE, MaxAE, Coverage95 float64
	Points                 int
}

// Score compares the field with the exact solution.
func (f *Field) Score() Score {
	e := Score{}
	sum, covered := 0.0, 0
	for i, d := range f.Deviation() {
		d = math.Abs(d)
		if math.IsNaN(d) || math.IsInf(d, 0) {
			continue
		}
		e.Points++
		sum += d
		e.MaxAE = math.Max(e.MaxAE, d)
		if f.SD != nil && d <= score.Half95*f.SD[i] {
			covered++
		}
	}
	if e.Points == 0 {
		return Score{math.NaN(), math.NaN(), math.NaN(), 0}
	}
	e.MAE = sum / float64(e.Points)
	e.Coverage95 = math.NaN()
	if f.SD != nil {
		e.Coverage95 = float64(covered) / float64(e.Points)
	}
	return e
}

// Warnings says what of the solution cannot be shown, or not be compared with the
// exact solution.
func (s *Solution) Warnings() []string {
	if s.Points.Rows() == 0 {
		return []string{"no point of the output grid lies in the domain"}
	}
	var list []string
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Shown == 0 {
			list = append(list, fmt.Sprintf("no point of the output grid lies where %s is", f.Name))
			continue
		}
		if missing := f.Shown - f.Score().Points; f.Exact != nil && missing > 0 {
			list = append(list, fmt.Sprintf("the exact solution of %s is not a number at %d of %s; the error is that at the others", f.Name, missing, format.Count(f.Shown, "grid point")))
		}
	}
	return list
}

// Interval95 returns the ends of the 95 % interval of a field: 1.96 standard deviations
// about the mean, with one number for each point. They are nil if sd is.
func Interval95(mean, sd []float64) (lower, upper []float64) {
	if sd == nil {
		return nil, nil
	}
	lower, upper = make([]float64, len(mean)), make([]float64, len(mean))
	for k := range mean {
		half := float64(score.Half95 * sd[k])
		lower[k], upper[k] = mean[k]-half, mean[k]+half
	}
	return lower, upper
}
