// Instructions that the Go assembler does not know. Operands are numbers of
// registers: d is the destination, n and m are sources.

// FMLA Vd.2D, Vn.2D, Vm.D[0] and Vm.D[1]: d = fma(n, element of m, d)
#define FMLA0(d, n, m) WORD $(0x4fc01000 | (m)<<16 | (n)<<5 | (d))
#define FMLA1(d, n, m) WORD $(0x4fc01800 | (m)<<16 | (n)<<5 | (d))

// FMUL Vd.2D, Vn.2D, Vm.2D
#define FMUL(d, n, m) WORD $(0x6e60dc00 | (m)<<16 | (n)<<5 | (d))

// FADD Vd.2D, Vn.2D, Vm.2D
#define FADD(d, n, m) WORD $(0x4e60d400 | (m)<<16 | (n)<<5 | (d))

// FSUB Vd.2D, Vn.2D, Vm.2D: d = n - m
#define FSUB(d, n, m) WORD $(0x4ee0d400 | (m)<<16 | (n)<<5 | (d))

// FADDP Dd, Vn.2D: the sum of both elements
#define FADDP(d, n) WORD $(0x7e70d800 | (n)<<5 | (d))
