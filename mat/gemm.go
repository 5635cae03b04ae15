package mat

import "github.com/bpielm/bpielm/mat/asm"

// Transpose says whether an operand is to be transposed.
type Transpose bool

// The operand as it is, and its transpose.
const (
	NoTrans Transpose = false
	Trans   Transpose = true
)

// Gemm sets C = alpha op(A) op(B) + beta C. C must not overlap A or B.
//
// C is scaled by beta first (beta = 0: not read, and the first product is stored).
// The sum over k is cut into blocks of asm.KC terms; each block is summed for
// itself, k ascending, by fused multiply-add, and enters C as fma(alpha, sum, C).
// If k is large and C is not, the terms are first cut into 2 to 16 parts: see
// depthParts. Sizes alone decide, and so the bits are the same on any number of
// processors.
func Gemm(tA, tB Transpose, alpha float64, a, b *Dense, beta float64, c *Dense) {
	m, depth := a.rows, a.cols
	if tA {
		m, depth = depth, m
	}
	k, n := b.rows, b.cols
	if tB {
		k, n = n, k
	}
	check(depth == k, "Gemm: inner dimensions differ")
	check(c.rows == m && c.cols == n, "Gemm: C has the wrong shape")
	p := product{
		k:     asm.Active(),
		alpha: alpha, beta: beta,
		a: operand{a.data, a.stride, tA == NoTrans}, b: operand{b.data, b.stride, tB == Trans},
		m: m, n: n, depth: depth,
		c: c.data, ldc: c.stride,
	}
	p.run()
}
