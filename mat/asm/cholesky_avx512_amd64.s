//go:build !purego

// Cholesky factorisation for AVX-512: Kernel.Eliminate, EliminateRows, Factor,
// TransposeTiles.

#include "textflag.h"

// TRANSPOSE transposes a tile from r0 to r7 to c0 to c7: first pairs of rows, even and odd
// columns; then quarters of 128 bits, of four rows each, columns 0 and 4, or 2 and 6.
#define TRANSPOSE(r0, r1, r2, r3, r4, r5, r6, r7, c0, c1, c2, c3, c4, c5, c6, c7) \
	VUNPCKLPD r1, r0, c0; \
	VUNPCKHPD r1, r0, c1; \
	VUNPCKLPD r3, r2, c2; \
	VUNPCKHPD r3, r2, c3; \
	VUNPCKLPD r5, r4, c4; \
	VUNPCKHPD r5, r4, c5; \
	VUNPCKLPD r7, r6, c6; \
	VUNPCKHPD r7, r6, c7; \
	VSHUFF64X2 $0x88, c2, c0, r0; \
	VSHUFF64X2 $0xdd, c2, c0, r1; \
	VSHUFF64X2 $0x88, c3, c1, r2; \
	VSHUFF64X2 $0xdd, c3, c1, r3; \
	VSHUFF64X2 $0x88, c6, c4, r4; \
	VSHUFF64X2 $0xdd, c6, c4, r5; \
	VSHUFF64X2 $0x88, c7, c5, r6; \
	VSHUFF64X2 $0xdd, c7, c5, r7; \
	VSHUFF64X2 $0x88, r4, r0, c0; \
	VSHUFF64X2 $0x88, r6, r2, c1; \
	VSHUFF64X2 $0x88, r5, r1, c2; \
	VSHUFF64X2 $0x88, r7, r3, c3; \
	VSHUFF64X2 $0xdd, r4, r0, c4; \
	VSHUFF64X2 $0xdd, r6, r2, c5; \
	VSHUFF64X2 $0xdd, r5, r1, c6; \
	VSHUFF64X2 $0xdd, r7, r3, c7

// Eliminate, for one to three panels of 8 rows:
//
//	SI  A    R8  bytes from panel to panel
//	DI  B, then T
//	DX  C    R9  bytes from tile to tile
//	CX  columns left    BX panels
//	R12 rows to read C from, or 0
//	AX  rows to prefetch                  R13, R15 bytes from row to row, once and three times
//	R11 tiles to prefetch                 R10  steps left that prefetch, in fours
//	R14 whether to prefetch the rows that C is written to as well
//
//	Z0 to Z2    a column of A
//	Z6          one element of B, broadcast
//	Z8 to Z31   C: column j is Z(8+3j), Z(9+3j), Z(10+3j)
//	K1 to K7    elements to read of rows 0 to 6
//
// With three panels, a step is 24 multiply-adds in 12 cycles against 11 loads.

// FROM reads a tile from rows, of which K1 to K7 select the elements; FROMROWS prepares for it.
#define FROM(c0, c1, c2, c3, c4, c5, c6, c7) \
	LEAQ       (R12)(R13*4), AX;      \
	VMOVUPD.Z  (R12), K1, Z0;         \
	VMOVUPD.Z  (R12)(R13*1), K2, Z1;  \
	VMOVUPD.Z  (R12)(R13*2), K3, Z2;  \
	VMOVUPD.Z  (R12)(R15*1), K4, Z3;  \
	VMOVUPD.Z  (AX), K5, Z4;          \
	VMOVUPD.Z  (AX)(R13*1), K6, Z5;   \
	VMOVUPD.Z  (AX)(R13*2), K7, Z6;   \
	VMOVUPD    (AX)(R15*1), Z7;       \
	LEAQ       (R12)(R13*8), R12;     \
	TRANSPOSE(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, c0, c1, c2, c3, c4, c5, c6, c7)

#define FROMROWS \
	MOVQ from_Stride+128(FP), R13;  \
	SHLQ $3, R13;           \
	LEAQ (R13)(R13*2), R15

