//go:build amd64 && !purego

package asm

//go:noescape
func bidiagonalRowsAVX512(u, w, v []float64, tau float64, head int, a []float64, lda int, p []float64)
