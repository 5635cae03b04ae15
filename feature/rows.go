package feature

import (
	"math"
	"sync"

	"github.com/bpielm/bpielm/mat"
)

// Term is one term of a linear differential operator: a coefficient times the
// partial derivative of order Derivative[i] in variable i (missing entries are
// 0; nil is the value). Coefficient holds one number for each point, or one
// for all, or none, which is 1.
type Term struct {
	Derivative  []int
	Coefficient []float64
}

// order returns the total order of the derivative.
func (t *Term) order() int {
	k := 0
	for _, o := range t.Derivative {
		k += o
	}
	return k
}

// chunkRows is how many rows are made at a time: few enough that what belongs
// to them stays in the cache, enough that the product X A' is worth its call.
const chunkRows = 32

// workspace holds what one call of RowsTo needs; pooled, so that calls in
// steady state do not allocate.
type workspace struct {
	x, z   *mat.Dense
	t, u   []float64
	p      []float64
	slopes *mat.Dense // row i: product of slopes of term i, one for each neuron
}

var workspaces = sync.Pool{New: func() any {
	return &workspace{x: mat.NewDense(0, 0, nil), z: mat.NewDense(0, 0, nil), slopes: mat.NewDense(0, 0, nil)}
}}

// RowsTo sets row i of dst (n x neurons) to the operator, the sum of terms,
// applied to every neuron at row i of points (n x dimensions). Derivatives are
// with respect to the problem's own coordinates. It panics with mat.Error when
// shapes do not fit or a derivative's order is above MaxOrder.
func (l *Layer) RowsTo(dst, points *mat.Dense, terms []Term) {
	n, d, neurons := points.Rows(), len(l.center), len(l.bias)
	if dst.Rows() != n || dst.Cols() != neurons || points.Cols() != d {
		panic(mat.Error("feature: RowsTo: dst must be points x neurons and points must have the layer's dimensions"))
	}
	highest := 0
	for i := range terms {
		t := &terms[i]
		if k := len(t.Coefficient); len(t.Derivative) > d || (k > 1 && k != n) {
			panic(mat.Error("feature: RowsTo: a term has too many derivatives or the wrong number of coefficients"))
		}
		highest = max(highest, t.order())
	}
	if highest > MaxOrder {
		panic(mat.Error("feature: RowsTo: the order of a derivative is above MaxOrder"))
	}
	w := workspaces.Get().(*workspace)
	defer workspaces.Put(w)
	w.t, w.u, w.p = grow(w.t, neurons), grow(w.u, neurons), grow(w.p, neurons)
	l.slopeProducts(w, terms)
	for first := 0; first < n; first += chunkRows {
		rows := min(chunkRows, n-first)
		l.activate(w, points, first, rows)
		for r := range rows {
			mat.TanhSech2To(w.t, w.u, w.z.Row(r))
			l.combine(dst.Row(first+r), w, terms, first+r, highest)
		}
	}
}

// slopeProducts sets row i of w.slopes to the product over the variables of
// (a_j / half)^order for term i: what the chain rule brings down.
func (l *Layer) slopeProducts(w *workspace, terms []Term) {
	w.slopes.Reset(len(terms), len(l.bias))
	for i := range terms {
		row := w.slopes.Row(i)
		for j := range row {
			p := 1.0
			for v, order := range terms[i].Derivative {
				for range order {
					p *= l.slopes.At(j, v) / l.half[v]
				}
			}
			row[j] = p
		}
	}
}

// activate sets w.z to the neurons' arguments a_j.z + b_j at some points.
func (l *Layer) activate(w *workspace, points *mat.Dense, first, rows int) {
	w.x.Reset(rows, len(l.center))
	w.z.Reset(rows, len(l.bias))
	for r := range rows {
		x, p := w.x.Row(r), points.Row(first+r)
		for i := range x {
			x[i] = (p[i] - l.center[i]) / l.half[i]
		}
		copy(w.z.Row(r), l.bias)
	}
	mat.Gemm(mat.NoTrans, mat.Trans, 1, w.x, l.slopes, 1, w.z)
}

// combine sets row to the sum over the orders k of P_k phi^(k), where P_k is
// the sum of coefficient times slope product over the terms of order k.
func (l *Layer) combine(row []float64, w *workspace, terms []Term, point, highest int) {
	clear(row)
	for k := 0; k <= highest; k++ {
		found := false
		clear(w.p)
		for i := range terms {
			if terms[i].order() != k {
				continue
			}
			found = true
			c := 1.0
			switch co := terms[i].Coefficient; len(co) {
			case 0:
			case 1:
				c = co[0]
			default:
				c = co[point]
			}
			mat.Axpy(c, w.slopes.Row(i), w.p)
		}
		if !found {
			continue
		}
		for j, p := range w.p {
			row[j] = math.FMA(p, tanhDerivative(k, w.t[j], w.u[j]), row[j])
		}
	}
}

func grow(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}
