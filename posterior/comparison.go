package posterior

import (
	"math"

	"github.com/bpielm/bpielm/mat"
)

// The evidence has a term for what the equations leave open: with K the covariance of the readings under the equations, in units of
// their noise, 1/2 log|I + K|. How much is open differs between coefficients, and so does how much of it a layer of a given steepness
// contains. That says nothing about the readings, but it may be ten nats, and coefficients that the readings exclude have been
// preferred for it. There are two ways to make evidences at different coefficients comparable:
//
//   - to believe the term, but to charge layers for what they lack, see homogeneous.go. That is right if the amount of what is open
//     is of the amplitude's order.
//   - to give it back, and to take the degrees of freedom that the readings have instead, see refund.go. That is right if nothing is
//     known of the amount.
//
// Each has been sure of a wrong value where the other was right. So they are two models, each as probable as the other before and,
// at its most probable coefficients, after the readings. The density of coefficients is the sum of both.

// rated are log densities of the same coefficients, by each of the two models.
type rated [2]float64

// ratedSpot is a point with its log densities, without the prior of z.
type ratedSpot struct {
	z     []float64
	rated rated
}

var impossible = rated{math.Inf(-1), math.Inf(-1)}

// rated is without the prior of coefficients.
func (t *tried) rated() rated { return rated{t.score, t.score + t.lacks + t.refund} }

// plus adds to both.
func (r rated) plus(log float64) rated { return rated{r[0] + log, r[1] + log} }

// higher returns the higher one for each model.
func (r rated) higher(other rated) rated {
	return rated{math.Max(r[0], other[0]), math.Max(r[1], other[1])}
}

// back is what the second model gives back.
func (r rated) back() float64 { return r[1] - r[0] }

// together is the log density of both models, which have the given tops.
func (r rated) together(tops rated) float64 {
	a, b := r[0]-tops[0], r[1]-tops[1]
	if a == b || math.IsInf(r[0], -1) { // as where nothing is compared
		return r[0]
	}
	return tops[0] + logSumExp([]float64{a, b}) - math.Ln2
}

// topsOf returns the tops of a list.
func topsOf(list []solution) rated {
	tops := impossible
	for i := range list {
		tops = tops.higher(list[i].rated)
	}
	return tops
}

// meanOf is the mean of something over layers.
func meanOf(list []*tried, of func(t *tried) float64) float64 {
	logs := logWeights(list)
	total, sum := logSumExp(logs), 0.0
	for i, t := range list {
		sum += float64(mat.Exp(logs[i]-total) * of(t))
	}
	return sum
}
