package mat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// singularBound times n eps |B| bounds the error of singular values.
const singularBound = 4

// TestSingularValuesOfBidiagonal compares with Jacobi's method: the values, and functions x'f(A'A)x of the rotated vector,
// which do not depend on signs and on the choice of vectors.
func TestSingularValuesOfBidiagonal(t *testing.T) {
	var random *rand.Rand
	kinds := map[string]func(i, j, n int) float64{
		"random":    func(i, j, n int) float64 { return random.NormFloat64() },
		"graded":    func(i, j, n int) float64 { return random.NormFloat64() * math.Exp(-30*float64(j)/float64(n)) },
		"reversed":  func(i, j, n int) float64 { return random.NormFloat64() * math.Exp(30*float64(j)/float64(n)) },
		"rank 3":    func(i, j, n int) float64 { return float64((i*j)%3) + float64(i%2)*float64(j%3) },
		"zero":      func(i, j, n int) float64 { return 0 },
		"identity":  func(i, j, n int) float64 { return map[bool]float64{true: 1}[i == j] },
		"huge":      func(i, j, n int) float64 { return 1e300 * random.Float64() },
		"tiny":      func(i, j, n int) float64 { return 1e-300 * random.Float64() },
		"hilbert":   func(i, j, n int) float64 { return 1 / float64(i+j+1) },
		"zero rows": func(i, j, n int) float64 { return map[bool]float64{true: random.NormFloat64()}[j%2 == 0] },
	}
	for name, element := range kinds {
		random = rand.New(rand.NewPCG(1, 2)) // the same for every kind, in whatever order they come
		for _, n := range []int{1, 2, 3, 10, 41, 100} {
			for _, m := range []int{n, n + 7} {
				a := NewDense(m, n, nil)
				for i := range m {
					for j := range n {
						a.Set(i, j, element(i, j, n))
					}
				}
				compareSingular(t, fmt.Sprintf("%s %dx%d", name, m, n), a, random)
			}
		}
	}
}

func compareSingular(t *testing.T, name string, a *Dense, random *rand.Rand) {
	t.Helper()
	m, n := a.Dims()
	var svd SVD
	if err := svd.Factorize(a, true); err != nil {
		t.Fatal(name, err)
	}
	want := svd.Values()
	var b Bidiagonal
	if err := b.Factorize(a); err != nil {
		t.Fatal(name, err)
	}
	for _, side := range []Side{Right, Left} {
		x := make([]float64, n)
		if side == Left {
			x = make([]float64, m)
		}
		for i := range x {
			x[i] = random.NormFloat64()
		}
		along, basis := make([]float64, n), svd.V()
		turned := slices.Clone(x)
		if side == Right {
			row := NewDense(1, n, turned)
			b.MulRightV(row)
		} else {
			basis = svd.U()
			b.MulUTrans(turned)
			turned = turned[:n]
		}
		Gemv(Trans, 1, basis, x, 0, along)
		values, err := b.SingularValues(side, turned)
		if err != nil {
			t.Fatal(name, err)
		}
		sorted := slices.Clone(values)
		slices.Sort(sorted)
		slices.Reverse(sorted)
		unit := want[0]
		for i, v := range sorted {
			if math.Abs(v-want[i]) > singularBound*float64(n)*0x1p-52*unit {
				t.Errorf("%s: value %d is %g, want %g", name, i, v, want[i])
				break
			}
		}
		if unit == 0 {
			continue
		}
		// x'(A'A/unit^2 + shift)^-1 x for several shifts
		for _, shift := range []float64{1, 1e-2, 1e-4} {
			got := (Dot(x, x) - Dot(turned, turned)) / shift // outside the span
			exact := (Dot(x, x) - Dot(along, along)) / shift
			for i := range n {
				got += turned[i] * turned[i] / (values[i]/unit*values[i]/unit + shift)
				exact += along[i] * along[i] / (want[i]/unit*want[i]/unit + shift)
			}
			if math.Abs(got-exact) > 1e-8*exact {
				t.Errorf("%s, side %v, shift %g: %g, want %g", name, side, shift, got, exact)
			}
		}
	}
}

func BenchmarkSingularValues(b *testing.B) {
	for _, n := range []int{100, 200, 400} {
		a := NewDense(n, n, nil)
		random := rand.New(rand.NewPCG(1, 2))
		for i := range n {
			for j := range n {
				a.Set(i, j, random.NormFloat64()*math.Exp(-20*float64(j)/float64(n)))
			}
		}
		b.Run(fmt.Sprintf("implicit/%d", n), func(b *testing.B) {
			var bi Bidiagonal
			x := make([]float64, n)
			for range b.N {
				if err := bi.Factorize(a); err != nil {
					b.Fatal(err)
				}
				x[0] = 1
				if _, err := bi.SingularValues(Right, x); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("jacobi/%d", n), func(b *testing.B) {
			var svd SVD
			for range b.N {
				if err := svd.Factorize(a, true); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
