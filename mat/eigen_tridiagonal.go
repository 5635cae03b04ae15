package mat

import (
	"math"

	"github.com/bpielm/bpielm/mat/asm"
)

// Tridiagonal is the decomposition A = Q T Q' of a symmetric n x n matrix with an
// orthogonal Q and a symmetric tridiagonal T. The zero value is ready for Factorize,
// which reuses its storage.
//
// For A = H'H, CholeskyTo computes from T a bidiagonal B with H'H = Q B'B Q', as
// Bidiagonal does from H itself, in half the operations. As always with the normal
// equations, B is accurate only to the square root of the rounding error.
//
// Householder reflectors act from the last row up.
type Tridiagonal struct {
	reduced tridiagonal
}

// Factorize computes the decomposition of a, which it does not modify. If a has a NaN or
// an infinity it returns a *NotFiniteError and leaves t empty.
func (t *Tridiagonal) Factorize(a *Sym) error {
	t.reduced.reset(0)
	exponent, err := t.reduced.load("tridiagonalisation", a)
	if err != nil {
		return err
	}
	t.reduced.reduce(asm.Active())
	for i, v := range t.Diagonal() {
		t.reduced.diagonal[i] = math.Ldexp(v, exponent)
	}
	for i, v := range t.Off() {
		t.reduced.off[i] = math.Ldexp(v, exponent)
	}
	return nil
}

// Diagonal returns the n diagonal elements of T, without copying.
func (t *Tridiagonal) Diagonal() []float64 { return t.reduced.diagonal }

// Off returns the n-1 off-diagonal elements of T, without copying.
func (t *Tridiagonal) Off() []float64 {
	return t.reduced.off[:max(0, len(t.reduced.off)-1)]
}

// CholeskyTo sets d, of n elements, to the diagonal and e, of n-1 elements, to the
// superdiagonal of the upper bidiagonal B with B'B = T. If T is not positive definite it
// returns a *NotPositiveDefiniteError, and d and e are undefined.
func (t *Tridiagonal) CholeskyTo(d, e []float64) error {
	n := len(t.reduced.diagonal)
	check(len(d) == n && len(e) == max(0, n-1), "Tridiagonal.CholeskyTo: the lengths of d and e do not match")
	square := 0.0 // of e[i-1]
	for i, v := range t.reduced.diagonal {
		pivot := v - square
		if !(pivot > 0 && pivot <= math.MaxFloat64) {
			return &NotPositiveDefiniteError{Index: i, Pivot: pivot}
		}
		d[i] = math.Sqrt(pivot)
		if i < len(e) {
			e[i] = t.reduced.off[i] / d[i]
			square = float64(e[i] * e[i])
		}
	}
	return nil
}

// MulQTrans sets x = Q'x, for x of n elements.
func (t *Tridiagonal) MulQTrans(x []float64) {
	check(len(x) == t.reduced.a.rows, "Tridiagonal.MulQTrans: x has the wrong length")
	k := asm.Active()
	for i := len(x) - 1; i > 0; i-- {
		t.reduced.reflect(k, i, x)
	}
}

// MulQ sets x = Qx, for x of n elements.
func (t *Tridiagonal) MulQ(x []float64) {
	check(len(x) == t.reduced.a.rows, "Tridiagonal.MulQ: x has the wrong length")
	k := asm.Active()
	for i := 1; i < len(x); i++ {
		t.reduced.reflect(k, i, x)
	}
}

// MulRightQ sets H = HQ, for H of n columns.
func (t *Tridiagonal) MulRightQ(h *Dense) {
	check(h.cols == t.reduced.a.rows, "Tridiagonal.MulRightQ: H has the wrong number of columns")
	for r := range h.rows {
		t.MulQTrans(h.Row(r))
	}
}

// QTrans returns Q', n x n, as a new matrix.
func (t *Tridiagonal) QTrans() *Dense {
	n := t.reduced.a.rows
	q := NewDense(n, n, nil)
	for i := range n {
		q.Set(i, i, 1)
	}
	t.reduced.multiply(asm.Active(), q)
	return q
}

// tridiagonal is a reduction to tridiagonal form.
type tridiagonal struct {
	// a holds A, then in row i the tail of reflector i. The reflector acts on the first
	// i coordinates; its head, 1, is the last of these.
	a        Dense
	tau      []float64
	diagonal []float64
	off      []float64    // the off-diagonal
	v, w     [2][]float64 // of the pending update, and of the next one
	sums     Dense        // partial products, one row for each part but the last
	due      rankTwo
}

// reset makes room in t.a for a matrix of size n.
func (t *tridiagonal) reset(n int) {
	t.a.reshape(n, n)
	t.tau, t.diagonal, t.off = resize(t.tau, n), resize(t.diagonal, n), resize(t.off, n)
	for i := range t.v {
		t.v[i], t.w[i] = resize(t.v[i], n), resize(t.w[i], n)
	}
}

// load copies a, scaled by 2^-exponent so that its largest element is about 1.
func (t *tridiagonal) load(what string, a *Sym) (exponent int, err error) {
	n := a.N()
	if exponent, err = scaleExponent(what, n, a.Row); err != nil {
		return 0, err
	}
	t.reset(n)
	for i := range n {
		scaleByPower(t.a.Row(i)[:i+1], a.Row(i), -exponent)
	}
	return exponent, nil
}

