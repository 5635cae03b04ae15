//go:build amd64 && !purego

package asm

// constants holds each of constantValues four times, so that one load fills an AVX2 register.
var constants = func() (table [len(constantValues)][4]float64) {
	for i, v := range constantValues {
		table[i] = [4]float64{v, v, v, v}
	}
	return table
}()
