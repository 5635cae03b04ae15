package mat

import (
	"math"

	"github.com/bpielm/bpielm/mat/asm"
)

// QR is the Householder factorisation A = QR of a matrix of any shape. The zero
// value is ready for Factorize, which reuses its storage.
//
// The factorisation is stored transposed, so that columns of A are contiguous. Row j
// holds column j of R down to its diagonal, then the tail of reflector j, whose head
// is 1. Reflectors are gathered as I - V'TV (Schreiber and Van Loan, 1989).
type QR struct {
	at  Dense     // n x m
	tau []float64 // scale of each reflector
	t   Dense     // the upper triangular T of each block, stacked

	block int // reflectors in a block
}

// Factorize computes the factorisation of a, which it does not modify.
func (q *QR) Factorize(a *Dense) {
	m, n := a.Dims()
	q.at.reshape(n, m)
	q.load(a)
	q.factorizeTransposed()
}

// load transposes a into q.at, on several processors if it is large.
func (q *QR) load(a *Dense) {
	m, n := a.Dims()
	if m*n < transposeParallel {
		transpose(&q.at, a)
		return
	}
	Parallel((m+transposePart-1)/transposePart, func(part int) {
		first, last := part*transposePart, min((part+1)*transposePart, m)
		to, from := q.at.sub(0, n, first, last), a.sub(first, last, 0, n)
		transpose(&to, &from)
	})
}

// factorizeTransposed factorises the matrix whose transpose is in q.at.
func (q *QR) factorizeTransposed() {
	n, m := q.at.Dims()
	k := min(m, n)
	q.reset(k)
	w := borrow()
	q.factorizeColumns(asm.Active(), w, 0, k, n)
	w.giveBack()
}

// factorizeColumns computes reflectors first to last-1, block by block, and applies them
// to the rows of q.at after them, up to row end-1.
func (q *QR) factorizeColumns(k *asm.Kernel, w *arena, first, last, end int) {
	b := q.newBlock(w, first, min(first+q.block, last))
	b.factorize(k, b.first, b.last)
	spare := borrow()
	for b.last < last {
		if b.v.cols < qrTall && (end-b.last)*b.v.cols >= qrAhead && processors() > 1 {
			next := b.applyAhead(k, spare, min(b.last+q.block, last), end)
			b, spare = next, b.w
			continue
		}
		b.apply(b.first, b.last, b.last, end, false)
		b = q.newBlock(b.w, b.last, min(b.last+q.block, last))
		b.factorize(k, b.first, b.last)
	}
	b.apply(b.first, b.last, b.last, end, false)
	if spare == w {
		spare = b.w
	}
	spare.giveBack()
}

// triangleTo sets r, of n columns and at least min(m, n) rows, to R on top of zeros.
func (q *QR) triangleTo(r *Dense) {
	m := q.at.cols
	r.Zero()
	for j := range r.cols {
		for i := range min(j+1, m) {
			r.data[i*r.stride+j] = q.at.data[j*m+i]
		}
	}
}

// absorb replaces triangle, n x n, by the factor R of triangle stacked on rows, which
// have n columns. The reflectors of a block of columns touch only the block's own rows of
// the triangle, so each step stacks just those on what is left of rows. q and columns
// are scratch.
func (q *QR) absorb(columns, triangle, rows *Dense) {
	n := triangle.rows
	q.reset(n)
	top := q.block
	m := top + rows.rows
	columns.reshape(n, m)
	below := columns.sub(0, n, top, m)
	transpose(&below, rows)
	k, w := asm.Active(), borrow()
	for first := 0; first < n; first += top {
		last := min(first+top, n)
		q.at = columns.sub(first, n, 0, m)
		part, above := triangle.sub(first, last, first, n), q.at.sub(0, n-first, 0, last-first)
		for j := range n - first {
			clear(q.at.Row(j)[last-first : top]) // padding in a short last block
		}
		transpose(&above, &part)
		q.factorizeColumns(k, w, 0, last-first, n-first)
		transpose(&part, &above)
		for i := 1; i < last-first; i++ { // clear the reflectors
			clear(part.Row(i)[:i])
		}
	}
	w.giveBack()
}

// factorizePanel computes reflectors first to last-1 and applies each to the rows of
// q.at that follow it in the panel.
func (q *QR) factorizePanel(k *asm.Kernel, w *arena, first, last int) {
	m := q.at.cols
	for j := first; j < last; j++ {
		v := q.at.data[j*m+j : (j+1)*m]
		q.tau[j] = reflector(&v[0], v[1:])
		q.reflectRows(k, w, j, last)
	}
}

// reflectRows applies reflector j to the rows of q.at after it, up to row end-1, a few at
// a time so that they stay in cache.
func (q *QR) reflectRows(k *asm.Kernel, w *arena, j, end int) {
	m := q.at.cols
	v, products := q.at.data[j*m+j+1:(j+1)*m], w.vector(reflectTogether)
	for from := j + 1; from < end; from += reflectTogether {
		products = products[:min(reflectTogether, end-from)]
		k.DotRows(products, q.at.data[from*m+min(j+1, m-1):], m, v)
		for i, product := range products {
			x := q.at.data[(from+i)*m+j : (from+i+1)*m]
			s := float64(-q.tau[j] * (x[0] + product)) // rounded, as in reflect
			x[0] += s
			k.Axpy(s, v, x[1:])
		}
	}
}