#define WHOLE \
	KXNORB K1, K1, K1; \
	KXNORB K2, K2, K2; \
	KXNORB K3, K3, K3; \
	KXNORB K4, K4, K4; \
	KXNORB K5, K5, K5; \
	KXNORB K6, K6, K6; \
	KXNORB K7, K7, K7

#define LOWER(mask, elements) \
	MOVL  $elements, AX; \
	KMOVW AX, mask

// TO writes a tile to rows that are SI, DI bytes apart. CX is three times DI.
#define TO(c0, c1, c2, c3, c4, c5, c6, c7) \
	TRANSPOSE(c0, c1, c2, c3, c4, c5, c6, c7, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7); \
	STOREROWS(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, SI, DI, CX);                     \
	LEAQ (SI)(DI*8), SI

// STOREROWS writes r0 to r7 to rows from base on that are step bytes apart; step3 is three times
// step. AX is scratch.
#define STOREROWS(r0, r1, r2, r3, r4, r5, r6, r7, base, step, step3) \
	LEAQ    (base)(step*4), AX;      \
	VMOVUPD r0, (base);              \
	VMOVUPD r1, (base)(step*1);      \
	VMOVUPD r2, (base)(step*2);      \
	VMOVUPD r3, (base)(step3*1);     \
	VMOVUPD r4, (AX);                \
	VMOVUPD r5, (AX)(step*1);        \
	VMOVUPD r6, (AX)(step*2);        \
	VMOVUPD r7, (AX)(step3*1)

// ROWS prepares for TO, or jumps if no rows are to be written.
#define ROWS(none) \
	MOVQ  to_Data_base+136(FP), SI; \
	TESTQ SI, SI;                   \
	JZ    none;                     \
	MOVQ  to_Stride+160(FP), DI;    \
	SHLQ  $3, DI;                   \
	LEAQ  (DI)(DI*2), CX

// ALL applies op to the columns of C. What has a number n in its name is for n panels and ignores
// the registers of the others.
//
// TRIANGLE solves with the triangle T, column by column: off eliminates the finished columns from
// the next one, and scale finishes it.
#define ALL(op) \
	op(0, Z8, Z9, Z10)    \
	op(1, Z11, Z12, Z13)  \
	op(2, Z14, Z15, Z16)  \
	op(3, Z17, Z18, Z19)  \
	op(4, Z20, Z21, Z22)  \
	op(5, Z23, Z24, Z25)  \
	op(6, Z26, Z27, Z28)  \
	op(7, Z29, Z30, Z31)

#define TRIANGLE(scale, off) \
	scale(0, Z8, Z9, Z10);                   \
	off(0, 1, Z8, Z9, Z10, Z11, Z12, Z13);   \
	scale(1, Z11, Z12, Z13);                 \
	off(0, 2, Z8, Z9, Z10, Z14, Z15, Z16);   \
	off(1, 2, Z11, Z12, Z13, Z14, Z15, Z16); \
	scale(2, Z14, Z15, Z16);                 \
	off(0, 3, Z8, Z9, Z10, Z17, Z18, Z19);   \
	off(1, 3, Z11, Z12, Z13, Z17, Z18, Z19); \
	off(2, 3, Z14, Z15, Z16, Z17, Z18, Z19); \
	scale(3, Z17, Z18, Z19);                 \
	off(0, 4, Z8, Z9, Z10, Z20, Z21, Z22);   \
	off(1, 4, Z11, Z12, Z13, Z20, Z21, Z22); \
	off(2, 4, Z14, Z15, Z16, Z20, Z21, Z22); \
	off(3, 4, Z17, Z18, Z19, Z20, Z21, Z22); \
	scale(4, Z20, Z21, Z22);                 \
	off(0, 5, Z8, Z9, Z10, Z23, Z24, Z25);   \
	off(1, 5, Z11, Z12, Z13, Z23, Z24, Z25); \
	off(2, 5, Z14, Z15, Z16, Z23, Z24, Z25); \
	off(3, 5, Z17, Z18, Z19, Z23, Z24, Z25); \
	off(4, 5, Z20, Z21, Z22, Z23, Z24, Z25); \
	scale(5, Z23, Z24, Z25);                 \
	off(0, 6, Z8, Z9, Z10, Z26, Z27, Z28);   \
	off(1, 6, Z11, Z12, Z13, Z26, Z27, Z28); \
	off(2, 6, Z14, Z15, Z16, Z26, Z27, Z28); \
	off(3, 6, Z17, Z18, Z19, Z26, Z27, Z28); \
	off(4, 6, Z20, Z21, Z22, Z26, Z27, Z28); \
	off(5, 6, Z23, Z24, Z25, Z26, Z27, Z28); \
	scale(6, Z26, Z27, Z28);                 \
	off(0, 7, Z8, Z9, Z10, Z29, Z30, Z31);   \
	off(1, 7, Z11, Z12, Z13, Z29, Z30, Z31); \
	off(2, 7, Z14, Z15, Z16, Z29, Z30, Z31); \
	off(3, 7, Z17, Z18, Z19, Z29, Z30, Z31); \
	off(4, 7, Z20, Z21, Z22, Z29, Z30, Z31); \
	off(5, 7, Z23, Z24, Z25, Z29, Z30, Z31); \
	off(6, 7, Z26, Z27, Z28, Z29, Z30, Z31); \
	scale(7, Z29, Z30, Z31)

