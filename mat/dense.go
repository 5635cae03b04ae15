package mat

import (
	"fmt"
	"slices"

	"github.com/bpielm/bpielm/mat/asm"
)

// Dense is a rows x cols matrix of float64, row-major, with Stride elements from one row
// to the next.
type Dense struct {
	rows, cols, stride int
	data               []float64
	view               bool // the storage belongs to another matrix
}

// NewDense returns a rows x cols matrix. data holds its elements row by row and is used
// in place; its length must be rows*cols. If data is nil, the matrix is zero.
func NewDense(rows, cols int, data []float64) *Dense {
	check(rows >= 0 && cols >= 0, "NewDense: negative dimension")
	if data == nil {
		data = make([]float64, rows*cols)
	}
	if len(data) != rows*cols {
		panic(Error(fmt.Sprintf("mat: NewDense: %d x %d needs %d elements, not %d", rows, cols, rows*cols, len(data))))
	}
	return &Dense{rows: rows, cols: cols, stride: cols, data: data}
}

// Dims returns the numbers of rows and columns.
func (m *Dense) Dims() (rows, cols int) { return m.rows, m.cols }

// Rows returns the number of rows.
func (m *Dense) Rows() int { return m.rows }

// Cols returns the number of columns.
func (m *Dense) Cols() int { return m.cols }

// Stride returns the distance in Data between the starts of consecutive rows.
func (m *Dense) Stride() int { return m.stride }

// Data returns the storage, which begins with element (0, 0).
func (m *Dense) Data() []float64 { return m.data }

// At returns element (i, j).
func (m *Dense) At(i, j int) float64 {
	m.checkIndex(i, j)
	return m.data[i*m.stride+j]
}

// Set sets element (i, j).
func (m *Dense) Set(i, j int, v float64) {
	m.checkIndex(i, j)
	m.data[i*m.stride+j] = v
}

func (m *Dense) checkIndex(i, j int) {
	if uint(i) >= uint(m.rows) || uint(j) >= uint(m.cols) {
		panic(Error(fmt.Sprintf("mat: element (%d, %d) of a %d x %d matrix", i, j, m.rows, m.cols)))
	}
}

// Row returns row i without copying.
func (m *Dense) Row(i int) []float64 {
	check(uint(i) < uint(m.rows), "Row: no such row")
	return m.data[i*m.stride:][:m.cols:m.cols]
}

// Slice returns rows i to k-1 and columns j to l-1 as a view of m.
func (m *Dense) Slice(i, k, j, l int) *Dense {
	s := m.sub(i, k, j, l)
	return &s
}

// View makes m rows i to k-1 and columns j to l-1 of a, not a copy: Slice without allocating.
func (m *Dense) View(a *Dense, i, k, j, l int) { *m = a.sub(i, k, j, l) }

// sub is Slice by value, for callers that must not allocate.
func (m *Dense) sub(i, k, j, l int) Dense {
	check(0 <= i && i <= k && k <= m.rows && 0 <= j && j <= l && l <= m.cols, "Slice: outside the matrix")
	s := Dense{rows: k - i, cols: l - j, stride: m.stride, view: true}
	if i < k && j < l {
		s.data = m.data[i*m.stride+j : (k-1)*m.stride+l]
	} else {
		s.stride = 0 // so that Row works on a matrix without columns
	}
	return s
}

// Reset makes m a rows x cols matrix of zeros. It reuses the storage if that is large
// enough and m is not a view.
func (m *Dense) Reset(rows, cols int) {
	fresh := m.view || cap(m.data) < rows*cols // and so zero
	if m.reshape(rows, cols); !fresh {
		clear(m.data)
	}
}

// reshape is Reset with undefined contents.
func (m *Dense) reshape(rows, cols int) {
	check(rows >= 0 && cols >= 0, "Reset: negative dimension")
	if m.view {
		m.data, m.view = nil, false
	}
	m.data = resize(m.data, rows*cols)
	m.rows, m.cols, m.stride = rows, cols, cols
}

// resize returns a slice of length n with undefined contents, reusing x if its capacity
// suffices.
func resize[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n)
	}
	return x[:n]
}

// Zero sets every element to zero.
func (m *Dense) Zero() {
	for i := range m.rows {
		clear(m.Row(i))
	}
}

// Equal tells whether both matrices have the same shape and the same elements; NaN equals nothing.
func (m *Dense) Equal(other *Dense) bool {
	if m.Rows() != other.Rows() || m.Cols() != other.Cols() {
		return false
	}
	for i := range m.Rows() {
		if !slices.Equal(m.Row(i), other.Row(i)) {
			return false
		}
	}
	return true
}

// Clone returns a copy with storage of its own.
func (m *Dense) Clone() *Dense {
	c := NewDense(m.rows, m.cols, nil)
	c.CopyFrom(m)
	return c
}

// CopyFrom copies the elements of src, which has the same shape.
func (m *Dense) CopyFrom(src *Dense) {
	check(m.rows == src.rows && m.cols == src.cols, "CopyFrom: shapes differ")
	for i := range m.rows {
		copy(m.Row(i), src.Row(i))
	}
}

// Transpose returns a transposed copy.
func (m *Dense) Transpose() *Dense {
	t := NewDense(m.cols, m.rows, nil)
	transpose(t, m)
	return t
}

// transpose sets dst, a cols x rows matrix, to the transpose of src.
func transpose(dst, src *Dense) {
	const tile = asm.Panel
	k, tiles := asm.Active(), src.cols/tile
	for first := 0; first < src.rows; first += tile {
		last, col := min(first+tile, src.rows), 0
		if last-first == tile && tiles > 0 {
			k.TransposeTiles(tiles, dst.data[first:], dst.stride, tile*dst.stride, src.data[first*src.stride:], src.stride, tile)
			col = tiles * tile
		}
		for ; col < src.cols; col++ {
			to := dst.data[col*dst.stride:]
			for i := first; i < last; i++ {
				to[i] = src.data[i*src.stride+col]
			}
		}
	}
}

// transposeRows sets column j of dst to row order[j] of src.
func transposeRows(dst, src *Dense, order []int) {
	w := borrow()
	defer w.giveBack()
	gathered := Dense{cols: src.cols, stride: src.cols, data: w.vector(asm.Panel * src.cols)}
	for first := 0; first < len(order); first += asm.Panel {
		rows := order[first:min(first+asm.Panel, len(order))]
		gathered.rows = len(rows)
		for i, row := range rows {
			copy(gathered.Row(i), src.Row(row))
		}
		columns := dst.sub(0, dst.rows, first, first+len(rows))
		transpose(&columns, &gathered)
	}
}

// Scale multiplies every element by alpha.
func (m *Dense) Scale(alpha float64) {
	for i := range m.rows {
		scaleVector(alpha, m.Row(i))
	}
}

func scaleVector(alpha float64, x []float64) { asm.Active().Scale(alpha, x) }
