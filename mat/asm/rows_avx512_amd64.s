//go:build !purego

// Several rows of a matrix with one vector, for AVX-512: Kernel.DotRows and RotateRows.
//
//	SI  rows of A    R8  bytes between rows    R9  three times R8    R14  rows left

#include "textflag.h"
#include "lanes_avx512_amd64.h"

// PREFETCH4 prefetches 32 elements.
#define PREFETCH4(place) \
	PREFETCHT0 0 place;   \
	PREFETCHT0 64 place;  \
	PREFETCHT0 128 place; \
	PREFETCHT0 192 place

// func dotRowsAVX512(dst, a []float64, lda int, x []float64)
//
// Four rows share one pass over x; the remaining rows follow one by one. As in dotAVX512, the
// end of a row uses merging masks.
//
//	DI  dst    BX  x    DX  offset in x    AX  position in the first row    CX  elements left
TEXT ·dotRowsAVX512(SB), NOSPLIT, $0-80
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), R14
	MOVQ a_base+24(FP), SI
	MOVQ lda+48(FP), R8
	MOVQ x_base+56(FP), BX
	MOVQ x_len+64(FP), R10
	SHLQ $3, R8
	LEAQ (R8)(R8*2), R9
	MOVQ R10, CX
	ANDQ $31, CX
	MASK4
	SUBQ $4, R14
	JL   ones

four:
	CLEAR(Z0, Z1, Z2, Z3)
	CLEAR(Z4, Z5, Z6, Z7)
	CLEAR(Z8, Z9, Z10, Z11)
	CLEAR(Z12, Z13, Z14, Z15)
	MOVQ SI, AX
	MOVQ BX, DX
	MOVQ R10, CX
	SUBQ $32, CX
	JL   fourRest

	LEAQ (SI)(R8*4), R11
	LEAQ (R11)(R8*2), R12

	PCALIGN $32
fourLoop:
	PREFETCH4((R11))
	PREFETCH4((R11)(R8*1))
	PREFETCH4((R12))
	PREFETCH4((R12)(R8*1))
	ADDQ $256, R11
	ADDQ $256, R12
	LOAD4((DX), Z16, Z17, Z18, Z19)
	ADDPRODUCTS4((AX), Z16, Z17, Z18, Z19, Z0, Z1, Z2, Z3)
	ADDPRODUCTS4((AX)(R8*1), Z16, Z17, Z18, Z19, Z4, Z5, Z6, Z7)
	ADDPRODUCTS4((AX)(R8*2), Z16, Z17, Z18, Z19, Z8, Z9, Z10, Z11)
	ADDPRODUCTS4((AX)(R9*1), Z16, Z17, Z18, Z19, Z12, Z13, Z14, Z15)
	ADDQ $256, AX
	ADDQ $256, DX
	SUBQ $32, CX
	JGE  fourLoop

fourRest:
	ADDQ $32, CX
	JZ   fourFold
	LOAD4END((DX), Z16, Z17, Z18, Z19)
	ADDPRODUCTS4END((AX), Z16, Z17, Z18, Z19, Z0, Z1, Z2, Z3)
	ADDPRODUCTS4END((AX)(R8*1), Z16, Z17, Z18, Z19, Z4, Z5, Z6, Z7)
	ADDPRODUCTS4END((AX)(R8*2), Z16, Z17, Z18, Z19, Z8, Z9, Z10, Z11)
	ADDPRODUCTS4END((AX)(R9*1), Z16, Z17, Z18, Z19, Z12, Z13, Z14, Z15)

// The four rows are folded side by side: by halves from 32 lanes down to 4, which are then
// transposed, so that the last two folds add whole vectors of four rows.
fourFold:
	VADDPD Z2, Z0, Z0
	VADDPD Z3, Z1, Z1
	VADDPD Z6, Z4, Z4
	VADDPD Z7, Z5, Z5
	VADDPD Z10, Z8, Z8
	VADDPD Z11, Z9, Z9
	VADDPD Z14, Z12, Z12
	VADDPD Z15, Z13, Z13
	VADDPD Z1, Z0, Z0
	VADDPD Z5, Z4, Z4
	VADDPD Z9, Z8, Z8
	VADDPD Z13, Z12, Z12
	VEXTRACTF64X4 $1, Z0, Y1
	VEXTRACTF64X4 $1, Z4, Y5
	VEXTRACTF64X4 $1, Z8, Y9
	VEXTRACTF64X4 $1, Z12, Y13
	VADDPD Y1, Y0, Y0
	VADDPD Y5, Y4, Y4
	VADDPD Y9, Y8, Y8
	VADDPD Y13, Y12, Y12
	VPERM2F128 $0x20, Y8, Y0, Y1    // lanes 0, 1 of the first row and the third
	VPERM2F128 $0x31, Y8, Y0, Y2    // lanes 2, 3
	VPERM2F128 $0x20, Y12, Y4, Y5   // of the second and the fourth
	VPERM2F128 $0x31, Y12, Y4, Y6
	VADDPD Y2, Y1, Y1
	VADDPD Y6, Y5, Y5
	VUNPCKLPD Y5, Y1, Y2
	VUNPCKHPD Y5, Y1, Y3
	VADDPD Y3, Y2, Y2
	VMOVUPD Y2, (DI)
	ADDQ $32, DI
	LEAQ (SI)(R8*4), SI
	SUBQ $4, R14
	JGE  four