#define LOAD1(j, c0, c1, c2) \
	VMOVUPD (64*j)(DX), c0;

#define LOAD2(j, c0, c1, c2) \
	LOAD1(j, c0, c1, c2) \
	VMOVUPD (64*j)(DX)(R9*1), c1;

#define LOAD3(j, c0, c1, c2) \
	LOAD2(j, c0, c1, c2) \
	VMOVUPD (64*j)(DX)(R9*2), c2;

#define STORE1(j, c0, c1, c2) \
	VMOVUPD c0, (64*j)(DX);

#define STORE2(j, c0, c1, c2) \
	STORE1(j, c0, c1, c2) \
	VMOVUPD c1, (64*j)(DX)(R9*1);

#define STORE3(j, c0, c1, c2) \
	STORE2(j, c0, c1, c2) \
	VMOVUPD c2, (64*j)(DX)(R9*2);

#define TERM1(j, c0, c1, c2) \
	VBROADCASTSD (8*j)(DI), Z6;  \
	VFNMADD231PD Z0, Z6, c0;

#define TERM2(j, c0, c1, c2) \
	TERM1(j, c0, c1, c2)       \
	VFNMADD231PD Z1, Z6, c1;

#define TERM3(j, c0, c1, c2) \
	TERM2(j, c0, c1, c2)       \
	VFNMADD231PD Z2, Z6, c2;

#define STEP1 \
	VMOVUPD (SI), Z0; \
	ALL(TERM1)

#define STEP2 \
	VMOVUPD (SI), Z0;        \
	VMOVUPD (SI)(R8*1), Z1;  \
	ALL(TERM2)

#define STEP3 \
	VMOVUPD (SI), Z0;        \
	VMOVUPD (SI)(R8*1), Z1;  \
	VMOVUPD (SI)(R8*2), Z2;  \
	ALL(TERM3)

#define NEXT \
	ADDQ $64, SI; \
	ADDQ $64, DI; \
	DECQ CX

#define NEXT3 \
	PREFETCHT0 (DI)(R8*1); \
	ADDQ $64, SI;          \
	ADDQ $64, DI

// SCALE multiplies column j by the reciprocal on T's diagonal; OFF eliminates the finished
// column j from column i.
#define SCALE1(j, c0, c1, c2) \
	VBROADCASTSD (72*j)(DI), Z6; \
	VMULPD Z6, c0, c0

#define SCALE2(j, c0, c1, c2) \
	SCALE1(j, c0, c1, c2); \
	VMULPD Z6, c1, c1

#define SCALE3(j, c0, c1, c2) \
	SCALE2(j, c0, c1, c2); \
	VMULPD Z6, c2, c2

#define OFF1(j, i, c0, c1, c2, d0, d1, d2) \
	VBROADCASTSD (64*j+8*i)(DI), Z6; \
	VFNMADD231PD c0, Z6, d0

#define OFF2(j, i, c0, c1, c2, d0, d1, d2) \
	OFF1(j, i, c0, c1, c2, d0, d1, d2); \
	VFNMADD231PD c1, Z6, d1

