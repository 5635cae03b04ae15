//go:build !purego

// A strip of C, at most 24 columns wide, for AVX-512, from operands with any strides:
// Kernel.Strip. It computes tiles of 8 rows from top to bottom, then the remaining rows.
//
// In a tile of 8 rows
//
//	R8, R9, R10  rows 0, 3, 6 of A     SI  bytes from one row of A to the next
//	R15          bytes from one step of A to the next
//	DI  B        R11 bytes from one step of B to the next
//	R12 row of C R13 bytes from one row of C to the next
//	BX  elements of the first row on or left of the diagonal, less one
//	DX  steps left                     AX  bytes from A to what is prefetched
//	CX, R14  scratch
//
//	Z0 to Z2    a step's 24 elements of B     K1  those in use of the last register
//	Z6          one element of A, broadcast   K5  the upper half of a register
//	Z7          alpha
//	Z8 to Z31   C: row i is Z(8+3i), Z(9+3i), Z(10+3i)
//
// Only registers of columns that are in C are computed. A step of a full tile is 24
// multiply-adds in 12 cycles against 11 loads.

#include "textflag.h"
#include "strip_amd64.h"

// SEVEN and EIGHT apply op to that many rows of a tile. What has a number n in its name is for n
// registers of columns and ignores the others.
#define SEVEN(op) \
	op(Z8, Z9, Z10);   \
	op(Z11, Z12, Z13); \
	op(Z14, Z15, Z16); \
	op(Z17, Z18, Z19); \
	op(Z20, Z21, Z22); \
	op(Z23, Z24, Z25); \
	op(Z26, Z27, Z28)

#define EIGHT(op) \
	SEVEN(op);          \
	op(Z29, Z30, Z31)

#define CLEAR(c0, c1, c2) \
	VPXORQ c0, c0, c0; \
	VPXORQ c1, c1, c1; \
	VPXORQ c2, c2, c2

#define CLEARTILE EIGHT(CLEAR)

// ROW adds the products of an element of A at a to a row of a tile.
#define ROW1(a, c0, c1, c2) \
	VBROADCASTSD a, Z6;      \
	VFMADD231PD  Z0, Z6, c0

#define ROW2(a, c0, c1, c2) \
	ROW1(a, c0, c1, c2);     \
	VFMADD231PD  Z1, Z6, c1

#define ROW3(a, c0, c1, c2) \
	ROW2(a, c0, c1, c2);     \
	VFMADD231PD  Z2, Z6, c2

#define LOADB1 \
	VMOVUPD.Z (DI), K1, Z0

#define LOADB2 \
	VMOVUPD   (DI), Z0;      \
	VMOVUPD.Z 64(DI), K1, Z1

#define LOADB3 \
	VMOVUPD   (DI), Z0;       \
	VMOVUPD   64(DI), Z1;     \
	VMOVUPD.Z 128(DI), K1, Z2

// A last register of at most four columns serves two rows: its upper half belongs to the
// second. DOUBLE loads those columns of B twice. PAIR1 and PAIR2 are two rows of one or two
// registers and such a half, and SPLIT moves the second row's half to a register of its own.
#define DOUBLE(b, y, z) \
	VMOVUPD.Z  b, K1, y; \
	VSHUFF64X2 $0x44, z, z, z

#define PAIR1(a, b, c0, d0, pair) \
	VBROADCASTSD a, Z2;        \
	VBROADCASTSD b, Z3;        \
	VFMADD231PD  Z0, Z2, c0;   \
	VFMADD231PD  Z0, Z3, d0;   \
	VMOVAPD      Z3, K5, Z2;   \
	VFMADD231PD  Z1, Z2, pair

#define PAIR2(a, b, c0, c1, d0, d1, pair) \
	VBROADCASTSD a, Z3;        \
	VBROADCASTSD b, Z4;        \
	VFMADD231PD  Z0, Z3, c0;   \
	VFMADD231PD  Z1, Z3, c1;   \
	VFMADD231PD  Z0, Z4, d0;   \
	VFMADD231PD  Z1, Z4, d1;   \
	VMOVAPD      Z4, K5, Z3;   \
	VFMADD231PD  Z2, Z3, pair

