//go:build !purego

// Chains of rotations for AVX2: Kernel.RotateChain, 32 or 8 columns at a time.
//
//	SI, DI  tangents and sines    CX  rotations left    BX columns left
//	DX  row x    R8  bytes from row to row    R9 first row, R10 rotations
//
//	Y0, Y1     tangent and sine, broadcast
//	Y2 to Y9   row x, kept from rotation to rotation
//	Y10 to Y13 row y

#include "textflag.h"

// TURN stores the new x and leaves the new y, which is the next x, in the register of x.
#define TURN(offset, x, y) \
	VMOVUPD      offset(AX), y;  \
	VFMADD231PD  y, Y0, x;       \
	VFNMADD231PD x, Y1, y;       \
	VFMADD231PD  y, Y0, x;       \
	VMOVUPD      x, offset(DX);  \
	VMOVAPD      y, x

#define BEGIN \
	VBROADCASTSD (SI), Y0;  \
	VBROADCASTSD (DI), Y1;  \
	LEAQ (DX)(R8*1), AX

#define NEXT \
	MOVQ AX, DX; \
	ADDQ $8, SI; \
	ADDQ $8, DI; \
	DECQ CX

// func rotateChainAVX2(t, s, slab []float64, width, first, step int)
TEXT ·rotateChainAVX2(SB), NOSPLIT, $0-96
	MOVQ t_len+8(FP), R10
	MOVQ slab_base+48(FP), R9
	MOVQ width+72(FP), BX
	MOVQ first+80(FP), CX
	MOVQ step+88(FP), R8
	SHLQ  $3, R8
	IMULQ BX, R8
	IMULQ BX, CX
	LEAQ  (R9)(CX*8), R9

columns:
	MOVQ R9, DX
	MOVQ R10, CX
	MOVQ t_base+0(FP), SI
	MOVQ s_base+24(FP), DI
	VMOVUPD (DX), Y2
	VMOVUPD 32(DX), Y3
	CMPQ BX, $32
	JLT  narrow
	VMOVUPD 64(DX), Y4
	VMOVUPD 96(DX), Y5
	VMOVUPD 128(DX), Y6
	VMOVUPD 160(DX), Y7
	VMOVUPD 192(DX), Y8
	VMOVUPD 224(DX), Y9

	PCALIGN $32
wide:
	BEGIN
	TURN(0, Y2, Y10)
	TURN(32, Y3, Y11)
	TURN(64, Y4, Y12)
	TURN(96, Y5, Y13)
	TURN(128, Y6, Y10)
	TURN(160, Y7, Y11)
	TURN(192, Y8, Y12)
	TURN(224, Y9, Y13)
	NEXT
	JNZ  wide
	VMOVUPD Y2, (DX)
	VMOVUPD Y3, 32(DX)
	VMOVUPD Y4, 64(DX)
	VMOVUPD Y5, 96(DX)
	VMOVUPD Y6, 128(DX)
	VMOVUPD Y7, 160(DX)
	VMOVUPD Y8, 192(DX)
	VMOVUPD Y9, 224(DX)
	ADDQ $256, R9
	SUBQ $32, BX
	JNZ  columns
	VZEROUPPER
	RET

	PCALIGN $32
narrow:
	BEGIN
	TURN(0, Y2, Y10)
	TURN(32, Y3, Y11)
	NEXT
	JNZ  narrow
	VMOVUPD Y2, (DX)
	VMOVUPD Y3, 32(DX)
	VZEROUPPER
	RET
