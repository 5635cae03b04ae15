package system

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

const (
	// boundaryTrials is how many candidates there are for each point wanted. Among many, those
	// taken are about equidistant.
	boundaryTrials = 32
	// boundaryFirst is how many candidates tell what share of all outlines is boundary.
	boundaryFirst = 4096
	// boundaryStep is how far from an outline to look for the inside and the outside, relative to
	// the shape's size.
	boundaryStep = 1e-7
)

// BoundaryPoints returns n points (n x Dimensions) on the boundary of a shape, about
// equidistant, and the outward unit normals there (n x Dimensions). If part is not "", only the
// Named shape of that name counts. In one dimension the boundary has few points, and they repeat.
// It fails with a *ProblemError when there are not enough.
func BoundaryPoints(s Shape, part string, n int) (points, normals *mat.Dense, err error) {
	b := newBoundary(s, part)
	first := b.count(boundaryFirst)
	if first == 0 {
		if part != "" {
			return nil, nil, wrong("domain", "nothing of %q is the domain's boundary", part)
		}
		return nil, nil, wrong("domain", "it has no boundary: it is empty, or everything")
	}
	if s.Dimensions() == 1 {
		points, normals = b.endPoints(n)
		return points, normals, nil
	}
	trials := max(n, int(math.Ceil(boundaryFirst*boundaryTrials*(float64(n)/float64(first)))))
	return b.points(n, trials)
}

// boundary finds where the outlines of a shape's parts are its boundary: there the shape lies on one
// side and not on the other.
type boundary struct {
	shape Shape
	part  string
	step  float64 // from an outline to either side

	inside, outside []float64
	outward         []float64 // normal at the candidate that each has reached
}

func newBoundary(s Shape, part string) *boundary {
	d := s.Dimensions()
	low, high := slices.Repeat([]float64{math.Inf(1)}, d), slices.Repeat([]float64{math.Inf(-1)}, d)
	s.along(boundaryFirst, func(x, _ []float64, _ string) {
		for i, v := range x {
			low[i], high[i] = math.Min(low[i], v), math.Max(high[i], v)
		}
	})
	b := &boundary{shape: s, part: part, inside: make([]float64, d), outside: make([]float64, d), outward: make([]float64, d)}
	for i := range low {
		b.step = math.Max(b.step, boundaryStep*(high[i]-low[i]))
	}
	return b
}

// each goes through about the given number of candidates and calls f for those on the boundary. b.outward then
// holds the normal.
func (b *boundary) each(candidates int, f func(x []float64)) {
	b.shape.along(candidates, func(x, normal []float64, name string) {
		if b.part != "" && b.part != name {
			return
		}
		for i, v := range normal {
			b.inside[i], b.outside[i] = x[i]-float64(b.step*v), x[i]+float64(b.step*v)
		}
		in, out := b.shape.Contains(b.inside), b.shape.Contains(b.outside)
		if in == out {
			return
		}
		copy(b.outward, normal)
		if out { // the outline of a hole
			for i := range b.outward {
				b.outward[i] = -b.outward[i]
			}
		}
		f(x)
	})
}

// count returns how many of the candidates are on the boundary.
func (b *boundary) count(candidates int) (kept int) {
	b.each(candidates, func([]float64) { kept++ })
	return kept
}

// points picks n of the candidates on the boundary at even intervals.
func (b *boundary) points(n, candidates int) (points, normals *mat.Dense, err error) {
	kept := b.count(candidates)
	if kept < n {
		return nil, nil, wrong("domain", "of %d points wanted on the boundary only %d were found", n, kept)
	}
	d := b.shape.Dimensions()
	points, normals = mat.NewDense(n, d, nil), mat.NewDense(n, d, nil)
	seen, row := 0, 0
	b.each(candidates, func(x []float64) {
		if row < n && seen*n >= row*kept {
			copy(points.Row(row), x)
			copy(normals.Row(row), b.outward)
			row++
		}
		seen++
	})
	return points, normals, nil
}

// endPoints returns the few boundary points in one dimension, repeated in turn until there are n.
func (b *boundary) endPoints(n int) (points, normals *mat.Dense) {
	var ends, directions []float64
	b.each(1, func(x []float64) {
		if !slices.Contains(ends, x[0]) {
			ends, directions = append(ends, x[0]), append(directions, b.outward[0])
		}
	})
	points, normals = mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		points.Set(i, 0, ends[i%len(ends)])
		normals.Set(i, 0, directions[i%len(ends)])
	}
	return points, normals
}
