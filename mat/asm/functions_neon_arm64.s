//go:build !purego

// Elementary functions for NEON: the steps of functions_avx2_amd64.s. Lengths are multiples
// of 8.
//
//	R0  x    R1 to R4  dst or t, u, v, w    R5  elements left    R6  constants
//
// Four registers of two elements go through every step together. Each of the four has seven
// registers; V28 to V31 are scratch within a step, but for V31 in sin and cos. The comment before
// each step says which variables the registers then hold.
//
// In steps of tanh and its derivatives, exp and log, every operation is done for the four before
// the next one, with constants loaded once and ahead, so that in-order processors need not wait.
// VA to VG are the registers of the first of the four. In tanh, V31 is one between steps.
//
// Steps of sin and cos have more variables than registers for that, and are done for one of the
// four after the other: a to g are its registers, given by their numbers, and i is its index from
// R0 to R4.

#include "textflag.h"
#include "neon_arm64.h"
#include "functions_arm64.h"

#define FOURFOLD(STEP) \
	STEP(0, 0, 1, 2, 3, 4, 5, 6);        \
	STEP(1, 7, 8, 9, 10, 11, 12, 13);    \
	STEP(2, 14, 15, 16, 17, 18, 19, 20); \
	STEP(3, 21, 22, 23, 24, 25, 26, 27)

#define VA 0
#define VB 1
#define VC 2
#define VD 3
#define VE 4
#define VF 5
#define VG 6

// FOUR and the like apply an instruction to the four: all operands are theirs, or one is the same
// for all.
#define FOUR(OP, d, n, m) \
	OP(d, n, m);          \
	OP(d+7, n+7, m+7);    \
	OP(d+14, n+14, m+14); \
	OP(d+21, n+21, m+21)

#define FOURONE(OP, d, n) \
	OP(d, n);       \
	OP(d+7, n+7);   \
	OP(d+14, n+14); \
	OP(d+21, n+21)

#define FOURBY(OP, d, n, m) \
	OP(d, n, m);       \
	OP(d+7, n+7, m);   \
	OP(d+14, n+14, m); \
	OP(d+21, n+21, m)

#define FOUROF(OP, d, n, m) \
	OP(d, n, m);       \
	OP(d+7, n, m+7);   \
	OP(d+14, n, m+14); \
	OP(d+21, n, m+21)

// SCRATCH and the like have V28 to V31 as one of the operands.
#define SCRATCH(OP, n, m) \
	OP(28, n, m);       \
	OP(29, n+7, m+7);   \
	OP(30, n+14, m+14); \
	OP(31, n+21, m+21)

#define SCRATCHBY(OP, n, m) \
	OP(28, n, m);    \
	OP(29, n+7, m);  \
	OP(30, n+14, m); \
	OP(31, n+21, m)

#define BYSCRATCH(OP, d, n) \
	OP(d, n, 28);       \
	OP(d+7, n+7, 29);   \
	OP(d+14, n+14, 30); \
	OP(d+21, n+21, 31)

#define SCRATCHCONSTANT(i) \
	CONSTANT(28, i); \
	CONSTANT(29, i); \
	CONSTANT(30, i); \
	CONSTANT(31, i)

#define FOURLOAD(d, r, i) \
	LOADQ(d, r, i);      \
	LOADQ(d+7, r, i+1);  \
	LOADQ(d+14, r, i+2); \
	LOADQ(d+21, r, i+3)

#define FOURSTORE(d, r, i) \
	STOREQ(d, r, i);      \
	STOREQ(d+7, r, i+1);  \
	STOREQ(d+14, r, i+2); \
	STOREQ(d+21, r, i+3)

#define CONSTANT(d, i) LOADQ(d, 6, i)

#define FOURCONSTANT(d, i) \
	CONSTANT(d, i);    \
	CONSTANT(d+7, i);  \
	CONSTANT(d+14, i); \
	CONSTANT(d+21, i)

// ADVANCE and REPEAT end the loop; what only some functions have advances in between.
#define ADVANCE \
	ADD  $64, R0; \
	ADD  $64, R1

#define REPEAT \
	SUBS $8, R5; \
	BNE  loop

