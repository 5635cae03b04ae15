//go:build !purego

// Elementary functions for AVX2 with FMA: the steps of functions_avx512_amd64.s, but with
// powers of two built from bits. Lengths are multiples of 8.
//
//	SI  x          DI  dst, t    BX, R9, R10  u, v, w    CX  elements left
//	DX  constants    R8  whether the angle of any lane is far    AX  scratch
//
// Two registers of four lanes go through every step together. Each of the two has seven
// registers, the parameters a to g of a step, and off is its offset from SI, DI, ...; Y14 is
// scratch within a step, and Y15 is integerShift or scratch. The comment after each step says
// which variables the registers then hold.

#include "textflag.h"
#define STRIDE 32
#include "functions_amd64.h"

#define BOTH(STEP) \
	STEP(0, Y0, Y1, Y2, Y3, Y4, Y5, Y6);     \
	STEP(32, Y7, Y8, Y9, Y10, Y11, Y12, Y13)

// BEGIN precedes the loop, or jumps to done if there are no elements.
#define BEGIN \
	TESTQ   CX, CX;              \
	JZ      done;                \
	MOVQ    $·constants(SB), DX; \
	VMOVUPD SHIFT, Y15

// ADVANCE and REPEAT end the loop; what only some functions have advances in between.
#define ADVANCE \
	ADDQ $64, SI; \
	ADDQ $64, DI

#define REPEAT \
	SUBQ $8, CX; \
	JG   loop

// a y, b shifted, c -n
#define TANHBEGIN(largest, off, a, b, c) \
	VMOVUPD     off(SI), a;      \
	VANDPD      MAGNITUDE, a, a; \
	VMINPD      largest, a, a;   \
	VMOVUPD     TWOOVERLN2, b;   \
	VFMSUB213PD TANHBIAS, a, b;  \
	VADDPD      Y15, b, b;       \
	VSUBPD      b, Y15, c

// a y, b s, c -n: n is small enough for s to be a normal number.
#define TANHSTEP1(off, a, b, c, d, e, f, g) \
	TANHBEGIN(TANHLARGEST, off, a, b, c); \
	VPSLLQ                 $52, b, b;     \
	VMOVUPD                ONE, Y14;      \
	VPSUBQ                 b, Y14, b

// a y, b s, c -n: s is the product of two powers of two, which are stored in the frame.
#define SECHSTEP1(off, a, b, c, d, e, f, g) \
	TANHBEGIN(SECHLARGEST, off, a, b, c); \
	VPSUBQ                 Y15, b, b;     \
	VPSRLQ                 $1, b, d;      \
	VPSUBQ                 d, b, b;       \
	VPSLLQ                 $52, d, d;     \
	VPSLLQ                 $52, b, b;     \
	VMOVUPD                ONE, Y14;      \
	VPSUBQ                 d, Y14, d;     \
	VPSUBQ                 b, Y14, b;     \
	VMOVUPD                d, off(SP);    \
	VMOVUPD                b, 64+off(SP); \
	VMULPD                 d, b, b

// a f, b s, d z, e z2
#define TANHSTEP2(off, a, b, c, d, e, f, g) \
	VFMADD231PD HALFLN2HIGH, c, a;   \
	VFMADD231PD HALFLN2MIDDLE, c, a; \
	VMULPD      a, a, d;             \
	VMULPD      d, d, e

// a f, b s, c the polynomial from z⁴ on, d z, e z2, g the rest of the polynomial
#define TANHSTEP3(off, a, b, c, d, e, f, g) \
	VMOVUPD     TANH5, c;    \
	VMOVUPD     TANH3, g;    \
	VFMADD213PD TANH4, d, c; \
	VFMADD213PD TANH2, d, g; \
	VFMADD231PD TANH6, e, c; \
	VFMADD213PD g, e, c;     \
	VMOVUPD     TANH1, g;    \
	VFMADD213PD TANH0, d, g

// a th, b s
#define TANHSTEP4(off, a, b, c, d, e, f, g) \
	VFMADD213PD g, e, c; \
	VMULPD      a, d, d; \
	VFMADD231PD d, c, a

// a th, b s, e minus, f plus, g dh
#define TANHSTEP5(off, a, b, c, d, e, f, g) \
	VMOVUPD     ONE, Y14;  \
	VSUBPD      b, Y14, e; \
	VADDPD      b, Y14, f; \
	VMOVAPD     f, g;      \
	VFMADD231PD e, a, g

