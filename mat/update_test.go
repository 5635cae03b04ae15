package mat

import (
	"errors"
	"math"
	"testing"
)

// requireFactor checks that c is the factorisation of a.
func requireFactor(t *testing.T, what string, c *Cholesky, a *Sym) {
	t.Helper()
	if c.N() != a.N() {
		t.Fatalf("%s: size %d, want %d", what, c.N(), a.N())
	}
	l, whole := fullTri(c.L()), full(a)
	requireSmall(t, what, distance(naive(NoTrans, Trans, l, l), whole), 8, float64(a.N()+1)*frobenius(whole))
	for i := range a.N() {
		if !(l.At(i, i) > 0) {
			t.Fatalf("%s: diagonal element %d is %v", what, i, l.At(i, i))
		}
	}
}

// addOuter adds alpha xx' to a.
func addOuter(a *Sym, alpha float64, x []float64) {
	for i := range a.N() {
		for j := range i + 1 {
			a.Set(i, j, math.FMA(alpha*x[i], x[j], a.At(i, j)))
		}
	}
}

func TestCholeskyUpdateAndDowndate(t *testing.T) {
	for _, n := range sizesUpTo(65, squareSizes) {
		r := newRandom(uint64(n))
		a := positiveDefinite(uint64(n), n)
		var c Cholesky
		if err := c.Factorize(a); err != nil {
			t.Fatal(err)
		}
		x := randomDense(r, 1, n, 0).Data()
		kept := append([]float64(nil), x...)
		if err := c.Update(x); err != nil {
			t.Fatal(err)
		}
		changed := a.Clone()
		addOuter(changed, 1, x)
		requireFactor(t, "A + xx'", &c, changed)
		if err := c.Downdate(x); err != nil {
			t.Fatalf("n %d: %v", n, err)
		}
		requireFactor(t, "A + xx' - xx'", &c, a)
		requireSameBits(t, "x", NewDense(1, n, x), NewDense(1, n, kept))
		if n > 0 {
			var direct Cholesky
			if err := direct.Factorize(a); err != nil {
				t.Fatal(err)
			}
			if ratio := c.Condition() / direct.Condition(); !(ratio > 0.25 && ratio < 1.001) {
				t.Errorf("n %d: condition after a change is %v of that before", n, ratio)
			}
		}
	}
}

// A downdate to a matrix that is barely positive definite keeps the digits that the
// data have: the change is accurate relative to A.
func TestCholeskyDowndateNearlySingular(t *testing.T) {
	const n = 20
	for _, left := range []float64{1e-2, 1e-5, 1e-8} {
		a := positiveDefinite(3, n)
		var c Cholesky
		if err := c.Factorize(a); err != nil {
			t.Fatal(err)
		}
		// x = sqrt(1-left) times the first column of L leaves left l_00^2 of the first pivot.
		l := fullTri(c.L())
		x := make([]float64, n)
		for i := range x {
			x[i] = math.Sqrt(1-left) * l.At(i, 0)
		}
		if err := c.Downdate(x); err != nil {
			t.Fatalf("%v left: %v", left, err)
		}
		addOuter(a, -1, x)
		requireFactor(t, "A - xx'", &c, a)
	}
}

func TestCholeskyDowndateNamesThePivot(t *testing.T) {
	const n = 30
	for _, at := range []int{0, 7, n - 1} {
		for _, v := range []float64{1, 1.5, math.NaN(), math.Inf(1)} {
			var c Cholesky
			if err := c.Factorize(symmetric(identity(n))); err != nil {
				t.Fatal(err)
			}
			before := c.l.Clone()
			x := make([]float64, n)
			x[at] = v
			err := c.Downdate(x)
			var target *NotPositiveDefiniteError
			if !errors.As(err, &target) || target.Index != at || target.Pivot > 0 {
				t.Errorf("%v at %d: %v", v, at, err)
			}
			if v == 1.5 && target.Pivot != 1-1.5*1.5 {
				t.Errorf("pivot %v", target.Pivot)
			}
			requireSameBits(t, "factor after a failed downdate", &c.l, before)
		}
	}
}

func TestCholeskyUpdateRefusesNaN(t *testing.T) {
	var c Cholesky
	if err := c.Factorize(symmetric(identity(3))); err != nil {
		t.Fatal(err)
	}
	for _, v := range []float64{math.NaN(), math.Inf(-1)} {
		var target *NotFiniteError
		if err := c.Update([]float64{0, v, 0}); !errors.As(err, &target) || target.Row != 1 {
			t.Error(err)
		}
	}
	requireFactor(t, "after refusal", &c, symmetric(identity(3)))
}

func TestCholeskyAppendsAndRemoves(t *testing.T) {
	for _, n := range []int{1, 2, 3, 8, 9, 40, 65, 90} {
		a := positiveDefinite(uint64(n), n)
		var c Cholesky
		for i := range n {
			if err := c.Append(a.Row(i)); err != nil {
				t.Fatalf("row %d: %v", i, err)
			}
		}
		requireFactor(t, "appended", &c, a)
		for _, at := range []int{0, n - 2, (n - 1) / 2} {
			if at < 0 || at >= c.N() {
				continue
			}
			c.Remove(at)
			smaller := NewSym(a.N()-1, nil)
			for i := range smaller.N() {
				for j := range i + 1 {
					from := func(i int) int {
						if i >= at {
							return i + 1
						}
						return i
					}
					smaller.Set(i, j, a.At(from(i), from(j)))
				}
			}
			a = smaller
			requireFactor(t, "removed", &c, a)
		}
		var target *NotPositiveDefiniteError
		bad := make([]float64, c.N()+1)
		bad[c.N()] = -1
		if err := c.Append(bad); !errors.As(err, &target) || target.Index != c.N() || target.Pivot != -1 {
			t.Errorf("appending a negative pivot: %v", err)
		}
		requireFactor(t, "after refusal", &c, a)
	}
}

func TestCholeskyChangesDoNotAllocate(t *testing.T) {
	var c Cholesky
	if err := c.Factorize(positiveDefinite(1, 50)); err != nil {
		t.Fatal(err)
	}
	x := randomDense(newRandom(2), 1, 50, 0).Data()
	row := append(append([]float64(nil), x...), 1e3)
	allocations := testing.AllocsPerRun(5, func() {
		if c.Update(x) != nil || c.Downdate(x) != nil || c.Append(row) != nil {
			t.Error("failed")
		}
		c.Remove(50)
	})
	if allocations > 0 {
		t.Errorf("%v allocations", allocations)
	}
}

func TestCholeskyChangesCheckShapes(t *testing.T) {
	var c Cholesky
	if err := c.Factorize(symmetric(identity(3))); err != nil {
		t.Fatal(err)
	}
	mustPanic(t, "Update", func() { c.Update(make([]float64, 2)) })
	mustPanic(t, "Downdate", func() { c.Downdate(make([]float64, 4)) })
	mustPanic(t, "Append", func() { c.Append(make([]float64, 3)) })
	mustPanic(t, "Remove", func() { c.Remove(3) })
}
