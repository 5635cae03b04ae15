//go:build arm64 && !purego

package asm

//go:noescape
func eliminateTilesNEON(depth, panels int, a []float64, lda int, b, c []float64, ldc int, solve bool)
