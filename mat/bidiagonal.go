package mat

import (
	"math"

	"github.com/bpielm/bpielm/mat/asm"
)

// Bidiagonal is the decomposition A = U B V' of an m x n matrix, m >= n, with
// orthogonal U and V and an upper bidiagonal n x n matrix B on top of zeros. The
// zero value is ready for Factorize, which reuses its storage.
//
// It has the singular values of A and takes a fixed number of operations. Where
// all that follows is a ridge, min |Ax - y|^2 + tau^2 |x|^2 for many tau, it
// serves as well as the singular value decomposition: see Ridge.
//
// Householder reflectors act from the left and the right in turn (Golub and
// Kahan, 1965). A row is updated from both sides, and added to what the
// next reflector needs, while it is at hand.
type Bidiagonal struct {
	d, e     []float64
	u        Dense // row i: reflector i from coordinate i on; its head, 1, among them
	tauU     []float64
	v        Dense // row i: reflector i from coordinate i+1 on; its head, 1, among them
	tauV     []float64
	a        Dense
	left     []float64 // tau A'u of the reflector at hand
	products []float64 // see step
}

// Factorize computes the decomposition of a, which it leaves unchanged. It returns
// a *NotFiniteError if a has a NaN or an infinity; b is then empty.
func (b *Bidiagonal) Factorize(a *Dense) error {
	m, n := a.Dims()
	check(m >= n, "Bidiagonal: A has fewer rows than columns")
	b.reset(0, 0)
	k := asm.Active()
	squares := 0.0
	for i := range m {
		squares += k.Dot(a.Row(i), a.Row(i))
	}
	exponent := 0
	if !(squares >= 1/ordinarySquares && squares <= ordinarySquares) {
		var err error
		if exponent, err = scaleExponent("bidiagonalisation", m, a.Row); err != nil {
			return err
		}
	}
	b.reset(m, n)
	for i := range m {
		if exponent == 0 {
			copy(b.a.Row(i), a.Row(i))
		} else {
			scaleByPower(b.a.Row(i), a.Row(i), -exponent)
		}
		clear(b.a.Row(i)[n:])
	}
	if m > 1 && n > 1 {
		clear(b.products)
		for r := 1; r < m; r++ {
			row := b.a.Row(r)
			k.Axpy(row[0], row[1:], b.products[1:])
		}
	}
	for i := range n {
		b.step(k, i)
	}
	for i := range b.d {
		b.d[i] = math.Ldexp(b.d[i], exponent)
	}
	for i := range b.e {
		b.e[i] = math.Ldexp(b.e[i], exponent)
	}
	return nil
}

func (b *Bidiagonal) reset(m, n int) {
	lines := wholeLines(n)
	b.a.reshape(m, lines)
	b.u.reshape(n, m)
	b.tauV = resize(b.tauV, max(0, n-1))
	b.v.reshape(max(0, n-1), lines)
	b.d, b.e = resize(b.d, n), resize(b.e, max(0, n-1))
	b.tauU = resize(b.tauU, n)
	b.left, b.products = resize(b.left, lines), resize(b.products, lines)
	clear(b.left)
}

