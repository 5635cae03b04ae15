package mat

import (
	"errors"
	"fmt"
	"math"
	"testing"
)

// Q'AQ is tridiagonal with the reported elements, Q is orthogonal, and all methods that
// apply Q agree.
func TestTridiagonalFactors(t *testing.T) {
	const residual, orthogonality = 8, 8 // times n eps
	forEachKernel(t, func(t *testing.T) {
		var tri Tridiagonal
		for _, n := range []int{0, 1, 2, 3, 5, 8, 17, 33, 65} {
			for name, whole := range matrices(newRandom(uint64(n)), n, n) {
				what := fmt.Sprintf("%s, n = %d", name, n)
				a := NewSym(n, nil)
				for i := range n {
					for j := range i + 1 {
						a.Set(i, j, whole.At(i, j)/2+whole.At(j, i)/2)
					}
				}
				if err := tri.Factorize(a); err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				full, want := NewDense(n, n, nil), NewDense(n, n, nil)
				for i := range n {
					for j := range n {
						full.Set(i, j, a.At(max(i, j), min(i, j)))
					}
					want.Set(i, i, tri.Diagonal()[i])
				}
				for i, v := range tri.Off() {
					want.Set(i, i+1, v)
					want.Set(i+1, i, v)
				}
				full, exponent := scaledBack(full)
				scaleByPower(want.Data(), want.Data(), -exponent)
				qt, size, floor := tri.QTrans(), float64(n), 0.0
				if exponent < -900 {
					floor = size * math.Ldexp(1, -1074-exponent)
				}
				product := naive(NoTrans, NoTrans, naive(NoTrans, NoTrans, qt, full), qt.Transpose())
				requireSmall(t, what+": Q'AQ - T", distance(product, want)-floor, residual, size*frobenius(full))
				requireSmall(t, what+": Q'Q - I", distance(naive(NoTrans, Trans, qt, qt), identity(n)), orthogonality, size)

				x := randomDense(newRandom(7), n, 1, 0)
				turned := x.Clone()
				tri.MulQTrans(turned.Data())
				requireSmall(t, what+": Q'x", distance(turned, naive(NoTrans, NoTrans, qt, x)), orthogonality, size*frobenius(x))
				tri.MulQ(turned.Data())
				requireSmall(t, what+": QQ'x - x", distance(turned, x), orthogonality, size*frobenius(x))
				h := randomDense(newRandom(8), 3, n, 2)
				hq := naive(NoTrans, Trans, h, qt)
				tri.MulRightQ(h)
				requireSmall(t, what+": HQ", distance(h, hq), orthogonality, size*frobenius(h))
				if !gapsUntouched(h) {
					t.Errorf("%s: MulRightQ writes between the rows", what)
				}
			}
		}
	})
}

// B'B = T. If T is not positive definite, the error names the pivot.
func TestTridiagonalCholesky(t *testing.T) {
	const residual = 8 // times n eps
	var tri Tridiagonal
	for _, n := range []int{0, 1, 2, 3, 8, 33} {
		h := randomDense(newRandom(uint64(n)), n+2, n, 0)
		a := NewSym(n, nil)
		Syrk(Trans, 1, h, 0, a)
		if err := tri.Factorize(a); err != nil {
			t.Fatal(err)
		}
		d, e := make([]float64, n), make([]float64, max(0, n-1))
		if err := tri.CholeskyTo(d, e); err != nil {
			t.Fatal(err)
		}
		b, want := NewDense(n, n, nil), NewDense(n, n, nil)
		for i := range n {
			b.Set(i, i, d[i])
			want.Set(i, i, tri.Diagonal()[i])
		}
		for i, v := range e {
			b.Set(i, i+1, v)
			want.Set(i, i+1, tri.Off()[i])
			want.Set(i+1, i, tri.Off()[i])
		}
		requireSmall(t, fmt.Sprintf("n = %d: B'B - T", n), distance(naive(Trans, NoTrans, b, b), want), residual, float64(n)*frobenius(want))
	}
	diagonal := NewSym(3, nil)
	for i, v := range []float64{2, -1, 3} {
		diagonal.Set(i, i, v)
	}
	if err := tri.Factorize(diagonal); err != nil {
		t.Fatal(err)
	}
	var indefinite *NotPositiveDefiniteError
	if err := tri.CholeskyTo(make([]float64, 3), make([]float64, 2)); !errors.As(err, &indefinite) || indefinite.Index != 1 || indefinite.Pivot != -1 {
		t.Errorf("indefinite: %v", err)
	}
}

func TestTridiagonalRefusesNonFiniteInput(t *testing.T) {
	var tri Tridiagonal
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		a := NewSym(5, nil)
		a.Set(3, 2, v)
		var notFinite *NotFiniteError
		if err := tri.Factorize(a); !errors.As(err, &notFinite) || notFinite.Row != 3 || notFinite.Col != 2 {
			t.Errorf("%g: %v", v, err)
		}
		if len(tri.Diagonal()) != 0 || len(tri.Off()) != 0 {
			t.Error("the decomposition is not empty")
		}
	}
}
