//go:build !purego

// Kernel.SecularSums, SecularVector and LoewnerRatios for AVX-512.
//
//	SI d    DI z, or the product    R8 the vector    CX elements left    AX scratch
//
//	Z0 to Z3     the 32 lanes of the first sum    Z4 to Z7  of the second
//	Z28, Z29, Z30  origin, shift, pole, broadcast

#include "textflag.h"
#include "lanes_avx512_amd64.h"

// DISTANCE sets x to (d-origin)-shift.
#define DISTANCE(offset, x) \
	VMOVUPD offset(SI), x; \
	VSUBPD  Z28, x, x;     \
	VSUBPD  Z29, x, x

#define DISTANCEEND(offset, mask, x) \
	VMOVUPD.Z offset(SI), mask, x; \
	VSUBPD    Z28, x, x;           \
	VSUBPD    Z29, x, x

#define SUMS(offset, x, y, value, slope) \
	DISTANCE(offset, x)           \
	VMOVUPD     offset(DI), y;    \
	VDIVPD      x, y, x;          \
	VFMADD231PD x, y, value;      \
	VFMADD231PD x, x, slope

#define SUMSEND(offset, mask, x, y, value, slope) \
	DISTANCEEND(offset, mask, x)            \
	VMOVUPD.Z   offset(DI), mask, y;        \
	VDIVPD.Z    x, y, mask, x;              \
	VFMADD231PD x, y, mask, value;          \
	VFMADD231PD x, x, mask, slope

#define VECTOR(offset, x, y, square) \
	DISTANCE(offset, x)           \
	VMOVUPD     offset(DI), y;    \
	VDIVPD      x, y, x;          \
	VMOVUPD     x, offset(R8);    \
	VFMADD231PD x, x, square

#define VECTOREND(offset, mask, x, y, square) \
	DISTANCEEND(offset, mask, x)            \
	VMOVUPD.Z   offset(DI), mask, y;        \
	VDIVPD.Z    x, y, mask, x;              \
	VMOVUPD     x, mask, offset(R8);        \
	VFMADD231PD x, x, mask, square

// func secularSumsAVX512(origin, shift float64, d, z []float64) (value, slope float64)
TEXT ·secularSumsAVX512(SB), NOSPLIT, $0-80
	VBROADCASTSD origin+0(FP), Z28
	VBROADCASTSD shift+8(FP), Z29
	MOVQ d_base+16(FP), SI
	MOVQ d_len+24(FP), CX
	MOVQ z_base+40(FP), DI
	CLEAR(Z0, Z1, Z2, Z3)
	CLEAR(Z4, Z5, Z6, Z7)
	SUBQ $32, CX
	JL   rest

	PCALIGN $64
loop:
	SUMS(0, Z8, Z12, Z0, Z4)
	SUMS(64, Z9, Z13, Z1, Z5)
	SUMS(128, Z10, Z14, Z2, Z6)
	SUMS(192, Z11, Z15, Z3, Z7)
	ADDQ $256, SI
	ADDQ $256, DI
	SUBQ $32, CX
	JGE  loop

rest:
	ADDQ $32, CX
	JZ   fold
	MASK4
	SUMSEND(0, K1, Z8, Z12, Z0, Z4)
	CMPQ CX, $8
	JLE  fold
	SUMSEND(64, K2, Z9, Z13, Z1, Z5)
	CMPQ CX, $16
	JLE  fold
	SUMSEND(128, K3, Z10, Z14, Z2, Z6)
	SUMSEND(192, K4, Z11, Z15, Z3, Z7)

fold:
	FOLD(Z0, Z1, Z2, Z3, Y0, Y1, X0, X1)
	FOLD(Z4, Z5, Z6, Z7, Y4, Y5, X4, X5)
	VMOVSD X0, value+64(FP)
	VMOVSD X4, slope+72(FP)
	VZEROUPPER
	RET

// func secularVectorAVX512(origin, shift float64, d, z, v []float64) float64
TEXT ·secularVectorAVX512(SB), NOSPLIT, $0-96
	VBROADCASTSD origin+0(FP), Z28
	VBROADCASTSD shift+8(FP), Z29
	MOVQ d_base+16(FP), SI
	MOVQ d_len+24(FP), CX
	MOVQ z_base+40(FP), DI
	MOVQ v_base+64(FP), R8
	CLEAR(Z0, Z1, Z2, Z3)
	SUBQ $32, CX
	JL   rest

	PCALIGN $64
loop:
	VECTOR(0, Z8, Z12, Z0)
	VECTOR(64, Z9, Z13, Z1)
	VECTOR(128, Z10, Z14, Z2)
	VECTOR(192, Z11, Z15, Z3)
	ADDQ $256, SI
	ADDQ $256, DI
	ADDQ $256, R8
	SUBQ $32, CX
	JGE  loop

rest:
	ADDQ $32, CX
	JZ   fold
	MASK4
	VECTOREND(0, K1, Z8, Z12, Z0)
	CMPQ CX, $8
	JLE  fold
	VECTOREND(64, K2, Z9, Z13, Z1)
	CMPQ CX, $16
	JLE  fold
	VECTOREND(128, K3, Z10, Z14, Z2)
	VECTOREND(192, K4, Z11, Z15, Z3)

fold:
	FOLD(Z0, Z1, Z2, Z3, Y0, Y1, X0, X1)
	VMOVSD X0, ret+88(FP)
	VZEROUPPER
	RET

// func loewnerRatiosAVX512(origin, shift, pole float64, d, product []float64)
TEXT ·loewnerRatiosAVX512(SB), NOSPLIT, $0-72
	VBROADCASTSD origin+0(FP), Z28
	VBROADCASTSD shift+8(FP), Z29
	VBROADCASTSD pole+16(FP), Z30
	MOVQ d_base+24(FP), SI
	MOVQ d_len+32(FP), CX
	MOVQ product_base+48(FP), DI
	SUBQ $8, CX
	JL   rest

	PCALIGN $64
loop:
	VMOVUPD (SI), Z9
	VSUBPD  Z28, Z9, Z8
	VSUBPD  Z29, Z8, Z8
	VSUBPD  Z30, Z9, Z9
	VDIVPD  Z9, Z8, Z8
	VMULPD  (DI), Z8, Z8
	VMOVUPD Z8, (DI)
	ADDQ    $64, SI
	ADDQ    $64, DI
	SUBQ    $8, CX
	JGE     loop

rest:
	ADDQ $8, CX
	JZ   done
	MASK
	VMOVUPD.Z (SI), K1, Z9
	VMOVUPD.Z (DI), K1, Z10
	VSUBPD    Z28, Z9, Z8
	VSUBPD    Z29, Z8, Z8
	VSUBPD    Z30, Z9, Z9
	VDIVPD.Z  Z9, Z8, K1, Z8
	VMULPD    Z10, Z8, Z8
	VMOVUPD   Z8, K1, (DI)

done:
	VZEROUPPER
	RET
