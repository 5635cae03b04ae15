package posterior

import "github.com/bpielm/bpielm/mat"

// wideFactor is V of a triangle R with few rows: with the first of them R_1 = L Q' and L = U B W', V is
// Q [W 0; 0 I], and B continues with zeros. The work grows with the number of rows, not of columns: an
// ordinary differential equation has fewer collocation points than neurons.
type wideFactor struct {
	q     mat.QR // of R_1'
	inner *mat.Bidiagonal
	rows  int
	n     int
}

// isWide tells whether so few rows of a triangle with n columns are worth a wideFactor.
func isWide(rows, n int) bool { return 2*rows <= n }

// decomposeWide is decompose for the first rows of R, the others being zero.
func (r *reduction) decomposeWide(rows int, store *storage) (*decomposition, error) {
	n := len(r.y)
	w := &wideFactor{inner: store.bidiagonal(), rows: rows, n: n}
	w.q.Factorize(r.r.Slice(0, rows, 0, n).Transpose())
	if err := w.inner.Factorize(w.q.R().Transpose()); err != nil {
		return nil, err
	}
	dec := &decomposition{d: make([]float64, n), e: make([]float64, max(0, n-1)), c: make([]float64, n), rest: r.rest * r.rest, right: w}
	copy(dec.d, w.inner.Diagonal())
	copy(dec.e, w.inner.Super())
	copy(dec.c, r.y[:rows])
	w.inner.MulUTrans(dec.c[:rows])
	return dec, nil
}

func (w *wideFactor) MulRightV(h *mat.Dense) {
	t := h.Transpose()
	w.q.MulQ(mat.Trans, t)
	transposeTo(h, t)
	w.inner.MulRightV(h.Slice(0, h.Rows(), 0, w.rows))
}

func (w *wideFactor) MulV(x []float64) {
	w.inner.MulV(x[:w.rows])
	w.q.MulQ(mat.NoTrans, mat.NewDense(len(x), 1, x))
}

func (w *wideFactor) VTrans() *mat.Dense {
	v := mat.NewDense(w.n, w.n, nil)
	transposeTo(v.Slice(0, w.rows, 0, w.rows), w.inner.VTrans())
	for i := w.rows; i < w.n; i++ {
		v.Set(i, i, 1)
	}
	w.q.MulQ(mat.NoTrans, v)
	return v.Transpose()
}
