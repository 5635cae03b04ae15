package mat

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat/asm"
)

// implicitQL computes the eigenvalues of a symmetric tridiagonal matrix by QL with
// implicit shifts (Dubrulle, Martin and Wilkinson, 1968), in no particular order.
type implicitQL struct {
	values []float64  // the diagonal, then the eigenvalues
	off    []float64  // the off-diagonal; destroyed
	order  []int      // row of turned that belongs to each value
	turned *rotations // rows to rotate as well, or nil
}

// eigenIterations is the number of QL steps allowed for each eigenvalue.
const eigenIterations = 60

// run computes the eigenvalues, block by block, or returns a *NotConvergedError.
func (e *implicitQL) run(k *asm.Kernel) error {
	n := len(e.values)
	for i := range n {
		e.order[i] = i
	}
	steps := 0
	for first := 0; first < n; {
		last := e.blockEnd(first, n-1)
		end := last + 1
		if math.Abs(e.values[last]) < math.Abs(e.values[first]) {
			// QL converges at the top: in a graded block the small end belongs there.
			slices.Reverse(e.values[first:end])
			slices.Reverse(e.off[first:last])
			slices.Reverse(e.order[first:end])
		}
		for first < end {
			m := e.blockEnd(first, last)
			if m == first {
				first++
				continue
			}
			if steps++; steps > eigenIterations*n {
				return &NotConvergedError{What: "symmetric eigenvalues", Iterations: steps - 1}
			}
			e.step(k, first, m)
		}
	}
	return nil
}

// blockEnd returns the last row of the block that begins at first: the next row, at most
// last, below which the off-diagonal element is negligible.
func (e *implicitQL) blockEnd(first, last int) int {
	const epsilon, tiny = 0x1p-53, 0x1p-500 // for elements up to 1
	for m := first; m < last; m++ {
		off, above, below := math.Abs(e.off[m]), math.Abs(e.values[m]), math.Abs(e.values[m+1])
		if off > epsilon*max(above, below) && off > tiny {
			continue // the common case, without square roots
		}
		if off <= epsilon*math.Sqrt(above)*math.Sqrt(below) || off <= tiny {
			return m
		}
	}
	return last
}

// step does one QL step with Wilkinson's shift on the block of rows l to m.
func (e *implicitQL) step(k *asm.Kernel, l, m int) {
	d, off := e.values, e.off
	g := (d[l+1] - d[l]) / (2 * off[l])
	g = d[m] - d[l] + off[l]/(g+math.Copysign(hypot(g, 1), g))
	if e.turned != nil {
		// Rows of a block are in order, or in reverse order.
		e.turned.begin(k, e.order[m], e.order[m-1]-e.order[m])
	}
	s, c, p := 1.0, 1.0, 0.0
	for i := m - 1; i >= l; i-- {
		f, b := s*off[i], c*off[i]
		square := asm.FMA(f, f, float64(g*g))
		r := math.Sqrt(square)
		if !safeSquare(square) {
			r = hypot(f, g)
			if r == 0 { // the block splits here
				d[i+1] -= p
				off[m] = 0
				return
			}
		}
		r = math.Copysign(r, g) // so that the cosine is not negative
		c, s = g/r, f/r
		if i < m-1 {
			off[i+1] = r
		}
		g = d[i+1] - p
		r = asm.FMA(d[i]-g, s, 2*c*b)
		p = float64(s * r)
		d[i+1] = g + p
		g = asm.FMA(c, r, -b)
		if e.turned != nil {
			e.turned.add(c, s)
		}
	}
	d[l] -= p
	off[l] = g
}
