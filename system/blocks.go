package system

import "github.com/bpielm/bpielm/feature"

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
