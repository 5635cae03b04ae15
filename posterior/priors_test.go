package posterior

import (
	"math"
	"testing"
)

// total integrates exp(logDensity) from a to b.
func total(logDensity func(x float64) float64, a, b float64) float64 {
	const steps = 200_000
	h, sum := (b-a)/steps, 0.0
	for i := range steps {
		sum += math.Exp(logDensity(a + (float64(i)+0.5)*h))
	}
	return sum * h
}

// priorMass is how far from 1 the probability of everything may be.
const priorMass = 1e-4

func TestEveryPriorIsAProbability(t *testing.T) {
	for name, mass := range map[string]float64{
		"scale":     total(func(k float64) float64 { return logScalePrior([]float64{k}) }, -12, 12),
		"amplitude": total(logAmplitudePrior, -30, 30),
		"slack":     total(func(x float64) float64 { return logSlackPrior(math.Exp(x)) }, -40, 3),
		"noise":     total(func(x float64) float64 { return logNoisePrior(math.Exp(x)) }, -40, 4),
	} {
		if math.Abs(mass-1) > priorMass {
			t.Errorf("%s: the prior integrates to %.6f", name, mass)
		}
	}
	two := logScalePrior([]float64{0.5, -2})
	if one, other := logScalePrior([]float64{0.5}), logScalePrior([]float64{-2}); math.Abs(two-one-other) > 1e-12 {
		t.Errorf("scales of two variables have log density %g, each %g and %g", two, one, other)
	}
}

// TestPriorsAreWhatTheySay: their medians and tails as documented.
func TestPriorsAreWhatTheySay(t *testing.T) {
	near := func(what string, got, want, within float64) {
		t.Helper()
		if math.Abs(got-want) > within {
			t.Errorf("%s: %.5f, want %.5f", what, got, want)
		}
	}
	near("probability of an amplitude below 1", total(logAmplitudePrior, -30, 0), 0.5, priorMass)
	near("density of the amplitude 3 times its 3", logAmplitudePrior(math.Log(3)), math.Log(2/math.Pi*3/(1+9)), 1e-12)
	near("probability of noise above the readings", total(func(x float64) float64 { return logNoisePrior(math.Exp(x)) }, 0, 4), 0.2193839/noiseMass, priorMass) // E1(1)
	near("probability of a slack above 1 %", total(func(x float64) float64 { return logSlackPrior(math.Exp(x)) }, math.Log(0.01), 3), 0, 1e-3)
	near("probability of a slack below 1e-6", total(func(x float64) float64 { return logSlackPrior(math.Exp(x)) }, -40, math.Log(1e-6)), 1/slackMass, priorMass)
	for _, k := range []float64{-3, 1, 4} {
		if logScalePrior([]float64{k}) >= logScalePrior([]float64{0}) || logScalePrior([]float64{k}) != logScalePrior([]float64{-k}) {
			t.Errorf("%g octaves from the median are as probable as the median, or less probable on the other side", k)
		}
	}
}

// slackBelowError bounds the error of slackBelow, which cuts the exponential off.
const slackBelowError = 0.07

func TestSlackBelowIsTheIntegralOfItsPrior(t *testing.T) {
	for _, e := range []float64{1e-9, 1e-7, 1e-6, 2e-6, 1e-5, 1e-4, 5e-4, 1e-3, 2e-3, 1e-2, 1, 100} {
		want := math.Log(total(func(x float64) float64 { return logSlackPrior(math.Exp(x)) }, -45, math.Log(e)))
		bound := slackBelowError
		if e <= 1e-5 {
			bound = 2e-3
		}
		exponent, factor := slackBelow(math.Log(e))
		if got := exponent + math.Log(factor); math.Abs(got-want) > bound || got > 0 {
			t.Errorf("log probability of a slack below %g is %.4f, want %.4f", e, got, want)
		}
	}
}
