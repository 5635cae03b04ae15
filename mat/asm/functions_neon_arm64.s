//go:build !purego

// Elementary functions for NEON: the steps of functions_avx2_amd64.s. Lengths are multiples
// of 8.
//
//	R0  x    R1 to R4  dst or t, u, v, w    R5  elements left    R6  constants
//
// Four registers of two elements go through every step together. Each of the four has seven
// registers, the parameters a to g of a step, given by their numbers, and i is its index from
// R0 to R4; V28 to V30 are scratch within a step. The comment after each step says which
// variables the registers then hold.
//
// In steps of tanh and its derivatives every operation is done for the four before the next one,
// with constants loaded once and ahead, so that in-order processors need not wait. There VA to VG
// are the seven registers of the first of the four, and V31 is one.

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
	FOURLOAD(VA, 0, 0);              \
	CONSTANT(28, largest);        \
	FOURONE(FABS, VA, VA);        \
	CONSTANT(29, TWOOVERLN2);     \
	FOURCONSTANT(VB, MINUSBIAS);  \
	FOURBY(FMINNM, VA, VA, 28);   \
	CONSTANT(30, SHIFT);          \
	FOURBY(FMLA, VB, VA, 29);     \
	CONSTANT(28, HALFLN2HIGH);    \
	FOURBY(FADD, VB, VB, 30);     \
	CONSTANT(29, HALFLN2MIDDLE);  \
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
	FADD(VE, VE, 28);         \
	FADD(VE+7, VE+7, 29);     \
	FADD(VE+14, VE+14, 30);   \
	FADD(VE+21, VE+21, 31);   \
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
	CONSTANT(28, MINUSTWO);    \
	CONSTANT(29, MINUSSIX);    \
	FOURCONSTANT(VC, PLUSFOUR); \
	FOURBY(FMUL, VB, VA, 28);  \
	FOURBY(FMLA, VC, VF, 29);  \
	FOUR(FMUL, VB, VB, VF);    \
	FOUR(FMUL, VC, VF, VC);    \
	FOURSTORE(VB, 3, 0);       \
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

// a first, b shifted, c n, d r
#define EXPSTEP1(i, a, b, c, d, e, f, g) \
	LOADQ(a, 0, i);            \
	CONSTANT(28, EXPLARGEST);  \
	FMINNM(a, a, 28);          \
	CONSTANT(28, EXPSMALLEST); \
	FMAXNM(a, a, 28);          \
	CONSTANT(b, SHIFT);        \
	ADDTERM(b, OVERLN2, a);    \
	CONSTANT(28, SHIFT);       \
	FSUB(c, b, 28);            \
	CONSTANT(28, LN2HIGH);     \
	FMLS(a, c, 28);            \
	MOV2(d, a);                \
	CONSTANT(28, LN2MIDDLE);   \
	FMLS(d, c, 28)

// a low, b shifted, d r, e r2, f r4
#define EXPSTEP2(i, a, b, c, d, e, f, g) \
	FSUB(a, a, d);           \
	CONSTANT(28, LN2MIDDLE); \
	FMLS(a, c, 28);          \
	FMUL(e, d, d);           \
	FMUL(f, e, e)

// a low, b shifted, c p, d r, e r2
#define EXPSTEP3(i, a, b, c, d, e, f, g) \
	CONSTANT(29, EXP6);   \
	ADDTERM(29, EXP7, d); \
	CONSTANT(g, EXP8);    \
	ADDTERM(g, EXP9, d);  \
	FMLA(29, g, e);       \
	CONSTANT(g, EXP10);   \
	ADDTERM(g, EXP11, d); \
	FMLA(29, g, f);       \
	CONSTANT(g, EXP4);    \
	ADDTERM(g, EXP5, d);  \
	CONSTANT(c, HALF);    \
	ADDTERM(c, EXP3, d);  \
	FMLA(c, g, e);        \
	FMLA(c, 29, f)

// b shifted, f y
#define EXPSTEP4(i, a, b, c, d, e, f, g) \
	CONSTANT(28, ONE); \
	FADD(f, 28, d);    \
	FSUB(g, 28, f);    \
	FADD(g, g, d);     \
	FADD(g, g, a);     \
	FMLA(g, e, c);     \
	FADD(f, f, g)

// f exp x: with h = (k + 2048) >> 1 the two powers of two are 2^(h-1024) and
// 2^(k-h+1024).
#define EXPSTEP5(i, a, b, c, d, e, f, g) \
	CONSTANT(28, EVEN);    \
	ADD2(c, b, 28);        \
	USHR2(c, c, 1);        \
	SUB2(b, b, c);         \
	SHL2(c, c, 52);        \
	SHL2(b, b, 52);        \
	CONSTANT(28, LOWERED); \
	ADD2(c, c, 28);        \
	CONSTANT(28, RAISED);  \
	ADD2(b, b, 28);        \
	FMUL(f, f, c);         \
	FMUL(f, f, b);         \
	LOADQ(a, 0, i);        \
	FCMEQ(a, a, a);        \
	CONSTANT(28, NAN);     \
	BIF2(f, 28, a);        \
	STOREQ(f, 1, i)

