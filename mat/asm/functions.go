package asm

// functions are the vector functions of an instruction set. Each gives, element by element,
// the bits of its scalar namesake in elementary_*.go. Slices have equal lengths of at most
// stretch.
type functions struct {
	exp, log, sin, cos, tanh func(dst, x []float64)
	sinCos                   func(s, c, x []float64)
	tanhSech2                func(t, u, x []float64)
	tanhJet                  func(t, u, v, w, x []float64)
	mulPolynomial            func(dst, p, w, v, c []float64, accumulate bool)
}

// inStretches calls f for each stretch of dst and x, which have equal lengths.
func inStretches(f func(dst, x []float64), dst, x []float64) {
	dst = dst[:len(x)]
	for ; len(x) > stretch; dst, x = dst[stretch:], x[stretch:] {
		f(dst[:stretch], x[:stretch])
	}
	f(dst, x)
}

// ExpTo sets dst[i] = Exp(x[i]). The slices have equal lengths; dst may be x.
func (k *Kernel) ExpTo(dst, x []float64) { inStretches(k.functions.exp, dst, x) }

// LogTo sets dst[i] = Log(x[i]). The slices have equal lengths; dst may be x.
func (k *Kernel) LogTo(dst, x []float64) { inStretches(k.functions.log, dst, x) }

// SinTo sets dst[i] = Sin(x[i]). The slices have equal lengths; dst may be x.
func (k *Kernel) SinTo(dst, x []float64) { inStretches(k.functions.sin, dst, x) }

// CosTo sets dst[i] = Cos(x[i]). The slices have equal lengths; dst may be x.
func (k *Kernel) CosTo(dst, x []float64) { inStretches(k.functions.cos, dst, x) }

// TanhTo sets dst[i] = Tanh(x[i]). The slices have equal lengths; dst may be x.
func (k *Kernel) TanhTo(dst, x []float64) { inStretches(k.functions.tanh, dst, x) }

// SinCosTo sets s[i], c[i] = SinCos(x[i]). The slices have equal lengths; s or c, but not
// both, may be x.
func (k *Kernel) SinCosTo(s, c, x []float64) {
	s, c = s[:len(x)], c[:len(x)]
	for ; len(x) > stretch; s, c, x = s[stretch:], c[stretch:], x[stretch:] {
		k.functions.sinCos(s[:stretch], c[:stretch], x[:stretch])
	}
	k.functions.sinCos(s, c, x)
}

// TanhSech2To sets t[i], u[i] = TanhSech2(x[i]). The slices have equal lengths; t or u, but
// not both, may be x.
func (k *Kernel) TanhSech2To(t, u, x []float64) {
	t, u = t[:len(x)], u[:len(x)]
	for ; len(x) > stretch; t, u, x = t[stretch:], u[stretch:], x[stretch:] {
		k.functions.tanhSech2(t[:stretch], u[:stretch], x[:stretch])
	}
	k.functions.tanhSech2(t, u, x)
}

// TanhJetTo sets t[i], u[i], v[i], w[i] = TanhJet(x[i]). The slices have equal lengths; one
// of the first four may be x.
func (k *Kernel) TanhJetTo(t, u, v, w, x []float64) {
	t, u, v, w = t[:len(x)], u[:len(x)], v[:len(x)], w[:len(x)]
	for len(x) > stretch {
		k.functions.tanhJet(t[:stretch], u[:stretch], v[:stretch], w[:stretch], x[:stretch])
		t, u, v, w, x = t[stretch:], u[stretch:], v[stretch:], w[stretch:], x[stretch:]
	}
	k.functions.tanhJet(t, u, v, w, x)
}

// MulPolynomialTo sets dst[i] = p[i] w[i] C(v[i]), or adds that to dst[i] if accumulate is
// set. C is the polynomial with coefficients c, highest first; an empty c stands for C = 1.
// C is evaluated by Horner's rule in fused multiply-adds; w C is rounded; the product with p
// is rounded, or fused with the addition. All slices but c have equal lengths; dst may be
// one of them.
func (k *Kernel) MulPolynomialTo(dst, p, w, v, c []float64, accumulate bool) {
	dst, w, v = dst[:len(p)], w[:len(p)], v[:len(p)]
	for len(p) > stretch {
		k.functions.mulPolynomial(dst[:stretch], p[:stretch], w[:stretch], v[:stretch], c, accumulate)
		dst, p, w, v = dst[stretch:], p[stretch:], w[stretch:], v[stretch:]
	}
	k.functions.mulPolynomial(dst, p, w, v, c, accumulate)
}
