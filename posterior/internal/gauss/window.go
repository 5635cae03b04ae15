package gauss

import (
	"math"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/mat/asm"
)

// Window conditions v ~ N(0, I) on a changing set of observations b_i'v = r_i with noise
// variances s_i. With K = BB' it holds the Cholesky factor L of K + diag(s), and the solved
// rows of everything that is estimated:
//
//	L z = r,   L V = B T'   (T: rows of the targets t'v)
//
// so that E[t'v] = V_t'z and Var[t'v] = |t|^2 - |V_t|^2. The element of z that belongs to a
// new observation is its standardised innovation.
//
// An observation is appended by one forward substitution. Any observation is removed by
// plane rotations that add its column to those of the later ones. Neither subtracts anything
// from L, so both are backward stable, and a rounding error leaves together with the
// observations it came from. As a safeguard every append audits one row of L, each in turn,
// against K + diag(s).
//
// L does not depend on the values, but z does. When a value leaves that was much larger than
// those that stay, z would keep the rounding error of a large difference: it is then solved
// for again (see settle).
//
// Observations stand at ascending positions, the newest last. When the positions are used
// up, those in use move to the front. Column p of L is stored as row p of columns:
//
//	[its elements at positions p, p+1, ... | V_p of the targets | z_p]
//
// The window keeps none of the caller's data. Append returns a slot, a number below the
// capacity that is the observation's own until it leaves; callers index their own arrays by
// it. Elsewhere an observation is named by its age order: 0 is the oldest.
type Window struct {
	capacity, targets int
	positions         int        // more than the capacity
	columns           *mat.Dense // positions x (positions + targets + 1)
	rows              *mat.Dense // (positions + targets) x n: b of each observation, then each target
	norm2             []float64  // |b|^2 of each position and target
	kept              []kept     // by position
	order             []int      // positions in use, ascending: oldest first
	free              []int      // slots not in use
	end               int        // the position of the next observation
	next              int        // what is audited next, as an index of order
	repairs           int        // audits that failed
	peak              float64    // the largest |z| since z was last solved for

	v, carry []float64            // work space: positions + targets + 1
	c, s, x  [columnBlock]float64 // of a block: rotations, elements of the new row negated
}

// kept is what a window remembers of an observation beside its row.
type kept struct {
	slot               int
	residual, variance float64
}

// Observation is one observation in a window.
type Observation struct {
	Slot     int
	Row      []float64 // b, not a copy
	Residual float64   // r
	Variance float64   // of its noise
}

// leastNoise is the smallest noise, relative to the prior standard deviation of what is
// observed, that rounding does not swamp. Less counts as this much.
const leastNoise = 1e-6

// NoiseVariance returns the variance to use for an observation with |b|^2 = norm2.
func NoiseVariance(sigma, norm2 float64) float64 {
	return math.Max(sigma*sigma, float64(leastNoise*leastNoise)*norm2)
}

// columnBlock is how many columns of L are processed while they stay in the first-level
// cache. It is also the number of elements in a cache line, so blocks start where lines do.
const columnBlock = 8

func wholeBlocks(n int) int { return (n + columnBlock - 1) / columnBlock * columnBlock }

// NewWindow makes an empty window. The rows of targets are the t' to be estimated.
func NewWindow(capacity int, targets *mat.Dense) *Window {
	t, n := targets.Dims()
	p := wholeBlocks(capacity + capacity/4 + columnBlock)
	w := &Window{
		capacity: capacity, targets: t, positions: p,
		columns: mat.NewDense(p, wholeBlocks(p+t+1), nil).Slice(0, p, 0, p+t+1),
		rows:    mat.NewDense(p+t, wholeBlocks(n), nil).Slice(0, p+t, 0, n),
		norm2:   make([]float64, p+t), kept: make([]kept, p), order: make([]int, 0, capacity), free: make([]int, 0, capacity),
		v: make([]float64, p+t+1), carry: make([]float64, p+t+1),
	}
	for i := range t {
		copy(w.rows.Row(p+i), targets.Row(i))
		w.norm2[p+i] = squares(targets.Row(i))
	}
	w.Clear()
	return w
}

// Clear forgets all observations.
func (w *Window) Clear() {
	w.order, w.end, w.next, w.peak = w.order[:0], 0, 0, 0
	w.free = w.free[:0]
	for slot := w.capacity - 1; slot >= 0; slot-- {
		w.free = append(w.free, slot)
	}
}

