//go:build !wasm || !hostkernel || purego

package asm

// hostFuses and what follows are for WebAssembly with a host that provides a kernel, where they are in host_wasm.go.
const hostFuses = false

func hostFMA(x, y, z float64) float64 { return errorFreeFMA(x, y, z) }

func hostedProducts(depth int, a, b []float64, ab *[4][4]float64) { genericProducts(depth, a, b, ab) }
