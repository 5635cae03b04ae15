package mat

import (
	"math"

	"github.com/bpielm/bpielm/mat/asm"
)

// jacobi orthogonalises the rows of a square matrix by plane rotations from the left
// (one-sided Jacobi). The rows become the right singular vectors times the singular
// values. Each pair is orthogonalised relative to its own norms, so if the rows differ
// only in scale, small singular values are as accurate as large ones.
//
// Two things save rotations. Groups of rows of similar norm are first turned to the
// principal axes of their inner products. And rotations so small that they hardly affect
// each other are applied together, as one product.
type jacobi struct {
	kernel  *asm.Kernel
	x       *Dense    // the rows
	follow  *Dense    // rows to rotate as well, or nil
	order   []int     // order[p] is the row at position p, larger norms first
	squares []float64 // squared norms of the rows
	norms   []float64

	inner  Sym     // inner products of all rows, or of a group
	stale  []bool  // rows rotated since inner was computed
	cosine float64 // largest cosine between two rows met in this sweep
	change float64 // sum of the relative changes of rows in this sweep
	leave  bool    // skip small rotations, which are many, until only they are left
	left   bool    // this sweep has skipped some

	parts    []float64
	tangents Dense // of the rotations applied together
	eigen    SymEigen
	turned   Dense // a group of rows in its principal axes
}

const (
	jacobiSweeps = 40
	jacobiZero   = 0x1p-960 // smaller squared norms would lose digits to underflow
	jacobiSpread = 1 << 12  // largest ratio of norms in a group
	jacobiClose  = 16       // the same when a wider group would lose digits
	jacobiSmall  = 0x1p-30  // relative change of rows below which rotations may be applied together
)

// run sweeps until all rows are orthogonal: until no pair needs a rotation, or a sweep
// changed the rows so little that all pairs are still orthogonal, or the remaining
// rotations are so small that they can be applied together. Elements must not be much
// larger than 1.
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

// precondition makes groups of rows first to end-1 nearly orthogonal by means of the
// eigenvectors of their inner products. The norms in a group differ at most by the factor
// spread.
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

// orthogonaliseGroup turns rows first to last-1 to their principal axes, and reports
// whether it did. If careful, it does not where rows would lose digits.
func (j *jacobi) orthogonaliseGroup(first, last int, careful bool) bool {
	rows := j.x.sub(first, last, 0, j.x.cols)
	j.inner.m.reshape(last-first, last-first)
	Syrk(NoTrans, 1, &rows, 0, &j.inner)
	if j.eigen.Factorize(&j.inner, true) != nil || careful && !j.safe(first) {
		return false // the rotations alone suffice
	}
	n := rows.rows
	j.turned.reshape(n, rows.cols)
	Gemm(Trans, NoTrans, 1, j.eigen.Vectors(), &rows, 0, &j.turned)
	copyReversed(&rows, &j.turned)
	if j.follow != nil { // it is the identity at this point
		rows = j.follow.sub(first, last, first, last)
		j.turned.reshape(n, n)
		transpose(&j.turned, j.eigen.Vectors())
		copyReversed(&rows, &j.turned)
	}
	return true
}

// safe reports whether the rows from first on can be multiplied by the eigenvectors
// accurately: whether the terms summed into each new row are not much larger than the row.
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

// copyReversed sets dst to src with its rows in reverse, as the largest eigenvalue comes
// first here.
func copyReversed(dst, src *Dense) {
	for i := range src.rows {
		copy(dst.Row(src.rows-1-i), src.Row(i))
	}
}

// count counts the rotations to be done, and stores the tangents of the small ones.
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

// rowChange returns how much a rotation by t changes rows a and b relative to their norms.
func (j *jacobi) rowChange(t float64, a, b int) float64 {
	return math.Abs(t) * (max(j.norms[a], j.norms[b]) / min(j.norms[a], j.norms[b]))
}

// turnBy multiplies rows by I + tangents from the left.
func (j *jacobi) turnBy(rows *Dense) {
	j.turned.reshape(rows.rows, rows.cols)
	j.turned.CopyFrom(rows)
	Gemm(NoTrans, NoTrans, 1, &j.tangents, &j.turned, 1, rows)
}

// measure computes the norm of row i, and clears the row if it is negligible.
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

// orthogonalise rotates the rows at positions p and q, unless they are orthogonal to
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
	c, s, t := jacobiRotation(j.squares[a], j.squares[b], inner)
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

// jacobiRotation returns cosine, sine and tangent of the rotation that makes two rows with
// these squared norms and inner product orthogonal: the smaller of the two angles.
func jacobiRotation(squareA, squareB, inner float64) (c, s, t float64) {
	zeta := (squareB - squareA) / (2 * inner)
	t = 0.5 / zeta
	if math.Abs(zeta) < 0x1p40 {
		t = 1 / (zeta + math.Copysign(math.Sqrt(asm.FMA(zeta, zeta, 1)), zeta))
	}
	root := math.Sqrt(asm.FMA(t, t, 1))
	s = t / root
	return asm.FMA(-s, t/(1+root), 1), s, t
}
