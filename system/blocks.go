package system

import (
	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
)

// Basis says which unknowns the columns of H belong to: for each field the
// neurons of the layer, then one column for each parameter.
type Basis struct {
	Layer      *feature.Layer
	Fields     int
	Parameters int
}

// Basis returns the columns that the problem has with the given layer.
func (p *Problem) Basis(layer *feature.Layer) Basis {
	return Basis{Layer: layer, Fields: len(p.Fields), Parameters: len(p.Parameters)}
}

// Box returns the problem's bounding box.
func (p *Problem) Box() feature.Box {
	b := feature.Box{}
	for _, v := range p.Variables {
		b.Min = append(b.Min, v.Min)
		b.Max = append(b.Max, v.Max)
		b.Log = append(b.Log, v.Log)
	}
	return b
}

// Columns returns the number of columns of H.
func (b Basis) Columns() int { return b.Fields*b.Layer.Neurons() + b.Parameters }

// ParameterColumn returns the column of parameter i.
func (b Basis) ParameterColumn(i int) int { return b.Fields*b.Layer.Neurons() + i }

// RowsTo sets row i of h (n x Columns) to the functional's action on every
// unknown at row i of points (n x variables), and known[i] to its known part,
// so that the functional's value there is h w + known. A nil known is not
// wanted. Rows are independent of each other: a large block may be made in
// chunks. It panics with mat.Error when shapes do not fit.
func (b Basis) RowsTo(h *mat.Dense, known []float64, f *Functional, points *mat.Dense) {
	n, neurons := points.Rows(), b.Layer.Neurons()
	if h.Rows() != n || h.Cols() != b.Columns() || (known != nil && len(known) != n) {
		panic(mat.Error("system: RowsTo: h must be points x columns, and known must have one entry for each point"))
	}
	parts, operators := make([]*mat.Dense, b.Fields), make([][]feature.Term, b.Fields)
	for field := range b.Fields {
		parts[field] = h.Slice(0, n, field*neurons, (field+1)*neurons)
	}
	for i := range f.Terms {
		t := &f.Terms[i]
		if t.Shift != nil {
			continue
		}
		operators[t.Field] = append(operators[t.Field], feature.Term{Derivative: t.Derivative, Coefficient: coefficient(t.Coefficient, points)})
	}
	b.Layer.OperatorsTo(parts, points, operators)
	for i := range f.Terms {
		if t := &f.Terms[i]; t.Shift != nil {
			b.addShifted(parts[t.Field], t, points)
		}
	}
	b.parameterColumns(h, f, points)
	if known != nil {
		clear(known)
		if f.Known != nil {
			f.Known.EvalTo(known, points)
		}
	}
}

// addShifted adds a term's rows, which stand elsewhere than its coefficient.
func (b Basis) addShifted(h *mat.Dense, t *Term, points *mat.Dense) {
	rows := mat.NewDense(h.Rows(), h.Cols(), nil)
	b.Layer.RowsTo(rows, t.Places(points), []feature.Term{{Derivative: t.Derivative, Coefficient: coefficient(t.Coefficient, points)}})
	for i := range rows.Rows() {
		mat.Axpy(1, rows.Row(i), h.Row(i))
	}
}

func (b Basis) parameterColumns(h *mat.Dense, f *Functional, points *mat.Dense) {
	n, first := points.Rows(), b.ParameterColumn(0)
	h.Slice(0, n, first, first+b.Parameters).Zero()
	for i := range f.Parameters {
		t := &f.Parameters[i]
		c := coefficient(t.Coefficient, points)
		for r := range n {
			v := 1.0
			switch len(c) {
			case 0:
			case 1:
				v = c[0]
			default:
				v = c[r]
			}
			j := b.ParameterColumn(t.Parameter)
			h.Set(r, j, h.At(r, j)+v)
		}
	}
}

// coefficient evaluates a coefficient at points: nothing for 1, one number for
// a constant.
func coefficient(f Function, points *mat.Dense) []float64 {
	switch c := f.(type) {
	case nil:
		return nil
	case Constant:
		return []float64{float64(c)}
	}
	v := make([]float64, points.Rows())
	f.EvalTo(v, points)
	return v
}
