package mat

import (
	"errors"
	"fmt"
	"math"
	"testing"
)

// scaledBack returns a copy of a, divided by a power of two so that its largest element is
// near 1 and products neither overflow nor underflow, and the exponent.
func scaledBack(a *Dense) (*Dense, int) {
	c := a.Clone()
	largest, _ := magnitude(c.Data())
	_, e := math.Frexp(largest)
	scaleByPower(c.Data(), c.Data(), -e)
	return c, e
}

func TestSVDFactors(t *testing.T) {
	const residual, orthogonality = 4, 8 // times max(m, n) eps
	forEachKernel(t, func(t *testing.T) {
		var s, values SVD
		forEachMatrix(t, func(what string, a *Dense) {
			before := a.Clone()
			if err := s.Factorize(a, true); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			requireSameBits(t, what+": A", a, before)
			m, n := a.Dims()
			k, size := min(m, n), float64(max(m, n)+1)
			if len(s.Values()) != k || s.U().Rows() != m || s.U().Cols() != k || s.V().Rows() != n || s.V().Cols() != k {
				t.Fatalf("%s: wrong shapes", what)
			}
			scaled, e := scaledBack(a)
			us := s.U().Clone()
			for j, v := range s.Values() {
				if !(v >= 0) || j > 0 && v > s.Values()[j-1] {
					t.Fatalf("%s: values %v", what, s.Values())
				}
				for i := range m {
					us.Set(i, j, us.At(i, j)*math.Ldexp(v, -e))
				}
			}
			// Subnormal singular values have fewer digits, and so have their products.
			floor := 0.0
			if e < -900 {
				floor = size * math.Ldexp(1, -1074-e)
			}
			got := distance(naive(NoTrans, Trans, us, s.V()), scaled) - floor
			requireSmall(t, what+": USV' - A", got, residual, size*frobenius(scaled))
			requireSmall(t, what+": U'U - I", distance(naive(Trans, NoTrans, s.U(), s.U()), identity(k)), orthogonality, size)
			requireSmall(t, what+": V'V - I", distance(naive(Trans, NoTrans, s.V(), s.V()), identity(k)), orthogonality, size)
			if err := values.Factorize(a, false); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			for i, v := range values.Values() {
				if !sameBits(v, s.Values()[i]) {
					t.Fatalf("%s: value %d is %v without vectors, %v with them", what, i, v, s.Values()[i])
				}
			}
		})
	})
}

// The determinant of BD follows from B alone. The product of the singular values only
// matches it if even the smallest, far below eps times the largest, are accurate.
func TestSVDKeepsSmallValuesOfGradedMatrices(t *testing.T) {
	const factor = 100 // times n eps
	for _, n := range []int{2, 5, 10, 30, 60} {
		for _, rows := range []bool{false, true} {
			for _, direction := range []int{1, -1} {
				b := randomDense(newRandom(uint64(n)), n, n, 0)
				var q QR
				q.Factorize(b)
				exponent, determinant := 0, 1.0
				for i := range n {
					determinant *= math.Abs(q.at.At(i, i))
				}
				a := b.Clone()
				for i := range n {
					for j := range n {
						power := -4 * direction * j
						if rows {
							power = -4 * direction * i
						}
						a.Set(i, j, math.Ldexp(a.At(i, j), power))
					}
					exponent -= 4 * direction * i
				}
				var s SVD
				if err := s.Factorize(a, true); err != nil {
					t.Fatal(err)
				}
				product := 1.0 // of the values' mantissas
				for _, v := range s.Values() {
					mantissa, e := math.Frexp(v)
					product, exponent = 2*product*mantissa, exponent-e+1
					if product >= 2 {
						product, exponent = product/2, exponent-1
					}
				}
				what := fmt.Sprintf("n %d, rows %v, direction %d: determinant", n, rows, direction)
				requireSmall(t, what, math.Abs(math.Ldexp(product, -exponent)/determinant-1), factor*float64(n), conditionOf(b))
			}
		}
	}
}

func conditionOf(a *Dense) float64 {
	var s SVD
	if err := s.Factorize(a, false); err != nil {
		return math.NaN()
	}
	return s.Values()[0] / s.Values()[len(s.Values())-1]
}

func TestSVDKnowsKnownValues(t *testing.T) {
	var s SVD
	if err := s.Factorize(NewDense(2, 3, []float64{3, 0, 0, 0, 0, -4}), true); err != nil {
		t.Fatal(err)
	}
	if v := s.Values(); v[0] != 4 || v[1] != 3 {
		t.Errorf("diagonal: %v", v)
	}
	// The second difference matrix has singular values 4 sin²(k pi / 2(n+1)).
	const n = 40
	a := NewDense(n, n, nil)
	for i := range n {
		a.Set(i, i, 2)
		if i > 0 {
			a.Set(i, i-1, -1)
			a.Set(i-1, i, -1)
		}
	}
	if err := s.Factorize(a, false); err != nil {
		t.Fatal(err)
	}
	for i, v := range s.Values() {
		sine := math.Sin(float64(n-i) * math.Pi / (2 * (n + 1)))
		requireSmall(t, "second difference", math.Abs(v-4*sine*sine), 4*n, 4)
	}
}

