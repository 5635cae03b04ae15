//go:build amd64 && !purego

package asm

//go:noescape
func symRowAVX512(vr, wr, xr float64, row, v, w, x, p []float64) float64
