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
	kernel := asm.Active()
	if work := m * n * depth; 0 < work && work <= small && depth <= asm.KC && tB == NoTrans && (beta == 0 || beta == 1) && kernel.Stay() > 0 {
		smallGemm(kernel, tA, alpha, a, b, beta == 1, c)
		return
	}
	p := product{
		k:     kernel,
		alpha: alpha, beta: beta,
		a: operand{a.data, a.stride, tA == NoTrans}, b: operand{b.data, b.stride, tB == Trans},
		m: m, n: n, depth: depth,
		c: c.data, ldc: c.stride,
	}
	p.run()
}

// small is how many multiply-adds smallGemm is for: too few to share.
const small = 2*worthwhile - 1

// smallGemm is the innermost loop of product.multiply and nothing else, for products that
// take less time than it takes to consider how to do them.
func smallGemm(k *asm.Kernel, tA Transpose, alpha float64, a, b *Dense, accumulate bool, c *Dense) {
	lineA, stepA := a.stride, 1
	if tA {
		lineA, stepA = 1, a.stride
	}
	for col := 0; col < c.cols; {
		width := stripWidth(c.cols-col, k.NR())
		k.Strip(&asm.Strip{
			Depth: b.rows, Alpha: alpha,
			A: a.data, LineA: lineA, StepA: stepA, B: b.data[col:], StepB: b.stride,
			Accumulate: accumulate, C: c.data[col:], LDC: c.stride, Rows: c.rows, Cols: width, Diagonal: width,
		})
		col += width
	}
}
