//go:build (amd64 || arm64 || (wasm && hostkernel)) && !purego

package asm

import "math"

// Assembly for the sine and cosine does not compute arguments that are NaN or beyond
// reductionLimit. It leaves them in place of the result, which is never that large, and
// reports whether there were any.

// nearOrFar completes near with f.
func nearOrFar(near func(dst, x []float64) (far bool), f func(float64) float64) func(dst, x []float64) {
	return func(dst, x []float64) {
		if !near(dst, x) {
			return
		}
		for i, v := range dst {
			if !(math.Abs(v) <= reductionLimit) {
				dst[i] = f(v)
			}
		}
	}
}

// nearOrFarPair completes near with SinCos.
func nearOrFarPair(near func(s, c, x []float64) (far bool)) func(s, c, x []float64) {
	return func(s, c, x []float64) {
		if !near(s, c, x) {
			return
		}
		for i, v := range s {
			if !(math.Abs(v) <= reductionLimit) {
				s[i], c[i] = SinCos(v)
			}
		}
	}
}
