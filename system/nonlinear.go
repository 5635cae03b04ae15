package system

import (
	"math"
	"reflect"
	"slices"
	"sync"

	"github.com/bpielm/bpielm/mat"
)

// Nonlinear is a smooth function of the place and of what some functionals are there: a product of fields, a power of
// a gradient, a rate that depends on a temperature.
type Nonlinear struct {
	// Of are what it is a function of. They have no nonlinear part of their own.
	Of []Functional
	// Value and Partials, its derivatives with respect to each of them, are evaluated at places that have the values
	// of the functionals as further coordinates. A nil derivative is 0.
	Value    Function
	Partials []Function
}

// State is where a nonlinear problem is linearised: what its unknowns are there. ValueTo sets dst to the values of a
// functional without a nonlinear part at points, NaN where they cannot be told. It must be safe for concurrent use.
type State interface {
	ValueTo(dst []float64, f *Functional, points *mat.Dense)
}

// IsLinear tells whether all equations, conditions and sensors of a problem are linear in fields and parameters.
func (p *Problem) IsLinear() bool {
	for _, e := range p.Demands() {
		if e.Residual.Nonlinear != nil {
			return false
		}
	}
	return !slices.ContainsFunc(p.Sensors, func(s Sensors) bool { return s.Measures.Nonlinear != nil })
}

// Linearise returns the problem as it is near a state, to first order: its fields and parameters are those of p, and
// so are their values, not what they differ by from the state. The coefficients of p become the last parameters, each
// the standard normal number z that stands for it, see Coefficient.Value; at is what these are at the state.
func (p *Problem) Linearise(state State, at []float64) *Problem {
	if n := len(p.Coefficients); n != len(at) {
		panic(mat.Error("system: Linearise: one number for each coefficient is needed"))
	}
	q := *p
	q.Coefficients = nil
	q.Parameters = slices.Clone(p.Parameters)
	values := make([]float64, len(at))
	for k := range p.Coefficients {
		c := &p.Coefficients[k]
		q.Parameters = append(q.Parameters, Parameter{Name: c.Name, SD: 1})
		values[k] = c.Value(at[k])
	}
	linear := func(f *Functional) Functional {
		g := f.With(values)
		g = g.linearise(state)
		for k := range p.Coefficients {
			g.addSlope(f, state, p.Coefficients, at, values, k, len(p.Parameters)+k)
		}
		return g
	}
	q.Equations, q.Conditions = slices.Clone(p.Equations), slices.Clone(p.Conditions)
	for _, e := range q.Demands() {
		e.Residual = linear(&e.Residual)
	}
	q.Sensors = slices.Clone(p.Sensors)
	for i := range q.Sensors {
		q.Sensors[i].Measures = linear(&q.Sensors[i].Measures)
	}
	return &q
}

// linearise is the functional to first order about a state.
func (f *Functional) linearise(state State) Functional {
	if f.Nonlinear == nil {
		return *f
	}
	l := &linearised{of: f.Nonlinear, state: state}
	g := Functional{Terms: slices.Clone(f.Terms), Parameters: slices.Clone(f.Parameters), Known: f.Known}
	for j := range f.Nonlinear.Of {
		if f.Nonlinear.Partials[j] == nil {
			continue
		}
		slope := &partial{l, j}
		of := &f.Nonlinear.Of[j]
		for _, t := range of.Terms {
			t.Coefficient = product(slope, t.Coefficient)
			g.Terms = append(g.Terms, t)
		}
		for _, t := range of.Parameters {
			t.Coefficient = product(slope, t.Coefficient)
			g.Parameters = append(g.Parameters, t)
		}
	}
	g.Known = sum(f.Known, &rest{l})
	return g
}

// Values sets dst to the functional at points for a state: its linear and its nonlinear part.
func (f *Functional) Values(dst []float64, state State, points *mat.Dense) {
	linear := *f
	linear.Nonlinear = nil
	state.ValueTo(dst, &linear, points)
	if f.Nonlinear == nil {
		return
	}
	l := &linearised{of: f.Nonlinear, state: state}
	more := make([]float64, len(dst))
	f.Nonlinear.Value.EvalTo(more, l.extended(points))
	mat.Axpy(1, more, dst)
}

// slopeStep is the difference in z by which a functional is differentiated: the third root of double precision.
const slopeStep = 0x1p-17

// addSlope adds the derivative of f with respect to the number of coefficient k, at a state.
func (g *Functional) addSlope(f *Functional, state State, coefficients []Coefficient, at, values []float64, k, parameter int) {
	if !f.Depends(values) {
		return
	}
	moved := func(z float64) Functional {
		v := slices.Clone(values)
		v[k] = coefficients[k].Value(z)
		return f.With(v)
	}
	up, down := moved(at[k]+slopeStep), moved(at[k]-slopeStep)
	s := &slope{state: state, up: up, down: down, kept: &kept{}}
	g.Parameters = append(g.Parameters, ParameterTerm{Parameter: parameter, Coefficient: s})
	g.Known = sum(g.Known, Scaled(s, -at[k]))
}

// Depends tells whether a function of f is another one at other values of the coefficients.
func (f *Functional) Depends(values []float64) bool {
	for _, t := range f.Terms {
		if differs(t.Coefficient, values) {
			return true
		}
	}
	for _, t := range f.Parameters {
		if differs(t.Coefficient, values) {
			return true
		}
	}
	if n := f.Nonlinear; n != nil {
		if differs(n.Value, values) {
			return true
		}
		for i := range n.Of {
			if n.Of[i].Depends(values) {
				return true
			}
		}
	}
	return differs(f.Known, values)
}

