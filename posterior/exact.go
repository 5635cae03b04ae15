package posterior

import (
	"math"
	"strings"

	"github.com/bpielm/bpielm/mat"
)

const (
	// exactResolution is the numerical rank of exact conditions: along further directions the layer
	// hardly moves them, and rounding dominates.
	exactResolution = 1e-10
	// exactMisfit is the share of their right-hand sides that exact conditions may miss, where the
	// layer has no freedom left to meet it.
	exactMisfit = 1e-4
	// pinned represents an infinite element of B, a direction that does not vary. Its square is still
	// finite.
	pinned = 0x1p400
)

// elimination conditions the weights on an equality C u = d, u = D^-1 w the scaled weights. With C'
// = Q [T; 0], the coordinates x of u = Q x that T reaches are fixed. Those beyond are distributed as
// before, since N(0, a^2 I) is rotation invariant.
type elimination struct {
	turned *mat.Dense // Q, n x n: free columns first
	known  []float64  // the coordinates of the last columns
}

// eliminate takes the rows of exact conditions, which are always reduced on the square-root path.
func eliminate(rows *reduction, names []string) (*elimination, error) {
	n, height := len(rows.y), rows.height()
	where := strings.Join(names, ", ")
	var qr mat.PivotedQR
	if err := qr.Factorize(rows.r.Slice(0, height, 0, n).Transpose()); err != nil {
		return nil, err
	}
	rank := qr.Rank(exactResolution)
	if rank == n {
		return nil, dataError(where, "to hold exactly it takes all %d unknown weights: use more neurons, or fewer points", n)
	}
	// Row k of the pivoted system: T'x = y.
	t, y := qr.R(), make([]float64, height)
	for k, from := range qr.Order() {
		y[k] = rows.y[from]
	}
	x := make([]float64, rank)
	copy(x, y)
	mat.Trsv(mat.Trans, t.Slice(0, rank, 0, rank).Tri(mat.Upper), x)
	// What the remaining, dependent rows miss.
	rest := append(y[rank:], rows.rest)
	mat.Gemv(mat.Trans, -1, t.Slice(0, rank, rank, height), x, 1, rest[:height-rank])
	size := math.Sqrt(squares(rows.y) + float64(rows.rest*rows.rest))
	if left := math.Sqrt(squares(rest)); left > exactMisfit*size {
		return nil, dataError(where, "it cannot hold exactly: %.2g of its right-hand side remains. Do conditions contradict each other, or is it too rough for the neurons? A tolerance allows for that", left/size)
	}
	q := mat.NewDense(n, n, nil)
	for i := range n {
		q.Set(i, i, 1)
	}
	qr.MulQ(mat.NoTrans, q)
	e := &elimination{turned: mat.NewDense(n, n, nil), known: x}
	e.turned.Slice(0, n, 0, n-rank).CopyFrom(q.Slice(0, n, rank, n))
	e.turned.Slice(0, n, n-rank, n).CopyFrom(q.Slice(0, n, 0, rank))
	return e, nil
}

// free returns how many coordinates are free.
func (e *elimination) free() int { return e.turned.Cols() - len(e.known) }

// restrict returns the rows restricted to the free coordinates; nil of nil.
func (e *elimination) restrict(rows *reduction) *reduction {
	if rows == nil {
		return nil
	}
	n, free := e.turned.Cols(), e.free()
	if rows.hh != nil {
		return e.restrictSums(rows)
	}
	height := rows.height()
	turned := mat.NewDense(height+1, n, nil) // the last row is for what R cannot reach
	mat.Gemm(mat.NoTrans, mat.NoTrans, 1, rows.r.Slice(0, height, 0, n), e.turned, 0, turned.Slice(0, height, 0, n))
	y := append(append([]float64(nil), rows.y[:height]...), rows.rest)
	mat.Gemv(mat.NoTrans, -1, turned.Slice(0, height, free, n), e.known, 1, y[:height])
	tsqr := mat.NewTSQR(free)
	tsqr.Append(turned.Slice(0, height+1, 0, free), y)
	return (&accumulator{tsqr: tsqr}).reduced()
}

// restrictSums is restrict for sums of squares.
func (e *elimination) restrictSums(rows *reduction) *reduction {
	n, free := e.turned.Cols(), e.free()
	whole := mat.NewDense(n, n, nil) // H'H as a full matrix
	for i := range n {
		for j := range i + 1 {
			whole.Set(i, j, rows.hh.At(i, j))
			whole.Set(j, i, rows.hh.At(i, j))
		}
	}
	right, turned := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	mat.Gemm(mat.NoTrans, mat.NoTrans, 1, whole, e.turned, 0, right)
	mat.Gemm(mat.Trans, mat.NoTrans, 1, e.turned, right, 0, turned)
	y := make([]float64, n)
	mat.Gemv(mat.Trans, 1, e.turned, rows.y, 0, y)
	left := &reduction{hh: mat.NewSym(free, nil), y: y[:free], yy: rows.yy}
	for i := range free {
		copy(left.hh.Row(i)[:i+1], turned.Row(i)[:i+1])
	}
	// |y - H_k x|^2 and H'(y - H_k x) for the known x.
	settled := turned.Slice(free, n, free, n)
	hx := make([]float64, len(e.known))
	mat.Gemv(mat.NoTrans, 1, settled, e.known, 0, hx)
	left.yy += mat.Dot(e.known, hx) - float64(2*mat.Dot(e.known, y[free:]))
	mat.Gemv(mat.NoTrans, -1, turned.Slice(0, free, free, n), e.known, 1, left.y)
	return left
}

// extend adds the fixed coordinates to a decomposition of the free ones.
func (e *elimination) extend(dec *decomposition) {
	if dec.sums != nil {
		dec.right, dec.known = &turnedFactor{e, nil}, e.known
		return
	}
	dec.right = &turnedFactor{e, dec.right}
	dec.d, dec.e, dec.c = append([]float64(nil), dec.d...), append([]float64(nil), dec.e...), append([]float64(nil), dec.c...)
	for _, x := range e.known {
		dec.d, dec.c = append(dec.d, pinned), append(dec.c, pinned*x)
	}
	dec.e = append(dec.e, make([]float64, len(dec.d)-1-len(dec.e))...)
}

// turnedFactor is Q with its free columns times the V of their decomposition.
type turnedFactor struct {
	*elimination
	inner rightFactor
}

func (t *turnedFactor) MulRightV(h *mat.Dense) {
	mat.Gemm(mat.NoTrans, mat.NoTrans, 1, h.Clone(), t.turned, 0, h)
	if t.inner != nil {
		t.inner.MulRightV(h.Slice(0, h.Rows(), 0, t.free()))
	}
}

func (t *turnedFactor) VTrans() *mat.Dense {
	v := t.turned.Clone()
	if t.inner != nil {
		t.inner.MulRightV(v.Slice(0, v.Rows(), 0, t.free()))
	}
	return v.Transpose()
}

func (t *turnedFactor) MulV(x []float64) {
	if t.inner != nil {
		t.inner.MulV(x[:t.free()])
	}
	mat.Gemv(mat.NoTrans, 1, t.turned, append([]float64(nil), x...), 0, x)
}
