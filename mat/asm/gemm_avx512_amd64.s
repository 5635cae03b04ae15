//go:build !purego

// The 8 x 24 tile of C for AVX-512: Kernel.Tile and Kernel.TileLower.
//
//	SI  A, packed: 8 elements (64 bytes) a step
//	DI  B, packed: 24 elements (192 bytes) a step
//	DX  row of C              R8  bytes from one row of C to the next
//	CX  steps left            R9, R10, R11, R12, AX, BX  scratch
//
//	Z0 to Z2    a step's 24 elements of B
//	Z6          one element of A, broadcast
//	Z8 to Z31   C: row i is Z(8+3i), Z(9+3i), Z(10+3i)
//
// A step is 24 multiply-adds in 12 cycles against 11 loads. Elements of A are
// broadcast on their way from memory, which costs no more than a load. Out of
// order execution renames Z0 to Z6 and so loads ahead by itself.

#include "textflag.h"

#define ROW1(a, c0) \
	VBROADCASTSD a(SI), Z6;       \
	VFMADD231PD  Z0, Z6, c0

#define ROW2(a, c0, c1) \
	ROW1(a, c0);                  \
	VFMADD231PD  Z1, Z6, c1

#define ROW3(a, c0, c1, c2) \
	ROW2(a, c0, c1);              \
	VFMADD231PD  Z2, Z6, c2

// TOP and BOTTOM are rows 0 to 3 and 4 to 7 of one step, whose elements of A are
// at offset a, for 1, 2 or 3 registers of columns.
#define TOP1(a) \
	ROW1(a+0, Z8);  \
	ROW1(a+8, Z11);  \
	ROW1(a+16, Z14); \
	ROW1(a+24, Z17)

#define BOTTOM1(a) \
	ROW1(a+32, Z20); \
	ROW1(a+40, Z23); \
	ROW1(a+48, Z26); \
	ROW1(a+56, Z29)

#define TOP2(a) \
	ROW2(a+0, Z8, Z9);    \
	ROW2(a+8, Z11, Z12);  \
	ROW2(a+16, Z14, Z15); \
	ROW2(a+24, Z17, Z18)

#define BOTTOM2(a) \
	ROW2(a+32, Z20, Z21); \
	ROW2(a+40, Z23, Z24); \
	ROW2(a+48, Z26, Z27); \
	ROW2(a+56, Z29, Z30)

#define TOP3(a) \
	ROW3(a+0, Z8, Z9, Z10);    \
	ROW3(a+8, Z11, Z12, Z13);  \
	ROW3(a+16, Z14, Z15, Z16); \
	ROW3(a+24, Z17, Z18, Z19)

#define BOTTOM3(a) \
	ROW3(a+32, Z20, Z21, Z22); \
	ROW3(a+40, Z23, Z24, Z25); \
	ROW3(a+48, Z26, Z27, Z28); \
	ROW3(a+56, Z29, Z30, Z31)

#define LOADB1(b) \
	VMOVUPD b+0(DI), Z0

#define LOADB2(b) \
	LOADB1(b);           \
	VMOVUPD b+64(DI), Z1

#define LOADB3(b) \
	LOADB2(b);            \
	VMOVUPD b+128(DI), Z2

// STEP is one step of the full tile.
#define STEP(a, b) \
	LOADB3(b);  \
	TOP3(a);    \
	BOTTOM3(a)

#define CLEAR(c0, c1, c2, c3, c4, c5) \
	VPXORQ c0, c0, c0; \
	VPXORQ c1, c1, c1; \
	VPXORQ c2, c2, c2; \
	VPXORQ c3, c3, c3; \
	VPXORQ c4, c4, c4; \
	VPXORQ c5, c5, c5

#define CLEARTILE \
	CLEAR(Z8, Z9, Z10, Z11, Z12, Z13);   \
	CLEAR(Z14, Z15, Z16, Z17, Z18, Z19); \
	CLEAR(Z20, Z21, Z22, Z23, Z24, Z25); \
	CLEAR(Z26, Z27, Z28, Z29, Z30, Z31)

// PREFETCHROW fetches a row of C, at most four cache lines, and goes on to the next.
#define PREFETCHROW \
	PREFETCHT0 (DX)(BX*1);    \
	PREFETCHT0 64(DX)(BX*1);  \
	PREFETCHT0 128(DX)(BX*1); \
	PREFETCHT0 184(DX)(BX*1); \
	ADDQ R8, BX

// ADDROW is row = row + alpha*ab; STOREROW is row = alpha*ab. Z0 is alpha.
#define ADDROW(c0, c1, c2) \
	VFMADD213PD (DX), Z0, c0;    \
	VFMADD213PD 64(DX), Z0, c1;  \
	VFMADD213PD 128(DX), Z0, c2; \
	VMOVUPD c0, (DX);            \
	VMOVUPD c1, 64(DX);          \
	VMOVUPD c2, 128(DX);         \
	ADDQ R8, DX

