package posterior

import "github.com/bpielm/bpielm/mat"

// update is the conditioning of v ~ N(0, I) on rows b v = r with unit noise.
type update struct {
	w *mat.Dense // n x k, orthonormal columns
	t *mat.Dense // k x k upper triangle
	x []float64  // k
}

// newUpdate takes the rows as the columns of bt.
func newUpdate(bt *mat.Dense, r []float64) *update {
	n, rows := bt.Dims()
	k := min(rows, n)
	u := &update{x: make([]float64, k)}
	// B' = W R, so L = R'.
	var qr mat.QR
	qr.Factorize(bt)
	u.w = mat.NewDense(n, k, nil)
	for i := range k {
		u.w.Set(i, i, 1)
	}
	qr.MulQ(mat.NoTrans, u.w)
	// [L; I] = Q T, and T x = the first k entries of Q'[r; 0].
	stacked := mat.NewDense(rows+k, k, nil)
	stacked.Slice(0, rows, 0, k).CopyFrom(qr.R().Transpose())
	for i := range k {
		stacked.Set(rows+i, i, 1)
	}
	var square mat.QR
	square.Factorize(stacked)
	u.t = square.R()
	rhs := mat.NewDense(rows+k, 1, nil)
	for i, v := range r {
		rhs.Set(i, 0, v)
	}
	square.MulQ(mat.Trans, rhs)
	for i := range k {
		u.x[i] = rhs.At(i, 0)
	}
	mat.Trsv(mat.NoTrans, u.t.Tri(mat.Upper), u.x)
	return u
}

// mean returns the conditional mean of v.
func (u *update) mean() []float64 {
	v := make([]float64, u.w.Rows())
	mat.Gemv(mat.NoTrans, 1, u.w, u.x, 0, v)
	return v
}

// conditionFactor replaces f by f (I - W W' + W T^-1 W'), a square root of the
// conditional covariance of f v.
func (u *update) conditionFactor(f *mat.Dense) {
	n, k := f.Rows(), u.w.Cols()
	fw := mat.NewDense(n, k, nil)
	mat.Gemm(mat.NoTrans, mat.NoTrans, 1, f, u.w, 0, fw)
	shrunk := fw.Clone()
	mat.Trsm(mat.Right, mat.NoTrans, 1, u.t.Tri(mat.Upper), shrunk)
	for i := range n {
		mat.Axpy(-1, shrunk.Row(i), fw.Row(i))
	}
	mat.Gemm(mat.NoTrans, mat.Trans, -1, fw, u.w, 1, f)
}
