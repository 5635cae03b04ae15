package posterior

import (
	"math"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
)

// levelWidth is how many times larger than the level of its readings, or its natural
// size, a field's level may be.
const levelWidth = 2

// The prior of a parameter does not depend on the amplitude: rows like readings say what it is, and what
// the weights' prior says of it, at amplitude 1, is so many times wider. That need not be as wide where
// only the order of the parameter is guessed, and less is lost in rounding.
const (
	flatParameter    = 1e3
	naturalParameter = 1e2
)

// priorScales returns D: with amplitude 1 the neurons of a field together have its
// natural size as their standard deviation over the domain, about their mean there,
// and a neuron that is constant has the field's level.
func (ph *Physics) priorScales(domain *mat.Dense) []float64 {
	scale := make([]float64, ph.basis.Columns())
	var layer *feature.Layer
	var variance []float64
	for f, size := range ph.sizes.field {
		if own := ph.basis.FieldLayer(f); own != layer { // most fields share theirs
			layer, variance = own, ph.variances(own, domain)
		}
		spread := math.Sqrt(mat.Sum(variance) / float64(domain.Rows()))
		first, _ := ph.basis.FieldColumns(f)
		for j, v := range variance {
			if v > 0 {
				scale[first+j] = size / spread
			} else {
				scale[first+j] = levelWidth * math.Max(math.Abs(ph.sizes.level[f]), size)
			}
		}
	}
	for j, v := range ph.sizes.parameter {
		v *= naturalParameter
		if q := &ph.problem.Parameters[j]; q.SD > 0 {
			v = flatParameter * math.Max(q.SD, math.Abs(q.Mean))
		}
		scale[ph.basis.ParameterColumn(j)] = v
	}
	return scale
}

// variances returns by how much each neuron varies over the domain: the sum of squared distances from its mean.
func (ph *Physics) variances(layer *feature.Layer, domain *mat.Dense) []float64 {
	neurons, n := layer.Neurons(), domain.Rows()
	phi := ph.store.dense(n, neurons)
	layer.RowsTo(phi, domain, []feature.Term{{}})
	mean, variance := make([]float64, neurons), make([]float64, neurons)
	for i := range n {
		mat.Axpy(1/float64(n), phi.Row(i), mean)
	}
	for i := range n {
		for j, v := range phi.Row(i) {
			d := v - mean[j]
			variance[j] = mat.FMA(d, d, variance[j])
		}
	}
	return variance
}
