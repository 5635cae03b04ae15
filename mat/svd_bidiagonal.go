package mat

import (
	"math"

	"github.com/bpielm/bpielm/mat/asm"
)

// Bidiagonal is the decomposition A = U B V' of an m x n matrix, m >= n, with
// orthogonal U and V and an upper bidiagonal n x n matrix B on top of zeros. The
// zero value is ready for Factorize, which reuses its storage.
//
// B has the singular values of A, and the reduction takes a fixed number of operations.
// For ridge problems, min |Ax - y|^2 + tau^2 |x|^2 for many tau, it serves as well as
// the singular value decomposition: see Ridge.
//
// Householder reflectors act alternately from the left and the right (Golub and Kahan,
// 1965). One pass over the rows applies both and accumulates what the next left
// reflector needs.
type Bidiagonal struct {
	d, e     []float64
	u        Dense // row i: reflector i from coordinate i on, including its head, 1
	tauU     []float64
	v        Dense // row i: reflector i from coordinate i+1 on, including its head, 1
	tauV     []float64
	a        Dense
	left     []float64 // tau A'u of the current reflector
	products []float64 // see step
}

// Factorize computes the decomposition of a, which it does not modify. If a has a NaN or
// an infinity it returns a *NotFiniteError and leaves b empty.
func (b *Bidiagonal) Factorize(a *Dense) error {
	m, n := a.Dims()
	check(m >= n, "Bidiagonal: A has fewer rows than columns")
	k := asm.Active()
	exponent, err := b.load(k, a)
	if err != nil {
		return err
	}
	if m > 1 && n > 1 {
		clear(b.products)
		for r := 1; r < m; r++ {
			row := b.a.Row(r)
			k.Axpy(row[0], row[1:], b.products[1:])
		}
	}
	for i := range n {
		b.step(k, i)
	}
	for i := range b.d {
		b.d[i] = math.Ldexp(b.d[i], exponent)
	}
	for i := range b.e {
		b.e[i] = math.Ldexp(b.e[i], exponent)
	}
	return nil
}

// load copies a, scaled by 2^-exponent unless its elements are of ordinary size.
func (b *Bidiagonal) load(k *asm.Kernel, a *Dense) (exponent int, err error) {
	m, n := a.Dims()
	b.reset(0, 0)
	squares := 0.0
	for i := range m {
		squares += k.Dot(a.Row(i), a.Row(i))
	}
	if !(squares >= 1/ordinarySquares && squares <= ordinarySquares) {
		if exponent, err = scaleExponent("bidiagonalisation", m, a.Row); err != nil {
			return 0, err
		}
	}
	b.reset(m, n)
	for i := range m {
		if exponent == 0 {
			copy(b.a.Row(i), a.Row(i))
		} else {
			scaleByPower(b.a.Row(i), a.Row(i), -exponent)
		}
		clear(b.a.Row(i)[n:])
	}
	return exponent, nil
}

// reset makes room for a matrix of m rows and n columns.
func (b *Bidiagonal) reset(m, n int) {
	lines := roundUp(n, lineElements)
	b.a.reshape(m, lines)
	b.u.reshape(n, m)
	b.tauV = resize(b.tauV, max(0, n-1))
	b.v.reshape(max(0, n-1), lines)
	b.d, b.e = resize(b.d, n), resize(b.e, max(0, n-1))
	b.tauU = resize(b.tauU, n)
	b.left, b.products = resize(b.left, lines), resize(b.products, lines)
	clear(b.left)
}

// step makes column i and row i of the rest bidiagonal. It expects in products the sum of
// the rows below row i, each times its element of column i, and leaves there the same for
// column i+1. So every row is visited once per step.
func (b *Bidiagonal) step(k *asm.Kernel, i int) {
	element := b.reflectColumn(i)
	if i == len(b.d)-1 {
		return
	}
	b.reflectRow(k, i, element)
	b.updateRows(k, i)
}

// reflectColumn computes the reflector u of column i, and d[i]. It returns the element of
// the column on the diagonal.
func (b *Bidiagonal) reflectColumn(i int) (element float64) {
	u := b.u.Row(i)[i:]
	for r := range u {
		u[r] = b.a.Row(i + r)[i]
	}
	element = u[0]
	b.tauU[i] = reflector(&u[0], u[1:])
	b.d[i], u[0] = u[0], 1
	return element
}

// reflectRow computes w = tau A'u, which is left for updateRows, and from row i of A - u w'
// the reflector v and e[i].
func (b *Bidiagonal) reflectRow(k *asm.Kernel, i int, element float64) {
	n, u := len(b.d), b.u.Row(i)[i:]
	top, w := b.a.Row(i)[i+1:n], b.left[i+1:n]
	copy(w, top)
	switch {
	case b.tauU[i] == 0:
	case math.Abs(b.d[i]) < tinyColumn: // products have lost digits to underflow
		k.AxpyRows(u[1:], b.a.data[(i+1)*b.a.stride+i+1:], b.a.stride, w)
	default: // below its head, u is the column over element - d
		k.Axpy(1/(element-b.d[i]), b.products[i+1:n], w)
	}
	scaleVector(b.tauU[i], w)
	v := b.v.Row(i)[i+1 : n]
	copy(v, top)
	k.Axpy(-1, w, v)
	b.tauV[i] = reflector(&v[0], v[1:])
	b.e[i], v[0] = v[0], 1
}

