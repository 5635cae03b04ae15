package posterior

import (
	"fmt"
	"math"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior/internal/gauss"
	"github.com/bpielm/bpielm/system"
)

// StreamConfig configures a Stream.
type StreamConfig struct {
	// Window is how many readings are kept: when it is full, each new one replaces the oldest. 0 is
	// 256.
	Window int
	// NoSensors leaves out the prior's sensors, for callers that add sensors as they turn up.
	NoSensors bool
	// Queries are what EstimateTo evaluates.
	Queries []Query
	// Threshold is the standardised innovation beyond which a reading is flagged; one that is left
	// out always is. 0 is 4.
	Threshold float64
	// Reject leaves flagged readings out, so that an outlier does no harm.
	Reject bool
	// Absurd is the standardised innovation beyond which a reading is left out even without Reject. 0
	// is 20: a sensor whose noise is stated five times too small reaches that about once in 16,000
	// readings. math.Inf(1) leaves none out.
	Absurd float64
}

// Query asks for a functional, such as system.Field(0), at points (n x variables).
type Query struct {
	Functional system.Functional
	Points     *mat.Dense
}

const (
	defaultWindow    = 256
	maxWindow        = 1 << 16
	defaultThreshold = 4
)

// Stream assimilates readings one at a time, in microseconds and without allocating, under a Prior.
// Its estimates are always the posterior given the readings that it keeps, to rounding, however many
// it has seen and whatever their values were. It is not safe for concurrent use.
//
// Readings far from what is expected are left out (see StreamConfig.Absurd). One that was kept while
// little was known is dropped when others show that it was wrong. But when the readings left out
// outnumber those taken in the meantime by twelve, or by more than are kept, and the physics can
// explain the last of them together, the level has shifted: they then replace the readings kept. A
// sensor that contradicts several others stays out, and is called drifting; a single stuck sensor
// stays out for at most as many readings as are kept.
type Stream struct {
	prior     *Prior
	triangle  triangle
	kept      *keptReadings
	shift     shift
	judged    int       // the last reading that was checked again, counted from the oldest
	threshold float64   // beyond which a reading is flagged
	limit     float64   // beyond which it is left out
	centre    []float64 // prior mean of each target: parameters, then queries
	stations  []*station
	h         []float64 // a row of H
}

