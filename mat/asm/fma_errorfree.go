//go:build 386.sse2 || wasm

package asm

const errorFree = true
