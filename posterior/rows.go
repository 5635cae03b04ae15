package posterior

import (
	"fmt"
	"math"
	"runtime"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior/rowtree"
	"github.com/bpielm/bpielm/system"
)

// chunkRows is how many rows of H exist at a time. 256 rows of 300 columns are 600 KB, which fits
// the cache.
const chunkRows = 256

// streamRows makes the rows of a functional at points first to last-1 in chunks
// and hands each to consume with the number of its first point and its known
// part; both are overwritten by the next chunk. A number that is not finite ends
// it with a *DataError.
func streamRows(store *storage, where string, basis system.Basis, f *system.Functional, points *mat.Dense, first, last int, consume func(first int, h *mat.Dense, known []float64)) error {
	size := min(last-first, chunkRows)
	h, known := store.unsetDense(size, basis.Columns()), store.unset(size)
	maker := basis.Compile(f, size)
	for ; first < last; first += chunkRows {
		rows := min(chunkRows, last-first)
		part := h.Slice(0, rows, 0, h.Cols())
		maker.To(part, known[:rows], points.Slice(first, first+rows, 0, points.Cols()))
		for i := range rows {
			if err := checkRow(where, first+i, part.Row(i), known[i]); err != nil {
				return err
			}
		}
		consume(first, part, known[:rows])
	}
	return nil
}

// checkRow returns a *DataError if a number of the row at a point is not finite.
func checkRow(where string, point int, h []float64, known float64) error {
	if !finite(known) {
		return dataError(fmt.Sprintf("%s, point %d", where, point+1), "the known part is %g", known)
	}
	if finite(squares(h)) {
		return nil
	}
	for _, v := range h {
		if !finite(v) {
			return dataError(fmt.Sprintf("%s, point %d", where, point+1), "a coefficient is %g", v)
		}
	}
	return nil
}

// segmentRows is how many rows one goroutine makes and reduces at a time: enough to make merging
// cheap. Segments of readings are the leaves of a tree.
const segmentRows = rowtree.LeafRows

// inSegments calls reduce for segments of n rows, in parallel, and take with each result, in the
// order of the rows. The result therefore does not depend on the number of processors, and only a
// few segments exist at a time: one, if they are large, which then has all processors. It returns the error
// of the first segment that fails.
func inSegments[T any](n int, large bool, reduce func(first, last int) (T, error), take func(T)) error {
	count := max(1, (n+segmentRows-1)/segmentRows)
	together := min(count, 2*runtime.GOMAXPROCS(0))
	if large {
		together = 1
	}
	results, errs := make([]T, together), make([]error, together)
	for from := 0; from < count; from += together {
		batch := min(together, count-from)
		inParallel(batch, batch, func(i int) {
			first := (from + i) * segmentRows
			results[i], errs[i] = reduce(first, min(n, first+segmentRows))
		})
		for i := range batch {
			if errs[i] != nil {
				return errs[i]
			}
			take(results[i])
			clear(results[i : i+1]) // release it: it may be large
		}
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

// transposeTo sets dst to the transpose of src, a few rows at a time, so that what is written stays in the cache.
func transposeTo(dst, src *mat.Dense) {
	const together = 8
	rows, columns := src.Dims()
	var from [together][]float64
	for first := 0; first < rows; first += together {
		count := min(together, rows-first)
		for i := range count {
			from[i] = src.Row(first + i)
		}
		for j := range columns {
			to := dst.Row(j)[first : first+count]
			for i := range to {
				to[i] = from[i][j]
			}
		}
	}
}

// scaleVector multiplies x by c.
func scaleVector(c float64, x []float64) {
	for i := range x {
		x[i] *= c
	}
}
