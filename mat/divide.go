package mat

import (
	"math"

	"github.com/bpielm/bpielm/mat/asm"
)

// divideLeaf is the largest tridiagonal matrix that is not torn.
const divideLeaf = 32

// divideAndConquer finds eigenvalues and eigenvectors of a symmetric tridiagonal matrix T by
// divide and conquer (Cuppen, 1981). T is torn in two,
//
//	T = diag(T1, T2) + rho u u',  u = e_last ± e_first
//
// and with T1 = Z1 D1 Z1', T2 = Z2 D2 Z2' what is left is the decomposition of
// diag(D1, D2) + rho z z': see merge.
type divideAndConquer struct {
	kernel *asm.Kernel
	d, off []float64 // the diagonal, then the eigenvalues; and what is beside it
	rows   Dense     // row i is the eigenvector of value i, in the columns of its block
	order  []int     // the rows of each block, smallest value first
	leaf   implicitQL
	turned rotations
	merge  merge
}

// run computes the decomposition of the matrix with that diagonal and the elements off
// beside it, both of which it changes, or returns a *NotConvergedError. The vectors are
// the rows of the matrix returned, and belong to the values; t.order sorts both.
func (t *divideAndConquer) run(k *asm.Kernel, diagonal, off []float64) (values []float64, rows *Dense, err error) {
	n := len(diagonal)
	t.kernel, t.d, t.off = k, diagonal, off
	t.order = resize(t.order, n)
	t.rows.reshape(n, n)
	t.merge.reset(n)
	if err := t.solve(0, n); err != nil {
		return nil, nil, err
	}
	return t.d, &t.rows, nil
}

// solve decomposes the block from first to last-1.
func (t *divideAndConquer) solve(first, last int) error {
	if last-first <= divideLeaf {
		return t.solveLeaf(first, last)
	}
	mid := first + (last-first)/2
	coupling := t.off[mid-1]
	t.d[mid-1] -= math.Abs(coupling)
	t.d[mid] -= math.Abs(coupling)
	if err := t.solve(first, mid); err != nil {
		return err
	}
	if err := t.solve(mid, last); err != nil {
		return err
	}
	return t.merge.run(t, first, mid, last, coupling)
}

// solveLeaf decomposes a block by QL.
func (t *divideAndConquer) solveLeaf(first, last int) error {
	n := last - first
	r := &t.turned
	r.loadIdentity(n)
	q := &t.leaf
	q.values, q.off, q.order, q.turned = t.d[first:last], t.off[first:last], resize(q.order, n), r
	if err := q.run(t.kernel); err != nil {
		return err
	}
	r.apply(t.kernel)
	block := t.rows.sub(first, last, first, last)
	r.copyTo(&block, q.order)
	for i := first; i < last; i++ {
		p := i
		for ; p > first && t.d[t.order[p-1]] > t.d[i]; p-- {
			t.order[p] = t.order[p-1]
		}
		t.order[p] = i
	}
	return nil
}
