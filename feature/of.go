package feature

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// Of returns a layer of so many neurons that are functions of some of the variables alone,
// those for which of is true: its points have all variables. The neurons are drawn anew, as
// Spread does, with the range of slopes that l has along these variables and with its activation;
// the last one is 1 everywhere where that of l is. They depend on nothing but l, so that
// a stored layer gives the same ones again. It panics with mat.Error where of has not one
// entry for each variable, or none that is true, or neurons is not positive.
func (l *Layer) Of(of []bool, neurons int) *Layer {
	d := len(l.center)
	if len(of) != d || !slices.Contains(of, true) || neurons < 1 {
		panic(mat.Error("feature: Of: one entry for each variable is needed, one of them true, and at least one neuron"))
	}
	m := &Layer{
		center: l.center, half: l.half, log: l.log, activation: l.activation,
		scale: make([]float64, d), slopes: mat.NewDense(neurons, d, nil), bias: make([]float64, neurons),
	}
	var some []int
	for v, yes := range of {
		if yes {
			some = append(some, v)
			m.scale[v] = l.scale[v]
		}
	}
	drawn, last := neurons, len(l.bias)-1
	if !slices.ContainsFunc(l.slopes.Row(last), func(a float64) bool { return a != 0 }) {
		drawn--
		m.bias[drawn] = l.bias[last]
	}
	k := len(some)
	sequence := NewHalton(2*k, math.Float64bits(l.bias[0]))
	p, slope, zero := make([]float64, 2*k), make([]float64, d), make([]float64, d)
	for j := range drawn {
		sequence.NextTo(p)
		for i, v := range some {
			slope[v], zero[v] = p[i], p[k+i]
		}
		m.place(j, slope, zero, nil)
	}
	return m.finish()
}
