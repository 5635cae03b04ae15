package asm

import "math"

// This file and elementary_*.go specify the elementary functions: for every argument, a
// fixed sequence of correctly rounded operations (+, -, *, /, fused multiply-add, bit
// operations), and so a single result, whatever computes it. Assembly must reproduce the
// sequence lane by lane. In its main range no function has a branch that a lane could not
// replace by a select. Only Sin, Cos and SinCos have a separate path, in integer arithmetic,
// for the rare arguments beyond reductionLimit.
//
// Products that enter sums are written FMA or float64(x*y). Left to themselves, compilers
// fuse them on some architectures and not on others. A NaN argument gives the NaN of
// math.NaN, because processors differ in its sign and payload.
//
// The polynomial coefficients minimise the relative error of the function, by the Remez
// algorithm in 240-bit arithmetic, and were then rounded; the comment at each states the
// error after rounding. Polynomials are evaluated by Estrin's scheme: half the depth of
// Horner's for one more multiplication.
//
// The largest errors found at ten million arguments each, in ulp: Exp 0.79 (0.72 unless the
// result is subnormal), Log 0.64, Tanh 0.88, the square of the secant 2.34, Sin 0.77, Cos
// 0.76. TestElementaryError repeats the search.

// integerShift, added to a number of magnitude below 2^51, leaves the nearest integer in the
// low bits of the sum, ties to even.
const integerShift = 0x1.8p52

// exponentBias is the bias of the exponent field of a float64.
const exponentBias = 1023

// powerOfTwo returns 2^k for k in [-1022, 1023].
func powerOfTwo(k int64) float64 {
	return math.Float64frombits(uint64(k+exponentBias) << 52)
}
