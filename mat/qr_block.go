package mat

import (
	"sync/atomic"

	"github.com/bpielm/bpielm/mat/asm"
)

// compactWY is a block of reflectors of a QR factorisation in progress. T is computed by
// halves: once the halves are I - V1'T1 V1 and I - V2'T2 V2, the block has
// T = [T1, -T1 V1 V2' T2; 0, T2]. So each reflector is copied once, and the product of
// any two is computed once.
type compactWY struct {
	q     *QR
	w     *arena
	first int   // first reflector
	last  int   // one past the last
	v, vt Dense // reflectors as rows, from coordinate first on, and as columns
	t     Dense // T of the block; its diagonal blocks are those of its parts
}

// newBlock starts the block of reflectors first to last-1.
func (q *QR) newBlock(w *arena, first, last int) compactWY {
	const pad = asm.Panel // rows a power of two apart would compete for cache sets
	n, m := last-first, q.at.cols-first
	w.v.reshape(n, m)
	w.vt.reshape(m, n+pad)
	b := compactWY{q, w, first, last, w.v, w.vt.sub(0, m, 0, n), q.blockT(first, last)}
	b.t.Zero()
	return b
}

// factorize computes reflectors first to last-1 of the block and their T, by recursive
// halving down to panels whose reflectors are applied one by one.
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

// gather computes T of reflectors first to last-1, which are known.
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

// load copies reflectors first to last-1 into the block and computes their T.
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
		// Column c of T is -tau T z, where z holds the products of v_c with earlier reflectors.
		tau, column := b.q.tau[first+c], t.Row(c)
		k.AxpyRows(products.Row(c)[:c], t.data, t.stride, column[:c])
		scaleVector(-tau, column[:c])
		column[c] = tau
	}
	part := b.partT(first, last, first, last)
	transpose(&part, &t)
}

// join computes the off-diagonal block of T that couples both halves of reflectors first
// to last-1.
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

// partT returns rows i to k-1 and columns j to l-1 of T, numbered by reflector.
func (b *compactWY) partT(i, k, j, l int) Dense {
	return b.t.sub(i-b.first, k-b.first, j-b.first, l-b.first)
}

// apply applies reflectors first to last-1 to rows from to end-1 of q.at, on all
// processors or, with alone, on this one. It takes qrTogether rows at a time, so that
// they are still in cache when the last product updates them.
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

// multiply is Gemm without transposes. With alone it stays on this processor, for fewer
// than qrTall terms, where the sums are the same.
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

// applyAhead applies all reflectors to rows b.last to end-1 of q.at on all processors,
// and returns the block of reflectors b.last to next-1, which it factorises as soon as
// its rows have been updated (lookahead). It may use w.
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
