//go:build !purego

// Vector functions for AVX-512: Kernel.Dot, Sum, Axpy, AxpyRows and Rotate.
//
//	SI  x (AxpyRows: A)    DI  y    CX  elements left    AX, BX  scratch
//
// The end of a vector uses merging masks: a lane without a term keeps its value, including
// the sign of zero.

#include "textflag.h"
#include "lanes_avx512_amd64.h"

// func dotAVX512(x, y []float64) float64
//
// Z0 to Z3 are the 32 lanes.
TEXT ·dotAVX512(SB), NOSPLIT, $0-56
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	MOVQ y_base+24(FP), DI
	CLEAR(Z0, Z1, Z2, Z3)
	SUBQ $32, CX
	JL   rest

	PCALIGN $32
loop:
	LOAD4((SI), Z4, Z5, Z6, Z7)
	ADDPRODUCTS4((DI), Z4, Z5, Z6, Z7, Z0, Z1, Z2, Z3)
	ADDQ $256, SI
	ADDQ $256, DI
	SUBQ $32, CX
	JGE  loop

rest:
	ADDQ $32, CX
	JZ   fold
	MASK4
	LOAD4END((SI), Z4, Z5, Z6, Z7)
	ADDPRODUCTS4END((DI), Z4, Z5, Z6, Z7, Z0, Z1, Z2, Z3)

fold:
	FOLD(Z0, Z1, Z2, Z3, Y0, Y1, X0, X1)
	VMOVSD X0, ret+48(FP)
	VZEROUPPER
	RET

// func sumAVX512(x []float64) float64
//
// Z0 to Z3 are the 32 lanes.
TEXT ·sumAVX512(SB), NOSPLIT, $0-32
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	CLEAR(Z0, Z1, Z2, Z3)
	SUBQ $32, CX
	JL   rest

	PCALIGN $32
loop:
	VADDPD (SI), Z0, Z0
	VADDPD 64(SI), Z1, Z1
	VADDPD 128(SI), Z2, Z2
	VADDPD 192(SI), Z3, Z3
	ADDQ $256, SI
	SUBQ $32, CX
	JGE  loop

rest:
	ADDQ $32, CX
	JZ   fold
	MASK4
	VADDPD (SI), Z0, K1, Z0
	VADDPD 64(SI), Z1, K2, Z1
	VADDPD 128(SI), Z2, K3, Z2
	VADDPD 192(SI), Z3, K4, Z3

fold:
	FOLD(Z0, Z1, Z2, Z3, Y0, Y1, X0, X1)
	VMOVSD X0, ret+24(FP)
	VZEROUPPER
	RET

// func axpyAVX512(alpha float64, x, y []float64)
//
// Z0 is alpha.
TEXT ·axpyAVX512(SB), NOSPLIT, $0-56
	VBROADCASTSD alpha+0(FP), Z0
	MOVQ x_base+8(FP), SI
	MOVQ x_len+16(FP), CX
	MOVQ y_base+32(FP), DI
	SUBQ $32, CX
	JL   eights

	PCALIGN $32
loop:
	LOAD4((SI), Z1, Z2, Z3, Z4)
	VFMADD213PD (DI), Z0, Z1
	VFMADD213PD 64(DI), Z0, Z2
	VFMADD213PD 128(DI), Z0, Z3
	VFMADD213PD 192(DI), Z0, Z4
	STORE4((DI), Z1, Z2, Z3, Z4)
	ADDQ $256, SI
	ADDQ $256, DI
	SUBQ $32, CX
	JGE  loop

eights:
	ADDQ $24, CX
	JL   rest

eight:
	VMOVUPD (SI), Z1
	VFMADD213PD (DI), Z0, Z1
	VMOVUPD Z1, (DI)
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $8, CX
	JGE  eight

rest:
	ADDQ $8, CX
	JZ   done
	MASK
	VMOVUPD.Z (SI), K1, Z1
	VMOVUPD.Z (DI), K1, Z2
	VFMADD213PD Z2, Z0, Z1
	VMOVUPD Z1, K1, (DI)

done:
	VZEROUPPER
	RET

// ONE, FOUR and EIGHT add as many rows of A to y in Z8: AX is the position in the first row, R8 to
// R11 are 1, 3, 5 and 7 times the distance between rows, Z0 to Z7 hold x.
#define ONE(mask) \
	VFMADD231PD (AX), Z0, mask, Z8

#define FOUR(mask) \
	ONE(mask);                            \
	VFMADD231PD (AX)(R8*1), Z1, mask, Z8; \
	VFMADD231PD (AX)(R8*2), Z2, mask, Z8; \
	VFMADD231PD (AX)(R9*1), Z3, mask, Z8

#define EIGHT(mask) \
	FOUR(mask);                            \
	VFMADD231PD (AX)(R8*4), Z4, mask, Z8;  \
	VFMADD231PD (AX)(R10*1), Z5, mask, Z8; \
	VFMADD231PD (AX)(R9*2), Z6, mask, Z8;  \
	VFMADD231PD (AX)(R11*1), Z7, mask, Z8

