package posterior

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// accumulator reduces many rows [H y] as they stream by: by QR on the square-root path, to the sums
// H'H, H'y and y'y on the Gram path.
type accumulator struct {
	tsqr  *mat.TSQR
	gram  *mat.Gram
	store *storage
}

func newAccumulator(columns int, path Path, store *storage) *accumulator {
	if path == GramPath {
		return &accumulator{gram: store.gram(columns), store: store}
	}
	return &accumulator{tsqr: store.tsqr(columns), store: store}
}

func (a *accumulator) append(h *mat.Dense, y []float64) {
	if a.gram != nil {
		a.gram.Append(h, y)
	} else {
		a.tsqr.Append(h, y)
	}
}

func (a *accumulator) count() int {
	if a.gram != nil {
		return a.gram.Count()
	}
	return a.tsqr.Count()
}

// merge adds the rows of other, which does not change.
func (a *accumulator) merge(other *accumulator) {
	if a.gram != nil {
		a.gram.Merge(other.gram)
	} else {
		a.tsqr.Merge(other.tsqr)
	}
}

// reduced returns the reduction of all rows.
func (a *accumulator) reduced() *reduction {
	if a.gram != nil {
		n := a.gram.Cols()
		r := &reduction{hh: mat.NewSym(n, a.store.unset(n*n)), y: make([]float64, n)}
		r.yy = a.gram.SumsTo(r.hh, r.y)
		return r
	}
	whole := a.tsqr.Triangle()
	n := whole.Cols() - 1
	r := &reduction{r: whole.Slice(0, n, 0, n), y: make([]float64, n), rest: math.Abs(whole.At(n, n))}
	for i := range r.y {
		r.y[i] = whole.At(i, n)
	}
	return r
}

// reduction is a summary of many rows that loses nothing: on the square-root path the triangle R,
// Q'y and the norm of the part of y outside the range; on the Gram path H'H, H'y and y'y. It is
// immutable, except for raise.
type reduction struct {
	r    *mat.Dense
	rest float64
	hh   *mat.Sym
	yy   float64
	y    []float64 // Q'y or H'y

	blocks *blockSums // with patches, instead of hh, and
	about  []float64  // weights about which these rows are to be solved, in the coordinates g, with
	left   []float64  // H'(y - H about), computed from the rows
}

// height returns how many rows R and Q'y have down to the last that is not zero: as many as were reduced,
// and at most the number of columns.
func (r *reduction) height() int {
	rows := len(r.y)
	for rows > 0 && r.y[rows-1] == 0 && isZero(r.r.Row(rows-1)) {
		rows--
	}
	return rows
}

func isZero(x []float64) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}

// scaledReduction is a reduction with column j multiplied by d[j] and the right-hand side by weight.
type scaledReduction struct {
	*reduction
	d      []float64
	weight float64
}

// joined returns the reduction of all rows of several blocks; nil without any.
func joined(parts []scaledReduction, store *storage) *reduction {
	j := joiner{store: store}
	for _, p := range parts {
		j.prepare(len(p.y), p.hh != nil)
		j.add(p)
	}
	return j.joined()
}

// joiner joins reductions one by one, so that only one exists at a time.
type joiner struct {
	store *storage
	first *scaledReduction // by rows, the only one so far
	tsqr  *mat.TSQR        // by rows, of several
	rows  *mat.Dense       // of one block
	sums  *reduction
}

// prepare allocates what adding the next block needs, before the block itself is made: the memory of
// the block can then be released right after.
func (j *joiner) prepare(columns int, sums bool) {
	switch {
	case sums && j.sums == nil:
		j.sums = &reduction{hh: mat.NewSym(columns, j.store.vector(columns*columns)), y: j.store.vector(columns)}
	case !sums && j.first != nil && j.tsqr == nil:
		j.tsqr, j.rows = j.store.tsqr(columns), j.store.dense(columns+1, columns)
		j.appendRows(*j.first)
	}
}

func (j *joiner) add(p scaledReduction) {
	switch {
	case p.hh != nil:
		j.addSums(p)
	case j.tsqr == nil: // by rows it does not live in the store
		j.first = &p
	default:
		j.appendRows(p)
	}
}

