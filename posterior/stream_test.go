package posterior

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// wavePrior is the prior of the wave with its exact solution.
func wavePrior(t testing.TB, neurons int) (*Prior, system.Func) {
	t.Helper()
	p, exact := wave(rand.New(rand.NewPCG(4, 5)), 14, 0.05)
	prior, err := FitPrior(p, Config{Neurons: neurons, Scale: []float64{4}, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	return prior, exact
}

func newStream(t testing.TB, prior *Prior, c StreamConfig, sensors ...Sensor) *Stream {
	t.Helper()
	c.NoSensors = true
	s, err := prior.Stream(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, sensor := range sensors {
		if _, err := s.AddSensor(sensor); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func add(t testing.TB, s *Stream, r Reading) Innovation {
	t.Helper()
	in, err := s.Add(r)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// streamedProblems are the problems for tests of priors.
func streamedProblems() map[string]*system.Problem {
	wide, _ := wave(rand.New(rand.NewPCG(1, 2)), 9, 0.05)
	known := rod(false)
	known.Parameters[0].Mean, known.Parameters[0].SD = 2, 0.5
	exact := rod(true)
	exact.Conditions[0].Exact = true
	sd := rod(true)
	sd.Conditions[0].SD, sd.Parameters[0].SD = 0.01, 0.5
	own := rod(true)
	own.Conditions[0].Tolerance = 1e-3
	learned, _ := wave(rand.New(rand.NewPCG(1, 2)), 30, 0.05)
	learned.Sensors[0].Sigma = nil
	return map[string]*system.Problem{
		"rod": rod(true), "wave": wide, "parameter with a prior": known, "exact condition": exact, "conditions with an sd": sd,
		"condition with a tolerance": own, "learned noise": learned, "no parameter": withoutParameters(rod(true)),
	}
}

// streamed adds a problem's readings to a stream of its prior.
func streamed(t *testing.T, p *system.Problem, s *Stream) {
	t.Helper()
	for g := range p.Sensors {
		for i, y := range p.Sensors[g].Values {
			r := Reading{Sensor: g, At: p.Sensors[g].Points.Row(i), Value: y}
			if len(p.Sensors[g].Sigma) > 1 {
				r.Sigma = p.Sensors[g].Sigma[i]
			}
			add(t, s, r)
		}
	}
}

// streamError bounds how far a stream may be from the definition, relative to a standard
// deviation.
const streamError = 1e-6

// TestStreamConditionsItsPrior: streaming the problem's readings gives the Gaussian of the prior
// conditioned on them, k(t, y) (k(y, y) + sigma^2)^-1.
func TestStreamConditionsItsPrior(t *testing.T) {
	for name, p := range streamedProblems() {
		prior, err := FitPrior(p, Config{Neurons: 20, Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		points := system.Grid(p.Variables, nil, []int{9})
		targets := []Query{{system.Field(0), points}, {system.Derivative(0, 1), points}}
		s := newStream(t, prior, StreamConfig{Queries: targets}, prior.Sensors()...)
		streamed(t, p, s)
		mean, sd := make([]float64, 18), make([]float64, 18)
		s.EstimateTo(mean, sd)
		for i := range p.Parameters {
			m, v := make([]float64, len(p.Parameters)), make([]float64, len(p.Parameters))
			s.ParametersTo(m, v)
			mean, sd = append(mean, m[i]), append(sd, v[i])
			targets = append(targets, Query{system.ParameterValue(i), points.Slice(0, 1, 0, 1)})
		}
		wantMean, wantSD := conditionedPrior(t, p, prior, targets)
		for i := range mean {
			if math.Abs(mean[i]-wantMean[i]) > streamError*wantSD[i] || relative(sd[i], wantSD[i]) > streamError {
				t.Errorf("%s, query %d: %g ± %g, want %g ± %g", name, i, mean[i], sd[i], wantMean[i], wantSD[i])
			}
		}
		for i, q := range s.Posterior().Parameters() {
			if math.Abs(mean[18+i]-q.Mean) > streamError*q.SD || relative(sd[18+i], q.SD) > streamError {
				t.Errorf("%s, parameter of the snapshot: %g ± %g, want %g ± %g", name, q.Mean, q.SD, mean[18+i], sd[18+i])
			}
		}
	}
}

// conditionedPrior conditions a prior's Gaussian on all readings of a problem by the definition.
func conditionedPrior(t *testing.T, p *system.Problem, prior *Prior, targets []Query) (mean, sd []float64) {
	t.Helper()
	q := prior.Posterior()
	rootsOf := func(f system.Functional, points *mat.Dense) ([]float64, *mat.Dense) {
		m, root, err := q.roots(f, points)
		if err != nil {
			t.Fatal(err)
		}
		return m, root
	}
	var rows []*mat.Dense
	var rest, variance []float64
	for g := range p.Sensors {
		s := &p.Sensors[g]
		m, root := rootsOf(s.Measures, s.Points)
		for i, y := range s.Values {
			sigma := prior.Sensors()[g].Sigma
			if len(s.Sigma) > 1 {
				sigma = s.Sigma[i]
			}
			rows, rest, variance = append(rows, root.Slice(i, i+1, 0, root.Cols())), append(rest, y-m[i]), append(variance, sigma*sigma)
		}
	}
	k := mat.NewSym(len(rows), nil)
	for i := range rows {
		for j := range i + 1 {
			k.Set(i, j, mat.Dot(rows[i].Row(0), rows[j].Row(0)))
		}
		k.Set(i, i, k.At(i, i)+variance[i])
	}
	var chol mat.Cholesky
	if err := chol.Factorize(k); err != nil {
		t.Fatal(err)
	}
	chol.SolveVecTo(rest, rest)
	for _, target := range targets {
		m, root := rootsOf(target.Functional, target.Points)
		for i := range m {
			cross, solved := make([]float64, len(rows)), make([]float64, len(rows))
			for j := range rows {
				cross[j] = mat.Dot(root.Row(i), rows[j].Row(0))
			}
			chol.SolveVecTo(solved, cross)
			mean = append(mean, m[i]+mat.Dot(cross, rest))
			sd = append(sd, math.Sqrt(squares(root.Row(i))-mat.Dot(cross, solved)))
		}
	}
	return mean, sd
}

// TestPriorIsWhatPhysicsSays: before any reading, mean and covariance are those of the physics
// averaged over amplitude and slack, by the definition in extended precision.
func TestPriorIsWhatPhysicsSays(t *testing.T) {
	exact := withoutParameters(rod(true))
	exact.Conditions[0].Exact = true
	own := withoutParameters(rod(true))
	own.Conditions[0].Tolerance, own.Equations[0].Tolerance = 1e-2, 1e-1
	for name, p := range map[string]*system.Problem{"open": withoutParameters(rod(true)), "exact": exact, "tolerances given": own} {
		layer := layerFor(p, 10, 3, 5)
		ph, err := Compile(p, layer, CompileConfig{Path: SquareRoot})
		if err != nil {
			t.Fatal(err)
		}
		prior, err := ph.Prior(p.Sensors)
		if err != nil {
			t.Fatal(err)
		}
		states, _, err := ph.survey(mustRead(t, ph, p.Sensors))
		if err != nil {
			t.Fatal(err)
		}
		points := column(0.05, 0.6, 1.21, 1.9)
		var mixed []mixture
		for _, s := range weighty(states) {
			square := 0.0
			for _, n := range strata(s.nodes, len(s.nodes)) {
				square += n.logWeight * n.amplitude * n.amplitude
			}
			// The slack follows the amplitude, where it is open.
			a := math.Sqrt(square)
			m := plainModelOf(p, layer, ph, a, s.tau*a)
			mu, sigma := m.under().moments()
			mean, sd := momentsOf(p, layer, system.Field(0), points, mu, sigma)
			if mixed == nil {
				mixed = make([]mixture, len(mean))
			}
			for i := range mean {
				mixed[i] = append(mixed[i], gaussian{s.logWeight, mean[i], sd[i]})
			}
		}
		mean, sd, err := prior.Posterior().Predict(system.Field(0), points)
		if err != nil {
			t.Fatal(err)
		}
		for i := range mean {
			if m, s := mixed[i].moments(); math.Abs(mean[i]-m) > streamError*s || relative(sd[i], s) > streamError {
				t.Errorf("%s, point %d: %g ± %g, want %g ± %g", name, i, mean[i], sd[i], m, s)
			}
		}
	}
}

const (
	// A Gaussian that does not know which slack and amplitude are right has a posterior that
	// may differ from Assimilate's by so many standard deviations, and these by so much.
	heldPriorMean, heldPriorSD = 0.6, 0.35
)

// TestStreamIsNearAssimilate of the same layer, which integrates over what the prior averages.
func TestStreamIsNearAssimilate(t *testing.T) {
	for name, p := range streamedProblems() {
		ph, err := Compile(p, layerFor(p, 30, 4, 5), CompileConfig{})
		if err != nil {
			t.Fatal(err)
		}
		want, err := ph.Assimilate(p.Sensors)
		if err != nil {
			t.Fatal(err)
		}
		prior, err := ph.Prior(p.Sensors)
		if err != nil {
			t.Fatal(err)
		}
		s := newStream(t, prior, StreamConfig{}, prior.Sensors()...)
		streamed(t, p, s)
		mean, sd := furthestWhereFree(t, s.Posterior(), want, heldFree)
		if !(mean < heldPriorMean && sd < heldPriorSD) {
			t.Errorf("%s: means are %.2g sd off, sd %.2g", name, mean, sd)
		}
	}
}

// disagreement is the largest difference between a stream's estimates and its readings conditioned
// from scratch, relative to the uncertainty without readings.
func disagreement(t *testing.T, s *Stream, f system.Functional, points *mat.Dense) float64 {
	t.Helper()
	n := points.Rows()
	mean, sd := make([]float64, n), make([]float64, n)
	s.EstimateTo(mean, sd)
	m, want, err1 := s.Posterior().Predict(f, points)
	_, before, err2 := s.prior.Posterior().Predict(f, points)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	worst := 0.0
	for i := range mean {
		worst = math.Max(worst, math.Max(math.Abs(mean[i]-m[i]), math.Abs(sd[i]-want[i]))/before[i])
	}
	return worst
}

func TestStreamDoesNotDriftOverAMillionReadings(t *testing.T) {
	readings := 1_000_000
	if testing.Short() {
		readings = 20_000
	}
	prior, exact := wavePrior(t, 16)
	points := system.Grid(prior.Variables(), nil, []int{7})
	s := newStream(t, prior, StreamConfig{Window: 12, Queries: []Query{{system.Field(0), points}}}, Sensor{"gauge", system.Field(0), 0.05}, Sensor{"fine", system.Derivative(0, 1), 0.002})
	random := rand.New(rand.NewPCG(6, 7))
	at := []float64{0}
	worst := 0.0
	for i := range readings {
		at[0] = -3 + float64(6*random.Float64())
		r := Reading{At: at, Value: exact(at) + float64(0.05*random.NormFloat64())}
		if random.IntN(4) == 0 {
			r = Reading{Sensor: 1, At: at, Value: float64(2*mat.Cos(2*at[0])) + 0.3 + float64(0.002*random.NormFloat64())}
		}
		add(t, s, r)
		if random.IntN(10) == 0 { // from anywhere in the window
			s.kept.Remove(random.IntN(s.Len()))
		}
		if i%(readings/100) == 0 && s.Len() > 4 {
			worst = math.Max(worst, disagreement(t, s, system.Field(0), points))
		}
	}
	if worst > 1e-9 {
		t.Errorf("after %d readings the stream is %.2g off", readings, worst)
	}
	if s.kept.Repairs() > readings/1000 {
		t.Errorf("%d audits of %d failed without reason", s.kept.Repairs(), readings)
	}
	t.Logf("worst %.2g, %d repairs", worst, s.kept.Repairs())
}

// undone bounds the trace that a removed sensor leaves, relative to the sd.
const undone = 1e-6

func TestSensorCanChangeItsNoiseAndBeDropped(t *testing.T) {
	prior, exact := wavePrior(t, 20)
	points := system.Grid(prior.Variables(), nil, []int{7})
	c := StreamConfig{Queries: []Query{{system.Field(0), points}}}
	sensors := []Sensor{{"good", system.Field(0), 0.05}, {"bad", system.Field(0), 0.05}}
	s, never, noisier := newStream(t, prior, c, sensors...), newStream(t, prior, c, sensors...), newStream(t, prior, c, sensors[0], Sensor{"bad", system.Field(0), 0.2})
	for i := range 20 {
		at := []float64{-3 + 0.3*float64(i)}
		r := Reading{Sensor: i % 2, At: at, Value: exact(at) + 0.3*float64(i%2)}
		if i == 5 {
			r.Sigma = 0.7
		}
		add(t, s, r)
		add(t, noisier, r)
		if r.Sensor == 0 {
			add(t, never, r)
		}
	}
	same := func(what string, a, b *Stream) {
		t.Helper()
		m1, s1, m2, s2 := make([]float64, 7), make([]float64, 7), make([]float64, 7), make([]float64, 7)
		a.EstimateTo(m1, s1)
		b.EstimateTo(m2, s2)
		for i := range m1 {
			if math.Abs(m1[i]-m2[i]) > undone*s2[i] || relative(s1[i], s2[i]) > undone {
				t.Errorf("%s, point %d: %g ± %g, want %g ± %g", what, i, m1[i], s1[i], m2[i], s2[i])
			}
		}
	}
	if err := s.SetSigma(1, 0.2); err != nil {
		t.Fatal(err)
	}
	same("noisier", s, noisier)
	if err := s.Drop(1); err != nil {
		t.Fatal(err)
	}
	same("dropped", s, never)
	if in := add(t, s, Reading{Sensor: 1, At: []float64{0}, Value: 9}); in.Kept || !in.Flagged || s.Len() != 10 {
		t.Errorf("a reading of a dropped sensor: %+v, %d kept", in, s.Len())
	}
	same("dropped, after one more reading", s, never)
	for range 10 {
		if !s.RemoveOldest() {
			t.Fatal("nothing to remove")
		}
	}
	if s.RemoveOldest() {
		t.Error("removed a reading of an empty window")
	}
	same("empty", s, newStream(t, prior, c))
}

func TestInnovationsAreStandardNormal(t *testing.T) {
	prior, exact := wavePrior(t, 40)
	s := newStream(t, prior, StreamConfig{Window: 40}, Sensor{"gauge", system.Field(0), 0.05})
	random := rand.New(rand.NewPCG(8, 9))
	sum, squared, flagged := 0.0, 0.0, 0
	const n = 4000
	for i := range n + 40 {
		at := []float64{-3 + float64(6*random.Float64())}
		in := add(t, s, Reading{At: at, Value: exact(at) + float64(0.05*random.NormFloat64())})
		if i >= 40 {
			sum += in.Standardised
			squared += in.Standardised * in.Standardised
			if in.Flagged {
				flagged++
			}
		}
	}
	if mean, variance := sum/n, squared/n; math.Abs(mean) > 0.1 || math.Abs(variance-1) > 0.1 || flagged > 4 {
		t.Errorf("mean %.3f, variance %.3f, %d flagged", mean, variance, flagged)
	}
	if h := s.Health(0); h.Diagnosis != Sound {
		t.Errorf("a sound sensor is called %v", h.Diagnosis)
	}
	at := []float64{1}
	if in := add(t, s, Reading{At: at, Value: exact(at) + 0.5}); !in.Flagged || !in.Kept {
		t.Errorf("an outlier of ten sigma is not flagged, or not kept: %+v", in)
	}
	s = newStream(t, prior, StreamConfig{Reject: true}, Sensor{"gauge", system.Field(0), 0.05})
	for i := range 20 {
		x := []float64{-3 + 0.3*float64(i)}
		add(t, s, Reading{At: x, Value: exact(x)})
	}
	if in := add(t, s, Reading{At: at, Value: exact(at) + 0.5}); !in.Flagged || in.Kept || s.Len() != 20 {
		t.Errorf("an outlier is not rejected: %+v", in)
	}
}

func TestFaultySensorsAreNamed(t *testing.T) {
	prior, exact := wavePrior(t, 40)
	s := newStream(t, prior, StreamConfig{Window: 60}, Sensor{"sound", system.Field(0), 0.05}, Sensor{"stuck", system.Field(0), 0.05}, Sensor{"drifting", system.Field(0), 0.05}, Sensor{"sound too", system.Field(0), 0.05})
	random := rand.New(rand.NewPCG(10, 11))
	places := []float64{-2, -1, 0.5, 2}
	named := map[int]Diagnosis{}
	for i := range 200 {
		for k, x := range places {
			value := exact([]float64{x}) + float64(0.05*random.NormFloat64())
			switch {
			case k == 1 && i > 50:
				value = exact([]float64{x})
			case k == 2 && i > 80:
				value += float64(0.01 * float64(i-80))
			}
			add(t, s, Reading{Sensor: k, At: []float64{x}, Value: value})
			if h := s.Health(k); h.Diagnosis != Sound && !h.Dropped {
				named[k] = h.Diagnosis
				if err := s.Drop(k); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if len(named) != 2 || named[1] != Stuck || named[2] != Drifting {
		t.Errorf("named were %v", named)
	}
	if h := s.Health(2); h.Diagnosis != Drifting {
		t.Errorf("dropped, %v", h)
	}
}

func TestBadReadingIsRefusedAndChangesNothing(t *testing.T) {
	prior, _ := wavePrior(t, 10)
	varying := system.Functional{Terms: []system.Term{{Coefficient: system.Func(func(x []float64) float64 { return 1 / x[0] })}}}
	s := newStream(t, prior, StreamConfig{Window: 1}, Sensor{"gauge", system.Field(0), 0.05}, Sensor{"pole", varying, 0.05})
	add(t, s, Reading{At: []float64{1}, Value: 1})
	for _, r := range []Reading{
		{Sensor: 2, At: []float64{0}}, {Sensor: -1, At: []float64{0}}, {At: nil}, {At: []float64{0, 0}}, {At: []float64{3.1}}, {At: []float64{math.NaN()}},
		{At: []float64{0}, Value: math.NaN()}, {At: []float64{0}, Value: math.Inf(1)}, {At: []float64{0}, Sigma: -1}, {At: []float64{0}, Sigma: 1e-200}, {Sensor: 1, At: []float64{0}},
	} {
		var e *DataError
		if _, err := s.Add(r); !errors.As(err, &e) || s.Len() != 1 {
			t.Errorf("%+v: error %v, %d kept", r, err, s.Len())
		}
	}
	add(t, s, Reading{Sensor: 1, At: []float64{2}, Value: 1})
	var problem *system.ProblemError
	if _, err := s.AddSensor(Sensor{"x", system.Field(3), 1}); !errors.As(err, &problem) {
		t.Errorf("error %v", err)
	}
	var data *DataError
	if _, err := s.AddSensor(Sensor{"x", system.Field(0), 0}); !errors.As(err, &data) {
		t.Errorf("error %v", err)
	}
	if s.SetSigma(5, 1) == nil || s.SetSigma(0, -1) == nil || s.Drop(9) == nil {
		t.Error("a wrong number of a sensor, or a wrong sigma, is accepted")
	}
	for _, c := range []StreamConfig{{Window: -1}, {Window: 1 << 20}, {Threshold: -1}} {
		var e *ConfigError
		if _, err := prior.Stream(c); !errors.As(err, &e) {
			t.Errorf("%+v: error %v", c, err)
		}
	}
	if _, err := prior.Stream(StreamConfig{Queries: []Query{{varying, column(0)}}}); !errors.As(err, &data) {
		t.Errorf("error %v", err)
	}
}

func TestReadingDoesNotAllocate(t *testing.T) {
	prior, exact := wavePrior(t, 60)
	points := system.Grid(prior.Variables(), nil, []int{20})
	s := newStream(t, prior, StreamConfig{Window: 30, Queries: []Query{{system.Field(0), points}}}, Sensor{"gauge", system.Field(0), 0.05})
	at, mean, sd, k := []float64{0}, make([]float64, 20), make([]float64, 20), 0
	if n := testing.AllocsPerRun(200, func() {
		k++
		at[0] = -3 + float64(0.05*float64(k%120))
		if _, err := s.Add(Reading{At: at, Value: exact(at)}); err != nil {
			t.Fatal(err)
		}
		s.EstimateTo(mean, sd)
		s.ParametersTo(mean[:1], sd[:1])
	}); n > 0 {
		t.Errorf("%g allocations for a reading and its estimates", n)
	}
}

// TestStreamThatIsAskedNothing, for numbers of weights that fill cache lines, and others.
func TestStreamThatIsAskedNothing(t *testing.T) {
	for neurons := 9; neurons < 18; neurons++ {
		p := &system.Problem{ // without parameters, too: u_xx = 0
			Variables: []system.Variable{{Name: "x", Min: 0, Max: 2}}, Fields: []string{"u"},
			Equations: []system.Demand{{Residual: system.Derivative(0, 2), Points: column(0.2, 0.6, 1, 1.4, 1.8)}},
			Sensors:   []system.Sensors{{Measures: system.Field(0), Points: column(0, 2), Values: []float64{0.2, 0.4}, Sigma: []float64{0.02}}},
		}
		prior, err := FitPrior(p, Config{Neurons: neurons, Scale: []float64{2}, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		s := newStream(t, prior, StreamConfig{Window: 5}, prior.Sensors()...)
		for i := range 12 {
			add(t, s, Reading{At: []float64{0.1 * float64(i)}, Value: 0.3})
		}
		if s.Len() != 5 {
			t.Errorf("%d neurons: %d readings are kept", neurons, s.Len())
		}
	}
}
