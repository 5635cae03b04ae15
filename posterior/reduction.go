package posterior

import (
	"math"

	"github.com/bpielm/bpielm/mat"
)

// reduction is what is left of many rows [H y], reduced as they stream by: the
// triangle R with Q'y on the square-root path, H'H with H'y on the Gram path.
type reduction struct {
	columns int
	tsqr    *mat.TSQR // square-root path
	gram    *mat.Gram // Gram path, as rows are appended
	hh      *mat.Sym  // Gram path, as scaled reductions are merged
	hy      []float64
	yy      float64
}

func newReduction(columns int, path Path) *reduction {
	r := &reduction{columns: columns}
	if path == GramPath {
		r.gram = mat.NewGram(columns)
		r.hh = mat.NewSym(columns, nil)
		r.hy = make([]float64, columns)
	} else {
		r.tsqr = mat.NewTSQR(columns)
	}
	return r
}

func (r *reduction) append(h *mat.Dense, y []float64) {
	if r.tsqr != nil {
		r.tsqr.Append(h, y)
	} else {
		r.gram.Append(h, y)
	}
}

// merge adds the rows of other with column j multiplied by d[j] and the right
// hand side by weight.
func (r *reduction) merge(other *reduction, d []float64, weight float64) {
	if r.tsqr != nil {
		rows := mat.NewDense(r.columns+1, r.columns, nil)
		rows.Slice(0, r.columns, 0, r.columns).CopyFrom(other.tsqr.R())
		scaleColumns(rows, d)
		// What R cannot reach of y is a row of its own, with nothing in H.
		y := append(append([]float64(nil), other.tsqr.QTy()...), other.tsqr.Residual())
		scaleVector(weight, y)
		r.tsqr.Append(rows, y)
		return
	}
	hh, hy, yy := other.sums()
	for i := range r.columns {
		for j := range i + 1 {
			r.hh.Set(i, j, r.hh.At(i, j)+float64(float64(hh.At(i, j)*d[i])*d[j]))
		}
		r.hy[i] += float64(float64(hy[i]*d[i]) * weight)
	}
	r.yy += float64(float64(yy*weight) * weight)
}

// sums returns H'H, H'y and y'y of a reduction on the Gram path. A reduction
// is either appended to or merged into, never both.
func (r *reduction) sums() (hh *mat.Sym, hy []float64, yy float64) {
	if r.gram.Count() > 0 {
		return r.gram.HH(), r.gram.Hy(), r.gram.YY()
	}
	return r.hh, r.hy, r.yy
}

// joined stacks the rows of open divided by a tolerance on those of fixed;
// either may be nil.
func joined(open *reduction, tolerance float64, fixed *reduction) *reduction {
	if open == nil {
		return fixed
	}
	path := SquareRoot
	if open.tsqr == nil {
		path = GramPath
	}
	j := newReduction(open.columns, path)
	d := make([]float64, open.columns)
	for i := range d {
		d[i] = 1 / tolerance
	}
	j.merge(open, d, 1/tolerance)
	if fixed != nil {
		for i := range d {
			d[i] = 1
		}
		j.merge(fixed, d, 1)
	}
	return j
}

// decompose takes the singular values and right singular vectors of the rows.
func (r *reduction) decompose() (*shape, error) {
	if r.tsqr != nil {
		return r.decomposeTriangle()
	}
	return r.decomposeGram()
}

func (r *reduction) decomposeTriangle() (*shape, error) {
	var svd mat.SVD
	if err := svd.Factorize(r.tsqr.R(), true); err != nil {
		return nil, err
	}
	sh := &shape{v: svd.V(), s: append([]float64(nil), svd.Values()...), c: make([]float64, r.columns)}
	mat.Gemv(mat.Trans, 1, svd.U(), r.tsqr.QTy(), 0, sh.c)
	residual := r.tsqr.Residual()
	sh.rest = residual * residual
	sh.yy = sh.rest + squares(sh.c)
	sh.sc = make([]float64, r.columns)
	for i, s := range sh.s {
		sh.sc[i] = s * sh.c[i]
	}
	return sh, nil
}

func (r *reduction) decomposeGram() (*shape, error) {
	hh, hy, yy := r.sums()
	var eigen mat.SymEigen
	if err := eigen.Factorize(hh, true); err != nil {
		return nil, err
	}
	sh := &shape{v: eigen.Vectors(), s: make([]float64, r.columns), sc: make([]float64, r.columns), yy: yy}
	for i, v := range eigen.Values() {
		// rounding leaves the small ones negative
		sh.s[i] = math.Sqrt(math.Max(v, 0))
	}
	mat.Gemv(mat.Trans, 1, sh.v, hy, 0, sh.sc)
	return sh, nil
}