#define STOREROW(c0, c1, c2) \
	VMULPD Z0, c0, c0;   \
	VMULPD Z0, c1, c1;   \
	VMULPD Z0, c2, c2;   \
	VMOVUPD c0, (DX);    \
	VMOVUPD c1, 64(DX);  \
	VMOVUPD c2, 128(DX); \
	ADDQ R8, DX

// func tileAVX512(depth int, alpha float64, a, b []float64, accumulate bool, c []float64, ldc int)
TEXT ·tileAVX512(SB), NOSPLIT, $0-104
	MOVQ depth+0(FP), CX
	MOVQ a_base+16(FP), SI
	MOVQ b_base+40(FP), DI
	MOVQ c_base+72(FP), DX
	MOVQ ldc+96(FP), R8
	SHLQ $3, R8
	CLEARTILE

	// The last 16 of the depth/4 turns are a loop of their own, before which C
	// is fetched: early enough to arrive, late enough not to be thrown out.
	MOVQ CX, R10
	ANDQ $3, R10
	SHRQ $2, CX
	XORQ R9, R9
	CMPQ CX, $16
	JLE  fetch
	MOVQ $16, R9
	SUBQ R9, CX
	JMP  loop

fetch:
	XORQ BX, BX
	PREFETCHROW
	PREFETCHROW
	PREFETCHROW
	PREFETCHROW
	PREFETCHROW
	PREFETCHROW
	PREFETCHROW
	PREFETCHROW
	TESTQ CX, CX
	JZ   single

	PCALIGN $64
loop:
	STEP(0, 0)
	STEP(64, 192)
	STEP(128, 384)
	STEP(192, 576)
	ADDQ $256, SI
	ADDQ $768, DI
	DECQ CX
	JNZ  loop
	MOVQ R9, CX
	XORQ R9, R9
	TESTQ CX, CX
	JNZ  fetch

single:
	TESTQ R10, R10
	JZ   finish
	STEP(0, 0)
	ADDQ $64, SI
	ADDQ $192, DI
	DECQ R10
	JMP  single

finish:
	VBROADCASTSD alpha+8(FP), Z0
	MOVBLZX accumulate+64(FP), AX
	TESTL AX, AX
	JZ   store
	ADDROW(Z8, Z9, Z10)
	ADDROW(Z11, Z12, Z13)
	ADDROW(Z14, Z15, Z16)
	ADDROW(Z17, Z18, Z19)
	ADDROW(Z20, Z21, Z22)
	ADDROW(Z23, Z24, Z25)
	ADDROW(Z26, Z27, Z28)
	ADDROW(Z29, Z30, Z31)
	VZEROUPPER
	RET

store:
	STOREROW(Z8, Z9, Z10)
	STOREROW(Z11, Z12, Z13)
	STOREROW(Z14, Z15, Z16)
	STOREROW(Z17, Z18, Z19)
	STOREROW(Z20, Z21, Z22)
	STOREROW(Z23, Z24, Z25)
	STOREROW(Z26, Z27, Z28)
	STOREROW(Z29, Z30, Z31)
	VZEROUPPER
	RET

// MASK sets K1, K2, K3 to the wanted elements of a row, min(R11, R10) but not
// less than none, and goes on to the next row, which has one more.
#define MASK \
	MOVQ    R11, CX;  \
	CMPQ    CX, R10;  \
	CMOVQGT R10, CX;  \
	TESTQ   CX, CX;   \
	CMOVQLT R13, CX;  \
	MOVL    $1, AX;   \
	SHLL    CX, AX;   \
	DECL    AX;       \
	KMOVW   AX, K1;   \
	SHRL    $8, AX;   \
	KMOVW   AX, K2;   \
	SHRL    $8, AX;   \
	KMOVW   AX, K3;   \
	INCQ    R11

// PUT is c = fma(alpha, ab, c) where mask says so. Without accumulate K7 is empty
// and -0 stands for c: adding it changes nothing, the sign of zero included.
#define PUT(mask, c, offset) \
	VMOVAPD     Z7, Z1;                    \
	KANDW       mask, K7, K4;              \
	VMOVUPD     offset(DX), K4, Z1;        \
	VFMADD213PD Z1, Z0, c;                 \
	VMOVUPD     c, mask, offset(DX)

#define NEXTROW \
	ADDQ R8, DX; \
	DECQ R9;     \
	JZ   done

#define PUTROW1(c0) \
	MASK;           \
	PUT(K1, c0, 0); \
	NEXTROW

#define PUTROW2(c0, c1) \
	MASK;            \
	PUT(K1, c0, 0);  \
	PUT(K2, c1, 64); \
	NEXTROW

#define PUTROW3(c0, c1, c2) \
	MASK;             \
	PUT(K1, c0, 0);   \
	PUT(K2, c1, 64);  \
	PUT(K3, c2, 128); \
	NEXTROW

#define NEXTSTEP \
	ADDQ $64, SI;  \
	ADDQ $192, DI; \
	DECQ CX