// Len returns how many observations there are.
func (w *Window) Len() int { return len(w.order) }

// Capacity returns how many there may be.
func (w *Window) Capacity() int { return w.capacity }

// Full tells whether one must leave before another is appended.
func (w *Window) Full() bool { return len(w.order) == w.capacity }

// Slot returns the slot of the i-th oldest observation.
func (w *Window) Slot(i int) int { return w.kept[w.order[i]].slot }

// At returns the i-th oldest observation.
func (w *Window) At(i int) Observation {
	p := w.order[i]
	k := &w.kept[p]
	return Observation{k.slot, w.rows.Row(p), k.residual, k.variance}
}

// Forecast is what the window says of an observation that is not in it.
type Forecast struct {
	Norm2    float64 // |b|^2, the prior variance of b'v
	Variance float64 // of b'v now
	Mean     float64
}

// Forecast solves for a new observation and prepares Append. With evict it removes the
// oldest one in the same pass over L.
func (w *Window) Forecast(b []float64, evict bool) Forecast {
	if evict && w.peak > muchLarger {
		w.Remove(0)
		evict = false
	}
	if evict {
		w.takeOut(0)
	}
	w.covariances(b)
	explained := w.solve(w.order, evict)
	norm2 := squares(b)
	return Forecast{norm2, math.Max(norm2-explained, 0), -w.v[len(w.v)-1]}
}

// takeOut moves the column of the i-th oldest observation to carry, frees its slot and
// closes the gap in the order. The columns after it are still to be rotated.
func (w *Window) takeOut(i int) {
	p := w.order[i]
	copy(w.carry, w.columns.Row(p))
	w.free = append(w.free, w.kept[p].slot)
	w.order = append(w.order[:i], w.order[i+1:]...)
}

// run returns how many positions at the front of order are consecutive, at most the given
// number.
func run(order []int, most int) int {
	m := 1
	for m < len(order) && m < most && order[m] == order[0]+m {
		m++
	}
	return m
}

// covariances sets v to the prior covariances of a new observation with those in the window
// and with the targets, and its last element, which becomes the mean, to 0.
func (w *Window) covariances(b []float64) {
	k, data, stride := asm.Active(), w.rows.Data(), w.rows.Stride()
	for rest := w.order; len(rest) > 0; {
		m := run(rest, len(rest))
		k.DotRows(w.v[rest[0]:rest[0]+m], data[rest[0]*stride:], stride, b)
		rest = rest[m:]
	}
	last := len(w.v) - 1
	if w.targets > 0 {
		k.DotRows(w.v[w.positions:last], data[w.positions*stride:], stride, b)
	}
	w.v[last] = 0
}

// solve is the forward substitution at the given positions: v holds the right-hand side and
// becomes the elements of a new row of L; their contribution is subtracted from the rest of
// v. It returns the sum of their squares. With evict it first rotates carry, a column that
// leaves, into the columns it passes.
func (w *Window) solve(order []int, evict bool) (explained float64) {
	if len(order) == 0 {
		return 0
	}
	k, data, stride := asm.Active(), w.columns.Data(), w.columns.Stride()
	for end := order[len(order)-1] + 1; len(order) > 0; {
		first, m := order[0], run(order, columnBlock-order[0]%columnBlock)
		for p := first; p < first+m; p++ {
			x := w.corner(w.columns.Row(p)[:first+m], p, p-first, evict)
			explained = mat.FMA(x, x, explained)
		}
		after, c, s, x := first+m, w.c[:m], w.s[:m], w.x[:m]
		if evict {
			k.RotateRows(c, s, x, data[first*stride+after:], stride, w.carry[after:end], w.v[after:end])
			k.RotateRows(c, s, x, data[first*stride+w.positions:], stride, w.carry[w.positions:], w.v[w.positions:])
		} else {
			k.AxpyRows(x, data[first*stride+after:], stride, w.v[after:end])
			k.AxpyRows(x, data[first*stride+w.positions:], stride, w.v[w.positions:])
		}
		order = order[m:]
	}
	return explained
}

