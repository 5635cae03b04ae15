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
// Only registers of columns that are in C are computed; with at most 4 columns, V2, V5, V26 and
// V27 are for elements of A, too. A step of a full tile is 24 multiply-adds against 11 loads, each
// of which comes after the last use of its register and several multiply-adds before the next, so
// that in-order processors need not wait. A is loaded by single elements: such processors issue
// 64 bits beside a multiply-add, 128 bits alone. With at most 2 columns there are too few
// multiply-adds to hide 8 loads behind; if the rows of A are adjacent in memory, 4 loads are for
// two rows each. Prefetching is left to the processor.

#include "go_asm.h"
#include "textflag.h"
#include "neon_arm64.h"

// APART and ADJACENT load the element of A in row i, whose address is row, into a register:
// from rows with any stride, and from rows that are adjacent in memory. COLUMNS and COLUMN load
// two columns of B, or one, after 2i others. NOTHING loads nothing.
#define APART(i, row, f)    FMOVD (row)(R16), f
#define ADJACENT(i, row, f) FMOVD (8*i)(R8), f
#define COLUMNS(i, b, f)    FMOVQ (16*i)(b), f
#define COLUMN(i, b, f)     FMOVD (16*i)(b), f
#define NOTHING(i, r, f)

// STEPn is a step of a tile with n registers of columns. here and next load elements of A of this
// step and of the next, load and last columns of B of the next; at is advanced from step to step.
// FIRSTn loads what the first step uses before it loads.
#define FIRST3(row, last) \
	COLUMNS(0, R1, F24); \
	row(0, R8, F28);     \
	row(1, R9, F29);     \
	COLUMNS(1, R1, F25); \
	last(2, R1, F26);    \
	row(2, R10, F30);    \
	row(3, R11, F31);    \
	SUB $1, R4

#define STEP3(here, at, next, load, last) \
	TWO(0, 24, 28, 29);  \
	ADD R7, R1;          \
	TWO(1, 25, 28, 29);  \
	SUB $1, R4;          \
	FMLA0(2, 26, 28);    \
	here(4, R12, F28);   \
	FMLA0(5, 26, 29);    \
	here(5, R13, F29);   \
	TWO(6, 24, 30, 31);  \
	TWO(7, 25, 30, 31);  \
	FMLA0(8, 26, 30);    \
	here(6, R14, F30);   \
	FMLA0(11, 26, 31);   \
	here(7, R15, F31);   \
	TWO(12, 24, 28, 29); \
	ADD R6, at;          \
	TWO(13, 25, 28, 29); \
	FMLA0(14, 26, 28);   \
	next(0, R8, F28);    \
	FMLA0(17, 26, 29);   \
	next(1, R9, F29);    \
	TWO(18, 24, 30, 31); \
	load(0, R1, F24);    \
	TWO(19, 25, 30, 31); \
	load(1, R1, F25);    \
	FMLA0(20, 26, 30);   \
	next(2, R10, F30);   \
	FMLA0(23, 26, 31);   \
	next(3, R11, F31);   \
	last(2, R1, F26)

// TWO is two rows of a register of columns.
#define TWO(c, b, a0, a1) \
	FMLA0(c, b, a0); \
	FMLA0(c+3, b, a1)

#define FIRST2(row, last) \
	COLUMNS(0, R1, F24); \
	EIGHTROWS(row);      \
	last(1, R1, F25);    \
	SUB $1, R4

#define STEP2(at, next, load, last) \
	TWO(0, 24, 26, 27);  \
	ADD R7, R1;          \
	TWO(6, 24, 28, 29);  \
	ADD R6, at;          \
	FMLA0(1, 25, 26);    \
	next(0, R8, F26);    \
	FMLA0(4, 25, 27);    \
	next(1, R9, F27);    \
	FMLA0(7, 25, 28);    \
	next(2, R10, F28);   \
	FMLA0(10, 25, 29);   \
	next(3, R11, F29);   \
	TWO(12, 24, 30, 31); \
	SUB $1, R4;          \
	TWO(18, 24, 2, 5);   \
	load(0, R1, F24);    \
	FMLA0(13, 25, 30);   \
	next(4, R12, F30);   \
	FMLA0(16, 25, 31);   \
	next(5, R13, F31);   \
	FMLA0(19, 25, 2);    \
	next(6, R14, F2);    \
	FMLA0(22, 25, 5);    \
	next(7, R15, F5);    \
	last(1, R1, F25)

#define EIGHTROWS(row) \
	row(0, R8, F26);  \
	row(1, R9, F27);  \
	row(2, R10, F28); \
	row(3, R11, F29); \
	row(4, R12, F30); \
	row(5, R13, F31); \
	row(6, R14, F2);  \
	row(7, R15, F5)

#define FIRST1(row, last) \
	last(0, R1, F24); \
	EIGHTROWS(row);   \
	SUB $1, R4