#define SPLIT(pair, y) \
	VEXTRACTF64X4 $1, pair, y

#define ADVANCE \
	ADDQ R15, R8;  \
	ADDQ R15, R9;  \
	ADDQ R15, R10; \
	ADDQ R11, DI

#define NEXTSTEP \
	ADVANCE; \
	DECQ DX

// STEP is a step of a tile.
#define STEP(load, row) \
	load;                            \
	PREFETCHT0 (R8)(AX*1);           \
	row((R8), Z8, Z9, Z10);          \
	row((R8)(SI*1), Z11, Z12, Z13);  \
	row((R8)(SI*2), Z14, Z15, Z16);  \
	row((R9), Z17, Z18, Z19);        \
	row((R9)(SI*1), Z20, Z21, Z22);  \
	row((R9)(SI*2), Z23, Z24, Z25);  \
	row((R10), Z26, Z27, Z28);       \
	row((R10)(SI*1), Z29, Z30, Z31); \
	ADVANCE

// START precedes the steps; JZ skips them if there are none.
#define START \
	MOVQ  b-48(SP), DI;    \
	MOVQ  depth-8(SP), DX; \
	CLEARTILE;             \
	TESTQ DX, DX

// PREFETCHROW prefetches a row of C, at most four cache lines, and advances to the next.
#define PREFETCHROW \
	PREFETCHT0 (CX);    \
	PREFETCHT0 64(CX);  \
	PREFETCHT0 128(CX); \
	PREFETCHT0 184(CX); \
	ADDQ R13, CX

// ADD and STORE are c = c + alpha*ab and c = ab for a register of a row; ADDLAST and STORELAST
// are for the last register.
#define ADD(c, offset) \
	VFMADD213PD offset(R12), Z7, c; \
	VMOVUPD     c, offset(R12)

#define STORE(c, offset) \
	VMOVUPD c, offset(R12)

#define ADDLAST(c, offset) \
	VFMADD213PD offset(R12), Z7, K1, c; \
	VMOVUPD     c, K1, offset(R12);     \
	ADDQ        R13, R12

#define STORELAST(c, offset) \
	VMOVUPD c, K1, offset(R12); \
	ADDQ    R13, R12

#define ADD1(c0, c1, c2) \
	ADDLAST(c0, 0)

#define STORE1(c0, c1, c2) \
	STORELAST(c0, 0)

#define ADD2(c0, c1, c2) \
	ADD(c0, 0);     \
	ADDLAST(c1, 64)

#define STORE2(c0, c1, c2) \
	STORE(c0, 0);     \
	STORELAST(c1, 64)

#define ADD3(c0, c1, c2) \
	ADD(c0, 0);      \
	ADD(c1, 64);     \
	ADDLAST(c2, 128)

#define STORE3(c0, c1, c2) \
	STORE(c0, 0);      \
	STORE(c1, 64);     \
	STORELAST(c2, 128)

// FEW applies op to R9 rows, at most 7, and then jumps to done.
#define FEW(op) \
	op(Z8, Z9, Z10);   \
	ANOTHER;           \
	op(Z11, Z12, Z13); \
	ANOTHER;           \
	op(Z14, Z15, Z16); \
	ANOTHER;           \
	op(Z17, Z18, Z19); \
	ANOTHER;           \
	op(Z20, Z21, Z22); \
	ANOTHER;           \
	op(Z23, Z24, Z25); \
	ANOTHER;           \
	op(Z26, Z27, Z28); \
	JMP  done

#define ANOTHER \
	DECQ R9; \
	JZ   done

// UNLESSONE jumps to skip if alpha is 1; SCALE is ab = alpha*ab.
#define UNLESSONE(skip) \
	MOVQ alpha-16(SP), AX;        \
	MOVQ $0x3FF0000000000000, CX; \
	CMPQ AX, CX;                  \
	JEQ  skip

#define SCALE(c0, c1, c2, c3) \
	VMULPD Z7, c0, c0; \
	VMULPD Z7, c1, c1; \
	VMULPD Z7, c2, c2; \
	VMULPD Z7, c3, c3

#define SCALE1 \
	SCALE(Z8, Z11, Z14, Z17); \
	SCALE(Z20, Z23, Z26, Z29)

