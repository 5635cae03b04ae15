package asm

import "math"

// sechLargest is an argument beyond which the square of the hyperbolic secant is zero and the
// hyperbolic tangent 1 to the last bit.
const sechLargest = 380.0

// 2/ln 2, and half the natural logarithm of 2 in two parts, the second the rounded remainder
// of the first.
const (
	twoOverLn2    = 0x1.71547652b82fep+1
	halfLn2High   = 0x1.62e42fefa39efp-2
	halfLn2Middle = 0x1.abc9e3b39803fp-57
)

// tanhBias makes n step up later than rounding to nearest would. So f is exact up to
// tanh f = 1/4, and below 1/8 in magnitude just after the first step: compared with the
// hyperbolic tangent of y, the rounding errors of f and tanh f are then too small to be
// carried. It also keeps the numerator above 1/4, and the subtraction that recovers its
// rounding error exact.
const tanhBias = 0.2375

// tanh(f) = f + f z(tanh0 + tanh1 z + ... + tanh6 z⁶), z = f², for |f| <= 0.2563 with a
// relative error below 2^-56.9.
const (
	tanh0 = -0x1.55555555554cep-2
	tanh1 = 0x1.11111110f766ap-3
	tanh2 = -0x1.ba1ba18548e12p-5
	tanh3 = 0x1.664f2eb4b35bcp-6
	tanh4 = -0x1.226773b1c39bfp-7
	tanh5 = 0x1.d4dfeaa620ffdp-9
	tanh6 = -0x1.57cdb33835784p-10
)

// Tanh returns the hyperbolic tangent of x to within 1 ulp. It is odd to the last bit.
//
// In ulp, the last rounding costs at most 0.5. The errors of f and T cost at most 0.41, when
// t is between 1/4 and 1/2 and they are between 1/8 and 1/4, and less elsewhere. The
// polynomial and the quotient cost less than 0.04.
func Tanh(x float64) float64 {
	if x != x {
		return math.NaN()
	}
	t, _, _, _, _, _ := tanh(math.Abs(x))
	return math.Copysign(t, x)
}

// TanhSech2 returns t, the hyperbolic tangent of x, equal to Tanh(x), and u, the square of
// the hyperbolic secant of x, which is the derivative of t. u is accurate to within 3 ulp
// even where 1 - t² would suffer from cancellation.
func TanhSech2(x float64) (t, u float64) {
	if x != x {
		return math.NaN(), math.NaN()
	}
	t, complement, r, dh, dl, k := tanh(math.Abs(x))
	// The relative error of r² is twice that of r.
	correction := FMA(-r, dl, FMA(-r, dh, 1))
	u = float64(float64(complement*r) * r)
	u = FMA(u+u, correction, u)
	// Scale by the power of two in two steps, so that only the last can be subnormal.
	half := k >> 1
	return math.Copysign(t, x), float64(u*powerOfTwo(2-half)) * powerOfTwo(half-k)
}

// TanhJet returns the hyperbolic tangent of x, equal to Tanh(x), and its first three
// derivatives: u of TanhSech2(x), -2tu, and u(4-6u).
func TanhJet(x float64) (t, u, v, w float64) {
	if x != x {
		return math.NaN(), math.NaN(), math.NaN(), math.NaN()
	}
	t, u = TanhSech2(x)
	return t, u, float64(-2 * t * u), float64(u * FMA(-6, u, 4))
}

// tanh returns the hyperbolic tangent t of y >= 0 and what its derivative needs: 1-T², the
// reciprocal r of the denominator D, D itself in two parts, and k = n, where
//
//	y = n ln(2)/2 + f, s = 2^-n, T = tanh(f),
//	tanh y = N/D, N = (1-s) + (1+s)T, D = (1+s) + (1-s)T,
//	sech² y = 4s(1-T²)/D².
//
// T has only odd powers of f, half as many terms as an exponential. The low parts of 1-s, N
// and D are carried, and the quotient is corrected by its remainder.
func tanh(y float64) (t, complement, r, dh, dl float64, k int64) {
	if y > sechLargest {
		y = sechLargest
	}
	shifted := FMA(y, twoOverLn2, -tanhBias) + integerShift
	n := shifted - integerShift
	k = int64(math.Float64bits(shifted) - math.Float64bits(integerShift))
	// The first step is exact: its result is a multiple of 2^-55 below 1/2.
	f := FMA(-n, halfLn2Middle, FMA(-n, halfLn2High, y))

	z := float64(f * f)
	z2 := float64(z * z)
	a := FMA(tanh1, z, tanh0)
	b := FMA(tanh3, z, tanh2)
	c := FMA(tanh5, z, tanh4)
	c = FMA(tanh6, z2, c)
	b = FMA(c, z2, b)
	a = FMA(b, z2, a)
	th := FMA(float64(f*z), a, f)

	half := k >> 1
	s := float64(powerOfTwo(-half) * powerOfTwo(half-k))
	minus, plus := 1-s, 1+s
	minusLow := (1 - minus) - s
	nh := FMA(plus, th, minus)
	nl := FMA(plus, th, (minus-nh)+minusLow)
	dh = FMA(minus, th, plus)
	dl = FMA(minus, th, (1-dh)+s)

	r = 1 / dh
	q := float64(nh * r)
	remainder := FMA(-q, dh, nh) + FMA(-q, dl, nl)
	return FMA(remainder, r, q), FMA(-th, th, 1), r, dh, dl, k
}
