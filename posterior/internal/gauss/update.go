package gauss

import "github.com/bpielm/bpielm/mat"

// Update is v ~ N(0, I) conditioned on rows B v = r with unit noise.
type Update struct {
	basis *mat.Dense // W
	t     *mat.Dense // k x k upper triangle
	x     []float64  // k
}

// NewUpdate takes the rows as the columns of bt, n x rows.
func NewUpdate(bt *mat.Dense, r []float64) *Update {
	s := newSpan(bt)
	u := &Update{basis: s.w}
	u.t, u.x = s.solve(r, &State{Amplitude: 1, Noise: 1})
	return u
}

// Mean returns the conditional mean of v.
func (u *Update) Mean() []float64 {
	v := make([]float64, u.basis.Rows())
	mat.Gemv(mat.NoTrans, 1, u.basis, u.x, 0, v)
	return v
}

// Condition replaces f by f (I - WW' + W T^-1 W'), a square root of the conditional
// covariance of f v.
func (u *Update) Condition(f *mat.Dense) {
	n, k := f.Rows(), u.basis.Cols()
	fw := mat.NewDense(n, k, nil)
	mat.Gemm(mat.NoTrans, mat.NoTrans, 1, f, u.basis, 0, fw)
	shrunk := fw.Clone()
	mat.Trsm(mat.Right, mat.NoTrans, 1, u.t.Tri(mat.Upper), shrunk)
	for i := range n {
		mat.Axpy(-1, shrunk.Row(i), fw.Row(i))
	}
	mat.Gemm(mat.NoTrans, mat.Trans, -1, fw, u.basis, 1, f)
}

// span is the subspace that the rows see: B' = W L' with orthonormal W. Outside of it v
// keeps its prior.
type span struct {
	w *mat.Dense // n x k
	l *mat.Dense // rows x k
}

func newSpan(bt *mat.Dense) span {
	n, rows := bt.Dims()
	k := min(rows, n)
	var qr mat.QR
	qr.Factorize(bt)
	s := span{w: mat.NewDense(n, k, nil), l: qr.R().Transpose()}
	for i := range k {
		s.w.Set(i, i, 1)
	}
	qr.MulQ(mat.NoTrans, s.w)
	return s
}

// solve returns the upper triangle T and x with
//
//	T'T = I + a^2 L' S^-1 L,   T'T x = a L' S^-1 r,
//
// with the amplitude a and the diagonal noise covariance S of a state, by a QR factorisation of
// [a S^-1/2 L; I], so that nothing is squared. Along W, v has the mean a x and the covariance
// a^2 (T'T)^-1.
func (s span) solve(r []float64, at *State) (t *mat.Dense, x []float64) {
	rows, k := s.l.Dims()
	stacked, rhs := mat.NewDense(rows+k, k, nil), mat.NewDense(rows+k, 1, nil)
	for i := range rows {
		weight := 1 / at.noise(i)
		to := stacked.Row(i)
		for j, v := range s.l.Row(i) {
			to[j] = float64(weight*at.Amplitude) * v
		}
		rhs.Set(i, 0, weight*r[i])
	}
	for i := range k {
		stacked.Set(rows+i, i, 1)
	}
	var qr mat.QR
	qr.Factorize(stacked)
	qr.MulQ(mat.Trans, rhs)
	t = qr.R()
	x = append([]float64(nil), rhs.Data()[:k]...)
	mat.Trsv(mat.NoTrans, t.Tri(mat.Upper), x)
	return t, x
}
