//go:build !purego

// Vector functions for NEON: Kernel.Dot, Sum, Axpy, AxpyRows and Rotate.
//
//	R0  x (AxpyRows: A)    R1  y    R2  elements left

#include "textflag.h"
#include "neon_arm64.h"

#define CLEAR(v0, v1, v2, v3) \
	VEOR v0.B16, v0.B16, v0.B16; \
	VEOR v1.B16, v1.B16, v1.B16; \
	VEOR v2.B16, v2.B16, v2.B16; \
	VEOR v3.B16, v3.B16, v3.B16

#define CLEARLANES \
	CLEAR(V0, V1, V2, V3);    \
	CLEAR(V4, V5, V6, V7);    \
	CLEAR(V8, V9, V10, V11);  \
	CLEAR(V12, V13, V14, V15)

// FOLD adds the 32 lanes of V0 to V15 by halves and leaves the sum in F0.
#define FOLD \
	FADD(0, 0, 8);  \
	FADD(1, 1, 9);  \
	FADD(2, 2, 10); \
	FADD(3, 3, 11); \
	FADD(4, 4, 12); \
	FADD(5, 5, 13); \
	FADD(6, 6, 14); \
	FADD(7, 7, 15); \
	FADD(0, 0, 4);  \
	FADD(1, 1, 5);  \
	FADD(2, 2, 6);  \
	FADD(3, 3, 7);  \
	FADD(0, 0, 2);  \
	FADD(1, 1, 3);  \
	FADD(0, 0, 1);  \
	FADDP(0, 0)

// DOT8 adds eight products to four registers of lanes.
#define DOT8(v0, v1, v2, v3) \
	FLDPQ.P 32(R0), (F16, F17); \
	FLDPQ.P 32(R1), (F20, F21); \
	FLDPQ.P 32(R0), (F18, F19); \
	FLDPQ.P 32(R1), (F22, F23); \
	VFMLA V16.D2, V20.D2, v0;   \
	VFMLA V17.D2, V21.D2, v1;   \
	VFMLA V18.D2, V22.D2, v2;   \
	VFMLA V19.D2, V23.D2, v3

// DOTREST adds two products, or the last one to the first lane, whose neighbour keeps its
// value, including the sign of zero.
#define DOTREST(f, v, more) \
	SUBS  $2, R2;               \
	BGE   more;                 \
	TBZ   $0, R2, fold;         \
	FMOVD (R0), F16;            \
	FMOVD (R1), F17;            \
	FMADDD F16, f, F17, F16;    \
	VMOV  V16.D[0], v.D[0];     \
	B     fold;                 \
more:                               \
	FMOVQ.P 16(R0), F16;        \
	FMOVQ.P 16(R1), F17;        \
	VFMLA V16.D2, V17.D2, v.D2

// func dotNEON(x, y []float64) float64
//
// V0 to V15 are the 32 lanes.
TEXT ·dotNEON(SB), NOSPLIT, $0-56
	MOVD x_base+0(FP), R0
	MOVD x_len+8(FP), R2
	MOVD y_base+24(FP), R1
	CLEARLANES
	SUBS $32, R2
	BLT  rest

	PCALIGN $32
loop:
	DOT8(V0.D2, V1.D2, V2.D2, V3.D2)
	DOT8(V4.D2, V5.D2, V6.D2, V7.D2)
	DOT8(V8.D2, V9.D2, V10.D2, V11.D2)
	DOT8(V12.D2, V13.D2, V14.D2, V15.D2)
	SUBS $32, R2
	BGE  loop

rest:
	ADD  $32, R2
	CBZ  R2, fold
	DOTREST(F0, V0, more0)
	DOTREST(F1, V1, more1)
	DOTREST(F2, V2, more2)
	DOTREST(F3, V3, more3)
	DOTREST(F4, V4, more4)
	DOTREST(F5, V5, more5)
	DOTREST(F6, V6, more6)
	DOTREST(F7, V7, more7)
	DOTREST(F8, V8, more8)
	DOTREST(F9, V9, more9)
	DOTREST(F10, V10, more10)
	DOTREST(F11, V11, more11)
	DOTREST(F12, V12, more12)
	DOTREST(F13, V13, more13)
	DOTREST(F14, V14, more14)
	DOTREST(F15, V15, more15)

fold:
	FOLD
	FMOVD F0, ret+48(FP)
	RET

// SUM8 adds eight terms to four registers of lanes.
#define SUM8(v0, v1, v2, v3) \
	FLDPQ.P 32(R0), (F16, F17); \
	FLDPQ.P 32(R0), (F18, F19); \
	FADD(v0, v0, 16);           \
	FADD(v1, v1, 17);           \
	FADD(v2, v2, 18);           \
	FADD(v3, v3, 19)

