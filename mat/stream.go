package mat

import (
	"fmt"
	"math"
	"slices"
)

// checkChunk panics unless h has cols columns and one row for each element of y.
func checkChunk(what string, cols int, h *Dense, y []float64) {
	if h.cols != cols || h.rows != len(y) {
		panic(Error(fmt.Sprintf("mat: %s.Append: %d x %d rows and %d values, %d columns expected", what, h.rows, h.cols, len(y), cols)))
	}
}

// TSQR computes the triangular factor of [H y] over rows that arrive in chunks. It does
// not square the condition number, as Gram does. The result depends on the order of
// the rows, but not on the chunks.
type TSQR struct {
	cols, count int
	top         int       // rows of the triangle so far: 0 or cols+1
	rows        []float64 // the triangle, then the pending rows, of cols+1 elements each
	block       int       // pending rows to reduce at a time
	qr          QR
	columns     Dense // scratch of qr
}

// NewTSQR returns the factor of no rows, for matrices H of cols columns.
func NewTSQR(cols int) *TSQR {
	check(cols >= 0, "NewTSQR: negative dimension")
	return &TSQR{cols: cols, block: max(tsqrBlock, 2*cols)}
}

// Reset forgets all rows and prepares for matrices H of cols columns. It reuses the
// storage.
func (t *TSQR) Reset(cols int) {
	check(cols >= 0, "TSQR.Reset: negative dimension")
	t.cols, t.count, t.top, t.rows, t.block = cols, 0, 0, t.rows[:0], max(tsqrBlock, 2*cols)
}

// Append adds the rows of h, rows x cols, and their values y, of rows elements.
func (t *TSQR) Append(h *Dense, y []float64) {
	checkChunk("TSQR", t.cols, h, y)
	t.count += h.rows
	t.makeRoom(h.rows)
	for i, v := range y {
		t.rows = append(append(t.rows, h.Row(i)...), v)
		if t.stacked() == t.top+t.block {
			t.reduce()
		}
	}
}

// makeRoom makes room for more rows. The first allocation is exact; the second is as
// large as will ever be needed, so that growing leaves little garbage.
func (t *TSQR) makeRoom(rows int) {
	most := (t.cols + 1 + t.block) * (t.cols + 1)
	needed := min(len(t.rows)+rows*(t.cols+1), most)
	if needed <= cap(t.rows) {
		return
	}
	if cap(t.rows) > 0 {
		needed = most
	}
	t.rows = slices.Grow(t.rows, needed-len(t.rows))
}

// stacked returns the number of rows in the triangle and below it.
func (t *TSQR) stacked() int { return len(t.rows) / (t.cols + 1) }

// reduce replaces the triangle and all pending rows by their triangular factor.
func (t *TSQR) reduce() {
	n := t.cols + 1
	triangle, rows := t.parts()
	if t.top == 0 {
		triangle = NewDense(n, n, nil)
	}
	t.qr.absorb(&t.columns, triangle, rows)
	t.top = n
	t.rows = t.rows[:n*n]
	copy(t.rows, triangle.data)
}

// parts returns the triangle so far and the pending rows.
func (t *TSQR) parts() (triangle, rows *Dense) {
	n := t.cols + 1
	triangle = &Dense{rows: t.top, cols: n, stride: n, data: t.rows[:t.top*n]}
	rows = &Dense{rows: t.stacked() - t.top, cols: n, stride: n, data: t.rows[t.top*n:]}
	return triangle, rows
}

// Merge adds the rows that other has seen. It does not modify other.
func (t *TSQR) Merge(other *TSQR) {
	check(t.cols == other.cols, "TSQR.Merge: numbers of columns differ")
	n, rows := t.cols+1, other.stacked()
	r := Dense{rows: rows, cols: n, stride: n, data: other.rows}
	if other.top > 0 || rows > n { // a triangle has fewer rows
		r = *other.Triangle()
	}
	for i := range r.rows {
		row := r.sub(i, i+1, 0, n-1)
		t.Append(&row, r.Row(i)[n-1:])
	}
	t.count += other.count - r.rows
}

// Triangle returns a copy of the factor of [H y] over all rows, (cols+1) x (cols+1):
//
//	R  Q'y
//	0  the norm of the component of y outside the range of H, up to its sign
//
// R, QTy and Residual are its parts; each call costs as much as Triangle.
func (t *TSQR) Triangle() *Dense {
	n := t.cols + 1
	triangle := NewDense(n, n, nil)
	if t.stacked() == t.top {
		copy(triangle.data, t.rows)
		return triangle
	}
	before, rows := t.parts()
	copy(triangle.data, before.data)
	if t.top > 0 {
		var q QR
		var columns Dense
		q.absorb(&columns, triangle, rows)
		return triangle
	}
	q := new(QR)
	if len(t.rows) <= keptElements {
		w := borrow()
		defer w.giveBack()
		q = &w.qr
	}
	q.Factorize(rows)
	q.triangleTo(triangle)
	return triangle
}

// R returns a copy of the upper triangular factor of H, cols x cols. Its last rows are
// zero while there are fewer rows than columns. Signs are not normalised.
func (t *TSQR) R() *Dense { return t.Triangle().Slice(0, t.cols, 0, t.cols).Clone() }

// QTy returns a copy of the first cols elements of Q'y. The least-squares solution x
// solves R x = Q'y.
func (t *TSQR) QTy() []float64 {
	r := t.Triangle()
	y := make([]float64, t.cols)
	for i := range y {
		y[i] = r.At(i, t.cols)
	}
	return y
}

// Residual returns the norm of the component of y outside the range of H.
func (t *TSQR) Residual() float64 { return math.Abs(t.Triangle().At(t.cols, t.cols)) }

// Count returns the number of rows added.
func (t *TSQR) Count() int { return t.count }