// a th, b s, c dl, e minus, f plus, g dh
#define TANHSTEP6(off, a, b, c, d, e, f, g) \
	VMOVUPD     ONE, Y14;  \
	VSUBPD      g, Y14, c; \
	VADDPD      b, c, c;   \
	VFMADD231PD e, a, c

// a th, b nh, c dl, e nl, g dh
#define TANHSTEP7(off, a, b, c, d, e, f, g) \
	VMOVUPD     ONE, Y14;    \
	VSUBPD      e, Y14, Y14; \
	VSUBPD      b, Y14, Y14; \
	VMOVAPD     e, b;        \
	VFMADD231PD f, a, b;     \
	VSUBPD      b, e, e;     \
	VADDPD      Y14, e, e;   \
	VFMADD231PD f, a, e

// b remainder, c dl, d q, f r, g dh
#define TANHSTEP8(off, a, b, c, d, e, f, g) \
	VMOVUPD      ONE, Y14;  \
	VDIVPD       g, Y14, f; \
	VMULPD       b, f, d;   \
	VFNMADD231PD g, d, b;   \
	VFNMADD231PD c, d, e;   \
	VADDPD       e, b, b

// d t, e where x is NaN
#define TANHSTEP9(off, a, b, c, d, e, f, g) \
	VMOVUPD     off(SI), e;   \
	VFMADD231PD b, f, d;      \
	VANDPD      SIGN, e, Y14; \
	VORPD       Y14, d, d;    \
	VCMPPD      $3, e, e, e;  \
	VMOVUPD     NAN, Y14;     \
	VBLENDVPD   e, Y14, d, d; \
	VMOVUPD     d, off(DI)

#define TANHSTEPS \
	BOTH(TANHSTEP2); \
	BOTH(TANHSTEP3); \
	BOTH(TANHSTEP4); \
	BOTH(TANHSTEP5); \
	BOTH(TANHSTEP6); \
	BOTH(TANHSTEP7)

