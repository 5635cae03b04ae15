package mat

import (
	"math"

	"github.com/bpielm/bpielm/mat/asm"
)

// Cholesky is the factorisation A = LL' of a symmetric positive definite matrix.
// The zero value is ready for Factorize, which reuses its storage.
//
// Element l_ij starts as a_ij. The products l_ik l_jk are subtracted for ascending k,
// one fused multiply-add each, and the result is multiplied by the reciprocal of l_jj.
// Blocking and threading change no bit.
type Cholesky struct {
	l      Dense  // lower triangle; undefined above
	panels panels // L again, packed
}

// Factorize computes the factorisation of a, which it does not modify. If a is not
// positive definite it returns a *NotPositiveDefiniteError and leaves c empty.
func (c *Cholesky) Factorize(a *Sym) error { return c.FactorizeShifted(a, 0) }

// FactorizeShifted is Factorize of A + shift I, without a copy of A.
func (c *Cholesky) FactorizeShifted(a *Sym, shift float64) error {
	n := a.N()
	w := borrow()
	defer w.giveBack()
	k := asm.Active()
	c.l.reshape(n, n)
	c.panels.shift = shift
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

// N returns the size of the factorised matrix, or zero if there is none.
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

// SolveTo sets dst = A^-1 b. dst and b are N x p, for any p, and may be the same matrix.
func (c *Cholesky) SolveTo(dst, b *Dense) {
	check(b.rows == c.l.rows, "Cholesky.SolveTo: b has the wrong number of rows")
	if dst != b {
		dst.CopyFrom(b)
	}
	t := c.l.tri(Lower)
	Trsm(Left, NoTrans, 1, &t, dst)
	Trsm(Left, Trans, 1, &t, dst)
}

// SolveVecTo sets dst = A^-1 b. Both have N elements and may be the same slice.
func (c *Cholesky) SolveVecTo(dst, b []float64) {
	check(len(dst) == c.l.rows && len(b) == c.l.rows, "Cholesky.SolveVecTo: a vector has the wrong length")
	copy(dst, b)
	t := c.l.tri(Lower)
	Trsv(NoTrans, &t, dst)
	Trsv(Trans, &t, dst)
}
