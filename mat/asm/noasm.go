//go:build purego || (!amd64 && !arm64)

package asm

// native returns the assembly kernels that this machine runs, the fastest first.
func native() []*Kernel { return nil }
