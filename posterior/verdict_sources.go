package posterior

import (
	"fmt"
	"math"

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

// sources checks whether the known terms of equations are seen at their points, and sources of unknown strength. Coefficients
// have their medians.
func (v *Verdict) sources(q *Posterior, p *system.Problem) {
	c := Config{Patches: q.summary.Patches, edges: q.summary.PatchEdges}
	used := c.enough(p, q.summary.Neurons)
	places, err := system.Collocation(p.Variables, p.Domain, sourcePlaces, sourceSeed)
	if err != nil {
		return
	}
	estimates := q.Parameters()
	var medians []float64
	for _, e := range estimates[len(estimates)-len(p.Coefficients):] {
		medians = append(medians, e.Median)
	}
	used = used.With(medians)
	for i := range used.Equations {
		e := &used.Equations[i]
		if !e.Spread {
			continue
		}
		share := unseen(e, e.Residual.Known, places)
		for _, t := range e.Residual.Parameters {
			share = math.Max(share, unseen(e, t.Coefficient, places))
		}
		name := system.Label{Kind: system.Equations, Number: i, Name: e.Name}.String()
		v.add("equation", name+", source", share, unseenShare, fmt.Sprintf("the source of %s lies between its points: %.0f %% of it is where it is larger than at any of them. State more points", name, 100*share))
	}
}

// unseen is the share of a source that is where it is larger than at any point of the equation; 0 of nil.
func unseen(e *system.Demand, source system.Function, places *mat.Dense) float64 {
	if source == nil {
		return 0
	}
	seen := largest(evaluatedAt(source, e.Points))
	if e.Refine > 0 { // where a source is missed is where candidates are chosen
		seen = math.Max(seen, largest(evaluatedAt(source, e.Candidates)))
	}
	sum, missed := 0.0, 0.0
	for _, f := range evaluatedAt(source, places) {
		if f = math.Abs(f); !finite(f) {
			continue
		}
		if sum += f; f > sourceLarger*seen {
			missed += f
		}
	}
	if sum == 0 {
		return 0
	}
	return missed / sum
}

func evaluatedAt(f system.Function, points *mat.Dense) []float64 {
	values := make([]float64, points.Rows())
	f.EvalTo(values, points)
	return values
}

// largest is the largest magnitude, 0 of none.
func largest(x []float64) float64 {
	most := 0.0
	for _, v := range x {
		most = math.Max(most, math.Abs(v))
	}
	return most
}
