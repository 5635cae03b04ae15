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

	v, carry []float64 // positions + targets + 1
	x        [columnBlock]float64
}

// kept is a reading in the window.
type kept struct {
	sigma2, residual float64
	sensor           int
	ownSigma         bool
}

// columnBlock is how many columns of L are worked on while they are in the first cache.
const columnBlock = 8

// newWindow takes the rows of the targets.
func newWindow(capacity int, targets *mat.Dense) *window {
	t, n := targets.Dims()
	p := capacity + capacity/4 + columnBlock
	w := &window{
		capacity: capacity, targets: t, positions: p,
		columns: mat.NewDense(p, p+t+1, nil), rows: mat.NewDense(p+t, n, nil),
		norm2: make([]float64, p+t), kept: make([]kept, p), order: make([]int, 0, capacity),
		v: make([]float64, p+t+1), carry: make([]float64, p+t+1),
	}
	for i := range t {
		copy(w.rows.Row(p+i), targets.Row(i))
		w.norm2[p+i] = squares(targets.Row(i))
	}
	return w
}

func (w *window) full() bool { return len(w.order) == w.capacity }

// forecast is what the kept readings say of another one: |b|^2, the variance that
// they leave of b'v, and its mean.
type forecast struct{ norm2, variance, mean float64 }

// innovation solves for a reading that is not kept yet and prepares append. With
// evict the oldest reading is forgotten in the same pass over L.
func (w *window) innovation(b []float64, evict bool) forecast {
	k := asm.Active()
	if evict {
		copy(w.carry, w.columns.Row(w.order[0]))
		w.order = w.order[:copy(w.order, w.order[1:])]
	}
	w.covariances(k, b)
	explained := 0.0
	for rest := w.order; len(rest) > 0; {
		m := run(rest)
		if evict {
			for _, p := range rest[:m] {
				w.rotate(k, p)
			}
		}
		explained = w.substitute(k, rest[0], m, explained)
		rest = rest[m:]
	}
	norm2 := squares(b)
	return forecast{norm2, math.Max(norm2-explained, 0), -w.v[len(w.v)-1]}
}

// run returns how many of the first positions follow each other, at most a block.
func run(order []int) int {
	m := 1
	for m < len(order) && m < columnBlock && order[m] == order[0]+m {
		m++
	}
	return m
}

// covariances sets v to the prior covariances of a reading with those kept and
// with the targets, and the sum for its mean to 0.
func (w *window) covariances(k *asm.Kernel, b []float64) {
	for _, p := range w.order {
		w.v[p] = k.Dot(w.rows.Row(p), b)
	}
	last := len(w.v) - 1
	for p := w.positions; p < last; p++ {
		w.v[p] = k.Dot(w.rows.Row(p), b)
	}
	w.v[last] = 0
}

// rotate moves what carry has at position p into the column there.
func (w *window) rotate(k *asm.Kernel, p int) {
	column := w.columns.Row(p)
	a, b := column[p], w.carry[p]
	r := math.Sqrt(math.FMA(a, a, b*b))
	c, s := a/r, b/r
	k.Rotate(c, s, column[p+1:w.end], w.carry[p+1:w.end])
	k.Rotate(c, s, column[w.positions:], w.carry[w.positions:])
	column[p] = r
}

// substitute solves for the elements of the new row of L at m consecutive
// positions, leaves them in the diagonal's place of v, takes their part from the
// rest of v, and adds their squares to explained.
func (w *window) substitute(k *asm.Kernel, first, m int, explained float64) float64 {
	data, stride := w.columns.Data(), w.columns.Stride()
	for i := range m {
		p := first + i
		sum := w.v[p]
		for j := range i {
			sum = math.FMA(w.x[j], data[(first+j)*stride+p], sum)
		}
		x := sum / data[p*stride+p]
		w.v[p], w.x[i] = x, -x
		explained = math.FMA(x, x, explained)
	}
	x, after := w.x[:m], first+m
	if last := w.order[len(w.order)-1] + 1; after < last {
		k.AxpyRows(x, data[first*stride+after:], stride, w.v[after:last])
	}
	k.AxpyRows(x, data[first*stride+w.positions:], stride, w.v[w.positions:])
	return explained
}

// append keeps the reading that innovation was last asked about.
func (w *window) append(b []float64, f forecast, r kept) {
	if w.end == w.positions {
		w.compact()
	}
	p := w.end
	w.end++
	copy(w.rows.Row(p), b)
	w.norm2[p], w.kept[p] = f.norm2, r
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
	column[w.positions+w.targets] = (w.kept[p].residual - f.mean) / d
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
		w.norm2[i], w.kept[i], w.v[i] = w.norm2[p], w.kept[p], w.v[p]
	}
	for i, p := range w.order {
		copy(w.rows.Row(i), w.rows.Row(p))
		w.order[i] = i
	}
	w.end = len(w.order)
}

// remove forgets the i-th oldest reading.
func (w *window) remove(i int) {
	k := asm.Active()
	copy(w.carry, w.columns.Row(w.order[i]))
	for _, p := range w.order[i+1:] {
		w.rotate(k, p)
	}
	w.order = append(w.order[:i], w.order[i+1:]...)
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
		sum = math.FMA(l, l, sum)
	}
	want := w.norm2[p] + w.kept[p].sigma2
	return math.Abs(sum-want) / want
}

// rebuild factorises anew from the readings that are kept.
func (w *window) rebuild() {
	positions := w.order
	w.order = w.order[:0]
	for _, p := range positions { // order grows into the same array, never past p
		w.extend(p, w.innovation(w.rows.Row(p), false))
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
			sd[i] = math.FMA(-x, x, sd[i])
		}
	}
	for i, v := range sd {
		sd[i] = math.Sqrt(math.Max(v, 0))
	}
}
