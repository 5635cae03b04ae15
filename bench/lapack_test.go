package bench

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bpielm/bpielm/mat"
	gonum "gonum.org/v1/gonum/mat"
)

// The factorisations of package mat are compared with gonum's LAPACK where the mathematics
// says that both are close: values relative to the largest, and factors of matrices that
// determine them well. Package mat tests accuracy beyond that by residuals.

const lapackFactor = 20 // times n eps

// tests returns matrices that are hard in different ways.
func tests(m, n int) map[string]*mat.Dense {
	r := rand.New(rand.NewPCG(uint64(m), uint64(n)))
	all := map[string]*mat.Dense{}
	for _, name := range []string{"random", "graded", "nearly dependent", "Hilbert", "Vandermonde", "singular"} {
		all[name] = mat.NewDense(m, n, nil)
	}
	for i := range m {
		for j := range n {
			v := r.NormFloat64()
			all["random"].Set(i, j, v)
			all["graded"].Set(i, j, math.Ldexp(v, -j))
			all["nearly dependent"].Set(i, j, float64(i%7)+1e-9*v)
			all["Hilbert"].Set(i, j, 1/float64(1+i+j))
			all["singular"].Set(i, j, float64(i%3)-float64(j%2))
			power := 1.0
			for range j {
				power *= float64(i+1) / float64(m)
			}
			all["Vandermonde"].Set(i, j, power)
		}
	}
	return all
}

func toGonum(m *mat.Dense) *gonum.Dense {
	rows, cols := m.Dims()
	g := gonum.NewDense(rows, cols, nil)
	for i := range rows {
		g.SetRow(i, m.Row(i))
	}
	return g
}

func requireClose(t *testing.T, what string, got, want []float64, bound float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i, v := range got {
		if !(math.Abs(v-want[i]) <= bound) {
			t.Fatalf("%s: value %d is %v, LAPACK has %v, limit %.3g apart", what, i, v, want[i], bound)
		}
	}
}

func TestSingularValuesAgreeWithLAPACK(t *testing.T) {
	for _, shape := range [][2]int{{1, 1}, {5, 3}, {3, 5}, {33, 32}, {64, 64}, {100, 65}, {130, 90}} {
		for name, a := range tests(shape[0], shape[1]) {
			var ours mat.SVD
			var theirs gonum.SVD
			if err := ours.Factorize(a, true); err != nil {
				t.Fatal(name, shape, err)
			}
			if !theirs.Factorize(toGonum(a), gonum.SVDNone) {
				t.Fatal("gonum failed")
			}
			want := theirs.Values(nil)
			requireClose(t, fmt.Sprint("SVD ", name, shape), ours.Values(), want, lapackFactor*float64(shape[0]+shape[1])*0x1p-52*want[0])
		}
	}
}

func TestEigenvaluesAgreeWithLAPACK(t *testing.T) {
	for _, n := range []int{1, 2, 3, 31, 32, 33, 65, 100, 150, 257} {
		for name, m := range tests(n, n) {
			a, g := mat.NewSym(n, nil), gonum.NewSymDense(n, nil)
			for i := range n {
				for j := range i + 1 {
					a.Set(i, j, m.At(i, j))
					g.SetSym(i, j, m.At(i, j))
				}
			}
			var ours mat.SymEigen
			var theirs gonum.EigenSym
			if err := ours.Factorize(a, true); err != nil {
				t.Fatal(name, n, err)
			}
			if !theirs.Factorize(g, false) {
				t.Fatal("gonum failed")
			}
			want := theirs.Values(nil)
			requireClose(t, fmt.Sprint("SymEigen ", name, n), ours.Values(), want, lapackFactor*float64(n)*0x1p-52*max(-want[0], want[n-1]))
		}
	}
}

func TestCholeskyAgreesWithLAPACK(t *testing.T) {
	for _, n := range []int{1, 2, 7, 8, 9, 63, 64, 65, 127, 128, 129, 200, 300} {
		m := tests(n, n)["random"]
		a := mat.NewSym(n, nil)
		mat.Syrk(mat.NoTrans, 1, m, 0, a)
		for i := range n {
			a.Set(i, i, a.At(i, i)+1)
		}
		g := gonum.NewSymDense(n, nil)
		for i := range n {
			for j := range i + 1 {
				g.SetSym(i, j, a.At(i, j))
			}
		}
		var ours mat.Cholesky
		var theirs gonum.Cholesky
		if err := ours.Factorize(a); err != nil {
			t.Fatal(n, err)
		}
		if !theirs.Factorize(g) {
			t.Fatal("gonum failed")
		}
		bound := lapackFactor * float64(n) * 0x1p-52
		if got, want := ours.LogDet(), theirs.LogDet(); math.Abs(got-want) > bound*float64(n) {
			t.Errorf("n %d: log determinant %v, LAPACK has %v", n, got, want)
		}
		inverse, theirInverse := mat.NewSym(n, nil), gonum.NewSymDense(n, nil)
		ours.InverseTo(inverse)
		if err := theirs.InverseTo(theirInverse); err != nil {
			t.Fatal(err)
		}
		diagonal, trace := make([]float64, n), 0.0
		ours.InverseDiagonalTo(diagonal)
		for i := range n {
			row, want := inverse.Row(i), make([]float64, i+1)
			for j := range want {
				want[j] = theirInverse.At(i, j)
			}
			requireClose(t, fmt.Sprint("inverse, n ", n), row, want, bound*theirs.Cond())
			requireClose(t, fmt.Sprint("its diagonal, n ", n), diagonal[i:i+1], row[i:], bound)
			trace += diagonal[i]
		}
		requireClose(t, "trace", []float64{ours.InverseTrace()}, []float64{trace}, bound*trace)
	}
}

func TestQRAgreesWithLAPACK(t *testing.T) {
	for _, shape := range [][2]int{{1, 1}, {9, 4}, {33, 32}, {70, 64}, {200, 100}} {
		m, n := shape[0], shape[1]
		a := tests(m, n)["random"]
		var ours mat.QR
		var theirs gonum.QR
		ours.Factorize(a)
		theirs.Factorize(toGonum(a))
		var r gonum.Dense
		theirs.RTo(&r)
		for i := range n {
			got, want := make([]float64, n), make([]float64, n)
			for j := range n { // rows of R are determined up to sign
				got[j] = math.Abs(ours.R().At(i, j))
				want[j] = math.Abs(r.At(i, j))
			}
			requireClose(t, fmt.Sprint("QR ", shape), got, want, lapackFactor*float64(m)*0x1p-52*theirs.Cond())
		}
	}
}
