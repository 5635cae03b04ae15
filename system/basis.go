package system

import "github.com/bpielm/bpielm/feature"

// Basis maps the columns of H to unknowns: first the neurons of each field, then
// one column for each parameter.
type Basis struct {
	Layer      *feature.Layer // of the fields that are functions of all variables
	Parameters int

	layers []*feature.Layer // one for each field
	ends   []int            // the column after the last of each field
}

// NewBasis returns the columns for the given numbers of fields and parameters. Field i is a function of
// the variables d with over[i][d], or of all variables if over[i] is nil or missing.
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

// neuronsOver returns how many neurons a function of some of the variables gets: in proportion to the
// number of its variables, if a function of all of them has the given number.
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

// NeuronsOfPatch is how many neurons each patch of a layer with patches has if their number is left open.
func NeuronsOfPatch(variables int) int { return 50 * variables }

// Basis returns the columns of the problem with the given layer.
func (p *Problem) Basis(layer *feature.Layer) Basis {
	return NewBasis(layer, len(p.Fields), p.Over, len(p.Parameters))
}

// Columns returns the number of columns of the problem with a layer of the given number of neurons.
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

// FieldLayer returns the neurons of field i.
func (b Basis) FieldLayer(i int) *feature.Layer { return b.layers[i] }

// FieldColumns returns the first column of field i, and the column after its last.
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
