package main

import (
	"slices"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// A field may be a function of some of the variables alone. It is written and drawn as the only
// field of a problem in these.

// embedding puts points of some variables into the space of all; the others have their values in middle.
type embedding struct {
	of     []int     // numbers of the variables
	middle []float64 // a place, one coordinate for each of all variables
}

// whole returns a point of all variables.
func (e *embedding) whole(x []float64) []float64 {
	y := slices.Clone(e.middle)
	for k, d := range e.of {
		y[d] = x[k]
	}
	return y
}

func (e *embedding) wholes(points *mat.Dense) *mat.Dense {
	all := mat.NewDense(points.Rows(), len(e.middle), nil)
	for i := range points.Rows() {
		copy(all.Row(i), e.whole(points.Row(i)))
	}
	return all
}

// embedded is a function of all variables as one of some.
type embedded struct {
	system.Function
	in *embedding
}

// EvalTo implements system.Function.
func (f embedded) EvalTo(dst []float64, points *mat.Dense) {
	f.Function.EvalTo(dst, f.in.wholes(points))
}

// embeddedField predicts one field, as number 0.
type embeddedField struct {
	predictor
	in    *embedding
	field int
}

// Predict implements predictor.
func (p embeddedField) Predict(_ system.Functional, points *mat.Dense) (mean, sd []float64, err error) {
	return p.predictor.Predict(system.Field(p.field), p.in.wholes(points))
}

// ownVariables returns the problem of field i in the variables that it is a function of, with what was read of the
// field itself; ok is false where these are all variables.
func ownVariables(file *spec.File, q predictor, i int) (own *spec.File, of predictor, ok bool) {
	p := file.Problem
	in := &embedding{}
	small := &system.Problem{Fields: p.Fields[i : i+1]}
	output := spec.Output{}
	for d, v := range p.Variables {
		in.middle = append(in.middle, v.At(0.5))
		if p.DependsOn(i, d) {
			in.of = append(in.of, d)
			small.Variables = append(small.Variables, v)
			output.Grid = append(output.Grid, file.Output.Grid[d])
		}
	}
	if len(in.of) == len(p.Variables) {
		return nil, nil, false
	}
	if exact := file.Output.Exact; i < len(exact) && exact[i] != nil {
		output.Exact = []system.Function{embedded{exact[i], in}}
	}
	output.Where = []system.Domain{system.Region(func(x []float64) bool { return file.Output.Holds(i, in.whole(x)) })}
	for g := range p.Sensors {
		s := p.Sensors[g]
		points := mat.NewDense(0, len(in.of), nil)
		if measuresField(&s.Measures, i) {
			points = mat.NewDense(len(s.Values), len(in.of), nil)
			for k := range s.Values {
				for to, d := range in.of {
					points.Set(k, to, s.Points.At(k, d))
				}
			}
		} else {
			s.Values, s.Sigma = nil, nil
		}
		s.Points, s.Measures = points, system.Field(0)
		small.Sensors = append(small.Sensors, s)
	}
	return &spec.File{Path: file.Path, Title: file.Title, Problem: small, Output: output}, embeddedField{q, in, i}, true
}