// SUMREST adds two terms, or the last one and +0, which changes nothing: a lane that starts
// at +0 never becomes -0 by additions.
#define SUMREST(v, more) \
	SUBS  $2, R2;        \
	BGE   more;          \
	TBZ   $0, R2, fold;  \
	FMOVD (R0), F16;     \
	FADD(v, v, 16);      \
	B     fold;          \
more:                        \
	FMOVQ.P 16(R0), F16; \
	FADD(v, v, 16)

// func sumNEON(x []float64) float64
//
// V0 to V15 are the 32 lanes.
TEXT ·sumNEON(SB), NOSPLIT, $0-32
	MOVD x_base+0(FP), R0
	MOVD x_len+8(FP), R2
	CLEARLANES
	SUBS $32, R2
	BLT  rest

	PCALIGN $32
loop:
	SUM8(0, 1, 2, 3)
	SUM8(4, 5, 6, 7)
	SUM8(8, 9, 10, 11)
	SUM8(12, 13, 14, 15)
	SUBS $32, R2
	BGE  loop

rest:
	ADD  $32, R2
	CBZ  R2, fold
	SUMREST(0, more0)
	SUMREST(1, more1)
	SUMREST(2, more2)
	SUMREST(3, more3)
	SUMREST(4, more4)
	SUMREST(5, more5)
	SUMREST(6, more6)
	SUMREST(7, more7)
	SUMREST(8, more8)
	SUMREST(9, more9)
	SUMREST(10, more10)
	SUMREST(11, more11)
	SUMREST(12, more12)
	SUMREST(13, more13)
	SUMREST(14, more14)
	SUMREST(15, more15)

fold:
	FOLD
	FMOVD F0, ret+24(FP)
	RET

// func axpyNEON(alpha float64, x, y []float64)
//
// V0 is alpha.
TEXT ·axpyNEON(SB), NOSPLIT, $0-56
	FMOVD alpha+0(FP), F0
	VDUP  V0.D[0], V0.D2
	MOVD  x_base+8(FP), R0
	MOVD  x_len+16(FP), R2
	MOVD  y_base+32(FP), R1
	SUBS  $8, R2
	BLT   pairs

	PCALIGN $32
loop:
	FLDPQ.P 32(R0), (F1, F2)
	FLDPQ.P 32(R0), (F3, F4)
	FLDPQ (R1), (F5, F6)
	FLDPQ 32(R1), (F7, F8)
	VFMLA V0.D2, V1.D2, V5.D2
	VFMLA V0.D2, V2.D2, V6.D2
	VFMLA V0.D2, V3.D2, V7.D2
	VFMLA V0.D2, V4.D2, V8.D2
	FSTPQ.P (F5, F6), 32(R1)
	FSTPQ.P (F7, F8), 32(R1)
	SUBS $8, R2
	BGE  loop

pairs:
	ADDS $6, R2
	BLT  rest

pair:
	FMOVQ.P 16(R0), F1
	FMOVQ (R1), F5
	VFMLA V0.D2, V1.D2, V5.D2
	FMOVQ.P F5, 16(R1)
	SUBS $2, R2
	BGE  pair

rest:
	TBZ  $0, R2, done
	FMOVD (R0), F1
	FMOVD (R1), F5
	FMADDD F1, F5, F0, F5
	FMOVD F5, (R1)

done:
	RET

// LOADFOUR and LOADONE load four elements of a row of A, or one. ADDFOUR0, ADDFOUR1, ADDONE0
// and ADDONE1 add them to y in V16 and V17, multiplied by one of the two elements of x in a
// register.
#define LOADFOUR(row) FLDPQ.P 32(row), (F18, F19)
#define LOADONE(row) FMOVD.P 8(row), F18

#define ADDFOUR0(x) \
	FMLA0(16, 18, x); \
	FMLA0(17, 19, x)

#define ADDFOUR1(x) \
	FMLA1(16, 18, x); \
	FMLA1(17, 19, x)

#define ADDONE0(x) FMLA0(16, 18, x)
#define ADDONE1(x) FMLA1(16, 18, x)

// ONEROW, FOURROWS and EIGHTROWS add rows of A.
#define ONEROW(LOAD, ADD0, ADD1) \
	LOAD(R4); \
	ADD0(0)

#define FOURROWS(LOAD, ADD0, ADD1) \
	ONEROW(LOAD, ADD0, ADD1); \
	LOAD(R5);  \
	ADD1(0);   \
	LOAD(R6);  \
	ADD0(1);   \
	LOAD(R7);  \
	ADD1(1)

#define EIGHTROWS(LOAD, ADD0, ADD1) \
	FOURROWS(LOAD, ADD0, ADD1); \
	LOAD(R8);  \
	ADD0(2);   \
	LOAD(R9);  \
	ADD1(2);   \
	LOAD(R10); \
	ADD0(3);   \
	LOAD(R11); \
	ADD1(3)

