//go:build !purego

// Kernel.SymRow for AVX2.
//
//	SI row    R8 v    R9 w    R10 x    R11 p    CX elements left    AX scratch
//
//	Y0 to Y7      the 32 lanes of the inner product
//	Y8, Y9, Y10   vr, wr, xr, broadcast
//	Y11 the row   Y12 p    Y13 scratch    Y15 the mask of the last elements

#include "textflag.h"
#include "lanes_avx2_amd64.h"

#define PART(offset, lane) \
	VMOVUPD      offset(SI), Y11;       \
	VMOVUPD      offset(R11), Y12;      \
	VFNMADD231PD offset(R9), Y8, Y11;   \
	VFNMADD231PD offset(R8), Y9, Y11;   \
	VMOVUPD      Y11, offset(SI);       \
	VFMADD231PD  Y10, Y11, Y12;         \
	VFMADD231PD  offset(R10), Y11, lane; \
	VMOVUPD      Y12, offset(R11)

#define ADVANCE(bytes) \
	ADDQ $bytes, SI;  \
	ADDQ $bytes, R8;  \
	ADDQ $bytes, R9;  \
	ADDQ $bytes, R10; \
	ADDQ $bytes, R11

// REST is PART for the remaining elements, fewer than four, through a mask. The other lanes
// keep their value, including the sign of zero.
#define REST(lane, more) \
	CMPQ CX, $4;                        \
	JGE  more;                          \
	TESTQ CX, CX;                       \
	JZ   fold;                          \
	MASK(Y15);                          \
	VMASKMOVPD (SI), Y15, Y11;          \
	VMASKMOVPD (R11), Y15, Y12;         \
	VMASKMOVPD (R9), Y15, Y13;          \
	VFNMADD231PD Y13, Y8, Y11;          \
	VMASKMOVPD (R8), Y15, Y13;          \
	VFNMADD231PD Y13, Y9, Y11;          \
	VMASKMOVPD Y11, Y15, (SI);          \
	VFMADD231PD Y10, Y11, Y12;          \
	VMASKMOVPD Y12, Y15, (R11);         \
	VMASKMOVPD (R10), Y15, Y13;         \
	VFMADD213PD lane, Y13, Y11;         \
	VBLENDVPD Y15, Y11, lane, lane;     \
	JMP  fold;                          \
more:                                       \
	PART(0, lane);                      \
	ADVANCE(32);                        \
	SUBQ $4, CX

// func symRowAVX2(vr, wr, xr float64, row, v, w, x, p []float64) float64
TEXT ·symRowAVX2(SB), NOSPLIT, $0-152
	VBROADCASTSD vr+0(FP), Y8
	VBROADCASTSD wr+8(FP), Y9
	VBROADCASTSD xr+16(FP), Y10
	MOVQ row_base+24(FP), SI
	MOVQ row_len+32(FP), CX
	MOVQ v_base+48(FP), R8
	MOVQ w_base+72(FP), R9
	MOVQ x_base+96(FP), R10
	MOVQ p_base+120(FP), R11
	CLEAR
	SUBQ $32, CX
	JL   rest

	PCALIGN $32
loop:
	PART(0, Y0)
	PART(32, Y1)
	PART(64, Y2)
	PART(96, Y3)
	PART(128, Y4)
	PART(160, Y5)
	PART(192, Y6)
	PART(224, Y7)
	ADVANCE(256)
	SUBQ $32, CX
	JGE  loop

rest:
	ADDQ $32, CX
	REST(Y0, more0)
	REST(Y1, more1)
	REST(Y2, more2)
	REST(Y3, more3)
	REST(Y4, more4)
	REST(Y5, more5)
	REST(Y6, more6)
	REST(Y7, more7)

	// By halves, as in Dot.
fold:
	FOLD
	VMOVSD       X0, ret+144(FP)
	VZEROUPPER
	RET
