//go:build !purego

// The 8 x 24 tile of C for AVX-512 from packed panels: Kernel.Tile.
//
//	SI  A, packed: 8 elements (64 bytes) a step
//	DI  B, packed: 24 elements (192 bytes) a step
//	DX  row of C              R8  bytes from one row of C to the next
//	CX  steps left            R9, R10, R11, R12, AX, BX  scratch
//
//	Z0 to Z2    a step's 24 elements of B
//	Z6          one element of A, broadcast
//	Z8 to Z31   C: row i is Z(8+3i), Z(9+3i), Z(10+3i)
//
// A step is 24 multiply-adds in 12 cycles against 11 loads. Elements of A are
// broadcast on their way from memory, which costs no more than a load. Out of
// order execution renames Z0 to Z6 and so loads ahead by itself.

#include "textflag.h"
#include "gemm_avx512_amd64.h"

#define ROW(a, c0, c1, c2) \
	VBROADCASTSD a(SI), Z6;  \
	VFMADD231PD  Z0, Z6, c0; \
	VFMADD231PD  Z1, Z6, c1; \
	VFMADD231PD  Z2, Z6, c2

// STEP is one step, whose elements of A and B are at offsets a and b.
#define STEP(a, b) \
	VMOVUPD b+0(DI), Z0;      \
	VMOVUPD b+64(DI), Z1;     \
	VMOVUPD b+128(DI), Z2;    \
	ROW(a+0, Z8, Z9, Z10);    \
	ROW(a+8, Z11, Z12, Z13);  \
	ROW(a+16, Z14, Z15, Z16); \
	ROW(a+24, Z17, Z18, Z19); \
	ROW(a+32, Z20, Z21, Z22); \
	ROW(a+40, Z23, Z24, Z25); \
	ROW(a+48, Z26, Z27, Z28); \
	ROW(a+56, Z29, Z30, Z31)

// PREFETCHROW fetches a row of C, at most four cache lines, and goes on to the next.
#define PREFETCHROW \
	PREFETCHT0 (DX)(BX*1);    \
	PREFETCHT0 64(DX)(BX*1);  \
	PREFETCHT0 128(DX)(BX*1); \
	PREFETCHT0 184(DX)(BX*1); \
	ADDQ R8, BX

// ADDROW is row = row + alpha*ab; STOREROW is row = alpha*ab. Z0 is alpha.
#define ADDROW(c0, c1, c2) \
	VFMADD213PD (DX), Z0, c0;    \
	VFMADD213PD 64(DX), Z0, c1;  \
	VFMADD213PD 128(DX), Z0, c2; \
	VMOVUPD c0, (DX);            \
	VMOVUPD c1, 64(DX);          \
	VMOVUPD c2, 128(DX);         \
	ADDQ R8, DX

#define STOREROW(c0, c1, c2) \
	VMULPD Z0, c0, c0;   \
	VMULPD Z0, c1, c1;   \
	VMULPD Z0, c2, c2;   \
	VMOVUPD c0, (DX);    \
	VMOVUPD c1, 64(DX);  \
	VMOVUPD c2, 128(DX); \
	ADDQ R8, DX

// func tileAVX512(depth int, alpha float64, a, b []float64, accumulate bool, c []float64, ldc int)
TEXT ·tileAVX512(SB), NOSPLIT, $0-104
	MOVQ depth+0(FP), CX
	MOVQ a_base+16(FP), SI
	MOVQ b_base+40(FP), DI
	MOVQ c_base+72(FP), DX
	MOVQ ldc+96(FP), R8
	SHLQ $3, R8
	CLEARTILE

	// The last 16 of the depth/4 turns are a loop of their own, before which C
	// is fetched: early enough to arrive, late enough not to be thrown out.
	MOVQ CX, R10
	ANDQ $3, R10
	SHRQ $2, CX
	XORQ R9, R9
	CMPQ CX, $16
	JLE  fetch
	MOVQ $16, R9
	SUBQ R9, CX
	JMP  loop

fetch:
	XORQ BX, BX
	PREFETCHROW
	PREFETCHROW
	PREFETCHROW
	PREFETCHROW
	PREFETCHROW
	PREFETCHROW
	PREFETCHROW
	PREFETCHROW
	TESTQ CX, CX
	JZ   single

	PCALIGN $64
loop:
	STEP(0, 0)
	STEP(64, 192)
	STEP(128, 384)
	STEP(192, 576)
	ADDQ $256, SI
	ADDQ $768, DI
	DECQ CX
	JNZ  loop
	MOVQ R9, CX
	XORQ R9, R9
	TESTQ CX, CX
	JNZ  fetch

single:
	TESTQ R10, R10
	JZ   finish
	STEP(0, 0)
	ADDQ $64, SI
	ADDQ $192, DI
	DECQ R10
	JMP  single

finish:
	VBROADCASTSD alpha+8(FP), Z0
	MOVBLZX accumulate+64(FP), AX
	TESTL AX, AX
	JZ   store
	ADDROW(Z8, Z9, Z10)
	ADDROW(Z11, Z12, Z13)
	ADDROW(Z14, Z15, Z16)
	ADDROW(Z17, Z18, Z19)
	ADDROW(Z20, Z21, Z22)
	ADDROW(Z23, Z24, Z25)
	ADDROW(Z26, Z27, Z28)
	ADDROW(Z29, Z30, Z31)
	VZEROUPPER
	RET

store:
	STOREROW(Z8, Z9, Z10)
	STOREROW(Z11, Z12, Z13)
	STOREROW(Z14, Z15, Z16)
	STOREROW(Z17, Z18, Z19)
	STOREROW(Z20, Z21, Z22)
	STOREROW(Z23, Z24, Z25)
	STOREROW(Z26, Z27, Z28)
	STOREROW(Z29, Z30, Z31)
	VZEROUPPER
	RET

// func peakAVX512(iterations int)
//
// The 24 multiply-adds of a step and nothing else.
TEXT ·peakAVX512(SB), NOSPLIT, $0-8
	MOVQ iterations+0(FP), CX
	VPXORQ Z0, Z0, Z0
	VPXORQ Z6, Z6, Z6
	CLEARTILE

	PCALIGN $64
loop:
	VFMADD231PD Z0, Z6, Z8
	VFMADD231PD Z0, Z6, Z9
	VFMADD231PD Z0, Z6, Z10
	VFMADD231PD Z0, Z6, Z11
	VFMADD231PD Z0, Z6, Z12
	VFMADD231PD Z0, Z6, Z13
	VFMADD231PD Z0, Z6, Z14
	VFMADD231PD Z0, Z6, Z15
	VFMADD231PD Z0, Z6, Z16
	VFMADD231PD Z0, Z6, Z17
	VFMADD231PD Z0, Z6, Z18
	VFMADD231PD Z0, Z6, Z19
	VFMADD231PD Z0, Z6, Z20
	VFMADD231PD Z0, Z6, Z21
	VFMADD231PD Z0, Z6, Z22
	VFMADD231PD Z0, Z6, Z23
	VFMADD231PD Z0, Z6, Z24
	VFMADD231PD Z0, Z6, Z25
	VFMADD231PD Z0, Z6, Z26
	VFMADD231PD Z0, Z6, Z27
	VFMADD231PD Z0, Z6, Z28
	VFMADD231PD Z0, Z6, Z29
	VFMADD231PD Z0, Z6, Z30
	VFMADD231PD Z0, Z6, Z31
	DECQ CX
	JNZ  loop
	VZEROUPPER
	RET
