//go:build !purego

// Chains of rotations for AVX2: Kernel.RotateChain.
//
//	SI, DI  cosines and sines    CX  rotations left    BX registers of columns left
//	DX  row x    R8  bytes from row to row    R9 first row, R10 rotations
//
//	Y0, Y1     cosine and sine, broadcast
//	Y2, Y3     row x, carried from rotation to rotation: 8 columns at a time
//	Y4, Y5     row y
//	Y6, Y7     scratch
//
// Only the second product of y waits for the rotation before.

#include "textflag.h"

#define TURN(x, y, t) \
	VMULPD       y, Y1, t;  \
	VMULPD       y, Y0, y;  \
	VFMADD231PD  x, Y0, t;  \
	VFNMADD231PD x, Y1, y

// func rotateChainAVX2(c, s, slab []float64, width, step int)
TEXT ·rotateChainAVX2(SB), NOSPLIT, $0-88
	MOVQ c_len+8(FP), R10
	MOVQ slab_base+48(FP), R9
	MOVQ width+72(FP), BX
	MOVQ step+80(FP), R8
	SHLQ  $3, R8
	IMULQ BX, R8
	SHRQ $3, BX

columns:
	MOVQ R9, DX
	MOVQ R10, CX
	MOVQ c_base+0(FP), SI
	MOVQ s_base+24(FP), DI
	VMOVUPD (DX), Y2
	VMOVUPD 32(DX), Y3

	PCALIGN $32
loop:
	VBROADCASTSD (SI), Y0
	VBROADCASTSD (DI), Y1
	VMOVUPD (DX)(R8*1), Y4
	VMOVUPD 32(DX)(R8*1), Y5
	TURN(Y2, Y4, Y6)
	TURN(Y3, Y5, Y7)
	VMOVUPD Y6, (DX)
	VMOVUPD Y7, 32(DX)
	VMOVAPD Y4, Y2
	VMOVAPD Y5, Y3
	ADDQ R8, DX
	ADDQ $8, SI
	ADDQ $8, DI
	DECQ CX
	JNZ  loop
	VMOVUPD Y2, (DX)
	VMOVUPD Y3, 32(DX)
	ADDQ $64, R9
	DECQ BX
	JNZ  columns
	VZEROUPPER
	RET
