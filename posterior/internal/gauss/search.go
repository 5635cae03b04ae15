package gauss

import (
	"math"

	"github.com/bpielm/bpielm/mat"
)

// Search chooses observations one after the other, each the candidate that lowers the mean
// variance of the goal most given those chosen before. With covariance k an observation at c
// with noise variance s lowers the variance at t by
//
//	k(t, c)^2 / (k(c, c) + s).
type Search struct {
	b        *mat.Dense // square roots of the candidates' prior covariance
	cross    *mat.Dense // candidates x goal: covariances given those chosen
	variance []float64  // of each candidate, given those chosen
	noise    float64    // variance
	goal     float64    // mean variance of the goal, given those chosen
	chosen   []bool
	column   []float64   // work space: the candidates' covariance with one of them
	factor   [][]float64 // columns of the pivoted Cholesky factor so far
}

// NewSearch takes the rows of the candidates and of the goal in the coordinates of
// v ~ N(0, I), and the noise variance of an observation.
func NewSearch(candidates, goal *mat.Dense, noise float64) *Search {
	rows := candidates.Rows()
	s := &Search{
		b: candidates, cross: mat.NewDense(rows, goal.Rows(), nil), variance: make([]float64, rows), noise: noise,
		chosen: make([]bool, rows), column: make([]float64, rows),
	}
	mat.Gemm(mat.NoTrans, mat.Trans, 1, candidates, goal, 0, s.cross)
	for i := range s.variance {
		s.variance[i] = squares(candidates.Row(i))
	}
	for i := range goal.Rows() {
		s.goal += squares(goal.Row(i))
	}
	s.goal /= float64(goal.Rows())
	return s
}

// Finite tells whether the variances that decide about a candidate are finite. If they are
// at first, they stay so: observations only make them smaller.
func (s *Search) Finite(candidate int) bool {
	sum := s.variance[candidate] + s.goal + squares(s.cross.Row(candidate))
	return !math.IsNaN(sum) && !math.IsInf(sum, 0)
}

// Gain is by how much an observation at a candidate would lower the mean variance of the goal
// now, given those chosen.
func (s *Search) Gain(candidate int) float64 {
	row := s.cross.Row(candidate)
	return squares(row) / float64(len(row)) / (s.variance[candidate] + s.noise)
}

// Left is the mean variance of the goal, given the observations chosen so far.
func (s *Search) Left() float64 { return s.goal }

// Next chooses the candidate of largest gain, the first of equals, and returns the mean
// variance of the goal without and with it.
func (s *Search) Next() (candidate int, before, after float64) {
	best, gain := -1, math.Inf(-1)
	for i, done := range s.chosen {
		if done {
			continue
		}
		if g := s.Gain(i); g > gain {
			best, gain = i, g
		}
	}
	before, after = s.goal, math.Max(s.goal-gain, 0)
	s.chosen[best], s.goal = true, after
	s.observe(best)
	return best, before, after
}

// observe conditions all covariances on an observation at a candidate: one step of a
// pivoted Cholesky factorisation.
func (s *Search) observe(c int) {
	d := math.Sqrt(s.variance[c] + s.noise)
	mat.Gemv(mat.NoTrans, 1, s.b, s.b.Row(c), 0, s.column)
	for _, f := range s.factor {
		mat.Axpy(-f[c], f, s.column)
	}
	f := make([]float64, len(s.column))
	for i, k := range s.column {
		f[i] = k / d
	}
	s.factor = append(s.factor, f)
	pivot := append([]float64(nil), s.cross.Row(c)...)
	for i, v := range f {
		s.variance[i] = math.Max(mat.FMA(-v, v, s.variance[i]), 0)
		mat.Axpy(-v/d, pivot, s.cross.Row(i))
	}
}
