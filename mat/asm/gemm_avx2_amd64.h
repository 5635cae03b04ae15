// The registers of a 4 x 12 tile.
//
//	Y4 to Y15   C: row i is Y(4+3i), Y(5+3i), Y(6+3i)

#define CLEAR(c0, c1, c2) \
	VXORPD c0, c0, c0; \
	VXORPD c1, c1, c1; \
	VXORPD c2, c2, c2

#define CLEARTILE \
	CLEAR(Y4, Y5, Y6);    \
	CLEAR(Y7, Y8, Y9);    \
	CLEAR(Y10, Y11, Y12); \
	CLEAR(Y13, Y14, Y15)
