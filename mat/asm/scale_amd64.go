//go:build amd64 && !purego

package asm

//go:noescape
func scaleAVX512(alpha float64, x []float64)

//go:noescape
func scaleAVX2(alpha float64, x []float64)