// ADDTERM adds a constant times x.
#define ADDTERM(d, i, x) \
	CONSTANT(28, i); \
	FMLA(d, x, 28)

// VA y, VB shifted, VC n, V30 SHIFT
#define TANHBEGIN(largest) \
	FOURLOAD(VA, 0, 0);          \
	CONSTANT(28, largest);       \
	FOURONE(FABS, VA, VA);       \
	CONSTANT(29, TWOOVERLN2);    \
	FOURCONSTANT(VB, MINUSBIAS); \
	FOURBY(FMINNM, VA, VA, 28);  \
	CONSTANT(30, SHIFT);         \
	FOURBY(FMLA, VB, VA, 29);    \
	CONSTANT(28, HALFLN2HIGH);   \
	FOURBY(FADD, VB, VB, 30);    \
	CONSTANT(29, HALFLN2MIDDLE); \
	FOURBY(FSUB, VC, VB, 30)

// VA y, VB s, VC n: n is small enough for s to be a normal number.
#define TANHSTEP1 \
	TANHBEGIN(TANHLARGEST);   \
	FOURBY(SHL2, VB, VB, 52); \
	FOUROF(SUB2, VB, 31, VB)

// VA y, VB s, VC n: s is the product of two powers of two, which are stored in the frame.
#define SECHSTEP1 \
	TANHBEGIN(SECHLARGEST);   \
	FOURBY(SUB2, VB, VB, 30); \
	FOURBY(USHR2, VD, VB, 1); \
	FOUR(SUB2, VB, VB, VD);   \
	FOURBY(SHL2, VD, VD, 52); \
	FOURBY(SHL2, VB, VB, 52); \
	FOUROF(SUB2, VD, 31, VD); \
	FOUROF(SUB2, VB, 31, VB); \
	FOURSTORE(VD, 31, 1);     \
	FOURSTORE(VB, 31, 5);     \
	FOUR(FMUL, VB, VD, VB)

// VA f, VB s, VC TANH4, VD z, VE z2, V28 TANH5, V30 TANH6
#define TANHSTEP2 \
	FOURBY(FMLS, VA, VC, 28); \
	CONSTANT(28, TANH5);      \
	FOURBY(FMLS, VA, VC, 29); \
	CONSTANT(30, TANH6);      \
	FOUR(FMUL, VD, VA, VA);   \
	FOURCONSTANT(VC, TANH4);  \
	FOUR(FMUL, VE, VD, VD)

// VA f, VB s, VC the polynomial, VD z
#define TANHSTEP3 \
	FOURCONSTANT(VG, TANH2);  \
	FOURBY(FMLA, VC, VD, 28); \
	CONSTANT(29, TANH3);      \
	FOURBY(FMLA, VC, VE, 30); \
	CONSTANT(28, TANH1);      \
	FOURBY(FMLA, VG, VD, 29); \
	FOUR(FMLA, VG, VC, VE);   \
	FOURCONSTANT(VC, TANH0);  \
	FOURBY(FMLA, VC, VD, 28); \
	FOUR(FMLA, VC, VG, VE)

// VA th, VB s
#define TANHSTEP4 \
	FOUR(FMUL, VD, VA, VD); \
	FOUR(FMLA, VA, VD, VC)

// VA th, VB s, VE minus, VF plus, VG dh
#define TANHSTEP5 \
	FOUROF(FSUB, VE, 31, VB); \
	FOUROF(FADD, VF, 31, VB); \
	FOURONE(MOV2, VG, VF);    \
	FOUR(FMLA, VG, VE, VA)

