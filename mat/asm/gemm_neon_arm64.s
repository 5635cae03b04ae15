//go:build !purego

// The 8 x 6 tile of C for NEON: Kernel.Tile.
//
//	R0  A, packed: 8 elements (64 bytes) a step
//	R1  B, packed: 6 elements (48 bytes) a step
//	R2  row of C              R3  bytes from one row of C to the next
//	R4  steps left            R5 to R7  scratch
//
//	V0 to V23    C: row i is V(3i), V(3i+1), V(3i+2)
//	V24 to V26   a step's 6 elements of B
//	V28 to V31   a step's 8 elements of A
//
// A step is 24 multiply-adds, by element of A, against 7 loads in 4 instructions.
// Half of the next step's A is loaded as soon as its registers are free.

#include "textflag.h"
#include "neon_arm64.h"

// TOP and BOTTOM are rows 0 to 3 and 4 to 7 of a step.
#define TOP \
	FMLA0(0, 24, 28);  \
	FMLA0(1, 25, 28);  \
	FMLA0(2, 26, 28);  \
	FMLA1(3, 24, 28);  \
	FMLA1(4, 25, 28);  \
	FMLA1(5, 26, 28);  \
	FMLA0(6, 24, 29);  \
	FMLA0(7, 25, 29);  \
	FMLA0(8, 26, 29);  \
	FMLA1(9, 24, 29);  \
	FMLA1(10, 25, 29); \
	FMLA1(11, 26, 29)

#define BOTTOM \
	FMLA0(12, 24, 30); \
	FMLA0(13, 25, 30); \
	FMLA0(14, 26, 30); \
	FMLA1(15, 24, 30); \
	FMLA1(16, 25, 30); \
	FMLA1(17, 26, 30); \
	FMLA0(18, 24, 31); \
	FMLA0(19, 25, 31); \
	FMLA0(20, 26, 31); \
	FMLA1(21, 24, 31); \
	FMLA1(22, 25, 31); \
	FMLA1(23, 26, 31)

#define LOADB(b) \
	FLDPQ b(R1), (F24, F25); \
	FMOVQ b+32(R1), F26

#define LOADTOP(a) \
	FLDPQ a(R0), (F28, F29)

#define LOADBOTTOM(a) \
	FLDPQ a+32(R0), (F30, F31)

#define CLEAR(c0, c1, c2) \
	VEOR c0.B16, c0.B16, c0.B16; \
	VEOR c1.B16, c1.B16, c1.B16; \
	VEOR c2.B16, c2.B16, c2.B16

#define CLEARTILE \
	CLEAR(V0, V1, V2);    \
	CLEAR(V3, V4, V5);    \
	CLEAR(V6, V7, V8);    \
	CLEAR(V9, V10, V11);  \
	CLEAR(V12, V13, V14); \
	CLEAR(V15, V16, V17); \
	CLEAR(V18, V19, V20); \
	CLEAR(V21, V22, V23)

// PREFETCHROW fetches a row of C, at most two cache lines, and goes on to the next.
#define PREFETCHROW \
	PRFM (R7), PSTL1KEEP;   \
	PRFM 40(R7), PSTL1KEEP; \
	ADD  R3, R7

// ADDROW is row = row + alpha*ab; STOREROW is row = alpha*ab. V24 is alpha.
#define ADDROW(c0, c1, c2) \
	FLDPQ (R2), (F25, F26);          \
	FMOVQ 32(R2), F27;               \
	VFMLA V24.D2, c0.D2, V25.D2;     \
	VFMLA V24.D2, c1.D2, V26.D2;     \
	VFMLA V24.D2, c2.D2, V27.D2;     \
	FSTPQ (F25, F26), (R2);          \
	FMOVQ F27, 32(R2);               \
	ADD   R3, R2

#define STOREROW(c0, c1, c2) \
	FMUL(25, c0, 24);       \
	FMUL(26, c1, 24);       \
	FMUL(27, c2, 24);       \
	FSTPQ (F25, F26), (R2); \
	FMOVQ F27, 32(R2);      \
	ADD   R3, R2

// func tileNEON(depth int, alpha float64, a, b []float64, accumulate bool, c []float64, ldc int)
TEXT ·tileNEON(SB), NOSPLIT, $0-104
	MOVD depth+0(FP), R4
	MOVD a_base+16(FP), R0
	MOVD b_base+40(FP), R1
	MOVD c_base+72(FP), R2
	MOVD ldc+96(FP), R3
	LSL  $3, R3
	CLEARTILE

	// The last 16 of the depth/4 turns are a loop of their own, before which C
	// is fetched: early enough to arrive, late enough not to be thrown out.
	AND  $3, R4, R6
	LSR  $2, R4
	MOVD $0, R5
	CMP  $16, R4
	BLE  fetch
	MOVD $16, R5
	SUB  R5, R4
	B    loop

fetch:
	MOVD R2, R7
	PREFETCHROW
	PREFETCHROW
	PREFETCHROW
	PREFETCHROW
	PREFETCHROW
	PREFETCHROW
	PREFETCHROW
	PREFETCHROW
	CBZ  R4, single

	PCALIGN $32
loop:
	LOADB(0)
	LOADTOP(0)
	LOADBOTTOM(0)
	TOP
	LOADTOP(64)
	BOTTOM
	LOADB(48)
	LOADBOTTOM(64)
	TOP
	LOADTOP(128)
	BOTTOM
	LOADB(96)
	LOADBOTTOM(128)
	TOP
	LOADTOP(192)
	BOTTOM
	LOADB(144)
	LOADBOTTOM(192)
	TOP
	ADD  $256, R0
	ADD  $192, R1
	SUB  $1, R4
	BOTTOM
	CBNZ R4, loop
	MOVD R5, R4
	MOVD $0, R5
	CBNZ R4, fetch

single:
	CBZ  R6, finish
	LOADB(0)
	LOADTOP(0)
	LOADBOTTOM(0)
	TOP
	BOTTOM
	ADD  $64, R0
	ADD  $48, R1
	SUB  $1, R6
	B    single

finish:
	FMOVD alpha+8(FP), F24
	VDUP  V24.D[0], V24.D2
	MOVBU accumulate+64(FP), R7
	CBZ   R7, store
	ADDROW(V0, V1, V2)
	ADDROW(V3, V4, V5)
	ADDROW(V6, V7, V8)
	ADDROW(V9, V10, V11)
	ADDROW(V12, V13, V14)
	ADDROW(V15, V16, V17)
	ADDROW(V18, V19, V20)
	ADDROW(V21, V22, V23)
	RET

store:
	STOREROW(0, 1, 2)
	STOREROW(3, 4, 5)
	STOREROW(6, 7, 8)
	STOREROW(9, 10, 11)
	STOREROW(12, 13, 14)
	STOREROW(15, 16, 17)
	STOREROW(18, 19, 20)
	STOREROW(21, 22, 23)
	RET

// func peakNEON(iterations int)
//
// The 24 multiply-adds of a step and nothing else.
TEXT ·peakNEON(SB), NOSPLIT, $0-8
	MOVD iterations+0(FP), R4
	CLEARTILE
	CLEAR(V24, V25, V26)
	CLEAR(V28, V29, V30)
	VEOR V31.B16, V31.B16, V31.B16

	PCALIGN $32
loop:
	TOP
	BOTTOM
	SUB  $1, R4
	CBNZ R4, loop
	RET
