//go:build !purego

// A strip of C, at most 12 columns wide, for AVX2 with FMA, from operands with any strides:
// Kernel.Strip. It computes tiles of 4 rows from top to bottom, then the remaining rows.
//
// In a tile of 4 rows
//
//	R8, R9  rows 0 and 3 of A     SI  bytes from one row of A to the next
//	R15     bytes from one step of A to the next
//	DI  B   R11 bytes from one step of B to the next
//	R12 row of C   R13 bytes from one row of C to the next
//	R10 the mask of the last register of columns
//	BX  elements of the first row on or left of the diagonal, less one
//	CX  1 if the diagonal crosses the tile, plus 2 if the last register of columns is
//	    incomplete
//	DX  steps left                AX  bytes from A to what is prefetched
//
//	Y0 to Y2   a step's 12 elements of B
//	Y3         one element of A, broadcast, and masks
//	Y4 to Y15  C: row i is Y(4+3i), Y(5+3i), Y(6+3i)
//
// Only registers of columns that are in C are computed. A step of a full tile is 12
// multiply-adds in 6 cycles against 8 loads.

#include "textflag.h"
#include "strip_amd64.h"

#define CLEAR(c0, c1, c2) \
	VXORPD c0, c0, c0; \
	VXORPD c1, c1, c1; \
	VXORPD c2, c2, c2

// ALL applies op to the rows of a tile. What has a number n in its name is for n registers of
// columns and ignores the others.
#define ALL(op) \
	op(Y4, Y5, Y6);    \
	op(Y7, Y8, Y9);    \
	op(Y10, Y11, Y12); \
	op(Y13, Y14, Y15)

#define CLEARTILE ALL(CLEAR)

// Masks start in four ones followed by eight zeros; then four times -0.
DATA masks<>+0(SB)/8, $-1
DATA masks<>+8(SB)/8, $-1
DATA masks<>+16(SB)/8, $-1
DATA masks<>+24(SB)/8, $-1
DATA masks<>+96(SB)/8, $0x8000000000000000
DATA masks<>+104(SB)/8, $0x8000000000000000
DATA masks<>+112(SB)/8, $0x8000000000000000
DATA masks<>+120(SB)/8, $0x8000000000000000
GLOBL masks<>(SB), RODATA|NOPTR, $128

// ROW adds the products of an element of A at a to a row of a tile.
#define ROW1(a, c0, c1, c2) \
	VBROADCASTSD a, Y3;     \
	VFMADD231PD  Y0, Y3, c0

#define ROW2(a, c0, c1, c2) \
	ROW1(a, c0, c1, c2);    \
	VFMADD231PD  Y1, Y3, c1

#define ROW3(a, c0, c1, c2) \
	ROW2(a, c0, c1, c2);    \
	VFMADD231PD  Y2, Y3, c2

// STEP is a step of a tile of four rows, FEWSTEP one of at most three.
#define STEP(load, row) \
	load;                           \
	PREFETCHT1 (R8)(AX*1);          \
	row((R8), Y4, Y5, Y6);          \
	row((R8)(SI*1), Y7, Y8, Y9);    \
	row((R8)(SI*2), Y10, Y11, Y12); \
	row((R9), Y13, Y14, Y15);       \
	NEXTSTEP

#define FEWSTEP(load, row) \
	load;                     \
	row((R8), Y4, Y5, Y6);    \
	row((R9), Y7, Y8, Y9);    \
	row((CX), Y10, Y11, Y12); \
	ADDQ R15, CX;             \
	NEXTSTEP

#define LOADB1 \
	VMOVUPD    (R10), Y3;   \
	VMASKMOVPD (DI), Y3, Y0

#define LOADB2 \
	VMOVUPD    (R10), Y3;     \
	VMASKMOVPD 32(DI), Y3, Y1; \
	VMOVUPD    (DI), Y0

#define LOADB3 \
	VMOVUPD    (R10), Y3;      \
	VMASKMOVPD 64(DI), Y3, Y2; \
	VMOVUPD    (DI), Y0;       \
	VMOVUPD    32(DI), Y1

// WHOLE is LOADB for a complete last register.
#define WHOLE1 \
	VMOVUPD (DI), Y0

#define WHOLE2 \
	WHOLE1;            \
	VMOVUPD 32(DI), Y1

#define WHOLE3 \
	WHOLE2;            \
	VMOVUPD 64(DI), Y2

#define NEXTSTEP \
	ADDQ R15, R8; \
	ADDQ R15, R9; \
	ADDQ R11, DI; \
	DECQ DX

// START precedes the steps; JZ skips them if there are none.
#define START \
	CLEARTILE;             \
	MOVQ  b-48(SP), DI;    \
	MOVQ  depth-8(SP), DX; \
	TESTQ DX, DX

// PREFETCHROW prefetches a row of C, at most three cache lines, and advances to the next.
// PREFETCHROWB prefetches a row of B that the strip before did not cover.
#define PREFETCHROW \
	PREFETCHT0 (DX);   \
	PREFETCHT0 64(DX); \
	PREFETCHT0 88(DX); \
	ADDQ R13, DX

