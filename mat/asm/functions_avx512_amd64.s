//go:build !purego

// Elementary functions for AVX-512. They follow the specifications in elementary_*.go
// operation by operation, with the names of their variables. Powers of two come from
// VSCALEFPD, which rounds once.
//
//	SI  x          DI  dst, t    BX, R9, R10  u, v, w    CX  elements left
//	DX  constants  AX, R8  scratch    K1 to K4  lanes of four registers    K5  scratch
//	K6  whether the angle of any lane is far
//
// Four registers of eight lanes go through every step together, so that the work on the
// others hides the latency of each. Each of the four has seven registers, the parameters a
// to g of a step, and off is its offset from SI, DI, ...; Z28 and Z29 are scratch within a
// step, Z30 is integerShift and Z31 is 1. The comment after each step says which variables
// the registers then hold.

#include "textflag.h"
#define STRIDE 8
#include "functions_amd64.h"

// MASKS sets K1 to K4 to the first CX of 32 lanes if CX < 32.
#define MASKS \
	CMPQ   CX, $32;    \
	JGE    whole;      \
	MOVL   $-1, AX;    \
	BZHIL  CX, AX, R8; \
	KMOVW  R8, K1;     \
	SHRL   $8, R8;     \
	KMOVW  R8, K2;     \
	SHRL   $8, R8;     \
	KMOVW  R8, K3;     \
	SHRL   $8, R8;     \
	KMOVW  R8, K4;     \
whole:

#define FOUR(STEP) \
	STEP(0, K1, Z0, Z1, Z2, Z3, Z4, Z5, Z6);          \
	STEP(64, K2, Z7, Z8, Z9, Z10, Z11, Z12, Z13);     \
	STEP(128, K3, Z14, Z15, Z16, Z17, Z18, Z19, Z20); \
	STEP(192, K4, Z21, Z22, Z23, Z24, Z25, Z26, Z27)

// BEGIN precedes the loop, or jumps to done if there are no elements.
#define BEGIN \
	TESTQ        CX, CX;                   \
	JZ           done;                     \
	MOVQ         $·constantValues(SB), DX; \
	VBROADCASTSD SHIFT, Z30;               \
	VBROADCASTSD ONE, Z31;                 \
	ALLLANES

// ADVANCE and REPEAT end the loop; what only some functions have advances in between.
#define ADVANCE \
	ADDQ $256, SI; \
	ADDQ $256, DI

#define REPEAT \
	SUBQ $32, CX; \
	JG   loop

// ALLLANES sets K1 to K4 to all lanes.
#define ALLLANES \
	KXNORW K1, K1, K1; \
	KXNORW K2, K2, K2; \
	KXNORW K3, K3, K3; \
	KXNORW K4, K4, K4

// a y, c -n
#define TANHSTEP1(off, k, a, b, c, d, e, f, g) \
	VMOVUPD.Z        off(SI), k, a;          \
	VRANGEPD.BCST    $10, SECHLARGEST, a, a; \
	VBROADCASTSD     TWOOVERLN2, b;          \
	VFMSUB213PD.BCST TANHBIAS, a, b;         \
	VADDPD           Z30, b, b;              \
	VSUBPD           b, Z30, c

// a f, c -n, d z, e z2
#define TANHSTEP2(off, k, a, b, c, d, e, f, g) \
	VFMADD231PD.BCST HALFLN2HIGH, c, a;   \
	VFMADD231PD.BCST HALFLN2MIDDLE, c, a; \
	VMULPD           a, a, d;             \
	VMULPD           d, d, e

// a f, b the polynomial from z⁴ on, c -n, d z, e z2, g the rest of the polynomial
#define TANHSTEP3(off, k, a, b, c, d, e, f, g) \
	VBROADCASTSD     TANH5, b;    \
	VBROADCASTSD     TANH3, g;    \
	VFMADD213PD.BCST TANH4, d, b; \
	VFMADD213PD.BCST TANH2, d, g; \
	VFMADD231PD.BCST TANH6, e, b; \
	VFMADD213PD      g, e, b;     \
	VBROADCASTSD     TANH1, g;    \
	VFMADD213PD.BCST TANH0, d, g

// a th, c -n, d s
#define TANHSTEP4(off, k, a, b, c, d, e, f, g) \
	VFMADD213PD g, e, b; \
	VMULPD      a, d, d; \
	VFMADD231PD d, b, a; \
	VSCALEFPD   c, Z31, d

