// Package asm holds the kernels under package mat: the innermost loops for each instruction
// set, and their selection at run time. It knows vectors, tiles and strips, but not
// matrices.
//
//	k := asm.Active()          // the fastest kernel that runs here
//	s := k.Dot(x, y)
//	err := asm.Use("generic")  // or BPIELM_KERNEL=generic in the environment
//
// # Same bits everywhere
//
// Every function of a Kernel is specified to the last bit: the order of the terms, where
// products and sums are fused, and where alpha enters. For the same lengths all kernels give
// the same bits, and so does everything built on them. The kernel generic, in plain Go, is
// the specification: begin reading at generic.go and product.go. Sizes that determine bits
// are in contract.go. NaN payloads are excepted from this promise.
//
// On targets without a fused multiply-add, 386 and WebAssembly, FMA emulates it by error-free
// sums and products (fma.go), and the kernel dekker has this inlined in its loops. A
// WebAssembly program that is built with the tag hostkernel has the kernel relaxed as well,
// which its host provides: package host.
//
// # To add an instruction set
//
//  1. Write FAMILY_ISA_ARCH.s for a family of functions, such as vector or strip, with a
//     header for what families share.
//  2. Write a //go:noescape stub for each function in ARCH.go, and a descriptor: a Kernel
//     with a name, the sizes for its strips and those functions. Leave out what you have
//     not written: complete fills it in at program start.
//  3. In the same file, let native return the descriptor if the CPU supports it, and add a
//     case for it to method Strip. If the architecture is new, remove it from the build tag
//     of noasm.go.
//  4. Name the kernel in .ci/kernels, which runs the tests of mat, feature and posterior on it and says
//     loudly where it cannot. Let .ci/run test it in an emulator if there is one. If the
//     emulator has the instructions but does not report them, do as riscv64_test.go does.
//
// The tests then cover the new kernel and compare it with the definitions: go test
// ./mat/asm. With BPIELM_REQUIRE_KERNEL=a,b they fail if kernel a or b does not run.
//
// The vector extension of RISC-V is such a start: riscv64.go, two files of assembly, for
// the vector functions and Strip, and riscv64_test.go. A kernel without a Strip of its own leaves out the sizes
// as well. For elementary functions in assembly, add the architecture to the build tags of
// functions_constants.go, functions_far.go and functions_blocks.go.
package asm