#define PREFETCHROWB \
	PREFETCHT0 (DX);   \
	PREFETCHT0 64(DX); \
	ADDQ R11, DX

// ADD and STORE are c = c + alpha*ab and c = alpha*ab for a register of a row. ALPHA loads
// alpha to Y0.
#define ALPHA \
	VBROADCASTSD alpha-16(SP), Y0

#define ADD(c, offset) \
	VFMADD213PD offset(R12), Y0, c; \
	VMOVUPD     c, offset(R12)

#define STORE(c, offset) \
	VMULPD  Y0, c, c;       \
	VMOVUPD c, offset(R12)

#define ADD1(c0, c1, c2) \
	ADD(c0, 0);    \
	ADDQ R13, R12

#define STORE1(c0, c1, c2) \
	STORE(c0, 0);  \
	ADDQ R13, R12

#define ADD2(c0, c1, c2) \
	ADD(c0, 0);    \
	ADD(c1, 32);   \
	ADDQ R13, R12

#define STORE2(c0, c1, c2) \
	STORE(c0, 0);  \
	STORE(c1, 32); \
	ADDQ R13, R12

#define ADD3(c0, c1, c2) \
	ADD(c0, 0);    \
	ADD(c1, 32);   \
	ADD(c2, 64);   \
	ADDQ R13, R12

#define STORE3(c0, c1, c2) \
	STORE(c0, 0);  \
	STORE(c1, 32); \
	STORE(c2, 64); \
	ADDQ R13, R12

// PUTTILE adds a tile to C, or stores it, and jumps to next, or to partial if the tile is incomplete.
#define PUTTILE(add, put, store) \
	CMPQ CX, $0;                 \
	JNE  partial;                \
	ALPHA;                       \
	CMPB accumulate-120(SP), $0; \
	JEQ  store;                  \
	ALL(add);                    \
	JMP  next;                   \
store:                               \
	ALL(put);                    \
	JMP  next

// LASTMASK sets R10 to the mask of the last register of columns for n columns, and AX to how
// many of its elements are not used.
#define LASTMASK(n) \
	LEAQ -1(n), AX;       \
	ANDQ $3, AX;          \
	XORQ $3, AX;          \
	LEAQ masks<>(SB), R10; \
	LEAQ (R10)(AX*8), R10

// PUT is c = fma(alpha, ab, c) for the register whose columns end at end, up to the CX columns
// of the row. R15 and DX are zero and four, R8 and DI masks for reading and writing C, Y2 is
// the value of C where it is not read.
#define PUT(c, end, offset) \
	MOVQ        $end, AX;            \
	SUBQ        CX, AX;              \
	CMOVQLT     R15, AX;             \
	CMPQ        AX, $4;              \
	CMOVQGT     DX, AX;              \
	VMOVUPD     (R8)(AX*8), Y3;      \
	VMASKMOVPD  offset(R12), Y3, Y1; \
	VORPD       Y2, Y1, Y1;          \
	VFMADD213PD Y1, Y0, c;           \
	VMOVUPD     (DI)(AX*8), Y3;      \
	VMASKMOVPD  c, Y3, offset(R12)

// PUTROW stores a row of SI columns, or R11 if that is less, and advances to the next row,
// which has one more, or to partialend after the last.
#define PUTROW(c0, c1, c2) \
	MOVQ    R11, CX;  \
	CMPQ    CX, SI;   \
	CMOVQGT SI, CX;   \
	INCQ    R11;      \
	PUT(c0, 4, 0);    \
	PUT(c1, 8, 32);   \
	PUT(c2, 12, 64);  \
	ADDQ    R13, R12; \
	DECQ    R9;       \
	JZ      partialend

// func stripAVX2(s *Strip)
TEXT ·stripAVX2(SB), NOSPLIT, $120-8
	LOADSTRIP
	MOVQ c-64(SP), R12
	MOVQ ldc-72(SP), R13
	MOVQ diagonal-96(SP), BX
	SHLQ $3, R13

tile:
	MOVQ a-24(SP), R8
	MOVQ lineA-32(SP), SI
	MOVQ stepA-40(SP), R15
	MOVQ stepB-56(SP), R11
	SHLQ $3, SI
	SHLQ $3, R15
	SHLQ $3, R11
	CMPQ rows-80(SP), $4
	JLT  few

	// DX: the columns of the last row, which is the longest.
	MOVQ    cols-88(SP), AX
	LEAQ    4(BX), DX
	CMPQ    DX, AX
	CMOVQGT AX, DX
	TESTQ   DX, DX
	JLE     above
	LEAQ    1(BX), CX
	CMPQ    CX, DX
	SETLT   CX
	MOVBLZX CX, CX
	LASTMASK(DX)
	NEGQ    AX
	SBBQ    AX, AX
	ANDL    $2, AX
	ORL     AX, CX
	MOVQ    aheadA-104(SP), AX
	SHLQ    $3, AX
	LEAQ    (R8)(SI*2), R9
	ADDQ    SI, R9
	CMPQ    DX, $8
	JGT     three
	CMPQ    DX, $4
	JGT     two

	START
	JZ end1
	TESTB $2, CX
	JNZ part1
	PCALIGN $32
