package spec

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// finite refuses a functional if a coefficient or its known part is not finite at some
// point.
func (s section) finite(key string, f *system.Functional, p *system.Problem, points *mat.Dense) error {
	s.demands = append(s.demands, demand{s, key, f, points})
	if err := finiteFunctional(f, p, points); err != nil {
		return s.wrong(key, err)
	}
	return nil
}

// finiteFunctional returns an error that names what is not finite, and where.
func finiteFunctional(f *system.Functional, p *system.Problem, points *mat.Dense) error {
	err := finiteAt(f.Known, "the source", p, points)
	for i := range f.Terms {
		if err == nil {
			t := &f.Terms[i]
			err = finiteAt(t.Coefficient, "the coefficient of "+p.DerivativeName(t), p, points)
		}
	}
	for i := range f.Parameters {
		if err == nil {
			t := &f.Parameters[i]
			err = finiteAt(t.Coefficient, "the coefficient of "+p.Parameters[t.Parameter].Name, p, points)
		}
	}
	return err
}

// finiteAt returns an error that names the first point at which a function is not finite.
func finiteAt(f system.Function, what string, p *system.Problem, points *mat.Dense) error {
	if f == nil {
		return nil
	}
	values := make([]float64, min(chunk, points.Rows()))
	for first := 0; first < points.Rows(); first += chunk {
		part := points.Slice(first, min(first+chunk, points.Rows()), 0, points.Cols())
		values = values[:part.Rows()]
		f.EvalTo(values, part)
		for i, v := range values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				outside := ""
				if math.IsNaN(v) && looksUp(f) {
					outside = ", as outside of a table,"
				}
				return fmt.Errorf("%s is %g%s at %s", what, v, outside, at(p, part.Row(i)))
			}
		}
	}
	return nil
}

// looksUp reports whether a function's expression uses a table.
func looksUp(f system.Function) bool {
	p, ok := f.(*program)
	return ok && slices.ContainsFunc(p.code, func(i instruction) bool { return i.table != nil })
}

// at writes a point as x = 0, y = 0.
func at(p *system.Problem, x []float64) string {
	coordinates := make([]string, len(x))
	for i, v := range p.Variables {
		coordinates[i] = fmt.Sprintf("%s = %.6g", v.Name, x[i])
	}
	return strings.Join(coordinates, ", ")
}

// fromFile attributes an error about a file as a whole to the key that names the file. An
// error inside the file keeps its own line.
func (s section) fromFile(key, name string, err error) error {
	var e *Error
	if errors.As(err, &e) && (e.Line > 0 || e.Key != "" || e.Limit) {
		return err
	}
	if e != nil {
		err = errors.New(e.Why)
	}
	return s.wrong(key, fmt.Errorf("%s: %w", shorten(name), err))
}
