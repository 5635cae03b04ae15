package mat

import (
	"math"

	"github.com/bpielm/bpielm/mat/asm"
)

// cholBlock is the number of columns factorised at a time.
const cholBlock = 64

// Cholesky is the factorisation A = LL' of a symmetric positive definite matrix.
// The zero value is ready for Factorize, which reuses its storage.
type Cholesky struct {
	l    Dense   // lower triangle; zeros above
	norm float64 // 1-norm of A, or unknownNorm
}

const unknownNorm = -1

// Factorize computes the factorisation of a, which it leaves unchanged. If a is
// not positive definite it returns a *NotPositiveDefiniteError, and c is empty.
func (c *Cholesky) Factorize(a *Sym) error {
	n := a.N()
	c.l.Reset(n, n)
	for i := range n {
		copy(c.l.Row(i), a.Row(i))
	}
	w := borrow()
	defer w.giveBack()
	c.norm = symmetricNorm1(a, w.vector(n))
	column := w.vector(cholBlock)
	for first := 0; first < n; first += cholBlock {
		last := min(first+cholBlock, n)
		if first > 0 {
			c.updateColumns(first, last)
		}
		block := c.l.sub(first, last, first, last)
		if i, pivot := factorizeBlock(&block, column); i >= 0 {
			c.l.reshape(0, 0)
			return &NotPositiveDefiniteError{Index: first + i, Pivot: pivot}
		}
		if last < n {
			below, t := c.l.sub(last, n, first, last), block.tri(Lower)
			Trsm(Right, Trans, 1, &t, &below)
		}
	}
	return nil
}

// updateColumns subtracts from the columns first to last-1 what the columns
// before them contribute.
func (c *Cholesky) updateColumns(first, last int) {
	n := c.l.rows
	left := c.l.sub(first, last, 0, first)
	diagonal := Sym{c.l.sub(first, last, first, last)}
	Syrk(NoTrans, -1, &left, 1, &diagonal)
	if last < n {
		below, columns := c.l.sub(last, n, 0, first), c.l.sub(last, n, first, last)
		Gemm(NoTrans, Trans, -1, &below, &left, 1, &columns)
	}
}

// factorizeBlock factorises a small lower triangle in place. It returns -1, or the
// index and value of a pivot that is not a positive number.
func factorizeBlock(a *Dense, column []float64) (index int, pivot float64) {
	k := asm.Active()
	n := a.rows
	column = column[:n]
	for j := range n {
		pivot := a.data[j*a.stride+j]
		if !(pivot > 0 && pivot <= math.MaxFloat64) {
			return j, pivot
		}
		root := math.Sqrt(pivot)
		a.data[j*a.stride+j] = root
		for i := j + 1; i < n; i++ {
			row := a.data[i*a.stride:]
			row[j] /= root
			column[i] = row[j]
			k.Axpy(-row[j], column[j+1:i+1], row[j+1:i+1])
		}
	}
	return -1, 0
}

// symmetricNorm1 returns the largest column sum of absolute values. sums is scratch.
func symmetricNorm1(a *Sym, sums []float64) float64 {
	clear(sums)
	for i := range sums {
		row := a.Row(i)
		for j, v := range row[:i] {
			v = math.Abs(v)
			sums[i] += v
			sums[j] += v
		}
		sums[i] += math.Abs(row[i])
	}
	largest := 0.0
	for _, v := range sums {
		largest = max(largest, v)
	}
	return largest
}

// N returns the size of the factorised matrix, zero if there is none.
func (c *Cholesky) N() int { return c.l.rows }

// L returns the lower triangular factor, not a copy.
func (c *Cholesky) L() *Tri { return c.l.Tri(Lower) }

// LogDet returns the logarithm of the determinant of A.
func (c *Cholesky) LogDet() float64 {
	sum := 0.0
	for i := range c.l.rows {
		sum += Log(c.l.data[i*c.l.stride+i])
	}
	return 2 * sum
}

// SolveTo sets dst = A^-1 b. dst and b are N x anything and may be the same.
func (c *Cholesky) SolveTo(dst, b *Dense) {
	check(b.rows == c.l.rows, "Cholesky.SolveTo: b has the wrong number of rows")
	if dst != b {
		dst.CopyFrom(b)
	}
	t := c.l.tri(Lower)
	Trsm(Left, NoTrans, 1, &t, dst)
	Trsm(Left, Trans, 1, &t, dst)
}

