package asm

import (
	"math"
	"math/bits"
)

// reductionLimit is the magnitude up to which reduceAngle can use three parts of π/2.
const reductionLimit = 0x1p30

// 2/π, and π/2 in three parts, each the rounded remainder of those before.
const (
	twoOverPi = 0x1.45f306dc9c883p-1
	piHigh    = 0x1.921fb54442d18p+0
	piMiddle  = 0x1.1a62633145c07p-54
	piLow     = -0x1.f1976b7ed8fbcp-110
)

// sin(r) = r + r z(sin0 + sin1 z + ... + sin5 z⁵), z = r², for |r| <= π/4 with a
// relative error below 2^-57.8.
const (
	sin0 = -0x1.5555555555548p-3
	sin1 = 0x1.111111110f730p-7
	sin2 = -0x1.a01a019be9217p-13
	sin3 = 0x1.71de35552b52cp-19
	sin4 = -0x1.ae5e4b83e46f4p-26
	sin5 = 0x1.5d8b559495e22p-33
)

// cos(r) = 1 - z/2 + z²(cos0 + cos1 z + ... + cos5 z⁵), z = r², for |r| <= π/4 with a
// relative error below 2^-63.9.
const (
	cos0 = 0x1.555555555554bp-5
	cos1 = -0x1.6c16c16c15015p-10
	cos2 = 0x1.a01a019c8f254p-16
	cos3 = -0x1.27e4f7f19148bp-22
	cos4 = 0x1.1ee9dbcefbdc4p-29
	cos5 = -0x1.8fa684873cb97p-37
)

// Sin returns the sine of x (radians) to within 1 ulp for arguments of any size, NaN for
// infinities.
func Sin(x float64) float64 {
	r, low, quadrant, ok := reduceAngle(math.Abs(x))
	if !ok {
		return math.NaN()
	}
	var y float64
	if quadrant&1 == 0 {
		y = sinNear0(r, low)
	} else {
		y = cosNear0(r, low)
	}
	return flipSign(y, quadrant>>1^math.Float64bits(x)>>63)
}

// Cos returns the cosine of x (radians) to within 1 ulp for arguments of any size, NaN for
// infinities.
func Cos(x float64) float64 {
	r, low, quadrant, ok := reduceAngle(math.Abs(x))
	if !ok {
		return math.NaN()
	}
	var y float64
	if quadrant&1 == 0 {
		y = cosNear0(r, low)
	} else {
		y = sinNear0(r, low)
	}
	return flipSign(y, (quadrant+1)>>1)
}

// SinCos returns Sin(x) and Cos(x).
func SinCos(x float64) (sin, cos float64) {
	r, low, quadrant, ok := reduceAngle(math.Abs(x))
	if !ok {
		return math.NaN(), math.NaN()
	}
	sin, cos = sinNear0(r, low), cosNear0(r, low)
	if quadrant&1 != 0 {
		sin, cos = cos, sin
	}
	return flipSign(sin, quadrant>>1^math.Float64bits(x)>>63), flipSign(cos, (quadrant+1)>>1)
}

// flipSign negates y if the lowest bit of odd is set.
func flipSign(y float64, odd uint64) float64 {
	return math.Float64frombits(math.Float64bits(y) ^ odd<<63)
}

// sinNear0 returns the sine of r + low, where |r| <= π/4 and low is below an ulp of r.
func sinNear0(r, low float64) float64 {
	z := float64(r * r)
	z2 := float64(z * z)
	a := FMA(sin1, z, sin0)
	b := FMA(sin3, z, sin2)
	c := FMA(sin5, z, sin4)
	b = FMA(c, z2, b)
	a = FMA(b, z2, a)
	slope := FMA(-0.5*z, low, low)
	return r + FMA(float64(r*z), a, slope)
}

