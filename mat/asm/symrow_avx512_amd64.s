//go:build !purego

// Kernel.SymRow for AVX-512.
//
//	SI row    R8 v    R9 w    R10 x    R11 p    CX elements left    AX scratch
//
//	Z0 to Z3     the 32 lanes of the inner product
//	Z4, Z5, Z6   vr, wr, xr, broadcast
//	Z7 to Z10    the row    Z11 to Z14  p

#include "textflag.h"
#include "lanes_avx512_amd64.h"

#define PART(offset, row, p, lane) \
	VMOVUPD offset(SI), row;                \
	VMOVUPD offset(R11), p;                 \
	VFNMADD231PD offset(R9), Z4, row;       \
	VFNMADD231PD offset(R8), Z5, row;       \
	VMOVUPD row, offset(SI);                \
	VFMADD231PD Z6, row, p;                 \
	VFMADD231PD offset(R10), row, lane;     \
	VMOVUPD p, offset(R11)

// END is PART for the elements of a mask; the other lanes keep their values.
#define END(mask, offset, row, p, lane) \
	VMOVUPD.Z offset(SI), mask, row;          \
	VMOVUPD.Z offset(R11), mask, p;           \
	VMOVUPD.Z offset(R9), mask, Z15;          \
	VMOVUPD.Z offset(R8), mask, Z16;          \
	VMOVUPD.Z offset(R10), mask, Z17;         \
	VFNMADD231PD Z15, Z4, row;                \
	VFNMADD231PD Z16, Z5, row;                \
	VMOVUPD row, mask, offset(SI);            \
	VFMADD231PD Z6, row, p;                   \
	VFMADD231PD Z17, row, mask, lane;         \
	VMOVUPD p, mask, offset(R11)

// func symRowAVX512(vr, wr, xr float64, row, v, w, x, p []float64) float64
TEXT ·symRowAVX512(SB), NOSPLIT, $0-152
	VBROADCASTSD vr+0(FP), Z4
	VBROADCASTSD wr+8(FP), Z5
	VBROADCASTSD xr+16(FP), Z6
	MOVQ row_base+24(FP), SI
	MOVQ row_len+32(FP), CX
	MOVQ v_base+48(FP), R8
	MOVQ w_base+72(FP), R9
	MOVQ x_base+96(FP), R10
	MOVQ p_base+120(FP), R11
	CLEAR(Z0, Z1, Z2, Z3)
	SUBQ $32, CX
	JL   rest

	PCALIGN $64
loop:
	PART(0, Z7, Z11, Z0)
	PART(64, Z8, Z12, Z1)
	PART(128, Z9, Z13, Z2)
	PART(192, Z10, Z14, Z3)
	ADDQ $256, SI
	ADDQ $256, R8
	ADDQ $256, R9
	ADDQ $256, R10
	ADDQ $256, R11
	SUBQ $32, CX
	JGE  loop

rest:
	ADDQ $32, CX
	JZ   fold
	MASK4
	END(K1, 0, Z7, Z11, Z0)
	CMPQ CX, $8
	JLE  fold
	END(K2, 64, Z8, Z12, Z1)
	CMPQ CX, $16
	JLE  fold
	END(K3, 128, Z9, Z13, Z2)
	END(K4, 192, Z10, Z14, Z3)

	// By halves, as in Dot.
fold:
	FOLD(Z0, Z1, Z2, Z3, Y0, Y1, X0, X1)
	VMOVSD        X0, ret+144(FP)
	VZEROUPPER
	RET
