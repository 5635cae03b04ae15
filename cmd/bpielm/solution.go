package main

import (
	"fmt"
	"math"
	"time"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// half95 is half the width of a Gaussian's 95 % interval in standard deviations.
const half95 = 1.96

// A predictor is the posterior, as far as evaluating it goes.
type predictor interface {
	Predict(f system.Functional, points *mat.Dense) (mean, sd []float64, err error)
}

// A solution is the posterior on the output grid inside the domain.
type solution struct {
	points  *mat.Dense // of the fields that are functions of all variables
	fields  []fieldSolution
	predict time.Duration
}

// A fieldSolution is one field at given points: sd is nil where the method has
// no uncertainty, exact where the exact solution is not given.
type fieldSolution struct {
	name            string
	mean, sd, exact []float64
	shown           int // at how many points it has a meaning

	points    *mat.Dense
	variables []system.Variable // that it is a function of
}

// solveOnGrid evaluates all fields on the problem's output grid.
func solveOnGrid(file *spec.File, q predictor) (*solution, error) {
	p := file.Problem
	s := &solution{points: system.Grid(p.Variables, p.Domain, file.Output.Grid)}
	begin := time.Now()
	for i := range p.Fields {
		of, predictor, number, points := file, q, i, s.points
		own, embedded, partial := ownVariables(file, q, i)
		if partial {
			of, predictor, number, points = own, embedded, 0, system.Grid(own.Problem.Variables, nil, own.Output.Grid)
		}
		f, err := evaluate(of, predictor, number, points)
		if err != nil {
			return nil, err
		}
		f.points, f.variables = points, of.Problem.Variables
		s.fields = append(s.fields, f)
	}
	s.predict = time.Since(begin)
	return s, nil
}

// evaluate returns field number i at points; where it has no meaning, not a number.
func evaluate(file *spec.File, q predictor, i int, points *mat.Dense) (fieldSolution, error) {
	f := fieldSolution{name: file.Problem.Fields[i]}
	var err error
	if f.mean, f.sd, err = q.Predict(system.Field(i), points); err != nil {
		return f, err
	}
	if exact := file.Output.Exact; i < len(exact) && exact[i] != nil {
		f.exact = make([]float64, points.Rows())
		exact[i].EvalTo(f.exact, points)
	}
	for k := range f.mean {
		if file.Output.Holds(i, points.Row(k)) {
			f.shown++
			continue
		}
		for _, values := range [][]float64{f.mean, f.sd, f.exact} {
			if values != nil {
				values[k] = math.NaN()
			}
		}
	}
	return f, nil
}

// deviation returns mean - exact; nil where the exact solution is not given.
func (f *fieldSolution) deviation() []float64 {
	if f.exact == nil {
		return nil
	}
	d := make([]float64, len(f.mean))
	for i := range d {
		d[i] = f.mean[i] - f.exact[i]
	}
	return d
}

// fieldError is how far a field is from the exact solution: mean and largest
// absolute error, and the share of points where it is at most 1.96 latent
// standard deviations (NaN without uncertainty). Points counts those where
// the exact solution is a number; without any the rest is NaN.
type fieldError struct {
	mae, maxAE, coverage95 float64
	points                 int
}

func (f *fieldSolution) error() fieldError {
	e := fieldError{}
	sum, covered := 0.0, 0
	for i, d := range f.deviation() {
		d = math.Abs(d)
		if math.IsNaN(d) || math.IsInf(d, 0) {
			continue
		}
		e.points++
		sum += d
		e.maxAE = math.Max(e.maxAE, d)
		if f.sd != nil && d <= half95*f.sd[i] {
			covered++
		}
	}
	if e.points == 0 {
		return fieldError{math.NaN(), math.NaN(), math.NaN(), 0}
	}
	e.mae = sum / float64(e.points)
	e.coverage95 = math.NaN()
	if f.sd != nil {
		e.coverage95 = float64(covered) / float64(e.points)
	}
	return e
}

// warnings says what of the solution cannot be compared or shown.
func (s *solution) warnings() []string {
	if s.points.Rows() == 0 {
		return []string{"no point of the output grid lies in the domain"}
	}
	var list []string
	for i := range s.fields {
		f := &s.fields[i]
		if f.shown == 0 {
			list = append(list, fmt.Sprintf("no point of the output grid lies where %s is", f.name))
			continue
		}
		if missing := f.shown - f.error().points; f.exact != nil && missing > 0 {
			list = append(list, fmt.Sprintf("the exact solution of %s is no number at %d of %s; the error is that of the others", f.name, missing, count(f.shown, "grid point")))
		}
	}
	return list
}

// tables returns the solution as columns, by the names of files: fields of all variables together, each of the others in
// one of its own.
func (s *solution) tables(variables []system.Variable) (names []string, tables []*table) {
	names, tables = []string{"solution.csv"}, []*table{newTable(variables, s.points)}
	for i := range s.fields {
		f := &s.fields[i]
		t := tables[0]
		if len(f.variables) < len(variables) {
			t = newTable(f.variables, f.points)
			names, tables = append(names, "solution-"+f.name+".csv"), append(tables, t)
		}
		t.add(f.name+"_mean", f.mean)
		t.add(f.name+"_sd", f.sd)
		t.add(f.name+"_exact", f.exact)
		t.add(f.name+"_error", f.deviation())
	}
	return names, tables
}
