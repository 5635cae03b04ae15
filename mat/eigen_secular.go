package mat

import (
	"math"
	"sync/atomic"

	"github.com/bpielm/bpielm/mat/asm"
)

// secular is the secular equation of diag(d) + rho z z', with d ascending:
//
//	f(x) = 1/rho + sum z[j]² / (d[j] - x) = 0
//
// It has one root between any two neighbouring d and one above the last. A root is
// stored as its offset from the nearest d, which gives its distance to every d to nearly
// full relative accuracy.
type secular struct {
	rho, inverse float64
	d, z         []float64
	near         []float64 // the d nearest to each root
	shift        []float64 // offset of the root from near
	exact        []float64 // see vectors; grouped
	grouped      []float64 // d, grouped
}

// secularIterations is the number of steps allowed for a root; four are typical.
const secularIterations = 100

// reset makes room for k terms, which the caller stores in s.d and s.z.
func (s *secular) reset(k int, rho float64) {
	s.rho, s.inverse = rho, 1/rho
	s.d, s.z = resize(s.d, k), resize(s.z, k)
	s.near, s.shift = resize(s.near, k), resize(s.shift, k)
	s.exact, s.grouped = resize(s.exact, k), resize(s.grouped, k)
}

// root returns root j.
func (s *secular) root(j int) float64 { return s.near[j] + s.shift[j] }

// solve finds all roots, and reports whether all converged.
func (s *secular) solve(k *asm.Kernel) bool {
	if len(s.d) == 1 {
		s.near[0], s.shift[0] = s.d[0], float64(s.rho*s.z[0])*s.z[0]
		return true
	}
	n := len(s.d)
	if n < rootsParallel || processors() == 1 {
		return s.find(k, 0, n)
	}
	var failed atomic.Bool
	Parallel((n+rootsTogether-1)/rootsTogether, func(part int) {
		if !s.find(k, part*rootsTogether, min((part+1)*rootsTogether, n)) {
			failed.Store(true)
		}
	})
	return !failed.Load()
}

// find finds the roots first to last-1, and reports whether all converged.
func (s *secular) find(k *asm.Kernel, first, last int) bool {
	for j := first; j < last; j++ {
		r := secularRoot{secular: s, kernel: k}
		if !r.find(j) {
			return false
		}
		s.near[j], s.shift[j] = r.origin, r.x
	}
	return true
}

// vectors sets row j of v to the eigenvector of root j, with element i at place[i].
//
// The computed roots are exact for a slightly different z, given by Loewner's formula.
// Eigenvectors computed from that z are orthogonal however close the roots are (Gu and
// Eisenstat, 1995).
func (s *secular) vectors(k *asm.Kernel, v *Dense, place []int) {
	for i, p := range place {
		s.grouped[p], s.exact[p] = s.d[i], 1
	}
	for j, p := range place {
		k.LoewnerRatios(s.near[j], s.shift[j], s.d[j], s.grouped[:p], s.exact[:p])
		k.LoewnerRatios(s.near[j], s.shift[j], s.d[j], s.grouped[p+1:], s.exact[p+1:])
		s.exact[p] *= (s.d[j] - s.near[j]) - s.shift[j]
	}
	for i, p := range place {
		s.exact[p] = math.Copysign(math.Sqrt(math.Abs(s.exact[p])), s.z[i])
	}
	for j := range v.rows {
		row := v.Row(j)
		square := k.SecularVector(s.near[j], s.shift[j], s.grouped, s.exact, row)
		scaleVector(1/math.Sqrt(square), row)
	}
}