func (j *joiner) appendRows(p scaledReduction) {
	n, height := len(p.y), p.height()
	y := append([]float64(nil), p.y[:height]...)
	rows := j.rows.Slice(0, height, 0, n)
	if p.rest != 0 { // the part of y that R cannot reach is a row of its own, zero in H
		y, rows = append(y, p.rest), j.rows.Slice(0, height+1, 0, n)
		clear(rows.Row(height))
	}
	rows.Slice(0, height, 0, n).CopyFrom(p.r.Slice(0, height, 0, n))
	scaleColumns(rows, p.d)
	scaleVector(p.weight, y)
	j.tsqr.Append(rows, y)
}

func (j *joiner) addSums(p scaledReduction) {
	for i := range p.y {
		from, to, d := p.hh.Row(i)[:i+1], j.sums.hh.Row(i), p.d[i]
		for k, v := range from {
			to[k] += float64(float64(v*d) * p.d[k])
		}
		j.sums.y[i] += float64(float64(p.y[i]*d) * p.weight)
	}
	j.sums.yy += float64(float64(p.yy*p.weight) * p.weight)
}

// joined returns the reduction of everything added; nil without any.
func (j *joiner) joined() *reduction {
	switch {
	case j.sums != nil:
		return j.sums
	case j.tsqr != nil:
		return (&accumulator{tsqr: j.tsqr}).reduced()
	case j.first == nil:
		return nil
	}
	p := j.first // scaling columns keeps it triangular
	r := &reduction{r: j.store.clone(p.r), rest: p.rest * p.weight, y: append([]float64(nil), p.y...)}
	scaleColumns(r.r, p.d)
	scaleVector(p.weight, r.y)
	return r
}

// times is the reduction with all columns multiplied by weight.
func (r *reduction) times(weight float64) scaledReduction {
	d := make([]float64, len(r.y))
	for i := range d {
		d[i] = weight
	}
	return scaledReduction{r, d, weight}
}

// largestColumn returns the largest norm among the first columns, apart from some; 0 of nil.
func (r *reduction) largestColumn(columns int, apart []int) float64 {
	if r == nil {
		return 0
	}
	top := 0.0
	for j := range columns {
		if slices.Contains(apart, j) {
			continue
		}
		v := 0.0
		if r.hh != nil {
			v = r.hh.At(j, j)
		} else if r.blocks != nil {
			v = r.blocks.diagonal(j)
		} else {
			for i := range j + 1 {
				v = mat.FMA(r.r.At(i, j), r.r.At(i, j), v)
			}
		}
		top = math.Max(top, v)
	}
	return math.Sqrt(top)
}

// squaredNorm is the sum of squares of H.
func (r *reduction) squaredNorm() float64 {
	if r.hh == nil {
		return squaresOf(r.r)
	}
	sum := 0.0
	for j := range r.hh.N() {
		sum += r.hh.At(j, j)
	}
	return sum
}

// rotated returns the sums with the last front columns moved to the front.
func (r *reduction) rotated(front int, store *storage) *reduction {
	if front == 0 {
		return r
	}
	n := len(r.y)
	turned := &reduction{hh: mat.NewSym(n, store.vector(n*n)), y: store.vector(n), yy: r.yy}
	copy(turned.y, r.y[n-front:])
	copy(turned.y[front:], r.y[:n-front])
	for i := range front {
		copy(turned.hh.Row(i)[:i+1], r.hh.Row(n - front + i)[n-front:n-front+i+1])
	}
	for i := front; i < n; i++ {
		row := turned.hh.Row(i)
		for j := range front {
			row[j] = r.hh.At(n-front+j, i-front)
		}
		copy(row[front:i+1], r.hh.Row(i - front)[:i-front+1])
	}
	return turned
}

// raise adds to the diagonal of H'H a bound of its rounding error, so that no eigenvalue is
// negative.
func (r *reduction) raise() {
	if r.hh == nil {
		return
	}
	n, largest := len(r.y), 0.0
	for i := range n {
		largest = math.Max(largest, r.hh.At(i, i))
	}
	for i := range n {
		r.hh.Set(i, i, r.hh.At(i, i)+float64(float64(float64(n)*epsilon)*largest))
	}
}
