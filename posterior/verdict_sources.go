package posterior

import (
	"fmt"
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// A source that is narrower than the distance of an equation's points lies between them: the equation is solved without it,
// and no other check sees that. So its known terms are evaluated at many more places.

const (
	// sourcePlaces is how many, over the domain.
	sourcePlaces = 1 << 14
	// What is sourceLarger times as large as at any point counts as unseen. A source with a pole has some of that, too, but not
	// more than unseenShare of its integral.
	sourceLarger, unseenShare = 1.5, 0.1
	sourceSeed                = 0x736f75726365
)

// sources checks whether the known terms of equations are seen at their points.
func (v *Verdict) sources(q *Posterior, p *system.Problem) {
	neurons := q.summary.Neurons
	for _, n := range q.summary.Patches {
		neurons *= n
	}
	used := p.ForNeurons(neurons)
	places, err := system.Collocation(p.Variables, p.Domain, sourcePlaces, sourceSeed)
	if err != nil {
		return
	}
	at := make([]float64, places.Rows())
	for i := range used.Equations {
		e := &used.Equations[i]
		known := e.Residual.Known
		if known == nil || !e.Spread || e.Residual.Depends(make([]float64, len(p.Coefficients))) {
			continue
		}
		seen := 0.0
		own := make([]float64, e.Points.Rows())
		for _, f := range evaluatedAt(known, own, e.Points) {
			seen = math.Max(seen, math.Abs(f))
		}
		sum, unseen := 0.0, 0.0
		for _, f := range evaluatedAt(known, at, places) {
			if f = math.Abs(f); !finite(f) {
				continue
			}
			if sum += f; f > sourceLarger*seen {
				unseen += f
			}
		}
		if sum == 0 {
			continue
		}
		name := system.Label{Kind: system.Equations, Number: i, Name: e.Name}.String()
		v.add("equation", name+", source", unseen/sum, unseenShare, fmt.Sprintf("the source of %s lies between its points: %.0f %% of it is where it is larger than at any of them. State more points, or refine", name, 100*unseen/sum))
	}
}

func evaluatedAt(f system.Function, values []float64, points *mat.Dense) []float64 {
	f.EvalTo(values, points)
	return values
}

// leastLearned is how many degrees of freedom readings must determine that also say how large the solution is.
const leastLearned = 0.5

// scale checks whether the readings determine anything where only they say how large the solution is. Where a solution grows
// fast, the first readings may be all noise: a field that varies about as much as these is then known to be next to
// nothing there, whatever they are.
func (v *Verdict) scale(p *system.Problem) {
	if !finite(v.learned) || p.Readings() == 0 || slices.ContainsFunc(p.Sizes, func(s float64) bool { return s > 0 }) {
		return
	}
	nothing := &levelState{make([]float64, len(p.Fields)), make([]float64, len(p.Parameters))}
	for _, q := range p.Parameters {
		if q.SD > 0 || q.Mean != 0 { // it may be the strength of a source
			return
		}
	}
	values := valuesAt(p, make([]float64, len(p.Coefficients)))
	for _, e := range p.Demands() {
		own, f := make([]float64, e.Points.Rows()), e.Residual.With(values)
		f.Values(own, nothing, e.Points)
		if slices.ContainsFunc(own, func(v float64) bool { return v != 0 }) {
			return
		}
	}
	v.add("readings", "size", leastLearned/math.Max(v.learned, 1e-9), 1, "the readings determine next to nothing of the solution, and nothing else says how large it is: it is taken to vary about as much as they do. State sizes, or add readings where it is large")
}