// PASS iterates over y with ROWS, eight elements at a time and the last by mask.
#define PASS(ROWS, whole, part, end) \
	MOVQ SI, AX;         \
	MOVQ DI, BX;         \
	MOVQ R12, CX;        \
	TESTQ CX, CX;        \
	JZ   part;           \
whole:                       \
	VMOVUPD (BX), Z8;    \
	ROWS(K2);            \
	VMOVUPD Z8, (BX);    \
	ADDQ $64, AX;        \
	ADDQ $64, BX;        \
	DECQ CX;             \
	JNZ  whole;          \
part:                        \
	TESTQ R13, R13;      \
	JZ   end;            \
	VMOVUPD.Z (BX), K1, Z8; \
	ROWS(K1);            \
	VMOVUPD Z8, K1, (BX); \
end:

// func axpyRowsAVX512(x, a []float64, lda int, y []float64)
//
// Rows are added in passes over y: eight per pass, then four, then one.
//
//	SI  row of A           DI  y              DX  x           R14  rows left
//	R12 whole eights of y  R13, K1  the rest  K2  all lanes
TEXT ·axpyRowsAVX512(SB), NOSPLIT, $0-80
	MOVQ x_base+0(FP), DX
	MOVQ x_len+8(FP), R14
	MOVQ a_base+24(FP), SI
	MOVQ lda+48(FP), R8
	MOVQ y_base+56(FP), DI
	MOVQ y_len+64(FP), CX
	MOVQ CX, R12
	SHRQ $3, R12
	ANDQ $7, CX
	MOVQ CX, R13
	MASK
	KXNORW K2, K2, K2
	SHLQ $3, R8
	LEAQ (R8)(R8*2), R9
	LEAQ (R8)(R8*4), R10
	LEAQ (R9)(R8*4), R11
	SUBQ $8, R14
	JL   fours

eights:
	VBROADCASTSD (DX), Z0
	VBROADCASTSD 8(DX), Z1
	VBROADCASTSD 16(DX), Z2
	VBROADCASTSD 24(DX), Z3
	VBROADCASTSD 32(DX), Z4
	VBROADCASTSD 40(DX), Z5
	VBROADCASTSD 48(DX), Z6
	VBROADCASTSD 56(DX), Z7
	PASS(EIGHT, whole8, part8, end8)
	LEAQ (SI)(R8*8), SI
	ADDQ $64, DX
	SUBQ $8, R14
	JGE  eights

fours:
	ADDQ $4, R14
	JL   ones
	VBROADCASTSD (DX), Z0
	VBROADCASTSD 8(DX), Z1
	VBROADCASTSD 16(DX), Z2
	VBROADCASTSD 24(DX), Z3
	PASS(FOUR, whole4, part4, end4)
	LEAQ (SI)(R8*4), SI
	ADDQ $32, DX
	SUBQ $4, R14

ones:
	ADDQ $4, R14
	JZ   done

one:
	VBROADCASTSD (DX), Z0
	PASS(ONE, whole1, part1, end1)
	ADDQ R8, SI
	ADDQ $8, DX
	DECQ R14
	JNZ  one

done:
	VZEROUPPER
	RET

// ROTATE replaces u, v by c*u + s*v and c*v - s*u; t is scratch, Z0 is c, Z1 is s.
#define ROTATE(u, v, t, w) \
	VMULPD Z1, u, t;  \
	VMULPD Z0, u, u;  \
	VMULPD Z1, v, w;  \
	VMULPD Z0, v, v;  \
	VADDPD w, u, u;   \
	VSUBPD t, v, v

// func rotateAVX512(c, s float64, x, y []float64)
//
// Z0 is c, Z1 is s.
TEXT ·rotateAVX512(SB), NOSPLIT, $0-64
	VBROADCASTSD c+0(FP), Z0
	VBROADCASTSD s+8(FP), Z1
	MOVQ x_base+16(FP), SI
	MOVQ x_len+24(FP), CX
	MOVQ y_base+40(FP), DI
	SUBQ $16, CX
	JL   eight

	PCALIGN $32
loop:
	VMOVUPD (SI), Z2
	VMOVUPD (DI), Z3
	VMOVUPD 64(SI), Z6
	VMOVUPD 64(DI), Z7
	ROTATE(Z2, Z3, Z4, Z5)
	ROTATE(Z6, Z7, Z8, Z9)
	VMOVUPD Z2, (SI)
	VMOVUPD Z3, (DI)
	VMOVUPD Z6, 64(SI)
	VMOVUPD Z7, 64(DI)
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $16, CX
	JGE  loop

eight:
	ADDQ $8, CX
	JL   rest
	VMOVUPD (SI), Z2
	VMOVUPD (DI), Z3
	ROTATE(Z2, Z3, Z4, Z5)
	VMOVUPD Z2, (SI)
	VMOVUPD Z3, (DI)
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $8, CX

rest:
	ADDQ $8, CX
	JZ   done
	MASK
	VMOVUPD.Z (SI), K1, Z2
	VMOVUPD.Z (DI), K1, Z3
	ROTATE(Z2, Z3, Z4, Z5)
	VMOVUPD Z2, K1, (SI)
	VMOVUPD Z3, K1, (DI)

done:
	VZEROUPPER
	RET
