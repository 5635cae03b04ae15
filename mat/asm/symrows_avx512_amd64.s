//go:build !purego

// Kernel.SymRowPair for AVX-512.
//
//	SI row r    DI row r+1    R8 v    R9 w    R10 x    R11 p    CX elements left
//	AX, BX masks of the elements left in both rows
//
//	Z0 to Z3     the 32 lanes of the inner product of row r
//	Z4 to Z7     the same of row r+1
//	Z8, Z9, Z10  v, w, x of row r, broadcast    Z11, Z12, Z13  of row r+1

#include "textflag.h"
#include "lanes_avx512_amd64.h"

#define PART(offset, a, b, v, w, x, p, lane, laneBelow) \
	VMOVUPD offset(SI), a;                \
	VMOVUPD offset(DI), b;                \
	VMOVUPD offset(R9), w;                \
	VMOVUPD offset(R8), v;                \
	VMOVUPD offset(R10), x;               \
	VMOVUPD offset(R11), p;               \
	VFNMADD231PD w, Z8, a;                \
	VFNMADD231PD w, Z11, b;               \
	VFNMADD231PD v, Z9, a;                \
	VFNMADD231PD v, Z12, b;               \
	VMOVUPD a, offset(SI);                \
	VMOVUPD b, offset(DI);                \
	VFMADD231PD Z10, a, p;                \
	VFMADD231PD x, a, lane;               \
	VFMADD231PD x, b, laneBelow;          \
	VFMADD231PD Z13, b, p;                \
	VMOVUPD p, offset(R11)

// END is PART for the elements of the lowest 8 bits of AX and BX; the other lanes keep their
// values.
#define END(offset, lane, laneBelow) \
	KMOVB AX, K1;                         \
	KMOVB BX, K2;                         \
	VMOVUPD.Z offset(SI), K1, Z14;        \
	VMOVUPD.Z offset(DI), K2, Z15;        \
	VMOVUPD.Z offset(R9), K2, Z16;        \
	VMOVUPD.Z offset(R8), K2, Z17;        \
	VMOVUPD.Z offset(R10), K2, Z18;       \
	VMOVUPD.Z offset(R11), K1, Z19;       \
	VFNMADD231PD Z16, Z8, Z14;            \
	VFNMADD231PD Z16, Z11, Z15;           \
	VFNMADD231PD Z17, Z9, Z14;            \
	VFNMADD231PD Z17, Z12, Z15;           \
	VMOVUPD Z14, K1, offset(SI);          \
	VMOVUPD Z15, K2, offset(DI);          \
	VFMADD231PD Z10, Z14, Z19;            \
	VFMADD231PD Z18, Z14, K1, lane;       \
	VFMADD231PD Z18, Z15, K2, laneBelow;  \
	VFMADD231PD Z13, Z15, Z19;            \
	VMOVUPD Z19, K1, offset(R11);         \
	SHRQ $8, AX;                          \
	SHRQ $8, BX

// func symRowPairAVX512(r int, a []float64, lda int, v, w, x, p []float64) (first, second float64)
TEXT ·symRowPairAVX512(SB), NOSPLIT, $0-152
	MOVQ r+0(FP), CX
	MOVQ a_base+8(FP), SI
	MOVQ lda+32(FP), DI
	LEAQ (SI)(DI*8), DI
	MOVQ v_base+40(FP), R8
	MOVQ w_base+64(FP), R9
	MOVQ x_base+88(FP), R10
	MOVQ p_base+112(FP), R11
	VBROADCASTSD (R8)(CX*8), Z8
	VBROADCASTSD (R9)(CX*8), Z9
	VBROADCASTSD (R10)(CX*8), Z10
	VBROADCASTSD 8(R8)(CX*8), Z11
	VBROADCASTSD 8(R9)(CX*8), Z12
	VBROADCASTSD 8(R10)(CX*8), Z13
	CLEAR(Z0, Z1, Z2, Z3)
	CLEAR(Z4, Z5, Z6, Z7)
	SUBQ $32, CX
	JL   rest

	PCALIGN $64
loop:
	PART(0, Z14, Z15, Z16, Z17, Z18, Z19, Z0, Z4)
	PART(64, Z20, Z21, Z22, Z23, Z24, Z25, Z1, Z5)
	PART(128, Z26, Z27, Z28, Z29, Z30, Z31, Z2, Z6)
	PART(192, Z14, Z15, Z16, Z17, Z18, Z19, Z3, Z7)
	ADDQ $256, SI
	ADDQ $256, DI
	ADDQ $256, R8
	ADDQ $256, R9
	ADDQ $256, R10
	ADDQ $256, R11
	SUBQ $32, CX
	JGE  loop

	// Row r+1 has one more element.
rest:
	ADDQ $32, CX
	MOVQ $1, AX
	SHLQ CX, AX
	LEAQ -1(AX)(AX*1), BX
	DECQ AX
	END(0, Z0, Z4)
	TESTQ BX, BX
	JZ    fold
	END(64, Z1, Z5)
	TESTQ BX, BX
	JZ    fold
	END(128, Z2, Z6)
	END(192, Z3, Z7)

fold:
	FOLD(Z0, Z1, Z2, Z3, Y0, Y1, X0, X1)
	FOLD(Z4, Z5, Z6, Z7, Y4, Y5, X4, X5)
	VMOVSD X0, first+136(FP)
	VMOVSD X4, second+144(FP)
	VZEROUPPER
	RET
