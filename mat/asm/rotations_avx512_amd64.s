//go:build !purego

// Chains of rotations for AVX-512: Kernel.RotateChain and RotateChains.
//
//	SI, DI    tangents and sines    CX  rotations left
//	R9, R10   those of the second chain
//	DX, AX    rows x and y    R8  bytes from row to row
//
//	Z0, Z1      tangent and sine, broadcast
//	Z2 to Z5    row x, kept from rotation to rotation
//	Z6 to Z9    row y
//	Z16, Z17    tangent and sine of the second chain
//	Z18 to Z21  row x of the second chain

#include "textflag.h"

// SHEAR rotates x and y.
#define SHEAR(x, y, t, s) \
	VFMADD231PD  y, t, x; \
	VFNMADD231PD x, s, y; \
	VFMADD231PD  y, t, x

// TURN stores the new x and leaves the new y, which is the next x, in the register of x.
#define TURN(offset, x, y) \
	VMOVUPD offset(AX), y;  \
	SHEAR(x, y, Z0, Z1);    \
	VMOVUPD x, offset(DX);  \
	VMOVAPD y, x

// TURN2 is TURN for the first chain, whose new x is row y of the second. The second chain is
// one row behind, at DX; R11 is where its new x goes.
#define TURN2(offset, x, y, x2) \
	VMOVUPD offset(AX), y;   \
	SHEAR(x, y, Z0, Z1);     \
	SHEAR(x2, x, Z16, Z17);  \
	VMOVUPD x2, offset(R11); \
	VMOVAPD x, x2;           \
	VMOVAPD y, x

#define BEGIN \
	VBROADCASTSD (SI), Z0;  \
	VBROADCASTSD (DI), Z1;  \
	LEAQ (DX)(R8*1), AX

#define NEXT \
	MOVQ AX, DX; \
	ADDQ $8, SI; \
	ADDQ $8, DI; \
	DECQ CX

#define BEGIN2 \
	BEGIN;                    \
	VBROADCASTSD (R9), Z16;   \
	VBROADCASTSD (R10), Z17

#define NEXT2 \
	MOVQ DX, R11; \
	ADDQ $8, R9;  \
	ADDQ $8, R10; \
	NEXT

// func rotateChainAVX512(t, s, slab []float64, width, first, step int)
TEXT ·rotateChainAVX512(SB), NOSPLIT, $0-96
	MOVQ t_base+0(FP), SI
	MOVQ t_len+8(FP), CX
	MOVQ s_base+24(FP), DI
	MOVQ slab_base+48(FP), DX
	MOVQ width+72(FP), AX
	MOVQ first+80(FP), R9
	MOVQ step+88(FP), R8
	SHLQ  $3, R8
	IMULQ AX, R8
	IMULQ AX, R9
	LEAQ  (DX)(R9*8), DX
	VMOVUPD (DX), Z2
	CMPQ AX, $8
	JEQ  narrow
	VMOVUPD 64(DX), Z3
	VMOVUPD 128(DX), Z4
	VMOVUPD 192(DX), Z5

	PCALIGN $64
wide:
	BEGIN
	TURN(0, Z2, Z6)
	TURN(64, Z3, Z7)
	TURN(128, Z4, Z8)
	TURN(192, Z5, Z9)
	NEXT
	JNZ  wide
	VMOVUPD Z3, 64(DX)
	VMOVUPD Z4, 128(DX)
	VMOVUPD Z5, 192(DX)
	VMOVUPD Z2, (DX)
	VZEROUPPER
	RET

	PCALIGN $64
narrow:
	BEGIN
	TURN(0, Z2, Z6)
	NEXT
	JNZ  narrow
	VMOVUPD Z2, (DX)
	VZEROUPPER
	RET

// func rotateChainsAVX512(t1, s1, t2, s2, slab []float64, width, first, step int)
//
// The first chain has one more rotation, which comes first.
TEXT ·rotateChainsAVX512(SB), NOSPLIT, $0-144
	MOVQ t1_base+0(FP), SI
	MOVQ s1_base+24(FP), DI
	MOVQ t2_base+48(FP), R9
	MOVQ t2_len+56(FP), CX
	MOVQ s2_base+72(FP), R10
	MOVQ slab_base+96(FP), DX
	MOVQ width+120(FP), R12
	MOVQ first+128(FP), R11
	MOVQ step+136(FP), R8
	SHLQ  $3, R8
	IMULQ R12, R8
	IMULQ R12, R11
	LEAQ  (DX)(R11*8), DX
	INCQ CX
	MOVQ DX, R11
	VMOVUPD (DX), Z2
	BEGIN
	VMOVUPD (AX), Z6
	SHEAR(Z2, Z6, Z0, Z1)
	VMOVAPD Z2, Z18
	VMOVAPD Z6, Z2
	CMPQ R12, $8
	JEQ  narrow
	VMOVUPD 64(DX), Z3
	VMOVUPD 128(DX), Z4
	VMOVUPD 192(DX), Z5
	VMOVUPD 64(AX), Z7
	VMOVUPD 128(AX), Z8
	VMOVUPD 192(AX), Z9
	SHEAR(Z3, Z7, Z0, Z1)
	SHEAR(Z4, Z8, Z0, Z1)
	SHEAR(Z5, Z9, Z0, Z1)
	VMOVAPD Z3, Z19
	VMOVAPD Z4, Z20
	VMOVAPD Z5, Z21
	VMOVAPD Z7, Z3
	VMOVAPD Z8, Z4
	VMOVAPD Z9, Z5
	NEXT

	PCALIGN $64
wide:
	BEGIN2
	TURN2(0, Z2, Z6, Z18)
	TURN2(64, Z3, Z7, Z19)
	TURN2(128, Z4, Z8, Z20)
	TURN2(192, Z5, Z9, Z21)
	NEXT2
	JNZ  wide
	VMOVUPD Z3, 64(DX)
	VMOVUPD Z4, 128(DX)
	VMOVUPD Z5, 192(DX)
	VMOVUPD Z19, 64(R11)
	VMOVUPD Z20, 128(R11)
	VMOVUPD Z21, 192(R11)
	VMOVUPD Z2, (DX)
	VMOVUPD Z18, (R11)
	VZEROUPPER
	RET

narrow:
	NEXT

	PCALIGN $64
loop:
	BEGIN2
	TURN2(0, Z2, Z6, Z18)
	NEXT2
	JNZ  loop
	VMOVUPD Z2, (DX)
	VMOVUPD Z18, (R11)
	VZEROUPPER
	RET
