package mat

import (
	"math"

	"github.com/bpielm/bpielm/mat/asm"
)

// jacobi makes the rows of a square matrix orthogonal by plane rotations from the
// left (one-sided Jacobi), so that they become the singular values times the right
// singular vectors. Each pair is made orthogonal relative to its own norms: this
// finds small singular values as accurately as large ones where the rows differ
// only in scale.
//
// Groups of rows of much the same norm are turned into the principal axes of their inner
// products first, which leaves few rotations to do, and rotations so small that they hardly
// change anything for each other are done at once.
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
	leave  bool    // small rotations are many, and wait until all are small
	left   bool    // some have been left

	parts    []float64
	tangents Dense // of the rotations done together
	eigen    SymEigen
	turned   Dense // a group of rows along its principal axes
}

const (
	jacobiSweeps = 40
	jacobiZero   = 0x1p-960 // squared norms below would lose digits to underflow
	jacobiSpread = 1 << 12  // largest ratio of their norms
	jacobiClose  = 16       // the same where a wider group would lose digits
	jacobiSmall  = 0x1p-30  // rotations that change rows by less may be done together
)

// run iterates until all rows are orthogonal: until they are found so, or a sweep
// changes so little that all pairs still are as it has left them, or all rotations that
// are left are so small that they are done at once. Elements must not exceed 1 much.
func (j *jacobi) run() error {
	n := j.x.rows
	j.stale = resize(j.stale, n)
	tolerance := 0x1p-53 * max(4, math.Sqrt(float64(n)))
	for i := range n {
		j.order[i] = i
	}
	j.precondition(0, n, jacobiSpread)
	for range jacobiSweeps {
		for i := range n {
			j.measure(i)
		}
		j.inner.m.reshape(n, n)
		Syrk(NoTrans, 1, j.x, 0, &j.inner)
		small, large := j.count(tolerance)
		j.leave = small > n
		switch {
		case small+large == 0:
			return nil
		case large == 0 && j.leave:
			j.turnBy(j.x)
			if j.follow != nil {
				j.turnBy(j.follow)
			}
			return nil
		}
		clear(j.stale)
		j.cosine, j.change, j.left = tolerance, 0, false
		j.sweep(tolerance)
		if !j.left && j.change*j.cosine <= tolerance {
			return nil
		}
	}
	return &NotConvergedError{What: "SVD", Iterations: jacobiSweeps}
}

// precondition makes groups of the rows first to end-1 nearly orthogonal by the
// eigenvectors of their inner products, which leaves few rotations to do. The ratio of
// norms in a group is at most spread.
func (j *jacobi) precondition(first, end int, spread float64) {
	for i := first; i < end; i++ {
		j.measure(i)
	}
	for first < end {
		smallest, largest, last := j.norms[first], j.norms[first], first+1
		for ; last < end; last++ {
			low, high := min(smallest, j.norms[last]), max(largest, j.norms[last])
			if !(high <= spread*low) {
				break
			}
			smallest, largest = low, high
		}
		if last-first >= jacobiGroup && smallest > 0 && !j.orthogonaliseGroup(first, last, spread > jacobiClose) && spread > jacobiClose {
			j.precondition(first, last, jacobiClose)
		}
		first = last
	}
}