// SolveVecTo sets dst = A^-1 b. dst and b may be the same.
func (c *Cholesky) SolveVecTo(dst, b []float64) {
	check(len(dst) == c.l.rows && len(b) == c.l.rows, "Cholesky.SolveVecTo: a vector has the wrong length")
	copy(dst, b)
	t := c.l.tri(Lower)
	Trsv(NoTrans, &t, dst)
	Trsv(Trans, &t, dst)
}

// InverseTo sets dst, an N x N matrix, to the inverse of A. To solve a system
// SolveTo is faster and more accurate.
func (c *Cholesky) InverseTo(dst *Sym) {
	n := c.l.rows
	check(dst.N() == n, "Cholesky.InverseTo: dst has the wrong size")
	w := borrow()
	defer w.giveBack()
	inverse := Dense{rows: n, cols: n, stride: n, data: w.vector(n * n)} // of L
	clear(inverse.data)
	for first := 0; first < n; first += cholBlock {
		last := min(first+cholBlock, n)
		rows := inverse.sub(first, last, 0, last)
		if first > 0 {
			left, above, off := c.l.sub(first, last, 0, first), inverse.sub(0, first, 0, first), inverse.sub(first, last, 0, first)
			Gemm(NoTrans, NoTrans, -1, &left, &above, 0, &off)
		}
		for i := first; i < last; i++ {
			rows.Set(i-first, i, 1)
		}
		block := c.l.sub(first, last, first, last)
		t := block.tri(Lower)
		Trsm(Left, NoTrans, 1, &t, &rows)
	}
	Syrk(Trans, 1, &inverse, 0, dst)
}

// Condition estimates the condition number of A in the 1-norm, from below and
// rarely by more than a factor of three (Higham, Accuracy and Stability of
// Numerical Algorithms, 2nd edition, algorithm 15.1). It is 1 for a 0 x 0 matrix.
// After a change of the factorisation the norm of A is estimated, too.
func (c *Cholesky) Condition() float64 {
	n := c.l.rows
	if n == 0 {
		return 1
	}
	if c.norm == unknownNorm {
		c.norm = estimateNorm1(n, c.mul)
	}
	return c.norm * estimateNorm1(n, func(x []float64) { c.SolveVecTo(x, x) })
}

// mul sets x = Ax.
func (c *Cholesky) mul(x []float64) {
	k := asm.Active()
	for j := range x {
		sum := 0.0
		for i := j; i < len(x); i++ { // column j of L
			sum = math.FMA(c.l.data[i*c.l.stride+j], x[i], sum)
		}
		x[j] = sum
	}
	for i := len(x) - 1; i >= 0; i-- {
		x[i] = k.Dot(c.l.data[i*c.l.stride:][:i+1], x[:i+1])
	}
}

// estimateNorm1 estimates the 1-norm of a symmetric n x n matrix, n > 0, given by
// what it makes of a vector.
func estimateNorm1(n int, apply func(x []float64)) float64 {
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = 1 / float64(n)
	}
	estimate, previous := 0.0, -1
	for range 5 {
		copy(y, x)
		apply(y)
		estimate = max(estimate, norm1(y))
		for i, v := range y {
			y[i] = math.Copysign(1, v)
		}
		apply(y)
		j := largestMagnitude(y)
		if j == previous || math.Abs(y[j]) <= Dot(y, x) {
			break
		}
		clear(x)
		x[j], previous = 1, j
	}
	// A vector of growing, alternating elements catches what the search misses.
	for i := range x {
		x[i] = 1 + float64(i)/float64(max(n-1, 1))
		if i%2 == 1 {
			x[i] = -x[i]
		}
	}
	apply(x)
	return max(estimate, norm1(x)*2/float64(3*n))
}

func norm1(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += math.Abs(v)
	}
	return sum
}

func largestMagnitude(x []float64) int {
	best := 0
	for i, v := range x {
		if math.Abs(v) > math.Abs(x[best]) {
			best = i
		}
	}
	return best
}