#define SCALE2 \
	SCALE1;                   \
	SCALE(Z9, Z12, Z15, Z18); \
	SCALE(Z21, Z24, Z27, Z30)

#define SCALE3 \
	SCALE2;                    \
	SCALE(Z10, Z13, Z16, Z19); \
	SCALE(Z22, Z25, Z28, Z31)

// PUTTILE adds a tile to C, or stores it, and jumps to next, or to crossed if the diagonal crosses the
// tile. PUTFEWROWS does so for R9 rows after FEWSTART, and jumps to done or fewcrossed.
#define PUTTILE(add, scale, put, store, plain) \
	LEAQ 1(BX), CX;              \
	CMPQ CX, cols-88(SP);        \
	JLT  crossed;                \
	CMPB accumulate-120(SP), $0; \
	JEQ  store;                  \
	EIGHT(add);                  \
	JMP  next;                   \
store:                               \
	UNLESSONE(plain);            \
	scale;                       \
plain:                               \
	EIGHT(put);                  \
	JMP  next

#define PUTFEWROWS(add, scale, put, store, plain) \
	FEWSTART;                    \
	JGT  fewcrossed;             \
	CMPB accumulate-120(SP), $0; \
	JEQ  store;                  \
	FEW(add);                    \
store:                               \
	UNLESSONE(plain);            \
	scale;                       \
plain:                               \
	FEW(put)

// LASTMASK sets K1 to the elements in use of the last register for n columns; n must not be
// CX.
#define LASTMASK(n) \
	LEAQ  -1(n), CX; \
	ANDQ  $7, CX;    \
	MOVL  $2, AX;    \
	SHLL  CX, AX;    \
	DECL  AX;        \
	KMOVW AX, K1

// MASKS computes from the diagonal, CX, and the number of columns, SI, the bits from which
// MASK takes those of a row: R10 for the columns, and R11 (upper half) for the elements on or
// below the diagonal. CX and SI are at least -7 and 1.
#define MASKS \
	CMPQ    CX, SI; \
	CMOVQGT SI, CX; \
	ADDQ    $33, CX; \
	MOVL    $1, R11; \
	SHLQ    CX, R11; \
	DECQ    R11; \
	MOVQ    SI, CX; \
	MOVL    $1, R10; \
	SHLL    CX, R10; \
	DECL    R10

// MASK sets K1, K2, K3 to the elements of a row and advances to the next row, which has one
// more.
#define MASK \
	MOVQ     R11, AX;          \
	SHRQ     $32, AX;          \
	ANDL     R10, AX;          \
	KMOVD    AX, K1;           \
	KSHIFTRD $8, K1, K2;       \
	KSHIFTRD $16, K1, K3;      \
	LEAQ     1(R11)(R11*1), R11

// PUT is at = fma(alpha, ab, at) under the mask. Without accumulate, K7 is empty and -0
// replaces the value at at: adding it changes nothing, including the sign of zero.
#define PUT(mask, c, at) \
	VMOVAPD     Z5, Z1;       \
	KANDW       mask, K7, K4; \
	VMOVUPD     at, K4, Z1;   \
	VFMADD213PD Z1, Z7, c;    \
	VMOVUPD     c, mask, at

// PUTROW stores a row up to the diagonal, and jumps to end after the last one.
#define PUTROW(c0, c1, c2, end) \
	MASK;                  \
	PUT(K1, c0, 0(R12));   \
	PUT(K2, c1, 64(R12));  \
	PUT(K3, c2, 128(R12)); \
	ADDQ R13, R12;         \
	DECQ R9;               \
	JZ   end

#define PUTCROSSED(c0, c1, c2) PUTROW(c0, c1, c2, crossedend)
#define PUTFEW(c0, c1, c2) PUTROW(c0, c1, c2, done)

