package mat

import (
	"math"

	"github.com/bpielm/bpielm/mat/asm"
)

// divideAndConquer computes the eigenvalues and eigenvectors of a symmetric tridiagonal
// matrix T by divide and conquer (Cuppen, 1981). T is split by a rank-one correction,
//
//	T = diag(T1, T2) + rho u u',  u = e_last ± e_first
//
// With T1 = Z1 D1 Z1' and T2 = Z2 D2 Z2', it remains to decompose
// diag(D1, D2) + rho z z': see merge.
type divideAndConquer struct {
	kernel *asm.Kernel
	d, off []float64 // the diagonal, then the eigenvalues; the off-diagonal
	rows   Dense     // row i is the eigenvector of value i, in the columns of its block
	order  []int     // the rows of each block, by ascending value
	solver blockSolver
}

// run decomposes the matrix with the given diagonal and off-diagonal, both of which it
// overwrites, or returns a *NotConvergedError. Row i of rows is the eigenvector of
// values[i]; t.order sorts both.
func (t *divideAndConquer) run(k *asm.Kernel, diagonal, off []float64) (values []float64, rows *Dense, err error) {
	n := len(diagonal)
	t.kernel, t.d, t.off = k, diagonal, off
	t.order = resize(t.order, n)
	t.rows.reshape(n, n)
	if err := t.solver.solve(t, 0, n); err != nil {
		return nil, nil, err
	}
	return t.d, &t.rows, nil
}

// blockSolver decomposes one block after another. The halves of a large block have
// solvers of their own, so that they can run in parallel.
type blockSolver struct {
	leaf   implicitQL
	turned rotations
	merge  merge
	halves *[2]halfSolver
}

// halfSolver decomposes half of a block.
type halfSolver struct {
	blockSolver
	t           *divideAndConquer
	first, last int
	err         error
}

// solve decomposes the block of rows first to last-1.
func (s *blockSolver) solve(t *divideAndConquer, first, last int) error {
	if last-first <= divideLeaf {
		return s.solveLeaf(t, first, last)
	}
	mid := first + (last-first)/2
	coupling := t.off[mid-1]
	t.d[mid-1] -= math.Abs(coupling)
	t.d[mid] -= math.Abs(coupling)
	if err := s.solveHalves(t, first, mid, last); err != nil {
		return err
	}
	return s.merge.run(t, first, mid, last, coupling)
}

// solveHalves decomposes the blocks of rows first to mid-1 and mid to last-1.
func (s *blockSolver) solveHalves(t *divideAndConquer, first, mid, last int) error {
	if last-first < divideParallel || processors() == 1 {
		if err := s.solve(t, first, mid); err != nil {
			return err
		}
		return s.solve(t, mid, last)
	}
	if s.halves == nil {
		s.halves = new([2]halfSolver)
	}
	h := s.halves
	h[0].t, h[0].first, h[0].last = t, first, mid
	h[1].t, h[1].first, h[1].last = t, mid, last
	Parallel(2, func(i int) { h[i].err = h[i].solve(h[i].t, h[i].first, h[i].last) })
	h[0].t, h[1].t = nil, nil
	if h[0].err != nil {
		return h[0].err
	}
	return h[1].err
}

// solveLeaf decomposes a block by QL.
func (s *blockSolver) solveLeaf(t *divideAndConquer, first, last int) error {
	n := last - first
	r := &s.turned
	r.loadIdentity(n)
	q := &s.leaf
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
