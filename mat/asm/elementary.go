package asm

import "math"

// This file and its siblings elementary_*.go specify the elementary functions:
// for every argument, one fixed sequence of correctly rounded operations
// (+, -, *, /, fused multiply-add, bit operations) and so one result, whatever
// computes it. Assembly has to reproduce the sequence lane by lane. The main
// range of every function has no branch that a lane could not replace by a
// select; only Sin, Cos and SinCos leave the rare arguments beyond
// reductionLimit to a separate path in integer arithmetic.
//
// Products are written FMA or float64(x*y), never left to the compiler,
// which would fuse them on some architectures and not on others. A NaN argument
// gives the one NaN of math.NaN, because processors differ in what they make of
// sign and payload.
//
// Polynomial coefficients were computed by Remez exchange in 240-bit
// arithmetic for the relative error of the function and then rounded; the
// comment at each says how large the error is after rounding. Polynomials are
// evaluated in the shape of Estrin: half the depth of Horner's for one
// multiplication more.
//
// The greatest errors found at ten million arguments each, in units of the last
// place: Exp 0.79 (0.72 unless the result is subnormal), Log 0.64, Tanh 0.88, the
// square of the secant 2.34, Sin 0.77, Cos 0.76. TestElementaryError repeats it.

// integerShift added to a number of magnitude below 2^51 leaves the nearest
// integer in the low bits of the sum, ties to even.
const integerShift = 0x1.8p52

// exponentBias is the bias of the exponent field of a float64.
const exponentBias = 1023

// powerOfTwo returns 2^k for k in [-1022, 1023].
func powerOfTwo(k int64) float64 {
	return math.Float64frombits(uint64(k+exponentBias) << 52)
}
