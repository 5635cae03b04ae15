package posterior

import (
	"math"
	"sync"

	"github.com/bpielm/bpielm/mat"
)

// decomposition is the rows of the physics at given tolerances, decomposed: bidiagonal or, halfway
// there, as sums of squares.
type decomposition struct {
	d, e     []float64   // B: diagonal and superdiagonal
	c        []float64   // U' y_f / T, the first n elements
	rest     float64     // squared norm of the remaining elements
	right    rightFactor // nil: V = I
	unitOpen bool        // B still has to be divided by the open tolerance

	sums  *reduction  // instead of B
	front int         // with sums: how many columns, those of parameters, come first
	known []float64   // with sums: the last coordinates, which exact conditions fix
	order *blockOrder // with sums of a layer with patches: its coordinates

	parameters *mat.Dense // one column for each parameter, which selects it; nil: none
	particular *particular

	vectors   sync.Once
	transpose *mat.Dense // V', computed on demand
}

// vt returns V', not a copy.
func (dec *decomposition) vt() *mat.Dense {
	dec.vectors.Do(func() { dec.transpose = dec.right.VTrans() })
	return dec.transpose
}

// rightFactor is V, n x n with orthonormal columns.
type rightFactor interface {
	MulRightV(h *mat.Dense) // H = H V
	MulV(x []float64)       // x = V x
	VTrans() *mat.Dense     // V'
}

// decompose decomposes all rows at the given open tolerance. Where no block has its own tolerance,
// the result serves every tolerance, and the given one is not used.
func (ph *Physics) decompose(tolerance float64) (*decomposition, error) {
	all, unit := ph.demanded.at(tolerance, ph.store)
	dec := &decomposition{sums: all}
	if all.blocks != nil {
		return ph.decomposeBlocks(dec, unit, tolerance)
	}
	if all.hh != nil && ph.exact == nil {
		// Parameters are eliminated before neurons. Their prior is wide, and afterwards what is left
		// of them would be the rounding error of a difference.
		dec.front = ph.basis.Parameters
		dec.sums = all.rotated(dec.front, ph.store)
	}
	if all.hh == nil {
		var err error
		if dec, err = all.decompose(ph.store); err != nil {
			return nil, err
		}
	}
	dec.unitOpen = unit
	if ph.exact != nil {
		ph.exact.extend(dec)
	}
	if m := ph.basis.Parameters; m > 0 {
		h := ph.store.dense(m, len(ph.scale))
		for i := range m {
			h.Set(i, ph.basis.ParameterColumn(i), 1)
		}
		dec.parameters = dec.turned(h, ph.store)
		// Where parameters are not identifiable, sums of squares may fail at the tightest slacks.
		tau, p := ph.referenceTau(tolerance), ph.store.slackPrior()
		err := dec.findParticular(p, tau, ph.rows)
		for ; err != nil && tau < looseTau; err = dec.findParticular(p, tau, ph.rows) {
			tau *= 10
		}
		if err == nil {
			err = dec.loosenParticular(p, tau)
		}
		if err != nil {
			return nil, err
		}
	}
	return dec, nil
}

// referenceSlack is tight for an equation, and far above the rounding error of sums of squares.
const referenceSlack = 1e-5

// referenceTau is the slack per amplitude at which the particular solution for a parameter is
// computed, in the units of the rows: those with a tolerance are divided by it.
func (ph *Physics) referenceTau(tolerance float64) float64 {
	if ph.demanded.fixed == nil {
		return math.Max(referenceSlack, ph.lowestTau())
	}
	loosest := 0.0
	if ph.demanded.open != nil {
		loosest = tolerance
	}
	if loosest = max(loosest, ph.loosest, ph.config.Tolerance); loosest == 0 {
		loosest = 1
	}
	return math.Max(referenceSlack/loosest, ph.lowestTau())
}

