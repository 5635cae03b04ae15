package mat

import (
	"math"

	"github.com/bpielm/bpielm/mat/asm"
)

// Side says on which side of the unknown the triangular matrix is.
type Side int

// The triangular matrix on the left of the unknown, and on its right.
const (
	Left Side = iota
	Right
)

// Trsm sets B = alpha op(T)^-1 B, or with Right B = alpha B op(T)^-1. It divides by the
// diagonal without checks, so a zero there gives infinities and NaN.
func Trsm(side Side, tT Transpose, alpha float64, t *Tri, b *Dense) {
	n := t.N()
	if side == Left {
		check(b.rows == n, "Trsm: B has the wrong number of rows")
	} else {
		check(b.cols == n, "Trsm: B has the wrong number of columns")
	}
	if alpha != 1 {
		b.Scale(alpha)
	}
	if b.rows == 0 || b.cols == 0 {
		return
	}
	w := borrow()
	lower := (t.uplo == Lower) != bool(tT) // op(T)
	if forward := lower == (side == Left); forward {
		for first := 0; first < n; first += trsmBlock {
			w.solveBlock(side, tT, lower, t, b, first, min(first+trsmBlock, n), 0, first)
		}
	} else {
		for last := n; last > 0; last = (last - 1) / trsmBlock * trsmBlock {
			w.solveBlock(side, tT, lower, t, b, (last-1)/trsmBlock*trsmBlock, last, last, n)
		}
	}
	w.giveBack()
}

// solveBlock solves for unknowns first to last-1, given those from known to end-1.
func (w *arena) solveBlock(side Side, tT Transpose, lower bool, t *Tri, b *Dense, first, last, known, end int) {
	k := asm.Active()
	d := w.tri[:]
	t.loadBlock(d, tT != Transpose(side == Right), first, last)
	if side == Left {
		x := b.sub(first, last, 0, b.cols)
		if known < end {
			solved := b.sub(known, end, 0, b.cols)
			off := t.offDiagonal(tT, first, last, known, end)
			Gemm(tT, NoTrans, -1, &off, &solved, 1, &x)
		}
		solveLeft(k, lower, d, &x)
		return
	}
	x := b.sub(0, b.rows, first, last)
	if known < end {
		solved := b.sub(0, b.rows, known, end)
		off := t.offDiagonal(tT, known, end, first, last)
		Gemm(NoTrans, tT, -1, &solved, &off, 1, &x)
	}
	// X D = B is D'X' = B'.
	w.v.reshape(x.cols, x.rows)
	transpose(&w.v, &x)
	solveLeft(k, !lower, d, &w.v)
	transpose(&x, &w.v)
}

// offDiagonal returns the part of T that op maps to rows i to k-1 and columns j to l-1 of
// op(T).
func (t *Tri) offDiagonal(tT Transpose, i, k, j, l int) Dense {
	if tT {
		return t.m.sub(j, l, i, k)
	}
	return t.m.sub(i, k, j, l)
}

// loadBlock copies a diagonal block of T or T' to d, with leading dimension trsmBlock. It
// negates the off-diagonal elements, so that substitution only adds.
func (t *Tri) loadBlock(d []float64, tT Transpose, first, last int) {
	for i := first; i < last; i++ {
		from, to := first, i+1
		if t.uplo == Upper {
			from, to = i, last
		}
		for j := from; j < to; j++ {
			v := -t.m.data[i*t.m.stride+j]
			if i == j {
				v = -v
			}
			if tT {
				d[(j-first)*trsmBlock+i-first] = v
			} else {
				d[(i-first)*trsmBlock+j-first] = v
			}
		}
	}
}

// solveLeft solves D X = B row by row, with the D of loadBlock.
func solveLeft(k *asm.Kernel, lower bool, d []float64, b *Dense) {
	n := b.rows
	for step := range n {
		i := step
		known, end := 0, i
		if !lower {
			i = n - 1 - step
			known, end = i+1, n
		}
		row := b.Row(i)
		if known < end {
			k.AxpyRows(d[i*trsmBlock+known:i*trsmBlock+end], b.data[known*b.stride:], b.stride, row)
		}
		divide(row, d[i*trsmBlock+i])
	}
}

// divide divides x by a pivot: it multiplies by the reciprocal if that is finite and normal.
func divide(x []float64, pivot float64) {
	if r := 1 / pivot; math.Abs(r) <= math.MaxFloat64 && math.Abs(pivot) <= 0x1p1022 {
		scaleVector(r, x)
		return
	}
	for i := range x {
		x[i] /= pivot
	}
}

// Trsv sets x = op(T)^-1 x. A zero on the diagonal gives infinities and NaN.
func Trsv(tT Transpose, t *Tri, x []float64) {
	n := t.N()
	check(len(x) == n, "Trsv: x has the wrong length")
	k := asm.Active()
	ascending := (t.uplo == Lower) != bool(tT)
	for step := range n {
		i := step
		if !ascending {
			i = n - 1 - step
		}
		from, to := 0, i // of row i of T, off the diagonal
		if t.uplo == Upper {
			from, to = i+1, n
		}
		row := t.m.Row(i)
		if tT == NoTrans {
			x[i] -= k.Dot(row[from:to], x[from:to])
		}
		x[i] /= row[i]
		if tT == Trans {
			k.Axpy(-x[i], row[from:to], x[from:to])
		}
	}
}