// reflect applies reflector i to x.
func (t *tridiagonal) reflect(k *asm.Kernel, i int, x []float64) {
	reflect(k, t.tau[i], t.a.Row(i)[:i-1], &x[i-1], x[:i-1])
}

// reduce reduces A to tridiagonal form.
//
// With p = tau A v and w = p - tau (p'v)/2 v, a reflector turns A into A - vw' - wv'.
// Each row is read once per reflector: it receives the pending update and contributes to
// the product for the next one.
func (t *tridiagonal) reduce(k *asm.Kernel) {
	var dueV, dueW []float64
	for i := t.a.rows - 1; i >= 0; i-- {
		row := t.a.Row(i)[:i+1]
		if dueV != nil {
			k.Axpy(-dueV[i], dueW[:i+1], row)
			k.Axpy(-dueW[i], dueV[:i+1], row)
		}
		t.diagonal[i] = row[i]
		if i == 0 {
			break
		}
		row = row[:i]
		tau := reflector(&row[i-1], row[:i-1])
		t.tau[i], t.off[i-1] = tau, row[i-1]
		v, p := t.v[i%2][:i], t.w[i%2][:i]
		copy(v, row[:i-1])
		v[i-1] = 1
		if dueV == nil {
			t.multiplyFirst(k, v, p)
		} else {
			t.due = rankTwo{k, dueV, dueW, v, p}
			t.updateAndMultiply()
		}
		scaleVector(tau, p)
		k.Axpy(-0.5*tau*k.Dot(p, v), v, p)
		dueV, dueW = v, p
	}
	t.due = rankTwo{}
}

// multiplyFirst sets p = Av.
func (t *tridiagonal) multiplyFirst(k *asm.Kernel, v, p []float64) {
	clear(p)
	for r := range p {
		row := t.a.Row(r)[:r+1]
		k.Axpy(v[r], row[:r], p[:r])
		p[r] = asm.FMA(row[r], v[r], k.Dot(row[:r], v[:r]))
	}
}

// rankTwo is the pending update A - vw' - wv', together with the product y = Ax that the
// next reflector needs.
type rankTwo struct {
	k          *asm.Kernel
	v, w, x, y []float64
}

// parts returns how many parts the product with A is split into, so that processors can
// share it. The partial sums are added in descending order.
func (u *rankTwo) parts() int {
	switch n := len(u.y); {
	case n < twoParts:
		return 1
	case n < fourParts:
		return 2
	default:
		return 4
	}
}

// updateAndMultiply applies the pending update to A and computes the product.
func (t *tridiagonal) updateAndMultiply() {
	u := &t.due
	parts, n := u.parts(), len(u.y)
	if parts == 1 {
		t.updateRows(0, n, u.y)
		return
	}
	t.sums.reshape(parts-1, n)
	if processors() > 1 {
		t.updateParallel(parts)
	} else {
		for part := range parts {
			t.updatePart(part)
		}
	}
	for part := parts - 2; part >= 0; part-- {
		end := lowerBound(n, part+1, parts)
		u.k.Axpy(1, t.sums.Row(part)[:end], u.y[:end])
	}
}

// updateParallel keeps its closure out of updateAndMultiply, which must not allocate.
func (t *tridiagonal) updateParallel(parts int) {
	Parallel(parts, func(part int) { t.updatePart(part) })
}

// updatePart updates the rows of one part and computes their share of the product.
func (t *tridiagonal) updatePart(part int) {
	parts, n := t.due.parts(), len(t.due.y)
	y := t.due.y
	if part < parts-1 {
		y = t.sums.Row(part)
	}
	t.updateRows(lowerBound(n, part, parts), lowerBound(n, part+1, parts), y)
}

// updateRows updates rows first to last-1, two at a time; first is even. It sets y, of
// last elements, to their share of the product.
func (t *tridiagonal) updateRows(first, last int, y []float64) {
	n, u := t.a.cols, &t.due
	finish := func(r int, dot float64) {
		diagonal := &t.a.data[r*n+r]
		*diagonal = asm.FMA(-u.w[r], u.v[r], asm.FMA(-u.v[r], u.w[r], *diagonal))
		y[r] = asm.FMA(*diagonal, u.x[r], dot)
	}
	clear(y[:last])
	r := first
	for ; r+1 < last; r += 2 {
		dot, next := u.k.SymRowPair(r, t.a.data[r*n:], n, u.v, u.w, u.x, y)
		finish(r, dot)
		finish(r+1, next)
		y[r] = asm.FMA(u.x[r+1], t.a.data[(r+1)*n+r], y[r])
	}
	if r < last {
		finish(r, u.k.SymRow(u.v[r], u.w[r], u.x[r], t.a.Row(r)[:r], u.v, u.w, u.x, y))
	}
}

// multiply multiplies z by Q' from the right, where Q is the product of all reflectors:
// rows that are eigenvectors of T become eigenvectors of A.
func (t *tridiagonal) multiply(k *asm.Kernel, z *Dense) {
	n := t.a.rows
	w := borrow()
	defer w.giveBack()
	for first := 1; first < n; first += reflectorBlock {
		last := min(first+reflectorBlock, n)
		count, size := last-first, last-1
		w.v.reshape(count, size)
		for i := range count {
			row, tail := w.v.Row(i), t.a.Row(first + i)[:first+i-1]
			clear(row[copy(row, tail):])
			row[len(tail)] = 1
		}
		part := z.sub(0, n, 0, size)
		w.multiplyReflectors(k, &part, t.tau[first:last], false)
	}
}