// turned returns rows, in prior standard deviations of the weights, as columns in the coordinates g.
func (dec *decomposition) turned(h *mat.Dense, store *storage) *mat.Dense {
	if dec.order != nil {
		return dec.order.turned(h, store)
	}
	rows, columns := h.Dims()
	if dec.right != nil {
		dec.right.MulRightV(h)
	}
	pt := store.unsetDense(columns, rows)
	back := columns - dec.front
	transposeTo(pt.Slice(dec.front, columns, 0, rows), h.Slice(0, rows, 0, back))
	transposeTo(pt.Slice(0, dec.front, 0, rows), h.Slice(0, rows, back, columns))
	return pt
}

// decompose reduces the rows to a bidiagonal matrix.
func (r *reduction) decompose(store *storage) (*decomposition, error) {
	if r.hh != nil {
		return r.decomposeSums(store)
	}
	if rows := r.height(); isWide(rows, len(r.y)) {
		return r.decomposeWide(rows, store)
	}
	b := store.bidiagonal()
	if err := b.Factorize(r.r); err != nil {
		return nil, err
	}
	dec := &decomposition{d: b.Diagonal(), e: b.Super(), c: append([]float64(nil), r.y...), rest: r.rest * r.rest, right: b}
	b.MulUTrans(dec.c)
	return dec, nil
}

// decomposeSums finds B as the Cholesky factor of the tridiagonal form of H'H, or from its
// eigenvalues where rounding has made some negative.
func (r *reduction) decomposeSums(store *storage) (*decomposition, error) {
	n := len(r.y)
	t := store.tridiagonal()
	if err := t.Factorize(r.hh); err != nil {
		return nil, err
	}
	dec := &decomposition{d: make([]float64, n), e: make([]float64, max(0, n-1)), c: append([]float64(nil), r.y...), right: tridiagonalQ{t}}
	if err := t.CholeskyTo(dec.d, dec.e); err != nil {
		return r.decomposeSpectrum()
	}
	t.MulQTrans(dec.c)
	// c = B'^-1 Q'H'y.
	for i, d := range dec.d {
		if i > 0 {
			dec.c[i] = mat.FMA(-dec.e[i-1], dec.c[i-1], dec.c[i])
		}
		dec.c[i] /= d
	}
	dec.rest = math.Max(r.yy-squares(dec.c), 0)
	return dec, nil
}

// decomposeSpectrum finds a diagonal B.
func (r *reduction) decomposeSpectrum() (*decomposition, error) {
	var eigen mat.SymEigen
	if err := eigen.Factorize(r.hh, true); err != nil {
		return nil, err
	}
	n := len(r.y)
	dec := &decomposition{d: make([]float64, n), e: make([]float64, max(0, n-1)), c: make([]float64, n), right: orthogonal{eigen.Vectors()}}
	mat.Gemv(mat.Trans, 1, eigen.Vectors(), r.y, 0, dec.c)
	for i, v := range eigen.Values() {
		if v <= 0 { // rounding can make small ones negative
			dec.c[i] = 0
			continue
		}
		dec.d[i] = math.Sqrt(v)
		dec.c[i] /= dec.d[i]
	}
	dec.rest = math.Max(r.yy-squares(dec.c), 0)
	return dec, nil
}

// orthogonal is an explicit V.
type orthogonal struct{ v *mat.Dense }

func (o orthogonal) VTrans() *mat.Dense { return o.v.Transpose() }

func (o orthogonal) MulRightV(h *mat.Dense) {
	mat.Gemm(mat.NoTrans, mat.NoTrans, 1, h.Clone(), o.v, 0, h)
}

func (o orthogonal) MulV(x []float64) {
	mat.Gemv(mat.NoTrans, 1, o.v, append([]float64(nil), x...), 0, x)
}

// tridiagonalQ is the V of B where B'B = T, A = Q T Q'.
type tridiagonalQ struct{ *mat.Tridiagonal }

func (q tridiagonalQ) VTrans() *mat.Dense { return q.QTrans() }

func (q tridiagonalQ) MulRightV(h *mat.Dense) { q.MulRightQ(h) }

func (q tridiagonalQ) MulV(x []float64) { q.MulQ(x) }