// a th, c -n, d s, e minus, f plus, g dh
#define TANHSTEP5(off, k, a, b, c, d, e, f, g) \
	VSUBPD      d, Z31, e; \
	VADDPD      d, Z31, f; \
	VMOVAPD     f, g;      \
	VFMADD231PD e, a, g

// a th, b dl, c -n, d s, e minus, f plus, g dh
#define TANHSTEP6(off, k, a, b, c, d, e, f, g) \
	VSUBPD      g, Z31, b; \
	VADDPD      d, b, b;   \
	VFMADD231PD e, a, b

// a th, b dl, c -n, d nh, e nl, g dh
#define TANHSTEP7(off, k, a, b, c, d, e, f, g) \
	VSUBPD      e, Z31, Z28; \
	VSUBPD      d, Z28, Z28; \
	VMOVAPD     e, d;        \
	VFMADD231PD f, a, d;     \
	VSUBPD      d, e, e;     \
	VADDPD      Z28, e, e;   \
	VFMADD231PD f, a, e

// a th, b dl, c -n, d t of the magnitude of x, f r, g dh
#define TANHSTEP8(off, k, a, b, c, d, e, f, g) \
	VDIVPD       g, Z31, f; \
	VMULPD       d, f, Z28; \
	VFNMADD231PD g, Z28, d; \
	VFNMADD231PD b, Z28, e; \
	VADDPD       e, d, d;   \
	VFMADD213PD  Z28, f, d

#define TANHSTEP9(off, k, a, b, c, d, e, f, g) \
	VMOVUPD.Z       off(SI), k, e;     \
	VCMPPD          $3, e, e, K5;      \
	VPTERNLOGQ.BCST $0xf8, SIGN, e, d; \
	VBROADCASTSD    NAN, K5, d;        \
	VMOVUPD         d, k, off(DI)

#define TANHSTEPS \
	FOUR(TANHSTEP2); \
	FOUR(TANHSTEP3); \
	FOUR(TANHSTEP4); \
	FOUR(TANHSTEP5); \
	FOUR(TANHSTEP6); \
	FOUR(TANHSTEP7)

