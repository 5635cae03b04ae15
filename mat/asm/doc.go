// Package asm holds the kernels under package mat: the innermost loops, once for
// each instruction set, and the choice among them at run time. It knows vectors,
// tiles and strips; matrices are package mat's business.
//
//	k := asm.Active()          // the fastest kernel that runs here
//	s := k.Dot(x, y)
//	err := asm.Use("generic")  // or BPIELM_KERNEL=generic in the environment
//
// # Same bits everywhere
//
// Every function of a Kernel is defined to the last bit: the order of the terms,
// where a product and a sum round once (fused) and where twice, and where alpha
// enters. All kernels give the same bits for the same lengths, and so does
// everything built on them. Kernel generic, plain Go, is the specification: begin
// reading at generic.go and product.go. The sizes that decide bits are in contract.go.
// Payloads of NaN are outside this promise.
//
// On processors without a fused multiply-add, 386 and WebAssembly, FMA computes it from
// error-free sums and products (fma.go), and kernel dekker has it written into its loops.
//
// # To add an instruction set
//
//  1. Write FAMILY_ISA_ARCH.s for a family of functions, such as vector or strip, with a
//     header for what families share.
//  2. Write a //go:noescape stub for each function in ARCH.go, and a descriptor: a Kernel
//     with a name, the sizes of its strips and those functions. Leave out what is not
//     written: complete fills it in when the program starts.
//  3. In the same file let native return the descriptor if the CPU has what it needs, and
//     give method Strip a case for it. If the architecture is new, take it out of the build
//     tag of noasm.go.
//
// The tests then range over the new kernel and compare it with the definitions: go test
// ./mat/asm. BPIELM_REQUIRE_KERNEL=a,b makes them fail where kernel a or b does not run.
//
// The vector extension of RISC-V is such a beginning: riscv64.go and two files of assembly,
// the functions of vectors and Strip. A kernel without a Strip of its own leaves out the
// sizes as well. Elementary functions in assembly need the build tags of
// functions_constants.go, functions_far.go and functions_blocks.go to name the architecture.
package asm
