//go:build amd64 && !purego

package asm

//go:noescape
func rotateChainAVX512(c, s, slab []float64, width, step int)

//go:noescape
func rotateChainAVX2(c, s, slab []float64, width, step int)