#define OFF3(j, i, c0, c1, c2, d0, d1, d2) \
	OFF2(j, i, c0, c1, c2, d0, d1, d2); \
	VFNMADD231PD c2, Z6, d2

// func eliminateAVX512(depth, panels int, a []float64, lda int, b, c []float64, ldc int, from, to Rows, solve, diagonal bool)
TEXT ·eliminateAVX512(SB), NOSPLIT, $0-170
	MOVQ depth+0(FP), CX
	MOVQ panels+8(FP), BX
	MOVQ a_base+16(FP), SI
	MOVQ lda+40(FP), R8
	MOVQ b_base+48(FP), DI
	MOVQ c_base+72(FP), DX
	MOVQ ldc+96(FP), R9
	MOVQ from_Data_base+104(FP), R12
	MOVQ from_Stride+128(FP), R13
	SHLQ $3, R8
	SHLQ $3, R9
	SHLQ $3, R13
	TESTQ R12, R12
	JNZ   masks
	MOVQ  to_Stride+160(FP), R13
	SHLQ  $3, R13

masks:
	LEAQ (R13)(R13*2), R15
	WHOLE
	CMPB diagonal+169(FP), $0
	JEQ  three
	LOWER(K1, 0x01)
	LOWER(K2, 0x03)
	LOWER(K3, 0x07)
	LOWER(K4, 0x0f)
	LOWER(K5, 0x1f)
	LOWER(K6, 0x3f)
	LOWER(K7, 0x7f)

three:
	CMPQ BX, $3
	JLT  two
	XORL R14, R14
	TESTQ R12, R12
	JNZ  from3
	ALL(LOAD3)
	MOVQ to_Data_base+136(FP), AX
	TESTQ AX, AX
	CMOVQEQ DX, AX

	// The first 32 steps prefetch what is needed next: C, and row by row what AX points to.
	// These are the rows of the next tile, or those that this one will be written to. With
	// R14, the next 32 steps prefetch the latter.
begin3:
	MOVQ DX, R11
	SHRQ $2, CX
	JZ   rest3

fetch3:
	MOVQ $8, R10
	CMPQ CX, R10
	CMOVQLT CX, R10
	SUBQ R10, CX

	PCALIGN $64
fetching3:
	PREFETCHT0 (R11)
	STEP3
	NEXT3
	PREFETCHT0 (R11)(R9*1)
	PREFETCHT0 (AX)
	STEP3
	NEXT3
	PREFETCHT0 (R11)(R9*2)
	PREFETCHT0 (AX)(R13*1)
	STEP3
	NEXT3
	PREFETCHT0 (AX)(R13*2)
	ADDQ R15, AX
	ADDQ $64, R11
	STEP3
	NEXT3
	DECQ R10
	JNZ fetching3
	TESTQ CX, CX
	JZ   rest3
	TESTQ R14, R14
	JZ   loop3
	XORL R14, R14
	MOVQ DX, R11
	MOVQ to_Data_base+136(FP), AX
	MOVQ to_Stride+160(FP), R13
	SHLQ $3, R13
	LEAQ (R13)(R13*2), R15
	JMP  fetch3

	PCALIGN $64
loop3:
	STEP3
	NEXT3
	STEP3
	NEXT3
	STEP3
	NEXT3
	STEP3
	NEXT3
	DECQ CX
	JNZ loop3

rest3:
	MOVQ depth+0(FP), CX
	ANDQ $3, CX
	JZ   end3

single3:
	STEP3
	NEXT3
	DECQ CX
	JNZ single3

end3:
	MOVQ depth+0(FP), R10
	SHLQ $6, R10
	NEGQ R10
	ADDQ SI, R10 // the start of A

solve3:
	CMPB solve+168(FP), $0
	JEQ  store3
	TRIANGLE(SCALE3, OFF3)

store3:
	ALL(STORE3)
	ROWS(next3)
	TO(Z8, Z11, Z14, Z17, Z20, Z23, Z26, Z29)
	TO(Z9, Z12, Z15, Z18, Z21, Z24, Z27, Z30)
	TO(Z10, Z13, Z16, Z19, Z22, Z25, Z28, Z31)
	MOVQ SI, to_Data_base+136(FP)

