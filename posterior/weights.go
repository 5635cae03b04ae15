package posterior

import (
	"cmp"
	"math"
	"slices"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
)

// The weights of layers in a mixture. The integral over scales is a sum over the sites that were
// evaluated, each of which represents the part of the prior that is nearest to it. Where readings
// say little about the scales the evidence is flat, and many sites have a small weight each. The
// best few are then similar, so the few that are mixed are chosen to represent all.

// temper divides log evidences before layers are weighed. The solution was not drawn from a finite
// random layer, and the gain of one layer over another is partly luck with these readings: of three
// nats one is believed. (Likelihoods of models known to be approximate are raised to powers below
// one; Miller & Dunson, Robust Bayesian inference via coarsening, JASA 114, 2019.)
const temper = 3

// priorPoints is how many points sample the prior of scales; manyPriorPoints in three and more
// variables.
const priorPoints, manyPriorPoints = 2000, 16000

// logWeights are the logarithms of layers' weights: the share of the prior that a layer represents
// times its tempered evidence. The draws of a site share their average equally: the gain of one draw
// over another is luck.
func logWeights(list []*tried) []float64 {
	draws, places := map[string][]float64{}, map[string]int{}
	var sites []*tried
	for _, t := range list {
		key := t.commonKey()
		if draws[key] == nil {
			places[key] = len(sites)
			sites = append(sites, t)
		}
		draws[key] = append(draws[key], (t.score-t.logPrior())/temper)
	}
	shares := logShares(sites)
	weights := make([]float64, len(list))
	for i, t := range list {
		key := t.commonKey()
		// an equal share of the mean of the draws
		weights[i] = shares[places[key]] + logSumExp(draws[key]) - 2*mat.Log(float64(len(draws[key])))
	}
	return weights
}

// logShares are the logarithms of the part of the tempered prior that each site represents: its
// integral over the scales nearer to this site than to others of its activation, by quasi-Monte
// Carlo. A turned site represents the octave around it, and so does one that no point is nearest to,
// which is the rule in four variables. Where scales are given there is nothing to share.
func logShares(sites []*tried) []float64 {
	d := len(sites[0].octaves)
	if d == 0 {
		return make([]float64, len(sites))
	}
	shares := make([]float64, len(sites))
	charts := map[feature.Activation][]int{}
	for i, t := range sites {
		if t.turn == 0 {
			charts[t.activation] = append(charts[t.activation], i)
		}
	}
	n := priorPoints
	if d > 2 {
		n = manyPriorPoints
	}
	volume := 1 / float64(n)
	for range d {
		volume *= highestOctave - lowestOctave
	}
	points, x := feature.NewHalton(d, 1), make([]float64, d)
	for range n {
		points.NextTo(x)
		for k := range x {
			x[k] = lowestOctave + float64((highestOctave-lowestOctave)*x[k])
		}
		density := mat.Exp(logScalePrior(x) / temper)
		for _, chart := range charts {
			nearest := slices.MinFunc(chart, func(a, b int) int {
				return cmp.Compare(squaredDistance(sites[a].octaves, x), squaredDistance(sites[b].octaves, x))
			})
			shares[nearest] += float64(volume * density)
		}
	}
	for i, v := range shares {
		if shares[i] = sites[i].logShare(); v > 0 {
			shares[i] = mat.Log(v)
		}
	}
	return shares
}

func squaredDistance(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += float64((v - b[i]) * (v - b[i]))
	}
	return sum
}

// apart is a distance between layers: the octaves between them, plus one each for a different
// activation, turn or draw.
func (t *site) apart(o *site) float64 {
	distance := math.Sqrt(squaredDistance(t.octaves, o.octaves))
	for _, other := range []bool{t.activation != o.activation, t.turn != o.turn, t.draw != o.draw} {
		if other {
			distance++
		}
	}
	return distance
}

// representatives chooses at most the given number of layers from a list, which is not empty and has
// the best first, to represent all of it. It returns them, heaviest first, with the logarithms of
// their weights: each gets the weight of all layers that are nearest to it. A single representative
// is the best layer.
func representatives(list []*tried, most int) (chosen []*tried, logs []float64) {
	if most == 1 {
		return list[:1], []float64{0}
	}
	weights := logWeights(list)
	top := slices.Max(weights)
	for i, w := range weights {
		weights[i] = mat.Exp(w - top)
	}
	chosen, sums := represented(list, weights, most)
	for _, w := range sums {
		logs = append(logs, mat.Log(w))
	}
	return chosen, logs
}

// represented does so for a list in any order, with weights that sum to anything. It returns weights, not
// their logarithms.
func represented(list []*tried, weights []float64, most int) (chosen []*tried, sums []float64) {
	// The next choice has the largest product of weight and distance from those already chosen.
	var picked []*tried
	apart, like := slices.Repeat([]float64{math.Inf(1)}, len(list)), make([]int, len(list))
	next := slices.Index(weights, slices.Max(weights))
	for len(picked) < min(most, len(list)) {
		for i, t := range list {
			if d := t.apart(&list[next].site); d < apart[i] {
				apart[i], like[i] = d, len(picked)
			}
		}
		picked = append(picked, list[next])
		for i := range list {
			if weights[i]*apart[i] > weights[next]*apart[next] {
				next = i
			}
		}
		if apart[next] == 0 {
			break
		}
	}
	each := make([]float64, len(picked))
	for i, k := range like {
		each[k] += weights[i]
	}
	order := make([]int, len(picked))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(each[b], each[a]) })
	for _, k := range order {
		if each[k] >= negligibleComponent*each[order[0]] {
			chosen, sums = append(chosen, picked[k]), append(sums, each[k])
		}
	}
	return chosen, sums
}
