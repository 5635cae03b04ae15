package mat

import (
	"math"

	"github.com/bpielm/bpielm/mat/asm"
)

// erf(x) = x + x(erfSeries[0] + erfSeries[1] z + ...), z = x², for |x| <= 1/2 with
// a relative error below 2^-56. The coefficients here and below come from the Remez
// algorithm in 240-bit arithmetic.
var erfSeries = [...]float64{
	0x1.06eba8214db68p-3, -0x1.812746b0379b3p-2, 0x1.ce2f21a03d68fp-4,
	-0x1.b82ce30f1f0bcp-6, 0x1.565bcbf5e9906p-8, -0x1.c02d4ea49a019p-11,
	0x1.f98d959708b11p-14, -0x1.f22297e18c03dp-17, 0x1.8b392a691447bp-20,
}

// exp(x²) erfc(x) (1+2x) for 1/2 <= x <= 27.3 is the polynomial in
// t = (x-3.5)/(x+3.5) with these coefficients, with a relative error below 2^-56. (The
// factor and the variable are those of M. Shepherd and J. Laframboise, Chebyshev
// approximation of (1+2x)exp(x²)erfc x in 0 <= x < ∞, Math. Comp. 36, 1981.)
var erfcSeries = [...]float64{
	0x1.3e0a99a0ee914p+0, -0x1.1ebd220ea593cp-3, -0x1.59e2c284b11e8p-7,
	0x1.8f702ec6b33a6p-4, -0x1.d76830c353234p-4, 0x1.686106046da74p-4,
	-0x1.8ff5ef76d0cbap-5, 0x1.38ec667173267p-6, -0x1.143c4ca775641p-8,
	-0x1.3cf36a5a7bf77p-12, 0x1.27e664e299d0ep-11, -0x1.fda8f6d128e0ep-14,
	-0x1.66e2260adf0fbp-15, 0x1.9707bf9217851p-16, 0x1.38812e6634ab9p-19,
	-0x1.fff0e3d6ded9cp-19, -0x1.7cb3c9b086bf8p-25, 0x1.4216dd91366e3p-21,
	-0x1.0d53edb2bee3ap-27, -0x1.8eb0873f8c816p-24, 0x1.25acf15b8c1d5p-31,
	0x1.62f0e35c35e20p-27,
}

// Erf returns the error function, 2/sqrt(π) times the integral of exp(-t²) from 0
// to x.
func Erf(x float64) float64 {
	y := math.Abs(x)
	switch {
	case y < 0.5:
		return asm.FMA(x, horner(erfSeries[:], float64(x*x)), x)
	case y > 6:
		return math.Copysign(1, x)
	}
	return math.Copysign(1-erfcBeyondHalf(y), x)
}

// Erfc returns the complementary error function, 1 - erf(x).
func Erfc(x float64) float64 {
	switch {
	case math.Abs(x) < 0.5:
		return 1 - Erf(x)
	case x < 0:
		return 2 - Erfc(-x)
	case x > 27.3:
		return 0
	}
	return erfcBeyondHalf(x)
}

// erfcBeyondHalf returns erfc(x) for 1/2 <= x <= 27.3.
func erfcBeyondHalf(x float64) float64 {
	square := float64(x * x)
	squareLow := asm.FMA(x, x, -square)
	e := Exp(-square)
	e = asm.FMA(-squareLow, e, e)
	return e * (horner(erfcSeries[:], (x-3.5)/(x+3.5)) / asm.FMA(2, x, 1))
}

// horner returns c[0] + c[1] x + c[2] x² + ....
func horner(c []float64, x float64) float64 {
	p := 0.0
	for i := len(c) - 1; i >= 0; i-- {
		p = asm.FMA(p, x, c[i])
	}
	return p
}
