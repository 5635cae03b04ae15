package posterior

import (
	"fmt"
	"math"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// StreamConfig says what a Stream keeps and what is asked of it.
type StreamConfig struct {
	// Window is how many readings are kept: when it is full, the oldest one
	// leaves as a new one comes. 0 is 256.
	Window int
	// Queries are what EstimateTo evaluates.
	Queries []Query
	// Threshold is the standardised innovation beyond which a reading is
	// flagged. 0 is 4.
	Threshold float64
	// Reject leaves flagged readings out, so that an outlier does no harm. Should
	// the physics no longer hold, all readings may come to be rejected; their
	// sensors are then called drifting.
	Reject bool
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

// Stream assimilates readings one at a time, in microseconds and without
// allocating, under compiled physics with its hyper-parameters held. At any time
// its estimates are the posterior of the readings that it keeps, to rounding,
// after however many it has seen. It is not safe for concurrent use.
type Stream struct {
	prior     *Prior
	triangle  triangle
	window    *window
	threshold float64
	reject    bool
	centre    []float64 // prior mean of each target: parameters, then queries
	stations  []*station
	h         []float64 // a row of H
}

// station is a sensor with what has been seen of it.
type station struct {
	Sensor
	probe   *probe
	dropped bool
	health  health

	// the row of the place where it last stood
	placed bool
	at     []float64
	b      []float64
	centre float64 // prior mean of a reading there
}

// Stream begins with no sensors and no readings. It fails with a *ConfigError, a
// *system.ProblemError when a query names what does not exist, and a *DataError
// when the row of a query is not finite.
func (p *Prior) Stream(c StreamConfig) (*Stream, error) {
	if c.Window == 0 {
		c.Window = defaultWindow
	}
	if c.Threshold == 0 {
		c.Threshold = defaultThreshold
	}
	if c.Window < 1 || c.Window > maxWindow {
		return nil, &ConfigError{"window", fmt.Sprintf("%d readings; from 1 to %d are possible", c.Window, maxWindow)}
	}
	if !(c.Threshold > 0) {
		return nil, &ConfigError{"threshold", fmt.Sprintf("%g is not a positive number", c.Threshold)}
	}
	s := &Stream{
		prior: p, triangle: newTriangle(p.weights().factor), threshold: c.Threshold, reject: c.Reject,
		h: make([]float64, len(p.weights().mean)),
	}
	targets, err := s.targets(c.Queries)
	if err != nil {
		return nil, err
	}
	s.window = newWindow(c.Window, targets)
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
	}
	for i := range queries {
		probe := newProbe(q.basis, queries[i].Functional, s.h)
		for k := range queries[i].Points.Rows() {
			known, ok := probe.at(queries[i].Points.Row(k))
			if !ok {
				return nil, dataError(fmt.Sprintf("query %d, point %d", i+1, k+1), "a coefficient is not finite")
			}
			s.triangle.mulTrans(targets.Row(len(s.centre)), s.h)
			s.centre = append(s.centre, known+mat.Dot(s.h, q.mean))
		}
	}
	return targets, nil
}

// AddSensor makes a sensor known and returns its number. It fails with a
// *system.ProblemError when it measures what does not exist, and with a
// *DataError when its sigma is not positive.
func (s *Stream) AddSensor(sensor Sensor) (number int, err error) {
	q := s.prior.q
	where := fmt.Sprintf("sensor %q", sensor.Name)
	p := system.Problem{Variables: q.variables, Fields: q.fields, Over: q.over, Parameters: make([]system.Parameter, len(q.names))}
	if err := p.ValidateFunctional(where, &sensor.Measures); err != nil {
		return 0, err
	}
	if err := checkSigma(where, sensor.Sigma); err != nil {
		return 0, err
	}
	s.stations = append(s.stations, &station{
		Sensor: sensor, probe: newProbe(s.prior.weights().basis, sensor.Measures, s.h),
		at: make([]float64, len(q.variables)), b: make([]float64, len(s.h)),
	})
	return len(s.stations) - 1, nil
}

func checkSigma(where string, sigma float64) error {
	if !(sigma > 0) || !finite(sigma*sigma) || sigma*sigma == 0 {
		return dataError(where, "sigma is %g; it must be positive", sigma)
	}
	return nil
}

// Reading is one value that a sensor reports. At has one coordinate for each
// variable. Sigma, if not 0, is its own noise; otherwise it is the sensor's.
type Reading struct {
	Sensor int
	At     []float64
	Value  float64
	Sigma  float64
}

// Innovation compares a reading with what was expected of it.
type Innovation struct {
	// Mean and SD of the reading as the physics and the readings kept so far
	// foretell it, noise included.
	Mean, SD float64
	// Standardised is (value - Mean) / SD: standard normal while sensor and
	// physics are sound.
	Standardised float64
	// Flagged tells that it is beyond the threshold.
	Flagged bool
	// Kept tells that the reading counts from now on: its sensor has not been
	// dropped, nor the reading rejected.
	Kept bool
}

// Add assimilates a reading. When the window is full the oldest reading leaves
// first, even for a reading that is then rejected. It fails with a *DataError, and then changes nothing, when the reading's
// sensor is unknown, a number is not finite, or it stands outside the variables'
// ranges.
func (s *Stream) Add(r Reading) (Innovation, error) {
	if err := s.check(&r); err != nil {
		return Innovation{}, err
	}
	st := s.stations[r.Sensor]
	if !st.place(r.At, s) {
		return Innovation{}, dataError(fmt.Sprintf("sensor %q", st.Name), "what it measures is not finite at %g", r.At)
	}
	sigma := st.Sigma
	if r.Sigma > 0 {
		sigma = r.Sigma
	}
	f := s.window.innovation(st.b, s.window.full() && !st.dropped)
	residual := r.Value - st.centre
	in := Innovation{Mean: st.centre + f.mean, SD: math.Sqrt(f.variance + float64(sigma*sigma))}
	in.Standardised = (residual - f.mean) / in.SD
	in.Flagged = math.Abs(in.Standardised) > s.threshold
	in.Kept = !st.dropped && !(in.Flagged && s.reject)
	if in.Kept {
		s.window.append(st.b, f, kept{sigma * sigma, residual, r.Sensor, r.Sigma > 0})
	}
	st.health.observe(r.Value, sigma, &in, s.threshold)
	return in, nil
}

// place makes the sensor's row where it stands now; a sensor that has not moved
// has it already.
func (st *station) place(at []float64, s *Stream) bool {
	if st.placed {
		moved := false
		for i, x := range at {
			moved = moved || x != st.at[i]
		}
		if !moved {
			return true
		}
	}
	known, ok := st.probe.at(at)
	if !ok {
		st.placed = false
		return false
	}
	s.triangle.mulTrans(st.b, s.h)
	st.centre = known + mat.Dot(s.h, s.prior.weights().mean)
	copy(st.at, at)
	st.placed = true
	return true
}

func (s *Stream) check(r *Reading) error {
	if r.Sensor < 0 || r.Sensor >= len(s.stations) {
		return dataError("reading", "there is no sensor %d", r.Sensor)
	}
	name, variables := s.stations[r.Sensor].Name, s.prior.q.variables
	if len(r.At) != len(variables) {
		return dataError(fmt.Sprintf("sensor %q", name), "%d coordinates; the model has %d variables", len(r.At), len(variables))
	}
	for i, v := range variables {
		if v.Outside(r.At[i]) {
			return dataError(fmt.Sprintf("sensor %q", name), "%s = %g is outside [%g, %g]", v.Name, r.At[i], v.Min, v.Max)
		}
	}
	if !finite(r.Value) {
		return dataError(fmt.Sprintf("sensor %q", name), "the value is %g", r.Value)
	}
	if r.Sigma != 0 {
		return checkSigma(fmt.Sprintf("sensor %q", name), r.Sigma)
	}
	return nil
}

// Len returns how many readings are kept.
func (s *Stream) Len() int { return len(s.window.order) }

// RemoveOldest forgets the oldest reading; it reports false when there is none.
func (s *Stream) RemoveOldest() bool {
	if s.Len() == 0 {
		return false
	}
	s.window.remove(0)
	return true
}

// SetSigma changes a sensor's noise: of the readings to come, and of those kept
// that did not state their own. It fails with a *DataError.
func (s *Stream) SetSigma(sensor int, sigma float64) error {
	if sensor < 0 || sensor >= len(s.stations) {
		return dataError("sensor", "there is no sensor %d", sensor)
	}
	st := s.stations[sensor]
	if err := checkSigma(fmt.Sprintf("sensor %q", st.Name), sigma); err != nil {
		return err
	}
	st.Sigma = sigma
	changed := false
	for _, p := range s.window.order {
		if k := &s.window.kept[p]; k.sensor == sensor && !k.ownSigma {
			k.sigma2, changed = sigma*sigma, true
		}
	}
	if changed {
		s.window.rebuild()
	}
	return nil
}

// Drop forgets the readings of a faulty sensor. Those to come are compared with
// what is expected, but not kept. It fails with a *DataError.
func (s *Stream) Drop(sensor int) error {
	if sensor < 0 || sensor >= len(s.stations) {
		return dataError("sensor", "there is no sensor %d", sensor)
	}
	s.stations[sensor].dropped = true
	for i := s.Len() - 1; i >= 0; i-- {
		if s.window.kept[s.window.order[i]].sensor == sensor {
			s.window.remove(i)
		}
	}
	return nil
}

// EstimateTo sets mean and sd, one element for each point of the queries in
// their order, to the posterior mean and latent standard deviation. A standard
// deviation below 1e-7 of what it is without readings is lost in rounding. It
// panics with mat.Error when the lengths are wrong.
func (s *Stream) EstimateTo(mean, sd []float64) {
	s.estimateTo(len(s.prior.q.names), len(s.centre), mean, sd)
}

// ParametersTo does the same for the unknown parameters.
func (s *Stream) ParametersTo(mean, sd []float64) {
	s.estimateTo(0, len(s.prior.q.names), mean, sd)
}

// Parameters is ParametersTo with the parameters' names.
func (s *Stream) Parameters() []ParameterEstimate {
	names := s.prior.q.names
	mean, sd, e := make([]float64, len(names)), make([]float64, len(names)), make([]ParameterEstimate, len(names))
	s.ParametersTo(mean, sd)
	for i, name := range names {
		e[i] = ParameterEstimate{Name: name, Mean: mean[i], SD: sd[i]}
	}
	return e
}

func (s *Stream) estimateTo(first, last int, mean, sd []float64) {
	if len(mean) != last-first || len(sd) != last-first {
		panic(mat.Error(fmt.Sprintf("posterior: a stream's estimates need mean and sd of length %d", last-first)))
	}
	s.window.estimate(first, mean, sd)
	for i, m := range s.centre[first:last] {
		mean[i] += m
	}
}

// Posterior returns the posterior of the readings that are kept, conditioned
// anew: for predictions elsewhere, samples, or a file.
func (s *Stream) Posterior() *Posterior {
	q := *s.prior.q
	k := s.Len()
	q.summary.Rows += k
	q.summary.Readings = k
	q.summary.Evidence = math.NaN()
	if k == 0 {
		return &q
	}
	c := *s.prior.weights()
	n := len(c.mean)
	bt, r := mat.NewDense(n, k, nil), make([]float64, k)
	for i, p := range s.window.order {
		weight := 1 / math.Sqrt(s.window.kept[p].sigma2)
		for j, v := range s.window.rows.Row(p) {
			bt.Set(j, i, weight*v)
		}
		r[i] = weight * s.window.kept[p].residual
	}
	u := newUpdate(bt, r)
	c.mean = append([]float64(nil), c.mean...)
	mat.Gemv(mat.NoTrans, 1, c.factor, u.mean(), 1, c.mean)
	c.factor = c.factor.Clone()
	u.conditionFactor(c.factor)
	q.components = []component{c}
	return &q
}
