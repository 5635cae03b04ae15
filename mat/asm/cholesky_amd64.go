//go:build amd64 && !purego

package asm

//go:noescape
func eliminateAVX512(depth, panels int, a []float64, lda int, b, c []float64, ldc int, from, to Rows, solve, diagonal bool)

//go:noescape
func factorAVX512(depth int, b, c, pivots []float64)

//go:noescape
func transposeTilesAVX512(tiles int, dst []float64, ldd, stepD int, src []float64, lds, stepS int)

//go:noescape
func eliminateTilesAVX2(depth, panels int, a []float64, lda int, b, c []float64, ldc int, solve bool)

//go:noescape
func transposeTilesAVX2(tiles int, dst []float64, ldd, stepD int, src []float64, lds, stepS int)
