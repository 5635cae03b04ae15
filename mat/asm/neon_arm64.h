// Instructions that the Go assembler does not support. Operands are register numbers: d is
// the destination, n and m are sources.

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

// FMLA Vd.2D, Vn.2D, Vm.2D: d = fma(n, m, d)
#define FMLA(d, n, m) WORD $(0x4e60cc00 | (m)<<16 | (n)<<5 | (d))

// FMLS Vd.2D, Vn.2D, Vm.2D: d = fma(-n, m, d)
#define FMLS(d, n, m) WORD $(0x4ee0cc00 | (m)<<16 | (n)<<5 | (d))

// FDIV Vd.2D, Vn.2D, Vm.2D: d = n / m
#define FDIV(d, n, m) WORD $(0x6e60fc00 | (m)<<16 | (n)<<5 | (d))

// FMINNM and FMAXNM Vd.2D, Vn.2D, Vm.2D: the number, if one is a quiet NaN
#define FMINNM(d, n, m) WORD $(0x4ee0c400 | (m)<<16 | (n)<<5 | (d))
#define FMAXNM(d, n, m) WORD $(0x4e60c400 | (m)<<16 | (n)<<5 | (d))

// FABS and FNEG Vd.2D, Vn.2D
#define FABS(d, n) WORD $(0x4ee0f800 | (n)<<5 | (d))
#define FNEG(d, n) WORD $(0x6ee0f800 | (n)<<5 | (d))

// FCMEQ, FCMGE and FCMGT Vd.2D, Vn.2D, Vm.2D: all bits where n = m, n >= m, n > m
#define FCMEQ(d, n, m) WORD $(0x4e60e400 | (m)<<16 | (n)<<5 | (d))
#define FCMGE(d, n, m) WORD $(0x6e60e400 | (m)<<16 | (n)<<5 | (d))
#define FCMGT(d, n, m) WORD $(0x6ee0e400 | (m)<<16 | (n)<<5 | (d))

// SCVTF Vd.2D, Vn.2D: the integer n as a floating-point number
#define SCVTF(d, n) WORD $(0x4e61d800 | (n)<<5 | (d))

// AND and EOR Vd.16B, Vn.16B, Vm.16B
#define AND2(d, n, m) WORD $(0x4e201c00 | (m)<<16 | (n)<<5 | (d))
#define EOR2(d, n, m) WORD $(0x6e201c00 | (m)<<16 | (n)<<5 | (d))

// BIT and BIF Vd.16B, Vn.16B, Vm.16B: the bits of n where those of m are 1, or 0
#define BIT2(d, n, m) WORD $(0x6ea01c00 | (m)<<16 | (n)<<5 | (d))
#define BIF2(d, n, m) WORD $(0x6ee01c00 | (m)<<16 | (n)<<5 | (d))

// MOV Vd.16B, Vn.16B
#define MOV2(d, n) WORD $(0x4ea01c00 | (n)<<16 | (n)<<5 | (d))

// ADD and SUB Vd.2D, Vn.2D, Vm.2D, of integers
#define ADD2(d, n, m) WORD $(0x4ee08400 | (m)<<16 | (n)<<5 | (d))
#define SUB2(d, n, m) WORD $(0x6ee08400 | (m)<<16 | (n)<<5 | (d))

// CMTST Vd.2D, Vn.2D, Vm.2D: all bits where n and m have a bit in common
#define CMTST2(d, n, m) WORD $(0x4ee08c00 | (m)<<16 | (n)<<5 | (d))

// SHL Vd.2D, Vn.2D, #by
#define SHL2(d, n, by) WORD $(0x4f405400 | (by)<<16 | (n)<<5 | (d))

// USHR Vd.2D, Vn.2D, #by
#define USHR2(d, n, by) WORD $(0x6f000400 | (128-(by))<<16 | (n)<<5 | (d))

// LDR Qd, [Xr, #16 i] and STR
#define LOADQ(d, r, i) WORD $(0x3dc00000 | (i)<<10 | (r)<<5 | (d))
#define STOREQ(d, r, i) WORD $(0x3d800000 | (i)<<10 | (r)<<5 | (d))
