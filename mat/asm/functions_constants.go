//go:build (amd64 || arm64 || (wasm && hostkernel)) && !purego

package asm

import "math"

// constantValues are the constants that the vector functions load from memory, in the order
// of functions_amd64.h and functions_arm64.h.
var constantValues = [...]float64{
	math.NaN(), math.Copysign(0, -1), math.Float64frombits(1<<63 - 1), 1, 2, integerShift,
	sechLargest, tanhLargest, twoOverLn2, tanhBias, halfLn2High, halfLn2Middle,
	tanh0, tanh1, tanh2, tanh3, tanh4, tanh5, tanh6, -2, -6, 4,
	expLargest, expSmallest, overLn2, ln2High, ln2Middle, 0.5,
	exp3, exp4, exp5, exp6, exp7, exp8, exp9, exp10, exp11,
	reductionLimit, twoOverPi, piHigh, piMiddle, piLow,
	sin0, sin1, sin2, sin3, sin4, sin5,
	cos0, cos1, cos2, cos3, cos4, cos5,
	ln2Short, ln2Rest, log0, log1, log2, log3, log4, log5, log6,
	math.Float64frombits(sqrtHalfBits), math.Float64frombits(1<<52 - 1), exponentBias,
	math.Float64frombits(2048), math.Float64frombits(0xfff << 52), math.Float64frombits(0x7ff << 52),
	math.Float64frombits(1), -0.5, 0x1p54, exponentBias + 54, math.Float64frombits(exponentBias<<52 - sqrtHalfBits), 0x1p-1022,
	math.Inf(-1), math.Inf(1), 0x1p52,
	-tanhBias,
}

// tanhLargest is an argument beyond which the hyperbolic tangent is 1 to the last bit. Up to
// it, the powers of two in its computation are normal numbers.
const tanhLargest = 350.0
