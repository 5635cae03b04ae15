package posterior

import (
	"math"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
)

// levelWidth is how many times its mean reading, or its natural size, the level of a field may be.
const levelWidth = 2

// The weights' prior of a parameter, at amplitude 1, is this many times wider than the prior that
// applies: that one is a row like a reading, and does not depend on the amplitude. Where only the
// order of magnitude of a parameter is guessed, less width suffices, and less precision is lost.
const (
	flatParameter    = 1e3
	naturalParameter = 1e2
)

// priorScales returns D. At amplitude 1 the neurons of a field together have its natural size as
// their standard deviation over the domain, about their mean there. A constant neuron has the level
// of the field.
func (ph *Physics) priorScales(domain *mat.Dense) []float64 {
	if ph.basis.Layer.Patches() > 0 {
		return ph.patchScales()
	}
	scale := make([]float64, ph.basis.Columns())
	var layer *feature.Layer
	var variance []float64
	for f := range ph.sizes.field {
		if own := ph.basis.FieldLayer(f); own != layer { // most fields share their layer
			layer, variance = own, variances(ph.store, own, domain)
		}
		first, end := ph.basis.FieldColumns(f)
		ph.neuronScalesTo(scale[first:end], f, variance, domain.Rows())
		if !ph.sizes.leveled[f] {
			ph.freeLevel(scale[first:end], f, variance)
		}
	}
	ph.parameterScalesTo(scale)
	return scale
}

// neuronScalesTo sets the scales of a field's neurons from how much each of them varies over so many points.
func (ph *Physics) neuronScalesTo(scale []float64, field int, variance []float64, points int) {
	size := ph.sizes.field[field]
	spread := math.Sqrt(mat.Sum(variance) / float64(points))
	for j, v := range variance {
		if v > 0 {
			scale[j] = size / spread
		} else {
			scale[j] = levelWidth * math.Max(math.Abs(ph.sizes.level[field]), size)
		}
	}
}

// freeLevel widens the prior of the level of a field that no reading tells, to wideParameter times the
// natural size, as for a parameter: a pressure that acts by its gradient alone may be that of the
// atmosphere. The level is the last neuron, if the layer has a constant one.
func (ph *Physics) freeLevel(scale []float64, field int, variance []float64) {
	last := len(variance) - 1
	if variance[last] > 0 {
		return
	}
	scale[last] = wideParameter * ph.sizes.field[field]
	first, _ := ph.basis.FieldColumns(field)
	ph.levels = append(ph.levels, first+last)
}

// parameterScalesTo sets the scales of the parameters.
func (ph *Physics) parameterScalesTo(scale []float64) {
	for j, v := range ph.sizes.parameter {
		v *= naturalParameter
		if q := &ph.problem.Parameters[j]; q.SD > 0 {
			v = flatParameter * math.Max(q.SD, math.Abs(q.Mean))
		}
		scale[ph.basis.ParameterColumn(j)] = v
	}
}

// variances returns how much each neuron varies over the domain: its sum of squared deviations from
// the mean.
func variances(store *storage, layer *feature.Layer, domain *mat.Dense) []float64 {
	neurons, n := layer.Neurons(), domain.Rows()
	phi := store.unsetDense(n, neurons)
	layer.RowsTo(phi, domain, []feature.Term{{}})
	mean, variance := store.vector(neurons), store.vector(neurons)
	for i := range n {
		mat.Axpy(1/float64(n), phi.Row(i), mean)
	}
	for i := range n {
		d := phi.Row(i)
		mat.Axpy(-1, mean, d)
		mat.MulPolynomialTo(variance, d, d, d, nil, true)
	}
	return variance
}