ones:
	ADDQ $4, R14
	JZ   done

one:
	CLEAR(Z0, Z1, Z2, Z3)
	MOVQ SI, AX
	MOVQ BX, DX
	MOVQ R10, CX
	SUBQ $32, CX
	JL   oneRest

oneLoop:
	LOAD4((DX), Z16, Z17, Z18, Z19)
	ADDPRODUCTS4((AX), Z16, Z17, Z18, Z19, Z0, Z1, Z2, Z3)
	ADDQ $256, AX
	ADDQ $256, DX
	SUBQ $32, CX
	JGE  oneLoop

oneRest:
	ADDQ $32, CX
	JZ   oneFold
	LOAD4END((DX), Z16, Z17, Z18, Z19)
	ADDPRODUCTS4END((AX), Z16, Z17, Z18, Z19, Z0, Z1, Z2, Z3)

oneFold:
	FOLD(Z0, Z1, Z2, Z3, Y0, Y1, X0, X1)
	VMOVSD        X0, (DI)
	ADDQ $8, DI
	ADDQ R8, SI
	DECQ R14
	JNZ  one

done:
	VZEROUPPER
	RET

// COEFFICIENTS sets Z29 to c, Z30 to s and Z31 to x for row R13.
#define COEFFICIENTS \
	VBROADCASTSD (BX)(R13*8), Z29; \
	VBROADCASTSD (DX)(R13*8), Z30; \
	VBROADCASTSD (R11)(R13*8), Z31

// TURN rotates elements t of a row with those of v, leaves the results in w and adds them to
// y.
#define TURN(t, w, v, y) \
	VMULPD      Z30, v, w;  \
	VMULPD      Z30, t, Z28; \
	VFMADD231PD Z29, t, w;  \
	VFMSUB132PD Z29, Z28, v; \
	VFMADD231PD Z31, w, y

// NEXTROW advances to the next row; JLT then repeats if there is one.
#define NEXTROW \
	ADDQ R8, AX;  \
	INCQ R13;     \
	CMPQ R13, R14

// func rotateRowsAVX512(c, s, x, a []float64, lda int, v, y []float64)
//
// 32 columns at a time, then 8, then the rest: all rows are rotated while their columns of v
// and y stay in registers.
//
//	BX  c    DX  s    R11  x    DI  v    R12  y    AX  offset in a row    R13  row    CX  columns left
TEXT ·rotateRowsAVX512(SB), NOSPLIT, $0-152
	MOVQ c_base+0(FP), BX
	MOVQ c_len+8(FP), R14
	MOVQ s_base+24(FP), DX
	MOVQ x_base+48(FP), R11
	MOVQ a_base+72(FP), SI
	MOVQ lda+96(FP), R8
	MOVQ v_base+104(FP), DI
	MOVQ y_base+128(FP), R12
	MOVQ y_len+136(FP), CX
	SHLQ $3, R8
	SUBQ $32, CX
	JL   eights

many:
	LOAD4((DI), Z0, Z1, Z2, Z3)
	LOAD4((R12), Z4, Z5, Z6, Z7)
	MOVQ SI, AX
	XORQ R13, R13

	PCALIGN $32
manyRows:
	COEFFICIENTS
	LOAD4((AX), Z8, Z9, Z10, Z11)
	TURN(Z8, Z12, Z0, Z4)
	TURN(Z9, Z13, Z1, Z5)
	TURN(Z10, Z14, Z2, Z6)
	TURN(Z11, Z15, Z3, Z7)
	STORE4((AX), Z12, Z13, Z14, Z15)
	NEXTROW
	JLT  manyRows

	STORE4((DI), Z0, Z1, Z2, Z3)
	STORE4((R12), Z4, Z5, Z6, Z7)
	ADDQ $256, DI
	ADDQ $256, R12
	ADDQ $256, SI
	SUBQ $32, CX
	JGE  many

eights:
	ADDQ $24, CX
	JL   rest

eight:
	VMOVUPD (DI), Z0
	VMOVUPD (R12), Z2
	MOVQ SI, AX
	XORQ R13, R13

eightRows:
	COEFFICIENTS
	VMOVUPD (AX), Z4
	TURN(Z4, Z6, Z0, Z2)
	VMOVUPD Z6, (AX)
	NEXTROW
	JLT  eightRows

	VMOVUPD Z0, (DI)
	VMOVUPD Z2, (R12)
	ADDQ $64, DI
	ADDQ $64, R12
	ADDQ $64, SI
	SUBQ $8, CX
	JGE  eight

rest:
	ADDQ $8, CX
	JZ   end
	MASK
	VMOVUPD.Z (DI), K1, Z0
	VMOVUPD.Z (R12), K1, Z2
	MOVQ SI, AX
	XORQ R13, R13

restRows:
	COEFFICIENTS
	VMOVUPD.Z (AX), K1, Z4
	TURN(Z4, Z6, Z0, Z2)
	VMOVUPD Z6, K1, (AX)
	NEXTROW
	JLT  restRows

	VMOVUPD Z0, K1, (DI)
	VMOVUPD Z2, K1, (R12)

end:
	VZEROUPPER
	RET