// step makes column i and row i of the rest bidiagonal. It finds in products what
// the rows below row i, each times its element of column i, add up to, and leaves
// there the same for column i+1: then every row is visited once a step.
func (b *Bidiagonal) step(k *asm.Kernel, i int) {
	m, n := b.a.rows, len(b.d)
	u := b.u.Row(i)[i:]
	for r := range u {
		u[r] = b.a.Row(i + r)[i]
	}
	element := u[0]
	b.tauU[i] = reflector(&u[0], u[1:])
	b.d[i], u[0] = u[0], 1
	if i == n-1 {
		return
	}
	// (I - tau u u') A = A - u w', w = tau A'u; below its head u is the column
	// divided by what its head was less d.
	top, w := b.a.Row(i)[i+1:n], b.left[i+1:n]
	copy(w, top)
	switch {
	case b.tauU[i] == 0:
	case math.Abs(b.d[i]) < tinyColumn: // products have lost digits to underflow
		k.AxpyRows(u[1:], b.a.data[(i+1)*b.a.stride+i+1:], b.a.stride, w)
	default:
		k.Axpy(1/(element-b.d[i]), b.products[i+1:n], w)
	}
	scaleVector(b.tauU[i], w)
	v := b.v.Row(i)[i+1 : n]
	copy(v, top)
	k.Axpy(-1, w, v)
	b.tauV[i] = reflector(&v[0], v[1:])
	b.e[i], v[0] = v[0], 1

	// From a whole line of the cache on: w and v are zero before column i+1.
	first := (i + 1) / lineElements * lineElements
	head := i + 1 - first
	w, v = b.left[first:], b.v.Row(i)[first:]
	clear(w[:head])
	clear(v[:head])
	clear(v[n-first:])
	p := b.products[first:]
	if i+1 < m { // row i+1 is not among the products of its column
		k.BidiagonalRows(u[1:2], w, v, b.tauV[i], head, b.a.Row(i + 1)[first:], b.a.stride, p)
	}
	clear(p)
	if i+2 < m {
		k.BidiagonalRows(u[2:], w, v, b.tauV[i], head, b.a.data[(i+2)*b.a.stride+first:], b.a.stride, p)
	}
}

// lineElements is how many elements a line of the cache has. Rows begin and end
// with lines, filled up with zeros.
const lineElements = 8

func wholeLines(n int) int { return (n + lineElements - 1) / lineElements * lineElements }

// ordinarySquares bounds the sum of squares of a matrix, from above and by its
// inverse from below, that is not scaled to be about 1 before it is worked on.
const ordinarySquares = 0x1p200

// tinyColumn is the norm below which squares of a column's elements may underflow
// so far that they miss digits; the matrix is of ordinary size.
const tinyColumn = 0x1p-400

// Diagonal returns the n diagonal elements of B, not a copy.
func (b *Bidiagonal) Diagonal() []float64 { return b.d }

// Super returns the n-1 elements of B above the diagonal, not a copy.
func (b *Bidiagonal) Super() []float64 { return b.e }

// MulUTrans sets y = U'y, of m elements.
func (b *Bidiagonal) MulUTrans(y []float64) {
	check(len(y) == b.u.cols, "Bidiagonal.MulUTrans: y has the wrong length")
	k := asm.Active()
	for i, tau := range b.tauU {
		u := b.u.Row(i)[i:]
		k.Axpy(-tau*k.Dot(u, y[i:]), u, y[i:])
	}
}

// MulRightV sets H = HV for a matrix of n columns.
func (b *Bidiagonal) MulRightV(h *Dense) {
	check(h.cols == len(b.d), "Bidiagonal.MulRightV: H has the wrong number of columns")
	k := asm.Active()
	if h.rows < blockWorthwhile {
		for r := range h.rows {
			row := h.Row(r)
			for i := range b.tauV {
				b.reflect(k, i, row)
			}
		}
		return
	}
	w := borrow()
	defer w.giveBack()
	for first := 0; first < len(b.tauV); first += reflectorBlock {
		rest := h.sub(0, h.rows, first+1, h.cols)
		w.multiplyReflectors(k, &rest, b.gather(w, first), false)
	}
}

// gather copies a block of the reflectors of V, from position first+1 on, to w.v and
// returns their scales.
func (b *Bidiagonal) gather(w *arena, first int) (tau []float64) {
	n, last := len(b.d), min(first+reflectorBlock, len(b.tauV))
	w.v.reshape(last-first, n-first-1)
	for i := first; i < last; i++ {
		row := w.v.Row(i - first)
		clear(row[:i-first])
		copy(row[i-first:], b.v.Row(i)[i+1:n])
	}
	return b.tauV[first:last]
}

