//go:build !purego

// A strip of C, at most 8 columns wide, for the vector extension of RISC-V, from operands with
// any strides: Kernel.Strip. It computes tiles of 4 rows from top to bottom; in the last one,
// missing rows are read where the last row is.
//
//	X5  the Strip             X12  rows left
//	X6  row 0 of A            X13  columns
//	X7  bytes from one row of A to the next
//	X8  bytes from one step of A to the next
//	X9  bytes from one step of B to the next
//	X10 row of C              X14  elements of the row on or left of the diagonal
//	X11 bytes from one row of C to the next
//	X15 whether to accumulate
//	X16 rows of the tile      X17  columns of its last row, the longest
//	X18 to X21  rows 0 to 3 of A at a step
//	X22 B at a step           X23  steps left    X24, X25  scratch
//
//	V0, V4, V8, V12  rows of C, in groups of four registers
//	V16              a step's 8 elements of B
//
// A step of a full tile is 4 multiply-adds of 8 elements against 5 loads. The last columns
// need no masks: elements beyond the vector length are not processed.

#include "go_asm.h"
#include "textflag.h"

// ROWOFA sets row to the row after previous, or to previous if there are at most i rows.
#define ROWOFA(previous, row, i, last) \
	MOV  previous, row;    \
	MOV  $i, X24;          \
	BGE  X24, X16, last;   \
	ADD  X7, row;          \
last:                          \

// PUT stores a row of ab in C, up to the diagonal, and advances to the next; after the last
// row it jumps to done.
#define PUT(ab, width, store, next) \
	ADD      $1, X14;                              \
	MOV      X14, X24;                             \
	BGE      X13, X24, width;                      \
	MOV      X13, X24;                             \
width:                                                 \
	BLEZ     X24, next;                            \
	VSETVLI  X24, E64, M4, TA, MA, X25;            \
	VFMULVF  F10, ab, V20;                         \
	BEQZ     X15, store;                           \
	VLE64V   (X10), V20;                           \
	VFMACCVF ab, F10, V20;                         \
store:                                                 \
	VSE64V   V20, (X10);                           \
next:                                                  \
	ADD      X11, X10;                             \
	ADD      $-1, X12;                             \
	BEQZ     X12, done

// func stripRVV(s *Strip)
TEXT ·stripRVV(SB), NOSPLIT, $0-8
	MOV   s+0(FP), X5
	MOV   Strip_A(X5), X6
	MOV   Strip_LineA(X5), X7
	MOV   Strip_StepA(X5), X8
	MOV   Strip_StepB(X5), X9
	MOV   Strip_C(X5), X10
	MOV   Strip_LDC(X5), X11
	MOV   Strip_Rows(X5), X12
	MOV   Strip_Cols(X5), X13
	MOV   Strip_Diagonal(X5), X14
	MOVBU Strip_Accumulate(X5), X15
	MOVD  Strip_Alpha(X5), F10
	SLLI  $3, X7
	SLLI  $3, X8
	SLLI  $3, X9
	SLLI  $3, X11
	BLEZ  X12, done

tile:
	MOV $4, X16
	BGE X12, X16, whole
	MOV X12, X16

whole:
	ADD X14, X16, X17
	BGE X13, X17, wanted
	MOV X13, X17

wanted:
	// A tile above the diagonal is computed as if its rows had one element; none is stored.
	BGTZ X17, rows
	MOV  $1, X17

rows:
	MOV X6, X18
	ROWOFA(X18, X19, 1, row1)
	ROWOFA(X19, X20, 2, row2)
	ROWOFA(X20, X21, 3, row3)
	VSETVLI X17, E64, M4, TA, MA, X25
	VMVVI   $0, V0
	VMVVI   $0, V4
	VMVVI   $0, V8
	VMVVI   $0, V12
	MOV  Strip_B(X5), X22
	MOV  Strip_Depth(X5), X23
	BEQZ X23, put

step:
	VLE64V   (X22), V16
	MOVD     (X18), F0
	MOVD     (X19), F1
	MOVD     (X20), F2
	MOVD     (X21), F3
	VFMACCVF V16, F0, V0
	VFMACCVF V16, F1, V4
	VFMACCVF V16, F2, V8
	VFMACCVF V16, F3, V12
	ADD      X8, X18
	ADD      X8, X19
	ADD      X8, X20
	ADD      X8, X21
	ADD      X9, X22
	ADD      $-1, X23
	BNEZ     X23, step

put:
	PUT(V0, width0, store0, next0)
	PUT(V4, width1, store1, next1)
	PUT(V8, width2, store2, next2)
	PUT(V12, width3, store3, next3)
	SLLI $2, X7, X24
	ADD  X24, X6
	JMP  tile

done:
	RET
