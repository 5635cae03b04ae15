// The 32 lanes of Dot in four AVX-512 registers, and masks for the end of a vector.

// CLEAR sets lanes to +0.
#define CLEAR(z0, z1, z2, z3) \
	VPXORQ z0, z0, z0; \
	VPXORQ z1, z1, z1; \
	VPXORQ z2, z2, z2; \
	VPXORQ z3, z3, z3

// FOLD adds the lanes of z0 to z3 by halves and leaves the sum in x0. y0 and x0 are the lower
// parts of z0; y1 and x1 are those of z1.
#define FOLD(z0, z1, z2, z3, y0, y1, x0, x1) \
	VADDPD        z2, z0, z0; \
	VADDPD        z3, z1, z1; \
	VADDPD        z1, z0, z0; \
	VEXTRACTF64X4 $1, z0, y1; \
	VADDPD        y1, y0, y0; \
	VEXTRACTF128  $1, y0, x1; \
	VADDPD        x1, x0, x0; \
	VUNPCKHPD     x0, x0, x1; \
	VADDSD        x1, x0, x0

// MASK sets K1 to the first CX < 8 lanes. AX is scratch.
#define MASK \
	MOVL  $1, AX;  \
	SHLL  CX, AX;  \
	DECL  AX;      \
	KMOVW AX, K1

// MASK4 sets K1 to K4 to the first CX < 32 of 32 lanes. AX is scratch.
#define MASK4 \
	MASK;           \
	SHRL  $8, AX;   \
	KMOVW AX, K2;   \
	SHRL  $8, AX;   \
	KMOVW AX, K3;   \
	SHRL  $8, AX;   \
	KMOVW AX, K4
