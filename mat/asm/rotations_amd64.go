//go:build amd64 && !purego

package asm

//go:noescape
func rotateChainAVX512(t, s, slab []float64, width, first, step int)

//go:noescape
func rotateChainsAVX512(t1, s1, t2, s2, slab []float64, width, first, step int)

//go:noescape
func rotateChainAVX2(t, s, slab []float64, width, first, step int)
