package mat

import (
	"math"

	"github.com/bpielm/bpielm/mat/asm"
)

const (
	jacobiSweeps = 40
	jacobiBlock  = 16       // rows visited together, for the cache
	jacobiZero   = 0x1p-960 // squared norms below would lose digits to underflow
	jacobiGroup  = 16       // rows that are worth a decomposition of their own
	jacobiSpread = 16       // largest ratio of their norms
)

// jacobi makes the rows of a square matrix orthogonal by plane rotations from the
// left (one-sided Jacobi), so that they become the singular values times the right
// singular vectors. Each pair is made orthogonal relative to its own norms: this
// finds small singular values as accurately as large ones where the rows differ
// only in scale.
type jacobi struct {
	kernel  *asm.Kernel
	x       *Dense    // the rows
	follow  *Dense    // rows rotated along, or nil
	order   []int     // order[p] is the row at position p, larger norms first
	squares []float64 // squared norms of the rows
	norms   []float64

	inner  Sym     // inner products of rows, of all or of a group
	stale  []bool  // rows that have been rotated since
	cosine float64 // largest between two rows met in this sweep
	change float64 // how much of other rows has come into rows, relative to their norms, summed
	eigen  SymEigen
	turned Dense // a group of rows along its principal axes
}

// run iterates until all rows are orthogonal: until a sweep finds them so, or changes
// so little that all pairs still are as it has left them. Elements must not exceed 1
// much.
func (j *jacobi) run() error {
	n := j.x.rows
	j.stale = resize(j.stale, n)
	tolerance := 0x1p-53 * max(4, math.Sqrt(float64(n)))
	for i := range n {
		j.order[i] = i
	}
	j.precondition()
	for range jacobiSweeps {
		for i := range n {
			j.measure(i)
		}
		j.inner.m.reshape(n, n)
		Syrk(NoTrans, 1, j.x, 0, &j.inner)
		clear(j.stale)
		j.cosine, j.change = tolerance, 0
		if !j.sweep(tolerance) || j.change*j.cosine <= tolerance {
			return nil
		}
	}
	return &NotConvergedError{What: "SVD", Iterations: jacobiSweeps}
}

// precondition makes groups of rows nearly orthogonal by the eigenvectors of their
// inner products, which leaves few rotations to do. That is as accurate as rotations
// are where the rows of a group are of much the same size, so groups are such.
func (j *jacobi) precondition() {
	n := j.x.rows
	for i := range n {
		j.measure(i)
	}
	for first := 0; first < n; {
		smallest, largest, last := j.norms[first], j.norms[first], first+1
		for ; last < n; last++ {
			low, high := min(smallest, j.norms[last]), max(largest, j.norms[last])
			if !(high <= jacobiSpread*low) {
				break
			}
			smallest, largest = low, high
		}
		if last-first >= jacobiGroup && smallest > 0 {
			j.orthogonaliseGroup(first, last)
		}
		first = last
	}
}

// orthogonaliseGroup turns the rows first to last-1 into their principal axes.
func (j *jacobi) orthogonaliseGroup(first, last int) {
	rows := j.x.sub(first, last, 0, j.x.cols)
	j.inner.m.reshape(last-first, last-first)
	Syrk(NoTrans, 1, &rows, 0, &j.inner)
	if j.eigen.Factorize(&j.inner, true) != nil {
		return // rotations alone do it as well
	}
	n := rows.rows
	j.turned.reshape(n, rows.cols)
	Gemm(Trans, NoTrans, 1, j.eigen.Vectors(), &rows, 0, &j.turned)
	copyReversed(&rows, &j.turned)
	if j.follow != nil { // which is the identity here
		rows = j.follow.sub(first, last, first, last)
		j.turned.reshape(n, n)
		transpose(&j.turned, j.eigen.Vectors())
		copyReversed(&rows, &j.turned)
	}
}

// copyReversed sets dst to src with the last row first: the largest eigenvalue is wanted
// there.
func copyReversed(dst, src *Dense) {
	for i := range src.rows {
		copy(dst.Row(src.rows-1-i), src.Row(i))
	}
}

// measure computes the norm of row i, and makes the row zero if it is negligible.
func (j *jacobi) measure(i int) {
	row := j.x.Row(i)
	j.squares[i] = j.kernel.Dot(row, row)
	if j.squares[i] < jacobiZero {
		clear(row)
		j.squares[i] = 0
	}
	j.norms[i] = math.Sqrt(j.squares[i])
}

// sweep visits every pair of rows once, and reports whether it rotated any.
func (j *jacobi) sweep(tolerance float64) (rotated bool) {
	n := j.x.rows
	for first := 0; first < n; first += jacobiBlock {
		for second := first; second < n; second += jacobiBlock {
			for p := first; p < min(first+jacobiBlock, n); p++ {
				for q := max(p+1, second); q < min(second+jacobiBlock, n); q++ {
					rotated = j.orthogonalise(p, q, tolerance) || rotated
				}
			}
		}
	}
	return rotated
}

// orthogonalise rotates the rows at positions p and q unless they are orthogonal
// within the tolerance, and puts the longer one first.
func (j *jacobi) orthogonalise(p, q int, tolerance float64) bool {
	a, b := j.order[p], j.order[q]
	if j.squares[a] < j.squares[b] {
		a, b = b, a
		j.order[p], j.order[q] = a, b
	}
	if j.squares[b] == 0 {
		return false
	}
	n := j.x.rows
	rowA, rowB := j.x.data[a*n:][:n], j.x.data[b*n:][:n]
	inner := j.inner.m.data[max(a, b)*n+min(a, b)]
	if j.stale[a] || j.stale[b] {
		inner = j.kernel.Dot(rowA, rowB)
	}
	if math.Abs(inner) <= tolerance*j.norms[a]*j.norms[b] {
		return false
	}
	j.cosine = max(j.cosine, math.Abs(inner)/j.norms[a]/j.norms[b])
	// tan of the angle that makes them orthogonal, the smaller of two.
	zeta := (j.squares[b] - j.squares[a]) / (2 * inner)
	t := 0.5 / zeta
	if math.Abs(zeta) < 0x1p40 {
		t = 1 / (zeta + math.Copysign(math.Sqrt(math.FMA(zeta, zeta, 1)), zeta))
	}
	s := t / math.Sqrt(math.FMA(t, t, 1))
	c := math.FMA(-s, t/(1+math.Sqrt(math.FMA(t, t, 1))), 1)
	j.change = math.FMA(math.Abs(t), j.norms[a]/j.norms[b], j.change)
	j.kernel.Rotate(c, -s, rowA, rowB)
	j.stale[a], j.stale[b] = true, true
	if j.follow != nil {
		j.kernel.Rotate(c, -s, j.follow.Row(a), j.follow.Row(b))
	}
	before := j.squares[b]
	j.squares[a] = math.FMA(-t, inner, j.squares[a])
	j.squares[b] = math.FMA(t, inner, before)
	j.norms[a] = math.Sqrt(j.squares[a])
	if j.squares[b] > before/4 {
		j.norms[b] = math.Sqrt(j.squares[b])
	} else {
		j.measure(b) // cancellation
	}
	return true
}
