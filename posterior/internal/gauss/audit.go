package gauss

import (
	"math"

	"github.com/bpielm/bpielm/mat"
)

// What keeps a window accurate, whatever it has held.

// muchLarger is how many times as large as what is left elements of z may have been. The
// rounding error that this leaves in z is below 1e-12 of a standard deviation.
const muchLarger = 1e3

// epsilon is the distance from 1 to the next float64.
const epsilon = 0x1p-52

// settle solves for z again when what was removed was so large that its rounding errors
// matter to the rest.
func (w *Window) settle() {
	if w.peak <= muchLarger {
		return
	}
	last, left := w.positions+w.targets, 0.0
	for _, p := range w.order {
		left = math.Max(left, math.Abs(w.columns.Row(p)[last]))
	}
	if w.peak <= muchLarger*(1+left) {
		return
	}
	w.peak = 0
	for _, p := range w.order {
		w.v[p] = w.kept[p].residual
	}
	for i, p := range w.order {
		column := w.columns.Row(p)
		z := w.v[p] / column[p]
		column[last] = z
		w.peak = math.Max(w.peak, math.Abs(z))
		for _, q := range w.order[i+1:] {
			w.v[q] = mat.FMA(-z, column[q], w.v[q])
		}
	}
}

// audit compares the norm of one row of L with what it must be, and refactorises when they
// differ by more than rounding.
func (w *Window) audit() {
	w.next = (w.next + 1) % len(w.order)
	if !(w.discrepancy(w.next) <= w.allowed()) {
		w.repairs++
		w.rebuild()
	}
}

// Repairs returns how many audits have failed.
func (w *Window) Repairs() int { return w.repairs }

// allowed bounds the relative error of a row of L: each element has been rotated at most
// once for every observation that the window can hold.
func (w *Window) allowed() float64 { return 64 * epsilon * float64(w.capacity+16) }

// discrepancy is |LL' - (K + S)| / (K + S) on the diagonal at the i-th oldest observation.
func (w *Window) discrepancy(i int) float64 {
	p, sum := w.order[i], 0.0
	for _, q := range w.order[:i+1] {
		l := w.columns.Row(q)[p]
		sum = mat.FMA(l, l, sum)
	}
	want := w.norm2[p] + w.kept[p].variance
	return math.Abs(sum-want) / want
}

// rebuild factorises again from the rows.
func (w *Window) rebuild() {
	positions := w.order
	w.order, w.peak = w.order[:0], 0
	for _, p := range positions { // order grows into the same array, never past p
		w.extend(p, w.Forecast(w.rows.Row(p), false))
	}
}
