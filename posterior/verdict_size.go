package posterior

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/system"
)

// leastLearned is how many degrees of freedom readings must determine that also say how large the solution is: one amplitude, at
// least by half. noneLearned stands for less, so that the check has a finite value.
const leastLearned, noneLearned = 0.5, 1e-9

// size checks whether the readings determine anything where only they say how large the solution is. Where a solution grows
// fast, the first readings may be all noise: a field that varies about as much as these is then known to be next to
// nothing there, whatever they are.
func (v *Verdict) size(p *system.Problem) {
	if !finite(v.learned) || p.Readings() == 0 || slices.ContainsFunc(p.Sizes, func(s float64) bool { return s > 0 }) {
		return
	}
	for _, q := range p.Parameters {
		if q.SD > 0 || q.Mean != 0 { // it may be the strength of a source
			return
		}
	}
	// A residual that is not 0 where all fields and parameters are has a size of its own.
	nothing := &levelState{make([]float64, len(p.Fields)), make([]float64, len(p.Parameters))}
	values := valuesAt(p, make([]float64, len(p.Coefficients)))
	for _, e := range p.Demands() {
		own, f := make([]float64, e.Points.Rows()), e.Residual.With(values)
		f.Values(own, nothing, e.Points)
		if slices.ContainsFunc(own, func(v float64) bool { return v != 0 }) {
			return
		}
	}
	v.add("readings", "size", leastLearned/math.Max(v.learned, noneLearned), 1, "the readings determine next to nothing of the solution, and nothing else says how large it is: it is taken to vary about as much as they do. State sizes, or add readings where it is large")
}