// orthogonaliseGroup turns the rows first to last-1 into their principal axes, and
// reports whether it has: not if it is to be careful and rows would lose digits.
func (j *jacobi) orthogonaliseGroup(first, last int, careful bool) bool {
	rows := j.x.sub(first, last, 0, j.x.cols)
	j.inner.m.reshape(last-first, last-first)
	Syrk(NoTrans, 1, &rows, 0, &j.inner)
	if j.eigen.Factorize(&j.inner, true) != nil || careful && !j.safe(first) {
		return false // rotations alone do it as well
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
	return true
}

// safe reports whether rows from first on can be multiplied by the eigenvectors: whether
// what is added up for each new row, and rounded, is of much the same size as that row.
func (j *jacobi) safe(first int) bool {
	const loss = 32
	values, vectors := j.eigen.Values(), j.eigen.Vectors()
	j.parts = resize(j.parts, len(values))
	clear(j.parts)
	for i := range values {
		square := j.squares[first+i]
		for c, v := range vectors.Row(i) {
			j.parts[c] = asm.FMA(float64(v*v), square, j.parts[c])
		}
	}
	for c, v := range values {
		if !(j.parts[c] <= loss*loss*v) {
			return false
		}
	}
	return true
}

// copyReversed sets dst to src with the last row first: the largest eigenvalue is wanted
// there.
func copyReversed(dst, src *Dense) {
	for i := range src.rows {
		copy(dst.Row(src.rows-1-i), src.Row(i))
	}
}

// count counts the rotations that are to be done, and sets the tangents of the small
// ones, which hardly change anything for each other.
func (j *jacobi) count(tolerance float64) (small, large int) {
	n := j.x.rows
	j.tangents.Reset(n, n)
	for a := range n {
		for b, inner := range j.inner.m.data[a*n:][:a] {
			if math.Abs(inner) <= tolerance*j.norms[a]*j.norms[b] || j.squares[a] == 0 || j.squares[b] == 0 {
				continue
			}
			t := inner / (j.squares[a] - j.squares[b])
			if j.rowChange(t, a, b) <= jacobiSmall {
				j.tangents.data[a*n+b], j.tangents.data[b*n+a] = t, -t
				small++
			} else {
				large++
			}
		}
	}
	return small, large
}

// rowChange returns how much a rotation by t changes rows a and b, relative to their
// norms.
func (j *jacobi) rowChange(t float64, a, b int) float64 {
	return math.Abs(t) * (max(j.norms[a], j.norms[b]) / min(j.norms[a], j.norms[b]))
}

// turnBy multiplies rows by 1 + tangents.
func (j *jacobi) turnBy(rows *Dense) {
	j.turned.reshape(rows.rows, rows.cols)
	j.turned.CopyFrom(rows)
	Gemm(NoTrans, NoTrans, 1, &j.tangents, &j.turned, 1, rows)
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

// sweep visits every pair of rows once.
func (j *jacobi) sweep(tolerance float64) {
	n := j.x.rows
	for first := 0; first < n; first += jacobiBlock {
		for second := first; second < n; second += jacobiBlock {
			for p := first; p < min(first+jacobiBlock, n); p++ {
				for q := max(p+1, second); q < min(second+jacobiBlock, n); q++ {
					j.orthogonalise(p, q, tolerance)
				}
			}
		}
	}
}

// orthogonalise rotates the rows at positions p and q unless they are orthogonal
// within the tolerance, and puts the longer one first.
func (j *jacobi) orthogonalise(p, q int, tolerance float64) {
	a, b := j.order[p], j.order[q]
	if j.squares[a] < j.squares[b] {
		a, b = b, a
		j.order[p], j.order[q] = a, b
	}
	if j.squares[b] == 0 {
		return
	}
	n := j.x.rows
	rowA, rowB := j.x.data[a*n:][:n], j.x.data[b*n:][:n]
	inner := j.inner.m.data[max(a, b)*n+min(a, b)]
	if j.stale[a] || j.stale[b] {
		inner = j.kernel.Dot(rowA, rowB)
	}
	if math.Abs(inner) <= tolerance*j.norms[a]*j.norms[b] {
		return
	}
	if small := inner / (j.squares[a] - j.squares[b]); j.leave && j.rowChange(small, a, b) <= jacobiSmall {
		j.left = true
		return
	}
	j.cosine = max(j.cosine, math.Abs(inner)/j.norms[a]/j.norms[b])
	// tan of the angle that makes them orthogonal, the smaller of two.
	zeta := (j.squares[b] - j.squares[a]) / (2 * inner)
	t := 0.5 / zeta
	if math.Abs(zeta) < 0x1p40 {
		t = 1 / (zeta + math.Copysign(math.Sqrt(asm.FMA(zeta, zeta, 1)), zeta))
	}
	s := t / math.Sqrt(asm.FMA(t, t, 1))
	c := asm.FMA(-s, t/(1+math.Sqrt(asm.FMA(t, t, 1))), 1)
	j.change += float64(j.rowChange(t, a, b))
	j.kernel.Rotate(c, -s, rowA, rowB)
	j.stale[a], j.stale[b] = true, true
	if j.follow != nil {
		j.kernel.Rotate(c, -s, j.follow.Row(a), j.follow.Row(b))
	}
	before := j.squares[b]
	j.squares[a] = asm.FMA(-t, inner, j.squares[a])
	j.squares[b] = asm.FMA(t, inner, before)
	j.norms[a] = math.Sqrt(j.squares[a])
	if j.squares[b] > before/4 {
		j.norms[b] = math.Sqrt(j.squares[b])
	} else {
		j.measure(b) // cancellation
	}
}