// updateRows applies both reflectors of step i to the rows below row i, and computes the
// products for the next step.
func (b *Bidiagonal) updateRows(k *asm.Kernel, i int) {
	m, n, u := b.a.rows, len(b.d), b.u.Row(i)[i:]
	// Start at a cache line: w and v are zero before column i+1.
	first := (i + 1) / lineElements * lineElements
	head := i + 1 - first
	w, v := b.left[first:], b.v.Row(i)[first:]
	clear(w[:head])
	clear(v[:head])
	clear(v[n-first:])
	p := b.products[first:]
	if i+1 < m { // row i+1 is not among the products of its column
		k.BidiagonalRows(u[1:2], w, v, b.tauV[i], head, b.a.Row(i + 1)[first:], b.a.stride, p)
	}
	clear(p)
	if i+2 < m {
		k.BidiagonalRows(u[2:], w, v, b.tauV[i], head, b.a.data[(i+2)*b.a.stride+first:], b.a.stride, p)
	}
}

// ordinarySquares is the largest sum of squares of a matrix, and its reciprocal the
// smallest, for which the matrix is not scaled before the reduction.
const ordinarySquares = 0x1p200

// tinyColumn is the norm of a column below which squares of its elements may lose digits
// to underflow, in a matrix of ordinary size.
const tinyColumn = 0x1p-400

// Diagonal returns the n diagonal elements of B, without copying.
func (b *Bidiagonal) Diagonal() []float64 { return b.d }

// Super returns the n-1 superdiagonal elements of B, without copying.
func (b *Bidiagonal) Super() []float64 { return b.e }

// MulUTrans sets y = U'y, for y of m elements.
func (b *Bidiagonal) MulUTrans(y []float64) {
	check(len(y) == b.u.cols, "Bidiagonal.MulUTrans: y has the wrong length")
	k := asm.Active()
	for i, tau := range b.tauU {
		u := b.u.Row(i)[i:]
		k.Axpy(-tau*k.Dot(u, y[i:]), u, y[i:])
	}
}

// MulRightV sets H = HV, for H of n columns.
func (b *Bidiagonal) MulRightV(h *Dense) {
	check(h.cols == len(b.d), "Bidiagonal.MulRightV: H has the wrong number of columns")
	k := asm.Active()
	if h.rows < blockWorthwhile {
		for r := range h.rows {
			row := h.Row(r)
			for i := range b.tauV {
				b.reflect(k, i, row)
			}
		}
		return
	}
	w := borrow()
	defer w.giveBack()
	for first := 0; first < len(b.tauV); first += reflectorBlock {
		rest := h.sub(0, h.rows, first+1, h.cols)
		w.multiplyReflectors(k, &rest, b.gather(w, first), false)
	}
}

// gather copies a block of the reflectors of V, from coordinate first+1 on, to w.v and
// returns their scales.
func (b *Bidiagonal) gather(w *arena, first int) (tau []float64) {
	n, last := len(b.d), min(first+reflectorBlock, len(b.tauV))
	w.v.reshape(last-first, n-first-1)
	for i := first; i < last; i++ {
		row := w.v.Row(i - first)
		clear(row[:i-first])
		copy(row[i-first:], b.v.Row(i)[i+1:n])
	}
	return b.tauV[first:last]
}

// MulV sets x = Vx, for x of n elements.
func (b *Bidiagonal) MulV(x []float64) {
	check(len(x) == len(b.d), "Bidiagonal.MulV: x has the wrong length")
	k := asm.Active()
	for i := len(b.tauV) - 1; i >= 0; i-- {
		b.reflect(k, i, x)
	}
}

// reflect applies reflector i of V to x.
func (b *Bidiagonal) reflect(k *asm.Kernel, i int, x []float64) {
	v := b.v.Row(i)[i+1 : len(x)]
	k.Axpy(-b.tauV[i]*k.Dot(v, x[i+1:]), v, x[i+1:])
}

// VTrans returns V', n x n, as a new matrix.
func (b *Bidiagonal) VTrans() *Dense {
	n := len(b.d)
	x := NewDense(n, n, nil)
	for i := range n {
		x.Set(i, i, 1)
	}
	k, w := asm.Active(), borrow()
	defer w.giveBack()
	// The last reflectors come first, because they leave the leading rows and columns alone.
	for first := (len(b.tauV) - 1) / reflectorBlock * reflectorBlock; first >= 0 && len(b.tauV) > 0; first -= reflectorBlock {
		tau := b.gather(w, first)
		rest := x.sub(first+1, n, first+1, n)
		w.multiplyReflectors(k, &rest, tau, true)
	}
	return x
}
