//go:build !purego

// Vector functions for AVX2 with FMA: Kernel.Dot, Sum, Axpy, AxpyRows and Rotate.
//
//	SI  x (AxpyRows: A)    DI  y    CX  elements left    AX, BX  scratch
//
// The end of a vector is read through masks if nothing is written there, and is otherwise
// processed one by one: masked stores are slow on many processors with AVX2.

#include "textflag.h"
#include "lanes_avx2_amd64.h"

// DOT adds four products to a register of lanes.
#define DOT(offset, lanes, t) \
	VMOVUPD     offset(SI), t;        \
	VFMADD231PD offset(DI), t, lanes

// DOTREST adds the remaining products, fewer than four, through a mask. The other lanes keep
// their value, including the sign of zero.
#define DOTREST(lanes, more) \
	CMPQ CX, $4;                      \
	JGE  more;                        \
	MASK(Y8);                         \
	VMASKMOVPD  (SI), Y8, Y9;         \
	VMASKMOVPD  (DI), Y8, Y10;        \
	VFMADD213PD lanes, Y10, Y9;       \
	VBLENDVPD   Y8, Y9, lanes, lanes; \
	JMP  fold;                        \
more:                                     \
	DOT(0, lanes, Y8);                \
	ADDQ $32, SI;                     \
	ADDQ $32, DI;                     \
	SUBQ $4, CX

// func dotAVX2(x, y []float64) float64
//
// Y0 to Y7 are the 32 lanes.
TEXT ·dotAVX2(SB), NOSPLIT, $0-56
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	MOVQ y_base+24(FP), DI
	CLEAR
	SUBQ $32, CX
	JL   rest

	PCALIGN $32
loop:
	DOT(0, Y0, Y8)
	DOT(32, Y1, Y9)
	DOT(64, Y2, Y10)
	DOT(96, Y3, Y11)
	DOT(128, Y4, Y12)
	DOT(160, Y5, Y13)
	DOT(192, Y6, Y14)
	DOT(224, Y7, Y15)
	ADDQ $256, SI
	ADDQ $256, DI
	SUBQ $32, CX
	JGE  loop

rest:
	ADDQ $32, CX
	JZ   fold
	DOTREST(Y0, more0)
	DOTREST(Y1, more1)
	DOTREST(Y2, more2)
	DOTREST(Y3, more3)
	DOTREST(Y4, more4)
	DOTREST(Y5, more5)
	DOTREST(Y6, more6)
	DOTREST(Y7, more7)

fold:
	FOLD
	VMOVSD X0, ret+48(FP)
	VZEROUPPER
	RET

// SUMREST adds the remaining terms, fewer than four, through a mask. The other lanes add +0,
// which changes nothing: a lane that starts at +0 never becomes -0 by additions.
#define SUMREST(lanes, more) \
	CMPQ CX, $4;                  \
	JGE  more;                    \
	MASK(Y8);                     \
	VMASKMOVPD (SI), Y8, Y9;      \
	VADDPD     Y9, lanes, lanes;  \
	JMP  fold;                    \
more:                                 \
	VADDPD (SI), lanes, lanes;    \
	ADDQ $32, SI;                 \
	SUBQ $4, CX

// func sumAVX2(x []float64) float64
//
// Y0 to Y7 are the 32 lanes.
TEXT ·sumAVX2(SB), NOSPLIT, $0-32
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	CLEAR
	SUBQ $32, CX
	JL   rest

	PCALIGN $32
loop:
	VADDPD (SI), Y0, Y0
	VADDPD 32(SI), Y1, Y1
	VADDPD 64(SI), Y2, Y2
	VADDPD 96(SI), Y3, Y3
	VADDPD 128(SI), Y4, Y4
	VADDPD 160(SI), Y5, Y5
	VADDPD 192(SI), Y6, Y6
	VADDPD 224(SI), Y7, Y7
	ADDQ $256, SI
	SUBQ $32, CX
	JGE  loop

