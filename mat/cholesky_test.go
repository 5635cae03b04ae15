package mat

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// positiveDefinite returns BB' + I of size n.
func positiveDefinite(seed uint64, n int) *Sym {
	b := randomDense(newRandom(seed), n, n, 0)
	a := symmetric(identity(n))
	Syrk(NoTrans, 1, b, 1, a)
	return a
}

var squareSizes = []int{0, 1, 2, 3, 4, 5, 7, 8, 12, 17, 31, 32, 33, 48, 60, 63, 64, 65, 100, 129}

func TestCholeskyFactorsSolvesInverts(t *testing.T) {
	const residual, solve = 4, 16 // times n eps, relative to the norms
	forEachKernel(t, func(t *testing.T) {
		var c Cholesky
		for _, n := range sizesUpTo(65, squareSizes) {
			a := positiveDefinite(uint64(n), n)
			whole := full(a)
			if err := c.Factorize(a); err != nil {
				t.Fatalf("n %d: %v", n, err)
			}
			scale := float64(n+1) * frobenius(whole)
			l := fullTri(c.L())
			requireSmall(t, "LL' - A", distance(naive(NoTrans, Trans, l, l), whole), residual, scale)
			b := randomDense(newRandom(1), n, 5, 2)
			x := NewDense(n, 5, nil)
			c.SolveTo(x, b)
			requireSmall(t, "AX - B", distance(naive(NoTrans, NoTrans, whole, x), b), solve, scale*frobenius(x))
			same := b.Clone()
			c.SolveTo(same, same)
			requireSameBits(t, "SolveTo in place", same, x)
			v := b.Slice(0, n, 0, 1).Clone()
			c.SolveVecTo(v.Data(), v.Data())
			requireSmall(t, "SolveVecTo", distance(naive(NoTrans, NoTrans, whole, v), b.Slice(0, n, 0, 1).Clone()), solve, scale*frobenius(v))
			inverse := NewSym(n, nil)
			c.InverseTo(inverse)
			condition := frobenius(whole) * frobenius(full(inverse))
			requireSmall(t, "A inv(A) - I", distance(naive(NoTrans, NoTrans, whole, full(inverse)), identity(n)), residual, float64(n+1)*condition)
		}
	})
}

// A shifted factorisation is that of the shifted matrix, bit for bit, in every blocking.
func TestCholeskyShifted(t *testing.T) {
	for _, n := range []int{1, 3, 17, 100, 250, 501, 700, 1001} {
		rng := rand.New(rand.NewPCG(uint64(n), 3))
		h := NewDense(n/2+1, n, nil) // singular, but for the shift
		for i := range h.Rows() {
			for j := range n {
				h.Set(i, j, rng.NormFloat64())
			}
		}
		a := NewSym(n, nil)
		Syrk(Trans, 1, h, 0, a)
		var shifted, want Cholesky
		if err := shifted.FactorizeShifted(a, 0.25); err != nil {
			t.Fatalf("n = %d: %v", n, err)
		}
		for i := range n {
			a.Set(i, i, a.At(i, i)+0.25)
		}
		if err := want.Factorize(a); err != nil {
			t.Fatalf("n = %d: %v", n, err)
		}
		for i := range n {
			for j := range i + 1 {
				if shifted.L().At(i, j) != want.L().At(i, j) {
					t.Fatalf("n = %d: element (%d, %d) is %g, not %g", n, i, j, shifted.L().At(i, j), want.L().At(i, j))
				}
			}
		}
	}
}

func TestCholeskyLogDet(t *testing.T) {
	const n = 400 // the determinant itself, 2^-200200, underflows
	a := NewSym(n, nil)
	for i := range n {
		a.Set(i, i, math.Ldexp(1, -2*i-1))
	}
	var c Cholesky
	if err := c.Factorize(a); err != nil {
		t.Fatal(err)
	}
	want := -float64(n*n) * math.Ln2
	if got := c.LogDet(); math.Abs(got-want) > n*eps*math.Abs(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestCholeskyNamesThePivot(t *testing.T) {
	for _, n := range []int{1, 5, 64, 65, 100} {
		for _, at := range []int{0, n / 2, n - 1} {
			for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1)} {
				a := symmetric(identity(n))
				a.Set(at, at, bad)
				var c Cholesky
				err := c.Factorize(a)
				var target *NotPositiveDefiniteError
				if !errors.As(err, &target) || target.Index != at || !sameBits(target.Pivot, bad) {
					t.Errorf("n %d, %v at %d: %v", n, bad, at, err)
				}
				if c.N() != 0 {
					t.Error("c is not empty after a failed factorisation")
				}
			}
		}
	}
}

func TestCholeskyOfHilbertFailsOrFactors(t *testing.T) {
	var c Cholesky
	for n := 1; n <= 40; n++ {
		a := NewSym(n, nil)
		for i := range n {
			for j := range i + 1 {
				a.Set(i, j, 1/float64(1+i+j))
			}
		}
		err := c.Factorize(a)
		if n <= 12 && err != nil || n >= 20 && err == nil {
			t.Errorf("n %d: %v", n, err)
		}
		if err == nil {
			l := fullTri(c.L())
			requireSmall(t, "LL' - A", distance(naive(NoTrans, Trans, l, l), full(a)), 2, float64(n))
		}
	}
}

func TestCholeskyDoesNotAllocate(t *testing.T) {
	a, x, inverse := positiveDefinite(1, 90), NewDense(90, 6, nil), NewSym(90, nil)
	var c Cholesky
	allocations := testing.AllocsPerRun(5, func() {
		if c.Factorize(a) != nil {
			t.Error("failed")
		}
		c.SolveTo(x, x)
		c.InverseTo(inverse)
	})
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}
