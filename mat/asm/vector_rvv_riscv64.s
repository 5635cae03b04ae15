//go:build !purego

// Vector functions for the vector extension of RISC-V: Kernel.Dot, Sum, Axpy, AxpyRows,
// Scale and Rotate.
//
//	X10  x    X11  y    X12  elements left    X13  elements at a time
//	X14, X15  scratch
//
// Registers are used in groups of eight, which have at least 16 elements. Elements beyond the
// vector length are not processed. The 32 lanes of Dot are 16 elements of V0 and 16 of V8; a
// lane without a term keeps its value, including the sign of zero.

#include "textflag.h"

// CLEAR sets the lanes to +0.
#define CLEAR \
	MOV     $16, X14;                      \
	VSETVLI X14, E64, M8, TU, MA, X13; \
	VMVVI   $0, V0;                        \
	VMVVI   $0, V8

// TAKE sets X13 to the number of elements for the next half of the lanes, and jumps to none if
// there are none.
#define TAKE(enough, none) \
	BEQZ X12, none;                        \
	MOV  $16, X14;                         \
	BGE  X12, X14, enough;                 \
	MOV  X12, X14;                         \
enough:                                        \
	VSETVLI X14, E64, M8, TU, MA, X13; \
	SUB  X13, X12;                         \
	SLLI $3, X13, X14

// FOLD adds the lanes by halves and leaves the sum in F0.
#define FOLD \
	MOV     $16, X14;                      \
	VSETVLI X14, E64, M8, TA, MA, X13; \
	VFADDVV V8, V0, V0;                    \
	HALVE(8);                              \
	HALVE(4);                              \
	HALVE(2);                              \
	HALVE(1);                              \
	VFMVFS  V0, F0

#define HALVE(n) \
	VSLIDEDOWNVI $n, V0, V8;               \
	VFADDVV      V8, V0, V0

// DOTHALF adds the next products to one half of the lanes; at the end it jumps to fold.
#define DOTHALF(enough, lanes) \
	TAKE(enough, fold);        \
	VLE64V    (X10), V16;      \
	VLE64V    (X11), V24;      \
	VFMACCVV  V16, V24, lanes; \
	ADD       X14, X10;        \
	ADD       X14, X11

// func dotRVV(x, y []float64) float64
TEXT ·dotRVV(SB), NOSPLIT, $0-56
	MOV x_base+0(FP), X10
	MOV x_len+8(FP), X12
	MOV y_base+24(FP), X11
	CLEAR

loop:
	DOTHALF(low, V0)
	DOTHALF(high, V8)
	JMP loop

fold:
	FOLD
	MOVD F0, ret+48(FP)
	RET

// SUMHALF is DOTHALF for terms.
#define SUMHALF(enough, lanes) \
	TAKE(enough, fold);        \
	VLE64V  (X10), V16;        \
	VFADDVV V16, lanes, lanes; \
	ADD     X14, X10

// func sumRVV(x []float64) float64
TEXT ·sumRVV(SB), NOSPLIT, $0-32
	MOV x_base+0(FP), X10
	MOV x_len+8(FP), X12
	CLEAR

loop:
	SUMHALF(low, V0)
	SUMHALF(high, V8)
	JMP loop

fold:
	FOLD
	MOVD F0, ret+24(FP)
	RET

// func axpyRVV(alpha float64, x, y []float64)
TEXT ·axpyRVV(SB), NOSPLIT, $0-56
	MOVD alpha+0(FP), F0
	MOV  x_base+8(FP), X10
	MOV  x_len+16(FP), X12
	MOV  y_base+32(FP), X11
	BEQZ X12, done

loop:
	VSETVLI  X12, E64, M8, TA, MA, X13
	VLE64V   (X10), V8
	VLE64V   (X11), V16
	VFMACCVF V8, F0, V16
	VSE64V   V16, (X11)
	SLLI     $3, X13, X14
	ADD      X14, X10
	ADD      X14, X11
	SUB      X13, X12
	BNEZ     X12, loop

done:
	RET

// func axpyRowsRVV(x, a []float64, lda int, y []float64)
//
// X16 is A from the current column on, X17 the distance between rows, X18 the rows left and
// X19 the current row.
TEXT ·axpyRowsRVV(SB), NOSPLIT, $0-80
	MOV  a_base+24(FP), X16
	MOV  lda+48(FP), X17
	MOV  y_base+56(FP), X11
	MOV  y_len+64(FP), X12
	SLLI $3, X17
	BEQZ X12, done

columns:
	VSETVLI X12, E64, M8, TA, MA, X13
	VLE64V  (X11), V16
	MOV     x_base+0(FP), X10
	MOV     x_len+8(FP), X18
	MOV     X16, X19
	BEQZ    X18, store

row:
	MOVD     (X10), F0
	VLE64V   (X19), V8
	VFMACCVF V8, F0, V16
	ADD      $8, X10
	ADD      X17, X19
	ADD      $-1, X18
	BNEZ     X18, row

store:
	VSE64V V16, (X11)
	SLLI   $3, X13, X14
	ADD    X14, X11
	ADD    X14, X16
	SUB    X13, X12
	BNEZ   X12, columns

done:
	RET

// func scaleRVV(alpha float64, x []float64)
TEXT ·scaleRVV(SB), NOSPLIT, $0-32
	MOVD alpha+0(FP), F0
	MOV  x_base+8(FP), X10
	MOV  x_len+16(FP), X12
	BEQZ X12, done

loop:
	VSETVLI X12, E64, M8, TA, MA, X13
	VLE64V  (X10), V8
	VFMULVF F0, V8, V8
	VSE64V  V8, (X10)
	SLLI    $3, X13, X14
	ADD     X14, X10
	SUB     X13, X12
	BNEZ    X12, loop

done:
	RET

// func rotateRVV(c, s float64, x, y []float64)
TEXT ·rotateRVV(SB), NOSPLIT, $0-64
	MOVD c+0(FP), F0
	MOVD s+8(FP), F1
	MOV  x_base+16(FP), X10
	MOV  x_len+24(FP), X12
	MOV  y_base+40(FP), X11
	BEQZ X12, done

loop:
	VSETVLI X12, E64, M8, TA, MA, X13
	VLE64V  (X10), V0
	VLE64V  (X11), V8
	VFMULVF F0, V0, V16
	VFMULVF F1, V8, V24
	VFADDVV V24, V16, V16
	VSE64V  V16, (X10)
	VFMULVF F0, V8, V8
	VFMULVF F1, V0, V0
	VFSUBVV V0, V8, V8
	VSE64V  V8, (X11)
	SLLI    $3, X13, X14
	ADD     X14, X10
	ADD     X14, X11
	SUB     X13, X12
	BNEZ    X12, loop

done:
	RET