// corner is the part of solve inside the triangle of a block, for position p, the i-th of
// the block. column ends where the block does. It returns the element of the new row.
func (w *Window) corner(column []float64, p, i int, evict bool) float64 {
	if evict {
		a, b := column[p], w.carry[p]
		r := math.Sqrt(mat.FMA(a, a, b*b))
		c, s := a/r, b/r
		for j := p + 1; j < len(column); j++ {
			a, b := column[j], w.carry[j]
			column[j], w.carry[j] = mat.FMA(c, a, s*b), mat.FMA(c, b, -(s*a))
		}
		column[p], w.c[i], w.s[i] = r, c, s
	}
	x := w.v[p] / column[p]
	for j := p + 1; j < len(column); j++ {
		w.v[j] = mat.FMA(-x, column[j], w.v[j])
	}
	w.v[p], w.x[i] = x, -x
	return x
}

// Append takes in the observation that Forecast was last asked about, and returns its slot.
// The window must not be full.
func (w *Window) Append(b []float64, f Forecast, residual, variance float64) (slot int) {
	if w.end == w.positions {
		w.compact()
	}
	p := w.end
	w.end++
	copy(w.rows.Row(p), b)
	w.norm2[p] = f.Norm2
	last := len(w.free) - 1
	slot, w.free = w.free[last], w.free[:last]
	w.kept[p] = kept{slot, residual, variance}
	w.extend(p, f)
	w.audit()
	return slot
}

// extend makes the column of a new last position from what Forecast has left in v. The
// variance of an observation is at least that of its noise, whatever rounding has done to
// the rest.
func (w *Window) extend(p int, f Forecast) {
	d := math.Sqrt(f.Variance + w.kept[p].variance)
	column := w.columns.Row(p)
	column[p] = d
	for i := w.positions; i < w.positions+w.targets; i++ {
		column[i] = w.v[i] / d
	}
	z := (w.kept[p].residual - f.Mean) / d
	column[w.positions+w.targets] = z
	w.peak = math.Max(w.peak, math.Abs(z))
	for _, q := range w.order {
		w.columns.Row(q)[p] = w.v[q]
	}
	w.order = append(w.order, p)
}

// compact moves the observations to the first positions, and with them the row of L for the
// next one, which v holds.
func (w *Window) compact() {
	for i, p := range w.order {
		from, to := w.columns.Row(p), w.columns.Row(i)
		for j, q := range w.order[i:] {
			to[i+j] = from[q]
		}
		copy(to[w.positions:], from[w.positions:])
		w.norm2[i], w.v[i], w.kept[i] = w.norm2[p], w.v[p], w.kept[p]
	}
	for i, p := range w.order {
		copy(w.rows.Row(i), w.rows.Row(p))
		w.order[i] = i
	}
	w.end = len(w.order)
}

// Remove removes the i-th oldest observation.
func (w *Window) Remove(i int) {
	w.takeOut(i)
	clear(w.v) // nothing to solve for
	w.solve(w.order[i:], true)
	w.settle()
}

// SetVariances changes the noise of observations: of those for which variance, given the
// slot and the prior variance |b|^2, returns true.
func (w *Window) SetVariances(variance func(slot int, norm2 float64) (float64, bool)) {
	any := false
	for _, p := range w.order {
		if v, changed := variance(w.kept[p].slot, w.norm2[p]); changed {
			w.kept[p].variance, any = v, true
		}
	}
	if any {
		w.rebuild()
	}
}

// EstimateTo sets mean[i] and sd[i] to those of target first+i.
func (w *Window) EstimateTo(mean, sd []float64, first int) {
	clear(mean)
	at := w.positions + first
	copy(sd, w.norm2[at:]) // variances, until the end
	k := asm.Active()
	for _, p := range w.order {
		column := w.columns.Row(p)
		v := column[at : at+len(mean)]
		k.Axpy(column[len(column)-1], v, mean)
		variance := sd[:len(v)]
		for i, x := range v {
			variance[i] = mat.FMA(-x, x, variance[i])
		}
	}
	for i, v := range sd {
		sd[i] = math.Sqrt(math.Max(v, 0))
	}
}

// LeftOut returns the standardised innovation of the i-th oldest observation under all
// others. With L x = e_i it is x'z / |x|.
func (w *Window) LeftOut(i int) float64 {
	clear(w.v)
	w.v[w.order[i]] = 1
	square := w.solve(w.order[i:], false)
	return -w.v[len(w.v)-1] / math.Sqrt(square)
}
