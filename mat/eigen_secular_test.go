package mat

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/bpielm/bpielm/mat/asm"
)

// secularProblems returns d, ascending, and z, of norm 1, whose roots are hard to find.
func secularProblems(n int) map[string][2][]float64 {
	r := newRandom(uint64(n))
	build := func(gap, weight func(i int) float64) [2][]float64 {
		d, z, at := make([]float64, n), make([]float64, n), -0.5
		for i := range n {
			at += gap(i)
			d[i], z[i] = at, weight(i)
		}
		scaleVector(1/Nrm2(z), z)
		return [2][]float64{d, z}
	}
	even := func(int) float64 { return 1 / float64(n) }
	heavy := func(i int) float64 {
		if i == n/2 {
			return 1
		}
		return 0x1p-30
	}
	return map[string][2][]float64{
		"even":          build(even, even),
		"random":        build(func(int) float64 { return r.ExpFloat64() / float64(n) }, func(int) float64 { return r.NormFloat64() }),
		"small weights": build(even, func(i int) float64 { return math.Ldexp(1, -i%50) }),
		"close":         build(func(i int) float64 { return math.Ldexp(1, -2-(7*i)%46) / float64(n) }, even),
		"pairs": build(func(i int) float64 { return [2]float64{0.5 / float64(n), 0x1p-48}[i%2] },
			func(i int) float64 { return [2]float64{1, -0x1p-40}[i/3%2] }),
		"one heavy": build(even, heavy),
	}
}

// sign returns the sign of f at origin + shift, computed with negligible rounding error.
func (s *secular) sign(origin, shift float64) int {
	exact := func(x float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(x) }
	at := new(big.Float).Add(exact(origin), exact(shift))
	sum := new(big.Float).Quo(exact(1), exact(s.rho))
	for j, z := range s.z {
		term := new(big.Float).Mul(exact(z), exact(z))
		sum.Add(sum, term.Quo(term, new(big.Float).Sub(exact(s.d[j]), at)))
	}
	return sum.Sign()
}

func TestSecularRoots(t *testing.T) {
	for _, n := range []int{2, 3, 5, 32, 33, 70} {
		for name, problem := range secularProblems(n) {
			for _, rho := range []float64{1e-3, 1, 100} {
				what := fmt.Sprintf("%s, n %d, rho %v", name, n, rho)
				var s secular
				s.reset(n, rho)
				copy(s.d, problem[0])
				copy(s.z, problem[1])
				k := asm.Active()
				if !s.solve(k) {
					t.Fatalf("%s: a root was not found", what)
				}
				// The vectors are orthogonal and diagonalise the matrix.
				place := make([]int, n)
				for i := range n {
					place[i] = (i + n/2) % n
				}
				v := NewDense(n, n, nil)
				s.vectors(k, v, place)
				requireSmall(t, what+": VV' - I", distance(naive(NoTrans, Trans, v, v), identity(n)), 4, float64(n))
				norm := rho + math.Abs(s.d[0]) + math.Abs(s.d[n-1])
				for j := range n {
					row, along := v.Row(j), 0.0
					for i, p := range place {
						along += s.z[i] * row[p]
					}
					for i, p := range place {
						got := (s.d[i]-s.near[j]-s.shift[j])*row[p] + rho*along*s.z[i]
						requireSmall(t, fmt.Sprintf("%s: root %d", what, j), math.Abs(got), 4, float64(n)*norm)
					}
				}
				// Each root lies between two d, where f changes sign.
				for j := range n {
					high := math.Inf(1)
					if j+1 < n {
						high = s.d[j+1]
					}
					if toLow, toHigh := s.d[j]-s.near[j]-s.shift[j], high-s.near[j]-s.shift[j]; toLow >= 0 || toHigh <= 0 {
						t.Fatalf("%s: root %d is %v and %v from its neighbours", what, j, toLow, toHigh)
					}
				}
			}
		}
	}
}

func TestSecularRootsAreAccurateBesideThePoles(t *testing.T) {
	const n, relative = 12, 0x1p-40
	for name, problem := range secularProblems(n) {
		if name == "close" || name == "pairs" {
			continue // these roots are only as well determined as d
		}
		var s secular
		s.reset(n, 1)
		copy(s.d, problem[0])
		copy(s.z, problem[1])
		if !s.solve(asm.Active()) {
			t.Fatalf("%s: a root was not found", name)
		}
		for j, shift := range s.shift {
			width := relative * math.Abs(shift)
			if s.sign(s.near[j], shift-width) > 0 || s.sign(s.near[j], shift+width) < 0 {
				t.Errorf("%s: root %d is not within %v of %v from %v", name, j, width, shift, s.near[j])
			}
		}
	}
}
