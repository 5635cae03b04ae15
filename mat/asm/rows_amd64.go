//go:build amd64 && !purego

package asm

//go:noescape
func dotRowsAVX512(dst, a []float64, lda int, x []float64)

//go:noescape
func rotateRowsAVX512(c, s, x, a []float64, lda int, v, y []float64)
