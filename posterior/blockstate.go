package posterior

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// weightsOf returns the only component of a posterior of which a state is the mean, of a layer with patches; nil where it is
// another state.
func weightsOf(state system.State) *component {
	if s, ok := state.(meanState); ok && len(s.q.components) == 1 && s.q.components[0].blocks != nil {
		return &s.q.components[0]
	}
	return nil
}

// sameLayer tells whether two components have the same neurons.
func (c *component) sameLayer(other *component) bool {
	return c.site != nil && other.site != nil && c.site.key() == other.site.key() && c.layer.Neurons == other.layer.Neurons && slices.EqualFunc(c.layer.Edges, other.layer.Edges, slices.Equal)
}

// betweenWeights is a state between two of the same layer with patches; nil for other states.
func betweenWeights(from, to system.State, share float64) system.State {
	a, b := weightsOf(from), weightsOf(to)
	if a == nil || b == nil || !a.sameLayer(b) {
		return nil
	}
	q := *to.(meanState).q
	c := *b
	c.mean = along(a.mean, b.mean, share)
	q.components = []component{c}
	return meanState{&q}
}

// penaltyOf is what the prior of a posterior of a layer with patches takes off the log density of a state of the same layer, twice:
// the sum of squares of the weights in units of their prior standard deviations.
func penaltyOf(state system.State, q *Posterior) (penalty float64, ok bool) {
	a, b := weightsOf(state), weightsOf(meanState{q})
	if a == nil || b == nil || !a.sameLayer(b) {
		return 0, false
	}
	w := make([]float64, b.blocks.order.weights)
	for i := range w {
		w[i] = a.mean[i] / b.blocks.scale[i]
	}
	norm := mat.Nrm2(w) / q.summary.Amplitude
	return math.Min(norm*norm, math.MaxFloat64), true
}
