//go:build amd64 && !purego

package asm

//go:noescape
func symRowAVX512(vr, wr, xr float64, row, v, w, x, p []float64) float64

//go:noescape
func symRowPairAVX512(r int, a []float64, lda int, v, w, x, p []float64) (first, second float64)

//go:noescape
func symRowAVX2(vr, wr, xr float64, row, v, w, x, p []float64) float64
