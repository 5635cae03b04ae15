//go:build !purego

// The 4 x 12 tile of C for AVX2 with FMA from packed panels: Kernel.Tile.
//
//	SI  A, packed: 4 elements (32 bytes) a step
//	DI  B, packed: 12 elements (96 bytes) a step
//	DX  row of C              R8  bytes from one row of C to the next
//	CX  steps left            R9, R10, AX, BX  scratch
//
//	Y0 to Y2    a step's 12 elements of B
//	Y3          one element of A, broadcast
//	Y4 to Y15   C: row i is Y(4+3i), Y(5+3i), Y(6+3i)
//
// A step is 12 multiply-adds in 6 cycles against 7 loads.

#include "textflag.h"
#include "gemm_avx2_amd64.h"

#define ROW(a, c0, c1, c2) \
	VBROADCASTSD a(SI), Y3;  \
	VFMADD231PD  Y0, Y3, c0; \
	VFMADD231PD  Y1, Y3, c1; \
	VFMADD231PD  Y2, Y3, c2

#define STEP(a, b) \
	VMOVUPD b+0(DI), Y0;        \
	VMOVUPD b+32(DI), Y1;       \
	VMOVUPD b+64(DI), Y2;       \
	ROW(a+0, Y4, Y5, Y6);       \
	ROW(a+8, Y7, Y8, Y9);       \
	ROW(a+16, Y10, Y11, Y12);   \
	ROW(a+24, Y13, Y14, Y15)

// PREFETCHROW fetches a row of C, at most three cache lines, and goes on to the next.
#define PREFETCHROW \
	PREFETCHT0 (DX)(BX*1);   \
	PREFETCHT0 64(DX)(BX*1); \
	PREFETCHT0 88(DX)(BX*1); \
	ADDQ R8, BX

// ADDROW is row = row + alpha*ab; STOREROW is row = alpha*ab. Y0 is alpha.
#define ADDROW(c0, c1, c2) \
	VFMADD213PD (DX), Y0, c0;   \
	VFMADD213PD 32(DX), Y0, c1; \
	VFMADD213PD 64(DX), Y0, c2; \
	VMOVUPD c0, (DX);           \
	VMOVUPD c1, 32(DX);         \
	VMOVUPD c2, 64(DX);         \
	ADDQ R8, DX

#define STOREROW(c0, c1, c2) \
	VMULPD Y0, c0, c0;  \
	VMULPD Y0, c1, c1;  \
	VMULPD Y0, c2, c2;  \
	VMOVUPD c0, (DX);   \
	VMOVUPD c1, 32(DX); \
	VMOVUPD c2, 64(DX); \
	ADDQ R8, DX

// func tileAVX2(depth int, alpha float64, a, b []float64, accumulate bool, c []float64, ldc int)
TEXT ·tileAVX2(SB), NOSPLIT, $0-104
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
	TESTQ CX, CX
	JZ   single

	PCALIGN $64
loop:
	STEP(0, 0)
	STEP(32, 96)
	STEP(64, 192)
	STEP(96, 288)
	ADDQ $128, SI
	ADDQ $384, DI
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
	ADDQ $32, SI
	ADDQ $96, DI
	DECQ R10
	JMP  single

finish:
	VBROADCASTSD alpha+8(FP), Y0
	MOVBLZX accumulate+64(FP), AX
	TESTL AX, AX
	JZ   store
	ADDROW(Y4, Y5, Y6)
	ADDROW(Y7, Y8, Y9)
	ADDROW(Y10, Y11, Y12)
	ADDROW(Y13, Y14, Y15)
	VZEROUPPER
	RET

store:
	STOREROW(Y4, Y5, Y6)
	STOREROW(Y7, Y8, Y9)
	STOREROW(Y10, Y11, Y12)
	STOREROW(Y13, Y14, Y15)
	VZEROUPPER
	RET

// func peakAVX2(iterations int)
//
// The 12 multiply-adds of a step and nothing else.
TEXT ·peakAVX2(SB), NOSPLIT, $0-8
	MOVQ iterations+0(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y3, Y3, Y3
	CLEARTILE

	PCALIGN $64
loop:
	VFMADD231PD Y0, Y3, Y4
	VFMADD231PD Y0, Y3, Y5
	VFMADD231PD Y0, Y3, Y6
	VFMADD231PD Y0, Y3, Y7
	VFMADD231PD Y0, Y3, Y8
	VFMADD231PD Y0, Y3, Y9
	VFMADD231PD Y0, Y3, Y10
	VFMADD231PD Y0, Y3, Y11
	VFMADD231PD Y0, Y3, Y12
	VFMADD231PD Y0, Y3, Y13
	VFMADD231PD Y0, Y3, Y14
	VFMADD231PD Y0, Y3, Y15
	DECQ CX
	JNZ  loop
	VZEROUPPER
	RET