rest:
	ADDQ $32, CX
	JZ   fold
	SUMREST(Y0, more0)
	SUMREST(Y1, more1)
	SUMREST(Y2, more2)
	SUMREST(Y3, more3)
	SUMREST(Y4, more4)
	SUMREST(Y5, more5)
	SUMREST(Y6, more6)
	SUMREST(Y7, more7)

fold:
	FOLD
	VMOVSD X0, ret+24(FP)
	VZEROUPPER
	RET

// func axpyAVX2(alpha float64, x, y []float64)
//
// Y0 is alpha.
TEXT ·axpyAVX2(SB), NOSPLIT, $0-56
	VBROADCASTSD alpha+0(FP), Y0
	MOVQ x_base+8(FP), SI
	MOVQ x_len+16(FP), CX
	MOVQ y_base+32(FP), DI
	SUBQ $16, CX
	JL   fours

	PCALIGN $32
loop:
	VMOVUPD (SI), Y1
	VMOVUPD 32(SI), Y2
	VMOVUPD 64(SI), Y3
	VMOVUPD 96(SI), Y4
	VFMADD213PD (DI), Y0, Y1
	VFMADD213PD 32(DI), Y0, Y2
	VFMADD213PD 64(DI), Y0, Y3
	VFMADD213PD 96(DI), Y0, Y4
	VMOVUPD Y1, (DI)
	VMOVUPD Y2, 32(DI)
	VMOVUPD Y3, 64(DI)
	VMOVUPD Y4, 96(DI)
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $16, CX
	JGE  loop

fours:
	ADDQ $12, CX
	JL   rest

four:
	VMOVUPD (SI), Y1
	VFMADD213PD (DI), Y0, Y1
	VMOVUPD Y1, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $4, CX
	JGE  four

rest:
	ADDQ $4, CX
	JZ   done

one:
	VMOVSD (SI), X1
	VFMADD213SD (DI), X0, X1
	VMOVSD X1, (DI)
	ADDQ $8, SI
	ADDQ $8, DI
	DECQ CX
	JNZ  one

done:
	VZEROUPPER
	RET

// ONE, FOUR and EIGHT add as many rows of A, multiplied by x0, x1, ..., to y; FMADD is for four
// elements or for one. AX is the position in the first row, R8 to R11 are 1, 3, 5 and 7 times the
// distance between rows.
#define ONE(FMADD, x0, x1, x2, x3, x4, x5, x6, x7, y) \
	FMADD (AX), x0, y

#define FOUR(FMADD, x0, x1, x2, x3, x4, x5, x6, x7, y) \
	FMADD (AX), x0, y;       \
	FMADD (AX)(R8*1), x1, y; \
	FMADD (AX)(R8*2), x2, y; \
	FMADD (AX)(R9*1), x3, y

#define EIGHT(FMADD, x0, x1, x2, x3, x4, x5, x6, x7, y) \
	FOUR(FMADD, x0, x1, x2, x3, x4, x5, x6, x7, y); \
	FMADD (AX)(R8*4), x4, y;                        \
	FMADD (AX)(R10*1), x5, y;                       \
	FMADD (AX)(R9*2), x6, y;                        \
	FMADD (AX)(R11*1), x7, y

// PASS iterates over y with ROWS, four elements at a time and the last ones singly.
#define PASS(ROWS, four, rest, one, end) \
	MOVQ SI, AX;      \
	MOVQ DI, BX;      \
	MOVQ R12, CX;     \
	TESTQ CX, CX;     \
	JZ   rest;        \
four:                     \
	VMOVUPD (BX), Y8; \
	ROWS(VFMADD231PD, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8); \
	VMOVUPD Y8, (BX); \
	ADDQ $32, AX;     \
	ADDQ $32, BX;     \
	DECQ CX;          \
	JNZ  four;        \
rest:                     \
	MOVQ R13, CX;     \
	TESTQ CX, CX;     \
	JZ   end;         \
one:                      \
	VMOVSD (BX), X8;  \
	ROWS(VFMADD231SD, X0, X1, X2, X3, X4, X5, X6, X7, X8); \
	VMOVSD X8, (BX);  \
	ADDQ $8, AX;      \
	ADDQ $8, BX;      \
	DECQ CX;          \
	JNZ  one;         \
