package asm

import (
	"math"
	"math/rand/v2"
)

// stratum is a kind of argument.
type stratum struct {
	name string
	draw func(random *rand.Rand) float64
}

// mixture draws from all strata equally often.
func mixture(strata []stratum) func(*rand.Rand) float64 {
	return func(random *rand.Rand) float64 { return strata[random.IntN(len(strata))].draw(random) }
}

var (
	drawExp  = mixture(expStrata)
	drawLog  = mixture(logStrata)
	drawTanh = mixture(tanhStrata)
	drawSin  = mixture(sinStrata)
)

// drawUniform returns a number uniform between low and high.
func drawUniform(random *rand.Rand, low, high float64) float64 {
	return low + float64(random.Float64()*(high-low))
}

// uniform draws numbers uniform between low and high.
func uniform(low, high float64) func(*rand.Rand) float64 {
	return func(random *rand.Rand) float64 { return drawUniform(random, low, high) }
}

// exponents draws numbers of either sign with 2^e <= |x| < 2^(e+1), for e uniform in
// [low, high]. They are subnormal if e is below -1022.
func exponents(low, high int) func(*rand.Rand) float64 {
	return func(random *rand.Rand) float64 {
		x := math.Ldexp(1+random.Float64(), low+random.IntN(high-low+1))
		if random.Uint64()&1 != 0 {
			x = -x
		}
		return x
	}
}

// beside draws numbers within 3 ulp of those of centre.
func beside(centre func(*rand.Rand) float64) func(*rand.Rand) float64 {
	return func(random *rand.Rand) float64 {
		x := centre(random)
		ulp := math.Nextafter(math.Abs(x), math.Inf(1)) - math.Abs(x)
		return x + float64(ulp*float64(random.IntN(7)-3))
	}
}

// whole draws the numbers of draw, rounded down to integers.
func whole(draw func(*rand.Rand) float64) func(*rand.Rand) float64 {
	return func(random *rand.Rand) float64 { return math.Floor(draw(random)) }
}

// times draws (x + shift) c, where draw draws x.
func times(draw func(*rand.Rand) float64, shift, c float64) func(*rand.Rand) float64 {
	return func(random *rand.Rand) float64 { return (draw(random) + shift) * c }
}

var expStrata = []stratum{
	{"all exponents", exponents(-1074, 9)},
	{"beside zero", uniform(-1, 1)},
	{"where the power of two steps up", beside(times(whole(uniform(-1076, 1025)), 0.5, math.Ln2))},
	{"subnormal results", uniform(-745.2, -707)},
	{"all that neither overflows nor underflows", uniform(-746, 710)},
}

var logStrata = []stratum{
	{"all exponents beside 1", func(random *rand.Rand) float64 { return 1 + exponents(-52, -2)(random) }},
	{"around 1", uniform(0.5, 2)},
	{"where the exponent steps up", beside(func(random *rand.Rand) float64 { return math.Ldexp(math.Sqrt2, random.IntN(8)-4) })},
	{"next to 1", beside(func(*rand.Rand) float64 { return 1 })},
	{"all exponents", func(random *rand.Rand) float64 { return math.Abs(exponents(-1074, 1023)(random)) }},
}

var tanhStrata = []stratum{
	{"all exponents", exponents(-1074, 7)},
	{"before the first step", uniform(-0.3, 0.3)},
	{"where the power of two steps up", beside(times(whole(uniform(0, 60)), 0.5+tanhBias, 1/twoOverLn2))},
	{"usual arguments", uniform(-3, 3)},
	{"where the tangent is 1/4 to 1", uniform(0.2, 1)},
	{"where the secant is normal", uniform(-354.8, 354.8)},
	{"until the tangent is 1", uniform(-22, 22)},
}

var sinStrata = []stratum{
	{"all exponents", exponents(-1074, 1023)},
	{"the first turns", uniform(-10, 10)},
	{"beside multiples of π/4", beside(times(whole(uniform(-100, 100)), 0, math.Pi/4))},
	{"beside far multiples of π/4", beside(times(whole(exponents(0, 40)), 0, math.Pi/4))},
	{"around the greatest argument of the short reduction", exponents(25, 35)},
	{"many turns", uniform(-1e5, 1e5)},
}

// expBranches are zero, the ends of the range, and the arguments near these where the power
// of two steps up.
func expBranches() []float64 {
	b := []float64{0, expLargest, expSmallest, 709.782712893384, -745.1332191019411, -708.3964185322641}
	for _, n := range []float64{-1075, -1074, -1023, -1022, -1021, -2, -1, 0, 1, 2, 1022, 1023} {
		b = append(b, (n+0.5)*math.Ln2)
	}
	return b
}

// logBranches are the ends of the range, 1, and the steps of the exponent.
func logBranches() []float64 {
	return []float64{math.SmallestNonzeroFloat64, 0x1p-1022, math.MaxFloat64, 1, math.Sqrt2 / 4, math.Sqrt2 / 2, math.Sqrt2, 2 * math.Sqrt2}
}

// tanhBranches are zero, the ends of the ranges, and all steps of the power of two until the
// tangent is 1.
func tanhBranches() []float64 {
	b := []float64{0, sechLargest, 354.8, 372.9}
	for n := range 57 {
		b = append(b, (float64(n)+0.5+tanhBias)/twoOverLn2)
	}
	return b
}

// sinBranches are zero, the ends of the quadrants, where zeros and extremes are, and the
// largest argument of the short reduction.
func sinBranches() []float64 {
	b := []float64{reductionLimit}
	for n := range 65 {
		b = append(b, float64(n)*(math.Pi/4))
	}
	return append(b, 1000003*(math.Pi/4), 710*math.Pi, math.Ldexp(6381956970095103, 797))
}