// differs tells whether a function is another one at values of the coefficients. Those that cannot be compared count
// as such.
func differs(f Function, values []float64) bool {
	d, ok := f.(Dependent)
	if !ok {
		return false
	}
	return !reflect.ValueOf(f).Comparable() || d.With(values) != f
}

// kept remembers what was made of points, since several functions are asked for at the same ones. It compares
// coordinates, for points may be overwritten.
type kept struct {
	lock sync.Mutex
	rows int
	of   map[uint64][]keptPoints
}

type keptPoints struct{ points, made *mat.Dense }

// mostKept bounds the points that are remembered.
const mostKept = 1 << 16

func (k *kept) get(points *mat.Dense, compute func() *mat.Dense) *mat.Dense {
	key := uint64(points.Rows())
	for i := range points.Rows() {
		for _, v := range points.Row(i) {
			key = (key ^ math.Float64bits(v)) * 0x9e3779b97f4a7c15
			key ^= key >> 29
		}
	}
	k.lock.Lock()
	for _, e := range k.of[key] {
		if e.points.Equal(points) {
			k.lock.Unlock()
			return e.made
		}
	}
	k.lock.Unlock()
	made := compute()
	k.lock.Lock()
	defer k.lock.Unlock()
	if k.rows+points.Rows() > mostKept || k.of == nil {
		k.rows, k.of = 0, map[uint64][]keptPoints{}
	}
	k.rows += points.Rows()
	k.of[key] = append(k.of[key], keptPoints{points.Clone(), made})
	return made
}

// linearised is a nonlinear function at a state.
type linearised struct {
	of    *Nonlinear
	state State
	kept  kept
}

// extended returns points with the values of the functionals as further coordinates.
func (l *linearised) extended(points *mat.Dense) *mat.Dense {
	return l.kept.get(points, func() *mat.Dense {
		n, d := points.Dims()
		all := mat.NewDense(n, d+len(l.of.Of), nil)
		all.Slice(0, n, 0, d).CopyFrom(points)
		values := make([]float64, n)
		for j := range l.of.Of {
			l.state.ValueTo(values, &l.of.Of[j], points)
			for i, v := range values {
				all.Set(i, d+j, v)
			}
		}
		return all
	})
}

// partial is the derivative with respect to functional j.
type partial struct {
	*linearised
	j int
}

// EvalTo implements Function.
func (p *partial) EvalTo(dst []float64, points *mat.Dense) {
	p.of.Partials[p.j].EvalTo(dst, p.extended(points))
}

// rest is what does not depend on the unknowns: the value at the state, less the partial derivatives times the
// functionals.
type rest struct{ *linearised }

// EvalTo implements Function.
func (r *rest) EvalTo(dst []float64, points *mat.Dense) {
	all, d := r.extended(points), points.Cols()
	r.of.Value.EvalTo(dst, all)
	slope, known := make([]float64, len(dst)), make([]float64, len(dst))
	for j := range r.of.Of {
		if r.of.Partials[j] == nil {
			continue
		}
		r.of.Partials[j].EvalTo(slope, all)
		clear(known)
		if f := r.of.Of[j].Known; f != nil { // it stays where it is
			f.EvalTo(known, points)
		}
		for i := range dst {
			dst[i] -= float64(slope[i] * (all.At(i, d+j) - known[i]))
		}
	}
}

// slope is the derivative of a functional with respect to the number of a coefficient.
type slope struct {
	state    State
	up, down Functional
	kept     *kept
}

// EvalTo implements Function.
func (s *slope) EvalTo(dst []float64, points *mat.Dense) {
	made := s.kept.get(points, func() *mat.Dense {
		m := mat.NewDense(2, points.Rows(), nil)
		s.up.Values(m.Row(0), s.state, points)
		s.down.Values(m.Row(1), s.state, points)
		return m
	})
	for i := range dst {
		dst[i] = (made.At(0, i) - made.At(1, i)) / (2 * slopeStep)
	}
}

// product is a times b, where nil is 1.
func product(a, b Function) Function {
	if b == nil {
		return a
	}
	if c, ok := b.(Constant); ok {
		return Scaled(a, float64(c))
	}
	return &pair{a, b, true}
}

// sum is a plus b, where nil is 0.
func sum(a, b Function) Function {
	if a == nil {
		return b
	}
	return &pair{a, b, false}
}

// pair is the product or the sum of two functions.
type pair struct {
	a, b  Function
	times bool
}

// EvalTo implements Function.
func (p *pair) EvalTo(dst []float64, points *mat.Dense) {
	other := make([]float64, len(dst))
	p.a.EvalTo(dst, points)
	p.b.EvalTo(other, points)
	for i, v := range other {
		if p.times {
			dst[i] *= v
		} else {
			dst[i] += v
		}
	}
}

// with is the nonlinear function at values of coefficients.
func (n *Nonlinear) with(coefficients []float64) *Nonlinear {
	if n == nil {
		return nil
	}
	m := &Nonlinear{Value: with(n.Value, coefficients)}
	for i := range n.Of {
		m.Of = append(m.Of, n.Of[i].With(coefficients))
	}
	for _, f := range n.Partials {
		m.Partials = append(m.Partials, with(f, coefficients))
	}
	return m
}