// PASS iterates over y with ROWS, four elements at a time and the last ones singly.
#define PASS(ROWS, four, rest, one, end) \
	MOVD R1, R12;                        \
	SUBS $4, R13, R2;                    \
	BLT  rest;                           \
four:                                        \
	FLDPQ (R12), (F16, F17);             \
	ROWS(LOADFOUR, ADDFOUR0, ADDFOUR1);  \
	FSTPQ.P (F16, F17), 32(R12);         \
	SUBS $4, R2;                         \
	BGE  four;                           \
rest:                                        \
	ADDS $4, R2;                         \
	BEQ  end;                            \
one:                                         \
	FMOVD (R12), F16;                    \
	ROWS(LOADONE, ADDONE0, ADDONE1);     \
	FMOVD.P F16, 8(R12);                 \
	SUBS $1, R2;                         \
	BNE  one;                            \
end:

// func axpyRowsNEON(x, a []float64, lda int, y []float64)
//
// Rows are added in passes over y: eight per pass, then four, then one.
//
//	R0  first row          R3  bytes from one row to the next    R4 to R11  positions in rows
//	R12 position in y      R13 elements of y                     R14 x   R15 rows left
//	V0 to V3   x           V16, V17  four elements of y          V18, V19  of a row
TEXT ·axpyRowsNEON(SB), NOSPLIT, $0-80
	MOVD x_base+0(FP), R14
	MOVD x_len+8(FP), R15
	MOVD a_base+24(FP), R0
	MOVD lda+48(FP), R3
	MOVD y_base+56(FP), R1
	MOVD y_len+64(FP), R13
	LSL  $3, R3
	SUBS $8, R15
	BLT  fours

eights:
	FLDPQ.P 32(R14), (F0, F1)
	FLDPQ.P 32(R14), (F2, F3)
	MOVD R0, R4
	ADD  R3, R4, R5
	ADD  R3, R5, R6
	ADD  R3, R6, R7
	ADD  R3, R7, R8
	ADD  R3, R8, R9
	ADD  R3, R9, R10
	ADD  R3, R10, R11
	ADD  R3, R11, R0
	PASS(EIGHTROWS, four8, rest8, one8, end8)
	SUBS $8, R15
	BGE  eights

fours:
	ADDS $4, R15
	BLT  ones
	FLDPQ.P 32(R14), (F0, F1)
	MOVD R0, R4
	ADD  R3, R4, R5
	ADD  R3, R5, R6
	ADD  R3, R6, R7
	ADD  R3, R7, R0
	PASS(FOURROWS, four4, rest4, one4, end4)
	SUB  $4, R15

ones:
	ADDS $4, R15
	BEQ  done

single:
	FMOVD.P 8(R14), F0
	MOVD R0, R4
	ADD  R3, R0
	PASS(ONEROW, four1, rest1, one1, end1)
	SUBS $1, R15
	BNE  single

done:
	RET

// func rotateNEON(c, s float64, x, y []float64)
//
// V0 is c, V1 is s; u in V2 and V3, and v in V4 and V5, become c*u + s*v and
// c*v - s*u.
TEXT ·rotateNEON(SB), NOSPLIT, $0-64
	FMOVD c+0(FP), F0
	FMOVD s+8(FP), F1
	VDUP  V0.D[0], V0.D2
	VDUP  V1.D[0], V1.D2
	MOVD  x_base+16(FP), R0
	MOVD  x_len+24(FP), R2
	MOVD  y_base+40(FP), R1
	SUBS  $4, R2
	BLT   rest

	PCALIGN $32
loop:
	FLDPQ (R0), (F2, F3)
	FLDPQ (R1), (F4, F5)
	FMUL(6, 0, 2)
	FMUL(7, 0, 3)
	FMUL(16, 1, 4)
	FMUL(17, 1, 5)
	FMUL(18, 0, 4)
	FMUL(19, 0, 5)
	FMUL(20, 1, 2)
	FMUL(21, 1, 3)
	FADD(6, 6, 16)
	FADD(7, 7, 17)
	FSUB(18, 18, 20)
	FSUB(19, 19, 21)
	FSTPQ.P (F6, F7), 32(R0)
	FSTPQ.P (F18, F19), 32(R1)
	SUBS $4, R2
	BGE  loop

rest:
	ADDS $4, R2
	BEQ  done

one:
	FMOVD (R0), F2
	FMOVD (R1), F4
	FMULD F0, F2, F6
	FMULD F1, F4, F16
	FMULD F0, F4, F18
	FMULD F1, F2, F20
	FADDD F16, F6, F6
	FSUBD F20, F18, F18
	FMOVD.P F6, 8(R0)
	FMOVD.P F18, 8(R1)
	SUBS $1, R2
	BNE  one

done:
	RET
