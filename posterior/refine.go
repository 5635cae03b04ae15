package posterior

import (
	"cmp"
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// refined returns the problem with more collocation points where its equations ask for them: at
// those candidates where a first fit violates an equation most, by the posterior mean of the squared
// residual (Lu, Meng, Mao & Karniadakis, DeepXDE, 2021, with the variance added). A problem that
// asks for none is returned as it is.
func refined(p *system.Problem, c Config) (*system.Problem, error) {
	if !slices.ContainsFunc(p.Equations, func(e system.Demand) bool { return e.Refine > 0 }) {
		return p, nil
	}
	more := *p
	more.Equations = slices.Clone(p.Equations)
	for i := range more.Equations {
		more.Equations[i].Refine, more.Equations[i].Candidates = 0, nil
	}
	q, err := Fit(&more, c)
	if err != nil {
		return nil, err
	}
	kept := c.enough(p, q.summary.Neurons) // spare points that were not needed stay out
	for i := range p.Equations {
		e := &kept.Equations[i]
		if e.Refine == 0 {
			continue
		}
		mean, sd, err := q.Predict(e.Residual, e.Candidates)
		if err != nil {
			return nil, err
		}
		worst := make([]float64, len(mean))
		for k, m := range mean {
			worst[k] = m * m
			if sd != nil {
				worst[k] = mat.FMA(m, m, float64(sd[k]*sd[k]))
			}
		}
		chosen := apartByRank(p.Variables, e.Candidates, worst, e.Refine)
		n, d := e.Points.Dims()
		points := mat.NewDense(n+len(chosen), d, nil)
		points.Slice(0, n, 0, d).CopyFrom(e.Points)
		for k, row := range chosen {
			copy(points.Row(n+k), e.Candidates.Row(row))
		}
		more.Equations[i].Points, more.Equations[i].Spare, more.Equations[i].Spread = points, false, false
	}
	return &more, nil
}

// apartByRank returns n rows of candidates, in order: those with the largest values, no two of them
// closer than half the distance of that many evenly spread points. Where these run out, the rest
// follow by rank.
func apartByRank(variables []system.Variable, candidates *mat.Dense, values []float64, n int) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	d := float64(len(variables))
	nearest := 0.5 * mat.Exp(-mat.Log(float64(n))/d)
	var chosen, others []int
	for _, row := range order {
		if len(chosen) == n {
			break
		}
		crowded := slices.ContainsFunc(chosen, func(other int) bool {
			sum := 0.0
			for i, v := range variables {
				side := v.Apart(candidates.At(row, i), candidates.At(other, i))
				sum += float64(side * side)
			}
			return math.Sqrt(sum) < nearest
		})
		if crowded {
			others = append(others, row)
			continue
		}
		chosen = append(chosen, row)
	}
	for _, row := range others[:min(len(others), n-len(chosen))] {
		chosen = append(chosen, row)
	}
	slices.SortStableFunc(chosen, cmp.Compare)
	return chosen
}

// withPointsOf is a problem with the collocation points of another, to which points have been added.
func withPointsOf(p, more *system.Problem) *system.Problem {
	q := *p
	q.Equations = slices.Clone(p.Equations)
	for i := range q.Equations {
		e, from := &q.Equations[i], &more.Equations[i]
		e.Points, e.Spare, e.Spread, e.Refine, e.Candidates = from.Points, from.Spare, from.Spread, 0, nil
	}
	return &q
}