// VA th, VB nh, VC dl, VD r, VE nl, VF plus, VG dh. The divisions are apart, because one
// begins when another is done. V28 to V31 are what the difference of one and nh lacks.
#define TANHSTEP6 \
	FDIV(VD, 31, VG);         \
	FOUROF(FSUB, VC, 31, VG); \
	FOUR(FADD, VC, VC, VB);   \
	FOUR(FMLA, VC, VE, VA);   \
	FDIV(VD+7, 31, VG+7);     \
	FSUB(28, 31, VE);         \
	FSUB(29, 31, VE+7);       \
	FSUB(30, 31, VE+14);      \
	FSUB(31, 31, VE+21);      \
	FSUB(28, 28, VB);         \
	FSUB(29, 29, VB+7);       \
	FSUB(30, 30, VB+14);      \
	FSUB(31, 31, VB+21);      \
	FOURONE(MOV2, VB, VE);    \
	FOUR(FMLA, VB, VF, VA);   \
	FOUR(FSUB, VE, VE, VB);   \
	BYSCRATCH(FADD, VE, VE);  \
	CONSTANT(31, ONE);        \
	FDIV(VD+14, 31, VG+14);   \
	FOUR(FMLA, VE, VF, VA);   \
	FDIV(VD+21, 31, VG+21)

// VA q, VB remainder, VC dl, VD r, VG dh, V28 SIGN, V29 NAN
#define TANHSTEP7 \
	FOUR(FMUL, VA, VB, VD); \
	FOUR(FMLS, VB, VA, VG); \
	CONSTANT(28, SIGN);     \
	FOUR(FMLS, VE, VA, VC); \
	CONSTANT(29, NAN);      \
	FOUR(FADD, VB, VB, VE)

// VA t
#define TANHSTEP8 \
	FOURLOAD(VE, 0, 0);       \
	FOUR(FMLA, VA, VB, VD);   \
	FOURBY(BIT2, VA, VE, 28); \
	FOUR(FCMEQ, VE, VE, VE);  \
	FOUROF(BIF2, VA, 29, VE); \
	FOURSTORE(VA, 1, 0)

#define TANHSTEPS \
	TANHSTEP2; \
	TANHSTEP3; \
	TANHSTEP4; \
	TANHSTEP5; \
	TANHSTEP6

// func tanhNEON(dst, x []float64)
TEXT ·tanhNEON(SB), NOSPLIT, $0-48
	MOVD dst_base+0(FP), R1
	MOVD x_base+24(FP), R0
	MOVD x_len+32(FP), R5
	MOVD $·constants(SB), R6
	CONSTANT(31, ONE)
	CBZ  R5, done

loop:
	TANHSTEP1
	TANHSTEPS
	TANHSTEP7
	TANHSTEP8
	ADVANCE
	REPEAT

done:
	RET

// VF complement
#define COMPLEMENT \
	FOURCONSTANT(VF, ONE); \
	FOUR(FMLS, VF, VA, VA)

// VA t of the magnitude of x, VF u
#define SECHSTEP2 \
	FOUR(FMLA, VA, VB, VD);   \
	FOUR(FMUL, VF, VF, VD);   \
	FOURCONSTANT(VE, ONE);    \
	FOUR(FMUL, VF, VF, VD);   \
	FOUR(FMLS, VE, VD, VG);   \
	FOUR(FMLS, VE, VD, VC);   \
	FOUR(FADD, VB, VF, VF);   \
	CONSTANT(30, PLUSFOUR);   \
	FOUR(FMLA, VF, VB, VE);   \
	FOURLOAD(VB, 31, 1);      \
	FOURBY(FMUL, VF, VF, 30); \
	FOURLOAD(VC, 31, 5);      \
	FOUR(FMUL, VF, VF, VB);   \
	FOUR(FMUL, VF, VF, VC)

// VA t, VF u
#define SECHSTEP3 \
	FOURLOAD(VE, 0, 0);       \
	FOURBY(BIT2, VA, VE, 28); \
	FOUR(FCMEQ, VE, VE, VE);  \
	FOUROF(BIF2, VA, 29, VE); \
	FOUROF(BIF2, VF, 29, VE); \
	FOURSTORE(VA, 1, 0);      \
	FOURSTORE(VF, 2, 0)

#define JET \
	CONSTANT(28, MINUSTWO);     \
	CONSTANT(29, MINUSSIX);     \
	FOURCONSTANT(VC, PLUSFOUR); \
	FOURBY(FMUL, VB, VA, 28);   \
	FOURBY(FMLA, VC, VF, 29);   \
	FOUR(FMUL, VB, VB, VF);     \
	FOUR(FMUL, VC, VF, VC);     \
	FOURSTORE(VB, 3, 0);        \
	FOURSTORE(VC, 4, 0)