next3:
	SUBQ $3, BX
	JZ   done
	LEAQ (R10)(R8*2), SI
	ADDQ R8, SI
	LEAQ (DX)(R9*2), DX
	ADDQ R9, DX
	MOVQ b_base+48(FP), DI
	MOVQ depth+0(FP), CX
	JMP  three

from3:
	FROMROWS
	MOVQ R12, R11
	FROM(Z8, Z11, Z14, Z17, Z20, Z23, Z26, Z29)
	WHOLE
	FROM(Z9, Z12, Z15, Z18, Z21, Z24, Z27, Z30)
	FROM(Z10, Z13, Z16, Z19, Z22, Z25, Z28, Z31)
	LEAQ 64(R11), AX
	MOVQ to_Data_base+136(FP), R14
	JMP  begin3

two:
	CMPQ BX, $2
	JLT  one
	TESTQ R12, R12
	JNZ  from2
	ALL(LOAD2)

begin2:
	TESTQ CX, CX
	JZ   solve2

	PCALIGN $64
loop2:
	STEP2
	NEXT
	JNZ loop2

solve2:
	CMPB solve+168(FP), $0
	JEQ  store2
	TRIANGLE(SCALE2, OFF2)

store2:
	ALL(STORE2)
	ROWS(done)
	TO(Z8, Z11, Z14, Z17, Z20, Z23, Z26, Z29)
	TO(Z9, Z12, Z15, Z18, Z21, Z24, Z27, Z30)
	VZEROUPPER
	RET

from2:
	FROMROWS
	FROM(Z8, Z11, Z14, Z17, Z20, Z23, Z26, Z29)
	WHOLE
	FROM(Z9, Z12, Z15, Z18, Z21, Z24, Z27, Z30)
	JMP begin2

one:
	TESTQ BX, BX
	JZ   done
	TESTQ R12, R12
	JNZ  from1
	ALL(LOAD1)

begin1:
	TESTQ CX, CX
	JZ   solve1

	PCALIGN $64
loop1:
	STEP1
	NEXT
	JNZ loop1

solve1:
	CMPB solve+168(FP), $0
	JEQ  store1
	TRIANGLE(SCALE1, OFF1)

store1:
	ALL(STORE1)
	ROWS(done)
	TO(Z8, Z11, Z14, Z17, Z20, Z23, Z26, Z29)

done:
	VZEROUPPER
	RET

from1:
	FROMROWS
	FROM(Z8, Z11, Z14, Z17, Z20, Z23, Z26, Z29)
	JMP begin1

// Factor: column j of C is Z(8+j). Broadcasts within registers take the lane index from
// Z(24+j), all of whose elements are j. Z7 is 1.

#define LANE(j, index) \
	MOVQ $j, AX; \
	VPBROADCASTQ AX, index

#define COLUMN(j, c) \
	VBROADCASTSD (8*j)(DI), Z6; \
	VFNMADD231PD Z0, Z6, c

// HEAD scales column j by the reciprocal of the root of its pivot, which it keeps in Z5.
#define HEAD(j, c, index) \
	VPERMPD      c, index, Z1;       \
	VMOVSD       X1, (8*j)(R8);      \
	VSQRTSD      X1, X1, X2;         \
	VDIVSD       X2, X7, X2;         \
	VBROADCASTSD X2, Z5;             \
	VMULPD       Z5, c, c

#define TAIL(c, d, index) \
	VPERMPD      c, index, Z6;       \
	VFNMADD231PD c, Z6, d

// PLACE stores the reciprocal on the diagonal.
#define PLACE(j, c) \
	MOVL    $(1<<j), AX;  \
	KMOVW   AX, K1;       \
	VMOVAPD Z5, K1, c;    \
	VMOVUPD c, (64*j)(DX)

