package posterior

import (
	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// probe makes the row of one functional at one point at a time, as
// system.Basis.RowsTo does, without allocating.
type probe struct {
	basis      system.Basis
	functional system.Functional
	terms      [][]feature.Term // of each field
	elsewhere  []elsewhere      // terms at other places
	varying    []varying
	parts      []*mat.Dense // the row, field by field, 1 x neurons
	row        []float64
	point      *mat.Dense // 1 x variables
	value      []float64  // 1
}

// varying is a coefficient that depends on the point.
type varying struct {
	function system.Function
	value    []float64 // 1
}

// elsewhere is a term at a shifted or fixed place.
type elsewhere struct {
	term    *system.Term
	feature []feature.Term // 1
	place   *mat.Dense     // 1 x variables
	row     *mat.Dense     // 1 x neurons
}

// newProbe makes rows in row, which the caller owns and may share.
func newProbe(basis system.Basis, f system.Functional, row []float64) *probe {
	p := &probe{
		basis: basis, functional: f, terms: make([][]feature.Term, basis.Fields()), row: row,
		point: mat.NewDense(1, basis.Layer.Dimensions(), nil), value: make([]float64, 1),
	}
	for i := range f.Terms {
		t := &f.Terms[i]
		term := feature.Term{Derivative: t.Derivative}
		switch c := t.Coefficient.(type) {
		case nil:
		case system.Constant:
			term.Coefficient = []float64{float64(c)}
		default:
			term.Coefficient = make([]float64, 1)
			p.varying = append(p.varying, varying{c, term.Coefficient})
		}
		if t.Shift != nil {
			p.elsewhere = append(p.elsewhere, elsewhere{t, []feature.Term{term}, p.point.Clone(), mat.NewDense(1, basis.FieldLayer(t.Field).Neurons(), nil)})
			continue
		}
		p.terms[t.Field] = append(p.terms[t.Field], term)
	}
	for field := range basis.Fields() {
		first, end := basis.FieldColumns(field)
		p.parts = append(p.parts, mat.NewDense(1, end-first, row[first:end]))
	}
	return p
}

// at makes the row at a point and returns the known part; ok is false when a
// number is not finite.
func (p *probe) at(x []float64) (known float64, ok bool) {
	copy(p.point.Row(0), x)
	for _, v := range p.varying {
		v.function.EvalTo(v.value, p.point)
	}
	for field, terms := range p.terms {
		if terms == nil {
			p.parts[field].Zero()
			continue
		}
		p.basis.FieldLayer(field).RowsTo(p.parts[field], p.point, terms)
	}
	for i := range p.elsewhere {
		e := &p.elsewhere[i]
		copy(e.place.Row(0), x)
		e.term.Place(e.place.Row(0))
		p.basis.FieldLayer(e.term.Field).RowsTo(e.row, e.place, e.feature)
		mat.Axpy(1, e.row.Row(0), p.parts[e.term.Field].Row(0))
	}
	first := p.basis.ParameterColumn(0)
	clear(p.row[first:])
	for i := range p.functional.Parameters {
		t := &p.functional.Parameters[i]
		p.row[first+t.Parameter] += p.evaluate(t.Coefficient, 1)
	}
	known = p.evaluate(p.functional.Known, 0)
	return known, finite(squares(p.row)) && finite(known)
}

// evaluate returns f at the point; absent where f is nil.
func (p *probe) evaluate(f system.Function, absent float64) float64 {
	if f == nil {
		return absent
	}
	f.EvalTo(p.value, p.point)
	return p.value[0]
}

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