#define SECHSTEPS \
	SECHSTEP1;  \
	TANHSTEPS;  \
	COMPLEMENT; \
	TANHSTEP7;  \
	SECHSTEP2;  \
	SECHSTEP3

// func tanhSech2NEON(t, u, x []float64)
TEXT ·tanhSech2NEON(SB), 0, $144-72
	MOVD t_base+0(FP), R1
	MOVD u_base+24(FP), R2
	MOVD x_base+48(FP), R0
	MOVD x_len+56(FP), R5
	MOVD $·constants(SB), R6
	CONSTANT(31, ONE)
	CBZ  R5, done

loop:
	SECHSTEPS
	ADVANCE
	ADD  $64, R2
	REPEAT

done:
	RET

// func tanhJetNEON(t, u, v, w, x []float64)
TEXT ·tanhJetNEON(SB), 0, $144-120
	MOVD t_base+0(FP), R1
	MOVD u_base+24(FP), R2
	MOVD v_base+48(FP), R3
	MOVD w_base+72(FP), R4
	MOVD x_base+96(FP), R0
	MOVD x_len+104(FP), R5
	MOVD $·constants(SB), R6
	CONSTANT(31, ONE)
	CBZ  R5, done

loop:
	SECHSTEPS
	JET
	ADVANCE
	ADD  $64, R2
	ADD  $64, R3
	ADD  $64, R4
	REPEAT

done:
	RET

// VA first, VB shifted, VC n, VD r, V28 LN2MIDDLE
#define EXPSTEP1 \
	FOURLOAD(VA, 0, 0);         \
	CONSTANT(28, EXPLARGEST);   \
	CONSTANT(29, EXPSMALLEST);  \
	CONSTANT(30, OVERLN2);      \
	CONSTANT(31, SHIFT);        \
	FOURBY(FMINNM, VA, VA, 28); \
	FOURCONSTANT(VB, SHIFT);    \
	FOURBY(FMAXNM, VA, VA, 29); \
	CONSTANT(29, LN2HIGH);      \
	FOURBY(FMLA, VB, VA, 30);   \
	CONSTANT(28, LN2MIDDLE);    \
	FOURBY(FSUB, VC, VB, 31);   \
	FOURBY(FMLS, VA, VC, 29);   \
	FOURONE(MOV2, VD, VA);      \
	FOURBY(FMLS, VD, VC, 28)

// VA low, VB shifted, VD r, VE r2
#define EXPSTEP2 \
	CONSTANT(29, EXP3);     \
	FOUR(FMUL, VE, VD, VD); \
	FOUR(FSUB, VA, VA, VD); \
	CONSTANT(VF, EXP5);     \
	FOURBY(FMLS, VA, VC, 28)

// VA low, VB shifted, VC p, VD r, VE r2. V29 was EXP3; until VF is r4, its registers are for
// constants.
#define EXPSTEP3 \
	FOURCONSTANT(VG, EXP4);      \
	FOURCONSTANT(VC, HALF);      \
	CONSTANT(VF+7, EXP9);        \
	FOURBY(FMLA, VG, VD, VF);    \
	FOURBY(FMLA, VC, VD, 29);    \
	SCRATCHCONSTANT(EXP8);       \
	CONSTANT(VF+14, EXP7);       \
	CONSTANT(VF+21, EXP11);      \
	SCRATCHBY(FMLA, VD, VF+7);   \
	FOUR(FMLA, VC, VG, VE);      \
	FOURCONSTANT(VG, EXP6);      \
	FOURBY(FMLA, VG, VD, VF+14); \
	BYSCRATCH(FMLA, VG, VE);     \
	SCRATCHCONSTANT(EXP10);      \
	SCRATCHBY(FMLA, VD, VF+21);  \
	FOUR(FMUL, VF, VE, VE);      \
	BYSCRATCH(FMLA, VG, VF);     \
	FOUR(FMLA, VC, VG, VF)

