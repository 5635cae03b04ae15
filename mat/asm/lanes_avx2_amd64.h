// The 32 lanes of Dot in eight AVX2 registers, and masks for the end of a vector.

// CLEAR sets the lanes of Y0 to Y7 to +0.
#define CLEAR \
	VXORPD Y0, Y0, Y0; \
	VXORPD Y1, Y1, Y1; \
	VXORPD Y2, Y2, Y2; \
	VXORPD Y3, Y3, Y3; \
	VXORPD Y4, Y4, Y4; \
	VXORPD Y5, Y5, Y5; \
	VXORPD Y6, Y6, Y6; \
	VXORPD Y7, Y7, Y7

// FOLD adds the lanes of Y0 to Y7 by halves and leaves the sum in X0.
#define FOLD \
	VADDPD       Y4, Y0, Y0; \
	VADDPD       Y5, Y1, Y1; \
	VADDPD       Y6, Y2, Y2; \
	VADDPD       Y7, Y3, Y3; \
	VADDPD       Y2, Y0, Y0; \
	VADDPD       Y3, Y1, Y1; \
	VADDPD       Y1, Y0, Y0; \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPD       X1, X0, X0; \
	VUNPCKHPD    X0, X0, X1; \
	VADDSD       X1, X0, X0

// MASK sets mask to the first CX < 4 lanes. It clobbers AX and CX.
#define MASK(mask) \
	LEAQ    firstLanes<>(SB), AX; \
	NEGQ    CX;                   \
	VMOVUPD 32(AX)(CX*8), mask

DATA firstLanes<>+0(SB)/8, $-1
DATA firstLanes<>+8(SB)/8, $-1
DATA firstLanes<>+16(SB)/8, $-1
DATA firstLanes<>+24(SB)/8, $-1
DATA firstLanes<>+32(SB)/8, $0
DATA firstLanes<>+40(SB)/8, $0
DATA firstLanes<>+48(SB)/8, $0
DATA firstLanes<>+56(SB)/8, $0
GLOBL firstLanes<>(SB), RODATA|NOPTR, $64
