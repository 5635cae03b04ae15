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

// IsLinear reports whether all equations, conditions and sensors of a problem are linear in fields and parameters.
func (p *Problem) IsLinear() bool {
	for _, e := range p.Demands() {
		if e.Residual.Nonlinear != nil {
			return false
		}
	}
	return !slices.ContainsFunc(p.Sensors, func(s Sensors) bool { return s.Measures.Nonlinear != nil })
}

// Linearise returns the problem to first order about a state. Its unknowns are the fields and parameters of p
// themselves, not their differences from the state. After them come further parameters, one for each coefficient of p:
// the standard normal number that stands for it, see Coefficient.Value. In the state these have the values at.
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
	s := &slope{state: state, up: up, down: down, cache: &cache{}}
	g.Parameters = append(g.Parameters, ParameterTerm{Parameter: parameter, Coefficient: s})
	g.Known = sum(g.Known, Scaled(s, -at[k]))
}

// Depends reports whether f is another functional if the coefficients take these values.
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

// differs reports whether a function is another one if the coefficients take these values. A function that cannot be
// compared counts as another one.
func differs(f Function, values []float64) bool {
	d, ok := f.(Dependent)
	if !ok {
		return false
	}
	return !reflect.ValueOf(f).Comparable() || d.With(values) != f
}

// cache holds what was made of points, since several functions are evaluated at the same ones. It compares the
// coordinates, because the caller may overwrite points.
type cache struct {
	lock sync.Mutex
	rows int
	of   map[uint64][]cachedPoints
}

type cachedPoints struct{ points, made *mat.Dense }

// mostCached bounds the number of points in a cache.
const mostCached = 1 << 16

func (c *cache) get(points *mat.Dense, compute func() *mat.Dense) *mat.Dense {
	key := uint64(points.Rows())
	for i := range points.Rows() {
		for _, v := range points.Row(i) {
			key = (key ^ math.Float64bits(v)) * 0x9e3779b97f4a7c15
			key ^= key >> 29
		}
	}
	c.lock.Lock()
	for _, e := range c.of[key] {
		if e.points.Equal(points) {
			c.lock.Unlock()
			return e.made
		}
	}
	c.lock.Unlock()
	made := compute()
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.rows+points.Rows() > mostCached || c.of == nil {
		c.rows, c.of = 0, map[uint64][]cachedPoints{}
	}
	c.rows += points.Rows()
	c.of[key] = append(c.of[key], cachedPoints{points.Clone(), made})
	return made
}

// linearised is a nonlinear function F of functionals v at a state, where they have the values v0. To first order,
//
//	F(v) = F(v0) + sum_j F_j(v0) (v_j - v0_j),
//
// in which the partial derivative F_j multiplies the terms of v_j, and the rest is known.
type linearised struct {
	of    *Nonlinear
	state State
	cache cache
}

// extended returns points with the values of the functionals as further coordinates.
func (l *linearised) extended(points *mat.Dense) *mat.Dense {
	return l.cache.get(points, func() *mat.Dense {
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

// partial is F_j.
type partial struct {
	*linearised
	j int
}

// EvalTo implements Function.
func (p *partial) EvalTo(dst []float64, points *mat.Dense) {
	p.of.Partials[p.j].EvalTo(dst, p.extended(points))
}

// rest is what does not depend on the unknowns: F(v0) less the sum of F_j(v0) times v0_j without its known part,
// which is not among the terms.
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
		if f := r.of.Of[j].Known; f != nil {
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
	cache    *cache
}

// EvalTo implements Function.
func (s *slope) EvalTo(dst []float64, points *mat.Dense) {
	made := s.cache.get(points, func() *mat.Dense {
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

// Weakened returns the problem with the nonlinear parts of its equations and conditions times share: at 0 these are linear,
// at 1 they are those of p. Where there is no other part they stay what they are, and so do sensors.
func (p *Problem) Weakened(share float64) *Problem {
	q := *p
	q.Equations, q.Conditions = slices.Clone(p.Equations), slices.Clone(p.Conditions)
	for _, e := range q.Demands() {
		if e.Residual.Nonlinear != nil && len(e.Residual.Terms) > 0 {
			e.Residual.Nonlinear = e.Residual.Nonlinear.times(share)
		}
	}
	return &q
}

// times is the nonlinear function times a factor.
func (n *Nonlinear) times(factor float64) *Nonlinear {
	m := &Nonlinear{Of: n.Of, Value: Scaled(n.Value, factor), Partials: slices.Clone(n.Partials)}
	for i, f := range m.Partials {
		if f != nil {
			m.Partials[i] = Scaled(f, factor)
		}
	}
	return m
}