// VF exp x: with h = (k + 2048) >> 1 the two powers of two are 2^(h-1024) and
// 2^(k-h+1024).
#define EXPSTEP4 \
	CONSTANT(28, ONE);        \
	CONSTANT(29, EVEN);       \
	FOUROF(FADD, VF, 28, VD); \
	CONSTANT(30, LOWERED);    \
	CONSTANT(31, RAISED);     \
	FOUROF(FSUB, VG, 28, VF); \
	FOUR(FADD, VG, VG, VD);   \
	FOURBY(ADD2, VD, VB, 29); \
	FOUR(FADD, VG, VG, VA);   \
	FOURBY(USHR2, VD, VD, 1); \
	FOURLOAD(VA, 0, 0);       \
	FOUR(FMLA, VG, VE, VC);   \
	FOUR(SUB2, VB, VB, VD);   \
	FOURBY(SHL2, VD, VD, 52); \
	CONSTANT(28, NAN);        \
	FOURBY(SHL2, VB, VB, 52); \
	FOUR(FADD, VF, VF, VG);   \
	FOURBY(ADD2, VD, VD, 30); \
	FOURBY(ADD2, VB, VB, 31); \
	FOUR(FMUL, VF, VF, VD);   \
	FOUR(FCMEQ, VA, VA, VA);  \
	FOUR(FMUL, VF, VF, VB);   \
	FOUROF(BIF2, VF, 28, VA); \
	FOURSTORE(VF, 1, 0)

// func expNEON(dst, x []float64)
TEXT ·expNEON(SB), NOSPLIT, $0-48
	MOVD dst_base+0(FP), R1
	MOVD x_base+24(FP), R0
	MOVD x_len+32(FP), R5
	MOVD $·constants(SB), R6
	CBZ  R5, done

loop:
	EXPSTEP1
	EXPSTEP2
	EXPSTEP3
	EXPSTEP4
	ADVANCE
	REPEAT

done:
	RET

// a first, b shifted, c n
#define ANGLE1(i, a, b, c, d, e, f, g) \
	LOADQ(a, 0, i);           \
	FABS(a, a);               \
	CONSTANT(b, SHIFT);       \
	ADDTERM(b, TWOOVERPI, a); \
	CONSTANT(28, SHIFT);      \
	FSUB(c, b, 28);           \
	CONSTANT(28, PIHIGH);     \
	FMLS(a, c, 28)

// a low, b shifted, c z, d z2, f r
#define ANGLE2(i, a, b, c, d, e, f, g) \
	CONSTANT(28, PIMIDDLE); \
	FMUL(d, c, 28);         \
	FNEG(e, d);             \
	FMLA(e, c, 28);         \
	FSUB(f, a, d);          \
	FSUB(a, a, f);          \
	FSUB(a, a, d);          \
	ADDTERM(e, PILOW, c);   \
	FSUB(a, a, e);          \
	FMUL(c, f, f);          \
	FMUL(d, c, c)

// a low, b shifted, c z, d z2, e the sine of r + low, f r
#define SINE(i, a, b, c, d, e, f, g) \
	CONSTANT(e, SIN4);       \
	ADDTERM(e, SIN5, c);     \
	CONSTANT(g, SIN2);       \
	ADDTERM(g, SIN3, c);     \
	FMLA(g, e, d);           \
	CONSTANT(e, SIN0);       \
	ADDTERM(e, SIN1, c);     \
	FMLA(e, g, d);           \
	CONSTANT(28, MINUSHALF); \
	FMUL(28, 28, c);         \
	MOV2(29, a);             \
	FMLA(29, 28, a);         \
	FMUL(g, f, c);           \
	FMLA(29, g, e);          \
	FADD(e, f, 29)

// b shifted, c the cosine of r + low, e the sine
#define COSINE(i, a, b, c, d, e, f, g) \
	CONSTANT(29, COS4);   \
	ADDTERM(29, COS5, c); \
	CONSTANT(30, COS2);   \
	ADDTERM(30, COS3, c); \
	FMLA(30, 29, d);      \
	CONSTANT(29, COS0);   \
	ADDTERM(29, COS1, c); \
	FMLA(29, 30, d);      \
	FNEG(g, c);           \
	FMLA(g, f, f);        \
	CONSTANT(28, HALF);   \
	FMUL(g, g, 28);       \
	FMLA(g, f, a);        \
	FMUL(a, c, 28);       \
	CONSTANT(28, ONE);    \
	FSUB(30, 28, a);      \
	FSUB(c, 28, 30);      \
	FSUB(c, c, a);        \
	FSUB(c, c, g);        \
	FMLA(c, d, 29);       \
	FADD(c, 30, c)