// MulV sets x = Vx, of n elements.
func (b *Bidiagonal) MulV(x []float64) {
	check(len(x) == len(b.d), "Bidiagonal.MulV: x has the wrong length")
	k := asm.Active()
	for i := len(b.tauV) - 1; i >= 0; i-- {
		b.reflect(k, i, x)
	}
}

// reflect applies reflector i of V to x.
func (b *Bidiagonal) reflect(k *asm.Kernel, i int, x []float64) {
	v := b.v.Row(i)[i+1 : len(x)]
	k.Axpy(-b.tauV[i]*k.Dot(v, x[i+1:]), v, x[i+1:])
}

// VTrans returns a new matrix, V', n x n.
func (b *Bidiagonal) VTrans() *Dense {
	n := len(b.d)
	x := NewDense(n, n, nil)
	for i := range n {
		x.Set(i, i, 1)
	}
	k, w := asm.Active(), borrow()
	defer w.giveBack()
	// The last reflectors come first: they leave the first rows and columns alone.
	for first := (len(b.tauV) - 1) / reflectorBlock * reflectorBlock; first >= 0 && len(b.tauV) > 0; first -= reflectorBlock {
		tau := b.gather(w, first)
		rest := x.sub(first+1, n, first+1, n)
		w.multiplyReflectors(k, &rest, tau, true)
	}
	return x
}

// Ridge is the triangle that [B; tau I] is rotated to, for one tau: upper
// bidiagonal, with R'R = B'B + tau^2 I. The zero value is ready for Factorize.
type Ridge struct {
	d, e []float64
	by   []float64 // 1 / d
	c    []float64 // [c; 0] after the rotations, its first half
	rest float64   // squared norm of the second half
}

// Factorize rotates [B; tau I] and [c; 0], B with the diagonal d and e above it,
// none of which it changes, in O(n) operations (Elden, BIT 17, 1977).
func (r *Ridge) Factorize(d, e []float64, tau float64, c []float64) {
	n := len(d)
	check(len(e) == max(0, n-1) && len(c) == n, "Ridge: the lengths of d, e and c do not match")
	r.d, r.e, r.c, r.by = resize(r.d, n), resize(r.e, len(e)), resize(r.c, n), resize(r.by, n)
	if r.factorizeSquares(d, e, tau, c) {
		return
	}
	r.rest = 0
	// The row of tau I at hand, [0 ... t 0 ...], with right-hand side y: what is
	// rotated out of column i fills column i+1 and is rotated into the next row.
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
		// [fill y] and the next row [tau 0] of tau I both live in column i+1.
		cos, sin, t = givens(tau, fill)
		out := cos * y
		r.rest = asm.FMA(out, out, r.rest)
		y *= sin
	}
	if n > 0 {
		r.rest = asm.FMA(y, y, r.rest)
	}
}

// factorizeSquares does Factorize by the squares of what is rotated, which wait for
// each other less: the row of tau I at hand is t [0 ... 1 0 ...] with the right-hand
// side t y, and s = t^2 follows s' = tau^2 + e^2 s/p with p = d^2 + s, the stationary
// quotient difference algorithm with a shift (Fernando and Parlett, 1994). It adds
// and never subtracts, so that R is as accurate as by rotations. It returns false,
// and has done nothing of use, where squares may overflow or vanish.
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

// Diagonal returns the diagonal of R, which is not negative: not a copy.
func (r *Ridge) Diagonal() []float64 { return r.d }

// Rest returns the minimum over x of |Bx - c|^2 + tau^2 |x|^2.
func (r *Ridge) Rest() float64 { return r.rest }

// SolveTo sets x to the minimiser of |Bx - c|^2 + tau^2 |x|^2. B must have full
// rank where tau is zero.
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

// SolveTrans sets X = R^-T X for a matrix of n rows.
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

// Solve sets X = R^-1 X for a matrix of n rows.
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

// InverseSquare returns the squared Frobenius norm of R^-1, the trace of
// (B'B + tau^2 I)^-1.
func (r *Ridge) InverseSquare() float64 {
	total, below := 0.0, 0.0 // squared norms: of all rows, of the row below
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
