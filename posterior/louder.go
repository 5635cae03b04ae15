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
	first := len(u.nodes)
	add := func(logA, logFactor, log float64) {
		u.factors = append(u.factors, abscissa{x: logFactor, log: log})
		u.nodes = append(u.nodes, node{amplitude: mat.Exp(logA), logWeight: log + mat.Log(misstated), louder: true})
	}
	if a.single {
		for t := 0.5 * factorStep; t < 3*factorSD; t += factorStep {
			quadratic, logDet := u.s.dataOnly(mat.Exp(2 * (a.logA - t)))
			add(a.logA, t, u.louder(quadratic, logDet, t)+a.logPrior(a.logA)+mat.Log(factorStep))
		}
	} else {
		u.quadrature(lowestLogA, highestLogA, func(logRatio float64) float64 { return u.overFactor(logRatio, a, nil) })
		for _, p := range u.places {
			u.overFactor(p.x, a, func(t, log float64) { add(t+p.x, t, log+p.logStep) })
		}
	}
	u.alternatives = alternatives{right - mat.Log(1-misstated), math.Inf(-1), 0}
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
	louder := u.logLouder + mat.Log(misstated)
	if !(louder > right-negligibleNode) {
		u.nodes = u.nodes[:first]
		return right
	}
	noise := make([]float64, len(u.factors)*len(u.groups))
	for i, f := range u.factors {
		own := noise[i*len(u.groups) : (i+1)*len(u.groups)]
		for g := range own {
			own[g] = mat.Exp(f.x)
		}
		u.nodes[first+i].noise = own
	}
	return logSumExp([]float64{right, louder})
}

// louder is the log evidence with exp(t) times the stated noise, the prior of t included. quadratic and logDet are those of
// the readings at the ratio of amplitude to noise.
func (u *underPhysics) louder(quadratic, logDet, t float64) float64 {
	z := t / factorSD
	return u.s.constant - float64(0.5*(float64(quadratic*mat.Exp(-2*t))+logDet)) - float64(float64(u.readings)*t) - float64(0.5*(float64(z*z)+log2Pi)) + ln2 - logFactorSD
}

// overFactor integrates louder over t > 0 at one ratio of amplitude to noise. Every value is passed
// to each, unless that is nil.
func (u *underPhysics) overFactor(logRatio float64, a amplitudes, each func(t, log float64)) float64 {
	n := float64(u.readings)
	quadratic, logDet := u.s.dataOnly(mat.Exp(2 * logRatio))
	// The mode of -q exp(-2t)/2 - n t - t^2 / (2 sd^2) lies near that of the likelihood.
	centre := math.Max(float64(0.5*mat.Log(math.Max(quadratic/n, math.SmallestNonzeroFloat64))), 0)
	step := 2 * noiseReach / (noiseNodes - 1) / math.Sqrt(2*n)
	logStep := mat.Log(step)
	var logs [noiseNodes]float64
	for i := range logs {
		t := centre + float64(float64(i-noiseNodes/2)*step)
		if t <= 0 {
			logs[i] = math.Inf(-1)
			continue
		}
		logs[i] = u.louder(quadratic, logDet, t) + a.logPrior(t+logRatio) + logStep
		if each != nil {
			each(t, logs[i])
		}
	}
	return logSumExp(logs[:])
}