// swap exchanges the elements of x and y.
func swap(x, y []float64) {
	for i, v := range x {
		x[i], y[i] = y[i], v
	}
}

// reset makes room for k reflectors.
func (q *QR) reset(k int) {
	q.block = qrBlock
	if k >= qrMany {
		q.block = qrWide
	}
	q.tau = resize(q.tau, k)
	q.t.reshape(k, q.block)
}

// loadV copies reflectors first to last-1 to the rows of v, from coordinate base on,
// including their ones and zeros.
func (q *QR) loadV(v *Dense, base, first, last int) {
	m := q.at.cols
	for j := first; j < last; j++ {
		row := v.Row(j - first)
		clear(row[:j-base])
		row[j-base] = 1
		copy(row[j-base+1:], q.at.data[j*m+j+1:(j+1)*m])
	}
}

func (q *QR) blockT(first, last int) Dense { return q.t.sub(first, last, 0, last-first) }

// reflector computes the Householder reflector I - tau vv' that maps the vector x with
// the given head and tail to a multiple of the first unit vector. It stores the multiple
// in head and the tail of v in tail; the head of v is 1. tau is zero if the tail of x is.
func reflector(head *float64, tail []float64) (tau float64) {
	norm := Nrm2(tail)
	if norm == 0 {
		return 0
	}
	beta := -math.Copysign(hypot(*head, norm), *head)
	if math.Abs(beta) < 0x1p-960 { // 1/(head-beta) could overflow
		*head *= 0x1p600
		scaleVector(0x1p600, tail)
		tau = reflector(head, tail)
		*head *= 0x1p-600
		return tau
	}
	tau = (beta - *head) / beta
	scaleVector(1/(*head-beta), tail)
	*head = beta
	return tau
}

// reflect applies the reflector with scale tau and tail v to x.
func reflect(k *asm.Kernel, tau float64, v []float64, head *float64, tail []float64) {
	s := float64(-tau * (*head + k.Dot(v, tail))) // the conversion forbids fusing with the sum below
	*head += s
	k.Axpy(s, v, tail)
}

// R returns a copy of the min(m, n) x n upper trapezoidal factor.
func (q *QR) R() *Dense {
	n, m := q.at.Dims()
	r := NewDense(min(m, n), n, nil)
	q.triangleTo(r)
	return r
}

// MulQ sets B = QB, or B = Q'B with Trans. Q is the full m x m factor.
func (q *QR) MulQ(t Transpose, b *Dense) {
	check(b.rows == q.at.cols, "QR.MulQ: B has the wrong number of rows")
	if b.rows == 0 || b.cols == 0 {
		return
	}
	k := len(q.tau)
	if b.cols < qrNarrow {
		q.mulQNarrow(t, b)
		return
	}
	w := borrow()
	for step := 0; step < k; step += q.block {
		first := step
		if t == NoTrans {
			first = (k-1)/q.block*q.block - step
		}
		q.mulBlock(t, first, min(first+q.block, k), b, w)
	}
	w.giveBack()
}

// mulBlock applies one block of reflectors to B.
func (q *QR) mulBlock(t Transpose, first, last int, b *Dense, w *arena) {
	w.v.reshape(last-first, b.rows-first)
	q.loadV(&w.v, first, first, last)
	rest := b.sub(first, b.rows, 0, b.cols)
	tt := q.blockT(first, last)
	w.w.reshape(2*(last-first), b.cols)
	vb, tvb := w.w.sub(0, last-first, 0, b.cols), w.w.sub(last-first, 2*(last-first), 0, b.cols)
	Gemm(NoTrans, NoTrans, 1, &w.v, &rest, 0, &vb)
	Gemm(t, NoTrans, 1, &tt, &vb, 0, &tvb)
	Gemm(Trans, NoTrans, -1, &w.v, &tvb, 1, &rest)
}

// mulQNarrow is MulQ for few columns. It applies one reflector to one column at a time.
func (q *QR) mulQNarrow(t Transpose, b *Dense) {
	kernel := asm.Active()
	m, k := q.at.cols, len(q.tau)
	w := borrow()
	x := w.vector(m)
	for c := range b.cols {
		for i := range x {
			x[i] = b.data[i*b.stride+c]
		}
		for step := range k {
			j := step
			if t == NoTrans {
				j = k - 1 - step
			}
			reflect(kernel, q.tau[j], q.at.data[j*m+j+1:(j+1)*m], &x[j], x[j+1:])
		}
		for i, v := range x {
			b.data[i*b.stride+c] = v
		}
	}
	w.giveBack()
}

// SolveTo sets dst to the least-squares solution of A dst = b. A is m x n with m >= n,
// dst is n x p and b is m x p. It returns a *SingularError if the diagonal of R has a zero.
func (q *QR) SolveTo(dst, b *Dense) error {
	n, m := q.at.Dims()
	check(m >= n, "QR.SolveTo: fewer rows than columns")
	check(b.rows == m && dst.rows == n && dst.cols == b.cols, "QR.SolveTo: wrong shape")
	for j := range n {
		if q.at.data[j*m+j] == 0 {
			return &SingularError{Index: j}
		}
	}
	qb := b.Clone()
	q.MulQ(Trans, qb)
	top := qb.sub(0, n, 0, b.cols)
	dst.CopyFrom(&top)
	square := q.at.sub(0, n, 0, n)
	r := square.tri(Lower) // R'
	Trsm(Left, Trans, 1, &r, dst)
	return nil
}
