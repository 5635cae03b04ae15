package posterior

import (
	"math"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/mat/asm"
)

// window conditions v ~ N(0, I) on a changing set of readings b_i'v = r_i with
// noise sigma_i. It holds the Cholesky factor L of K + diag(sigma^2), K = BB',
// together with the solved rows of everything that is asked for:
//
//	L z = r,   L V = B T'   (T: rows of the targets t'v)
//
// so that E[t'v] = V't z and Var[t'v] = |t|^2 - |V_t|^2, and the element of z
// that belongs to a new reading is its standardised innovation.
//
// A reading is appended by one forward substitution and removed, whichever it
// is, by plane rotations that add its column to those of the later readings.
// Nothing is ever subtracted from L, so both are backward stable, and
// an error that does arise leaves with the readings that it arose with. Still
// every append audits the row of one reading, in turn, against K + sigma^2.
//
// L knows nothing of the values; z does. A value that leaves takes its part from the
// rest of z, and where it was much larger than what stays, that is a difference of
// large numbers: z is then solved for anew.
//
// Readings stand at ascending positions, newest last; when the positions are used
// up, those in use move to the front. Column p of L is kept as row p of columns:
//
//	[its elements at positions p, p+1, ... | V_p of the targets | z_p]
type window struct {
	capacity, targets int
	positions         int        // more than the capacity
	columns           *mat.Dense // positions x (positions + targets + 1)
	rows              *mat.Dense // (positions + targets) x n: b of each reading, then of each target
	norm2             []float64  // |b|^2 of each position and target
	kept              []kept     // by position
	order             []int      // positions in use, ascending: oldest first
	end               int        // the position of the next reading
	next              int        // what is audited next, as an index of order
	repairs           int        // audits that failed
	peak              float64    // the largest |z| since z was last solved for

	v, carry []float64            // positions + targets + 1
	c, s, x  [columnBlock]float64 // of a block: rotations, elements of the new row with a minus
}

// kept is a reading in the window, whose coordinates are the window's own, with the
// square of its noise and what it is more than the prior mean.
type kept struct {
	reading          Reading
	sigma2, residual float64
}

// leastNoise is the noise, relative to the prior standard deviation of what is read, below
// which rounding would speak: readings count with at least so much.
const leastNoise = 1e-6

// noiseVariance of a reading with |b|^2 = norm2.
func noiseVariance(sigma, norm2 float64) float64 {
	return math.Max(sigma*sigma, float64(leastNoise*leastNoise)*norm2)
}

// columnBlock is how many columns of L are worked on while they are in the first
// cache: as many as fill a line of it, so that blocks begin where lines do.
const columnBlock = 8

func wholeBlocks(n int) int { return (n + columnBlock - 1) / columnBlock * columnBlock }

// newWindow takes the number of variables and the rows of the targets.
func newWindow(capacity, variables int, targets *mat.Dense) *window {
	t, n := targets.Dims()
	p := wholeBlocks(capacity + capacity/4 + columnBlock)
	w := &window{
		capacity: capacity, targets: t, positions: p,
		columns: mat.NewDense(p, wholeBlocks(p+t+1), nil).Slice(0, p, 0, p+t+1),
		rows:    mat.NewDense(p+t, wholeBlocks(n), nil).Slice(0, p+t, 0, n),
		norm2:   make([]float64, p+t), kept: make([]kept, p), order: make([]int, 0, capacity),
		v: make([]float64, p+t+1), carry: make([]float64, p+t+1),
	}
	for i := range t {
		copy(w.rows.Row(p+i), targets.Row(i))
		w.norm2[p+i] = squares(targets.Row(i))
	}
	at := make([]float64, p*variables)
	for i := range w.kept {
		w.kept[i].reading.At = at[i*variables : (i+1)*variables]
	}
	return w
}

// put makes a reading that of a position.
func (w *window) put(p int, r *kept) {
	at := w.kept[p].reading.At
	copy(at, r.reading.At)
	w.kept[p] = *r
	w.kept[p].reading.At = at
}

// clear forgets all readings.
func (w *window) clear() { w.order, w.end, w.next, w.peak = w.order[:0], 0, 0, 0 }

func (w *window) full() bool { return len(w.order) == w.capacity }

// forecast is what the kept readings say of another one: |b|^2, the variance that
// they leave of b'v, and its mean.
type forecast struct{ norm2, variance, mean float64 }

