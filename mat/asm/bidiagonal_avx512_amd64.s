//go:build !purego

// Kernel.BidiagonalRows for AVX-512.
//
//	BX  u    SI  row of A    DX  the next row    R8  bytes between rows    R14  rows left
//	R9  head    R10 w    R11 v    R12 p    R13  elements    AX  offset in bytes    CX  elements left
//
// Two rows at a time share the loads of w, v and p. The last elements of a row use merging
// masks: K1 to K4 select the last 32 lanes.

#include "textflag.h"
#include "lanes_avx512_amd64.h"

// UPDATE subtracts u w from 8 elements of a row and adds their products with those of v to the
// lanes of a dot product. UPDATEONE does so for the row at SI, UPDATEPAIR for that at DX as well.
// The macros whose names end in END are for the last elements, in the mask k.
#define UPDATE(place, u, z, lanes) \
	VMOVUPD      place, z;       \
	VFNMADD231PD Z16, u, z;      \
	VMOVUPD      z, place;       \
	VFMADD231PD  z, Z17, lanes

#define UPDATEEND(place, u, z, lanes, k) \
	VMOVUPD.Z    place, k, z;    \
	VFNMADD231PD Z16, u, z;      \
	VMOVUPD      z, k, place;    \
	VFMADD231PD  z, Z17, k, lanes

#define UPDATEONE(at, lanes) \
	VMOVUPD at(R10)(AX*1), Z16; \
	VMOVUPD at(R11)(AX*1), Z17; \
	UPDATE(at(SI)(AX*1), Z20, Z18, lanes)

#define UPDATEPAIR(at, lanes, lanesBelow) \
	UPDATEONE(at, lanes); \
	UPDATE(at(DX)(AX*1), Z21, Z19, lanesBelow)

#define UPDATEONEEND(at, lanes, k) \
	VMOVUPD.Z at(R10)(AX*1), k, Z16; \
	VMOVUPD.Z at(R11)(AX*1), k, Z17; \
	UPDATEEND(at(SI)(AX*1), Z20, Z18, lanes, k)

#define UPDATEPAIREND(at, lanes, lanesBelow, k) \
	UPDATEONEEND(at, lanes, k); \
	UPDATEEND(at(DX)(AX*1), Z21, Z19, lanesBelow, k)

// HEAD sets d to tau times a row's dot product, and h to the row's head element after REFLECT.
#define HEAD(row, dot, d, head, h) \
	VMULSD       tau+72(FP), dot, dot;   \
	VBROADCASTSD dot, d;                 \
	VMOVSD       (row)(R9*8), head;      \
	VFNMADD231SD (R11)(R9*8), dot, head; \
	VBROADCASTSD head, h

// REFLECT subtracts d v from 8 elements of a row and adds the result, times h, to p. REFLECTONE
// does so for the row at SI, REFLECTPAIR for that at DX as well.
#define REFLECT(place, d, z, h) \
	VMOVUPD      place, z;       \
	VFNMADD231PD Z16, d, z;      \
	VMOVUPD      z, place;       \
	VFMADD231PD  h, z, Z17

#define REFLECTEND(place, d, z, h, k) \
	VMOVUPD.Z    place, k, z;    \
	VFNMADD231PD Z16, d, z;      \
	VMOVUPD      z, k, place;    \
	VFMADD231PD  h, z, Z17

#define REFLECTONE(at) \
	VMOVUPD at(R11)(AX*1), Z16;           \
	VMOVUPD at(R12)(AX*1), Z17;           \
	REFLECT(at(SI)(AX*1), Z22, Z18, Z24); \
	VMOVUPD Z17, at(R12)(AX*1)

#define REFLECTPAIR(at) \
	VMOVUPD at(R11)(AX*1), Z16;           \
	VMOVUPD at(R12)(AX*1), Z17;           \
	REFLECT(at(SI)(AX*1), Z22, Z18, Z24); \
	REFLECT(at(DX)(AX*1), Z23, Z19, Z25); \
	VMOVUPD Z17, at(R12)(AX*1)

#define REFLECTONEEND(at, k) \
	VMOVUPD.Z at(R11)(AX*1), k, Z16;            \
	VMOVUPD.Z at(R12)(AX*1), k, Z17;            \
	REFLECTEND(at(SI)(AX*1), Z22, Z18, Z24, k); \
	VMOVUPD   Z17, k, at(R12)(AX*1)

#define REFLECTPAIREND(at, k) \
	VMOVUPD.Z at(R11)(AX*1), k, Z16;            \
	VMOVUPD.Z at(R12)(AX*1), k, Z17;            \
	REFLECTEND(at(SI)(AX*1), Z22, Z18, Z24, k); \
	REFLECTEND(at(DX)(AX*1), Z23, Z19, Z25, k); \
	VMOVUPD   Z17, k, at(R12)(AX*1)

