package solution

import (
	"slices"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// OwnVariables returns the problem of field i in the variables that the field
// depends on, with the readings of that field and a predictor for it as field 0.
// ok is false where the field depends on all variables.
//
// Tables and pictures of such a field then need no special case: it is the only
// field of a smaller problem.
func OwnVariables(file *spec.File, q Predictor, i int) (own *spec.File, of Predictor, ok bool) {
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
		small.Sensors = append(small.Sensors, in.sensors(&p.Sensors[g], i))
	}
	return &spec.File{Path: file.Path, Title: file.Title, Problem: small, Output: output, Quantities: file.Quantities}, embeddedField{q, in, i}, true
}

// MeasuresField reports whether a functional is the value of field i itself.
func MeasuresField(f *system.Functional, i int) bool {
	if len(f.Terms) != 1 || len(f.Parameters) > 0 || f.Known != nil {
		return false
	}
	t := &f.Terms[0]
	for _, order := range t.Derivative {
		if order != 0 {
			return false
		}
	}
	return t.Field == i && (t.Coefficient == nil || t.Coefficient == system.Constant(1))
}

// An embedding puts points of some variables into the space of all variables. The
// other variables take their values from middle.
type embedding struct {
	of     []int     // numbers of the variables
	middle []float64 // one coordinate for each of all variables
}

// sensors returns the group s in the embedded variables, without readings where
// it does not measure field i. It stays in the list even then, because noise is
// known by the number of the group.
func (e *embedding) sensors(s *system.Sensors, i int) system.Sensors {
	small := *s
	small.Measures = system.Field(0)
	if !MeasuresField(&s.Measures, i) {
		small.Points, small.Values, small.Sigma = mat.NewDense(0, len(e.of), nil), nil, nil
		return small
	}
	small.Points = mat.NewDense(len(s.Values), len(e.of), nil)
	for k := range s.Values {
		for to, d := range e.of {
			small.Points.Set(k, to, s.Points.At(k, d))
		}
	}
	return small
}

// whole returns a point of all variables.
func (e *embedding) whole(x []float64) []float64 {
	y := slices.Clone(e.middle)
	for k, d := range e.of {
		y[d] = x[k]
	}
	return y
}

// wholes does so for each row.
func (e *embedding) wholes(points *mat.Dense) *mat.Dense {
	all := mat.NewDense(points.Rows(), len(e.middle), nil)
	for i := range points.Rows() {
		copy(all.Row(i), e.whole(points.Row(i)))
	}
	return all
}

// embedded is a function of all variables, as a function of some.
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
	Predictor
	in    *embedding
	field int
}

// Predict implements Predictor.
func (p embeddedField) Predict(_ system.Functional, points *mat.Dense) (mean, sd []float64, err error) {
	return p.Predictor.Predict(system.Field(p.field), p.in.wholes(points))
}
