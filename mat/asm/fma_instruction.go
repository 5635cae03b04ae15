//go:build !386.sse2 && !wasm

package asm

// errorFree says that the processor multiplies and adds without fusing the two, and
// that math.FMA is therefore slow.
const errorFree = false
