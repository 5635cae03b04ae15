package posterior

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bpielm/bpielm/mat"
)

// TestResolventOfSumsOfSquares compares the recursion over the tridiagonal form of K = x'x with the singular values of x,
// for spectra from flat to far below rounding, and amplitudes up to those at which minors leave the range of numbers.
func TestResolventOfSumsOfSquares(t *testing.T) {
	const resolved = 50 * 0x1p-52 // of the largest eigenvalue
	random := rand.New(rand.NewPCG(8, 1))
	compared, unresolved := 0, 0
	for _, n := range []int{2, 3, 20, 77, 150} {
		for _, decades := range []float64{0, 3, 8, 30} {
			x := mat.NewDense(n+5, n, nil)
			for i := range x.Rows() {
				for j := range n {
					x.Set(i, j, 100*random.NormFloat64()*math.Pow(10, -0.5*decades*float64(j*7%n)/float64(n)))
				}
			}
			r := make([]float64, n)
			for i := range r {
				r[i] = random.NormFloat64()
			}
			u := &underPhysics{observed: &observed{evidenceSpace: new(evidenceSpace)}}
			values, along, err := u.singular(x.Clone(), r)
			if err != nil {
				t.Fatal(err)
			}
			k := mat.NewSym(n, nil)
			mat.Syrk(mat.Trans, 1, x, 0, k)
			var p resolvent
			if err := p.set(&u.tridiagonal, k, r); err != nil {
				t.Fatal(err)
			}
			largest := values[0] * values[0]
			for _, v := range values {
				largest = math.Max(largest, v*v)
			}
			if bound := p.largest(); bound < largest*(1-1e-12) || bound > 3*largest {
				t.Errorf("n = %d, %g decades: the largest eigenvalue is %g, its bound %g", n, decades, largest, bound)
			}
			for logA := lowestLogA; logA <= highestLogA; logA += 0.75 {
				a2 := math.Exp(2 * logA)
				quadratic, logDet := p.quadraticAndLogDet(a2)
				wantQuadratic, wantLogDet := 0.0, 0.0
				for i, v := range values {
					wantQuadratic += along[i] * along[i] / (1 + a2*v*v)
					wantLogDet += math.Log1p(a2 * v * v)
				}
				lost := resolved * a2 * largest // of K by rounding, in units of the noise
				switch {
				case !finite(quadratic) || !finite(logDet) || quadratic < 0 || logDet < 0:
					t.Errorf("n = %d, %g decades, log a = %g: %g and %g", n, decades, logA, quadratic, logDet)
				case lost > 0.1:
					unresolved++
				case math.Abs(quadratic-wantQuadratic) > (1e-12+lost)*squares(r) || math.Abs(logDet-wantLogDet) > float64(n)*(1e-12+lost):
					t.Errorf("n = %d, %g decades, log a = %g: %g and %g, want %g and %g", n, decades, logA, quadratic, logDet, wantQuadratic, wantLogDet)
				default:
					compared++
				}
			}
		}
	}
	if compared < 4*unresolved || unresolved == 0 {
		t.Errorf("%d were compared, %d are below rounding", compared, unresolved)
	}
}
