package mat

import (
	"math"

	"github.com/bpielm/bpielm/mat/asm"
)

// Cholesky is the factorisation A = LL' of a symmetric positive definite matrix.
// The zero value is ready for Factorize, which reuses its storage.
//
// Element l_ij is a_ij less the products l_ik l_jk for ascending k, one fused
// multiply-add after the other, times the reciprocal of l_jj: in which order the
// elements are computed, and by whom, changes no bit.
type Cholesky struct {
	l      Dense  // lower triangle; undefined above
	panels panels // L once more, unless it has been changed since
}

// Factorize computes the factorisation of a, which it leaves unchanged. If a is
// not positive definite it returns a *NotPositiveDefiniteError, and c is empty.
func (c *Cholesky) Factorize(a *Sym) error {
	n := a.N()
	w := borrow()
	defer w.giveBack()
	k := asm.Active()
	c.l.reshape(n, n)
	pivots := w.vector(roundUp(n, asm.Panel))
	if i := c.panels.factor(k, a, &c.l, pivots); i >= 0 {
		c.l.reshape(0, 0)
		c.panels.reshape(0)
		return &NotPositiveDefiniteError{Index: i, Pivot: pivots[i]}
	}
	for i, pivot := range pivots[:n] {
		c.l.data[i*n+i] = math.Sqrt(pivot)
	}
	return nil
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

// Condition estimates the condition number of A in the 1-norm, from below and
// rarely by more than a factor of three (Higham, Accuracy and Stability of
// Numerical Algorithms, 2nd edition, algorithm 15.1), in O(N^2) operations. It is 1
// for a 0 x 0 matrix.
func (c *Cholesky) Condition() float64 {
	n := c.l.rows
	if n == 0 {
		return 1
	}
	return estimateNorm1(n, c.mul) * estimateNorm1(n, func(x []float64) { c.SolveVecTo(x, x) })
}

// mul sets x = Ax.
func (c *Cholesky) mul(x []float64) {
	k := asm.Active()
	for j := range x {
		sum := 0.0
		for i := j; i < len(x); i++ { // column j of L
			sum = asm.FMA(c.l.data[i*c.l.stride+j], x[i], sum)
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
