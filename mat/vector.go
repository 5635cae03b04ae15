package mat

import "github.com/bpielm/bpielm/mat/asm"

// Exp returns the exponential of x to within 1 ulp, subnormal results included.
//
// The elementary functions of this package return the same bits on every machine, which
// those of package math do not. NaN gives NaN.
func Exp(x float64) float64 { return asm.Exp(x) }

// Log returns the natural logarithm of x to within 1 ulp: -Inf for zero, NaN for negative
// numbers.
func Log(x float64) float64 { return asm.Log(x) }

// FMA returns x*y + z rounded once, as math.FMA does. It is also fast on processors
// without the instruction.
func FMA(x, y, z float64) float64 { return asm.FMA(x, y, z) }

// Sin returns the sine of x (radians) to within 1 ulp for arguments of any size,
// NaN for infinities.
func Sin(x float64) float64 { return asm.Sin(x) }

// Cos returns the cosine of x (radians) to within 1 ulp for arguments of any
// size, NaN for infinities.
func Cos(x float64) float64 { return asm.Cos(x) }

// SinCos returns Sin(x) and Cos(x) at little more than the cost of one.
func SinCos(x float64) (sin, cos float64) { return asm.SinCos(x) }

// Tanh returns the hyperbolic tangent of x to within 1 ulp. It is odd to the
// last bit.
func Tanh(x float64) float64 { return asm.Tanh(x) }

// ExpTo sets dst[i] = Exp(x[i]). The lengths must be equal; dst may be x.
func ExpTo(dst, x []float64) {
	check(len(dst) == len(x), "ExpTo: lengths differ")
	asm.Active().ExpTo(dst, x)
}

// LogTo sets dst[i] = Log(x[i]). The lengths must be equal; dst may be x.
func LogTo(dst, x []float64) {
	check(len(dst) == len(x), "LogTo: lengths differ")
	asm.Active().LogTo(dst, x)
}

// SinTo sets dst[i] = Sin(x[i]). The lengths must be equal; dst may be x.
func SinTo(dst, x []float64) {
	check(len(dst) == len(x), "SinTo: lengths differ")
	asm.Active().SinTo(dst, x)
}

// CosTo sets dst[i] = Cos(x[i]). The lengths must be equal; dst may be x.
func CosTo(dst, x []float64) {
	check(len(dst) == len(x), "CosTo: lengths differ")
	asm.Active().CosTo(dst, x)
}

// TanhTo sets dst[i] = Tanh(x[i]). The lengths must be equal; dst may be x.
func TanhTo(dst, x []float64) {
	check(len(dst) == len(x), "TanhTo: lengths differ")
	asm.Active().TanhTo(dst, x)
}

// TanhSech2To sets t[i] = Tanh(x[i]) and u[i] to the square of the hyperbolic secant of
// x[i], to within 3 ulp even where 1 - t² would suffer from cancellation. u is the first
// derivative of the hyperbolic tangent; all higher ones are polynomials in t and u. The
// lengths must be equal; t or u may be x, but t and u must not overlap.
func TanhSech2To(t, u, x []float64) {
	check(len(t) == len(x) && len(u) == len(x), "TanhSech2To: lengths differ")
	asm.Active().TanhSech2To(t, u, x)
}

// SinCosTo sets s[i], c[i] = SinCos(x[i]). The lengths must be equal; s or c may be x,
// but s and c must not overlap.
func SinCosTo(s, c, x []float64) {
	check(len(s) == len(x) && len(c) == len(x), "SinCosTo: lengths differ")
	asm.Active().SinCosTo(s, c, x)
}

// TanhJetTo sets t[i], u[i], v[i] and w[i] to the hyperbolic tangent of x[i] and its first
// three derivatives: t and u are those of TanhSech2To, v = -2tu and w = u(4-6u). The
// lengths must be equal; one of the results may be x, but they must not overlap.
func TanhJetTo(t, u, v, w, x []float64) {
	n := len(x)
	check(len(t) == n && len(u) == n && len(v) == n && len(w) == n, "TanhJetTo: lengths differ")
	asm.Active().TanhJetTo(t, u, v, w, x)
}

// MulPolynomialTo sets dst[i] = p[i] w[i] C(v[i]), or adds that to dst[i] if accumulate is
// set. C is the polynomial with coefficients c, highest first; an empty c stands for
// C = 1. All lengths but that of c must be equal; dst may be one of the operands.
func MulPolynomialTo(dst, p, w, v, c []float64, accumulate bool) {
	n := len(dst)
	check(len(p) == n && len(w) == n && len(v) == n, "MulPolynomialTo: lengths differ")
	asm.Active().MulPolynomialTo(dst, p, w, v, c, accumulate)
}
