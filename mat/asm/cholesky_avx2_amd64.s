//go:build !purego

// Cholesky factorisation for AVX2: Kernel.Eliminate and TransposeTiles.

#include "textflag.h"

// Eliminate processes four columns of C at a time: either of four rows of three panels, or
// of all rows of one panel.
//
//	SI  A    R8  bytes from panel to panel; 32, if one panel is processed by halves
//	DI  B    DX  C    R9  bytes as R8
//	CX  columns left    BX panels    AX  1 to solve, plus 2 in the lower half of the rows
//	R10, R11, R12  starts of A, B, C    R13 first of the four columns, times 8
//
//	Y0 to Y2    a column of A
//	Y3          one element of B, broadcast
//	Y4 to Y15   C: column j is Y(4+3j), Y(5+3j), Y(6+3j)
//
// With three panels, a step is 12 multiply-adds in 6 cycles against 7 loads.

// ALL applies op to the columns of C. What has a number n in its name is for n registers per
// column, those of three panels or the two of one panel, and ignores the others.
//
// TRIANGLE solves with a 4 x 4 triangle of T, column by column: off eliminates the finished columns
// from the next one, and scale finishes it.
#define ALL(op) \
	op(0, Y4, Y5, Y6)     \
	op(1, Y7, Y8, Y9)     \
	op(2, Y10, Y11, Y12)  \
	op(3, Y13, Y14, Y15)

#define TRIANGLE(scale, off) \
	scale(0, Y4, Y5, Y6);                    \
	off(0, 1, Y4, Y5, Y6, Y7, Y8, Y9);       \
	scale(1, Y7, Y8, Y9);                    \
	off(0, 2, Y4, Y5, Y6, Y10, Y11, Y12);    \
	off(1, 2, Y7, Y8, Y9, Y10, Y11, Y12);    \
	scale(2, Y10, Y11, Y12);                 \
	off(0, 3, Y4, Y5, Y6, Y13, Y14, Y15);    \
	off(1, 3, Y7, Y8, Y9, Y13, Y14, Y15);    \
	off(2, 3, Y10, Y11, Y12, Y13, Y14, Y15); \
	scale(3, Y13, Y14, Y15)

#define LOAD2(j, c0, c1, c2) \
	VMOVUPD (64*j)(DX), c0; \
	VMOVUPD (64*j)(DX)(R9*1), c1;

#define LOAD3(j, c0, c1, c2) \
	LOAD2(j, c0, c1, c2) \
	VMOVUPD (64*j)(DX)(R9*2), c2;

#define STORE2(j, c0, c1, c2) \
	VMOVUPD c0, (64*j)(DX); \
	VMOVUPD c1, (64*j)(DX)(R9*1);

#define STORE3(j, c0, c1, c2) \
	STORE2(j, c0, c1, c2) \
	VMOVUPD c2, (64*j)(DX)(R9*2);

#define TERM2(j, c0, c1, c2) \
	VBROADCASTSD (8*j)(DI), Y3; \
	VFNMADD231PD Y0, Y3, c0;    \
	VFNMADD231PD Y1, Y3, c1;

#define TERM3(j, c0, c1, c2) \
	TERM2(j, c0, c1, c2)      \
	VFNMADD231PD Y2, Y3, c2;

// STEP eliminates a column from C: column j of the panels of A from base on.
#define STEP2(j, base, panel) \
	VMOVUPD (64*j)(base), Y0;          \
	VMOVUPD (64*j)(base)(panel*1), Y1; \
	ALL(TERM2)

#define STEP3(j, base, panel) \
	VMOVUPD (64*j)(base), Y0;          \
	VMOVUPD (64*j)(base)(panel*1), Y1; \
	VMOVUPD (64*j)(base)(panel*2), Y2; \
	ALL(TERM3)

// For the last four columns of C, the first four, stored by now, act as four more columns of
// A; their rows of T follow in B.
#define DONE(step) \
	step(-4, DX, R9) \
	ADDQ $64, DI;    \
	step(-3, DX, R9) \
	ADDQ $64, DI;    \
	step(-2, DX, R9) \
	ADDQ $64, DI;    \
	step(-1, DX, R9) \
	ADDQ $64, DI

#define NEXT \
	ADDQ $64, SI; \
	ADDQ $64, DI; \
	DECQ CX

// DI points to the 4 x 4 triangle's first diagonal element, rows 64 bytes apart.
#define SCALE2(j, c0, c1, c2) \
	VBROADCASTSD (72*j)(DI), Y3; \
	VMULPD Y3, c0, c0;           \
	VMULPD Y3, c1, c1

#define SCALE3(j, c0, c1, c2) \
	SCALE2(j, c0, c1, c2); \
	VMULPD Y3, c2, c2

#define OFF2(j, i, c0, c1, c2, d0, d1, d2) \
	VBROADCASTSD (64*j+8*i)(DI), Y3; \
	VFNMADD231PD c0, Y3, d0;         \
	VFNMADD231PD c1, Y3, d1

#define OFF3(j, i, c0, c1, c2, d0, d1, d2) \
	OFF2(j, i, c0, c1, c2, d0, d1, d2); \
	VFNMADD231PD c2, Y3, d2