#define STEP1(at, next, last) \
	FMLA0(0, 24, 26);  \
	ADD R6, at;        \
	FMLA0(3, 24, 27);  \
	ADD R7, R1;        \
	FMLA0(6, 24, 28);  \
	SUB $1, R4;        \
	FMLA0(9, 24, 29);  \
	next(0, R8, F26);  \
	FMLA0(12, 24, 30); \
	next(1, R9, F27);  \
	FMLA0(15, 24, 31); \
	next(2, R10, F28); \
	FMLA0(18, 24, 2);  \
	next(3, R11, F29); \
	FMLA0(21, 24, 5);  \
	last(0, R1, F24);  \
	next(4, R12, F30); \
	next(5, R13, F31); \
	next(6, R14, F2);  \
	next(7, R15, F5)

// STEP1PAIRS loads this step's elements.
#define STEP1PAIRS(last) \
	last(0, R1, F24);  \
	FMOVQ (R8), F28;   \
	FMOVQ 16(R8), F29; \
	FMOVQ 32(R8), F30; \
	FMOVQ 48(R8), F31; \
	PAIR(0, 28);       \
	SUB $1, R4;        \
	PAIR(6, 29);       \
	ADD R6, R8;        \
	PAIR(12, 30);      \
	ADD R7, R1;        \
	PAIR(18, 31)

// PAIR is two rows whose elements of A share a register.
#define PAIR(c, a) \
	FMLA0(c, 24, a); \
	FMLA1(c+3, 24, a)

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
	CMP  $i, R17;         \
	CSEL GT, R5, ZR, R21; \
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

apart6:
	FIRST3(APART, COLUMNS)
	CBZ R4, apart6last

	PCALIGN $32
apart6loop:
	STEP3(APART, R16, APART, COLUMNS, COLUMNS)
	CBNZ R4, apart6loop

apart6last:
	STEP3(APART, R16, NOTHING, NOTHING, NOTHING)
	B finish

apart5:
	FIRST3(APART, COLUMN)
	CBZ R4, apart6last

	PCALIGN $32
apart5loop:
	STEP3(APART, R16, APART, COLUMNS, COLUMN)
	CBNZ R4, apart5loop
	B    apart6last

apart4:
	FIRST2(APART, COLUMNS)
	CBZ R4, apart4last

	PCALIGN $32
apart4loop:
	STEP2(R16, APART, COLUMNS, COLUMNS)
	CBNZ R4, apart4loop

apart4last:
	STEP2(R16, NOTHING, NOTHING, NOTHING)
	B finish

apart3:
	FIRST2(APART, COLUMN)
	CBZ R4, apart4last

	PCALIGN $32
apart3loop:
	STEP2(R16, APART, COLUMNS, COLUMN)
	CBNZ R4, apart3loop
	B    apart4last

apartless:
	CMP  $1, R22
	BEQ  apart1

apart2:
	FIRST1(APART, COLUMNS)
	CBZ R4, apart2last

	PCALIGN $32
apart2loop:
	STEP1(R16, APART, COLUMNS)
	CBNZ R4, apart2loop

apart2last:
	STEP1(R16, NOTHING, NOTHING)
	B finish

apart1:
	FIRST1(APART, COLUMN)
	CBZ R4, apart2last

	PCALIGN $32
apart1loop:
	STEP1(R16, APART, COLUMN)
	CBNZ R4, apart1loop
	B    apart2last

together:
	CMP  $3, R22
	BEQ  together3
	BLT  togetherless
	CMP  $5, R22
	BEQ  together5
	BLT  together4

together6:
	FIRST3(ADJACENT, COLUMNS)
	CBZ R4, together6last

	PCALIGN $32
together6loop:
	STEP3(ADJACENT, R8, ADJACENT, COLUMNS, COLUMNS)
	CBNZ R4, together6loop

together6last:
	STEP3(ADJACENT, R8, NOTHING, NOTHING, NOTHING)
	B finish

together5:
	FIRST3(ADJACENT, COLUMN)
	CBZ R4, together6last

	PCALIGN $32
together5loop:
	STEP3(ADJACENT, R8, ADJACENT, COLUMNS, COLUMN)
	CBNZ R4, together5loop
	B    together6last

together4:
	FIRST2(ADJACENT, COLUMNS)
	CBZ R4, together4last

	PCALIGN $32
together4loop:
	STEP2(R8, ADJACENT, COLUMNS, COLUMNS)
	CBNZ R4, together4loop

together4last:
	STEP2(R8, NOTHING, NOTHING, NOTHING)
	B finish

together3:
	FIRST2(ADJACENT, COLUMN)
	CBZ R4, together4last

	PCALIGN $32
together3loop:
	STEP2(R8, ADJACENT, COLUMNS, COLUMN)
	CBNZ R4, together3loop
	B    together4last

togetherless:
	CMP  $1, R22
	BEQ  together1loop

	PCALIGN $32
together2loop:
	STEP1PAIRS(COLUMNS)
	CBNZ R4, together2loop
	B    finish

	PCALIGN $32
together1loop:
	STEP1PAIRS(COLUMN)
	CBNZ R4, together1loop

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
// A step without its loads.
TEXT ·peakNEON(SB), NOSPLIT, $0-8
	MOVD iterations+0(FP), R4
	CLEARTILE
	CLEAR(V24, V25, V26)
	CLEAR(V28, V29, V30)
	VEOR V31.B16, V31.B16, V31.B16

	PCALIGN $32
loop:
	STEP3(NOTHING, R8, NOTHING, NOTHING, NOTHING)
	CBNZ R4, loop
	RET
