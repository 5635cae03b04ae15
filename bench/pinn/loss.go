package pinn

import (
	"fmt"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// UnsupportedError reports a derivative that the network does not support. It supports first
// and second derivatives in each variable, but not mixed ones.
type UnsupportedError struct{ Where, Why string }

func (e *UnsupportedError) Error() string { return e.Where + ": " + e.Why }

// components are the derivatives that are propagated with a value: first ones in some
// variables, and second ones in some of these.
type components struct {
	first  []int // variables
	second []int // positions in first
}

// count returns the number of components: the value, the first and the second derivatives.
func (c *components) count() int { return 1 + len(c.first) + len(c.second) }

// need returns the number of the component for a derivative, adding it if necessary. The
// number is provisional: see settle.
func (c *components) need(derivative []int) (int, error) {
	variable, order := -1, 0
	for d, k := range derivative {
		if k > 0 {
			if variable >= 0 {
				return 0, fmt.Errorf("a derivative in more than one variable")
			}
			variable, order = d, k
		}
	}
	if order == 0 {
		return 0, nil
	}
	if order > 2 {
		return 0, fmt.Errorf("a derivative of order %d", order)
	}
	at := position(&c.first, variable)
	if order == 1 {
		return 1 + at, nil
	}
	return -1 - position(&c.second, at), nil // its number depends on how many first ones there will be
}

// settle turns a result of need into the component's final number.
func (c *components) settle(n int) int {
	if n < 0 {
		return len(c.first) - n
	}
	return n
}

// position returns the index of v in list, after appending it if necessary.
func position(list *[]int, v int) int {
	for i, w := range *list {
		if w == v {
			return i
		}
	}
	*list = append(*list, v)
	return len(*list) - 1
}

// term is one component of one field in the residual, with its coefficient at
// every point.
type term struct {
	component, field int
	coefficient      []float64
}

// parameterTerm is an unknown parameter in the residual.
type parameterTerm struct {
	parameter   int
	coefficient []float64
}

// block is one equation, condition or group of sensors. At each of its points it has a
// residual that should vanish,
//
//	sum of terms + sum of parameters + known,
//
// and it adds weight times the mean of the squares to the loss.
type block struct {
	components components
	points     *mat.Dense // in normalised coordinates
	terms      []term
	parameters []parameterTerm
	known      []float64
	weight     float64
}

// newBlock evaluates a functional's coefficients at points. values, if not nil, are subtracted
// from it.
func newBlock(where string, p *system.Problem, f *system.Functional, points *mat.Dense, values []float64, weight float64) (*block, error) {
	n := points.Rows()
	b := &block{points: normalised(p, points), known: make([]float64, n), weight: weight}
	for i := range f.Terms {
		t := &f.Terms[i]
		if t.Footprint != nil {
			return nil, &UnsupportedError{where, "a term with a footprint is not supported by the network"}
		}
		c, err := b.components.need(t.Derivative)
		if err != nil {
			return nil, &UnsupportedError{where, err.Error() + " is not supported by the network"}
		}
		coefficient := evaluate(t.Coefficient, points)
		for d, k := range t.Derivative {
			half := (p.Variables[d].Max - p.Variables[d].Min) / 2
			for range k {
				for r := range coefficient {
					coefficient[r] /= half
				}
			}
		}
		b.terms = append(b.terms, term{c, t.Field, coefficient})
	}
	for i := range b.terms {
		b.terms[i].component = b.components.settle(b.terms[i].component)
	}
	for i := range f.Parameters {
		t := &f.Parameters[i]
		b.parameters = append(b.parameters, parameterTerm{t.Parameter, evaluate(t.Coefficient, points)})
	}
	if f.Known != nil {
		f.Known.EvalTo(b.known, points)
	}
	for i, v := range values {
		b.known[i] -= v
	}
	return b, nil
}

// evaluate returns a coefficient at every point; nil is 1.
func evaluate(f system.Function, points *mat.Dense) []float64 {
	v := make([]float64, points.Rows())
	if f == nil {
		f = system.Constant(1)
	}
	f.EvalTo(v, points)
	return v
}

// normalised maps the bounding box to [-1, 1] in every variable.
func normalised(p *system.Problem, points *mat.Dense) *mat.Dense {
	x := points.Clone()
	for d, v := range p.Variables {
		half := (v.Max - v.Min) / 2
		for i := range x.Rows() {
			x.Set(i, d, (x.At(i, d)-v.Min)/half-1)
		}
	}
	return x
}

// residual sets r to the residuals at the points from first on. The rows of out are the
// outputs there, components stacked.
func (b *block) residual(r []float64, out *mat.Dense, first int, parameters []float64) {
	n := len(r)
	copy(r, b.known[first:first+n])
	for _, t := range b.terms {
		for i := range r {
			r[i] += t.coefficient[first+i] * out.At(t.component*n+i, t.field)
		}
	}
	for _, t := range b.parameters {
		for i := range r {
			r[i] += t.coefficient[first+i] * parameters[t.parameter]
		}
	}
}

// adjoint turns the gradient r in the residuals into the gradient in the outputs, which it
// stores in out, and in the parameters, to which it adds.
func (b *block) adjoint(out *mat.Dense, parameters, r []float64, first int) {
	n := len(r)
	out.Zero()
	for _, t := range b.terms {
		for i, g := range r {
			at := t.component*n + i
			out.Set(at, t.field, out.At(at, t.field)+t.coefficient[first+i]*g)
		}
	}
	for _, t := range b.parameters {
		for i, g := range r {
			parameters[t.parameter] += t.coefficient[first+i] * g
		}
	}
}
