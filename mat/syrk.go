package mat

import "github.com/bpielm/bpielm/mat/asm"

// Syrk sets C = alpha AA' + beta C, or with Trans C = alpha A'A + beta C. It computes
// only the lower triangle; the sums are those of Gemm.
func Syrk(t Transpose, alpha float64, a *Dense, beta float64, c *Sym) {
	n, depth := a.rows, a.cols
	if t {
		n, depth = depth, n
	}
	check(c.N() == n, "Syrk: C has the wrong size")
	o := operand{a.data, a.stride, t == NoTrans}
	p := product{
		k:     asm.Active(),
		alpha: alpha, beta: beta,
		a: o, b: o,
		m: n, n: n, depth: depth,
		c: c.m.data, ldc: c.m.stride, lower: true,
	}
	p.run()
}
