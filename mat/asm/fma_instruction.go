//go:build !386.sse2 && !wasm

package asm

// errorFree says that the processor has no fused multiply-add, so that math.FMA is slow.
const errorFree = false
