package posterior

import "github.com/bpielm/bpielm/mat"

// More eigenvalues than moreEigenvalues times as many as are asked for are not all computed. Subspace iteration, with
// spareVectors more than needed, then takes subspaceSteps steps: enough for what a logarithm needs.
const moreEigenvalues, spareVectors, subspaceSteps = 8, 2, 6

// largestEigenvalues are the m largest of X'X, which has no fewer, valid until the next call with the storage.
func largestEigenvalues(x *mat.Dense, m int, store *storage) ([]float64, error) {
	n, space := x.Cols(), store.evidence()
	k := mat.NewSym(n, store.unset(n*n))
	mat.Syrk(mat.Trans, 1, x, 0, k)
	if block := m + spareVectors; n > moreEigenvalues*block {
		whole, v := store.unsetDense(n, n), store.dense(n, block)
		for i := range n {
			for j, s := range k.Row(i)[:i+1] {
				whole.Set(i, j, s)
				whole.Set(j, i, s)
			}
		}
		for j := range block { // readings that are far from each other
			v.Set(j*(n-1)/(block-1), j, 1)
		}
		next, q := store.unsetDense(n, block), store.unsetDense(n, block)
		for range subspaceSteps {
			mat.Gemm(mat.NoTrans, mat.NoTrans, 1, whole, v, 0, next)
			space.qr.Factorize(next)
			q.Zero()
			for j := range block {
				q.Set(j, j, 1)
			}
			space.qr.MulQ(mat.NoTrans, q)
			v, q = q, v
		}
		mat.Gemm(mat.NoTrans, mat.NoTrans, 1, whole, v, 0, next)
		small := store.unsetDense(block, block)
		mat.Gemm(mat.Trans, mat.NoTrans, 1, v, next, 0, small)
		k = mat.NewSym(block, store.unset(block*block))
		for i := range block {
			copy(k.Row(i)[:i+1], small.Row(i)[:i+1])
		}
	}
	if err := space.eigen.Factorize(k, false); err != nil {
		return nil, err
	}
	return space.eigen.Values()[k.N()-m:], nil
}