// func bidiagonalRowsAVX512(u, w, v []float64, tau float64, head int, a []float64, lda int, p []float64)
//
//	Z0-Z3, Z4-Z7  lanes of the two rows    Z16, Z17  w and v, then v and p    Z18, Z19  8 elements
//	Z20, Z21  u    Z22, Z23  tau dot    Z24, Z25  head elements
TEXT ·bidiagonalRowsAVX512(SB), NOSPLIT, $0-144
	MOVQ u_base+0(FP), BX
	MOVQ u_len+8(FP), R14
	MOVQ w_base+24(FP), R10
	MOVQ v_base+48(FP), R11
	MOVQ head+80(FP), R9
	MOVQ a_base+88(FP), SI
	MOVQ lda+112(FP), R8
	MOVQ p_base+120(FP), R12
	MOVQ p_len+128(FP), R13
	SHLQ $3, R8
	MOVQ R13, CX
	ANDQ $31, CX
	MASK4
	SUBQ $2, R14
	JL   last

pair:
	CLEAR(Z0, Z1, Z2, Z3)
	CLEAR(Z4, Z5, Z6, Z7)
	VBROADCASTSD (BX), Z20
	VBROADCASTSD 8(BX), Z21
	LEAQ (SI)(R8*1), DX
	XORQ AX, AX
	MOVQ R13, CX
	SUBQ $32, CX
	JL   pairRest

	PCALIGN $32
pairUpdate:
	UPDATEPAIR(0, Z0, Z4)
	UPDATEPAIR(64, Z1, Z5)
	UPDATEPAIR(128, Z2, Z6)
	UPDATEPAIR(192, Z3, Z7)
	ADDQ $256, AX
	SUBQ $32, CX
	JGE  pairUpdate

pairRest:
	ADDQ $32, CX
	JZ   pairFold
	UPDATEPAIREND(0, Z0, Z4, K1)
	UPDATEPAIREND(64, Z1, Z5, K2)
	UPDATEPAIREND(128, Z2, Z6, K3)
	UPDATEPAIREND(192, Z3, Z7, K4)

pairFold:
	FOLD(Z0, Z1, Z2, Z3, Y0, Y1, X0, X1)
	FOLD(Z4, Z5, Z6, Z7, Y4, Y5, X4, X5)
	HEAD(SI, X0, Z22, X24, Z24)
	HEAD(DX, X4, Z23, X25, Z25)
	XORQ AX, AX
	MOVQ R13, CX
	SUBQ $32, CX
	JL   pairEnd

	PCALIGN $32
pairReflect:
	REFLECTPAIR(0)
	REFLECTPAIR(64)
	REFLECTPAIR(128)
	REFLECTPAIR(192)
	ADDQ $256, AX
	SUBQ $32, CX
	JGE  pairReflect

pairEnd:
	ADDQ $32, CX
	JZ   pairNext
	REFLECTPAIREND(0, K1)
	REFLECTPAIREND(64, K2)
	REFLECTPAIREND(128, K3)
	REFLECTPAIREND(192, K4)

pairNext:
	LEAQ (SI)(R8*2), SI
	ADDQ $16, BX
	SUBQ $2, R14
	JGE  pair

last:
	ADDQ $2, R14
	JZ   done
	CLEAR(Z0, Z1, Z2, Z3)
	VBROADCASTSD (BX), Z20
	XORQ AX, AX
	MOVQ R13, CX
	SUBQ $32, CX
	JL   oneRest

	PCALIGN $32
oneUpdate:
	UPDATEONE(0, Z0)
	UPDATEONE(64, Z1)
	UPDATEONE(128, Z2)
	UPDATEONE(192, Z3)
	ADDQ $256, AX
	SUBQ $32, CX
	JGE  oneUpdate

oneRest:
	ADDQ $32, CX
	JZ   oneFold
	UPDATEONEEND(0, Z0, K1)
	UPDATEONEEND(64, Z1, K2)
	UPDATEONEEND(128, Z2, K3)
	UPDATEONEEND(192, Z3, K4)

oneFold:
	FOLD(Z0, Z1, Z2, Z3, Y0, Y1, X0, X1)
	HEAD(SI, X0, Z22, X24, Z24)
	XORQ AX, AX
	MOVQ R13, CX
	SUBQ $32, CX
	JL   oneEnd

	PCALIGN $32
oneReflect:
	REFLECTONE(0)
	REFLECTONE(64)
	REFLECTONE(128)
	REFLECTONE(192)
	ADDQ $256, AX
	SUBQ $32, CX
	JGE  oneReflect

oneEnd:
	ADDQ $32, CX
	JZ   done
	REFLECTONEEND(0, K1)
	REFLECTONEEND(64, K2)
	REFLECTONEEND(128, K3)
	REFLECTONEEND(192, K4)

done:
	VZEROUPPER
	RET
