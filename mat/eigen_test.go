package mat

import (
	"fmt"
	"math"
	"testing"
)

func TestSymEigenFactors(t *testing.T) {
	const residual, orthogonality = 4, 4 // times n eps
	forEachKernel(t, func(t *testing.T) {
		var e, values SymEigen
		for _, n := range sizesUpTo(65, squareSizes) {
			for name, m := range matrices(newRandom(uint64(n)), n, n) {
				what := fmt.Sprintf("%s, n %d", name, n)
				a := symmetric(m)
				if err := e.Factorize(a, true); err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				whole, exponent := scaledBack(full(a))
				z, size := e.Vectors(), float64(n+1)
				scaled := z.Clone()
				for j, v := range e.Values() {
					if math.IsNaN(v) || j > 0 && v < e.Values()[j-1] {
						t.Fatalf("%s: values %v", what, e.Values())
					}
					for i := range n {
						scaled.Set(i, j, z.At(i, j)*math.Ldexp(v, -exponent))
					}
				}
				floor := 0.0
				if exponent < -900 {
					floor = size * math.Ldexp(1, -1074-exponent)
				}
				got := distance(naive(NoTrans, NoTrans, whole, z), scaled) - floor
				requireSmall(t, what+": AZ - ZD", got, residual, size*frobenius(whole))
				requireSmall(t, what+": Z'Z - I", distance(naive(Trans, NoTrans, z, z), identity(n)), orthogonality, size)
				if err := values.Factorize(a, false); err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				for i, v := range values.Values() {
					if math.Abs(v-e.Values()[i]) > residual*size*eps*frobenius(full(a)) {
						t.Fatalf("%s: value %d is %v with vectors, %v without", what, i, e.Values()[i], v)
					}
				}
			}
		}
	})
}

func TestSymEigenOfLargerMatrices(t *testing.T) {
	var e SymEigen
	for _, n := range []int{160, 257, 300} {
		r := newRandom(uint64(n))
		direction := make([]float64, n)
		for i := range direction {
			direction[i] = r.NormFloat64()
		}
		one := identity(n)
		var q QR
		q.Factorize(randomDense(r, n, n, 0))
		basis := identity(n)
		q.MulQ(NoTrans, basis)
		spectrum := func(value func(i int) float64) func(i, j int) float64 {
			scaled := basis.Clone()
			for i := range n {
				for j := range n {
					scaled.Set(i, j, basis.At(i, j)*value(j))
				}
			}
			product := NewDense(n, n, nil)
			Gemm(NoTrans, Trans, 1, scaled, basis, 0, product)
			return product.At
		}
		for name, element := range map[string]func(i, j int) float64{
			"random":              func(i, j int) float64 { return 2*r.Float64() - 1 },
			"Hilbert":             func(i, j int) float64 { return 1 / float64(1+i+j) },
			"all equal":           func(i, j int) float64 { return -3 },
			"identity + rank one": func(i, j int) float64 { return one.At(i, j) + direction[i]*direction[j] },
			"diagonal":            func(i, j int) float64 { return one.At(i, j) * direction[i] },
			"two clusters":        spectrum(func(i int) float64 { return float64(1 + i%2) }),
			"tight cluster":       spectrum(func(i int) float64 { return 1 + float64(i)*0x1p-50 }),
			"geometric":           spectrum(func(i int) float64 { return math.Ldexp(1, -i/4) }),
		} {
			a, whole := NewSym(n, nil), NewDense(n, n, nil)
			for i := range n {
				for j := range i + 1 {
					v := element(i, j)
					a.Set(i, j, v)
					whole.Set(i, j, v)
					whole.Set(j, i, v)
				}
			}
			what := fmt.Sprintf("%s, n %d", name, n)
			if err := e.Factorize(a, true); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			z, size := e.Vectors(), float64(n)
			residual, inner := z.Clone(), identity(n)
			for i := range n {
				for j, v := range e.Values() {
					residual.Set(i, j, residual.At(i, j)*v)
				}
			}
			Gemm(NoTrans, NoTrans, 1, whole, z, -1, residual)
			requireSmall(t, what+": AZ - ZD", frobenius(residual), 2, size*frobenius(whole))
			Gemm(Trans, NoTrans, 1, z, z, -1, inner)
			requireSmall(t, what+": Z'Z - I", frobenius(inner), 2, size)
		}
	}
}

func TestSymEigenKnowsKnownValues(t *testing.T) {
	const n = 57 // second differences: 4 sin²(k pi / 2(n+1))
	a := NewSym(n, nil)
	for i := range n {
		a.Set(i, i, 2)
		if i > 0 {
			a.Set(i, i-1, -1)
		}
	}
	var e SymEigen
	if err := e.Factorize(a, true); err != nil {
		t.Fatal(err)
	}
	for i, v := range e.Values() {
		sine := math.Sin(float64(i+1) * math.Pi / (2 * (n + 1)))
		requireSmall(t, "second difference", math.Abs(v-4*sine*sine), n, 4)
	}
	// Wilkinson's matrix has pairs of eigenvalues equal to many digits.
	w := NewSym(21, nil)
	for i := range 21 {
		w.Set(i, i, math.Abs(float64(i-10)))
		if i > 0 {
			w.Set(i, i-1, 1)
		}
	}
	if err := e.Factorize(w, true); err != nil {
		t.Fatal(err)
	}
	requireSmall(t, "Wilkinson's largest", math.Abs(e.Values()[20]-10.746194182903393), 21, 11)
	requireSmall(t, "Wilkinson's vectors", distance(naive(Trans, NoTrans, e.Vectors(), e.Vectors()), identity(21)), 4, 21)
	mustPanic(t, "Vectors", func() { e.Factorize(w, false); e.Vectors() })
}

func TestSymEigenDoesNotAllocate(t *testing.T) {
	a := positiveDefinite(1, 60)
	var e SymEigen
	allocations := testing.AllocsPerRun(5, func() {
		if e.Factorize(a, true) != nil {
			t.Error("failed")
		}
	})
	if allocations > 1 { // by the sort
		t.Errorf("%v allocations", allocations)
	}
}