// FAR sets c to the lanes of a = x within the short reduction, and V31 to the lanes that have
// been within it so far.
#define FAR(a, c) \
	FABS(c, a);               \
	CONSTANT(28, LARGEANGLE); \
	FCMGE(c, 28, c);          \
	AND2(31, 31, c)

// In far lanes the results are x.
#define SINEEND(i, a, b, c, d, e, f, g) \
	LOADQ(a, 0, i);          \
	CONSTANT(28, LOWESTBIT); \
	CMTST2(d, b, 28);        \
	BIT2(e, c, d);           \
	SHL2(g, b, 62);          \
	EOR2(g, g, a);           \
	CONSTANT(28, SIGN);      \
	AND2(g, g, 28);          \
	EOR2(e, e, g);           \
	FAR(a, c);               \
	BIF2(e, a, c);           \
	STOREQ(e, 1, i)

#define COSINEEND(i, a, b, c, d, e, f, g) \
	LOADQ(a, 0, i);          \
	CONSTANT(28, LOWESTBIT); \
	CMTST2(d, b, 28);        \
	BIT2(c, e, d);           \
	ADD2(g, b, 28);          \
	SHL2(g, g, 62);          \
	CONSTANT(28, SIGN);      \
	AND2(g, g, 28);          \
	EOR2(c, c, g);           \
	FAR(a, f);               \
	BIF2(c, a, f);           \
	STOREQ(c, 1, i)

#define SINECOSINEEND(i, a, b, c, d, e, f, g) \
	LOADQ(a, 0, i);          \
	CONSTANT(28, LOWESTBIT); \
	CMTST2(d, b, 28);        \
	MOV2(f, e);              \
	BIT2(e, c, d);           \
	BIT2(c, f, d);           \
	ADD2(f, b, 28);          \
	SHL2(f, f, 62);          \
	SHL2(g, b, 62);          \
	EOR2(g, g, a);           \
	CONSTANT(28, SIGN);      \
	AND2(g, g, 28);          \
	EOR2(e, e, g);           \
	AND2(f, f, 28);          \
	EOR2(c, c, f);           \
	FAR(a, f);               \
	BIF2(e, a, f);           \
	BIF2(c, a, f);           \
	STOREQ(e, 1, i);         \
	STOREQ(c, 2, i)

#define ANGLESTEPS \
	FOURFOLD(ANGLE1); \
	FOURFOLD(ANGLE2); \
	FOURFOLD(SINE);   \
	FOURFOLD(COSINE)

// ALLNEAR sets V31 to all bits.
#define ALLNEAR \
	EOR2(31, 31, 31); \
	FCMEQ(31, 31, 31)

// ANYFAR sets R8 to whether V31 lacks a bit.
#define ANYFAR \
	VMOV V31.D[0], R8; \
	VMOV V31.D[1], R9; \
	AND  R9, R8;       \
	CMN  $1, R8;       \
	CSET NE, R8

// func sinNEON(dst, x []float64) (far bool)
TEXT ·sinNEON(SB), NOSPLIT, $0-49
	MOVD dst_base+0(FP), R1
	MOVD x_base+24(FP), R0
	MOVD x_len+32(FP), R5
	MOVD $·constants(SB), R6
	ALLNEAR
	CBZ  R5, done

loop:
	ANGLESTEPS
	FOURFOLD(SINEEND)
	ADVANCE
	REPEAT

done:
	ANYFAR
	MOVB R8, far+48(FP)
	RET

// func cosNEON(dst, x []float64) (far bool)
TEXT ·cosNEON(SB), NOSPLIT, $0-49
	MOVD dst_base+0(FP), R1
	MOVD x_base+24(FP), R0
	MOVD x_len+32(FP), R5
	MOVD $·constants(SB), R6
	ALLNEAR
	CBZ  R5, done

loop:
	ANGLESTEPS
	FOURFOLD(COSINEEND)
	ADVANCE
	REPEAT