// cosNear0 returns the cosine of r + low, where |r| <= π/4 and low is below an ulp of r.
func cosNear0(r, low float64) float64 {
	z := float64(r * r)
	z2 := float64(z * z)
	a := FMA(cos1, z, cos0)
	b := FMA(cos3, z, cos2)
	c := FMA(cos5, z, cos4)
	b = FMA(c, z2, b)
	a = FMA(b, z2, a)
	half := float64(0.5 * z)
	one := 1 - half
	// The rounding error of 1 - half, less half the rounding error of z, less r low.
	rest := ((1 - one) - half) - FMA(r, low, 0.5*FMA(r, r, -z))
	return one + FMA(z2, a, rest)
}

// reduceAngle returns the multiple of π/2 nearest to x >= 0, as a number of quadrants modulo
// 4, and the remainder r + low, |r| <= π/4 up to rounding. ok is false if x is infinite or
// NaN.
func reduceAngle(x float64) (r, low float64, quadrant uint64, ok bool) {
	if !(x <= reductionLimit) {
		if !(x <= math.MaxFloat64) {
			return 0, 0, 0, false
		}
		r, low, quadrant = reduceLargeAngle(x)
		return r, low, quadrant, true
	}
	shifted := FMA(x, twoOverPi, integerShift)
	n := shifted - integerShift
	// The first step is exact: its result is a multiple of 2^-53 below 1.
	first := FMA(-n, piHigh, x)
	product := float64(n * piMiddle)
	productLow := FMA(n, piMiddle, -product)
	r = first - product
	low = ((first - r) - product) - FMA(n, piLow, productLow)
	return r, low, math.Float64bits(shifted) & 3, true
}

// twoOverPiBits are the binary digits of 2/π, after 64 zeros: as many as the largest argument
// needs.
var twoOverPiBits = [...]uint64{
	0,
	0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
	0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
	0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
	0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
	0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
}

// reduceLargeAngle is reduceAngle for finite x >= 2^30, in integers (M. Payne and R. Hanek,
// Radian reduction for trigonometric functions, SIGNUM Newsletter 18, 1983). With
// x = m 2^e, it omits the digits of 2/π that would give multiples of 4, and those too low to
// matter. No float64 is nearer than about 2^-61 to a multiple of π/2, so of 126 digits after
// the point at least 64 are significant.
func reduceLargeAngle(x float64) (r, low float64, quadrant uint64) {
	xbits := math.Float64bits(x)
	e := int(xbits>>52) - (exponentBias + 52)
	m := xbits&(1<<52-1) | 1<<52

	// The digits from weight 2^(1-e) down. Multiplied by m 2^e, they give the product modulo 4
	// with 190 digits after the point.
	first := uint(e + 62)
	word, shift := first/64, first%64
	digits := func(i uint) uint64 {
		return twoOverPiBits[word+i]<<shift | twoOverPiBits[word+i+1]>>(64-shift)
	}
	p2 := m * digits(0)
	h1, p1 := bits.Mul64(m, digits(1))
	h0, _ := bits.Mul64(m, digits(2))
	p1, carry := bits.Add64(p1, h0, 0)
	p2 += h1 + carry

	quadrant = p2 >> 62
	high, next := p2<<2|p1>>62, p1<<2
	negative := high >> 63
	if negative != 0 { // the next quadrant is nearer
		quadrant = (quadrant + 1) & 3
		var borrow uint64
		next, borrow = bits.Sub64(0, next, 0)
		high, _ = bits.Sub64(0, high, borrow)
	}

	zeros := uint(bits.LeadingZeros64(high))
	high = high<<zeros | next>>(64-zeros)
	next <<= zeros
	scale := powerOfTwo(-53 - int64(zeros))
	turn := float64(high>>11) * scale
	turnLow := float64((high<<53|next>>11)>>11) * float64(scale*0x1p-53)

	r = float64(turn * piHigh)
	low = FMA(turn, piHigh, -r) + FMA(turn, piMiddle, float64(turnLow*piHigh))
	sum := r + low
	low = (r - sum) + low
	return flipSign(sum, negative), flipSign(low, negative), quadrant
}
