//go:build !purego

// Cholesky factorisation for NEON: Kernel.Eliminate, four columns of one panel at a time.
//
//	R0  A    R1  B, then T    R2  C    R3  columns left
//	R4  panels left    R5, R6  bytes from panel to panel of A, C
//	R7  solve    R8, R9, R10  starts of A, B, C
//	R11 first of the four columns, times 8    R12, R13  scratch
//
//	V0 to V3      a column of A
//	V4 to V7      elements of B, broadcast
//	V16 to V31    C: column j is V(16+4j) to V(19+4j)
//
// A step is 16 multiply-adds against 6 loads.

#include "textflag.h"
#include "neon_arm64.h"

#define LOADC(j, c0, c1, c2, c3) \
	FLDPQ (64*j)(R2), (c0, c1);    \
	FLDPQ (64*j+32)(R2), (c2, c3)

#define STOREC(j, c0, c1, c2, c3) \
	FSTPQ (c0, c1), (64*j)(R2);    \
	FSTPQ (c2, c3), (64*j+32)(R2)

#define TERM(b, c0, c1, c2, c3) \
	VFMLS b.D2, V0.D2, c0.D2; \
	VFMLS b.D2, V1.D2, c1.D2; \
	VFMLS b.D2, V2.D2, c2.D2; \
	VFMLS b.D2, V3.D2, c3.D2

// STEP eliminates the column of A at R0 from all columns of C. It advances A and B by 64 bytes.
#define STEP \
	FLDPQ (R0), (F0, F1);        \
	FLDPQ 32(R0), (F2, F3);      \
	VLD1R.P 8(R1), [V4.D2];      \
	VLD1R.P 8(R1), [V5.D2];      \
	VLD1R.P 8(R1), [V6.D2];      \
	VLD1R.P 8(R1), [V7.D2];      \
	ADD $32, R1;                 \
	TERM(V4, V16, V17, V18, V19); \
	TERM(V5, V20, V21, V22, V23); \
	TERM(V6, V24, V25, V26, V27); \
	TERM(V7, V28, V29, V30, V31); \
	ADD $64, R0

// BROADCAST loads element i of row j of the 4 x 4 triangle at R1.
#define BROADCAST(j, i) \
	ADD $(64*j+8*i), R1, R12; \
	VLD1R (R12), [V4.D2]

#define SCALE(j, c0, c1, c2, c3) \
	BROADCAST(j, j); \
	FMUL(c0, c0, 4); \
	FMUL(c1, c1, 4); \
	FMUL(c2, c2, 4); \
	FMUL(c3, c3, 4)

#define OFF(j, i, c0, c1, c2, c3, d0, d1, d2, d3) \
	BROADCAST(j, i);           \
	VFMLS V4.D2, c0.D2, d0.D2; \
	VFMLS V4.D2, c1.D2, d1.D2; \
	VFMLS V4.D2, c2.D2, d2.D2; \
	VFMLS V4.D2, c3.D2, d3.D2

// func eliminateTilesNEON(depth, panels int, a []float64, lda int, b, c []float64, ldc int, solve bool)
TEXT ·eliminateTilesNEON(SB), NOSPLIT, $0-105
	MOVD  panels+8(FP), R4
	MOVD  a_base+16(FP), R8
	MOVD  lda+40(FP), R5
	MOVD  b_base+48(FP), R9
	MOVD  c_base+72(FP), R10
	MOVD  ldc+96(FP), R6
	MOVBU solve+104(FP), R7
	LSL   $3, R5
	LSL   $3, R6
	CBZ   R4, done

panel:
	MOVD $0, R11

columns:
	MOVD R8, R0
	ADD  R11, R9, R1
	ADD  R11<<3, R10, R2
	MOVD depth+0(FP), R3
	LOADC(0, F16, F17, F18, F19)
	LOADC(1, F20, F21, F22, F23)
	LOADC(2, F24, F25, F26, F27)
	LOADC(3, F28, F29, F30, F31)
	CBZ  R3, solve

	PCALIGN $16
loop:
	STEP
	SUBS $1, R3
	BNE  loop

solve:
	CBZ R7, store
	CBZ R11, triangle

	// For the last four columns of C, the first four, stored by now, act as four more
	// columns of A; their rows of T follow in B.
	SUB  $256, R2, R0
	MOVD $4, R3

solved:
	STEP
	SUBS $1, R3
	BNE  solved

triangle:
	SCALE(0, 16, 17, 18, 19)
	OFF(0, 1, V16, V17, V18, V19, V20, V21, V22, V23)
	SCALE(1, 20, 21, 22, 23)
	OFF(0, 2, V16, V17, V18, V19, V24, V25, V26, V27)
	OFF(1, 2, V20, V21, V22, V23, V24, V25, V26, V27)
	SCALE(2, 24, 25, 26, 27)
	OFF(0, 3, V16, V17, V18, V19, V28, V29, V30, V31)
	OFF(1, 3, V20, V21, V22, V23, V28, V29, V30, V31)
	OFF(2, 3, V24, V25, V26, V27, V28, V29, V30, V31)
	SCALE(3, 28, 29, 30, 31)

store:
	STOREC(0, F16, F17, F18, F19)
	STOREC(1, F20, F21, F22, F23)
	STOREC(2, F24, F25, F26, F27)
	STOREC(3, F28, F29, F30, F31)
	EOR  $32, R11
	CBNZ R11, columns
	ADD  R5, R8
	ADD  R6, R10
	SUBS $1, R4
	BNE  panel

done:
	RET
