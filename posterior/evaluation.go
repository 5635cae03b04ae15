package posterior

import (
	"slices"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// A functional that is not linear has no row. It is evaluated from the values of the derivatives of fields that stand in
// it, which have rows.

// derivatives are those that stand in some functionals: terms without their coefficients, each once.
type derivatives []system.Term

// collect adds the derivatives in a functional.
func (d *derivatives) collect(f *system.Functional) {
	for _, t := range f.Terms {
		if t.Coefficient = nil; d.index(&t) < 0 {
			*d = append(*d, t)
		}
	}
	if n := f.Nonlinear; n != nil {
		for i := range n.Of {
			d.collect(&n.Of[i])
		}
	}
}

// index returns the number of the derivative in a term, -1 if it has not been collected.
func (d derivatives) index(t *system.Term) int {
	order := func(t *system.Term, axis int) int {
		if axis < len(t.Derivative) {
			return t.Derivative[axis]
		}
		return 0
	}
	return slices.IndexFunc(d, func(u system.Term) bool {
		if u.Field != t.Field || !u.Footprint.Equal(t.Footprint) {
			return false
		}
		for axis := range max(len(t.Derivative), len(u.Derivative)) {
			if order(&u, axis) != order(t, axis) {
				return false
			}
		}
		return true
	})
}

// evaluation is what derivatives and parameters are at n points.
type evaluation struct {
	of         derivatives
	points     *mat.Dense  // n x variables
	values     [][]float64 // of each derivative, at each point
	parameters []float64
}

// valueTo sets dst to a functional at the points.
func (e *evaluation) valueTo(dst []float64, f *system.Functional) {
	clear(dst)
	for i := range f.Terms {
		values := e.values[e.of.index(&f.Terms[i])]
		for k, c := range evaluated(f.Terms[i].Coefficient, e.points) {
			dst[k] += float64(c * values[k])
		}
	}
	for i := range f.Parameters {
		t := &f.Parameters[i]
		mat.Axpy(e.parameters[t.Parameter], evaluated(t.Coefficient, e.points), dst)
	}
	if f.Known != nil {
		mat.Axpy(1, evaluated(f.Known, e.points), dst)
	}
	if f.Nonlinear != nil {
		mat.Axpy(1, evaluated(f.Nonlinear.Value, e.extended(f.Nonlinear)), dst)
	}
}

// extended returns the points with the values of what a function is of as further coordinates.
func (e *evaluation) extended(f *system.Nonlinear) *mat.Dense {
	n, d := e.points.Dims()
	all := mat.NewDense(n, d+len(f.Of), nil)
	all.Slice(0, n, 0, d).CopyFrom(e.points)
	values := make([]float64, n)
	for j := range f.Of {
		e.valueTo(values, &f.Of[j])
		for i, v := range values {
			all.Set(i, d+j, v)
		}
	}
	return all
}

// slopes returns the derivatives of a functional at the points, with respect to the derivatives of fields and to the
// parameters; nil for those that it does not depend on.
func (e *evaluation) slopes(f *system.Functional) (onDerivatives, onParameters [][]float64) {
	onDerivatives, onParameters = make([][]float64, len(e.of)), make([][]float64, len(e.parameters))
	add := func(f *system.Functional, factor []float64) {
		to := func(slope *[]float64, coefficient system.Function) {
			more := evaluated(coefficient, e.points)
			for i := range factor {
				more[i] *= factor[i]
			}
			if *slope == nil {
				*slope = more
				return
			}
			mat.Axpy(1, more, *slope)
		}
		for i := range f.Terms {
			to(&onDerivatives[e.of.index(&f.Terms[i])], f.Terms[i].Coefficient)
		}
		for i := range f.Parameters {
			to(&onParameters[f.Parameters[i].Parameter], f.Parameters[i].Coefficient)
		}
	}
	add(f, nil)
	if f.Nonlinear == nil {
		return onDerivatives, onParameters
	}
	extended := e.extended(f.Nonlinear)
	for j, partial := range f.Nonlinear.Partials {
		if partial != nil {
			add(&f.Nonlinear.Of[j], evaluated(partial, extended))
		}
	}
	return onDerivatives, onParameters
}
