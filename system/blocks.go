package system

import (
	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
)

// Basis says which unknowns the columns of H belong to: for each field its
// neurons, then one column for each parameter.
type Basis struct {
	Layer      *feature.Layer // of the fields that are functions of all variables
	Parameters int

	layers []*feature.Layer // of each field
	ends   []int            // of each field's columns
}

// NewBasis returns the columns of so many fields and parameters. Field i is a function of the variables
// for which over[i] is true, of all where that is nil or missing.
func NewBasis(layer *feature.Layer, fields int, over [][]bool, parameters int) Basis {
	b := Basis{Layer: layer, Parameters: parameters}
	end := 0
	for i := range fields {
		own := layer
		if i < len(over) && over[i] != nil {
			own = layer.Of(over[i], neuronsOver(layer.Neurons(), over[i]))
		}
		end += own.Neurons()
		b.layers, b.ends = append(b.layers, own), append(b.ends, end)
	}
	return b
}

// neuronsOver is how many neurons a function of some of the variables has where those of all have
// so many: in proportion to the number of variables.
func neuronsOver(neurons int, over []bool) int {
	if over == nil {
		return neurons
	}
	some := 0
	for _, yes := range over {
		if yes {
			some++
		}
	}
	return max(1, (neurons*some+len(over)-1)/len(over))
}

// Basis returns the columns that the problem has with the given layer.
func (p *Problem) Basis(layer *feature.Layer) Basis {
	return NewBasis(layer, len(p.Fields), p.Over, len(p.Parameters))
}

// Columns returns how many columns the problem has with a layer of so many neurons.
func (p *Problem) Columns(neurons int) int {
	n := len(p.Parameters)
	for i := range p.Fields {
		if i < len(p.Over) {
			n += neuronsOver(neurons, p.Over[i])
		} else {
			n += neurons
		}
	}
	return n
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

// Fields returns the number of fields.
func (b Basis) Fields() int { return len(b.layers) }

// FieldLayer returns the neurons of field i, and FieldColumns where their columns begin and end.
func (b Basis) FieldLayer(i int) *feature.Layer { return b.layers[i] }

// FieldColumns returns the first column of field i, and that after its last.
func (b Basis) FieldColumns(i int) (first, end int) {
	return b.ends[i] - b.layers[i].Neurons(), b.ends[i]
}

// Columns returns the number of columns of H.
func (b Basis) Columns() int { return b.ParameterColumn(b.Parameters) }

// ParameterColumn returns the column of parameter i.
func (b Basis) ParameterColumn(i int) int {
	if len(b.ends) == 0 {
		return i
	}
	return b.ends[len(b.ends)-1] + i
}

// RowsTo sets row i of h (n x Columns) to the functional's action on every
// unknown at row i of points (n x variables), and known[i] to its known part,
// so that the functional's value there is h w + known. A nil known is not
// wanted. Rows are independent of each other: a large block may be made in
// chunks. It panics with mat.Error when shapes do not fit.
func (b Basis) RowsTo(h *mat.Dense, known []float64, f *Functional, points *mat.Dense) {
	n := points.Rows()
	if h.Rows() != n || h.Cols() != b.Columns() || (known != nil && len(known) != n) {
		panic(mat.Error("system: RowsTo: h must be points x columns, and known must have one entry for each point"))
	}
	parts, operators := make([]*mat.Dense, b.Fields()), make([][]feature.Term, b.Fields())
	for field := range parts {
		first, end := b.FieldColumns(field)
		parts[field] = h.Slice(0, n, first, end)
	}
	for i := range f.Terms {
		t := &f.Terms[i]
		if t.Shift != nil {
			continue
		}
		operators[t.Field] = append(operators[t.Field], feature.Term{Derivative: t.Derivative, Coefficient: coefficient(t.Coefficient, points)})
	}
	b.operatorsTo(parts, points, operators)
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

// operatorsTo makes the rows of each field; those of all variables share a layer and its activations.
func (b Basis) operatorsTo(parts []*mat.Dense, points *mat.Dense, operators [][]feature.Term) {
	var shared []*mat.Dense
	var of [][]feature.Term
	for field, own := range b.layers {
		if own == b.Layer {
			shared, of = append(shared, parts[field]), append(of, operators[field])
		} else {
			own.RowsTo(parts[field], points, operators[field])
		}
	}
	b.Layer.OperatorsTo(shared, points, of)
}

// addShifted adds a term's rows, which stand elsewhere than its coefficient.
func (b Basis) addShifted(h *mat.Dense, t *Term, points *mat.Dense) {
	rows := mat.NewDense(h.Rows(), h.Cols(), nil)
	b.layers[t.Field].RowsTo(rows, t.Places(points), []feature.Term{{Derivative: t.Derivative, Coefficient: coefficient(t.Coefficient, points)}})
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
