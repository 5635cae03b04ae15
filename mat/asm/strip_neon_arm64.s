//go:build !purego

// A strip of C, at most 6 columns wide, for NEON, from operands with any strides: Kernel.Strip.
// It computes tiles of 8 rows from top to bottom; in the last one, missing rows are read where
// the last row is.
//
//	R0  row 0 of A            R5  bytes from one row of A to the next
//	R1  B                     R6  bytes from one step of A to the next
//	R2  row of C              R7  bytes from one step of B to the next
//	R3  bytes from one row of C to the next
//	R4  steps left            R8 to R15  rows 0 to 7 of A
//	R16 bytes from these to the step's element
//	R17 rows left             R19 columns
//	R20 elements of the first row on or left of the diagonal, less one
//	R21 to R25 scratch
//	R26 the Strip
//
//	V0 to V23    C: row i is V(3i), V(3i+1), V(3i+2)
//	V24 to V26   a step's 6 elements of B
//	V28 to V31   elements of A
//
// Only registers of columns that are in C are computed. A step of a full tile is 24
// multiply-adds against 10 loads; 4 loads if the rows of A are adjacent in memory.
// Prefetching is left to the processor.

#include "go_asm.h"
#include "textflag.h"
#include "neon_arm64.h"

#define LOAD2 FMOVQ (R1), F24
#define LOAD4 FLDPQ (R1), (F24, F25)

// LOADn is for n columns.
#define LOADCOLS1 FMOVD (R1), F24
#define LOADCOLS2 LOAD2
#define LOADCOLS3 LOAD2;          FMOVD 16(R1), F25
#define LOADCOLS4 LOAD4
#define LOADCOLS5 LOAD4;          FMOVD 32(R1), F26
#define LOADCOLS6 LOAD4;          FMOVQ 32(R1), F26

// ROWn(row, f, a, c) is a row of n registers of columns: f and a are the registers of its
// element of A, c is its first register.
#define ROW1(row, f, a, c) \
	FMOVD (row)(R16), f; \
	FMLA0(c, 24, a)

#define ROW2(row, f, a, c) \
	ROW1(row, f, a, c);  \
	FMLA0(c+1, 25, a)

#define ROW3(row, f, a, c) \
	ROW2(row, f, a, c);  \
	FMLA0(c+2, 26, a)

// PAIRn(a, c) is two rows whose elements of A share a register.
#define PAIR1(a, c) \
	FMLA0(c, 24, a);    \
	FMLA1(c+3, 24, a)

#define PAIR2(a, c) \
	PAIR1(a, c);        \
	FMLA0(c+1, 25, a);  \
	FMLA1(c+4, 25, a)

#define PAIR3(a, c) \
	PAIR2(a, c);        \
	FMLA0(c+2, 26, a);  \
	FMLA1(c+5, 26, a)

// APART and TOGETHER are a step of a tile. For TOGETHER the rows of A are adjacent in memory. load
// loads the columns of B; row and pair are for as many registers.
#define APART(load, row) \
	load;                  \
	row(R8, F28, 28, 0);   \
	row(R9, F29, 29, 3);   \
	row(R10, F30, 30, 6);  \
	row(R11, F31, 31, 9);  \
	row(R12, F28, 28, 12); \
	row(R13, F29, 29, 15); \
	row(R14, F30, 30, 18); \
	row(R15, F31, 31, 21); \
	ADD  R6, R16;          \
	ADD  R7, R1;           \
	SUB  $1, R4

#define TOGETHER(load, pair) \
	load;                     \
	FLDPQ (R8), (F28, F29);   \
	FLDPQ 32(R8), (F30, F31); \
	PAIRS(pair);              \
	ADD  R6, R8;              \
	ADD  R7, R1;              \
	SUB  $1, R4

#define PAIRS(pair) \
	pair(28, 0);  \
	pair(29, 6);  \
	pair(30, 12); \
	pair(31, 18)

// EIGHT applies op to the rows of a tile.
#define EIGHT(op) \
	op(V0, V1, V2);    \
	op(V3, V4, V5);    \
	op(V6, V7, V8);    \
	op(V9, V10, V11);  \
	op(V12, V13, V14); \
	op(V15, V16, V17); \
	op(V18, V19, V20); \
	op(V21, V22, V23)

#define CLEAR(c0, c1, c2) \
	VEOR c0.B16, c0.B16, c0.B16; \
	VEOR c1.B16, c1.B16, c1.B16; \
	VEOR c2.B16, c2.B16, c2.B16

