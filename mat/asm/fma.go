package asm

import "math"

// FMA returns x*y + z, rounded once: the result of math.FMA except for NaN payloads.
//
// On processors with the instruction, it is the instruction. Without it, math.FMA works in
// integer arithmetic; error-free sums and products take an eighth of that time on 386 and a
// third in WebAssembly.
func FMA(x, y, z float64) float64 {
	if errorFree {
		if hostFuses {
			return hostFMA(x, y, z)
		}
		return errorFreeFMA(x, y, z)
	}
	return math.FMA(x, y, z)
}

// errorFreeFMA is FMA by error-free transformations. First x*y = p + e (T. J. Dekker, A
// floating-point technique for extending the available precision, Numer. Math. 18, 1971);
// then p + e + z, rounded once except in the rare cases of fmaRare.
func errorFreeFMA(x, y, z float64) float64 {
	p, e := twoProduct(x, y)
	r, rare := sumOfThree(p, e, z)
	if rare {
		return fmaRare(x, y, z)
	}
	return r
}

// splitter splits a number into two halves of 26 bits; the sign of the second half holds the
// 53rd bit (G. W. Veltkamp).
const splitter = 1<<27 + 1

// split returns the two halves of x, which are NaN if |x| >= 2^996.
func split(x float64) (high, low float64) {
	t := float64(splitter * x)
	high = t - (t - x)
	return high, x - high
}

// twoProduct returns x*y rounded, and the rounding error. The error is exact if |x*y| is at
// least minProduct and nothing overflows.
func twoProduct(x, y float64) (p, e float64) {
	p = float64(x * y)
	s, t := float64(splitter*x), float64(splitter*y)
	xHigh, yHigh := s-(s-x), t-(t-y)
	xLow, yLow := x-xHigh, y-yHigh
	e = float64(xHigh*yHigh) - p + float64(xHigh*yLow) + float64(xLow*yHigh) + float64(xLow*yLow)
	return p, e
}

// productError returns the error of p = x*y as twoProduct does, from the halves of x and y.
func productError(p, xHigh, xLow, yHigh, yLow float64) float64 {
	return float64(xHigh*yHigh) - p + float64(xHigh*yLow) + float64(xLow*yHigh) + float64(xLow*yLow)
}

// minProduct is the high word of 2^-968. The product of two 53-bit numbers that is at least
// this large has no bit below 2^-1074, so its error is a float64.
const minProduct = (exponentBias - 968) << 20

// sumOfThree returns p + e + z rounded once, where p and e come from twoProduct, unless rare
// is true.
//
// Let p + z = s + t exactly (D. E. Knuth's two-sum), and r = s + w with w = t + e rounded.
// If w is inexact, then t is not zero, s uses all its bits, and w is at most two units of
// s. The midpoints between neighbours near s are then at distances from s that have few
// bits: rounding t + e cannot cross one, but can land on it. Only then is r in doubt, and
// the error d of s + w is a power of two. A power of two has a low word of zero, and so have
// Inf and the NaN that an overflow leaves on every processor for which errorFree is true.
// 2^-1042 is the least such power; below that, w is exact.
func sumOfThree(p, e, z float64) (r float64, rare bool) {
	s := p + z
	b := s - p
	w := (p - (s - b)) + (z - b) + e
	r = s + w
	d := (s - r) + w
	return r, uint32(math.Float64bits(d)) == 0 || uint32(math.Float64bits(p)>>32)&0x7ff00000 < minProduct
}

// fmaRare is FMA for the cases that sumOfThree reports: exact sums, which are certain,
// halfway cases, and everything near the limits of the exponent.
func fmaRare(x, y, z float64) float64 {
	p, e := twoProduct(x, y)
	s := p + z
	b := s - p
	t := (p - (s - b)) + (z - b)
	w := t + e
	r := s + w
	if uint32(math.Float64bits(p)>>32)&0x7ff00000 < minProduct || r-r != 0 {
		return math.FMA(x, y, z)
	}
	b = w - t
	if rest := (t - (w - b)) + (e - b); rest != 0 {
		return s + roundToOdd(w, rest)
	}
	return r
}

// roundToOdd returns w if its last bit is odd, and otherwise its neighbour in the direction
// of rest. This is w + rest, rounded such that a second rounding to fewer bits is correct
// (S. Boldo and G. Melquiond, Emulation of a FMA and correctly rounded sums, IEEE Trans.
// Comput. 57, 2008).
func roundToOdd(w, rest float64) float64 {
	bits := math.Float64bits(w)
	if bits&1 == 0 {
		if (rest > 0) == (w > 0) {
			bits++
		} else {
			bits--
		}
	}
	return math.Float64frombits(bits)
}