// CORNERROWS processes a row of the upper half of a corner and the row 8 below it in a step;
// PUTCORNERROWS stores them. CORNERPAIRS processes two and two of the first four rows of the
// halves, which have at most four elements in the register that the diagonal crosses; Z2 and
// Z3 hold these elements of B twice.
#define CORNERPAIRS(a, upper, first, second, lower) \
	VBROADCASTSD a(R8), Z4;        \
	VBROADCASTSD a+8(R8), K5, Z4;  \
	VFMADD231PD  Z2, Z4, upper;    \
	VBROADCASTSD a+64(R8), Z6;     \
	VBROADCASTSD a+72(R8), Z1;     \
	VFMADD231PD  Z0, Z6, first;    \
	VFMADD231PD  Z0, Z1, second;   \
	VMOVAPD      Z1, K5, Z6;       \
	VFMADD231PD  Z3, Z6, lower

#define CORNERROWS(a, upper, lower0, lower1) \
	VBROADCASTSD a(R8), Z6;        \
	VFMADD231PD  Z0, Z6, upper;    \
	VBROADCASTSD a+64(R8), Z6;     \
	VFMADD231PD  Z0, Z6, lower0;   \
	VFMADD231PD  Z1, Z6, lower1

#define PUTCORNERROWS(upper, lower0, lower1) \
	KMOVW AX, K1;               \
	PUT(K1, upper, (R12));      \
	PUT(K6, lower0, (R14));     \
	PUT(K1, lower1, 64(R14));   \
	LEAL 1(AX)(AX*1), AX;       \
	ADDQ R13, R12;              \
	ADDQ R13, R14

// func stripAVX512(s *Strip)
TEXT ·stripAVX512(SB), NOSPLIT, $120-8
	LOADSTRIP
	MOVQ lineA-32(SP), SI
	MOVQ c-64(SP), R12
	MOVQ ldc-72(SP), R13
	MOVQ diagonal-96(SP), BX
	SHLQ $3, SI
	SHLQ $3, R13
	VBROADCASTSD alpha-16(SP), Z7
	MOVQ         $0x8000000000000000, AX
	VPBROADCASTQ AX, Z5
	MOVBLZX      accumulate-120(SP), AX
	NEGL         AX
	KMOVW        AX, K7
	MOVL         $0xF0, AX
	KMOVW        AX, K5
	CMPQ rows-80(SP), $8
	JLT  few

tile:
	// DX: the columns of the last row, which is the longest.
	MOVQ    cols-88(SP), AX
	LEAQ    8(BX), DX
	CMPQ    DX, AX
	CMOVQGT AX, DX
	TESTQ   DX, DX
	JLE     above
	LASTMASK(DX)
	MOVQ a-24(SP), R8
	LEAQ (R8)(SI*2), R9
	ADDQ SI, R9
	LEAQ (R9)(SI*2), R10
	ADDQ SI, R10
	MOVQ stepA-40(SP), R15
	MOVQ stepB-56(SP), R11
	SHLQ $3, R15
	SHLQ $3, R11
	MOVQ aheadA-104(SP), AX
	SHLQ $3, AX
	CMPQ DX, $16
	JGT  three
	CMPQ DX, $8
	JGT  two

	// It is faster to compute the corner of a diagonal together with the 8 rows below it.
	TESTQ BX, BX
	JNZ   one
	CMPQ  SI, $8
	JNE   one
	CMPQ  rows-80(SP), $16
	JLT   one
	CMPQ  cols-88(SP), $16
	JGE   corner

one:
	START
	JZ end1
	PCALIGN $64
loop1:
	STEP(LOADB1, ROW1)
	DECQ DX
	JNZ loop1

end1:
	PUTTILE(ADD1, SCALE1, STORE1, store1, plain1)

two:
	CMPQ DX, $12
	JLE  onehalf
	START
	JZ   end2
	PCALIGN $64
loop2:
	STEP(LOADB2, ROW2)
	DECQ DX
	JNZ loop2
	JMP end2

onehalf:
	START
	JZ end2
	PCALIGN $64
looponehalf:
	VMOVUPD (DI), Z0
	DOUBLE(64(DI), Y1, Z1)
	PAIR1((R8), (R8)(SI*1), Z8, Z11, Z9)
	PAIR1((R8)(SI*2), (R9), Z14, Z17, Z15)
	PAIR1((R9)(SI*1), (R9)(SI*2), Z20, Z23, Z21)
	PAIR1((R10), (R10)(SI*1), Z26, Z29, Z27)
	PREFETCHT0 (R8)(AX*1)
	NEXTSTEP
	JNZ looponehalf
	SPLIT(Z9, Y12)
	SPLIT(Z15, Y18)
	SPLIT(Z21, Y24)
	SPLIT(Z27, Y30)