whole1:
	STEP(WHOLE1, ROW1)
	JNZ whole1
	JMP end1

	PCALIGN $32
part1:
	STEP(LOADB1, ROW1)
	JNZ part1

end1:
	PUTTILE(ADD1, STORE1, store1)

two:
	START
	JZ end2
	TESTB $2, CX
	JNZ part2
	PCALIGN $32
whole2:
	STEP(WHOLE2, ROW2)
	JNZ whole2
	JMP end2

	PCALIGN $32
part2:
	STEP(LOADB2, ROW2)
	JNZ part2

end2:
	PUTTILE(ADD2, STORE2, store2)

three:
	TESTQ AX, AX
	JZ    start3
	CMPQ  depth-8(SP), $64
	JLT   start3
	MOVQ  R12, DX
	PREFETCHROW
	PREFETCHROW
	PREFETCHROW
	PREFETCHROW

	// Prefetch B of the next strip: rows 0 to 3 with the last tile, 4 to 7 before it.
	MOVQ  aheadB-112(SP), DX
	TESTQ DX, DX
	JZ    start3
	MOVQ  rows-80(SP), DI
	SUBQ  $4, DI
	CMPQ  DI, depth-8(SP)
	JGE   start3
	IMULQ R11, DI
	LEAQ  (DI)(DX*8), DX
	ADDQ  b-48(SP), DX
	PREFETCHROWB
	PREFETCHROWB
	PREFETCHROWB
	PREFETCHROWB

start3:
	START
	JZ end3
	TESTB $2, CX
	JNZ part3
	PCALIGN $32
whole3:
	STEP(WHOLE3, ROW3)
	JNZ whole3
	JMP end3

	PCALIGN $32
part3:
	STEP(LOADB3, ROW3)
	JNZ part3

end3:
	PUTTILE(ADD3, STORE3, store3)

	// The tile is above the diagonal.
above:
	LEAQ (R12)(R13*4), R12

next:
	ADDQ $4, BX
	MOVQ lineA-32(SP), SI
	SHLQ $5, SI
	ADDQ SI, a-24(SP)
	SUBQ $4, rows-80(SP)
	JG   tile

done:
	VZEROUPPER
	RET

	// The tile ends within a register, or the diagonal of C crosses it.
partial:
	MOVQ $4, R9

put:
	LEAQ    1(BX), R11
	MOVQ    cols-88(SP), SI
	XORL    R15, R15
	MOVL    $4, DX
	LEAQ    masks<>(SB), DI
	MOVQ    DI, R8
	VXORPD  Y2, Y2, Y2
	CMPB    accumulate-120(SP), $0
	JNE     putrows
	ADDQ    $32, R8 // zeros: C is not read; adding -0 in its place changes nothing
	VMOVUPD 96(DI), Y2

putrows:
	ALPHA
	ALL(PUTROW)

partialend:
	CMPQ rows-80(SP), $4
	JGE  next
	JMP  done

	// The remaining 1 to 3 rows, in R8, R9, CX. Missing rows are read where the last one
	// is.
few:
	MOVQ    rows-80(SP), DX
	TESTQ   DX, DX
	JLE     done
	LEAQ    (DX)(BX*1), CX
	CMPQ    CX, cols-88(SP)
	CMOVQGT cols-88(SP), CX
	TESTQ   CX, CX
	JLE     done
	LASTMASK(CX)
	MOVQ    CX, AX
	LEAQ    (R8)(SI*1), R9
	CMPQ    DX, $1
	CMOVQLE R8, R9
	LEAQ    (R9)(SI*1), CX
	CMPQ    DX, $2
	CMOVQLE R9, CX
	START
	JZ      fewend
	CMPQ    AX, $4
	JLE     few1
	CMPQ    AX, $8
	JLE     few2

	PCALIGN $32
few3:
	FEWSTEP(LOADB3, ROW3)
	JNZ few3
	JMP fewend

	PCALIGN $32
few2:
	FEWSTEP(LOADB2, ROW2)
	JNZ few2
	JMP fewend

	PCALIGN $32
few1:
	FEWSTEP(LOADB1, ROW1)
	JNZ few1

fewend:
	MOVQ rows-80(SP), R9
	JMP  put

#define MULTIPLYADD(c0, c1, c2) \
	VFMADD231PD Y0, Y3, c0; \
	VFMADD231PD Y0, Y3, c1; \
	VFMADD231PD Y0, Y3, c2

// func peakAVX2(iterations int)
//
// Only the 12 multiply-adds of a step.
TEXT ·peakAVX2(SB), NOSPLIT, $0-8
	MOVQ iterations+0(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y3, Y3, Y3
	CLEARTILE

	PCALIGN $64
loop:
	ALL(MULTIPLYADD)
	DECQ CX
	JNZ  loop
	VZEROUPPER
	RET
