package asm

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// elementary lists the elementary functions with the error that their
// documentation promises, in units of the last place, arguments to test them at,
// and the reference; value is the function's own value, where an iteration may
// begin.
var elementary = []struct {
	name      string
	promised  float64
	draw      func(*rand.Rand) float64
	value     func(x float64) float64
	reference func(x, value float64) *big.Float
}{
	{"Exp", 1, drawExp, Exp, func(x, _ float64) *big.Float { return bigExp(bigOf(x)) }},
	{"Log", 1, drawLog, Log, func(x, value float64) *big.Float { return bigLog(bigOf(x), value) }},
	{"Tanh", 1, drawTanh, Tanh, func(x, _ float64) *big.Float { t, _ := bigTanhSech2(x); return t }},
	{"Sech2", 3, drawTanh, sech2, func(x, _ float64) *big.Float { _, u := bigTanhSech2(x); return u }},
	{"Sin", 1, drawSin, Sin, func(x, _ float64) *big.Float { s, _ := bigSinCos(x); return s }},
	{"Cos", 1, drawSin, Cos, func(x, _ float64) *big.Float { _, c := bigSinCos(x); return c }},
}

func sech2(x float64) float64 {
	_, u := TanhSech2(x)
	return u
}

// elementaryPoints is the number of arguments per function that are compared
// with the reference.
func elementaryPoints(t *testing.T) int {
	if s := os.Getenv("BPIELM_ELEMENTARY_POINTS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("BPIELM_ELEMENTARY_POINTS: %v", err)
		}
		return n
	}
	if testing.Short() {
		return 2_000
	}
	return 100_000
}

// drawUniform returns a number between low and high.
func drawUniform(random *rand.Rand, low, high float64) float64 {
	return low + float64(random.Float64()*(high-low))
}

// drawExponent returns a number of either sign with 2^e <= |x| < 2^(e+1) and e
// uniform in [low, high]; it is subnormal where e is below -1022.
func drawExponent(random *rand.Rand, low, high int) float64 {
	e := low + random.IntN(high-low+1)
	x := math.Ldexp(1+random.Float64(), e)
	if random.Uint64()&1 != 0 {
		x = -x
	}
	return x
}

// drawBeside returns x moved by at most 3 units of its last place.
func drawBeside(random *rand.Rand, x float64) float64 {
	ulp := math.Nextafter(math.Abs(x), math.Inf(1)) - math.Abs(x)
	return x + float64(ulp*float64(random.IntN(7)-3))
}

// drawExp covers all exponents, the neighbourhood of the arguments where the
// power of two steps up, the subnormal results, and the whole range.
func drawExp(random *rand.Rand) float64 {
	switch random.IntN(5) {
	case 0:
		return drawExponent(random, -1074, 9)
	case 1:
		return drawUniform(random, -1, 1)
	case 2:
		return drawBeside(random, (math.Floor(drawUniform(random, -1076, 1025))+0.5)*math.Ln2)
	case 3:
		return drawUniform(random, -745.2, -707)
	}
	return drawUniform(random, -746, 710)
}

// drawLog covers all exponents and the neighbourhood of 1 and of the odd powers
// of the square root of 2, where the exponent steps up.
func drawLog(random *rand.Rand) float64 {
	switch random.IntN(5) {
	case 0:
		return 1 + drawExponent(random, -52, -2)
	case 1:
		return drawUniform(random, 0.5, 2)
	case 2:
		return drawBeside(random, math.Ldexp(math.Sqrt2, random.IntN(8)-4))
	case 3:
		return drawBeside(random, 1)
	}
	return math.Abs(drawExponent(random, -1074, 1023))
}

// drawTanh covers all exponents, the neighbourhood of the arguments where the
// power of two steps up, and the range in which the square of the secant is a
// normal number.
func drawTanh(random *rand.Rand) float64 {
	switch random.IntN(6) {
	case 0:
		return drawExponent(random, -1074, 7)
	case 1:
		return drawUniform(random, -0.3, 0.3)
	case 2:
		step := math.Floor(drawUniform(random, 0, 60)) + 0.5 + tanhBias
		return drawBeside(random, step/twoOverLn2)
	case 3:
		return drawUniform(random, -3, 3)
	case 4:
		return drawUniform(random, -354.8, 354.8)
	}
	return drawUniform(random, -22, 22)
}

// drawSin covers all exponents, the first turns, the neighbourhood of multiples
// of π/4, near and far, and of the greatest argument of the short reduction.
func drawSin(random *rand.Rand) float64 {
	switch random.IntN(6) {
	case 0:
		return drawExponent(random, -1074, 1023)
	case 1:
		return drawUniform(random, -10, 10)
	case 2:
		return drawBeside(random, math.Floor(drawUniform(random, -100, 100))*(math.Pi/4))
	case 3:
		return drawBeside(random, math.Floor(drawExponent(random, 0, 40))*(math.Pi/4))
	case 4:
		return drawExponent(random, 25, 35)
	}
	return drawUniform(random, -1e5, 1e5)
}

func TestElementaryError(t *testing.T) {
	for _, f := range elementary {
		t.Run(f.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			worst, at := 0.0, 0.0
			for range elementaryPoints(t) {
				x := f.draw(random)
				value := f.value(x)
				if e := ulpError(value, f.reference(x, value)); e > worst {
					worst, at = e, x
				}
			}
			t.Logf("at most %.4f ulp, at %v", worst, at)
			if !(worst < f.promised) {
				t.Errorf("%.4f ulp at %v (%x), not within %v", worst, at, at, f.promised)
			}
		})
	}
}

// The hardest arguments of the reduction: doubles that are nearest to a multiple
// of π/2, found by continued fractions.
func TestSinCosNearMultiplesOfHalfPi(t *testing.T) {
	for _, x := range []float64{math.Pi / 2, math.Pi, 2 * math.Pi, 22, 355, 710, 573204,
		math.Ldexp(6381956970095103, 797), math.Ldexp(6411027962775774, -48), math.MaxFloat64,
		math.Nextafter(reductionLimit, 0), reductionLimit, math.Nextafter(reductionLimit, math.Inf(1))} {
		wantSin, wantCos := bigSinCos(x)
		if e := ulpError(Sin(x), wantSin); !(e < 1) {
			t.Errorf("Sin(%v) is %v ulp off", x, e)
		}
		if e := ulpError(Cos(x), wantCos); !(e < 1) {
			t.Errorf("Cos(%v) is %v ulp off", x, e)
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

// Steps of at least 2^-48 of the argument are large enough for functions with an
// error below 1 ulp to be monotonic, and the values may not leave their range.
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
