// LOADSTRIP copies the fields of a Strip to the frame, of 120 bytes, as no register is left
// for the Strip's address. a, rows, diagonal and c advance with the tiles. AX and CX are
// scratch.

#include "go_asm.h"

#define FIELD(name, at) \
	MOVQ name(AX), CX; \
	MOVQ CX, at

#define LOADSTRIP \
	MOVQ s+0(FP), AX;                     \
	FIELD(Strip_Depth, depth-8(SP));      \
	FIELD(Strip_Alpha, alpha-16(SP));     \
	FIELD(Strip_A, a-24(SP));             \
	FIELD(Strip_LineA, lineA-32(SP));     \
	FIELD(Strip_StepA, stepA-40(SP));     \
	FIELD(Strip_B, b-48(SP));             \
	FIELD(Strip_StepB, stepB-56(SP));     \
	FIELD(Strip_C, c-64(SP));             \
	FIELD(Strip_LDC, ldc-72(SP));         \
	FIELD(Strip_Rows, rows-80(SP));       \
	FIELD(Strip_Cols, cols-88(SP));       \
	FIELD(Strip_Diagonal, diagonal-96(SP)); \
	FIELD(Strip_AheadA, aheadA-104(SP));  \
	FIELD(Strip_AheadB, aheadB-112(SP));  \
	MOVBLZX Strip_Accumulate(AX), CX;     \
	MOVQ CX, accumulate-120(SP)