// func factorAVX512(depth int, b, c, pivots []float64)
TEXT ·factorAVX512(SB), NOSPLIT, $0-80
	MOVQ depth+0(FP), CX
	MOVQ b_base+8(FP), DI
	MOVQ c_base+32(FP), DX
	MOVQ pivots_base+56(FP), R8
	LANE(0, Z24)
	LANE(1, Z25)
	LANE(2, Z26)
	LANE(3, Z27)
	LANE(4, Z28)
	LANE(5, Z29)
	LANE(6, Z30)
	LANE(7, Z31)
	MOVQ $0x3ff0000000000000, AX
	VPBROADCASTQ AX, Z7
	VMOVUPD (DX), Z8
	VMOVUPD 64(DX), Z9
	VMOVUPD 128(DX), Z10
	VMOVUPD 192(DX), Z11
	VMOVUPD 256(DX), Z12
	VMOVUPD 320(DX), Z13
	VMOVUPD 384(DX), Z14
	VMOVUPD 448(DX), Z15
	TESTQ CX, CX
	JZ   factor

	PCALIGN $64
loop:
	VMOVUPD (DI), Z0
	COLUMN(0, Z8)
	COLUMN(1, Z9)
	COLUMN(2, Z10)
	COLUMN(3, Z11)
	COLUMN(4, Z12)
	COLUMN(5, Z13)
	COLUMN(6, Z14)
	COLUMN(7, Z15)
	ADDQ $64, DI
	DECQ CX
	JNZ  loop

factor:
	HEAD(0, Z8, Z24)
	TAIL(Z8, Z9, Z25)
	TAIL(Z8, Z10, Z26)
	TAIL(Z8, Z11, Z27)
	TAIL(Z8, Z12, Z28)
	TAIL(Z8, Z13, Z29)
	TAIL(Z8, Z14, Z30)
	TAIL(Z8, Z15, Z31)
	PLACE(0, Z8)
	HEAD(1, Z9, Z25)
	TAIL(Z9, Z10, Z26)
	TAIL(Z9, Z11, Z27)
	TAIL(Z9, Z12, Z28)
	TAIL(Z9, Z13, Z29)
	TAIL(Z9, Z14, Z30)
	TAIL(Z9, Z15, Z31)
	PLACE(1, Z9)
	HEAD(2, Z10, Z26)
	TAIL(Z10, Z11, Z27)
	TAIL(Z10, Z12, Z28)
	TAIL(Z10, Z13, Z29)
	TAIL(Z10, Z14, Z30)
	TAIL(Z10, Z15, Z31)
	PLACE(2, Z10)
	HEAD(3, Z11, Z27)
	TAIL(Z11, Z12, Z28)
	TAIL(Z11, Z13, Z29)
	TAIL(Z11, Z14, Z30)
	TAIL(Z11, Z15, Z31)
	PLACE(3, Z11)
	HEAD(4, Z12, Z28)
	TAIL(Z12, Z13, Z29)
	TAIL(Z12, Z14, Z30)
	TAIL(Z12, Z15, Z31)
	PLACE(4, Z12)
	HEAD(5, Z13, Z29)
	TAIL(Z13, Z14, Z30)
	TAIL(Z13, Z15, Z31)
	PLACE(5, Z13)
	HEAD(6, Z14, Z30)
	TAIL(Z14, Z15, Z31)
	PLACE(6, Z14)
	HEAD(7, Z15, Z31)
	PLACE(7, Z15)
	VZEROUPPER
	RET

// func transposeTilesAVX512(tiles int, dst []float64, ldd, stepD int, src []float64, lds, stepS int)
//
//	SI, R8   rows of the tile in src, bytes from row to row; R9 three times R8
//	DI, R10  the same in dst; R11
//	R12, R13 bytes from tile to tile in src and dst
TEXT ·transposeTilesAVX512(SB), NOSPLIT, $0-88
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

	PCALIGN $64
tile:
	LEAQ    (SI)(R8*4), AX
	VMOVUPD (SI), Z0
	VMOVUPD (SI)(R8*1), Z1
	VMOVUPD (SI)(R8*2), Z2
	VMOVUPD (SI)(R9*1), Z3
	VMOVUPD (AX), Z4
	VMOVUPD (AX)(R8*1), Z5
	VMOVUPD (AX)(R8*2), Z6
	VMOVUPD (AX)(R9*1), Z7

	TRANSPOSE(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15)

	STOREROWS(Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15, DI, R10, R11)
	ADDQ R12, SI
	ADDQ R13, DI
	DECQ CX
	JNZ  tile
	VZEROUPPER
	RET
