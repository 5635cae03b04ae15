package posterior

import (
	"math"

	"github.com/bpielm/bpielm/mat"
)

// The priors of all hyper-parameters. Each is a proper density in natural units (see sizes.go) and
// is the same for every problem:
//
//	scale      log2 s ~ N(log2 2.5, 1.2^2) for each variable: the box is chosen so that
//	           the solution varies in it, by one to a few waves.
//	amplitude  half-Cauchy, p(a) = 2 / (pi (1 + a^2)): a is the prior sd of a field
//	           relative to its natural size, a scale whose order of magnitude is known
//	           [Gelman, Bayesian Analysis 1, 2006]. The heavy tail is deliberate: the
//	           weights of a finite layer may have to be large.
//	slack      density in log e flat above 1e-6, falling as e below and cut off as
//	           exp(-460 e): e is the sd of an equation's residual relative to its largest
//	           term. A stated equation holds: at a residual of 1 % the density has fallen
//	           to exp(-4.6) = 1 % [in its tail a penalised-complexity prior; Simpson et
//	           al., Statistical Science 32, 2017].
//	noise      density in log s flat above a thousandth, falling as s below and cut off as
//	           exp(-s): s is the sd of a group's noise relative to that of its readings.
//	           No order of magnitude is favoured, but noise is not larger than
//	           everything that varies: P(s > 1) = 3 %.
//	parameter  N(0, w^2), w as wideParameter says, or what the problem states. w depends on the coefficients. A layer that
//	           leaves it less room is that much less probable, see contradiction.
//	draw       all draws of a layer are equally probable.
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

// Logarithms of constants: priors are evaluated at every node of every integral.
var (
	logScaleOctaves = mat.Log(scaleOctaves)
	logTwoOverPi    = mat.Log(2 / math.Pi)
	logSlackMass    = mat.Log(slackMass)
	logSlackFloor   = mat.Log(slackFloor)
	logSlackTop     = mat.Log(expMinusEuler / slackRate)
	logNoiseMass    = mat.Log(noiseMass)
	logNoiseFloor   = mat.Log(noiseFloor)
	logAboutSD      = mat.Log(aboutSD)
	logTauStep      = mat.Log(tauStep)
	logFactorSD     = mat.Log(factorSD)
	logMisstated    = mat.Log(misstated)
	logStated       = mat.Log(1 - misstated)
)

// logScalePrior is the log density of the base-2 logarithms of scales over their median.
func logScalePrior(octaves []float64) float64 {
	sum := 0.0
	for _, k := range octaves {
		z := k / scaleOctaves
		sum -= float64(0.5*float64(z*z)) + 0.5*log2Pi + logScaleOctaves
	}
	return sum
}

// logTemperedMass is the log integral of the prior of one scale's logarithm to the power 1/temper.
var logTemperedMass = float64(0.5*(1-1.0/temper)*(log2Pi+float64(2*logScaleOctaves))) + float64(0.5*mat.Log(temper))

// logAmplitudePrior is the log density of log a.
func logAmplitudePrior(logA float64) float64 {
	// a / (1 + a^2), without overflow
	return logTwoOverPi - math.Abs(logA) - mat.Log(1+mat.Exp(-2*math.Abs(logA)))
}

// amplitudeDensity is the density of log a as exp(exponent) times factor, which needs no logarithm.
func amplitudeDensity(logA, a float64) (exponent, factor float64) {
	return logTwoOverPi + logA, 1 / (1 + float64(a*a))
}

// logSlackPrior is the log density of log e.
func logSlackPrior(e float64) float64 { return logSlackDensity(mat.Log(e), e) }

// logSlackDensity is logSlackPrior where log e is known.
func logSlackDensity(logE, e float64) float64 {
	return min(logE-logSlackFloor, 0) - float64(slackRate*e) - logSlackMass
}

// logSlackAbout is the log density of log e where the slack is known but for a factor of about exp(aboutSD). logRatio is the
// logarithm of that factor.
func logSlackAbout(logRatio float64) float64 {
	z := logRatio / aboutSD
	return -float64(0.5*float64(z*z)) - 0.5*log2Pi - logAboutSD
}

const aboutSD = 0.3

// slackBelow is the probability of a slack of at most e, as exp(exponent) times factor.
func slackBelow(logE float64) (exponent, factor float64) {
	if logE < logSlackFloor {
		return logE - logSlackFloor - logSlackMass, 1
	}
	// Far below 1/slackRate the density is still flat; above, E1 gives the mass.
	return -logSlackMass, 1 + (min(logE, logSlackTop) - logSlackFloor)
}

const expMinusEuler float64 = 0.5614594835668851 // exp(-0.5772...)

// slackMass normalises the prior of the slack: 1 + E1(slackRate slackFloor), E1(x) being
// -0.5772 - log x for small x.
const slackMass = 8.1075

// logNoisePrior is the log density of log s.
func logNoisePrior(s float64) float64 { return logNoiseDensity(mat.Log(s), s) }

// logNoiseDensity is logNoisePrior where log s is known.
func logNoiseDensity(logS, s float64) float64 {
	return min(logS-logNoiseFloor, 0) - s - logNoiseMass
}

// noiseMass normalises the prior of the noise: 1 + E1(noiseFloor).
const noiseMass = 7.3315
