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

// TestStreamOfTheProblemsReadingsIsItsFit: to compile the physics and then to
// stream the readings gives the posterior that a fit gives at once.
func TestStreamOfTheProblemsReadingsIsItsFit(t *testing.T) {
	for name, problem := range map[string]func() *system.Problem{
		"rod":  func() *system.Problem { return rod(true) },
		"wave": func() *system.Problem { p, _ := wave(rand.New(rand.NewPCG(1, 2)), 9, 0.05); return p },
		"parameter with a prior": func() *system.Problem {
			p := rod(false)
			p.Parameters[0].Mean, p.Parameters[0].SD = 2, 0.5
			return p
		},
		"exact condition": func() *system.Problem {
			p := rod(true)
			p.Conditions[0].Exact = true
			return p
		},
		"conditions with an sd": func() *system.Problem {
			p := rod(true)
			p.Conditions[0].SD = 0.01
			p.Parameters[0].SD = 0.5
			return p
		},
		"learned noise": func() *system.Problem {
			p, _ := wave(rand.New(rand.NewPCG(1, 2)), 30, 0.05)
			p.Sensors[0].Sigma = nil
			return p
		},
	} {
		p := problem()
		c := Config{Neurons: 20, Seed: 2, Ensemble: 1}
		want, err := Fit(p, c)
		if err != nil {
			t.Fatal(err)
		}
		prior, err := FitPrior(p, c)
		if err != nil {
			t.Fatal(err)
		}
		points := system.Grid(p.Variables, nil, []int{9})
		s := newStream(t, prior, StreamConfig{Queries: []Query{{system.Field(0), points}, {system.Derivative(0, 1), points}}}, prior.Sensors()...)
		for g := range p.Sensors {
			for i, y := range p.Sensors[g].Values {
				r := Reading{Sensor: g, At: p.Sensors[g].Points.Row(i), Value: y}
				if len(p.Sensors[g].Sigma) > 1 {
					r.Sigma = p.Sensors[g].Sigma[i]
				}
				add(t, s, r)
			}
		}
		mean, sd := make([]float64, 18), make([]float64, 18)
		s.EstimateTo(mean, sd)
		m1, s1, err1 := want.Predict(system.Field(0), points)
		m2, s2, err2 := want.Predict(system.Derivative(0, 1), points)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		m1, s1 = append(m1, m2...), append(s1, s2...)
		for i := range mean {
			if math.Abs(mean[i]-m1[i]) > 1e-6*s1[i] || relative(sd[i], s1[i]) > 1e-6 {
				t.Errorf("%s, query %d: %g ± %g, fit says %g ± %g", name, i, mean[i], sd[i], m1[i], s1[i])
			}
		}
		s.ParametersTo(mean[:1], sd[:1])
		if q := want.Parameters()[0]; math.Abs(mean[0]-q.Mean) > 1e-6*q.SD || relative(sd[0], q.SD) > 1e-6 {
			t.Errorf("%s, parameter: %g ± %g, fit says %g ± %g", name, mean[0], sd[0], q.Mean, q.SD)
		}
		if q := s.Posterior().Parameters()[0]; math.Abs(mean[0]-q.Mean) > 1e-6*q.SD || relative(sd[0], q.SD) > 1e-6 {
			t.Errorf("%s, parameter of the snapshot: %g ± %g", name, q.Mean, q.SD)
		}
	}
}

// disagreement is the largest difference between a stream's estimates and its
// readings conditioned anew, relative to what was uncertain without readings.
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
			s.window.remove(random.IntN(s.Len()))
		}
		if i%(readings/100) == 0 && s.Len() > 4 {
			worst = math.Max(worst, disagreement(t, s, system.Field(0), points))
		}
	}
	if worst > 1e-9 {
		t.Errorf("after %d readings the stream is %.2g off", readings, worst)
	}
	if s.window.repairs > readings/1000 {
		t.Errorf("%d audits of %d failed without reason", s.window.repairs, readings)
	}
	t.Logf("worst %.2g, %d repairs", worst, s.window.repairs)
}

func TestStreamRepairsItself(t *testing.T) {
	prior, exact := wavePrior(t, 20)
	points := system.Grid(prior.Variables(), nil, []int{7})
	s := newStream(t, prior, StreamConfig{Window: 8, Queries: []Query{{system.Field(0), points}}}, Sensor{"gauge", system.Field(0), 0.05})
	random := rand.New(rand.NewPCG(6, 7))
	reading := func() Reading {
		at := []float64{-3 + float64(6*random.Float64())}
		return Reading{At: at, Value: exact(at)}
	}
	for range 20 {
		add(t, s, reading())
	}
	for _, factor := range []float64{1.5, math.NaN()} {
		before := s.window.repairs
		column := s.window.columns.Row(s.window.order[6])
		for i := range column {
			column[i] *= factor
		}
		for range 3 {
			add(t, s, reading())
		}
		for range 2 * 8 { // until every slot has been audited
			s.window.audit()
		}
		if s.window.repairs == before {
			t.Errorf("the factor was multiplied by %v and nothing noticed", factor)
		}
		if d := disagreement(t, s, system.Field(0), points); !(d < 1e-9) {
			t.Errorf("repaired, the stream is %g off", d)
		}
	}
}

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
			if math.Abs(m1[i]-m2[i]) > 1e-9*s2[i] || relative(s1[i], s2[i]) > 1e-9 {
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
	if h := s.Health(0); h.Condition != Sound {
		t.Errorf("a sound sensor is called %v", h.Condition)
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
	named := map[int]Condition{}
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
			if h := s.Health(k); h.Condition != Sound && !h.Dropped {
				named[k] = h.Condition
				if err := s.Drop(k); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if len(named) != 2 || named[1] != Stuck || named[2] != Drifting {
		t.Errorf("named were %v", named)
	}
	if h := s.Health(2); h.Condition != Drifting {
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

// TestStreamThatIsAskedNothing, for numbers of weights that fill lines of the cache
// and others.
func TestStreamThatIsAskedNothing(t *testing.T) {
	for neurons := 9; neurons < 18; neurons++ {
		p := &system.Problem{ // without parameters, too: u_xx = 0
			Variables: []system.Variable{{Name: "x", Min: 0, Max: 2}}, Fields: []string{"u"},
			Equations: []system.Equation{{Residual: system.Derivative(0, 2), Points: column(0.2, 0.6, 1, 1.4, 1.8)}},
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
