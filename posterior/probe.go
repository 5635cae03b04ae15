package posterior

import (
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// probe makes the row of one functional at one point at a time, without allocating.
type probe struct {
	rows  *system.RowMaker
	row   *mat.Dense // 1 x columns
	point *mat.Dense // 1 x variables
	known []float64  // 1
}

// newProbe makes rows in row, which the caller owns and may share.
func newProbe(basis system.Basis, f system.Functional, row []float64) *probe {
	return &probe{basis.Compile(&f, 1), mat.NewDense(1, len(row), row), mat.NewDense(1, basis.Layer.Dimensions(), nil), make([]float64, 1)}
}

// at makes the row at a point and returns the known part; ok is false when a
// number is not finite.
func (p *probe) at(x []float64) (known float64, ok bool) {
	copy(p.point.Row(0), x)
	p.rows.To(p.row, p.known, p.point)
	return p.known[0], finite(squares(p.row.Row(0))) && finite(p.known[0])
}
