//go:build riscv64 && !purego

package asm

import (
	"os"
	"slices"
	"strings"
)

// Some emulators run the vector extension but do not report it to programs. If the kernel is
// required, the tests assume that it works.
func init() {
	if slices.Contains(strings.Split(os.Getenv("BPIELM_REQUIRE_KERNEL"), ","), "rvv") && !slices.Contains(kernels, &rvv) {
		kernels = append(kernels, rvv.complete())
	}
}