// innovation solves for a reading that is not kept yet and prepares append. With
// evict the oldest reading is forgotten in the same pass over L.
func (w *window) innovation(b []float64, evict bool) forecast {
	if evict && w.peak > muchLarger {
		w.remove(0)
		evict = false
	}
	if evict {
		copy(w.carry, w.columns.Row(w.order[0]))
		w.order = w.order[:copy(w.order, w.order[1:])]
	}
	w.covariances(b)
	explained := w.solve(w.order, evict)
	norm2 := squares(b)
	return forecast{norm2, math.Max(norm2-explained, 0), -w.v[len(w.v)-1]}
}

// run returns how many of the first positions follow each other, at most so many.
func run(order []int, most int) int {
	m := 1
	for m < len(order) && m < most && order[m] == order[0]+m {
		m++
	}
	return m
}

// covariances sets v to the prior covariances of a reading with those kept and
// with the targets, and the sum for its mean to 0.
func (w *window) covariances(b []float64) {
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

// solve leaves in v, at the given positions, the elements of a new row of L, takes
// their part from the rest of v, and returns the sum of their squares. With evict
// it first rotates carry, a column that leaves, into the columns there.
func (w *window) solve(order []int, evict bool) (explained float64) {
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

// corner is the part of solve within the triangle of a block: position p, the i-th
// of the block, which ends with the column. It returns the element of the new row.
func (w *window) corner(column []float64, p, i int, evict bool) float64 {
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

// append keeps the reading that innovation was last asked about.
func (w *window) append(b []float64, f forecast, r *kept) {
	if w.end == w.positions {
		w.compact()
	}
	p := w.end
	w.end++
	copy(w.rows.Row(p), b)
	w.norm2[p] = f.norm2
	w.put(p, r)
	w.extend(p, f)
	w.audit()
}

// extend makes the column of a new last position of what innovation has left in
// v. The variance of a reading is at least that of its noise, whatever rounding
// has left of the rest.
func (w *window) extend(p int, f forecast) {
	d := math.Sqrt(f.variance + w.kept[p].sigma2)
	column := w.columns.Row(p)
	column[p] = d
	for i := w.positions; i < w.positions+w.targets; i++ {
		column[i] = w.v[i] / d
	}
	z := (w.kept[p].residual - f.mean) / d
	column[w.positions+w.targets] = z
	w.peak = math.Max(w.peak, math.Abs(z))
	for _, q := range w.order {
		w.columns.Row(q)[p] = w.v[q]
	}
	w.order = append(w.order, p)
}

// compact moves the readings to the first positions, with the row of L that v
// holds of the next one.
func (w *window) compact() {
	for i, p := range w.order {
		from, to := w.columns.Row(p), w.columns.Row(i)
		for j, q := range w.order[i:] {
			to[i+j] = from[q]
		}
		copy(to[w.positions:], from[w.positions:])
		w.norm2[i], w.v[i] = w.norm2[p], w.v[p]
		if i != p {
			w.put(i, &w.kept[p])
		}
	}
	for i, p := range w.order {
		copy(w.rows.Row(i), w.rows.Row(p))
		w.order[i] = i
	}
	w.end = len(w.order)
}

// remove forgets the i-th oldest reading.
func (w *window) remove(i int) {
	copy(w.carry, w.columns.Row(w.order[i]))
	w.order = append(w.order[:i], w.order[i+1:]...)
	clear(w.v) // nothing to solve for
	w.solve(w.order[i:], true)
	w.settle()
}

// forget removes the readings of a sensor.
func (w *window) forget(sensor int) {
	for i := len(w.order) - 1; i >= 0; i-- {
		if w.kept[w.order[i]].reading.Sensor == sensor {
			w.remove(i)
		}
	}
}

// setSigma changes the noise of a sensor's readings that did not state their own.
func (w *window) setSigma(sensor int, sigma float64) {
	changed := false
	for _, p := range w.order {
		if k := &w.kept[p]; k.reading.Sensor == sensor && k.reading.Sigma == 0 {
			k.sigma2, changed = noiseVariance(sigma, w.norm2[p]), true
		}
	}
	if changed {
		w.rebuild()
	}
}

// estimate sets mean[i], sd[i] to those of target first+i.
func (w *window) estimate(first int, mean, sd []float64) {
	clear(mean)
	at := w.positions + first
	copy(sd, w.norm2[at:]) // variances, until the end
	k := asm.Active()
	for _, p := range w.order {
		column := w.columns.Row(p)
		v := column[at : at+len(mean)]
		k.Axpy(column[len(column)-1], v, mean)
		for i, x := range v {
			sd[i] = mat.FMA(-x, x, sd[i])
		}
	}
	for i, v := range sd {
		sd[i] = math.Sqrt(math.Max(v, 0))
	}
}
