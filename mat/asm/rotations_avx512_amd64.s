//go:build !purego

// Chains of rotations for AVX-512: Kernel.RotateChain.
//
//	SI, DI  cosines and sines    CX  rotations left
//	DX  row x    R8  bytes from row to row
//
//	Z0, Z1     cosine and sine, broadcast
//	Z2 to Z5   row x, carried from rotation to rotation
//	Z6 to Z9   row y
//	Z10 to Z13 scratch
//
// Only the second product of y waits for the rotation before.

#include "textflag.h"

#define TURN(x, y, t) \
	VMULPD       y, Z1, t;  \
	VMULPD       y, Z0, y;  \
	VFMADD231PD  x, Z0, t;  \
	VFNMADD231PD x, Z1, y

// func rotateChainAVX512(c, s, slab []float64, width, step int)
TEXT ·rotateChainAVX512(SB), NOSPLIT, $0-88
	MOVQ c_base+0(FP), SI
	MOVQ c_len+8(FP), CX
	MOVQ s_base+24(FP), DI
	MOVQ slab_base+48(FP), DX
	MOVQ width+72(FP), AX
	MOVQ step+80(FP), R8
	SHLQ  $3, R8
	IMULQ AX, R8
	CMPQ AX, $8
	JEQ  narrow
	VMOVUPD (DX), Z2
	VMOVUPD 64(DX), Z3
	VMOVUPD 128(DX), Z4
	VMOVUPD 192(DX), Z5

	PCALIGN $64
wide:
	VBROADCASTSD (SI), Z0
	VBROADCASTSD (DI), Z1
	LEAQ    (DX)(R8*1), AX
	VMOVUPD (AX), Z6
	VMOVUPD 64(AX), Z7
	VMOVUPD 128(AX), Z8
	VMOVUPD 192(AX), Z9
	TURN(Z2, Z6, Z10)
	TURN(Z3, Z7, Z11)
	TURN(Z4, Z8, Z12)
	TURN(Z5, Z9, Z13)
	VMOVUPD Z10, (DX)
	VMOVUPD Z11, 64(DX)
	VMOVUPD Z12, 128(DX)
	VMOVUPD Z13, 192(DX)
	VMOVAPD Z6, Z2
	VMOVAPD Z7, Z3
	VMOVAPD Z8, Z4
	VMOVAPD Z9, Z5
	MOVQ AX, DX
	ADDQ $8, SI
	ADDQ $8, DI
	DECQ CX
	JNZ  wide
	VMOVUPD Z2, (DX)
	VMOVUPD Z3, 64(DX)
	VMOVUPD Z4, 128(DX)
	VMOVUPD Z5, 192(DX)
	VZEROUPPER
	RET

narrow:
	VMOVUPD (DX), Z2

	PCALIGN $64
loop:
	VBROADCASTSD (SI), Z0
	VBROADCASTSD (DI), Z1
	VMOVUPD (DX)(R8*1), Z6
	TURN(Z2, Z6, Z10)
	VMOVUPD Z10, (DX)
	VMOVAPD Z6, Z2
	ADDQ R8, DX
	ADDQ $8, SI
	ADDQ $8, DI
	DECQ CX
	JNZ  loop
	VMOVUPD Z2, (DX)
	VZEROUPPER
	RET