end:

// func axpyRowsAVX2(x, a []float64, lda int, y []float64)
//
// Rows are added in passes over y: eight per pass, then four, then one.
//
//	SI  row of A           DI  y         DX  x    R14  rows left
//	R12 whole fours of y   R13 the rest
TEXT ·axpyRowsAVX2(SB), NOSPLIT, $0-80
	MOVQ x_base+0(FP), DX
	MOVQ x_len+8(FP), R14
	MOVQ a_base+24(FP), SI
	MOVQ lda+48(FP), R8
	MOVQ y_base+56(FP), DI
	MOVQ y_len+64(FP), R12
	MOVQ R12, R13
	SHRQ $2, R12
	ANDQ $3, R13
	SHLQ $3, R8
	LEAQ (R8)(R8*2), R9
	LEAQ (R8)(R8*4), R10
	LEAQ (R9)(R8*4), R11
	SUBQ $8, R14
	JL   fours

eights:
	VBROADCASTSD (DX), Y0
	VBROADCASTSD 8(DX), Y1
	VBROADCASTSD 16(DX), Y2
	VBROADCASTSD 24(DX), Y3
	VBROADCASTSD 32(DX), Y4
	VBROADCASTSD 40(DX), Y5
	VBROADCASTSD 48(DX), Y6
	VBROADCASTSD 56(DX), Y7
	PASS(EIGHT, four8, rest8, one8, end8)
	LEAQ (SI)(R8*8), SI
	ADDQ $64, DX
	SUBQ $8, R14
	JGE  eights

fours:
	ADDQ $4, R14
	JL   ones
	VBROADCASTSD (DX), Y0
	VBROADCASTSD 8(DX), Y1
	VBROADCASTSD 16(DX), Y2
	VBROADCASTSD 24(DX), Y3
	PASS(FOUR, four4, rest4, one4, end4)
	LEAQ (SI)(R8*4), SI
	ADDQ $32, DX
	SUBQ $4, R14

ones:
	ADDQ $4, R14
	JZ   done

single:
	VBROADCASTSD (DX), Y0
	PASS(ONE, four1, rest1, one1, end1)
	ADDQ R8, SI
	ADDQ $8, DX
	DECQ R14
	JNZ  single

done:
	VZEROUPPER
	RET

// func rotateAVX2(c, s float64, x, y []float64)
//
// Y0 is c, Y1 is s; u in Y2 and v in Y3 become c*u + s*v and c*v - s*u.
TEXT ·rotateAVX2(SB), NOSPLIT, $0-64
	VBROADCASTSD c+0(FP), Y0
	VBROADCASTSD s+8(FP), Y1
	MOVQ x_base+16(FP), SI
	MOVQ x_len+24(FP), CX
	MOVQ y_base+40(FP), DI
	SUBQ $4, CX
	JL   rest

	PCALIGN $32
loop:
	VMOVUPD (SI), Y2
	VMOVUPD (DI), Y3
	VMULPD  Y1, Y2, Y4
	VMULPD  Y0, Y2, Y2
	VMULPD  Y1, Y3, Y5
	VMULPD  Y0, Y3, Y3
	VADDPD  Y5, Y2, Y2
	VSUBPD  Y4, Y3, Y3
	VMOVUPD Y2, (SI)
	VMOVUPD Y3, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	SUBQ    $4, CX
	JGE     loop

rest:
	ADDQ $4, CX
	JZ   done

one:
	VMOVSD (SI), X2
	VMOVSD (DI), X3
	VMULSD X1, X2, X4
	VMULSD X0, X2, X2
	VMULSD X1, X3, X5
	VMULSD X0, X3, X3
	VADDSD X5, X2, X2
	VSUBSD X4, X3, X3
	VMOVSD X2, (SI)
	VMOVSD X3, (DI)
	ADDQ   $8, SI
	ADDQ   $8, DI
	DECQ   CX
	JNZ    one

done:
	VZEROUPPER
	RET
