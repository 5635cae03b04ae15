package posterior

import (
	"fmt"
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// maxCandidates bounds the places that are compared; the covariances with all
// points of the goal are held at once.
const maxCandidates = 1 << 15

// Placement is one sensor to add, in the order of choice.
type Placement struct {
	Candidate int // its row
	// Before and After are the goal's variance, the mean over its points,
	// without this sensor and with it. They do not depend on what it will read.
	Before, After float64
}

// Place chooses where to put count further sensors of one kind: greedily, each
// at the candidate (rows x variables) that lowers the variance of the goal most,
// given those before it. The goal is a functional at points, whose variances are
// averaged: system.Field(0) at points that fill the domain for the integrated
// variance of a solution, system.ParameterValue(i) at any one point for the
// variance of a parameter. With covariance k a reading at c with noise sigma
// lowers the variance at t by
//
//	k(t, c)^2 / (k(c, c) + sigma^2).
//
// It fails with a *ConfigError when fewer candidates than count are given, or the
// posterior has no uncertainty, with a *DataError for a place so far outside that
// variances overflow, and otherwise as Predict does.
func (q *Posterior) Place(sensor Sensor, candidates *mat.Dense, count int, goal Query) ([]Placement, error) {
	rows := candidates.Rows()
	if count < 1 || count > rows {
		return nil, &ConfigError{"count", fmt.Sprintf("%d sensors for %d candidates", count, rows)}
	}
	if rows > maxCandidates {
		return nil, &ConfigError{"candidates", fmt.Sprintf("%d; at most %d are possible", rows, maxCandidates)}
	}
	if goal.Points.Rows() == 0 {
		return nil, &ConfigError{"goal", "it has no points"}
	}
	if err := checkSigma(fmt.Sprintf("sensor %q", sensor.Name), sensor.Sigma); err != nil {
		return nil, err
	}
	_, b, err := q.roots(sensor.Measures, candidates)
	if err != nil {
		return nil, err
	}
	_, t, err := q.roots(goal.Functional, goal.Points)
	if err != nil {
		return nil, err
	}
	s := newSearchForPlaces(b, t, sensor.Sigma)
	placements := make([]Placement, count)
	if err := s.overflows(t); err != nil {
		return nil, err
	}
	for i := range placements {
		placements[i] = s.next()
	}
	return placements, nil
}

// searchForPlaces holds covariances as the sensors chosen so far leave them.
type searchForPlaces struct {
	b        *mat.Dense // square roots of the candidates' covariance at first
	cross    *mat.Dense // candidates x goal
	variance []float64  // of each candidate's functional
	noise2   float64
	goal     float64   // variance of the goal
	chosen   []bool    // candidates
	directed []float64 // a column of the candidates' covariance, and
	factor   [][]float64
}

func newSearchForPlaces(b, t *mat.Dense, sigma float64) *searchForPlaces {
	s := &searchForPlaces{
		b: b, cross: mat.NewDense(b.Rows(), t.Rows(), nil), variance: make([]float64, b.Rows()), noise2: sigma * sigma,
		chosen: make([]bool, b.Rows()), directed: make([]float64, b.Rows()),
	}
	mat.Gemm(mat.NoTrans, mat.Trans, 1, b, t, 0, s.cross)
	for i := range s.variance {
		s.variance[i] = squares(b.Row(i))
	}
	for i := range t.Rows() {
		s.goal += squares(t.Row(i))
	}
	s.goal /= float64(t.Rows())
	return s
}

// overflows refuses what no gain can be computed of: further sensors only make these numbers smaller.
// The rows of t are the square roots of the goal's covariance.
func (s *searchForPlaces) overflows(t *mat.Dense) error {
	for i := range t.Rows() {
		if v := squares(t.Row(i)); !finite(v) {
			return dataError(fmt.Sprintf("point %d of the goal", i+1), "its variance is %g: it is too far outside", v)
		}
	}
	for i, v := range s.variance {
		if !finite(v) || !finite(s.goal) || !finite(squares(s.cross.Row(i))) {
			return dataError(fmt.Sprintf("candidate %d", i+1), "its variance, or its covariance with the goal, overflows: one of them is too far outside")
		}
	}
	return nil
}

// next chooses the candidate of largest gain, the first of equals.
func (s *searchForPlaces) next() Placement {
	best, gain := -1, math.Inf(-1)
	for i, done := range s.chosen {
		if done {
			continue
		}
		row := s.cross.Row(i)
		if g := squares(row) / float64(len(row)) / (s.variance[i] + s.noise2); g > gain {
			best, gain = i, g
		}
	}
	p := Placement{Candidate: best, Before: s.goal, After: math.Max(s.goal-gain, 0)}
	s.chosen[best], s.goal = true, p.After
	s.deflate(best)
	return p
}

// deflate conditions all covariances on a reading at a candidate: one step of a
// Cholesky factorisation with pivoting.
func (s *searchForPlaces) deflate(c int) {
	d := math.Sqrt(s.variance[c] + s.noise2)
	mat.Gemv(mat.NoTrans, 1, s.b, s.b.Row(c), 0, s.directed)
	for _, f := range s.factor {
		mat.Axpy(-f[c], f, s.directed)
	}
	f := make([]float64, len(s.directed))
	for i, k := range s.directed {
		f[i] = k / d
	}
	s.factor = append(s.factor, f)
	pivot := append([]float64(nil), s.cross.Row(c)...)
	for i, v := range f {
		s.variance[i] = math.Max(mat.FMA(-v, v, s.variance[i]), 0)
		mat.Axpy(-v/d, pivot, s.cross.Row(i))
	}
}

// WithSensors returns the posterior as a further reading of a sensor at each
// point will leave it, as far as that can be told before: the uncertainty, which
// does not depend on what will be read, around the mean of today. It fails as
// Place does.
func (q *Posterior) WithSensors(sensor Sensor, points *mat.Dense) (*Posterior, error) {
	if err := checkSigma(fmt.Sprintf("sensor %q", sensor.Name), sensor.Sigma); err != nil {
		return nil, err
	}
	_, b, err := q.roots(sensor.Measures, points)
	if err != nil {
		return nil, err
	}
	after := *q
	if points.Rows() == 0 {
		return &after, nil
	}
	bt := b.Transpose()
	bt.Scale(1 / sensor.Sigma)
	after.after = append(slices.Clone(q.after), newUpdate(bt, make([]float64, points.Rows())))
	return &after, nil
}
