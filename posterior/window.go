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
// Column s of L is kept as row s of columns, by slots that are used again:
// [its elements at the slots | V_s of the targets | z_s].
type window struct {
	slots, targets int
	columns        *mat.Dense // slots x (slots + targets + 1)
	bt             *mat.Dense // n x (slots + targets): b of each slot, zero if free, then of each target
	norm2          []float64  // |b|^2 of each slot and target
	sigma2         []float64  // of each slot
	residual       []float64  // r of each slot
	order          []int      // slots in use, oldest first
	free           []int
	next           int // the slot that is audited next
	repairs        int // audits that failed

	v, carry []float64 // slots + targets + 1
	b        []float64 // n
}

// newWindow takes the rows of the targets.
func newWindow(slots int, targets *mat.Dense) *window {
	t, n := targets.Dims()
	w := &window{
		slots: slots, targets: t,
		columns: mat.NewDense(slots, slots+t+1, nil), bt: mat.NewDense(n, slots+t, nil),
		norm2: make([]float64, slots+t), sigma2: make([]float64, slots), residual: make([]float64, slots),
		order: make([]int, 0, slots), free: make([]int, slots),
		v: make([]float64, slots+t+1), carry: make([]float64, slots+t+1), b: make([]float64, n),
	}
	for s := range w.free {
		w.free[s] = slots - 1 - s
	}
	for i := range t {
		w.setColumn(slots+i, targets.Row(i))
		w.norm2[slots+i] = squares(targets.Row(i))
	}
	return w
}

func (w *window) setColumn(s int, b []float64) {
	data, stride := w.bt.Data(), w.bt.Stride()
	for i, v := range b {
		data[i*stride+s] = v
	}
}

// column copies the row b of a slot.
func (w *window) column(b []float64, s int) {
	data, stride := w.bt.Data(), w.bt.Stride()
	for i := range b {
		b[i] = data[i*stride+s]
	}
}

// innovation solves for a reading that is not kept yet: its prior norm2 = |b|^2,
// the variance that the kept readings leave of b'v, and the mean of b'v. It
// prepares append.
func (w *window) innovation(b []float64) (norm2, variance, mean float64) {
	mat.Gemv(mat.Trans, 1, w.bt, b, 0, w.v[:w.slots+w.targets])
	w.v[w.slots+w.targets] = 0
	k := asm.Active()
	explained := 0.0
	for _, j := range w.order {
		column := w.columns.Row(j)
		x := w.v[j] / column[j]
		k.Axpy(-x, column, w.v)
		w.carry[j] = x // row of L
		explained = math.FMA(x, x, explained)
	}
	norm2 = squares(b)
	return norm2, math.Max(norm2-explained, 0), -w.v[w.slots+w.targets]
}

// append keeps the reading that innovation was last asked about, in a free
// slot, which it returns.
func (w *window) append(b []float64, norm2, variance, mean, residual, sigma float64) (slot int) {
	s := w.free[len(w.free)-1]
	w.free = w.free[:len(w.free)-1]
	w.setColumn(s, b)
	w.norm2[s], w.sigma2[s], w.residual[s] = norm2, sigma*sigma, residual
	w.extend(s, variance, residual-mean)
	w.audit()
	return s
}

// extend makes the column of a new last slot of what innovation has left in v
// and carry. The variance of a reading is at least that of its noise, whatever
// rounding has left of the rest.
func (w *window) extend(s int, variance, innovation float64) {
	d := math.Sqrt(variance + w.sigma2[s])
	column := w.columns.Row(s)
	clear(column[:w.slots])
	column[s] = d
	for i := w.slots; i < w.slots+w.targets; i++ {
		column[i] = w.v[i] / d
	}
	column[w.slots+w.targets] = innovation / d
	for _, j := range w.order {
		w.columns.Row(j)[s] = w.carry[j]
	}
	w.order = append(w.order, s)
}

// remove forgets the i-th oldest reading.
func (w *window) remove(i int) {
	s := w.order[i]
	copy(w.carry, w.columns.Row(s))
	k := asm.Active()
	for _, j := range w.order[i+1:] {
		column := w.columns.Row(j)
		a, b := column[j], w.carry[j]
		r := math.Sqrt(math.FMA(a, a, b*b))
		k.Rotate(a/r, b/r, column, w.carry)
		column[j], w.carry[j] = r, 0
	}
	for _, j := range w.order[:i] {
		w.columns.Row(j)[s] = 0
	}
	w.order = append(w.order[:i], w.order[i+1:]...)
	clear(w.columns.Row(s))
	clear(w.b)
	w.setColumn(s, w.b)
	w.free = append(w.free, s)
}

// audit compares the norm of one row of L with what it must be, and starts
// anew when the difference is more than rounding.
func (w *window) audit() {
	w.next = (w.next + 1) % w.slots
	if !(w.discrepancy(w.next) <= w.allowed()) {
		w.repairs++
		w.rebuild()
	}
}

// allowed bounds the relative error of a row of L: each of its elements has
// been rotated at most once for every slot.
func (w *window) allowed() float64 { return 64 * epsilon * float64(w.slots+16) }

// discrepancy is |LL' - (K + sigma^2)| / (K + sigma^2) on the diagonal at a slot.
func (w *window) discrepancy(s int) float64 {
	sum := 0.0
	for _, j := range w.order {
		l := w.columns.Row(j)[s]
		sum = math.FMA(l, l, sum)
	}
	want := w.norm2[s] + w.sigma2[s]
	if sum == 0 || !(want > 0) { // a free slot
		return 0
	}
	return math.Abs(sum-want) / want
}

// rebuild factorises anew from the readings that are kept.
func (w *window) rebuild() {
	kept := w.order
	w.order = w.order[:0]
	w.columns.Zero()
	for _, s := range kept { // order grows into the same array, never past s
		w.column(w.b, s)
		_, variance, mean := w.innovation(w.b)
		w.extend(s, variance, w.residual[s]-mean)
	}
}

// estimate sets mean[i], sd[i] to those of target first+i.
func (w *window) estimate(first int, mean, sd []float64) {
	clear(mean)
	copy(sd, w.norm2[w.slots+first:]) // variances, until the end
	at := w.slots + first
	k := asm.Active()
	for _, j := range w.order {
		column := w.columns.Row(j)
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
