//go:build (amd64 || arm64) && !purego

package asm

// block is the number of elements that assembly without masks processes at a time. The
// remaining elements are left to generic.
const block = 8

// inBlocks returns f for whole blocks and generic for the remaining elements.
func inBlocks(f functions) functions {
	g := &genericFunctions
	return functions{
		exp:           whole1(f.exp, g.exp),
		log:           whole1(f.log, g.log),
		sin:           whole1(f.sin, g.sin),
		cos:           whole1(f.cos, g.cos),
		tanh:          whole1(f.tanh, g.tanh),
		sinCos:        whole2(f.sinCos, g.sinCos),
		tanhSech2:     whole2(f.tanhSech2, g.tanhSech2),
		tanhJet:       wholeJet(f.tanhJet),
		mulPolynomial: wholePolynomial(f.mulPolynomial),
	}
}

// whole1 returns f for whole blocks and rest for the remaining elements.
func whole1(f, rest func(dst, x []float64)) func(dst, x []float64) {
	return func(dst, x []float64) {
		n := len(x) &^ (block - 1)
		f(dst[:n], x[:n])
		rest(dst[n:], x[n:])
	}
}

// whole2 is whole1 for functions with two results.
func whole2(f, rest func(p, q, x []float64)) func(p, q, x []float64) {
	return func(p, q, x []float64) {
		n := len(x) &^ (block - 1)
		f(p[:n], q[:n], x[:n])
		rest(p[n:], q[n:], x[n:])
	}
}

// wholeJet is whole1 for Kernel.TanhJetTo.
func wholeJet(f func(t, u, v, w, x []float64)) func(t, u, v, w, x []float64) {
	return func(t, u, v, w, x []float64) {
		n := len(x) &^ (block - 1)
		f(t[:n], u[:n], v[:n], w[:n], x[:n])
		genericTanhJet(t[n:], u[n:], v[n:], w[n:], x[n:])
	}
}

// wholePolynomial is whole1 for Kernel.MulPolynomialTo.
func wholePolynomial(f func(dst, p, w, v, c []float64, accumulate bool)) func(dst, p, w, v, c []float64, accumulate bool) {
	return func(dst, p, w, v, c []float64, accumulate bool) {
		n := len(p) &^ (block - 1)
		f(dst[:n], p[:n], w[:n], v[:n], c, accumulate)
		genericMulPolynomial(dst[n:], p[n:], w[n:], v[n:], c, accumulate)
	}
}