end2:
	PUTTILE(ADD2, SCALE2, STORE2, store2, plain2)

three:
	CMPQ DX, $20
	JLE  twohalf
	START
	JZ    end3
	TESTQ AX, AX
	JZ    loop3
	CMPQ  DX, $64
	JLT   loop3

	// The first half of the steps prefetches C, row by row, because all at once would delay
	// the loads of A. It also prefetches B of the next strip, whose rows are too far apart
	// for the hardware to predict: 0 to 7 with the last tile, 8 to 15 before it.
	MOVQ  BX, diagonal-96(SP)
	MOVQ  R12, CX
	MOVQ  aheadB-112(SP), R14
	MOVQ  rows-80(SP), BX
	SUBQ  $8, BX
	IMULQ R11, BX
	LEAQ  (BX)(R14*8), BX
	ADDQ  DI, BX
	TESTQ R14, R14
	JZ    noahead
	MOVQ  rows-80(SP), R14
	SUBQ  $8, R14
	CMPQ  R14, DX
	JLT   fetch

noahead:
	MOVQ DI, BX // it is in cache

fetch:
	MOVQ $8, R14
	CMPQ R15, $8
	JNE  fetch3
	CMPQ AX, SI
	JLT  fetchrows3

fetch3:
	PREFETCHROW
	PREFETCHT0 (BX)
	PREFETCHT0 64(BX)
	PREFETCHT0 128(BX)
	ADDQ R11, BX
	MOVQ depth-8(SP), DX
	SHRQ $4, DX

	PCALIGN $64
steps3:
	STEP(LOADB3, ROW3)
	DECQ DX
	JNZ  steps3
	DECQ R14
	JNZ  fetch3

fetched3:
	MOVQ diagonal-96(SP), BX
	MOVQ depth-8(SP), DX
	MOVQ DX, R14
	SHRQ $4, R14
	SHLQ $3, R14
	SUBQ R14, DX

	PCALIGN $64
loop3:
	STEP(LOADB3, ROW3)
	DECQ DX
	JNZ loop3
	JMP end3

	// If the elements of a row of A are adjacent and more of these rows come next, all of
	// them are prefetched, one after another, two cache lines per step.
fetchrows3:
	PREFETCHROW
	PREFETCHT0 (BX)
	PREFETCHT0 64(BX)
	PREFETCHT0 128(BX)
	ADDQ R11, BX
	MOVQ depth-8(SP), DX
	SHRQ $4, DX

	PCALIGN $64
stepsrows3:
	PREFETCHT0 64(R8)(AX*1)
	STEP(LOADB3, ROW3)
	ADDQ $120, AX
	DECQ DX
	JNZ  stepsrows3
	MOVQ depth-8(SP), DX
	SHLQ $3, DX
	ADDQ SI, AX
	SUBQ DX, AX
	DECQ R14
	JNZ  fetchrows3
	MOVQ aheadA-104(SP), AX
	SHLQ $3, AX
	JMP  fetched3

twohalf:
	START
	JZ end3
	PCALIGN $64
looptwohalf:
	VMOVUPD (DI), Z0
	VMOVUPD 64(DI), Z1
	DOUBLE(128(DI), Y2, Z2)
	PAIR2((R8), (R8)(SI*1), Z8, Z9, Z11, Z12, Z10)
	PAIR2((R8)(SI*2), (R9), Z14, Z15, Z17, Z18, Z16)
	PAIR2((R9)(SI*1), (R9)(SI*2), Z20, Z21, Z23, Z24, Z22)
	PAIR2((R10), (R10)(SI*1), Z26, Z27, Z29, Z30, Z28)
	PREFETCHT0 (R8)(AX*1)
	NEXTSTEP
	JNZ looptwohalf
	SPLIT(Z10, Y13)
	SPLIT(Z16, Y19)
	SPLIT(Z22, Y25)
	SPLIT(Z28, Y31)

end3:
	PUTTILE(ADD3, SCALE3, STORE3, store3, plain3)

	// A corner: 16 rows of adjacent elements of A. The upper 8 have at most one register,
	// Z10 to Z31, and the lower ones two, in the registers of a tile.
