package asm

import "math"

// Beyond these arguments the exponential is +Inf or zero. Clamping to them keeps the
// exponent in the range of a product of two powers of two.
const (
	expLargest  = 710.0
	expSmallest = -746.0
)

// 1/ln 2, and ln 2 in two parts, the second the rounded remainder of the first.
const (
	overLn2   = 0x1.71547652b82fep+0 // 1/ln 2
	ln2High   = 0x1.62e42fefa39efp-1
	ln2Middle = 0x1.abc9e3b39803fp-56
)

// exp(r) = 1 + r + r²(1/2 + r(exp3 + exp4 r + ... + exp11 r⁸)) for |r| <= ln(2)/2 with a
// relative error below 2^-56.9.
const (
	exp3  = 0x1.5555555555529p-3
	exp4  = 0x1.55555555539aep-5
	exp5  = 0x1.1111111121aabp-7
	exp6  = 0x1.6c16c17a8a437p-10
	exp7  = 0x1.a01a01351f188p-13
	exp8  = 0x1.a019b1b0ae0cap-16
	exp9  = 0x1.71df326a3adb5p-19
	exp10 = 0x1.28997018e5823p-22
	exp11 = 0x1.ad3cffacf10aap-26
)

// Exp returns the exponential of x to within 1 ulp.
//
// With x = n ln 2 + r, |r| <= ln(2)/2, the result is 2^n exp(r).
func Exp(x float64) float64 {
	if x != x {
		return math.NaN()
	}
	if x > expLargest {
		x = expLargest
	}
	if x < expSmallest {
		x = expSmallest
	}
	shifted := FMA(x, overLn2, integerShift)
	n := shifted - integerShift
	// The first step is exact: its result is a multiple of 2^-54 below 1/2.
	first := FMA(-n, ln2High, x)
	r := FMA(-n, ln2Middle, first)
	low := FMA(-n, ln2Middle, first-r)

	r2 := float64(r * r)
	r4 := float64(r2 * r2)
	a := FMA(exp3, r, 0.5)
	b := FMA(exp5, r, exp4)
	c := FMA(exp7, r, exp6)
	d := FMA(exp9, r, exp8)
	e := FMA(exp11, r, exp10)
	a = FMA(b, r2, a)
	c = FMA(d, r2, c)
	c = FMA(e, r4, c)
	p := FMA(c, r4, a)

	one := 1 + r
	rest := ((1 - one) + r) + low
	y := one + FMA(r2, p, rest)

	// Scale in two steps: a subnormal result is then rounded only once, and the largest
	// results need no power of two that is out of range.
	k := int64(math.Float64bits(shifted) - math.Float64bits(integerShift))
	half := k >> 1
	return float64(y*powerOfTwo(half)) * powerOfTwo(k-half)
}
