package feature

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// Of returns a layer whose neurons are functions of only some of the variables: those for
// which of is true. Its points still have all variables. The neurons are drawn afresh, as
// for Spread, with the range of slopes that l has along these variables and with its
// activation. If the last neuron of l is constant, so is the new last one. The draw
// depends on nothing but l, so a restored layer gives the same neurons. Of panics with
// mat.Error if of does not have one entry per variable, if none is true, or if neurons is
// not positive, or if l has patches.
func (l *Layer) Of(of []bool, neurons int) *Layer {
	d := len(l.center)
	if l.grid != nil {
		panic(mat.Error("feature: Of: a layer with patches has no neurons of some of the variables"))
	}
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
