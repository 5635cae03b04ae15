//go:build arm64 && !purego

package asm

//go:noescape
func rotateChainNEON(t, s, slab []float64, width, first, step int)