// func tanhAVX512(dst, x []float64)
TEXT ·tanhAVX512(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ x_base+24(FP), SI
	MOVQ x_len+32(FP), CX
	BEGIN

loop:
	MASKS
	FOUR(TANHSTEP1)
	TANHSTEPS
	FOUR(TANHSTEP8)
	FOUR(TANHSTEP9)
	ADVANCE
	REPEAT

done:
	VZEROUPPER
	RET

// a complement
#define COMPLEMENT(off, k, a, b, c, d, e, f, g) \
	VFNMADD213PD Z31, a, a

// a u 2^(n-2), c 2-n, d t of the magnitude of x
#define SECHSTEP1(off, k, a, b, c, d, e, f, g) \
	VMULPD       f, a, a;   \
	VFNMADD213PD Z31, f, g; \
	VMULPD       f, a, a;   \
	VFNMADD231PD b, f, g;   \
	VADDPD.BCST  TWO, c, c; \
	VADDPD       a, a, e;   \
	VFMADD231PD  g, e, a

// a u, d t
#define SECHSTEP2(off, k, a, b, c, d, e, f, g) \
	VMOVUPD.Z       off(SI), k, e;     \
	VSCALEFPD       c, a, a;           \
	VCMPPD          $3, e, e, K5;      \
	VPTERNLOGQ.BCST $0xf8, SIGN, e, d; \
	VBROADCASTSD    NAN, K5, d;        \
	VBROADCASTSD    NAN, K5, a;        \
	VMOVUPD         d, k, off(DI);     \
	VMOVUPD         a, k, off(BX)

#define JET(off, k, a, b, c, d, e, f, g) \
	VMULPD.BCST      MINUSTWO, d, d; \
	VBROADCASTSD     MINUSSIX, b;    \
	VFMADD213PD.BCST PLUSFOUR, a, b; \
	VMULPD           a, d, d;        \
	VMULPD           a, b, b;        \
	VMOVUPD          d, k, off(R9);  \
	VMOVUPD          b, k, off(R10)

#define SECHSTEPS \
	FOUR(TANHSTEP1);  \
	TANHSTEPS;        \
	FOUR(COMPLEMENT); \
	FOUR(TANHSTEP8);  \
	FOUR(SECHSTEP1);  \
	FOUR(SECHSTEP2)

// func tanhSech2AVX512(t, u, x []float64)
TEXT ·tanhSech2AVX512(SB), NOSPLIT, $0-72
	MOVQ t_base+0(FP), DI
	MOVQ u_base+24(FP), BX
	MOVQ x_base+48(FP), SI
	MOVQ x_len+56(FP), CX
	BEGIN

loop:
	MASKS
	SECHSTEPS
	ADVANCE
	ADDQ $256, BX
	REPEAT

done:
	VZEROUPPER
	RET

// func tanhJetAVX512(t, u, v, w, x []float64)
TEXT ·tanhJetAVX512(SB), NOSPLIT, $0-120
	MOVQ t_base+0(FP), DI
	MOVQ u_base+24(FP), BX
	MOVQ v_base+48(FP), R9
	MOVQ w_base+72(FP), R10
	MOVQ x_base+96(FP), SI
	MOVQ x_len+104(FP), CX
	BEGIN

loop:
	MASKS
	SECHSTEPS
	FOUR(JET)
	ADVANCE
	ADDQ $256, BX
	ADDQ $256, R9
	ADDQ $256, R10
	REPEAT

done:
	VZEROUPPER
	RET

// a first, c n, d r
#define EXPSTEP1(off, k, a, b, c, d, e, f, g) \
	VMOVUPD.Z         off(SI), k, a;     \
	VMINPD.BCST       EXPLARGEST, a, a;  \
	VMAXPD.BCST       EXPSMALLEST, a, a; \
	VMOVAPD           Z30, c;            \
	VFMADD231PD.BCST  OVERLN2, a, c;     \
	VSUBPD            Z30, c, c;         \
	VFNMADD231PD.BCST LN2HIGH, c, a;     \
	VMOVAPD           a, d;              \
	VFNMADD231PD.BCST LN2MIDDLE, c, d

// a low, c n, d r, e r2, f r4, b and g polynomials
#define EXPSTEP2(off, k, a, b, c, d, e, f, g) \
	VSUBPD            d, a, a;         \
	VFNMADD231PD.BCST LN2MIDDLE, c, a; \
	VMULPD            d, d, e;         \
	VBROADCASTSD      EXP11, b;        \
	VBROADCASTSD      EXP9, g;         \
	VMULPD            e, e, f;         \
	VFMADD213PD.BCST  EXP10, d, b;     \
	VFMADD213PD.BCST  EXP8, d, g

#define EXPSTEP3(off, k, a, b, c, d, e, f, g) \
	VBROADCASTSD     EXP7, Z28;    \
	VFMADD213PD.BCST EXP6, d, Z28; \
	VFMADD213PD      Z28, e, g;    \
	VFMADD213PD      g, f, b;      \
	VBROADCASTSD     EXP3, g;      \
	VBROADCASTSD     EXP5, Z28;    \
	VFMADD213PD.BCST HALF, d, g;   \
	VFMADD213PD.BCST EXP4, d, Z28; \
	VFMADD231PD      Z28, e, g;    \
	VFMADD213PD      g, f, b

// f y
#define EXPSTEP4(off, k, a, b, c, d, e, f, g) \
	VADDPD      d, Z31, f; \
	VSUBPD      f, Z31, g; \
	VADDPD      d, g, g;   \
	VADDPD      a, g, g;   \
	VFMADD213PD g, e, b;   \
	VADDPD      b, f, f

#define EXPSTEP5(off, k, a, b, c, d, e, f, g) \
	VMOVUPD.Z    off(SI), k, a; \
	VSCALEFPD    c, f, f;       \
	VCMPPD       $3, a, a, K5;  \
	VBROADCASTSD NAN, K5, f;    \
	VMOVUPD      f, k, off(DI)

// func expAVX512(dst, x []float64)
TEXT ·expAVX512(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ x_base+24(FP), SI
	MOVQ x_len+32(FP), CX
	BEGIN

loop:
	MASKS
	FOUR(EXPSTEP1)
	FOUR(EXPSTEP2)
	FOUR(EXPSTEP3)
	FOUR(EXPSTEP4)
	FOUR(EXPSTEP5)
	ADVANCE
	REPEAT

done:
	VZEROUPPER
	RET

// a the magnitude of x, then first, b shifted, c n
#define ANGLE1(off, k, a, b, c, d, e, f, g) \
	VMOVUPD.Z         off(SI), k, a;   \
	VPANDQ.BCST       MAGNITUDE, a, a; \
	VMOVAPD           Z30, b;          \
	VFMADD231PD.BCST  TWOOVERPI, a, b; \
	VSUBPD            Z30, b, c;       \
	VFNMADD231PD.BCST PIHIGH, c, a

// a low, b shifted, c z, d z2, f r
#define ANGLE2(off, k, a, b, c, d, e, f, g) \
	VMULPD.BCST      PIMIDDLE, c, d; \
	VBROADCASTSD     PIMIDDLE, e;    \
	VFMSUB213PD      d, c, e;        \
	VSUBPD           d, a, f;        \
	VSUBPD           f, a, a;        \
	VSUBPD           d, a, a;        \
	VFMADD231PD.BCST PILOW, c, e;    \
	VSUBPD           e, a, a;        \
	VMULPD           f, f, c;        \
	VMULPD           c, c, d

// a low, b shifted, c z, d z2, e the sine of r + low, f r
#define SINE(off, k, a, b, c, d, e, f, g) \
	VBROADCASTSD     SIN5, e;           \
	VBROADCASTSD     SIN3, g;           \
	VFMADD213PD.BCST SIN4, c, e;        \
	VFMADD213PD.BCST SIN2, c, g;        \
	VFMADD213PD      g, d, e;           \
	VBROADCASTSD     SIN1, g;           \
	VFMADD213PD.BCST SIN0, c, g;        \
	VFMADD213PD      g, d, e;           \
	VMULPD.BCST      MINUSHALF, c, Z28; \
	VFMADD213PD      a, a, Z28;         \
	VMULPD           f, c, g;           \
	VFMADD213PD      Z28, g, e;         \
	VADDPD           f, e, e

// b shifted, c the cosine of r + low, e the sine
#define COSINE(off, k, a, b, c, d, e, f, g) \
	VBROADCASTSD     COS5, Z28;    \
	VBROADCASTSD     COS3, Z29;    \
	VFMADD213PD.BCST COS4, c, Z28; \
	VFMADD213PD.BCST COS2, c, Z29; \
	VFMADD213PD      Z29, d, Z28;  \
	VBROADCASTSD     COS1, Z29;    \
	VFMADD213PD.BCST COS0, c, Z29; \
	VFMADD213PD      Z29, d, Z28;  \
	VMOVAPD          f, g;         \
	VFMSUB213PD      c, f, g;      \
	VMULPD.BCST      HALF, g, g;   \
	VFMADD231PD      a, f, g;      \
	VMULPD.BCST      HALF, c, a;   \
	VSUBPD           a, Z31, Z29;  \
	VSUBPD           Z29, Z31, c;  \
	VSUBPD           a, c, c;      \
	VSUBPD           g, c, c;      \
	VFMADD213PD      c, d, Z28;    \
	VADDPD           Z28, Z29, c

// FAR sets K5 to the lanes of a = x beyond the short reduction, including NaN, and K6 to all
// such lanes so far.
#define FAR(a, c) \
	VPANDQ.BCST MAGNITUDE, a, c;       \
	VCMPPD.BCST $6, LARGEANGLE, c, K5; \
	KORW        K5, K6, K6

// In the lanes of K5 the results are x.
#define SINEEND(off, k, a, b, c, d, e, f, g) \
	VMOVUPD.Z       off(SI), k, a;     \
	VPTESTMQ.BCST   LOWESTBIT, b, K5;  \
	VMOVAPD         c, K5, e;          \
	VPSLLQ          $62, b, g;         \
	VPTERNLOGQ.BCST $0x28, SIGN, a, g; \
	VPXORQ          g, e, e;           \
	FAR(a,          c);                \
	VMOVAPD         a, K5, e;          \
	VMOVUPD         e, k, off(DI)

#define COSINEEND(off, k, a, b, c, d, e, f, g) \
	VMOVUPD.Z       off(SI), k, a;     \
	VPTESTMQ.BCST   LOWESTBIT, b, K5;  \
	VMOVAPD         e, K5, c;          \
	VPADDQ.BCST     LOWESTBIT, b, g;   \
	VPSLLQ          $62, g, g;         \
	VPTERNLOGQ.BCST $0x78, SIGN, g, c; \
	FAR(a,          e);                \
	VMOVAPD         a, K5, c;          \
	VMOVUPD         c, k, off(DI)

#define SINECOSINEEND(off, k, a, b, c, d, e, f, g) \
	VMOVUPD.Z       off(SI), k, a;     \
	VPTESTMQ.BCST   LOWESTBIT, b, K5;  \
	VMOVAPD         e, f;              \
	VMOVAPD         c, K5, e;          \
	VMOVAPD         f, K5, c;          \
	VPSLLQ          $62, b, g;         \
	VPTERNLOGQ.BCST $0x28, SIGN, a, g; \
	VPXORQ          g, e, e;           \
	VPADDQ.BCST     LOWESTBIT, b, g;   \
	VPSLLQ          $62, g, g;         \
	VPTERNLOGQ.BCST $0x78, SIGN, g, c; \
	FAR(a,          f);                \
	VMOVAPD         a, K5, e;          \
	VMOVAPD         a, K5, c;          \
	VMOVUPD         e, k, off(DI);     \
	VMOVUPD         c, k, off(BX)

#define ANGLESTEPS \
	FOUR(ANGLE1); \
	FOUR(ANGLE2); \
	FOUR(SINE);   \
	FOUR(COSINE)

// func sinAVX512(dst, x []float64) (far bool)
TEXT ·sinAVX512(SB), NOSPLIT, $0-49
	MOVQ dst_base+0(FP), DI
	MOVQ x_base+24(FP), SI
	MOVQ x_len+32(FP), CX
	KXORW K6, K6, K6
	BEGIN

loop:
	MASKS
	ANGLESTEPS
	FOUR(SINEEND)
	ADVANCE
	REPEAT

done:
	KORTESTW K6, K6
	SETNE far+48(FP)
	VZEROUPPER
	RET

// func cosAVX512(dst, x []float64) (far bool)
TEXT ·cosAVX512(SB), NOSPLIT, $0-49
	MOVQ dst_base+0(FP), DI
	MOVQ x_base+24(FP), SI
	MOVQ x_len+32(FP), CX
	KXORW K6, K6, K6
	BEGIN

loop:
	MASKS
	ANGLESTEPS
	FOUR(COSINEEND)
	ADVANCE
	REPEAT

done:
	KORTESTW K6, K6
	SETNE far+48(FP)
	VZEROUPPER
	RET

// func sinCosAVX512(s, c, x []float64) (far bool)
TEXT ·sinCosAVX512(SB), NOSPLIT, $0-73
	MOVQ s_base+0(FP), DI
	MOVQ c_base+24(FP), BX
	MOVQ x_base+48(FP), SI
	MOVQ x_len+56(FP), CX
	KXORW K6, K6, K6
	BEGIN

loop:
	MASKS
	ANGLESTEPS
	FOUR(SINECOSINEEND)
	ADVANCE
	ADDQ $256, BX
	REPEAT

done:
	KORTESTW K6, K6
	SETNE far+72(FP)
	VZEROUPPER
	RET

// a f, d k
#define LOGSTEP1(off, k, a, b, c, d, e, f, g) \
	VMOVUPD.Z    off(SI), k, a;             \
	VBROADCASTSD BIAS, c;                   \
	VCMPPD.BCST  $1, SMALLESTNORMAL, a, K5; \
	VMULPD.BCST  TWO54, a, K5, a;           \
	VBROADCASTSD BIAS54, K5, c;             \
	VPADDQ.BCST  LOGOFFSET, a, b;           \
	VPSRLQ       $52, b, d;                 \
	VCVTQQ2PD    d, d;                      \
	VSUBPD       c, d, d;                   \
	VPANDQ.BCST  FRACTION, b, b;            \
	VPADDQ.BCST  SQRTHALF, b, b;            \
	VSUBPD       Z31, b, a

// a f, b s, c z, d k, e z2
#define LOGSTEP2(off, k, a, b, c, d, e, f, g) \
	VADDPD.BCST TWO, a, b; \
	VDIVPD      b, a, b;   \
	VMULPD      b, b, c;   \
	VMULPD      c, c, e

// a f, b s, c z, d k, f the polynomial
#define LOGSTEP3(off, k, a, b, c, d, e, f, g) \
	VBROADCASTSD     LOG5, f;    \
	VBROADCASTSD     LOG3, g;    \
	VFMADD213PD.BCST LOG4, c, f; \
	VFMADD213PD.BCST LOG2, c, g; \
	VFMADD231PD.BCST LOG6, e, f; \
	VFMADD213PD      g, e, f;    \
	VBROADCASTSD     LOG1, g;    \
	VFMADD213PD.BCST LOG0, c, g; \
	VFMADD213PD      g, e, f

// a f, b s, d k, e square, f tail, g squareLow
#define LOGSTEP4(off, k, a, b, c, d, e, f, g) \
	VMULPD.BCST HALF, a, g; \
	VMULPD      a, g, e;    \
	VFMSUB213PD e, a, g;    \
	VFMADD213PD e, c, f;    \
	VMULPD      b, f, f

// a rest, b first, d k
#define LOGSTEP5(off, k, a, b, c, d, e, f, g) \
	VSUBPD e, a, b; \
	VSUBPD b, a, a; \
	VSUBPD e, a, a; \
	VSUBPD g, a, a; \
	VADDPD f, a, a

// e the logarithm
#define LOGSTEP6(off, k, a, b, c, d, e, f, g) \
	VMULPD.BCST      LN2SHORT, d, c; \
	VADDPD           b, c, e;        \
	VSUBPD           e, c, c;        \
	VADDPD           b, c, c;        \
	VFMADD231PD.BCST LN2REST, d, a;  \
	VADDPD           a, c, c;        \
	VADDPD           c, e, e

#define LOGSTEP7(off, k, a, b, c, d, e, f, g) \
	VMOVUPD.Z    off(SI), k, a;   \
	VPXORQ       g, g, g;         \
	VCMPPD.BCST  $0, INF, a, K5;  \
	VMOVAPD      a, K5, e;        \
	VCMPPD       $0, g, a, K5;    \
	VBROADCASTSD MINUSINF, K5, e; \
	VCMPPD       $9, g, a, K5;    \
	VBROADCASTSD NAN, K5, e;      \
	VMOVUPD      e, k, off(DI)

// func logAVX512(dst, x []float64)
TEXT ·logAVX512(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ x_base+24(FP), SI
	MOVQ x_len+32(FP), CX
	BEGIN

loop:
	MASKS
	FOUR(LOGSTEP1)
	FOUR(LOGSTEP2)
	FOUR(LOGSTEP3)
	FOUR(LOGSTEP4)
	FOUR(LOGSTEP5)
	FOUR(LOGSTEP6)
	FOUR(LOGSTEP7)
	ADVANCE
	REPEAT

done:
	VZEROUPPER
	RET

#define LOADV(off, k, a, b, c, d, e, f, g) \
	VMOVUPD.Z off(BX), k, b; \
	VMOVAPD   Z28, a

#define HORNER(off, k, a, b, c, d, e, f, g) \
	VFMADD213PD Z28, b, a

// a w C
#define MULW(off, k, a, b, c, d, e, f, g) \
	VMOVUPD.Z off(SI), k, b; \
	VMULPD    b, a, a

#define LOADW(off, k, a, b, c, d, e, f, g) \
	VMOVUPD.Z off(SI), k, a

#define STOREMUL(off, k, a, b, c, d, e, f, g) \
	VMOVUPD.Z off(R9), k, b; \
	VMULPD    b, a, a;       \
	VMOVUPD   a, k, off(DI)

#define STOREADD(off, k, a, b, c, d, e, f, g) \
	VMOVUPD.Z   off(R9), k, b; \
	VMOVUPD.Z   off(DI), k, c; \
	VFMADD213PD c, b, a;       \
	VMOVUPD     a, k, off(DI)

// func mulPolynomialAVX512(dst, p, w, v, c []float64, accumulate bool)
//
// SI is w, BX v, R9 p, R10 the coefficients, R11 their number; R12 and R13 iterate over them.
TEXT ·mulPolynomialAVX512(SB), NOSPLIT, $0-121
	MOVQ dst_base+0(FP), DI
	MOVQ p_base+24(FP), R9
	MOVQ p_len+32(FP), CX
	MOVQ w_base+48(FP), SI
	MOVQ v_base+72(FP), BX
	MOVQ c_base+96(FP), R10
	MOVQ c_len+104(FP), R11
	TESTQ CX, CX
	JZ   done
	ALLLANES

loop:
	MASKS
	TESTQ R11, R11
	JZ   one
	VBROADCASTSD (R10), Z28
	FOUR(LOADV)
	MOVQ R10, R12
	MOVQ R11, R13

coefficients:
	DECQ R13
	JZ   times
	ADDQ $8, R12
	VBROADCASTSD (R12), Z28
	FOUR(HORNER)
	JMP  coefficients

times:
	FOUR(MULW)
	JMP  store

one:
	FOUR(LOADW)

store:
	CMPB accumulate+120(FP), $0
	JNE  add
	FOUR(STOREMUL)
	JMP  next

add:
	FOUR(STOREADD)

next:
	ADVANCE
	ADDQ $256, BX
	ADDQ $256, R9
	REPEAT

done:
	VZEROUPPER
	RET
