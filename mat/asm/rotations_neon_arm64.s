//go:build !purego

// Chains of rotations for NEON: Kernel.RotateChain.
//
//	R0, R1  tangents and sines    R2  rotations left    R3  blocks of 8 columns left
//	R4  row x    R5  bytes from row to row    R6 first row, R7 rotations
//	R8, R9  starts of tangents and sines
//
//	V0, V1       tangent and sine, broadcast
//	V2 to V5     row x, kept from rotation to rotation: 8 columns at a time
//	V16 to V19   row y

#include "textflag.h"

// TURN leaves the new x in x and the new y in y.
#define TURN(x, y) \
	VFMLA V0.D2, y.D2, x.D2; \
	VFMLS V1.D2, x.D2, y.D2; \
	VFMLA V0.D2, y.D2, x.D2

// func rotateChainNEON(t, s, slab []float64, width, first, step int)
TEXT ·rotateChainNEON(SB), NOSPLIT, $0-96
	MOVD t_base+0(FP), R8
	MOVD t_len+8(FP), R7
	MOVD s_base+24(FP), R9
	MOVD slab_base+48(FP), R6
	MOVD width+72(FP), R3
	MOVD first+80(FP), R2
	MOVD step+88(FP), R5
	LSL  $3, R5
	MUL  R3, R5, R5
	MUL  R3, R2, R2
	ADD  R2<<3, R6
	LSR  $3, R3

columns:
	MOVD R6, R4
	MOVD R7, R2
	MOVD R8, R0
	MOVD R9, R1
	FLDPQ (R4), (F2, F3)
	FLDPQ 32(R4), (F4, F5)

	PCALIGN $16
loop:
	VLD1R.P 8(R0), [V0.D2]
	VLD1R.P 8(R1), [V1.D2]
	ADD   R5, R4, R10
	FLDPQ (R10), (F16, F17)
	FLDPQ 32(R10), (F18, F19)
	TURN(V2, V16)
	TURN(V3, V17)
	TURN(V4, V18)
	TURN(V5, V19)
	FSTPQ (F2, F3), (R4)
	FSTPQ (F4, F5), 32(R4)
	VMOV  V16.B16, V2.B16
	VMOV  V17.B16, V3.B16
	VMOV  V18.B16, V4.B16
	VMOV  V19.B16, V5.B16
	MOVD  R10, R4
	SUBS  $1, R2
	BNE   loop
	FSTPQ (F2, F3), (R4)
	FSTPQ (F4, F5), 32(R4)
	ADD  $64, R6
	SUBS $1, R3
	BNE  columns
	RET
