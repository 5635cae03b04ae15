package mat

import (
	"math"

	"github.com/bpielm/bpielm/mat/asm"
)

// Ridge is the QR factorisation of [B; tau I] for an upper bidiagonal B: R is upper
// bidiagonal, with R'R = B'B + tau^2 I. The zero value is ready for Factorize.
type Ridge struct {
	d, e []float64
	by   []float64 // 1 / d
	c    []float64 // the first half of Q'[c; 0]
	rest float64   // squared norm of the second half
}

// Factorize computes R and Q'[c; 0] by rotations in O(n) operations (Elden, BIT 17,
// 1977). B has diagonal d, of n elements, and superdiagonal e, of n-1; c has n elements.
// It modifies none of them.
func (r *Ridge) Factorize(d, e []float64, tau float64, c []float64) {
	n := len(d)
	check(len(e) == max(0, n-1) && len(c) == n, "Ridge: the lengths of d, e and c do not match")
	r.d, r.e, r.c, r.by = resize(r.d, n), resize(r.e, len(e)), resize(r.c, n), resize(r.by, n)
	if r.factorizeSquares(d, e, tau, c) {
		return
	}
	r.rest = 0
	// t is the element of the current row of tau I, [0 ... t 0 ...], and y its right-hand
	// side. Rotating it out of column i fills column i+1; that is rotated into the next row.
	t, y := tau, 0.0
	for i := range n {
		cos, sin, rho := givens(d[i], t)
		r.d[i], r.by[i] = rho, 1/rho
		r.c[i] = asm.FMA(cos, c[i], sin*y)
		y = asm.FMA(cos, y, -float64(sin*c[i]))
		if i == n-1 {
			break
		}
		r.e[i] = cos * e[i]
		fill := -sin * e[i]
		// [fill y] and the next row [tau 0] of tau I are both in column i+1.
		cos, sin, t = givens(tau, fill)
		out := cos * y
		r.rest = asm.FMA(out, out, r.rest)
		y *= sin
	}
	if n > 0 {
		r.rest = asm.FMA(y, y, r.rest)
	}
}

// factorizeSquares is Factorize on squares, which has shorter dependency chains. The
// current row of tau I is t [0 ... 1 0 ...] with right-hand side t y, and s = t^2. The
// next s is tau^2 + e^2 s/p with p = d^2 + s: this is the stationary quotient difference
// algorithm with a shift (Fernando and Parlett, 1994). It only adds, so R is as
// accurate as by rotations. If squares may overflow or vanish, it returns false and
// leaves r undefined.
func (r *Ridge) factorizeSquares(d, e []float64, tau float64, c []float64) bool {
	tau2 := tau * tau
	if !safeSquare(tau2) {
		return false
	}
	n := len(d)
	e, c, rd, re, rc, by := e[:max(0, n-1)], c[:n], r.d[:n], r.e[:max(0, n-1)], r.c[:n], r.by[:n]
	s, y, rest := tau2, 0.0, 0.0
	for i, v := range d {
		p := asm.FMA(v, v, s)
		if !(p <= 0x1p1000) {
			return false
		}
		rho := math.Sqrt(p)
		inverse := 1 / rho
		share := s / p
		rd[i], by[i] = rho, inverse
		rc[i] = asm.FMA(v, c[i], float64(s*y)) * inverse
		left := asm.FMA(v, y, -c[i]) // times t/rho
		if i == len(e) {
			rest = asm.FMA(float64(share*left), left, rest)
			break
		}
		re[i] = v * inverse * e[i]
		next := asm.FMA(e[i]*e[i], share, tau2)
		if !(next <= 0x1p1000) {
			return false
		}
		inverse = 1 / next
		out := float64(share*left) * inverse
		rest = asm.FMA(float64(tau2*left), out, rest)
		y = -e[i] * out
		s = next
	}
	r.rest = rest
	return true
}

// givens returns the rotation that turns (a, b) into (r, 0), r >= 0.
func givens(a, b float64) (cos, sin, r float64) {
	r = hypot(a, b)
	if r == 0 {
		return 1, 0, 0
	}
	return a / r, b / r, r
}

// Diagonal returns the diagonal of R, which is not negative, without copying.
func (r *Ridge) Diagonal() []float64 { return r.d }

// Rest returns the minimum over x of |Bx - c|^2 + tau^2 |x|^2.
func (r *Ridge) Rest() float64 { return r.rest }

// SolveTo sets x, of n elements, to the minimiser of |Bx - c|^2 + tau^2 |x|^2. If tau is
// zero, B must have full rank.
func (r *Ridge) SolveTo(x []float64) {
	n := len(r.d)
	check(len(x) == n, "Ridge.SolveTo: x has the wrong length")
	if n == 0 {
		return
	}
	c, by, e := r.c[:n], r.by[:n], r.e[:n-1]
	below := c[n-1] * by[n-1]
	x[n-1] = below
	for i := len(e) - 1; i >= 0; i-- {
		below = asm.FMA(-e[i], below, c[i]) * by[i]
		x[i] = below
	}
}

// SolveTrans sets X = R^-T X, for X of n rows.
func (r *Ridge) SolveTrans(x *Dense) {
	check(x.rows == len(r.d), "Ridge.SolveTrans: X has the wrong number of rows")
	k := asm.Active()
	for i, by := range r.by {
		if i > 0 {
			k.Axpy(-r.e[i-1], x.Row(i-1), x.Row(i))
		}
		scaleVector(by, x.Row(i))
	}
}

// Solve sets X = R^-1 X, for X of n rows.
func (r *Ridge) Solve(x *Dense) {
	n := len(r.d)
	check(x.rows == n, "Ridge.Solve: X has the wrong number of rows")
	k := asm.Active()
	for i := n - 1; i >= 0; i-- {
		if i < n-1 {
			k.Axpy(-r.e[i], x.Row(i+1), x.Row(i))
		}
		scaleVector(r.by[i], x.Row(i))
	}
}

// InverseSquare returns the squared Frobenius norm of R^-1, which is the trace of
// (B'B + tau^2 I)^-1.
func (r *Ridge) InverseSquare() float64 {
	total, below := 0.0, 0.0 // squared norms of all rows so far and of the row below
	for i := len(r.by) - 1; i >= 0; i-- {
		s := 1.0
		if i < len(r.e) {
			s = asm.FMA(float64(r.e[i]*r.e[i]), below, 1)
		}
		below = float64(s * float64(r.by[i]*r.by[i]))
		total += below
	}
	return total
}
