package mat

import (
	"sync/atomic"

	"github.com/bpielm/bpielm/mat/asm"
)

// compactWY is a block of reflectors of a QR factorisation that is being
// computed, gathered in halves: once those of either half are, as I - V1'T1 V1 and
// I - V2'T2 V2, all are with T = [T1, -T1 V1 V2' T2; 0, T2]. So each reflector is
// copied once, and each product of two is computed once.
type compactWY struct {
	q     *QR
	w     *arena
	first int   // reflector
	last  int   // one after the last
	v, vt Dense // reflectors as rows, from position first on, and as columns
	t     Dense // T of the whole block, and on its diagonal those of its parts
}

// newBlock begins the block of reflectors first to last-1.
func (q *QR) newBlock(w *arena, first, last int) compactWY {
	const pad = asm.Panel // rows a power of two apart would get into each other's way in cache
	n, m := last-first, q.at.cols-first
	w.v.reshape(n, m)
	w.vt.reshape(m, n+pad)
	b := compactWY{q, w, first, last, w.v, w.vt.sub(0, m, 0, n), q.blockT(first, last)}
	b.t.Zero()
	return b
}

// factorize computes the reflectors first to last-1 of the block and their T. It halves
// them until few are left, which are applied one by one.
func (b *compactWY) factorize(k *asm.Kernel, first, last int) {
	if last-first <= qrPanel {
		b.q.factorizePanel(k, b.w, first, last)
		b.load(k, first, last)
		return
	}
	middle := halfway(first, last)
	b.factorize(k, first, middle)
	b.apply(first, middle, middle, last, false)
	b.factorize(k, middle, last)
	b.join(first, middle, last)
}

// gather computes T of the reflectors first to last-1.
func (b *compactWY) gather(k *asm.Kernel, first, last int) {
	if last-first <= qrPanel {
		b.load(k, first, last)
		return
	}
	middle := halfway(first, last)
	b.gather(k, first, middle)
	b.gather(k, middle, last)
	b.join(first, middle, last)
}

func halfway(first, last int) int { return first + roundUp((last-first)/2, qrPanel) }

// load copies the reflectors first to last-1, and computes their T.
func (b *compactWY) load(k *asm.Kernel, first, last int) {
	base, m, n := b.first, b.v.cols, last-first
	v, vt := b.v.sub(first-base, last-base, 0, m), b.vt.sub(0, m, first-base, last-base)
	b.q.loadV(&v, base, first, last)
	transpose(&vt, &v)
	vt = b.vt.sub(first-base, m, first-base, last-base)
	b.w.w.reshape(2*n, n)
	products, t := b.w.w.sub(0, n, 0, n), b.w.w.sub(n, 2*n, 0, n) // t is T'
	Syrk(Trans, 1, &vt, 0, &Sym{m: products})
	t.Zero()
	for c := range n {
		// Column c of T is -tau T z, where z holds the products of v_c and earlier reflectors.
		tau, column := b.q.tau[first+c], t.Row(c)
		k.AxpyRows(products.Row(c)[:c], t.data, t.stride, column[:c])
		scaleVector(-tau, column[:c])
		column[c] = tau
	}
	part := b.partT(first, last, first, last)
	transpose(&part, &t)
}

// join computes what T holds of both halves of the reflectors first to last-1.
func (b *compactWY) join(first, middle, last int) {
	base, m, n1, n2 := b.first, b.v.cols, middle-first, last-middle
	v, vt := b.v.sub(first-base, middle-base, middle-base, m), b.vt.sub(middle-base, m, middle-base, last-base)
	b.w.w.reshape(2*n1, n2)
	products, right := b.w.w.sub(0, n1, 0, n2), b.w.w.sub(n1, 2*n1, 0, n2)
	t1, t2, both := b.partT(first, middle, first, middle), b.partT(middle, last, middle, last), b.partT(first, middle, middle, last)
	Gemm(NoTrans, NoTrans, 1, &v, &vt, 0, &products)
	Gemm(NoTrans, NoTrans, 1, &products, &t2, 0, &right)
	Gemm(NoTrans, NoTrans, -1, &t1, &right, 0, &both)
}

// partT returns a part of T: rows of the reflectors i to k-1, columns of j to l-1.
func (b *compactWY) partT(i, k, j, l int) Dense {
	return b.t.sub(i-b.first, k-b.first, j-b.first, l-b.first)
}

// apply applies the reflectors first to last-1 to the rows from to end-1 of q.at, on
// all processors or alone. It takes so many rows at a time that what one product has
// read is still in cache when the next one changes it.
func (b *compactWY) apply(first, last, from, end int, alone bool) {
	base, m, n := b.first, b.v.cols, last-first
	v, vt := b.v.sub(first-base, last-base, first-base, m), b.vt.sub(first-base, m, first-base, last-base)
	t := b.partT(first, last, first, last)
	w := borrow()
	for ; from < end; from += qrTogether {
		rows := min(qrTogether, end-from)
		rest := b.q.at.sub(from, from+rows, first, base+m)
		w.w.reshape(2*rows, n)
		rv, rvt := w.w.sub(0, rows, 0, n), w.w.sub(rows, 2*rows, 0, n)
		multiply(1, &rest, &vt, 0, &rv, alone)
		multiply(1, &rv, &t, 0, &rvt, alone)
		multiply(-1, &rvt, &v, 1, &rest, alone)
	}
	w.giveBack()
}

// multiply is Gemm of operands that are not transposed, alone for fewer than qrTall
// terms: the sums are the same.
func multiply(alpha float64, a, b *Dense, beta float64, c *Dense, alone bool) {
	if !alone {
		Gemm(NoTrans, NoTrans, alpha, a, b, beta, c)
		return
	}
	p := product{
		k:     asm.Active(),
		alpha: alpha, beta: beta,
		a: operand{a.data, a.stride, true}, b: operand{b.data, b.stride, false},
		m: c.rows, n: c.cols, depth: b.rows,
		c: c.data, ldc: c.stride,
	}
	p.multiply(0, p.m, 0, p.n)
}

// applyAhead applies all reflectors to the rows from b.last to end-1 of q.at, part by
// part on all processors, and returns the block of the reflectors b.last to next-1,
// computed as soon as their rows are ready. It may use w.
func (b *compactWY) applyAhead(k *asm.Kernel, w *arena, next, end int) (following compactWY) {
	var claimed atomic.Int64
	all, rows := *b, max(qrBlock, roundUp((end-next)/qrAheadParts, asm.Panel))
	Parallel(1+(end-next+rows-1)/rows, func(int) {
		part := int(claimed.Add(1)) - 2 // in order
		if part >= 0 {
			from := next + part*rows
			all.apply(all.first, all.last, from, min(from+rows, end), true)
			return
		}
		all.apply(all.first, all.last, all.last, next, true)
		following = all.q.newBlock(w, all.last, next)
		following.factorize(k, all.last, next)
	})
	return following
}