done:
	ANYFAR
	MOVB R8, far+48(FP)
	RET

// func sinCosNEON(s, c, x []float64) (far bool)
TEXT ·sinCosNEON(SB), NOSPLIT, $0-73
	MOVD s_base+0(FP), R1
	MOVD c_base+24(FP), R2
	MOVD x_base+48(FP), R0
	MOVD x_len+56(FP), R5
	MOVD $·constants(SB), R6
	ALLNEAR
	CBZ  R5, done

loop:
	ANGLESTEPS
	FOURFOLD(SINECOSINEEND)
	ADVANCE
	ADD  $64, R2
	REPEAT

done:
	ANYFAR
	MOVB R8, far+72(FP)
	RET

// VA f, VD k
#define LOGSTEP1 \
	FOURLOAD(VA, 0, 0);           \
	CONSTANT(28, SMALLESTNORMAL); \
	CONSTANT(29, TWO54);          \
	CONSTANT(30, BIAS54);         \
	FOUROF(FCMGT, VD, 28, VA);    \
	FOURCONSTANT(VC, BIAS);       \
	FOUROF(FMUL, VE, 29, VA);     \
	CONSTANT(28, LOGOFFSET);      \
	FOUROF(BIT2, VC, 30, VD);     \
	FOUR(BIT2, VA, VE, VD);       \
	CONSTANT(29, FRACTION);       \
	FOURBY(ADD2, VB, VA, 28);     \
	CONSTANT(30, SQRTHALF);       \
	FOURBY(USHR2, VD, VB, 52);    \
	FOURBY(AND2, VB, VB, 29);     \
	CONSTANT(31, ONE);            \
	FOURONE(SCVTF, VD, VD);       \
	FOURBY(ADD2, VB, VB, 30);     \
	CONSTANT(28, TWO);            \
	FOUR(FSUB, VD, VD, VC);       \
	FOURBY(FSUB, VA, VB, 31)

// VA f, VB s, VC z, VD k, VE z2; V28 was TWO.
#define LOGSTEP2 \
	FOURBY(FADD, VB, VA, 28); \
	FOUR(FDIV, VB, VA, VB);   \
	CONSTANT(28, LOG5);       \
	CONSTANT(29, LOG6);       \
	CONSTANT(30, LOG3);       \
	CONSTANT(31, LOG1);       \
	FOURCONSTANT(VF, LOG4);   \
	FOURCONSTANT(VG, LOG2);   \
	FOUR(FMUL, VC, VB, VB);   \
	FOUR(FMUL, VE, VC, VC)

// VA f, VB s, VC z, VD k, VF the polynomial
#define LOGSTEP3 \
	FOURBY(FMLA, VF, VC, 28); \
	FOURBY(FMLA, VG, VC, 30); \
	FOURBY(FMLA, VF, VE, 29); \
	FOUR(FMLA, VG, VF, VE);   \
	FOURCONSTANT(VF, LOG0);   \
	FOURBY(FMLA, VF, VC, 31); \
	FOUR(FMLA, VF, VG, VE)

// VA f, VB s, VD k, VE square, VF tail, VG squareLow
#define LOGSTEP4 \
	CONSTANT(VG, HALF);      \
	SCRATCHBY(FMUL, VA, VG); \
	BYSCRATCH(FMUL, VE, VA); \
	FOURONE(FNEG, VG, VE);   \
	BYSCRATCH(FMLA, VG, VA); \
	MOV2(28, VE);            \
	MOV2(29, VE+7);          \
	MOV2(30, VE+14);         \
	MOV2(31, VE+21);         \
	SCRATCH(FMLA, VF, VC);   \
	BYSCRATCH(FMUL, VF, VB)

// VA rest, VB first, VD k
#define LOGSTEP5 \
	CONSTANT(28, LN2SHORT); \
	FOUR(FSUB, VB, VA, VE); \
	CONSTANT(29, LN2REST);  \
	FOUR(FSUB, VA, VA, VB); \
	FOUR(FSUB, VA, VA, VE); \
	FOUR(FSUB, VA, VA, VG); \
	FOUR(FADD, VA, VA, VF)

