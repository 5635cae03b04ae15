package asm

// genericFunctions are the scalar functions in a loop.
var genericFunctions = functions{
	exp:           func(dst, x []float64) { each(Exp, dst, x) },
	log:           func(dst, x []float64) { each(Log, dst, x) },
	sin:           func(dst, x []float64) { each(Sin, dst, x) },
	cos:           func(dst, x []float64) { each(Cos, dst, x) },
	tanh:          func(dst, x []float64) { each(Tanh, dst, x) },
	sinCos:        func(s, c, x []float64) { eachPair(SinCos, s, c, x) },
	tanhSech2:     func(t, u, x []float64) { eachPair(TanhSech2, t, u, x) },
	tanhJet:       genericTanhJet,
	mulPolynomial: genericMulPolynomial,
}

func each(f func(float64) float64, dst, x []float64) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = f(v)
	}
}

func eachPair(f func(float64) (float64, float64), p, q, x []float64) {
	p, q = p[:len(x)], q[:len(x)]
	for i, v := range x {
		p[i], q[i] = f(v)
	}
}

// genericTanhJet is Kernel.TanhJetTo.
func genericTanhJet(t, u, v, w, x []float64) {
	t, u, v, w = t[:len(x)], u[:len(x)], v[:len(x)], w[:len(x)]
	for i, z := range x {
		t[i], u[i], v[i], w[i] = TanhJet(z)
	}
}

// genericMulPolynomial is Kernel.MulPolynomialTo.
func genericMulPolynomial(dst, p, w, v, c []float64, accumulate bool) {
	dst, w, v = dst[:len(p)], w[:len(p)], v[:len(p)]
	for i := range p {
		y := w[i]
		if len(c) > 0 {
			s := c[0]
			for _, a := range c[1:] {
				s = FMA(s, v[i], a)
			}
			y = float64(y * s)
		}
		if accumulate {
			dst[i] = FMA(p[i], y, dst[i])
		} else {
			dst[i] = p[i] * y
		}
	}
}
