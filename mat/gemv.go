package mat

import (
	"math"

	"github.com/bpielm/bpielm/mat/asm"
)

// Gemv sets y = alpha op(A) x + beta y. y must not overlap A or x.
//
// With NoTrans, y[i] = fma(alpha, Dot(row i, x), beta y[i]). With Trans, the rows of A,
// each times alpha x[i], are added to beta y one after another. With beta = 0, y is not
// read.
func Gemv(tA Transpose, alpha float64, a *Dense, x []float64, beta float64, y []float64) {
	m, n := a.rows, a.cols
	if tA {
		m, n = n, m
	}
	check(len(x) == n && len(y) == m, "Gemv: a vector has the wrong length")
	if beta == 0 {
		clear(y)
	} else if beta != 1 {
		scaleVector(beta, y)
	}
	k := asm.Active()
	if tA == NoTrans {
		w := borrow()
		defer w.giveBack()
		products := w.vector(m)
		k.DotRows(products, a.data, a.stride, x)
		for i, p := range products {
			y[i] = asm.FMA(alpha, p, y[i])
		}
		return
	}
	if alpha != 1 {
		w := borrow()
		defer w.giveBack()
		scaled := w.vector(n)
		for i, v := range x {
			scaled[i] = alpha * v
		}
		x = scaled
	}
	k.AxpyRows(x, a.data, a.stride, y)
}

// Dot returns the inner product of two vectors of the same length. It keeps 32
// interleaved sums and adds them pairwise: see asm.Kernel.Dot.
func Dot(x, y []float64) float64 {
	check(len(x) == len(y), "Dot: lengths differ")
	return asm.Active().Dot(x, y)
}

// Sum returns the sum of x, in the order of Dot.
func Sum(x []float64) float64 { return asm.Active().Sum(x) }

// Axpy sets y = y + alpha x by fused multiply-adds.
func Axpy(alpha float64, x, y []float64) {
	check(len(x) == len(y), "Axpy: lengths differ")
	asm.Active().Axpy(alpha, x, y)
}

// Nrm2 returns the Euclidean norm of x. It overflows or underflows only if the norm does.
func Nrm2(x []float64) float64 {
	k := asm.Active()
	s := k.Dot(x, x)
	if safeSquare(s) {
		return math.Sqrt(s)
	}
	largest, notFinite := magnitude(x)
	switch {
	case notFinite >= 0:
		for _, v := range x {
			if math.IsNaN(v) {
				return math.NaN()
			}
		}
		return math.Inf(1)
	case largest == 0:
		return 0
	}
	_, e := math.Frexp(largest)
	w := borrow()
	defer w.giveBack()
	scaled := w.vector(len(x))
	scaleByPower(scaled, x, -e)
	return math.Ldexp(math.Sqrt(k.Dot(scaled, scaled)), e)
}

// safeSquare reports whether s, a sum of squares, is free of overflow and harmful
// underflow.
func safeSquare(s float64) bool { return s >= 0x1p-900 && s <= 0x1p1000 }

// scaleByPower sets dst = x times 2^e, exact except for underflow. It multiplies twice
// because 2^e itself may be out of range.
func scaleByPower(dst, x []float64, e int) {
	half, rest := math.Ldexp(1, e/2), math.Ldexp(1, e-e/2)
	for i, v := range x {
		dst[i] = v * half * rest
	}
}

// hypot returns sqrt(a*a + b*b) without intermediate overflow or underflow.
func hypot(a, b float64) float64 {
	a, b = math.Abs(a), math.Abs(b)
	largest := max(a, b)
	if largest == 0 || !(largest <= math.MaxFloat64) {
		return largest
	}
	if s := asm.FMA(a, a, b*b); safeSquare(s) {
		return math.Sqrt(s)
	}
	_, e := math.Frexp(largest)
	a, b = math.Ldexp(a, -e), math.Ldexp(b, -e)
	return math.Ldexp(math.Sqrt(asm.FMA(a, a, b*b)), e)
}