// VE the logarithm; V28 was LN2SHORT, V29 LN2REST.
#define LOGSTEP6 \
	FOURBY(FMUL, VC, VD, 28); \
	FOUR(FADD, VE, VC, VB);   \
	CONSTANT(28, INF);        \
	FOUR(FSUB, VC, VC, VE);   \
	FOUR(FADD, VC, VC, VB);   \
	FOURBY(FMLA, VA, VD, 29); \
	CONSTANT(29, MINUSINF);   \
	FOUR(FADD, VC, VC, VA);   \
	CONSTANT(31, NAN);        \
	FOUR(FADD, VE, VE, VC)

// VE the logarithm of any x; V28 was INF, V29 MINUSINF, V31 NAN.
#define LOGSTEP7 \
	FOURLOAD(VA, 0, 0);        \
	EOR2(30, 30, 30);          \
	FOURBY(FCMEQ, VB, VA, 28); \
	FOUR(BIT2, VE, VA, VB);    \
	FOURBY(FCMEQ, VB, VA, 30); \
	FOUROF(BIT2, VE, 29, VB);  \
	FOURBY(FCMGE, VB, VA, 30); \
	FOUROF(BIF2, VE, 31, VB);  \
	FOURSTORE(VE, 1, 0)

// func logNEON(dst, x []float64)
TEXT ·logNEON(SB), NOSPLIT, $0-48
	MOVD dst_base+0(FP), R1
	MOVD x_base+24(FP), R0
	MOVD x_len+32(FP), R5
	MOVD $·constants(SB), R6
	CBZ  R5, done

loop:
	LOGSTEP1
	LOGSTEP2
	LOGSTEP3
	LOGSTEP4
	LOGSTEP5
	LOGSTEP6
	LOGSTEP7
	ADVANCE
	REPEAT

done:
	RET

#define LOADV(i, a, b, c, d, e, f, g) \
	LOADQ(b, 2, i); \
	MOV2(a, 28)

#define HORNER(i, a, b, c, d, e, f, g) \
	MOV2(c, 28);   \
	FMLA(c, a, b); \
	MOV2(a, c)

#define MULW(i, a, b, c, d, e, f, g) \
	LOADQ(b, 0, i); \
	FMUL(a, a, b)

#define LOADW(i, a, b, c, d, e, f, g) LOADQ(a, 0, i)

#define STOREMUL(i, a, b, c, d, e, f, g) \
	LOADQ(b, 3, i); \
	FMUL(a, b, a);  \
	STOREQ(a, 1, i)

#define STOREADD(i, a, b, c, d, e, f, g) \
	LOADQ(b, 3, i); \
	LOADQ(c, 1, i); \
	FMLA(c, b, a);  \
	STOREQ(c, 1, i)

#define COEFFICIENT \
	FMOVD.P 8(R12), F28; \
	VDUP    V28.D[0], V28.D2

// func mulPolynomialNEON(dst, p, w, v, c []float64, accumulate bool)
//
// R0 is w, R2 v, R3 p, R10 the coefficients, R11 their number, R7 accumulate; R12 and R13
// iterate over the coefficients.
TEXT ·mulPolynomialNEON(SB), NOSPLIT, $0-121
	MOVD  dst_base+0(FP), R1
	MOVD  p_base+24(FP), R3
	MOVD  p_len+32(FP), R5
	MOVD  w_base+48(FP), R0
	MOVD  v_base+72(FP), R2
	MOVD  c_base+96(FP), R10
	MOVD  c_len+104(FP), R11
	MOVBU accumulate+120(FP), R7
	CBZ   R5, done

loop:
	CBZ  R11, one
	MOVD R10, R12
	SUB  $1, R11, R13
	COEFFICIENT
	FOURFOLD(LOADV)

coefficients:
	CBZ  R13, times
	COEFFICIENT
	FOURFOLD(HORNER)
	SUB  $1, R13
	B    coefficients

times:
	FOURFOLD(MULW)
	B    store

one:
	FOURFOLD(LOADW)

store:
	CBNZ R7, add
	FOURFOLD(STOREMUL)
	B    next

add:
	FOURFOLD(STOREADD)

next:
	ADVANCE
	ADD  $64, R2
	ADD  $64, R3
	REPEAT

done:
	RET