// func expNEON(dst, x []float64)
TEXT ·expNEON(SB), NOSPLIT, $0-48
	MOVD dst_base+0(FP), R1
	MOVD x_base+24(FP), R0
	MOVD x_len+32(FP), R5
	MOVD $·constants(SB), R6
	CBZ  R5, done

loop:
	FOURFOLD(EXPSTEP1)
	FOURFOLD(EXPSTEP2)
	FOURFOLD(EXPSTEP3)
	FOURFOLD(EXPSTEP4)
	FOURFOLD(EXPSTEP5)
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

// a f, d k
#define LOGSTEP1(i, a, b, c, d, e, f, g) \
	LOADQ(a, 0, i);               \
	CONSTANT(28, SMALLESTNORMAL); \
	FCMGT(d, 28, a);              \
	CONSTANT(c, BIAS);            \
	CONSTANT(28, BIAS54);         \
	BIT2(c, 28, d);               \
	CONSTANT(28, TWO54);          \
	FMUL(28, 28, a);              \
	BIT2(a, 28, d);               \
	CONSTANT(28, LOGOFFSET);      \
	ADD2(b, a, 28);               \
	USHR2(d, b, 52);              \
	SCVTF(d, d);                  \
	FSUB(d, d, c);                \
	CONSTANT(28, FRACTION);       \
	AND2(b, b, 28);               \
	CONSTANT(28, SQRTHALF);       \
	ADD2(b, b, 28);               \
	CONSTANT(28, ONE);            \
	FSUB(a, b, 28)

// a f, b s, c z, d k, e z2
#define LOGSTEP2(i, a, b, c, d, e, f, g) \
	CONSTANT(28, TWO); \
	FADD(b, a, 28);    \
	FDIV(b, a, b);     \
	FMUL(c, b, b);     \
	FMUL(e, c, c)

// a f, b s, c z, d k, f the polynomial
#define LOGSTEP3(i, a, b, c, d, e, f, g) \
	CONSTANT(f, LOG4);   \
	ADDTERM(f, LOG5, c); \
	ADDTERM(f, LOG6, e); \
	CONSTANT(g, LOG2);   \
	ADDTERM(g, LOG3, c); \
	FMLA(g, f, e);       \
	CONSTANT(f, LOG0);   \
	ADDTERM(f, LOG1, c); \
	FMLA(f, g, e)

// a f, b s, d k, e square, f tail, g squareLow
#define LOGSTEP4(i, a, b, c, d, e, f, g) \
	CONSTANT(28, HALF); \
	FMUL(28, 28, a);    \
	FMUL(e, 28, a);     \
	FNEG(g, e);         \
	FMLA(g, 28, a);     \
	MOV2(29, e);        \
	FMLA(29, f, c);     \
	FMUL(f, 29, b)

// a rest, b first, d k
#define LOGSTEP5(i, a, b, c, d, e, f, g) \
	FSUB(b, a, e); \
	FSUB(a, a, b); \
	FSUB(a, a, e); \
	FSUB(a, a, g); \
	FADD(a, a, f)

// e the logarithm
#define LOGSTEP6(i, a, b, c, d, e, f, g) \
	CONSTANT(28, LN2SHORT); \
	FMUL(c, d, 28);         \
	FADD(e, c, b);          \
	FSUB(c, c, e);          \
	FADD(c, c, b);          \
	ADDTERM(a, LN2REST, d); \
	FADD(c, c, a);          \
	FADD(e, e, c)

#define LOGSTEP7(i, a, b, c, d, e, f, g) \
	LOADQ(a, 0, i);         \
	CONSTANT(28, INF);      \
	FCMEQ(b, a, 28);        \
	BIT2(e, a, b);          \
	EOR2(29, 29, 29);       \
	FCMEQ(b, a, 29);        \
	CONSTANT(28, MINUSINF); \
	BIT2(e, 28, b);         \
	FCMGE(b, a, 29);        \
	CONSTANT(28, NAN);      \
	BIF2(e, 28, b);         \
	STOREQ(e, 1, i)

// func logNEON(dst, x []float64)
TEXT ·logNEON(SB), NOSPLIT, $0-48
	MOVD dst_base+0(FP), R1
	MOVD x_base+24(FP), R0
	MOVD x_len+32(FP), R5
	MOVD $·constants(SB), R6
	CBZ  R5, done

loop:
	FOURFOLD(LOGSTEP1)
	FOURFOLD(LOGSTEP2)
	FOURFOLD(LOGSTEP3)
	FOURFOLD(LOGSTEP4)
	FOURFOLD(LOGSTEP5)
	FOURFOLD(LOGSTEP6)
	FOURFOLD(LOGSTEP7)
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
	LOADQ(b, 3, i);  \
	FMUL(a, b, a);   \
	STOREQ(a, 1, i)

#define STOREADD(i, a, b, c, d, e, f, g) \
	LOADQ(b, 3, i);  \
	LOADQ(c, 1, i);  \
	FMLA(c, b, a);   \
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
