//go:build arm64 && !purego

package asm

//go:noescape
func rotateChainNEON(c, s, slab []float64, width, step int)
