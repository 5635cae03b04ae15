package mat

import "github.com/bpielm/bpielm/mat/asm"

// Exp returns the exponential of x to within 1 ulp, subnormal results included.
//
// The elementary functions of this package give the same bits on every machine,
// which those of package math do not. NaN gives NaN.
func Exp(x float64) float64 { return asm.Exp(x) }

// Log returns the natural logarithm of x to within 1 ulp: -Inf for zero, NaN for
// negative numbers.
func Log(x float64) float64 { return asm.Log(x) }

// Sin returns the sine of x (radians) to within 1 ulp for arguments of any size,
// NaN for infinities.
func Sin(x float64) float64 { return asm.Sin(x) }

// Cos returns the cosine of x (radians) to within 1 ulp for arguments of any
// size, NaN for infinities.
func Cos(x float64) float64 { return asm.Cos(x) }

// SinCos returns Sin(x) and Cos(x) for little more than the price of one.
func SinCos(x float64) (sin, cos float64) { return asm.SinCos(x) }

// Tanh returns the hyperbolic tangent of x to within 1 ulp. It is odd to the
// last bit.
func Tanh(x float64) float64 { return asm.Tanh(x) }

// TanhSech2 returns t = Tanh(x) and u, the square of the hyperbolic secant of x,
// to within 3 ulp even where 1 - t² would be lost to cancellation. u is the first
// derivative of the hyperbolic tangent, and all others are polynomials in t and u.
func TanhSech2(x float64) (t, u float64) { return asm.TanhSech2(x) }

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

// TanhSech2To sets t[i], u[i] = TanhSech2(x[i]). The lengths must be equal; t or
// u may be x, but t and u may not overlap.
func TanhSech2To(t, u, x []float64) {
	check(len(t) == len(x) && len(u) == len(x), "TanhSech2To: lengths differ")
	asm.Active().TanhSech2To(t, u, x)
}
