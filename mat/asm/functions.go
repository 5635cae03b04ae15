package asm

// functions are the vector functions of an instruction set: each gives the bits
// of its namesake for one number in elementary_*.go, element by element. Slices
// have equal lengths, of at most a stretch.
type functions struct {
	exp, log, sin, cos, tanh func(dst, x []float64)
	sinCos                   func(s, c, x []float64)
	tanhSech2                func(t, u, x []float64)
	tanhJet                  func(t, u, v, w, x []float64)
	mulPolynomial            func(dst, p, w, v, c []float64, accumulate bool)
}

// inStretches calls f for stretches of dst and x, which have equal lengths.
func inStretches(f func(dst, x []float64), dst, x []float64) {
	dst = dst[:len(x)]
	for ; len(x) > stretch; dst, x = dst[stretch:], x[stretch:] {
		f(dst[:stretch], x[:stretch])
	}
	f(dst, x)
}

// ExpTo puts Exp(x[i]) into dst[i]. The slices have equal lengths; dst may be x.
func (k *Kernel) ExpTo(dst, x []float64) { inStretches(k.functions.exp, dst, x) }

// LogTo puts Log(x[i]) into dst[i]. The slices have equal lengths; dst may be x.
func (k *Kernel) LogTo(dst, x []float64) { inStretches(k.functions.log, dst, x) }

// SinTo puts Sin(x[i]) into dst[i]. The slices have equal lengths; dst may be x.
func (k *Kernel) SinTo(dst, x []float64) { inStretches(k.functions.sin, dst, x) }

// CosTo puts Cos(x[i]) into dst[i]. The slices have equal lengths; dst may be x.
func (k *Kernel) CosTo(dst, x []float64) { inStretches(k.functions.cos, dst, x) }

// TanhTo puts Tanh(x[i]) into dst[i]. The slices have equal lengths; dst may be x.
func (k *Kernel) TanhTo(dst, x []float64) { inStretches(k.functions.tanh, dst, x) }

// SinCosTo puts SinCos(x[i]) into s[i] and c[i]. The slices have equal lengths; s
// or c, but not both, may be x.
func (k *Kernel) SinCosTo(s, c, x []float64) {
	s, c = s[:len(x)], c[:len(x)]
	for ; len(x) > stretch; s, c, x = s[stretch:], c[stretch:], x[stretch:] {
		k.functions.sinCos(s[:stretch], c[:stretch], x[:stretch])
	}
	k.functions.sinCos(s, c, x)
}

// TanhSech2To puts TanhSech2(x[i]) into t[i] and u[i]. The slices have equal
// lengths; t or u, but not both, may be x.
func (k *Kernel) TanhSech2To(t, u, x []float64) {
	t, u = t[:len(x)], u[:len(x)]
	for ; len(x) > stretch; t, u, x = t[stretch:], u[stretch:], x[stretch:] {
		k.functions.tanhSech2(t[:stretch], u[:stretch], x[:stretch])
	}
	k.functions.tanhSech2(t, u, x)
}

// TanhJetTo puts TanhJet(x[i]) into t[i], u[i], v[i] and w[i]. The slices have
// equal lengths; one of the first four may be x.
func (k *Kernel) TanhJetTo(t, u, v, w, x []float64) {
	t, u, v, w = t[:len(x)], u[:len(x)], v[:len(x)], w[:len(x)]
	for len(x) > stretch {
		k.functions.tanhJet(t[:stretch], u[:stretch], v[:stretch], w[:stretch], x[:stretch])
		t, u, v, w, x = t[stretch:], u[stretch:], v[stretch:], w[stretch:], x[stretch:]
	}
	k.functions.tanhJet(t, u, v, w, x)
}

// MulPolynomialTo puts p[i] w[i] C(v[i]) into dst[i], or adds it there, where C is
// the polynomial with the coefficients c, the highest first; no coefficients
// stand for C = 1. C is evaluated by Horner's rule in fused multiply-adds, w C is
// rounded, and the product with p is rounded, or fused with the addition. The
// slices but c have equal lengths; dst may be one of them.
func (k *Kernel) MulPolynomialTo(dst, p, w, v, c []float64, accumulate bool) {
	dst, w, v = dst[:len(p)], w[:len(p)], v[:len(p)]
	for len(p) > stretch {
		k.functions.mulPolynomial(dst[:stretch], p[:stretch], w[:stretch], v[:stretch], c, accumulate)
		dst, p, w, v = dst[stretch:], p[stretch:], w[stretch:], v[stretch:]
	}
	k.functions.mulPolynomial(dst, p, w, v, c, accumulate)
}