corner:
	START
	JZ putcorner
	PCALIGN $64
loopcorner:
	VMOVUPD    (DI), Z0
	VMOVUPD    64(DI), Z1
	PREFETCHT0 (R8)(AX*1)
	VSHUFF64X2 $0x44, Z0, Z0, Z2
	VSHUFF64X2 $0x44, Z1, Z1, Z3
	CORNERROWS(32, Z22, Z20, Z21)
	CORNERROWS(40, Z25, Z23, Z24)
	CORNERROWS(48, Z28, Z26, Z27)
	CORNERROWS(56, Z31, Z29, Z30)
	CORNERPAIRS(0, Z10, Z8, Z11, Z9)
	CORNERPAIRS(16, Z16, Z14, Z17, Z15)
	ADDQ R15, R8
	ADDQ R11, DI
	DECQ DX
	JNZ  loopcorner

putcorner:
	SPLIT(Z10, Y13)
	SPLIT(Z16, Y19)
	SPLIT(Z9, Y12)
	SPLIT(Z15, Y18)
	MOVL  $0xFF, AX
	KMOVW AX, K6
	MOVL  $1, AX
	LEAQ  (R12)(R13*8), R14
	PUTCORNERROWS(Z10, Z8, Z9)
	PUTCORNERROWS(Z13, Z11, Z12)
	PUTCORNERROWS(Z16, Z14, Z15)
	PUTCORNERROWS(Z19, Z17, Z18)
	PUTCORNERROWS(Z22, Z20, Z21)
	PUTCORNERROWS(Z25, Z23, Z24)
	PUTCORNERROWS(Z28, Z26, Z27)
	PUTCORNERROWS(Z31, Z29, Z30)
	MOVQ R14, R12
	ADDQ $8, BX
	ADDQ $64, a-24(SP)
	SUBQ $8, rows-80(SP)
	JMP  next

	// The tile is above the diagonal.
above:
	LEAQ (R12)(R13*8), R12

next:
	ADDQ $8, BX
	LEAQ (SI*8), AX
	ADDQ AX, a-24(SP)
	SUBQ $8, rows-80(SP)
	JZ   done
	CMPQ rows-80(SP), $8
	JGE  tile
	JMP  few

	// The diagonal of C crosses the tile.
crossed:
	MOVQ BX, CX
	MOVQ cols-88(SP), SI
	MASKS
	MOVQ $8, R9
	EIGHT(PUTCROSSED)

crossedend:
	MOVQ lineA-32(SP), SI
	SHLQ $3, SI
	JMP  next

	// The remaining 1 to 7 rows. Missing rows are read where the last one is; the second
	// half of the rows is skipped if all of it is missing. Here
	//
	//	R8 to R13, AX  rows 0 to 6 of A   CX  bytes from these to the step's element
	//	SI                 bytes from one step of B to the next
#define ROWOFA(previous, row, i) \
	LEAQ    (previous)(SI*1), row; \
	CMPQ    DX, $i;                \
	CMOVQLE previous, row

#define NEXTSTEPFEW \
	ADDQ R15, CX; \
	ADDQ SI, DI;  \
	DECQ DX

// HALFSTEP is a step of at most four rows, MOSTSTEP one of at most seven.
#define HALFROWS(row) \
	row((R8)(CX*1), Z8, Z9, Z10);    \
	row((R9)(CX*1), Z11, Z12, Z13);  \
	row((R10)(CX*1), Z14, Z15, Z16); \
	row((R11)(CX*1), Z17, Z18, Z19)

#define HALFSTEP(load, row) \
	load;          \
	HALFROWS(row); \
	NEXTSTEPFEW

#define MOSTSTEP(load, row) \
	load;                            \
	HALFROWS(row);                   \
	row((R12)(CX*1), Z20, Z21, Z22); \
	row((R13)(CX*1), Z23, Z24, Z25); \
	row((AX)(CX*1), Z26, Z27, Z28);  \
	NEXTSTEPFEW

