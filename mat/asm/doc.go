// Package asm holds the kernels under package mat: the innermost loops, once for
// each instruction set, and the choice among them at run time. It knows vectors
// and packed panels; matrices are package mat's business.
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
// everything built on them. The file generic.go is the specification; begin
// reading there. Payloads of NaN are outside this promise.
//
// On processors without a fused multiply-add, 386 and WebAssembly, FMA computes it from
// error-free sums and products (fma.go), and kernel dekker has it written into its loops.
//
// # To add an instruction set
//
// Write one assembly file; one file of //go:noescape stubs with a descriptor (a
// Kernel value: name, register tile of at most MaxTile elements, block sizes,
// functions), behind the architecture's file suffix; and one line in that
// architecture's native function that appends the descriptor if the CPU has what
// it needs. A function that is not written yet is borrowed from generic. Block sizes
// mc and nc are free, since they do not enter the arithmetic; KC is not.
//
// Begin with tile, a full tile of C from packed panels: partial tiles then go through a
// scratch tile. With strip, a column of tiles from operands with any strides, small
// products need no packing, and edges are computed as far as they are wanted. How they
// enter a product is in package mat: product.go has the loops, operand.go the packing,
// share.go the division among processors.
//
// The conformance tests range over All(); the variable BPIELM_REQUIRE_KERNEL=a,b makes
// them fail where kernel a or b does not run.
package asm
