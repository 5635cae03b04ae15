package posterior

import (
	"math"

	"github.com/bpielm/bpielm/mat"
)

// What keeps a window to its definition, whatever readings it has held.

// muchLarger is how many times as large as those that are left elements of z may have
// been: what rounding has then left in z is below 1e-12 of a standard deviation.
const muchLarger = 1e3

// settle solves for z anew where what has been removed was so large that rounding may
// have left a part of it.
func (w *window) settle() {
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

// audit compares the norm of one row of L with what it must be, and starts
// anew when the difference is more than rounding.
func (w *window) audit() {
	w.next = (w.next + 1) % len(w.order)
	if !(w.discrepancy(w.next) <= w.allowed()) {
		w.repairs++
		w.rebuild()
	}
}

// allowed bounds the relative error of a row of L: each of its elements has been
// rotated at most once for every reading that the window holds.
func (w *window) allowed() float64 { return 64 * epsilon * float64(w.capacity+16) }

// discrepancy is |LL' - (K + sigma^2)| / (K + sigma^2) on the diagonal at the i-th
// oldest reading.
func (w *window) discrepancy(i int) float64 {
	p, sum := w.order[i], 0.0
	for _, q := range w.order[:i+1] {
		l := w.columns.Row(q)[p]
		sum = mat.FMA(l, l, sum)
	}
	want := w.norm2[p] + w.kept[p].sigma2
	return math.Abs(sum-want) / want
}

// rebuild factorises anew from the readings that are kept.
func (w *window) rebuild() {
	positions := w.order
	w.order, w.peak = w.order[:0], 0
	for _, p := range positions { // order grows into the same array, never past p
		w.extend(p, w.innovation(w.rows.Row(p), false))
	}
}

// leftOut is how far the i-th oldest reading is from what all others foretell of it, in
// standard deviations. With L x = e_i it is x'z / |x|.
func (w *window) leftOut(i int) float64 {
	clear(w.v)
	w.v[w.order[i]] = 1
	square := w.solve(w.order[i:], false)
	return -w.v[len(w.v)-1] / math.Sqrt(square)
}