// BEGINFEW precedes the steps. It takes DI, whether there are at most four rows, and jumps to half
// if so.
#define BEGINFEW(half) \
	XORL  CX, CX;       \
	TESTB DI, DI;       \
	MOVQ  b-48(SP), DI; \
	JNZ   half

// FEWSTART precedes the rows of C; JGT then jumps if the diagonal crosses the tile.
#define FEWSTART \
	MOVQ c-64(SP), R12;     \
	MOVQ ldc-72(SP), R13;       \
	SHLQ $3, R13;                \
	MOVQ rows-80(SP), R9;       \
	MOVQ diagonal-96(SP), CX;   \
	INCQ CX;                     \
	CMPQ cols-88(SP), CX

few:
	MOVQ    rows-80(SP), DX
	TESTQ   DX, DX
	JZ      done
	MOVQ    R12, c-64(SP)
	MOVQ    BX, diagonal-96(SP)
	LEAQ    (DX)(BX*1), R15
	CMPQ    R15, cols-88(SP)
	CMOVQGT cols-88(SP), R15
	TESTQ   R15, R15
	JLE     done
	LASTMASK(R15)
	MOVQ a-24(SP), R8
	ROWOFA(R8, R9, 1)
	ROWOFA(R9, R10, 2)
	ROWOFA(R10, R11, 3)
	ROWOFA(R11, R12, 4)
	ROWOFA(R12, R13, 5)
	ROWOFA(R13, AX, 6)
	CLEARTILE

	// Select the loop: 3, 2 or 1 registers of columns, and how many rows.
	CMPQ  DX, $4
	SETLE DI
	MOVQ  R15, CX
	MOVQ  stepA-40(SP), R15
	MOVQ  stepB-56(SP), SI
	SHLQ  $3, R15
	SHLQ  $3, SI
	MOVQ  depth-8(SP), DX
	TESTQ DX, DX
	JZ    fewend
	CMPQ  CX, $16
	JGT   fewthree
	CMPQ  CX, $8
	JGT   fewtwo
	BEGINFEW(half1)

	PCALIGN $64
most1:
	MOSTSTEP(LOADB1, ROW1)
	JNZ most1
	JMP fewend1

	PCALIGN $64
half1:
	HALFSTEP(LOADB1, ROW1)
	JNZ half1
	JMP fewend1

fewtwo:
	BEGINFEW(half2)

	PCALIGN $64
most2:
	MOSTSTEP(LOADB2, ROW2)
	JNZ most2
	JMP fewend2

	PCALIGN $64
half2:
	HALFSTEP(LOADB2, ROW2)
	JNZ half2
	JMP fewend2

fewthree:
	BEGINFEW(half3)

	PCALIGN $64
most3:
	MOSTSTEP(LOADB3, ROW3)
	JNZ most3
	JMP fewend3

	PCALIGN $64
half3:
	HALFSTEP(LOADB3, ROW3)
	JNZ half3
	JMP fewend3

	// There are no terms, or the diagonal of C crosses the tile.
fewend:
	FEWSTART

fewcrossed:
	MOVQ diagonal-96(SP), CX
	MOVQ cols-88(SP), SI
	MASKS
	SEVEN(PUTFEW)
	JMP  done

fewend1:
	PUTFEWROWS(ADD1, SCALE1, STORE1, fewstore1, fewplain1)

fewend2:
	PUTFEWROWS(ADD2, SCALE2, STORE2, fewstore2, fewplain2)

fewend3:
	PUTFEWROWS(ADD3, SCALE3, STORE3, fewstore3, fewplain3)

done:
	VZEROUPPER
	RET

#define MULTIPLYADD(c0, c1, c2) \
	VFMADD231PD Z0, Z6, c0; \
	VFMADD231PD Z0, Z6, c1; \
	VFMADD231PD Z0, Z6, c2

// func peakAVX512(iterations int)
//
// Only the 24 multiply-adds of a step.
TEXT ·peakAVX512(SB), NOSPLIT, $0-8
	MOVQ iterations+0(FP), CX
	VPXORQ Z0, Z0, Z0
	VPXORQ Z6, Z6, Z6
	CLEARTILE

	PCALIGN $64
loop:
	EIGHT(MULTIPLYADD)
	DECQ CX
	JNZ  loop
	VZEROUPPER
	RET