// func edgeAVX512(depth int, alpha float64, a, b []float64, accumulate bool, c []float64, ldc, rows, cols, diagonal int)
//
// Computes only the registers of columns, and the halves of rows, that are wanted.
//
//	R9 rows left    R10 cols    R11 elements of the row if cols allows    R13 zero
TEXT ·edgeAVX512(SB), NOSPLIT, $0-128
	MOVQ depth+0(FP), CX
	MOVQ a_base+16(FP), SI
	MOVQ b_base+40(FP), DI
	MOVQ c_base+72(FP), DX
	MOVQ ldc+96(FP), R8
	MOVQ rows+104(FP), R9
	MOVQ cols+112(FP), R10
	MOVQ diagonal+120(FP), R11
	SHLQ $3, R8
	CLEARTILE

	// The last row is the longest.
	LEAQ    (R11)(R9*1), BX
	CMPQ    BX, R10
	CMOVQGT R10, BX
	INCQ    R11
	TESTQ   CX, CX
	JZ      finish
	CMPQ    R9, $4
	JLE     half
	CMPQ    BX, $8
	JLE     full1
	CMPQ    BX, $16
	JLE     full2

	PCALIGN $64
full3:
	LOADB3(0)
	TOP3(0)
	BOTTOM3(0)
	NEXTSTEP
	JNZ full3
	JMP finish

	PCALIGN $64
full2:
	LOADB2(0)
	TOP2(0)
	BOTTOM2(0)
	NEXTSTEP
	JNZ full2
	JMP finish

	PCALIGN $64
full1:
	LOADB1(0)
	TOP1(0)
	BOTTOM1(0)
	NEXTSTEP
	JNZ full1
	JMP finish

half:
	CMPQ BX, $8
	JLE  half1
	CMPQ BX, $16
	JLE  half2

	PCALIGN $64
half3:
	LOADB3(0)
	TOP3(0)
	NEXTSTEP
	JNZ half3
	JMP finish

	PCALIGN $64
half2:
	LOADB2(0)
	TOP2(0)
	NEXTSTEP
	JNZ half2
	JMP finish

	PCALIGN $64
half1:
	LOADB1(0)
	TOP1(0)
	NEXTSTEP
	JNZ half1

finish:
	XORL    R13, R13
	MOVBLZX accumulate+64(FP), AX
	NEGL    AX
	KMOVW   AX, K7
	MOVQ    $0x8000000000000000, AX
	VPBROADCASTQ AX, Z7
	VBROADCASTSD alpha+8(FP), Z0
	CMPQ    BX, $8
	JLE     put1
	CMPQ    BX, $16
	JLE     put2
	PUTROW3(Z8, Z9, Z10)
	PUTROW3(Z11, Z12, Z13)
	PUTROW3(Z14, Z15, Z16)
	PUTROW3(Z17, Z18, Z19)
	PUTROW3(Z20, Z21, Z22)
	PUTROW3(Z23, Z24, Z25)
	PUTROW3(Z26, Z27, Z28)
	PUTROW3(Z29, Z30, Z31)

put2:
	PUTROW2(Z8, Z9)
	PUTROW2(Z11, Z12)
	PUTROW2(Z14, Z15)
	PUTROW2(Z17, Z18)
	PUTROW2(Z20, Z21)
	PUTROW2(Z23, Z24)
	PUTROW2(Z26, Z27)
	PUTROW2(Z29, Z30)

put1:
	PUTROW1(Z8)
	PUTROW1(Z11)
	PUTROW1(Z14)
	PUTROW1(Z17)
	PUTROW1(Z20)
	PUTROW1(Z23)
	PUTROW1(Z26)
	PUTROW1(Z29)

done:
	VZEROUPPER
	RET

// func peakAVX512(iterations int)
//
// The 24 multiply-adds of a step and nothing else.
TEXT ·peakAVX512(SB), NOSPLIT, $0-8
	MOVQ iterations+0(FP), CX
	VPXORQ Z0, Z0, Z0
	VPXORQ Z6, Z6, Z6
	CLEARTILE

	PCALIGN $64
loop:
	VFMADD231PD Z0, Z6, Z8
	VFMADD231PD Z0, Z6, Z9
	VFMADD231PD Z0, Z6, Z10
	VFMADD231PD Z0, Z6, Z11
	VFMADD231PD Z0, Z6, Z12
	VFMADD231PD Z0, Z6, Z13
	VFMADD231PD Z0, Z6, Z14
	VFMADD231PD Z0, Z6, Z15
	VFMADD231PD Z0, Z6, Z16
	VFMADD231PD Z0, Z6, Z17
	VFMADD231PD Z0, Z6, Z18
	VFMADD231PD Z0, Z6, Z19
	VFMADD231PD Z0, Z6, Z20
	VFMADD231PD Z0, Z6, Z21
	VFMADD231PD Z0, Z6, Z22
	VFMADD231PD Z0, Z6, Z23
	VFMADD231PD Z0, Z6, Z24
	VFMADD231PD Z0, Z6, Z25
	VFMADD231PD Z0, Z6, Z26
	VFMADD231PD Z0, Z6, Z27
	VFMADD231PD Z0, Z6, Z28
	VFMADD231PD Z0, Z6, Z29
	VFMADD231PD Z0, Z6, Z30
	VFMADD231PD Z0, Z6, Z31
	DECQ CX
	JNZ  loop
	VZEROUPPER
	RET
