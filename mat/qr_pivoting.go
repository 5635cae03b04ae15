package mat

import (
	"math"

	"github.com/bpielm/bpielm/mat/asm"
)

// pivoting is the state of a QR factorisation with column pivoting. Choosing a pivot
// takes the norms of all columns, but only one column's elements. So the update of the
// trailing columns is delayed for a block of reflectors V, which then turns them into
// A - V F' at once (Quintana-Orti, Sun and Bischof, A BLAS-3 version of the QR
// factorization with column pivoting, 1998).
type pivoting struct {
	q     *QR
	k     *asm.Kernel
	order []int
	norms []float64 // of the remaining part of each column
	exact []float64 // each norm when last computed from the elements, 0 if that is due again
	f     Dense     // row i belongs to column i, with an element for each reflector of the block
	next  []float64 // scratch: a product for each column, then weights
}

// factorizePivoted is factorizeTransposed with column pivoting: column order[j] of the
// matrix becomes column j of QR, and the diagonal of R decreases in magnitude. norms is
// scratch of 2n elements.
func (q *QR) factorizePivoted(order []int, norms []float64) {
	n, m := q.at.Dims()
	k := min(m, n)
	q.reset(k)
	w := borrow()
	w.w.reshape(n, pivotBlock)
	p := pivoting{q: q, k: asm.Active(), order: order, norms: norms[:n], exact: norms[n : 2*n], f: w.w, next: w.vector(n + pivotBlock)}
	for i := range order {
		order[i] = i
		norms[i] = Nrm2(q.at.Row(i))
		p.exact[i] = norms[i]
	}
	for first := 0; first < k; {
		last := p.block(first, min(first+pivotBlock, k))
		p.update(first, last)
		first = last
	}
	for first := 0; first < k; first += q.block {
		last := min(first+q.block, k)
		b := q.newBlock(w, first, last)
		b.gather(p.k, first, last)
	}
	w.giveBack()
}

// block computes reflectors from first on, up to last-1 at most. It returns where it
// stopped, which is early if the norm of a column must be recomputed.
func (p *pivoting) block(first, last int) int {
	for j := first; j < last; j++ {
		p.choose(j)
		p.reflect(first, j)
		if !p.downdate(j) {
			return j + 1
		}
	}
	return last
}

// choose swaps column j with the column of largest norm from j on.
func (p *pivoting) choose(j int) {
	best := j
	for i := j + 1; i < len(p.norms); i++ {
		if p.norms[i] > p.norms[best] {
			best = i
		}
	}
	if best != j {
		swap(p.q.at.Row(j), p.q.at.Row(best))
		swap(p.f.Row(j), p.f.Row(best))
		p.order[j], p.order[best] = p.order[best], p.order[j]
		p.norms[best], p.exact[best] = p.norms[j], p.exact[j]
	}
}

// reflect computes reflector j of the block that begins at first, its column of F, and
// row j of R.
func (p *pivoting) reflect(first, j int) {
	at := &p.q.at
	n, m := at.Dims()
	x := at.data[j*m+j : (j+1)*m]
	p.updateColumn(first, j, x)
	p.q.tau[j] = reflector(&x[0], x[1:])
	if j+1 < n {
		p.extendF(first, j, x[1:])
		p.updateRow(first, j)
	}
}

// updateColumn applies the reflectors of the block so far to x, column j from row j on.
func (p *pivoting) updateColumn(first, j int, x []float64) {
	at, count := &p.q.at, j-first
	weights := p.weights(count)
	for l, v := range p.f.Row(j)[:count] {
		weights[l] = -v
	}
	p.k.AxpyRows(weights, at.data[first*at.cols+j:], at.cols, x)
}

// extendF adds a column to F: tau (A - VF')'v, where A are the columns that wait and tail
// is that of v.
func (p *pivoting) extendF(first, j int, tail []float64) {
	at, f := &p.q.at, &p.f
	n, m := at.Dims()
	count := j - first
	weights, rest := p.weights(count+1), p.next[:n-j-1]
	below := min(j+1, m-1)
	for l := range count {
		v := at.data[(first+l)*m+j:][:m-j]
		weights[l] = -(v[0] + p.k.Dot(v[1:], tail))
	}
	p.k.DotRows(rest, at.data[(j+1)*m+below:], m, tail)
	for i, product := range rest {
		row := f.data[(j+1+i)*pivotBlock:]
		row[count] = at.data[(j+1+i)*m+j] + product
	}
	weights[count] = 1
	p.k.DotRows(rest, f.data[(j+1)*pivotBlock:], pivotBlock, weights)
	for i, product := range rest {
		f.data[(j+1+i)*pivotBlock+count] = p.q.tau[j] * product
	}
}

// updateRow applies the reflectors of the block so far to row j of the columns that wait,
// which makes it row j of R.
func (p *pivoting) updateRow(first, j int) {
	at := &p.q.at
	n, m := at.Dims()
	count := j - first
	weights, rest := p.weights(count+1), p.next[:n-j-1]
	for l := range count {
		weights[l] = at.data[(first+l)*m+j]
	}
	weights[count] = 1
	p.k.DotRows(rest, p.f.data[(j+1)*pivotBlock:], pivotBlock, weights)
	for i, product := range rest {
		at.data[(j+1+i)*m+j] -= product
	}
}

// weights returns scratch for an element of each of count reflectors.
func (p *pivoting) weights(count int) []float64 { return p.next[len(p.order):][:count] }

// downdate subtracts row j of R from the norms. It reports whether all of them are
// still accurate, that is whether cancellation has spared half of their digits (Drmac
// and Bujanovic, 2008).
func (p *pivoting) downdate(j int) bool {
	m, good := p.q.at.cols, true
	for i := j + 1; i < len(p.norms); i++ {
		norm := p.norms[i]
		if norm == 0 {
			continue
		}
		ratio := p.q.at.data[i*m+j] / norm
		left := max(0, asm.FMA(-ratio, ratio, 1))
		if change := norm / p.exact[i]; left*change*change > 0x1p-26 {
			p.norms[i] = norm * math.Sqrt(left)
		} else {
			p.exact[i], good = 0, false
		}
	}
	return good
}

// update applies the block of reflectors first to last-1 to the columns after it and
// recomputes the norms that are due.
func (p *pivoting) update(first, last int) {
	n, m := p.q.at.Dims()
	if last == n {
		return
	}
	columns, v := p.q.at.sub(last, n, last, m), p.q.at.sub(first, last, last, m)
	f := p.f.sub(last, n, 0, last-first)
	Gemm(NoTrans, NoTrans, -1, &f, &v, 1, &columns)
	for i := last; i < n; i++ {
		if p.exact[i] == 0 && p.norms[i] != 0 {
			p.norms[i] = Nrm2(columns.Row(i - last))
			p.exact[i] = p.norms[i]
		}
	}
}