#define CLEARTILE EIGHT(CLEAR)

// ADDROW is row = row + alpha*ab; STOREROW is row = alpha*ab. V24 is alpha.
#define ADDROW(c0, c1, c2) \
	FLDPQ (R2), (F25, F26);      \
	FMOVQ 32(R2), F27;           \
	VFMLA V24.D2, c0.D2, V25.D2; \
	VFMLA V24.D2, c1.D2, V26.D2; \
	VFMLA V24.D2, c2.D2, V27.D2; \
	FSTPQ (F25, F26), (R2);      \
	FMOVQ F27, 32(R2);           \
	ADD   R3, R2

#define STOREROW(c0, c1, c2) \
	FMUL(25, c0, 24);       \
	FMUL(26, c1, 24);       \
	FMUL(27, c2, 24);       \
	FSTPQ (F25, F26), (R2); \
	FMOVQ F27, 32(R2);      \
	ADD   R3, R2

// KEEPROW stores a row of ab in the frame.
#define KEEPROW(c0, c1, c2) \
	FSTPQ (c0, c1), (R21); \
	FMOVQ c2, 32(R21);     \
	ADD   $48, R21

// ROWOFA sets row to the row after previous, or to previous if there are at most i rows.
#define ROWOFA(previous, row, i) \
	CMP  $i, R17;              \
	CSEL GT, R5, ZR, R21;      \
	ADD  R21, previous, row

// func stripNEON(s *Strip)
TEXT ·stripNEON(SB), NOSPLIT, $384-8
	MOVD s+0(FP), R26
	MOVD Strip_A(R26), R0
	MOVD Strip_LineA(R26), R5
	MOVD Strip_StepA(R26), R6
	MOVD Strip_StepB(R26), R7
	MOVD Strip_C(R26), R2
	MOVD Strip_LDC(R26), R3
	MOVD Strip_Rows(R26), R17
	MOVD Strip_Cols(R26), R19
	MOVD Strip_Diagonal(R26), R20
	LSL  $3, R5
	LSL  $3, R6
	LSL  $3, R7
	LSL  $3, R3

tile:
	// R22: the columns of the last row, which is the longest.
	CMP  $8, R17
	MOVD $8, R22
	CSEL LT, R17, R22, R22
	ADD  R20, R22
	CMP  R19, R22
	CSEL GT, R19, R22, R22
	CMP  $0, R22
	BLE  next
	CLEARTILE
	MOVD Strip_B(R26), R1
	MOVD Strip_Depth(R26), R4
	MOVD R0, R8
	CBZ  R4, finish
	CMP  $8, R17
	BLT  apart
	CMP  $8, R5
	BEQ  together

apart:
	ROWOFA(R8, R9, 1)
	ROWOFA(R9, R10, 2)
	ROWOFA(R10, R11, 3)
	ROWOFA(R11, R12, 4)
	ROWOFA(R12, R13, 5)
	ROWOFA(R13, R14, 6)
	ROWOFA(R14, R15, 7)
	MOVD $0, R16
	CMP  $3, R22
	BEQ  apart3
	BLT  apartless
	CMP  $5, R22
	BEQ  apart5
	BLT  apart4

	PCALIGN $32
apart6:
	APART(LOADCOLS6, ROW3)
	CBNZ R4, apart6
	B    finish

	PCALIGN $32
apart5:
	APART(LOADCOLS5, ROW3)
	CBNZ R4, apart5
	B    finish

	PCALIGN $32
apart4:
	APART(LOADCOLS4, ROW2)
	CBNZ R4, apart4
	B    finish

	PCALIGN $32
apart3:
	APART(LOADCOLS3, ROW2)
	CBNZ R4, apart3
	B    finish

apartless:
	CMP  $1, R22
	BEQ  apart1

	PCALIGN $32
apart2:
	APART(LOADCOLS2, ROW1)
	CBNZ R4, apart2
	B    finish

	PCALIGN $32
apart1:
	APART(LOADCOLS1, ROW1)
	CBNZ R4, apart1
	B    finish

together:
	CMP  $3, R22
	BEQ  together3
	BLT  togetherless
	CMP  $5, R22
	BEQ  together5
	BLT  together4

	// The upper half of the next step's A is loaded as soon as its registers are free, which
	// shortens the wait on in-order processors.
	FLDPQ (R8), (F28, F29)
	SUB   $1, R4
	CBZ   R4, last6

	PCALIGN $32