// func tanhAVX2(dst, x []float64)
TEXT ·tanhAVX2(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ x_base+24(FP), SI
	MOVQ x_len+32(FP), CX
	BEGIN

loop:
	BOTH(TANHSTEP1)
	TANHSTEPS
	BOTH(TANHSTEP8)
	BOTH(TANHSTEP9)
	ADVANCE
	REPEAT

done:
	VZEROUPPER
	RET

// a complement
#define COMPLEMENT(off, a, b, c, d, e, f, g) \
	VFNMADD213PD ONE, a, a

// a u, d t of the magnitude of x
#define SECHSTEP2(off, a, b, c, d, e, f, g) \
	VFMADD231PD  b, f, d;        \
	VMULPD       f, a, a;        \
	VMULPD       f, a, a;        \
	VFNMADD213PD ONE, f, g;      \
	VFNMADD231PD c, f, g;        \
	VADDPD       a, a, b;        \
	VFMADD231PD  g, b, a;        \
	VMULPD       PLUSFOUR, a, a; \
	VMULPD       off(SP), a, a;  \
	VMULPD       64+off(SP), a, a

// a u, d t
#define SECHSTEP3(off, a, b, c, d, e, f, g) \
	VMOVUPD   off(SI), e;   \
	VANDPD    SIGN, e, Y14; \
	VORPD     Y14, d, d;    \
	VCMPPD    $3, e, e, e;  \
	VMOVUPD   NAN, Y14;     \
	VBLENDVPD e, Y14, d, d; \
	VMOVUPD   NAN, Y14;     \
	VBLENDVPD e, Y14, a, a; \
	VMOVUPD   d, off(DI);   \
	VMOVUPD   a, off(BX)

#define JET(off, a, b, c, d, e, f, g) \
	VMULPD      MINUSTWO, d, c; \
	VMOVUPD     MINUSSIX, e;    \
	VFMADD213PD PLUSFOUR, a, e; \
	VMULPD      a, c, c;        \
	VMULPD      a, e, e;        \
	VMOVUPD     c, off(R9);     \
	VMOVUPD     e, off(R10)

#define SECHSTEPS \
	BOTH(SECHSTEP1);  \
	TANHSTEPS;        \
	BOTH(COMPLEMENT); \
	BOTH(TANHSTEP8);  \
	BOTH(SECHSTEP2);  \
	BOTH(SECHSTEP3)

// func tanhSech2AVX2(t, u, x []float64)
TEXT ·tanhSech2AVX2(SB), 0, $128-72
	MOVQ t_base+0(FP), DI
	MOVQ u_base+24(FP), BX
	MOVQ x_base+48(FP), SI
	MOVQ x_len+56(FP), CX
	BEGIN

loop:
	SECHSTEPS
	ADVANCE
	ADDQ $64, BX
	REPEAT

done:
	VZEROUPPER
	RET

// func tanhJetAVX2(t, u, v, w, x []float64)
TEXT ·tanhJetAVX2(SB), 0, $128-120
	MOVQ t_base+0(FP), DI
	MOVQ u_base+24(FP), BX
	MOVQ v_base+48(FP), R9
	MOVQ w_base+72(FP), R10
	MOVQ x_base+96(FP), SI
	MOVQ x_len+104(FP), CX
	BEGIN

loop:
	SECHSTEPS
	BOTH(JET)
	ADVANCE
	ADDQ $64, BX
	ADDQ $64, R9
	ADDQ $64, R10
	REPEAT

done:
	VZEROUPPER
	RET

// a first, b shifted, c n, d r
#define EXPSTEP1(off, a, b, c, d, e, f, g) \
	VMOVUPD      off(SI), a;        \
	VMINPD       EXPLARGEST, a, a;  \
	VMAXPD       EXPSMALLEST, a, a; \
	VMOVAPD      Y15, b;            \
	VFMADD231PD  OVERLN2, a, b;     \
	VSUBPD       Y15, b, c;         \
	VFNMADD231PD LN2HIGH, c, a;     \
	VMOVAPD      a, d;              \
	VFNMADD231PD LN2MIDDLE, c, d

// a low, b shifted, d r, e r2, f r4, g and c polynomials
#define EXPSTEP2(off, a, b, c, d, e, f, g) \
	VSUBPD       d, a, a;         \
	VFNMADD231PD LN2MIDDLE, c, a; \
	VMULPD       d, d, e;         \
	VMOVUPD      EXP11, c;        \
	VMOVUPD      EXP9, g;         \
	VMULPD       e, e, f;         \
	VFMADD213PD  EXP10, d, c;     \
	VFMADD213PD  EXP8, d, g

// a low, b shifted, c p, d r, e r2
#define EXPSTEP3(off, a, b, c, d, e, f, g) \
	VMOVUPD     EXP7, Y14;    \
	VFMADD213PD EXP6, d, Y14; \
	VFMADD213PD Y14, e, g;    \
	VFMADD213PD g, f, c;      \
	VMOVUPD     EXP3, g;      \
	VMOVUPD     EXP5, Y14;    \
	VFMADD213PD HALF, d, g;   \
	VFMADD213PD EXP4, d, Y14; \
	VFMADD231PD Y14, e, g;    \
	VFMADD213PD g, f, c

// b shifted, f y
#define EXPSTEP4(off, a, b, c, d, e, f, g) \
	VMOVUPD     ONE, Y14;  \
	VADDPD      d, Y14, f; \
	VSUBPD      f, Y14, g; \
	VADDPD      d, g, g;   \
	VADDPD      a, g, g;   \
	VFMADD213PD g, e, c;   \
	VADDPD      c, f, f

// f exp x: with h = (k + 2048) >> 1 the two powers of two are 2^(h-1024) and
// 2^(k-h+1024).
#define EXPSTEP5(off, a, b, c, d, e, f, g) \
	VMOVUPD   off(SI), a;    \
	VPADDQ    EVEN, b, c;    \
	VPSRLQ    $1, c, c;      \
	VPSUBQ    c, b, b;       \
	VPSLLQ    $52, c, c;     \
	VPSLLQ    $52, b, b;     \
	VPADDQ    LOWERED, c, c; \
	VPADDQ    RAISED, b, b;  \
	VMULPD    c, f, f;       \
	VMULPD    b, f, f;       \
	VCMPPD    $3, a, a, a;   \
	VMOVUPD   NAN, Y14;      \
	VBLENDVPD a, Y14, f, f;  \
	VMOVUPD   f, off(DI)

// func expAVX2(dst, x []float64)
TEXT ·expAVX2(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ x_base+24(FP), SI
	MOVQ x_len+32(FP), CX
	BEGIN

loop:
	BOTH(EXPSTEP1)
	BOTH(EXPSTEP2)
	BOTH(EXPSTEP3)
	BOTH(EXPSTEP4)
	BOTH(EXPSTEP5)
	ADVANCE
	REPEAT

done:
	VZEROUPPER
	RET

// a the magnitude of x, then first, b shifted, c n
#define ANGLE1(off, a, b, c, d, e, f, g) \
	VMOVUPD      off(SI), a;      \
	VANDPD       MAGNITUDE, a, a; \
	VMOVUPD      SHIFT, b;        \
	VFMADD231PD  TWOOVERPI, a, b; \
	VSUBPD       SHIFT, b, c;     \
	VFNMADD231PD PIHIGH, c, a

// a low, b shifted, c z, d z2, f r
#define ANGLE2(off, a, b, c, d, e, f, g) \
	VMULPD      PIMIDDLE, c, d; \
	VMOVUPD     PIMIDDLE, e;    \
	VFMSUB213PD d, c, e;        \
	VSUBPD      d, a, f;        \
	VSUBPD      f, a, a;        \
	VSUBPD      d, a, a;        \
	VFMADD231PD PILOW, c, e;    \
	VSUBPD      e, a, a;        \
	VMULPD      f, f, c;        \
	VMULPD      c, c, d

// a low, b shifted, c z, d z2, e the sine of r + low, f r
#define SINE(off, a, b, c, d, e, f, g) \
	VMOVUPD     SIN5, e;           \
	VMOVUPD     SIN3, g;           \
	VFMADD213PD SIN4, c, e;        \
	VFMADD213PD SIN2, c, g;        \
	VFMADD213PD g, d, e;           \
	VMOVUPD     SIN1, g;           \
	VFMADD213PD SIN0, c, g;        \
	VFMADD213PD g, d, e;           \
	VMULPD      MINUSHALF, c, Y14; \
	VFMADD213PD a, a, Y14;         \
	VMULPD      f, c, g;           \
	VFMADD213PD Y14, g, e;         \
	VADDPD      f, e, e

// b shifted, c the cosine of r + low, e the sine
#define COSINE(off, a, b, c, d, e, f, g) \
	VMOVUPD     COS5, Y14;    \
	VMOVUPD     COS3, Y15;    \
	VFMADD213PD COS4, c, Y14; \
	VFMADD213PD COS2, c, Y15; \
	VFMADD213PD Y15, d, Y14;  \
	VMOVUPD     COS1, Y15;    \
	VFMADD213PD COS0, c, Y15; \
	VFMADD213PD Y15, d, Y14;  \
	VMOVAPD     f, g;         \
	VFMSUB213PD c, f, g;      \
	VMULPD      HALF, g, g;   \
	VFMADD231PD a, f, g;      \
	VMULPD      HALF, c, a;   \
	VMOVUPD     ONE, c;       \
	VSUBPD      a, c, Y15;    \
	VSUBPD      Y15, c, c;    \
	VSUBPD      a, c, c;      \
	VSUBPD      g, c, c;      \
	VFMADD213PD c, d, Y14;    \
	VADDPD      Y14, Y15, c

// FAR sets c to the lanes of a = x beyond the short reduction, including NaN, and R8 to
// whether there has been one.
#define FAR(a, c) \
	VANDPD    MAGNITUDE, a, c;      \
	VCMPPD    $6, LARGEANGLE, c, c; \
	VMOVMSKPD c, AX;                \
	ORL       AX, R8

// In far lanes the results are x.
#define SINEEND(off, a, b, c, d, e, f, g) \
	VMOVUPD   off(SI), a; \
	VPSLLQ    $63, b, d;  \
	VBLENDVPD d, c, e, e; \
	VPSLLQ    $62, b, g;  \
	VPXOR     a, g, g;    \
	VANDPD    SIGN, g, g; \
	VPXOR     g, e, e;    \
	FAR(a,    c);         \
	VBLENDVPD c, a, e, e; \
	VMOVUPD   e, off(DI)

#define COSINEEND(off, a, b, c, d, e, f, g) \
	VMOVUPD   off(SI), a;      \
	VPSLLQ    $63, b, d;       \
	VBLENDVPD d, e, c, c;      \
	VPADDQ    LOWESTBIT, b, g; \
	VPSLLQ    $62, g, g;       \
	VANDPD    SIGN, g, g;      \
	VPXOR     g, c, c;         \
	FAR(a,    e);              \
	VBLENDVPD e, a, c, c;      \
	VMOVUPD   c, off(DI)

#define SINECOSINEEND(off, a, b, c, d, e, f, g) \
	VMOVUPD   off(SI), a;      \
	VPSLLQ    $63, b, d;       \
	VBLENDVPD d, e, c, f;      \
	VBLENDVPD d, c, e, e;      \
	VPSLLQ    $62, b, g;       \
	VPXOR     a, g, g;         \
	VANDPD    SIGN, g, g;      \
	VPXOR     g, e, e;         \
	VPADDQ    LOWESTBIT, b, g; \
	VPSLLQ    $62, g, g;       \
	VANDPD    SIGN, g, g;      \
	VPXOR     g, f, f;         \
	FAR(a,    c);              \
	VBLENDVPD c, a, e, e;      \
	VBLENDVPD c, a, f, f;      \
	VMOVUPD   e, off(DI);      \
	VMOVUPD   f, off(BX)

#define ANGLESTEPS \
	BOTH(ANGLE1); \
	BOTH(ANGLE2); \
	BOTH(SINE);   \
	BOTH(COSINE)

// func sinAVX2(dst, x []float64) (far bool)
TEXT ·sinAVX2(SB), NOSPLIT, $0-49
	MOVQ dst_base+0(FP), DI
	MOVQ x_base+24(FP), SI
	MOVQ x_len+32(FP), CX
	XORL R8, R8
	BEGIN

loop:
	ANGLESTEPS
	BOTH(SINEEND)
	ADVANCE
	REPEAT

done:
	TESTL R8, R8
	SETNE far+48(FP)
	VZEROUPPER
	RET

// func cosAVX2(dst, x []float64) (far bool)
TEXT ·cosAVX2(SB), NOSPLIT, $0-49
	MOVQ dst_base+0(FP), DI
	MOVQ x_base+24(FP), SI
	MOVQ x_len+32(FP), CX
	XORL R8, R8
	BEGIN

loop:
	ANGLESTEPS
	BOTH(COSINEEND)
	ADVANCE
	REPEAT

done:
	TESTL R8, R8
	SETNE far+48(FP)
	VZEROUPPER
	RET

// func sinCosAVX2(s, c, x []float64) (far bool)
TEXT ·sinCosAVX2(SB), NOSPLIT, $0-73
	MOVQ s_base+0(FP), DI
	MOVQ c_base+24(FP), BX
	MOVQ x_base+48(FP), SI
	MOVQ x_len+56(FP), CX
	XORL R8, R8
	BEGIN

loop:
	ANGLESTEPS
	BOTH(SINECOSINEEND)
	ADVANCE
	ADDQ $64, BX
	REPEAT

done:
	TESTL R8, R8
	SETNE far+72(FP)
	VZEROUPPER
	RET

// a f, d k
#define LOGSTEP1(off, a, b, c, d, e, f, g) \
	VMOVUPD   off(SI), a;               \
	VCMPPD    $1, SMALLESTNORMAL, a, d; \
	VMOVUPD   BIAS, c;                  \
	VMOVUPD   BIAS54, e;                \
	VBLENDVPD d, e, c, c;               \
	VMULPD    TWO54, a, e;              \
	VBLENDVPD d, e, a, a;               \
	VPADDQ    LOGOFFSET, a, b;          \
	VPSRLQ    $52, b, d;                \
	VORPD     TWO52, d, d;              \
	VSUBPD    TWO52, d, d;              \
	VSUBPD    c, d, d;                  \
	VANDPD    FRACTION, b, b;           \
	VPADDQ    SQRTHALF, b, b;           \
	VSUBPD    ONE, b, a

// a f, b s, c z, d k, e z2
#define LOGSTEP2(off, a, b, c, d, e, f, g) \
	VADDPD TWO, a, b; \
	VDIVPD b, a, b;   \
	VMULPD b, b, c;   \
	VMULPD c, c, e

// a f, b s, c z, d k, f the polynomial
#define LOGSTEP3(off, a, b, c, d, e, f, g) \
	VMOVUPD     LOG5, f;    \
	VMOVUPD     LOG3, g;    \
	VFMADD213PD LOG4, c, f; \
	VFMADD213PD LOG2, c, g; \
	VFMADD231PD LOG6, e, f; \
	VFMADD213PD g, e, f;    \
	VMOVUPD     LOG1, g;    \
	VFMADD213PD LOG0, c, g; \
	VFMADD213PD g, e, f

// a f, b s, d k, e square, f tail, g squareLow
#define LOGSTEP4(off, a, b, c, d, e, f, g) \
	VMULPD      HALF, a, g; \
	VMULPD      a, g, e;    \
	VFMSUB213PD e, a, g;    \
	VFMADD213PD e, c, f;    \
	VMULPD      b, f, f

// a rest, b first, d k
#define LOGSTEP5(off, a, b, c, d, e, f, g) \
	VSUBPD e, a, b; \
	VSUBPD b, a, a; \
	VSUBPD e, a, a; \
	VSUBPD g, a, a; \
	VADDPD f, a, a

// e the logarithm
#define LOGSTEP6(off, a, b, c, d, e, f, g) \
	VMULPD      LN2SHORT, d, c; \
	VADDPD      b, c, e;        \
	VSUBPD      e, c, c;        \
	VADDPD      b, c, c;        \
	VFMADD231PD LN2REST, d, a;  \
	VADDPD      a, c, c;        \
	VADDPD      c, e, e

#define LOGSTEP7(off, a, b, c, d, e, f, g) \
	VMOVUPD   off(SI), a;    \
	VXORPD    g, g, g;       \
	VCMPPD    $0, INF, a, b; \
	VBLENDVPD b, a, e, e;    \
	VCMPPD    $0, g, a, b;   \
	VMOVUPD   MINUSINF, c;   \
	VBLENDVPD b, c, e, e;    \
	VCMPPD    $9, g, a, b;   \
	VMOVUPD   NAN, c;        \
	VBLENDVPD b, c, e, e;    \
	VMOVUPD   e, off(DI)

// func logAVX2(dst, x []float64)
TEXT ·logAVX2(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ x_base+24(FP), SI
	MOVQ x_len+32(FP), CX
	BEGIN

loop:
	BOTH(LOGSTEP1)
	BOTH(LOGSTEP2)
	BOTH(LOGSTEP3)
	BOTH(LOGSTEP4)
	BOTH(LOGSTEP5)
	BOTH(LOGSTEP6)
	BOTH(LOGSTEP7)
	ADVANCE
	REPEAT

done:
	VZEROUPPER
	RET

#define LOADV(off, a, b, c, d, e, f, g) \
	VMOVUPD off(BX), b; \
	VMOVAPD Y14, a

#define HORNER(off, a, b, c, d, e, f, g) \
	VFMADD213PD Y14, b, a

#define MULW(off, a, b, c, d, e, f, g) \
	VMULPD off(SI), a, a

#define LOADW(off, a, b, c, d, e, f, g) \
	VMOVUPD off(SI), a

#define STOREMUL(off, a, b, c, d, e, f, g) \
	VMULPD  off(R9), a, a; \
	VMOVUPD a, off(DI)

#define STOREADD(off, a, b, c, d, e, f, g) \
	VMOVUPD     off(DI), b;    \
	VFMADD231PD off(R9), a, b; \
	VMOVUPD     b, off(DI)

// func mulPolynomialAVX2(dst, p, w, v, c []float64, accumulate bool)
//
// SI is w, BX v, R9 p, R10 the coefficients, R11 their number; R12 and R13 iterate over them.
TEXT ·mulPolynomialAVX2(SB), NOSPLIT, $0-121
	MOVQ dst_base+0(FP), DI
	MOVQ p_base+24(FP), R9
	MOVQ p_len+32(FP), CX
	MOVQ w_base+48(FP), SI
	MOVQ v_base+72(FP), BX
	MOVQ c_base+96(FP), R10
	MOVQ c_len+104(FP), R11
	TESTQ CX, CX
	JZ   done

loop:
	TESTQ R11, R11
	JZ   one
	VBROADCASTSD (R10), Y14
	BOTH(LOADV)
	MOVQ R10, R12
	MOVQ R11, R13

coefficients:
	DECQ R13
	JZ   times
	ADDQ $8, R12
	VBROADCASTSD (R12), Y14
	BOTH(HORNER)
	JMP  coefficients

times:
	BOTH(MULW)
	JMP  store

one:
	BOTH(LOADW)

store:
	CMPB accumulate+120(FP), $0
	JNE  add
	BOTH(STOREMUL)
	JMP  next

add:
	BOTH(STOREADD)

next:
	ADVANCE
	ADDQ $64, BX
	ADDQ $64, R9
	REPEAT

done:
	VZEROUPPER
	RET
