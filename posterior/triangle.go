package posterior

import "github.com/bpielm/bpielm/mat"

// triangle multiplies by a lower triangular factor, block by block: half the
// work of the whole.
type triangle struct {
	blocks []*mat.Dense // some rows each, up to their diagonal
}

// triangleBlock is how many rows are taken at a time.
const triangleBlock = 64

func newTriangle(l *mat.Dense) triangle {
	n := l.Rows()
	var t triangle
	for first := 0; first < n; first += triangleBlock {
		last := min(first+triangleBlock, n)
		t.blocks = append(t.blocks, l.Slice(first, last, 0, last))
	}
	return t
}

// mulTrans sets b = L'h.
func (t triangle) mulTrans(b, h []float64) {
	clear(b)
	first := 0
	for _, block := range t.blocks {
		rows, columns := block.Dims()
		mat.Gemv(mat.Trans, 1, block, h[first:first+rows], 1, b[:columns])
		first += rows
	}
}
