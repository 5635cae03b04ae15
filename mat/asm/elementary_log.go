package asm

import "math"

// The natural logarithm of 2 in two parts. The first has 42 bits, so that its product with an
// exponent is exact.
const (
	ln2Short = 0x1.62e42fefa3800p-1
	ln2Rest  = 0x1.ef35793c76730p-45
)

// sqrtHalfBits are the bits of the square root of 1/2, rounded.
const sqrtHalfBits = 0x3fe6a09e667f3bcd

// ln((1+s)/(1-s)) = 2s + s z(log0 + log1 z + ... + log6 z⁶), z = s², for
// |s| <= 3 - 2 sqrt(2), with a relative error below 2^-59.5.
const (
	log0 = 0x1.5555555555592p-1
	log1 = 0x1.999999997ff63p-2
	log2 = 0x1.24924941db48ap-2
	log3 = 0x1.c71c521a19a0cp-3
	log4 = 0x1.74663ba33f29cp-3
	log5 = 0x1.39a20ba64fcd5p-3
	log6 = 0x1.2f02516d52d58p-3
)

// Log returns the natural logarithm of x to within 1 ulp: -Inf for zero and NaN
// for negative numbers.
//
// With x = 2^k (1+f), 1+f in [sqrt(1/2), sqrt(2)), and s = f/(2+f), the result is
// k ln 2 + f - f²/2 + s(f²/2 + R(s²)).
func Log(x float64) float64 {
	switch {
	case x != x || x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case x > math.MaxFloat64:
		return x
	}
	bias := float64(exponentBias)
	if x < 0x1p-1022 {
		x *= 0x1p54
		bias += 54
	}
	bits := math.Float64bits(x) + (exponentBias<<52 - sqrtHalfBits)
	k := float64(bits>>52) - bias
	m := math.Float64frombits(bits&(1<<52-1) + sqrtHalfBits)

	f := m - 1
	s := f / (2 + f)
	z := float64(s * s)
	z2 := float64(z * z)
	a := FMA(log1, z, log0)
	b := FMA(log3, z, log2)
	c := FMA(log5, z, log4)
	c = FMA(log6, z2, c)
	b = FMA(c, z2, b)
	a = FMA(b, z2, a)

	half := float64(0.5 * f)
	square := float64(half * f)
	squareLow := FMA(half, f, -square)
	tail := float64(s * FMA(a, z, square))

	// k ln 2 + f - f²/2, including the errors of the two roundings.
	first := f - square
	firstLow := (f - first) - square
	kln2 := float64(k * ln2Short)
	sum := kln2 + first
	sumLow := (kln2 - sum) + first
	rest := (firstLow - squareLow) + tail
	return sum + (sumLow + FMA(k, ln2Rest, rest))
}
