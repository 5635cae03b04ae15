//go:build !purego

// Kernel.Scale for AVX-512 and AVX2.
//
//	SI  x    CX  elements left

#include "textflag.h"
#include "lanes_avx512_amd64.h"

// func scaleAVX512(alpha float64, x []float64)
//
// Z0 is alpha.
TEXT ·scaleAVX512(SB), NOSPLIT, $0-32
	VBROADCASTSD alpha+0(FP), Z0
	MOVQ x_base+8(FP), SI
	MOVQ x_len+16(FP), CX
	SUBQ $32, CX
	JL   eights

	PCALIGN $32
loop:
	VMULPD  (SI), Z0, Z1
	VMULPD  64(SI), Z0, Z2
	VMULPD  128(SI), Z0, Z3
	VMULPD  192(SI), Z0, Z4
	STORE4((SI), Z1, Z2, Z3, Z4)
	ADDQ $256, SI
	SUBQ $32, CX
	JGE  loop

eights:
	ADDQ $24, CX
	JL   rest

eight:
	VMULPD  (SI), Z0, Z1
	VMOVUPD Z1, (SI)
	ADDQ $64, SI
	SUBQ $8, CX
	JGE  eight

rest:
	ADDQ $8, CX
	JZ   done
	MASK
	VMOVUPD.Z (SI), K1, Z1
	VMULPD    Z1, Z0, Z1
	VMOVUPD   Z1, K1, (SI)

done:
	VZEROUPPER
	RET

// func scaleAVX2(alpha float64, x []float64)
//
// Y0 is alpha.
TEXT ·scaleAVX2(SB), NOSPLIT, $0-32
	VBROADCASTSD alpha+0(FP), Y0
	MOVQ x_base+8(FP), SI
	MOVQ x_len+16(FP), CX
	SUBQ $16, CX
	JL   fours

	PCALIGN $32
loop:
	VMULPD  (SI), Y0, Y1
	VMULPD  32(SI), Y0, Y2
	VMULPD  64(SI), Y0, Y3
	VMULPD  96(SI), Y0, Y4
	VMOVUPD Y1, (SI)
	VMOVUPD Y2, 32(SI)
	VMOVUPD Y3, 64(SI)
	VMOVUPD Y4, 96(SI)
	ADDQ $128, SI
	SUBQ $16, CX
	JGE  loop

fours:
	ADDQ $12, CX
	JL   rest

four:
	VMULPD  (SI), Y0, Y1
	VMOVUPD Y1, (SI)
	ADDQ $32, SI
	SUBQ $4, CX
	JGE  four

rest:
	ADDQ $4, CX
	JZ   done

one:
	VMULSD (SI), X0, X1
	VMOVSD X1, (SI)
	ADDQ $8, SI
	DECQ CX
	JNZ  one

done:
	VZEROUPPER
	RET
