// The 32 lanes of Dot in four AVX-512 registers, 32 elements at a time, and masks for the end of a
// vector.

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

// LOAD4 and STORE4 move 32 elements between memory and registers; place is an address without
// offset, such as (SI) or (SI)(R8*1). ADDPRODUCTS4 adds the products of 32 elements at place and
// those in x0 to x3 to lanes. The macros whose names end in END are for the elements in K1 to K4:
// a lane without an element keeps its value, including the sign of zero.
#define LOAD4(place, z0, z1, z2, z3) \
	VMOVUPD 0 place, z0;   \
	VMOVUPD 64 place, z1;  \
	VMOVUPD 128 place, z2; \
	VMOVUPD 192 place, z3

#define LOAD4END(place, z0, z1, z2, z3) \
	VMOVUPD.Z 0 place, K1, z0;   \
	VMOVUPD.Z 64 place, K2, z1;  \
	VMOVUPD.Z 128 place, K3, z2; \
	VMOVUPD.Z 192 place, K4, z3

#define STORE4(place, z0, z1, z2, z3) \
	VMOVUPD z0, 0 place;   \
	VMOVUPD z1, 64 place;  \
	VMOVUPD z2, 128 place; \
	VMOVUPD z3, 192 place

#define ADDPRODUCTS4(place, x0, x1, x2, x3, z0, z1, z2, z3) \
	VFMADD231PD 0 place, x0, z0;   \
	VFMADD231PD 64 place, x1, z1;  \
	VFMADD231PD 128 place, x2, z2; \
	VFMADD231PD 192 place, x3, z3

#define ADDPRODUCTS4END(place, x0, x1, x2, x3, z0, z1, z2, z3) \
	VFMADD231PD 0 place, x0, K1, z0;   \
	VFMADD231PD 64 place, x1, K2, z1;  \
	VFMADD231PD 128 place, x2, K3, z2; \
	VFMADD231PD 192 place, x3, K4, z3

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
