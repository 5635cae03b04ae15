package posterior

import (
	"fmt"
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior/internal/gauss"
)

// maxCandidates bounds the candidates that are compared; their covariances with all points of the
// goal are held at once.
const maxCandidates = 1 << 15

// Placement is one sensor to add, in the order of choice.
type Placement struct {
	Candidate int // its row
	// Before and After are the goal's variance, averaged over its points, without this sensor and
	// with it. They do not depend on what it will read.
	Before, After float64
}

// Place chooses where to put count further sensors of one kind: greedily, each at the candidate
// (rows x variables) that lowers the variance of the goal most, given those before it. The goal is a
// functional at points, whose variances are averaged: system.Field(0) at points that fill the domain
// for the integrated variance of a solution, system.ParameterValue(i) at any one point for the
// variance of a parameter. With covariance k a reading at c with noise sigma lowers the variance at
// t by
//
//	k(t, c)^2 / (k(c, c) + sigma^2).
//
// It fails with a *ConfigError when there are fewer candidates than count, or the posterior has no
// uncertainty, with a *DataError for a point so far outside that variances overflow, and otherwise
// as Predict does.
func (q *Posterior) Place(sensor Sensor, candidates *mat.Dense, count int, goal Query) ([]Placement, error) {
	placements, _, err := q.PlaceAndCompare(sensor, candidates, count, goal)
	return placements, err
}

// PlaceAndCompare is Place, and returns for each candidate the goal's variance, averaged over its
// points, with a single further sensor there: what the place is worth by itself. Two good places
// next to each other are hardly better than one, so the best of these need not be those chosen.
func (q *Posterior) PlaceAndCompare(sensor Sensor, candidates *mat.Dense, count int, goal Query) (placements []Placement, alone []float64, err error) {
	rows := candidates.Rows()
	if count < 1 || count > rows {
		return nil, nil, &ConfigError{"count", fmt.Sprintf("%d sensors for %d candidates", count, rows)}
	}
	if rows > maxCandidates {
		return nil, nil, &ConfigError{"candidates", fmt.Sprintf("%d; at most %d are possible", rows, maxCandidates)}
	}
	if goal.Points.Rows() == 0 {
		return nil, nil, &ConfigError{"goal", "it has no points"}
	}
	if err := checkSigma(fmt.Sprintf("sensor %q", sensor.Name), sensor.Sigma); err != nil {
		return nil, nil, err
	}
	_, b, err := q.roots(sensor.Measures, candidates)
	if err != nil {
		return nil, nil, err
	}
	_, t, err := q.roots(goal.Functional, goal.Points)
	if err != nil {
		return nil, nil, err
	}
	for i := range t.Rows() {
		if v := squares(t.Row(i)); !finite(v) {
			return nil, nil, dataError(fmt.Sprintf("point %d of the goal", i+1), "its variance is %g: it is too far outside", v)
		}
	}
	search := gauss.NewSearch(b, t, sensor.Sigma*sensor.Sigma)
	for i := range rows {
		if !search.Finite(i) {
			return nil, nil, dataError(fmt.Sprintf("candidate %d", i+1), "its variance, or its covariance with the goal, overflows: one of them is too far outside")
		}
	}
	alone = make([]float64, rows)
	for i := range alone {
		alone[i] = math.Max(search.Left()-search.Gain(i), 0)
	}
	placements = make([]Placement, count)
	for i := range placements {
		p := &placements[i]
		p.Candidate, p.Before, p.After = search.Next()
	}
	return placements, alone, nil
}

// WithSensors returns the posterior after a further reading of a sensor at each point, as far as it
// is known in advance: the uncertainty, which does not depend on what will be read, around the
// present mean. It fails as Place does.
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
	after.after = append(slices.Clone(q.after), gauss.NewUpdate(bt, make([]float64, points.Rows())))
	return &after, nil
}
