package posterior

import (
	"math"

	"github.com/bpielm/bpielm/mat"
)

// Stated noise is too small with probability misstated: sensor positions are imprecise, models leave
// something out, and data sheets are optimistic. The logarithm of the factor is then half-normal
// with standard deviation factorSD: a factor of up to three in 95 %. Without this, a layer that
// cannot follow the readings would be as certain as one that can.
const (
	misstated = 0.1
	factorSD  = 0.56
	// factorStep is the step of the log factor where the amplitude is fixed.
	factorStep = 0.2
)

// alternatives are log integrals at one slack, over the states in which stated noise is right and in
// which it is too small, without the prior probabilities of these; and the mean log factor in the
// latter. NaN where they do not apply.
type alternatives struct{ logRight, logLouder, logFactor float64 }

// addLouder adds the nodes with too small stated noise to those with the stated noise, whose log
// weight is right in total, and returns the log of the total weight.
func (u *underPhysics) addLouder(a amplitudes, right float64) float64 {
	u.factors = u.factors[:0]
	first, f := len(u.nodes), &u.fan
	add := func(amplitude, logFactor, factor, log float64) {
		u.factors = append(u.factors, abscissa{x: logFactor, exp: factor, log: log})
		u.nodes = append(u.nodes, node{amplitude: amplitude, logWeight: log + logMisstated, louder: true})
	}
	if a.single {
		amplitude, prior := mat.Exp(a.logA), a.logPrior(a.logA)+mat.Log(factorStep)
		for t := 0.5 * factorStep; t < 3*factorSD; t += factorStep {
			factor := mat.Exp(t)
			quadratic, logDet := u.s.dataOnly(float64(amplitude/factor) * float64(amplitude/factor))
			add(amplitude, t, factor, u.louder(quadratic, logDet, t, factor)+prior)
		}
	} else {
		u.quadrature(lowestLogA, highestLogA, func(logRatio, ratio float64) float64 { return u.overFactor(logRatio, ratio, a) })
		for _, p := range u.places {
			u.overFactor(p.x, p.exp, a)
			for i := range f.count {
				if f.x[i] > 0 {
					add(float64(p.exp*f.level[i]), f.x[i], f.level[i], f.log(i)+p.logStep)
				}
			}
		}
	}
	u.alternatives = alternatives{right - logStated, math.Inf(-1), 0}
	for _, f := range u.factors {
		u.logLouder = math.Max(u.logLouder, f.log)
	}
	sum := 0.0
	for _, f := range u.factors {
		w := mat.Exp(f.log - u.logLouder)
		sum += w
		u.logFactor += float64(w * f.x)
	}
	if !(sum > 0) {
		u.nodes, u.logLouder = u.nodes[:first], math.Inf(-1)
		return right
	}
	u.logLouder += mat.Log(sum)
	u.logFactor /= sum
	louder := u.logLouder + logMisstated
	if !(louder > right-negligibleNode) {
		u.nodes = u.nodes[:first]
		return right
	}
	noise := make([]float64, len(u.factors)*len(u.groups))
	for i, f := range u.factors {
		own := noise[i*len(u.groups) : (i+1)*len(u.groups)]
		for g := range own {
			own[g] = f.exp
		}
		u.nodes[first+i].noise = own
	}
	return logSumExp([]float64{right, louder})
}

// louder is the log evidence with the factor exp(t) times the stated noise, the prior of t included. quadratic and logDet are
// those of the readings at the ratio of amplitude to noise.
func (u *underPhysics) louder(quadratic, logDet, t, factor float64) float64 {
	z := t / factorSD
	return u.s.constant - float64(0.5*(quadratic/float64(factor*factor)+logDet)) - float64(float64(u.readings)*t) - float64(0.5*(float64(z*z)+log2Pi)) + ln2 - logFactorSD
}

// overFactor integrates louder over t > 0 at one ratio of amplitude to noise. The nodes are left in u.fan.
func (u *underPhysics) overFactor(logRatio, ratio float64, a amplitudes) float64 {
	n, f := float64(u.readings), &u.fan
	quadratic, logDet := u.s.dataOnly(ratio * ratio)
	// The mode of -q exp(-2t)/2 - n t - t^2 / (2 sd^2) lies near that of the likelihood.
	f.about(math.Max(math.Sqrt(quadratic/n), 1), n)
	for i := range f.count {
		t, level := f.x[i], f.level[i]
		if f.exponent[i] = math.Inf(-1); t > 0 {
			exponent, factor := a.density(t+logRatio, float64(ratio*level))
			f.exponent[i], f.factor[i] = u.louder(quadratic, logDet, t, level)+exponent+f.logStep, factor
		}
	}
	return f.sum()
}