func TestSVDSolvesWithMinimumNorm(t *testing.T) {
	const factor = 64 // times m eps
	for _, s := range [][3]int{{6, 4, 4}, {4, 6, 4}, {30, 20, 11}, {20, 30, 11}, {40, 40, 40}} {
		m, n, rank := s[0], s[1], s[2]
		r := newRandom(uint64(m))
		a := naive(NoTrans, NoTrans, randomDense(r, m, rank, 0), randomDense(r, rank, n, 0))
		b, x := randomDense(r, m, 5, 2), NewDense(n, 5, nil)
		var svd SVD
		if err := svd.Factorize(a, true); err != nil {
			t.Fatal(err)
		}
		if got := svd.SolveTo(x, b, 1e-12); got != rank || svd.Rank(1e-12) != rank {
			t.Errorf("%v: rank %d", s, got)
		}
		condition := svd.Values()[0] / svd.Values()[rank-1]
		residual := difference(b, naive(NoTrans, NoTrans, a, x))
		requireSmall(t, "A'(b - Ax)", frobenius(naive(Trans, NoTrans, a, residual)), factor, float64(m)*frobenius(a)*frobenius(a)*frobenius(x))
		// Minimum norm: x lies in the range of A', so V V' x = x.
		v := svd.V().Slice(0, n, 0, rank).Clone()
		requireSmall(t, "range", distance(naive(NoTrans, NoTrans, v, naive(Trans, NoTrans, v, x)), x), factor, condition*float64(m)*frobenius(x))
	}
	var svd SVD
	if err := svd.Factorize(NewDense(3, 2, nil), true); err != nil {
		t.Fatal(err)
	}
	x := NewDense(2, 1, []float64{1, 1})
	if svd.SolveTo(x, NewDense(3, 1, []float64{1, 1, 1}), 1e-15) != 0 || frobenius(x) != 0 {
		t.Error("zero matrix")
	}
	mustPanic(t, "SolveTo", func() { svd.SolveTo(x, NewDense(2, 1, nil), 0) })
	mustPanic(t, "U", func() { svd.Factorize(NewDense(3, 2, nil), false); svd.U() })
}

func TestSVDOfLargeMatrices(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	const residual = 4 // times max(m, n) eps
	for _, s := range [][2]int{{300, 200}, {200, 200}, {90, 257}} {
		a := randomDense(newRandom(1), s[0], s[1], 0)
		var svd SVD
		if err := svd.Factorize(a, true); err != nil {
			t.Fatal(err)
		}
		us, k := svd.U().Clone(), min(s[0], s[1])
		for j, v := range svd.Values() {
			for i := range us.Rows() {
				us.Set(i, j, us.At(i, j)*v)
			}
		}
		Gemm(NoTrans, Trans, -1, us, svd.V(), 1, a)
		requireSmall(t, "USV' - A", frobenius(a), residual, float64(s[0]+s[1])*Nrm2(svd.Values()))
		gram := NewDense(k, k, nil)
		Gemm(Trans, NoTrans, 1, svd.V(), svd.V(), 0, gram)
		requireSmall(t, "V'V - I", distance(gram, identity(k)), residual, float64(s[0]+s[1]))
	}
}

func TestFactorisationsReportNonFiniteElements(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, s := range [][2]int{{1, 1}, {5, 4}, {4, 5}, {40, 40}} {
			a := NewDense(s[0], s[1], nil)
			a.Set(s[0]-1, s[1]/2, bad)
			var svd SVD
			var target *NotFiniteError
			if err := svd.Factorize(a, true); !errors.As(err, &target) || target.Row != s[0]-1 || target.Col != s[1]/2 {
				t.Errorf("SVD, %v: %v", bad, err)
			}
			if len(svd.Values()) != 0 {
				t.Error("s is not empty after a failed factorisation")
			}
		}
		a := NewSym(7, nil)
		a.Set(2, 5, bad)
		var e SymEigen
		var target *NotFiniteError
		if err := e.Factorize(a, true); !errors.As(err, &target) || target.Row != 5 || target.Col != 2 {
			t.Errorf("SymEigen, %v: %v", bad, err)
		}
		var q QR // returns no error; the result has NaN
		whole := full(a)
		q.Factorize(whole)
		q.MulQ(Trans, whole)
	}
}

func TestSVDDoesNotAllocate(t *testing.T) {
	for _, s := range [][2]int{{50, 40}, {40, 50}, {40, 40}} {
		a, b, x := randomDense(newRandom(1), s[0], s[1], 0), NewDense(s[0], 5, nil), NewDense(s[1], 5, nil)
		var svd SVD
		allocations := testing.AllocsPerRun(5, func() {
			if svd.Factorize(a, true) != nil {
				t.Error("failed")
			}
			svd.SolveTo(x, b, 1e-15)
		})
		if allocations > 1 { // by the sort
			t.Errorf("%v allocations", allocations)
		}
	}
}
