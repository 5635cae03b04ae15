package posterior

import (
	"cmp"
	"math"
	"slices"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
)

// What layers weigh in a mixture. The integral over scales is a sum over the sites that were
// tried, each of which stands for the part of the prior that is nearer to it than to others.
// Where readings say little of the scales the evidence is flat, and many sites weigh a
// little each: no few of them are the best, so the few that are mixed are chosen to
// stand for all.

// temper divides log evidences before layers are weighed. A finite random layer is not
// what the solution was drawn from, and what one gains over another is partly luck with
// these readings: of three nats one is believed. (Likelihoods of models that are known to
// be approximate are raised to powers below one; Miller & Dunson, Robust Bayesian
// inference via coarsening, JASA 114, 2019.)
const temper = 3

// priorPoints is how many points share the prior out.
const priorPoints = 2000

// logWeights are the logarithms of layers' weights: of the share of the prior that each
// stands for, times its tempered evidence. The draws of a site share equally what they
// have on average: what one draw gains over another is luck.
func logWeights(list []*tried) []float64 {
	draws, places := map[string][]float64{}, map[string]int{}
	var sites []*tried
	for _, t := range list {
		key := t.drawn(0).key()
		if draws[key] == nil {
			places[key] = len(sites)
			sites = append(sites, t)
		}
		draws[key] = append(draws[key], (t.score-logScalePrior(t.octaves))/temper)
	}
	shares := logShares(sites)
	weights := make([]float64, len(list))
	for i, t := range list {
		key := t.drawn(0).key()
		// of the mean, a part for each
		weights[i] = shares[places[key]] + logSumExp(draws[key]) - 2*mat.Log(float64(len(draws[key])))
	}
	return weights
}

// logShares are the logarithms of what sites stand for of the prior of scales, tempered: of its
// integral over the points that are nearer to a site than to others of its activation. A
// turned site stands for the octave around it. Where scales are held there is nothing to share.
func logShares(sites []*tried) []float64 {
	d := len(sites[0].octaves)
	if d == 0 {
		return make([]float64, len(sites))
	}
	shares := make([]float64, len(sites))
	charts := map[feature.Activation][]int{}
	for i, t := range sites {
		if t.turn != 0 {
			shares[i] = mat.Exp(logScalePrior(t.octaves) / temper)
			continue
		}
		charts[t.activation] = append(charts[t.activation], i)
	}
	volume := 1.0 / priorPoints
	for range d {
		volume *= highestOctave - lowestOctave
	}
	points, x := feature.NewHalton(d, 1), make([]float64, d)
	for range priorPoints {
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
		shares[i] = mat.Log(v) // of none: no weight
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

// apart is how unlike two layers are: how many octaves lie between them, and one for
// another activation, turn or draw.
func (t *site) apart(o *site) float64 {
	distance := math.Sqrt(squaredDistance(t.octaves, o.octaves))
	for _, other := range []bool{t.activation != o.activation, t.turn != o.turn, t.draw != o.draw} {
		if other {
			distance++
		}
	}
	return distance
}

// representatives chooses at most so many layers of a list, best first, to stand for all, heaviest first, and
// returns the logarithms of their weights: each has that of the layers which are more like it than like
// the others. One layer is the best.
func representatives(list []*tried, most int) (chosen []*tried, logs []float64) {
	if most == 1 {
		return list[:1], []float64{0}
	}
	weights := logWeights(list)
	top := slices.Max(weights)
	for i, w := range weights {
		weights[i] = mat.Exp(w - top)
	}
	// The next to be chosen is the heaviest times its distance from those that are.
	apart, like := slices.Repeat([]float64{math.Inf(1)}, len(list)), make([]int, len(list))
	next := slices.Index(weights, 1)
	for len(chosen) < min(most, len(list)) {
		for i, t := range list {
			if d := t.apart(&list[next].site); d < apart[i] {
				apart[i], like[i] = d, len(chosen)
			}
		}
		chosen = append(chosen, list[next])
		for i := range list {
			if weights[i]*apart[i] > weights[next]*apart[next] {
				next = i
			}
		}
		if apart[next] == 0 {
			break
		}
	}
	sums := make([]float64, len(chosen))
	for i, k := range like {
		sums[k] += weights[i]
	}
	order := make([]int, len(chosen))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sums[b], sums[a]) })
	all := chosen
	chosen = nil
	for _, k := range order {
		if sums[k] >= negligibleComponent*sums[order[0]] {
			chosen, logs = append(chosen, all[k]), append(logs, mat.Log(sums[k]))
		}
	}
	return chosen, logs
}
