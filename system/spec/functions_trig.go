package spec

import (
	"math"

	"github.com/bpielm/bpielm/mat"
)

// π - math.Pi and π/2 - math.Pi/2, as float64.
const (
	piLow     = 0x1.1a62633145c07p-53
	halfPiLow = 0x1.1a62633145c07p-54
)

func tan(x float64) float64 {
	sin, cos := mat.SinCos(x)
	return sin / cos
}

func atan(x float64) float64 { return atan2(x, 1) }

// asin is the angle of a right triangle with hypotenuse 1.
func asin(x float64) float64 { return atan2(x, math.Sqrt(mat.FMA(-x, x, 1))) }

func acos(x float64) float64 { return atan2(math.Sqrt(mat.FMA(-x, x, 1)), x) }

// atan2 returns the angle of the point (x, y) in [-π, π]. Zeros and infinities follow C99.
func atan2(y, x float64) float64 {
	if math.IsNaN(x) || math.IsNaN(y) {
		return math.NaN()
	}
	ax, ay := math.Abs(x), math.Abs(y)
	ratio := math.Min(ax, ay) / math.Max(ax, ay)
	switch {
	case ay == 0:
		ratio = 0
	case math.IsInf(ax, 0) && math.IsInf(ay, 0):
		ratio = 1
	}
	angle, low := atanUpTo1(ratio)
	// Add the angle to, or subtract it from, that of the nearer axis.
	switch left := math.Signbit(x); {
	case ay <= ax && !left:
		angle += low
	case ay <= ax && left:
		angle = (math.Pi - angle) - (low - piLow)
	case !left:
		angle = (math.Pi/2 - angle) - (low - halfPiLow)
	default:
		angle = (math.Pi/2 + angle) + (low + halfPiLow)
	}
	return math.Copysign(angle, y)
}

// atanOfEighths holds arctan(k/8), each as the sum of two numbers.
var atanOfEighths = [9][2]float64{
	{0, 0},
	{0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
	{0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
	{0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
	{0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
	{0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
	{0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
	{0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
	{0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
}

// atanUpTo1 returns arctan(x) for x in [0, 1] as high + low. It is the arctangent of the
// nearest eighth c plus the difference of the angles, a series in its tangent,
// (x-c)/(1+xc).
func atanUpTo1(x float64) (high, low float64) {
	k := math.RoundToEven(8 * x)
	c := k / 8
	t := (x - c) / mat.FMA(x, c, 1)
	z := float64(t * t)
	p := 1.0 / 13
	for _, next := range [...]float64{-1.0 / 11, 1.0 / 9, -1.0 / 7, 1.0 / 5, -1.0 / 3} {
		p = mat.FMA(p, z, next)
	}
	angle := atanOfEighths[int(k)]
	return angle[0], t + mat.FMA(float64(t*z), p, angle[1])
}

// sinh uses a Taylor series up to 1. The first term left out is below 2^-65.
func sinh(x float64) float64 {
	y := math.Abs(x)
	switch {
	case y < 1:
		z := float64(x * x)
		p := 1.0 / (2 * 3 * 4 * 5 * 6 * 7 * 8 * 9 * 10 * 11 * 12 * 13 * 14 * 15 * 16 * 17 * 18 * 19)
		for _, next := range [...]float64{
			1.0 / (2 * 3 * 4 * 5 * 6 * 7 * 8 * 9 * 10 * 11 * 12 * 13 * 14 * 15 * 16 * 17),
			1.0 / (2 * 3 * 4 * 5 * 6 * 7 * 8 * 9 * 10 * 11 * 12 * 13 * 14 * 15),
			1.0 / (2 * 3 * 4 * 5 * 6 * 7 * 8 * 9 * 10 * 11 * 12 * 13),
			1.0 / (2 * 3 * 4 * 5 * 6 * 7 * 8 * 9 * 10 * 11),
			1.0 / (2 * 3 * 4 * 5 * 6 * 7 * 8 * 9),
			1.0 / (2 * 3 * 4 * 5 * 6 * 7),
			1.0 / (2 * 3 * 4 * 5),
			1.0 / (2 * 3),
		} {
			p = mat.FMA(p, z, next)
		}
		return mat.FMA(float64(x*z), p, x)
	case y < 700:
		e := mat.Exp(y)
		return math.Copysign(0.5*(e-1/e), x)
	}
	return math.Copysign(halfExp(y), x)
}

func cosh(x float64) float64 {
	y := math.Abs(x)
	if y < 700 {
		e := mat.Exp(y)
		return 0.5 * (e + 1/e)
	}
	return halfExp(y)
}

// halfExp returns exp(x)/2, which may be finite when exp(x) is not.
func halfExp(x float64) float64 {
	root := mat.Exp(0.5 * x)
	return float64(0.5*root) * root
}

func sech(x float64) float64 {
	e := mat.Exp(-math.Abs(x))
	return 2 * e / mat.FMA(e, e, 1)
}

func asinh(x float64) float64 {
	y := math.Abs(x)
	if y > 0x1p28 {
		return math.Copysign(mat.Log(y)+math.Ln2, x)
	}
	square := float64(y * y)
	return math.Copysign(log1p(y+square/(1+math.Sqrt(1+square))), x)
}

func acosh(x float64) float64 {
	switch {
	case x < 1:
		return math.NaN()
	case x > 0x1p28:
		return mat.Log(x) + math.Ln2
	}
	y := x - 1
	return log1p(y + math.Sqrt(mat.FMA(y, y, 2*y)))
}

func atanh(x float64) float64 {
	y := math.Abs(x)
	if y > 1 {
		return math.NaN()
	}
	return math.Copysign(0.5*log1p(2*y/(1-y)), x)
}

// log1p returns ln(1+x) for x >= 0: the logarithm of the rounded sum, corrected for the
// rounding.
func log1p(x float64) float64 {
	sum := 1 + x
	if math.IsInf(sum, 0) {
		return sum
	}
	return mat.Log(sum) + (x-(sum-1))/sum
}
