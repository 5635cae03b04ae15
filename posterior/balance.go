package posterior

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Equations are relative to their largest term. Where coefficients differ by orders of magnitude
// between parts of the domain, such as 1/r^2, the largest term of one part would make the equation
// meaningless in another. Then it is relative to the largest term at each point.

// unbalanced is the ratio of the largest terms at two points above which this is done.
const unbalanced = 100

// balanced returns the problem with such equations and conditions divided by their largest term at
// each point; the problem itself where there are none. Those with an sd in their own units stay as
// they are.
func balanced(p *system.Problem) *system.Problem {
	q := *p
	q.Equations, q.Conditions = slices.Clone(p.Equations), slices.Clone(p.Conditions)
	changed := false
	for _, e := range q.Demands() {
		b := balanceOf(p, e)
		if !b.applies() {
			continue
		}
		e.Residual, changed = b.divided(&e.Residual), true
	}
	if !changed {
		return p
	}
	return &q
}

// balance is the largest term of an equation, by which it is divided.
type balance struct {
	problem *system.Problem
	terms   []system.Term
	units   []float64 // sizes of terms of coefficient 1

	// Rows of the equation are made again for each layer, chunk by chunk, so sizes at its own points are kept. A chunk is recognised
	// by where its first point lies in memory.
	kept   []float64 // nil: none
	chunks []*float64
}

func balanceOf(p *system.Problem, e *system.Demand) *balance {
	b := &balance{problem: p, terms: e.Residual.Terms}
	for j := range b.terms {
		b.units = append(b.units, steepness(p, &b.terms[j], halfWaves, 1))
	}
	if e.SD == 0 && len(b.terms) > 0 {
		b.kept = b.sizes(e.Points)
		for first := 0; first < e.Points.Rows(); first += chunkRows {
			b.chunks = append(b.chunks, &e.Points.Row(first)[0])
		}
	}
	return b
}

// applies tells whether the equation is to be divided: whether the sizes at its points differ much, and are all finite and positive.
func (b *balance) applies() bool {
	if len(b.kept) == 0 {
		return false
	}
	least, most := slices.Min(b.kept), slices.Max(b.kept)
	return least > 0 && finite(most) && most > unbalanced*least
}

// sizes returns the largest term at each point. The slice may be shared.
func (b *balance) sizes(points *mat.Dense) []float64 {
	if points.Rows() > 0 {
		first := chunkRows * slices.Index(b.chunks, &points.Row(0)[0])
		if first >= 0 && first+points.Rows() <= len(b.kept) {
			return b.kept[first : first+points.Rows()]
		}
	}
	largest := make([]float64, points.Rows())
	for i := range b.terms {
		for k, v := range magnitudes(b.problem, &b.terms[i], points) {
			largest[k] = math.Max(largest[k], math.Abs(v)*b.units[i])
		}
	}
	return largest
}

// divided returns a functional divided by the sizes.
func (b *balance) divided(f *system.Functional) system.Functional {
	g := system.Functional{}
	for _, t := range f.Terms {
		t.Coefficient = &quotient{t.Coefficient, b}
		g.Terms = append(g.Terms, t)
	}
	for _, t := range f.Parameters {
		t.Coefficient = &quotient{t.Coefficient, b}
		g.Parameters = append(g.Parameters, t)
	}
	if f.Known != nil {
		g.Known = &quotient{f.Known, b}
	}
	return g
}

// quotient is a function divided by the sizes of a balance; nil is 1.
type quotient struct {
	of system.Function
	by *balance
}

// EvalTo implements system.Function.
func (q *quotient) EvalTo(dst []float64, points *mat.Dense) {
	of := q.of
	if of == nil {
		of = system.Constant(1)
	}
	of.EvalTo(dst, points)
	for i, v := range q.by.sizes(points) {
		dst[i] /= v
	}
}
