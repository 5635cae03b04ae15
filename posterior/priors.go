package posterior

import (
	"math"

	"github.com/bpielm/bpielm/mat"
)

// The priors of all hyper-parameters. Each is a proper density in natural units (see
// sizes.go) and is the same for every problem:
//
//	scale      log2 s ~ N(log2 2.5, 1.2^2) for each variable: the box is chosen so that
//	           the solution varies in it, by one to a few waves.
//	amplitude  half-Cauchy, p(a) = 2 / (pi (1 + a^2)): a is the prior sd of a field
//	           relative to its natural size. A standard deviation of which only the
//	           order is known [Gelman, Bayesian Analysis 1, 2006]. Its tail is heavy
//	           on purpose: the weights of a finite layer may have to be large.
//	slack      density in log e flat above 1e-6, falling as e below and cut off as
//	           exp(-460 e): e is the sd by which an equation may be missed, relative to
//	           its largest term. An equation that is stated holds: exp(-4.6) = 1 % is left
//	           of the density at a miss of 1 % [a penalised-complexity prior in its tail;
//	           Simpson et al., Statistical Science 32, 2017].
//	noise      density in log s flat above a thousandth, falling as s below and cut off as
//	           exp(-s): s is the sd of a group's noise relative to that of its readings.
//	           No order of magnitude is more probable than another, but noise is not
//	           larger than all that varies: P(s > 1) = 3 %.
//	parameter  N(0, w^2), w as wideParameter says, or what the problem states; a layer that leaves it
//	           less room than that has so much less of a probability, see contradiction.
//	draw       every draw of the layer is as probable as any other.
const (
	scaleMedian  = 2.5
	scaleOctaves = 1.2
	slackFloor   = 1e-6
	slackRate    = 460
	noiseFloor   = 1e-3
)

const (
	log2Pi = 1.8378770664093454835606594728112 // log 2 pi
	ln2    = 0.6931471805599453
	ln10   = 2.302585092994046
)

// logScalePrior is the log density of the base-2 logarithms of scales over their median.
func logScalePrior(octaves []float64) float64 {
	sum := 0.0
	for _, k := range octaves {
		z := k / scaleOctaves
		sum -= float64(0.5*float64(z*z)) + 0.5*log2Pi + mat.Log(scaleOctaves)
	}
	return sum
}

// logAmplitudePrior is the log density of log a.
func logAmplitudePrior(logA float64) float64 {
	// a / (1 + a^2), without overflow
	return mat.Log(2/math.Pi) - math.Abs(logA) - mat.Log(1+mat.Exp(-2*math.Abs(logA)))
}

// logSlackPrior is the log density of log e.
func logSlackPrior(e float64) float64 {
	return mat.Log(math.Min(1, e/slackFloor)) - float64(slackRate*e) - mat.Log(slackMass)
}

// logSlackBelow is the logarithm of the probability of a slack of at most e.
func logSlackBelow(e float64) float64 {
	if e < slackFloor {
		return mat.Log(e/slackFloor) - mat.Log(slackMass)
	}
	// The cut-off leaves flat what is far below 1/slackRate, and E1 says where all is below.
	return mat.Log(1+mat.Log(math.Min(e, expMinusEuler/slackRate)/slackFloor)) - mat.Log(slackMass)
}

const expMinusEuler float64 = 0.5614594835668851 // exp(-0.5772...)

// slackMass normalises the prior of the slack: 1 + E1(slackRate slackFloor), E1(x) being
// -0.5772 - log x for small x.
const slackMass = 8.1075

// logNoisePrior is the log density of log s.
func logNoisePrior(s float64) float64 {
	return mat.Log(math.Min(1, s/noiseFloor)) - s - mat.Log(noiseMass)
}

// noiseMass normalises the prior of the noise: 1 + E1(noiseFloor).
const noiseMass = 7.3315
