//go:build !wasm

package asm

import "github.com/klauspost/cpuid/v2"

// secondCache and thirdCache are the sizes of L2 and L3 in bytes; not positive if they are not known.
func secondCache() int { return cpuid.CPU.Cache.L2 }
func thirdCache() int  { return cpuid.CPU.Cache.L3 }
