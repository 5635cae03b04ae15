//go:build (amd64 || arm64) && !purego

package asm

import "math"

// Assembly of the sine and the cosine leaves the argument in place of the result
// where it is beyond reductionLimit or NaN, which no result is, and says whether
// it has done so.

// nearOrFar completes near by f.
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

// nearOrFarPair completes near by SinCos.
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
