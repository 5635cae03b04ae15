package posterior

import (
	"fmt"
	"math"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// chunkRows is how many rows of H exist at a time. It is a multiple of nothing
// and bound to nothing but the cache: 256 rows of 300 columns are 600 KB.
const chunkRows = 256

// streamRows makes the rows of a functional at points in chunks and hands each
// to consume with its known part; both are overwritten by the next chunk. A
// number that is not finite ends it with a *DataError.
func streamRows(where string, basis system.Basis, f *system.Functional, points *mat.Dense, consume func(first int, h *mat.Dense, known []float64)) error {
	n := points.Rows()
	h := mat.NewDense(min(n, chunkRows), basis.Columns(), nil)
	known := make([]float64, min(n, chunkRows))
	for first := 0; first < n; first += chunkRows {
		rows := min(chunkRows, n-first)
		part := h.Slice(0, rows, 0, h.Cols())
		basis.RowsTo(part, known[:rows], f, points.Slice(first, first+rows, 0, points.Cols()))
		for i := range rows {
			if !finite(known[i]) {
				return dataError(fmt.Sprintf("%s, point %d", where, first+i+1), "the known part is %g", known[i])
			}
			for _, v := range part.Row(i) {
				if !finite(v) {
					return dataError(fmt.Sprintf("%s, point %d", where, first+i+1), "a coefficient is %g", v)
				}
			}
		}
		consume(first, part, known[:rows])
	}
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// squares returns the sum of squares of x, in the fixed order of mat.Dot.
func squares(x []float64) float64 { return mat.Dot(x, x) }

// scaleColumns multiplies column j of m by d[j].
func scaleColumns(m *mat.Dense, d []float64) {
	for i := range m.Rows() {
		row := m.Row(i)
		for j := range row {
			row[j] *= d[j]
		}
	}
}

// scaleRow multiplies x by c.
func scaleVector(c float64, x []float64) {
	for i := range x {
		x[i] *= c
	}
}