together6:
	LOADCOLS6
	FLDPQ 32(R8), (F30, F31)
	ADD R6, R8
	ADD R7, R1
	SUB $1, R4
	PAIR3(28, 0)
	PAIR3(29, 6)
	FLDPQ (R8), (F28, F29)
	PAIR3(30, 12)
	PAIR3(31, 18)
	CBNZ R4, together6

last6:
	LOADCOLS6
	FLDPQ 32(R8), (F30, F31)
	PAIRS(PAIR3)
	B finish

	PCALIGN $32
together5:
	TOGETHER(LOADCOLS5, PAIR3)
	CBNZ R4, together5
	B    finish

	PCALIGN $32
together4:
	TOGETHER(LOADCOLS4, PAIR2)
	CBNZ R4, together4
	B    finish

	PCALIGN $32
together3:
	TOGETHER(LOADCOLS3, PAIR2)
	CBNZ R4, together3
	B    finish

togetherless:
	CMP  $1, R22
	BEQ  together1

	PCALIGN $32
together2:
	TOGETHER(LOADCOLS2, PAIR1)
	CBNZ R4, together2
	B    finish

	PCALIGN $32
together1:
	TOGETHER(LOADCOLS1, PAIR1)
	CBNZ R4, together1
	B    finish

finish:
	FMOVD Strip_Alpha(R26), F24
	VDUP  V24.D[0], V24.D2
	MOVBU Strip_Accumulate(R26), R21
	CMP   $8, R17
	BLT   partial
	CMP   $6, R19
	BNE   partial
	CMP   $5, R20
	BLT   partial
	CBZ   R21, store
	EIGHT(ADDROW)
	B    below

store:
	STOREROW(0, 1, 2)
	STOREROW(3, 4, 5)
	STOREROW(6, 7, 8)
	STOREROW(9, 10, 11)
	STOREROW(12, 13, 14)
	STOREROW(15, 16, 17)
	STOREROW(18, 19, 20)
	STOREROW(21, 22, 23)
	B    below

	// The tile is not full, or the diagonal of C crosses it: element by element.
partial:
	MOVD $ab-384(SP), R21
	KEEPROW(F0, F1, F2)
	KEEPROW(F3, F4, F5)
	KEEPROW(F6, F7, F8)
	KEEPROW(F9, F10, F11)
	KEEPROW(F12, F13, F14)
	KEEPROW(F15, F16, F17)
	KEEPROW(F18, F19, F20)
	KEEPROW(F21, F22, F23)
	MOVD  $ab-384(SP), R21
	MOVBU Strip_Accumulate(R26), R4
	CMP   $8, R17
	MOVD  $8, R22
	CSEL  LT, R17, R22, R22 // rows of the tile
	MOVD  R20, R16

row:
	ADD  $1, R16
	CMP  R19, R16
	CSEL GT, R19, R16, R23 // elements of the row
	MOVD R21, R24
	MOVD R2, R25
	CMP  $0, R23
	BLE  rowend

element:
	FMOVD.P 8(R24), F25
	CBZ     R4, product
	FMOVD   (R25), F26
	FMADDD  F25, F26, F24, F26
	FMOVD.P F26, 8(R25)
	SUB     $1, R23
	CBNZ    R23, element
	B       rowend

product:
	FMULD   F25, F24, F26
	FMOVD.P F26, 8(R25)
	SUB     $1, R23
	CBNZ    R23, element

rowend:
	ADD  $48, R21
	ADD  R3, R2
	SUB  $1, R22
	CBNZ R22, row
	B    below

	// The tile is above the diagonal.
next:
	ADD R3<<3, R2

below:
	ADD  R5<<3, R0
	ADD  $8, R20
	SUBS $8, R17
	BGT  tile
	RET

// func peakNEON(iterations int)
//
// Only the 24 multiply-adds of a step.
TEXT ·peakNEON(SB), NOSPLIT, $0-8
	MOVD iterations+0(FP), R4
	CLEARTILE
	CLEAR(V24, V25, V26)
	CLEAR(V28, V29, V30)
	VEOR V31.B16, V31.B16, V31.B16

	PCALIGN $32
loop:
	PAIRS(PAIR3)
	SUB  $1, R4
	CBNZ R4, loop
	RET
