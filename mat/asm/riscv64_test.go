//go:build riscv64 && !purego

package asm

import (
	"os"
	"slices"
	"strings"
)

// Emulators run the vector extension, but some do not say so to programs: where the kernel
// is required, the tests take it to be there.
func init() {
	if slices.Contains(strings.Split(os.Getenv("BPIELM_REQUIRE_KERNEL"), ","), "rvv") && !slices.Contains(kernels, &rvv) {
		kernels = append(kernels, rvv.complete())
	}
}
