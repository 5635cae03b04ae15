// The registers of a 8 x 24 tile.
//
//	Z8 to Z31   C: row i is Z(8+3i), Z(9+3i), Z(10+3i)

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
