package posterior

import (
	"math"

	"github.com/bpielm/bpielm/mat"
)

// Noise that is stated is too small with the probability misstated: places are off, models leave
// something out, and an instrument's sheet is optimistic. The logarithm of the factor is then
// half-normal with the standard deviation factorSD, up to three times in 95 %. A layer that cannot follow
// the readings would otherwise be as sure as one that can.
const (
	misstated = 0.1
	factorSD  = 0.56
	// factorStep is that of the logarithm of the factor where the amplitude is held.
	factorStep = 0.2
)

// alternatives are the logarithms of the integrals of one slack over the states in which stated noise is
// right and in which it is too small, without what is probable beforehand, and the mean logarithm
// of the factor in the latter. Where they do not apply they are NaN.
type alternatives struct{ logRight, logLouder, logFactor float64 }

// addLouder adds the nodes in which stated noise is too small to those in which it is right, of weight
// right in all, and returns the log of all their weight.
func (u *underPhysics) addLouder(a amplitudes, right float64) float64 {
	u.factors = u.factors[:0]
	first := len(u.nodes)
	add := func(logA, logFactor, log float64) {
		u.factors = append(u.factors, abscissa{x: logFactor, log: log})
		u.nodes = append(u.nodes, node{amplitude: mat.Exp(logA), logWeight: log + mat.Log(misstated), louder: true})
	}
	if a.single {
		for t := 0.5 * factorStep; t < 3*factorSD; t += factorStep {
			add(a.logA, t, u.louder(a.logA-t, t)+a.logPrior(a.logA)+mat.Log(factorStep))
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

// louder is the log evidence at the ratio of amplitude and noise exp(logRatio), the noise being
// exp(t) times as large as stated, with the prior of t.
func (u *underPhysics) louder(logRatio, t float64) float64 {
	quadratic, logDet := u.s.dataOnly(mat.Exp(2 * logRatio))
	z := t / factorSD
	return u.s.constant - float64(0.5*(float64(quadratic*mat.Exp(-2*t))+logDet)) - float64(float64(u.readings)*t) - float64(0.5*(float64(z*z)+log2Pi)) + ln2 - mat.Log(factorSD)
}

// overFactor integrates louder over t > 0 at one ratio of amplitude and noise. Each value goes to each, where
// that is not nil.
func (u *underPhysics) overFactor(logRatio float64, a amplitudes, each func(t, log float64)) float64 {
	n := float64(u.readings)
	quadratic, _ := u.s.dataOnly(mat.Exp(2 * logRatio))
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
		logs[i] = u.louder(logRatio, t) + a.logPrior(t+logRatio) + logStep
		if each != nil {
			each(t, logs[i])
		}
	}
	return logSumExp(logs[:])
}
