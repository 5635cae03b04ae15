package posterior

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bpielm/bpielm/mat"
)

// Of many eigenvalues the largest are found as well as by computing all, also where some are equal or nearly so.
func TestLargestEigenvalues(t *testing.T) {
	const n, m, most = 120, 2, 0.1 // of a logarithm
	random := rand.New(rand.NewPCG(3, 5))
	for _, ratio := range []float64{0.01, 0.5, 0.9, 1} {
		x := mat.NewDense(n, n, nil)
		for i := range n {
			fillNormal(random, x.Row(i))
		}
		var qr mat.QR
		qr.Factorize(x)
		for i, size := 0, 1e3; i < n; i, size = i+1, math.Sqrt(ratio)*size {
			clear(x.Row(i))
			x.Set(i, i, size)
		}
		y := x.Transpose()
		qr.MulQ(mat.NoTrans, y) // Q D, and X = D Q'
		values, err := largestEigenvalues(y.Transpose(), m, nil)
		if err != nil || len(values) != m {
			t.Fatal(values, err)
		}
		for i, v := range values {
			if want := 1e6 * math.Pow(ratio, float64(m-1-i)); math.Abs(math.Log(v/want)) > most {
				t.Errorf("ratio %g: eigenvalue %d is %g, not %g", ratio, m-i, v, want)
			}
		}
	}
}