// Stream starts with no readings, and with the sensors that Sensors lists, numbered in its order. It
// fails with a *ConfigError, a *system.ProblemError when a query names what does not exist, and a
// *DataError when the row of a query, or its prior mean or variance, is not finite.
func (p *Prior) Stream(c StreamConfig) (*Stream, error) {
	if c.Window == 0 {
		c.Window = defaultWindow
	}
	if c.Threshold == 0 {
		c.Threshold = defaultThreshold
	}
	if c.Absurd == 0 {
		c.Absurd = defaultAbsurd
	}
	if c.Window < 1 || c.Window > maxWindow {
		return nil, &ConfigError{"window", fmt.Sprintf("%d readings; from 1 to %d are possible", c.Window, maxWindow)}
	}
	if !(c.Threshold > 0) {
		return nil, &ConfigError{"threshold", fmt.Sprintf("%g is not a positive number", c.Threshold)}
	}
	if !(c.Absurd > 0) {
		return nil, &ConfigError{"absurd", fmt.Sprintf("%g is not a positive number", c.Absurd)}
	}
	if c.Reject {
		c.Absurd = math.Min(c.Absurd, c.Threshold)
	}
	s := &Stream{
		prior: p, triangle: newTriangle(p.weights().factor), threshold: math.Min(c.Threshold, c.Absurd), limit: c.Absurd,
		h: make([]float64, len(p.weights().mean)),
	}
	targets, err := s.targets(c.Queries)
	if err != nil {
		return nil, err
	}
	s.kept = newKeptReadings(c.Window, len(p.q.variables), targets)
	s.shift = newShift(len(p.q.variables), len(s.h))
	for _, sensor := range p.sensors {
		if c.NoSensors {
			break
		}
		if _, err := s.AddSensor(sensor); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// targets makes the rows of parameters and queries in the coordinates v.
func (s *Stream) targets(queries []Query) (*mat.Dense, error) {
	q := s.prior.weights()
	count, n := q.basis.Parameters, len(q.mean)
	for i := range queries {
		if err := s.prior.q.check(&queries[i].Functional, queries[i].Points); err != nil {
			return nil, err
		}
		count += queries[i].Points.Rows()
	}
	targets := mat.NewDense(count, n, nil)
	for i := range q.basis.Parameters {
		column := q.basis.ParameterColumn(i)
		copy(targets.Row(i), q.factor.Row(column))
		s.centre = append(s.centre, q.mean[column])
		if !answerable(q.mean[column], targets.Row(i)) {
			return nil, dataError("parameter "+s.prior.q.names[i], tooLarge)
		}
	}
	for i := range queries {
		probe := newProbe(q.basis, queries[i].Functional, s.h)
		for k := range queries[i].Points.Rows() {
			where := fmt.Sprintf("query %d, point %d", i+1, k+1)
			known, ok := probe.at(queries[i].Points.Row(k))
			if !ok {
				return nil, dataError(where, "a coefficient is not finite")
			}
			row, centre := targets.Row(len(s.centre)), known+mat.Dot(s.h, q.mean)
			s.triangle.mulTrans(row, s.h)
			if !answerable(centre, row) {
				return nil, dataError(where, tooLarge)
			}
			s.centre = append(s.centre, centre)
		}
	}
	return targets, nil
}

// tooLarge is why something is not answerable.
const tooLarge = "its prior mean or variance is not finite, or too large"

// answerable tells whether a prior mean, and a root of the prior variance, are small enough for an
// answer.
func answerable(centre float64, root []float64) bool {
	return math.Abs(centre) <= largestValue && finite(squares(root))
}

// Reading is one value that a sensor reports, from -1e120 to 1e120. At has one coordinate for each
// variable. Sigma, if not 0, is the reading's own noise; otherwise the sensor's applies. Noise below
// a millionth of the prior sd of the reading is lost in rounding, and counts as that much.
type Reading struct {
	Sensor int
	At     []float64
	Value  float64
	Sigma  float64 `json:",omitempty"`
}

// Innovation compares a reading with its prediction.
type Innovation struct {
	// Mean and SD of the reading as predicted by the physics and the readings kept so far, noise
	// included.
	Mean, SD float64
	// Standardised is (value - Mean) / SD: standard normal while sensor and physics are sound.
	Standardised float64
	// Flagged tells that it is beyond the threshold.
	Flagged bool
	// Kept tells that the reading counts from now on: its sensor is not dropped, and the reading is
	// not left out.
	Kept bool
	// Shifted tells that the level has shifted: readings left out before have replaced those that
	// were kept.
	Shifted bool
	// Recalled is how many readings kept earlier have now been shown to be absurd, by this one and
	// others: they are left out from now on.
	Recalled int
}

// Add assimilates a reading. When the window is full the oldest reading leaves first, even for a
// reading that is then left out. It fails with a *DataError, and then changes nothing, when the
// reading's sensor is unknown, a number is not finite or too large, or the reading is outside the
// variables' ranges.
func (s *Stream) Add(r Reading) (Innovation, error) {
	if err := s.check(&r); err != nil {
		return Innovation{}, err
	}
	st := s.stations[r.Sensor]
	if !st.place(r.At, s) {
		return Innovation{}, dataError(fmt.Sprintf("sensor %q", st.Name), "what it measures is not finite at %g", r.At)
	}
	f := s.kept.Forecast(st.b, s.kept.Full() && !st.dropped)
	residual, variance := r.Value-st.centre, gauss.NoiseVariance(st.sigma(&r), f.Norm2)
	in := Innovation{Mean: st.centre + f.Mean, SD: math.Sqrt(f.Variance + variance)}
	in.Standardised = (residual - f.Mean) / in.SD
	in.Flagged = math.Abs(in.Standardised) > s.threshold
	in.Kept = !st.dropped && math.Abs(in.Standardised) <= s.limit
	st.health.observe(r.Value, st.sigma(&r), &in, s.threshold)
	switch {
	case in.Kept:
		s.kept.append(&r, st.b, f, residual, variance)
		s.shift.keptOne()
		if !math.IsInf(s.limit, 1) {
			in.Recalled = s.recall()
		}
	case !st.dropped && s.shifted(st, &r, residual, variance):
		s.takeShift()
		in.Kept, in.Shifted = true, true
	}
	st.health.last = in
	return in, nil
}

func (s *Stream) check(r *Reading) error {
	if r.Sensor < 0 || r.Sensor >= len(s.stations) {
		return dataError("reading", "there is no sensor %d", r.Sensor)
	}
	return s.Check(s.stations[r.Sensor].Name, r)
}

// Check fails with a *DataError as Add does, but needs no sensor number: it can reject an invalid
// reading before its sensor is added.
func (s *Stream) Check(name string, r *Reading) error {
	variables := s.prior.q.variables
	refuse := func(format string, args ...any) error {
		return dataError(fmt.Sprintf("sensor %q", name), format, args...)
	}
	if len(r.At) != len(variables) {
		return refuse("%d coordinates; the model has %d variables", len(r.At), len(variables))
	}
	for i, v := range variables {
		if v.Outside(r.At[i]) {
			return refuse("%s = %g is outside [%g, %g]", v.Name, r.At[i], v.Min, v.Max)
		}
	}
	if !(math.Abs(r.Value) <= largestValue) {
		return refuse("the value is %g; at most %g is possible", r.Value, largestValue)
	}
	if r.Sigma != 0 {
		return checkSigma(fmt.Sprintf("sensor %q", name), r.Sigma)
	}
	return nil
}

// Len returns how many readings are kept.
func (s *Stream) Len() int { return s.kept.Len() }

// RemoveOldest removes the oldest reading; it returns false when there is none.
func (s *Stream) RemoveOldest() bool {
	if s.Len() == 0 {
		return false
	}
	s.kept.Remove(0)
	return true
}
