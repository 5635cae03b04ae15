//go:build amd64 && !purego

package asm

//go:noescape
func secularSumsAVX512(origin, shift float64, d, z []float64) (value, slope float64)

//go:noescape
func secularVectorAVX512(origin, shift float64, d, z, v []float64) float64

//go:noescape
func loewnerRatiosAVX512(origin, shift, pole float64, d, product []float64)
