package posterior

import (
	"math"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// A layer may be too coarse for the source that a parameter stands for, such as that of a well. Of the terms c of a parameter in one
// equation or condition, and the rows H of the weights there, it produces what the best weights can,
//
//	|c - H w|^2 + tau^2 |w|^2 = min,
//
// and the rest is beyond it, whatever the readings say. Each equation is taken by itself: alone, hardly any has no solution for some
// value of a parameter.

// limits is what a layer leaves of the terms of parameters.
type limits struct{ left, all []float64 } // sums of squares over all equations and conditions

// share returns which part of a parameter's terms the layer cannot produce, in the root mean square.
func (l *limits) share(parameter int) float64 {
	if l == nil || !(l.all[parameter] > 0) {
		return 0
	}
	return math.Sqrt(math.Max(l.left[parameter], 0) / l.all[parameter])
}

// addLimits adds the limits for an equation or condition, whose rows are to be multiplied by a weight. unit is their tolerance, 1 where
// it is open. Without weights in its rows an equation says something of the parameters alone. With patches limits are not known.
func (ph *Physics) addLimits(e *system.Demand, r *reduction, weight, unit float64) {
	m, n := ph.basis.Parameters, ph.basis.ParameterColumn(0)
	if len(e.Residual.Terms) == 0 || len(e.Residual.Parameters) == 0 || e.Exact || r.blocks != nil {
		return
	}
	squares := r.hh
	if squares == nil {
		squares = mat.NewSym(n+m, ph.store.unset((n+m)*(n+m)))
		mat.Syrk(mat.Trans, 1, r.r, 0, squares)
	}
	d := make([]float64, n+m)
	for i := range d {
		d[i] = ph.scale[i] * weight
	}
	a, b, largest := mat.NewSym(n, ph.store.unset(n*n)), ph.store.unsetDense(n, m), 0.0
	for i := range n {
		from, to := squares.Row(i), a.Row(i)
		for j := range i + 1 {
			to[j] = float64(from[j]*d[i]) * d[j]
		}
		largest = math.Max(largest, to[i])
		for k := range m {
			b.Set(i, k, float64(squares.At(n+k, i)*d[i])*d[n+k])
		}
	}
	tau := math.Max(referenceSlack/unit, float64(sumsFloor*math.Sqrt(largest)))
	chol := &ph.store.slackPrior().chol           // not used yet
	if chol.FactorizeShifted(a, tau*tau) != nil { // what no weights produce cannot be told from rounding
		return
	}
	// |c - H w|^2 = c'c - |L^-1 H'c|^2 - tau^2 |w|^2 at the minimum.
	explained, weights := make([]float64, m), make([]float64, m)
	mat.Trsm(mat.Left, mat.NoTrans, 1, chol.L(), b)
	addSquares(explained, b)
	mat.Trsm(mat.Left, mat.Trans, 1, chol.L(), b)
	addSquares(weights, b)
	if ph.limits == nil {
		ph.limits = &limits{make([]float64, m), make([]float64, m)}
	}
	for k := range m {
		of := float64(float64(squares.At(n+k, n+k)*d[n+k]) * d[n+k])
		ph.limits.all[k] += of
		ph.limits.left[k] += of - explained[k] - float64(float64(tau*tau)*weights[k])
	}
}

// addSquares adds the squared norm of each column.
func addSquares(sums []float64, a *mat.Dense) {
	for i := range a.Rows() {
		for k, v := range a.Row(i) {
			sums[k] += float64(v * v)
		}
	}
}