// func eliminateTilesAVX2(depth, panels int, a []float64, lda int, b, c []float64, ldc int, solve bool)
TEXT ·eliminateTilesAVX2(SB), NOSPLIT, $0-105
	MOVQ panels+8(FP), BX
	MOVQ a_base+16(FP), R10
	MOVQ b_base+48(FP), R11
	MOVQ c_base+72(FP), R12
	MOVBLZX solve+104(FP), AX

three:
	CMPQ BX, $3
	JLT  one
	MOVQ lda+40(FP), R8
	MOVQ ldc+96(FP), R9
	SHLQ $3, R8
	SHLQ $3, R9
	XORQ R13, R13

	// Rows 0 to 3, columns 0 to 3 and 4 to 7; then rows 4 to 7.
columns3:
	MOVQ R10, SI
	LEAQ (R11)(R13*1), DI
	LEAQ (R12)(R13*8), DX
	MOVQ depth+0(FP), CX
	ALL(LOAD3)
	TESTQ CX, CX
	JZ   solve3

	PCALIGN $32
loop3:
	STEP3(0, SI, R8)
	NEXT
	JNZ loop3

solve3:
	TESTL $1, AX
	JZ    store3
	TESTQ R13, R13
	JZ    triangle3
	DONE(STEP3)

triangle3:
	TRIANGLE(SCALE3, OFF3)

store3:
	ALL(STORE3)
	XORQ $32, R13
	JNZ  columns3
	XORL $2, AX
	TESTL $2, AX
	JZ   next3
	ADDQ $32, R10
	ADDQ $32, R12
	JMP  columns3

next3:
	LEAQ -32(R10)(R8*2), R10
	ADDQ R8, R10
	LEAQ -32(R12)(R9*2), R12
	ADDQ R9, R12
	SUBQ $3, BX
	JMP  three

one:
	TESTQ BX, BX
	JZ   done
	MOVQ $32, R8
	MOVQ $32, R9
	XORQ R13, R13

columns2:
	MOVQ R10, SI
	LEAQ (R11)(R13*1), DI
	LEAQ (R12)(R13*8), DX
	MOVQ depth+0(FP), CX
	ALL(LOAD2)
	TESTQ CX, CX
	JZ   solve2

	PCALIGN $32
loop2:
	STEP2(0, SI, R8)
	NEXT
	JNZ loop2

solve2:
	TESTL $1, AX
	JZ    store2
	TESTQ R13, R13
	JZ    triangle2
	DONE(STEP2)

triangle2:
	TRIANGLE(SCALE2, OFF2)

store2:
	ALL(STORE2)
	XORQ $32, R13
	JNZ  columns2
	MOVQ lda+40(FP), R8
	MOVQ ldc+96(FP), R9
	LEAQ (R10)(R8*8), R10
	LEAQ (R12)(R9*8), R12
	DECQ BX
	JMP  one

done:
	VZEROUPPER
	RET

// QUARTER transposes the 4 x 4 elements at SI + s to DI + d, offsets in bytes. R9 and R11 are
// three rows of src and dst.
#define QUARTER(sbase, s, dbase, d) \
	VMOVUPD s(sbase), Y0;          \
	VMOVUPD s(sbase)(R8*1), Y1;    \
	VMOVUPD s(sbase)(R8*2), Y2;    \
	VMOVUPD s(sbase)(R9*1), Y3;    \
	VUNPCKLPD  Y1, Y0, Y4;         \
	VUNPCKHPD  Y1, Y0, Y5;         \
	VUNPCKLPD  Y3, Y2, Y6;         \
	VUNPCKHPD  Y3, Y2, Y7;         \
	VPERM2F128 $0x20, Y6, Y4, Y0;  \
	VPERM2F128 $0x20, Y7, Y5, Y1;  \
	VPERM2F128 $0x31, Y6, Y4, Y2;  \
	VPERM2F128 $0x31, Y7, Y5, Y3;  \
	VMOVUPD Y0, d(dbase);          \
	VMOVUPD Y1, d(dbase)(R10*1);   \
	VMOVUPD Y2, d(dbase)(R10*2);   \
	VMOVUPD Y3, d(dbase)(R11*1)

// func transposeTilesAVX2(tiles int, dst []float64, ldd, stepD int, src []float64, lds, stepS int)
TEXT ·transposeTilesAVX2(SB), NOSPLIT, $0-88
	MOVQ tiles+0(FP), CX
	MOVQ dst_base+8(FP), DI
	MOVQ ldd+32(FP), R10
	MOVQ stepD+40(FP), R13
	MOVQ src_base+48(FP), SI
	MOVQ lds+72(FP), R8
	MOVQ stepS+80(FP), R12
	SHLQ $3, R8
	SHLQ $3, R10
	SHLQ $3, R12
	SHLQ $3, R13
	LEAQ (R8)(R8*2), R9
	LEAQ (R10)(R10*2), R11

	PCALIGN $32
tile:
	LEAQ (SI)(R8*4), AX
	LEAQ (DI)(R10*4), BX
	QUARTER(SI, 0, DI, 0)
	QUARTER(SI, 32, BX, 0)
	QUARTER(AX, 0, DI, 32)
	QUARTER(AX, 32, BX, 32)
	ADDQ R12, SI
	ADDQ R13, DI
	DECQ CX
	JNZ  tile
	VZEROUPPER
	RET
