package asm

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// elementary lists the elementary functions, each with the error in ulp that its
// documentation promises, the strata of arguments to test, the arguments at which it branches
// or a step of its reduction changes, and the reference. value is the function's own value,
// from which an iteration may start.
var elementary = []struct {
	name      string
	promised  float64
	strata    []stratum
	branches  []float64
	value     func(x float64) float64
	reference func(x, value float64) *big.Float
}{
	{"Exp", 1, expStrata, expBranches(), Exp, func(x, _ float64) *big.Float { return bigExp(bigOf(x)) }},
	{"Log", 1, logStrata, logBranches(), Log, func(x, value float64) *big.Float { return bigLog(bigOf(x), value) }},
	{"Tanh", 1, tanhStrata, tanhBranches(), Tanh, func(x, _ float64) *big.Float { t, _ := bigTanhSech2(x); return t }},
	{"Sech2", 3, tanhStrata, tanhBranches(), sech2, func(x, _ float64) *big.Float { _, u := bigTanhSech2(x); return u }},
	{"Sin", 1, sinStrata, sinBranches(), Sin, func(x, _ float64) *big.Float { s, _ := bigSinCos(x); return s }},
	{"Cos", 1, sinStrata, sinBranches(), Cos, func(x, _ float64) *big.Float { _, c := bigSinCos(x); return c }},
}

func sech2(x float64) float64 {
	_, u := TanhSech2(x)
	return u
}

// These are the hardest arguments of the reduction: the doubles nearest to a multiple of π/2,
// found by continued fractions.
func TestSinCosNearMultiplesOfHalfPi(t *testing.T) {
	for _, x := range []float64{math.Pi / 2, math.Pi, 2 * math.Pi, 22, 355, 710, 573204,
		math.Ldexp(6381956970095103, 797), math.Ldexp(6411027962775774, -48), math.MaxFloat64,
		math.Nextafter(reductionLimit, 0), reductionLimit, math.Nextafter(reductionLimit, math.Inf(1))} {
		wantSin, wantCos := bigSinCos(x)
		if e := ulpError(Sin(x), wantSin); !(e < 1) {
			t.Errorf("Sin(%v) is off by %v ulp", x, e)
		}
		if e := ulpError(Cos(x), wantCos); !(e < 1) {
			t.Errorf("Cos(%v) is off by %v ulp", x, e)
		}
	}
}

func TestElementarySpecialArguments(t *testing.T) {
	zero, inf, nan := math.Copysign(0, -1), math.Inf(1), math.NaN()
	negativeNaN := math.Float64frombits(0xfff8_0000_0000_1234)
	const tiny, largest = math.SmallestNonzeroFloat64, math.MaxFloat64
	tests := []struct {
		name  string
		value func(float64) float64
		pairs [][2]float64
	}{
		{"Exp", Exp, [][2]float64{{0, 1}, {zero, 1}, {inf, inf}, {-inf, 0}, {tiny, 1}, {-tiny, 1}, {0x1p-54, 1},
			{709.782712893384, 0x1.fffffffffff2ap1023}, {709.7827128933841, inf}, {largest, inf},
			{-745.1332191019411, tiny}, {-745.1332191019412, 0}, {-largest, 0}}},
		{"Log", Log, [][2]float64{{1, 0}, {0, -inf}, {zero, -inf}, {inf, inf}, {-inf, nan}, {-1, nan}, {-tiny, nan},
			{tiny, -744.4400719213812}, {largest, 709.782712893384}, {1 + 0x1p-52, 0x1.fffffffffffffp-53}}},
		{"Tanh", Tanh, [][2]float64{{0, 0}, {zero, zero}, {tiny, tiny}, {-tiny, -tiny}, {0x1p-1022, 0x1p-1022}, {0x1p-30, 0x1p-30},
			{19.1, 1}, {-19.1, -1}, {largest, 1}, {-largest, -1}, {inf, 1}, {-inf, -1}}},
		{"Sech2", sech2, [][2]float64{{0, 1}, {zero, 1}, {tiny, 1}, {0x1p-30, 1}, {372.9, tiny}, {-372.9, tiny},
			{373.3, 0}, {largest, 0}, {inf, 0}, {-inf, 0}}},
		{"Sin", Sin, [][2]float64{{0, 0}, {zero, zero}, {tiny, tiny}, {-tiny, -tiny}, {0x1p-30, 0x1p-30}, {inf, nan}, {-inf, nan}}},
		{"Cos", Cos, [][2]float64{{0, 1}, {zero, 1}, {tiny, 1}, {0x1p-30, 1}, {inf, nan}, {-inf, nan}}},
	}
	for _, f := range tests {
		for _, pair := range append(f.pairs, [2]float64{nan, nan}, [2]float64{negativeNaN, nan}) {
			got, want := f.value(pair[0]), pair[1]
			if math.Float64bits(got) != math.Float64bits(want) {
				t.Errorf("%s(%v) = %v (%x), want %v", f.name, pair[0], got, math.Float64bits(got), want)
			}
		}
	}
}

func TestElementarySymmetry(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		x := drawTanh(random)
		if Tanh(-x) != -Tanh(x) {
			t.Fatalf("Tanh is not odd at %v", x)
		}
		if sech2(-x) != sech2(x) {
			t.Fatalf("sech² is not even at %v", x)
		}
		x = drawSin(random)
		if Sin(-x) != -Sin(x) {
			t.Fatalf("Sin is not odd at %v", x)
		}
		if Cos(-x) != Cos(x) {
			t.Fatalf("Cos is not even at %v", x)
		}
	}
}

func TestElementaryPairsAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		x := drawTanh(random)
		if tangent, _ := TanhSech2(x); tangent != Tanh(x) {
			t.Fatalf("TanhSech2(%v) and Tanh differ", x)
		}
		x = drawSin(random)
		if s, c := SinCos(x); s != Sin(x) || c != Cos(x) {
			t.Fatalf("SinCos(%v) and Sin, Cos differ", x)
		}
	}
}

// Over steps of at least 2^-48 of the argument, functions with errors below 1 ulp must be
// monotonic. Their values must not leave their range.
func TestElementaryMonotonicAndBounded(t *testing.T) {
	for _, f := range []struct {
		name      string
		value     func(float64) float64
		low, high float64 // of the argument
		min, max  float64 // of the value
	}{
		{"Exp", Exp, -746, 710, 0, math.Inf(1)},
		{"Log", Log, 0, 30, math.Inf(-1), math.Inf(1)},
		{"Tanh", Tanh, -20, 20, -1, 1},
		{"Sin", Sin, -1.57, 1.57, -1, 1},
		{"-Cos", func(x float64) float64 { return -Cos(x) }, 0, 3.14, -1, 1},
	} {
		const steps = 50_000
		previous := f.value(f.low)
		for i := 1; i <= steps; i++ {
			x := f.low + float64((f.high-f.low)/steps*float64(i))
			y := f.value(x)
			if !(y >= previous && y >= f.min && y <= f.max) {
				t.Fatalf("%s(%v) = %v after %v", f.name, x, y, previous)
			}
			previous = y
		}
	}
}
