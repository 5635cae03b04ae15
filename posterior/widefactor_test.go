package posterior

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/mat"
)

// wideRounding bounds the elements of what must vanish, relative to the norm of the rows.
const wideRounding = 1e-13

// TestWideDecomposition checks H = U [B; 0] V' of few rows by what it is for: V has orthonormal columns,
// H V has the lengths and products of the rows of B, and c is U'y.
func TestWideDecomposition(t *testing.T) {
	for _, c := range []struct{ rows, n int }{{0, 6}, {1, 9}, {7, 14}, {13, 40}, {60, 200}} {
		r := rand.New(rand.NewPCG(3, uint64(c.n)))
		h, y := mat.NewDense(c.rows, c.n, nil), make([]float64, c.rows)
		for i := range c.rows {
			for j := range c.n {
				h.Set(i, j, r.NormFloat64())
			}
			y[i] = r.NormFloat64()
		}
		tsqr := mat.NewTSQR(c.n)
		tsqr.Append(h, y)
		reduced := (&accumulator{tsqr: tsqr}).reduced()
		if got := reduced.height(); got != c.rows {
			t.Fatalf("%v: height %d", c, got)
		}
		if !isWide(c.rows, c.n) {
			t.Fatalf("%v is not wide", c)
		}
		dec, err := reduced.decompose(nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := dec.right.(*wideFactor); !ok {
			t.Fatalf("%v: V is a %T", c, dec.right)
		}
		v := dec.vt().Transpose()
		near(t, "V'V", product(mat.Trans, v, v), identity(c.n), 1)
		// V by its other two methods.
		turned := h.Clone()
		dec.right.MulRightV(turned)
		near(t, "H V", turned, product(mat.NoTrans, h, v), mat.Nrm2(h.Data()))
		x := make([]float64, c.n)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		direct := mat.NewDense(c.n, 1, slices.Clone(x))
		dec.right.MulV(x)
		near(t, "V x", mat.NewDense(c.n, 1, x), product(mat.NoTrans, v, direct), mat.Nrm2(x))
		// (HV)'HV = B'B, (HV)'y = B'c.
		b := mat.NewDense(c.n, c.n, nil)
		for i, d := range dec.d {
			b.Set(i, i, d)
			if i+1 < c.n {
				b.Set(i, i+1, dec.e[i])
			}
		}
		size := squares(h.Data())
		near(t, "B'B", product(mat.Trans, b, b), product(mat.Trans, turned, turned), size)
		near(t, "B'c", product(mat.Trans, b, mat.NewDense(c.n, 1, dec.c)), product(mat.Trans, turned, mat.NewDense(c.rows, 1, y)), size)
		if got, want := squares(dec.c)+dec.rest, squares(y); math.Abs(got-want) > wideRounding*want {
			t.Errorf("%v: |c|^2 is %g, |y|^2 %g", c, got, want)
		}
	}
}

func identity(n int) *mat.Dense {
	a := mat.NewDense(n, n, nil)
	for i := range n {
		a.Set(i, i, 1)
	}
	return a
}

// product returns AB, or A'B.
func product(transpose mat.Transpose, a, b *mat.Dense) *mat.Dense {
	rows := a.Rows()
	if transpose == mat.Trans {
		rows = a.Cols()
	}
	c := mat.NewDense(rows, b.Cols(), nil)
	mat.Gemm(transpose, mat.NoTrans, 1, a, b, 0, c)
	return c
}

func near(t *testing.T, what string, a, b *mat.Dense, size float64) {
	t.Helper()
	for i := range a.Rows() {
		for j := range a.Cols() {
			if d := math.Abs(a.At(i, j) - b.At(i, j)); !(d <= wideRounding*size) {
				t.Errorf("%s: element %d, %d is %g, not %g", what, i, j, a.At(i, j), b.At(i, j))
				return
			}
		}
	}
}
