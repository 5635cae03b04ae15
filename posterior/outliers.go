package posterior

import (
	"cmp"
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Readings with Student's noise are Gaussian given a weight each,
//
//	y ~ N( f, s^2 / l ),   l ~ Gamma(nu/2, nu/2),   f = h w.
//
// A reading must not be judged by a solution that it has attracted. The prediction of f by all
// others is N(m, v): the posterior with the reading's own Gaussian divided out (its cavity). The
// cavity and the reading give the density of l, and with it the mean gain g = v / (v + s^2/l) by
// which the reading moves f. Its weight is the one that gives a Gaussian reading the mean gain,
//
//	(s^2/v) E[g] / (1 - E[g]),
//
// which is E[l] where the others fix f [expectation propagation, with the means of its sites held at
// the readings; Jylanki, Vanhatalo & Vehtari, Robust Gaussian process regression with a Student-t
// likelihood, JMLR 12, 2011]. Where the scale is stated, all weights are then multiplied by one
// factor, so that their total information is that of the variances 1 - E[g] + Var(g) (y-m)^2 / v,
// which account for the uncertainty of the weights. The degrees of freedom nu are those of a short
// list under which the readings, given all others, are most probable.

// studentFreedoms are the degrees of freedom that are tried, with log Gamma(nu/2).
var studentFreedoms = []struct{ nu, logGamma float64 }{
	{1, 0.5723649429247001},
	{2, 0},
	{3, -0.12078223763524522},
	{4, 0},
	{6, 0.6931471805599453},
	{10, 3.1780538303479458},
	{20, 12.801827480081469},
	{50, 54.78472939811232},
}

const (
	// weightRounds bounds the rounds that settle weights and a single layer; they end when no weight
	// changes by more than weightsSettled.
	weightRounds = 20
	// reclimbs is how often the search for layers is repeated before.
	reclimbs       = 3
	weightsSettled = 0.05
)

// robust tells whether some readings have Student's noise.
func (f *frame) robust() bool {
	return slices.ContainsFunc(f.problem.Sensors, func(s system.Sensors) bool { return s.Student })
}

// sensors returns the problem's sensors. Until readings have weights, the noise of those with
// Student's noise is learned: outliers would otherwise decide everything.
func (f *frame) sensors() []system.Sensors {
	if f.weights != nil || !f.robust() {
		return f.problem.Sensors
	}
	list := slices.Clone(f.problem.Sensors)
	for i := range list {
		if list[i].Student {
			list[i].Sigma = nil
		}
	}
	return list
}

// reweigh sets the weights of readings that a posterior suggests, and returns the largest relative
// change of one.
func (f *frame) reweigh(q *Posterior) (change float64, err error) {
	weights := make([][]float64, len(f.problem.Sensors))
	group, fits := 0, 0.0
	for i := range f.problem.Sensors {
		s := &f.problem.Sensors[i]
		if len(s.Values) == 0 {
			continue
		}
		noise := q.summary.Noise[group].Sigma
		group++
		weights[i] = slices.Repeat([]float64{1}, len(s.Values))
		if !s.Student {
			continue
		}
		mean, sd, err := q.Predict(s.Measures, s.Points)
		if err != nil {
			return 0, err
		}
		before := slices.Repeat([]float64{1}, len(mean))
		if f.weights != nil {
			before = f.weights[i]
		}
		left := make([]cavity, len(mean))
		for k, m := range mean {
			sigma := noise
			if len(s.Sigma) > 0 {
				sigma = s.Sigma[min(k, len(s.Sigma)-1)]
			}
			used := sigma
			if f.weights == nil { // see sensors
				used = noise
			}
			left[k] = leftOut(s.Values[k]-m, float64(sd[k]*sd[k]), float64(used*used)/before[k], sigma)
		}
		var log float64
		weights[i], log = studentWeights(left, s.Freedom, len(s.Sigma) > 0)
		fits += log
		for k, w := range weights[i] {
			change = math.Max(change, math.Abs(w-before[k])/math.Max(w, before[k]))
		}
		worstFirst(weights[i], before)
	}
	f.weights, f.fits = weights, fits
	return change, nil
}

// cavity is the prediction of a reading by all others, as expectation propagation calls it: the
// squared error and the variance of the prediction, relative to that of the noise.
type cavity struct{ error2, variance float64 }

// mostLeverage bounds the share of a reading in its own prediction.
const mostLeverage = 0.99

// leftOut divides a reading with error d and the given noise variance out of the posterior; the
// result is relative to sigma.
func leftOut(d, variance, noise, sigma float64) cavity {
	rest := 1 - math.Min(variance/noise, mostLeverage)
	d /= rest * sigma
	return cavity{float64(d * d), variance / float64(rest*float64(sigma*sigma))}
}

// studentWeights returns the weights of readings, and the sum of the log densities of each given all
// others. A freedom of 0 is learned. Where the scale is stated, the weights are scaled to the
// information that there is.
func studentWeights(left []cavity, freedom float64, stated bool) (weights []float64, log float64) {
	var best []weighed
	at := math.Inf(-1)
	for _, f := range studentFreedoms {
		if freedom > 0 {
			f.nu, f.logGamma = freedom, 0 // no comparison
		}
		list, log := make([]weighed, len(left)), 0.0
		for k, r := range left {
			list[k] = weighReading(r, f.nu, f.logGamma)
			log += list[k].log
		}
		if best == nil || log > at {
			best, at = list, log
		}
		if freedom > 0 {
			break
		}
	}
	share, sum, information := 1.0, 0.0, 0.0
	for _, w := range best {
		sum += w.weight
		information += w.information
	}
	if stated {
		share = math.Max(leastInformation, math.Min(information/sum, 1))
	}
	weights = make([]float64, len(left))
	for k, w := range best {
		weights[k] = share * w.weight
	}
	return weights, at
}

// leastInformation is the mean share of the weights that is information with one degree of freedom:
// (nu + 1) / (nu + 3).
const leastInformation = 0.5

// weighed is what a reading counts for: its weight, its information, and its log density given all
// others.
type weighed struct{ weight, information, log float64 }

// Log l is integrated in steps of this many of its prior standard deviations, from logWeightBelow
// below the value that the error suggests to logWeightUp above the prior mean.
const (
	logWeightStep               = 0.6
	logWeightBelow, logWeightUp = 10, 6
)

// weighReading integrates over the weight of a reading.
func weighReading(r cavity, nu, logGamma float64) weighed {
	unit := math.Sqrt(2 / (nu + 1))
	low := mat.Log((nu+1)/(nu+r.error2)) - float64(logWeightBelow*unit)
	high := float64(logWeightUp * unit)
	step := float64(logWeightStep * unit)
	half := 0.5 * nu
	constant := float64(half*mat.Log(half)) - logGamma - float64(0.5*log2Pi) + mat.Log(step)
	top := math.Inf(-1)
	var sum, gain, gain2 float64
	for x := low; x <= high; x += step {
		l := mat.Exp(x)
		v := r.variance + 1/l
		log := constant + float64(half*(x-l)) - float64(0.5*(mat.Log(v)+r.error2/v))
		if log > top {
			scale := mat.Exp(top - log) // 0 at first
			sum, gain, gain2, top = sum*scale, gain*scale, gain2*scale, log
		}
		p, g := mat.Exp(log-top), 1/v // gain over variance
		sum += p
		gain += float64(p * g)
		gain2 += float64(float64(p*g) * g)
	}
	gain /= sum
	spread := math.Max(gain2/sum-float64(gain*gain), 0)
	less := gain - float64(spread*r.error2)
	return weighed{
		weight:      gain / (1 - float64(r.variance*gain)),
		information: less / (1 - float64(r.variance*less)),
		log:         top + mat.Log(sum),
	}
}

const (
	// A reading is given up when its weight falls below this share of what it was,
	givenUp = 0.7
	// and at most one in atATime at a time.
	atATime = 20
)

// worstFirst lets only the worst few weights fall far at a time: one gross error makes everything
// around it look wrong.
func worstFirst(weights, before []float64) {
	var falling []int
	for k, w := range weights {
		if w < givenUp*before[k] {
			falling = append(falling, k)
		}
	}
	slices.SortStableFunc(falling, func(a, b int) int { return cmp.Compare(weights[a]/before[a], weights[b]/before[b]) })
	for i, k := range falling {
		if i > len(weights)/atATime {
			weights[k] = before[k]
		}
	}
}

// plainWeights gives all readings weight 1, with their stated noise.
func (f *frame) plainWeights() {
	f.weights = make([][]float64, len(f.problem.Sensors))
	for i := range f.weights {
		f.weights[i] = slices.Repeat([]float64{1}, len(f.problem.Sensors[i].Values))
	}
}

// statedRobust tells whether some readings have Student's noise of a stated scale.
func (f *frame) statedRobust() bool {
	return slices.ContainsFunc(f.problem.Sensors, func(s system.Sensors) bool { return s.Student && len(s.Sigma) > 0 })
}

// settleWeights alternates between the weights of readings and the best layer of a search, and
// returns the posterior of that layer.
func (s *search) settleWeights(q *Posterior) (*Posterior, error) {
	if !s.robust() {
		return q, nil
	}
	for range weightRounds {
		change, err := s.reweigh(q)
		if err != nil {
			return nil, err
		}
		s.forget()
		if q, err = s.posterior(1); err != nil {
			return nil, err
		}
		if change < weightsSettled {
			break
		}
	}
	return q, nil
}
