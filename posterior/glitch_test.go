package posterior

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/bpielm/bpielm/system"
)

// keepAll keeps readings however absurd.
var keepAll = math.Inf(1)

// streamRounding bounds the distance of a stream from its readings conditioned from scratch,
// relative to the uncertainty without readings.
const streamRounding = 1e-9

// sharedWave is fitted once.
var sharedWave struct {
	sync.Once
	prior *Prior
	exact system.Func
}

// waved is a stream of the wave with one gauge, and the readings it gets.
func waved(t *testing.T, c StreamConfig, sensors ...Sensor) (s *Stream, next func() Reading) {
	t.Helper()
	sharedWave.Do(func() { sharedWave.prior, sharedWave.exact = wavePrior(t, 20) })
	prior, exact := sharedWave.prior, sharedWave.exact
	c.Queries = []Query{{system.Field(0), system.Grid(prior.Variables(), nil, []int{7})}}
	if sensors == nil {
		sensors = []Sensor{{"gauge", system.Field(0), 0.05}}
	}
	random := rand.New(rand.NewPCG(6, 7))
	return newStream(t, prior, c, sensors...), func() Reading {
		at := []float64{-3 + float64(6*random.Float64())}
		return Reading{At: at, Value: exact(at) + float64(0.05*random.NormFloat64())}
	}
}

func offBy(t *testing.T, s *Stream) float64 {
	t.Helper()
	return disagreement(t, s, system.Field(0), system.Grid(s.prior.Variables(), nil, []int{7}))
}

// TestGlitchLeavesNothingBehind after it has left the window, or its sensor was dropped, however
// large it was.
func TestGlitchLeavesNothingBehind(t *testing.T) {
	for _, glitch := range []float64{1e3, 1e6, 1e9, 1e15, -1e30, 1e120} {
		for _, way := range []string{"evicted", "dropped", "removed"} {
			s, next := waved(t, StreamConfig{Window: 12, Absurd: keepAll}, Sensor{"gauge", system.Field(0), 0.05}, Sensor{"bad", system.Field(0), 0.05})
			for range 7 {
				add(t, s, next())
			}
			bad := next()
			bad.Sensor, bad.Value = 1, glitch
			if in := add(t, s, bad); !in.Kept || !in.Flagged {
				t.Fatalf("%g: %+v", glitch, in)
			}
			for range 6 {
				add(t, s, next())
			}
			switch way {
			case "evicted":
				for range 6 {
					add(t, s, next())
				}
			case "dropped":
				if err := s.Drop(1); err != nil {
					t.Fatal(err)
				}
			case "removed":
				for range 6 {
					s.RemoveOldest()
				}
			}
			for _, r := range s.State().Readings {
				if r.Sensor == 1 {
					t.Fatalf("%g, %s: it is still there", glitch, way)
				}
			}
			if d := offBy(t, s); !(d < streamRounding) {
				t.Errorf("%g, %s: the stream is %.2g off", glitch, way, d)
			}
		}
	}
}

// TestNoiseOfAnySizeDoesNoHarm to the estimates of the readings kept.
func TestNoiseOfAnySizeDoesNoHarm(t *testing.T) {
	for _, sigma := range []float64{1e-120, 1e-30, 1e-9, 1e9, 1e60, 1e120} {
		s, next := waved(t, StreamConfig{Window: 8, Absurd: keepAll})
		for i := range 30 {
			r := next()
			if i == 12 || i == 13 {
				r.Sigma = sigma
			}
			add(t, s, r)
			mean, sd := make([]float64, 7), make([]float64, 7)
			s.EstimateTo(mean, sd)
			for k := range mean {
				if !finite(mean[k]) || !finite(sd[k]) {
					t.Fatalf("sigma %g, reading %d: %g ± %g", sigma, i, mean[k], sd[k])
				}
			}
		}
		if d := offBy(t, s); !(d < streamRounding) {
			t.Errorf("sigma %g: the stream is %.2g off", sigma, d)
		}
	}
}

// TestExactReadingsThatContradict each other are averaged.
func TestExactReadingsThatContradict(t *testing.T) {
	prior, _ := waved(t, StreamConfig{})
	middle := column(0.5)
	for _, sigma := range []float64{1e-9, 1e-30, 1e-120} {
		s := newStream(t, prior.prior, StreamConfig{Window: 8, Absurd: keepAll, Queries: []Query{{system.Field(0), middle}}}, Sensor{"gauge", system.Field(0), sigma})
		for i := range 20 {
			add(t, s, Reading{At: middle.Row(0), Value: 3 + float64(i%2)})
		}
		mean, sd := make([]float64, 1), make([]float64, 1)
		s.EstimateTo(mean, sd)
		if math.Abs(mean[0]-3.5) > 0.01 {
			t.Errorf("sigma %g: %g ± %g", sigma, mean[0], sd[0])
		}
		if d := disagreement(t, s, system.Field(0), middle); !(d < streamRounding*100) {
			t.Errorf("sigma %g: the stream is %.2g off", sigma, d)
		}
	}
}

func TestValuesAndNoiseBeyondReasonAreRefused(t *testing.T) {
	s, next := waved(t, StreamConfig{Absurd: keepAll})
	add(t, s, next())
	for _, change := range []func(r *Reading){
		func(r *Reading) { r.Value = 1e308 }, func(r *Reading) { r.Value = -1.1e120 }, func(r *Reading) { r.Sigma = 1e121 }, func(r *Reading) { r.Sigma = 1e-121 },
	} {
		r := next()
		change(&r)
		var data *DataError
		if _, err := s.Add(r); !errors.As(err, &data) || s.Len() != 1 {
			t.Errorf("%+v: error %v, %d kept", r, err, s.Len())
		}
	}
	if s.SetSigma(0, 1e121) == nil {
		t.Error("a noise of 1e121 is accepted")
	}
	var config *ConfigError
	for _, absurd := range []float64{-1, math.NaN()} {
		if _, err := s.prior.Stream(StreamConfig{Absurd: absurd}); !errors.As(err, &config) {
			t.Errorf("absurd %g: error %v", absurd, err)
		}
	}
}

// TestAbsurdReadingIsLeftOut, wherever in the stream it comes: in the end the estimates are those
// without it, except for the few readings before it was detected.
func TestAbsurdReadingIsLeftOut(t *testing.T) {
	for _, glitch := range []float64{30, 500, -1e6, 1e100} {
		for place := range 30 {
			s, next := waved(t, StreamConfig{Window: 100})
			without, _ := waved(t, StreamConfig{Window: 100})
			kept := 0
			for i := range 50 {
				r := next()
				if i == place {
					r.Value += glitch
					if !add(t, s, r).Kept {
						kept++
					}
					continue
				}
				add(t, s, r)
				add(t, without, r)
			}
			if place >= 5 && (kept != 1 || s.Len() != 49) {
				t.Errorf("a glitch of %g at %d: left out %d, %d of 50 are kept", glitch, place, kept, s.Len())
			}
			if s.Len() < 40 {
				t.Errorf("a glitch of %g at %d: %d of 50 are kept", glitch, place, s.Len())
			}
			a, b := s.Parameters()[0], without.Parameters()[0]
			if math.Abs(a.Mean-b.Mean) > b.SD || a.SD > 1.2*b.SD {
				t.Errorf("a glitch of %g at %d: %g ± %g, without it %g ± %g", glitch, place, a.Mean, a.SD, b.Mean, b.SD)
			}
		}
	}
	s, next := waved(t, StreamConfig{Absurd: keepAll})
	for range 20 {
		add(t, s, next())
	}
	r := next()
	r.Value += 500
	if in := add(t, s, r); !in.Flagged || !in.Kept {
		t.Errorf("all are to be kept: %+v", in)
	}
	s, next = waved(t, StreamConfig{Threshold: 1e9})
	for range 20 {
		add(t, s, next())
	}
	if in := add(t, s, r); !in.Flagged || in.Kept {
		t.Errorf("left out without a word: %+v", in)
	}
}

// TestKeptReadingIsJudgedAnew: its deviation from the prediction by the others is its innovation in
// a stream of the others.
func TestKeptReadingIsJudgedAnew(t *testing.T) {
	s, next := waved(t, StreamConfig{Window: 12, Absurd: keepAll})
	for range 30 {
		add(t, s, next())
	}
	list := s.State().Readings
	for i, r := range list {
		others, _ := waved(t, StreamConfig{Absurd: keepAll})
		for k, other := range list {
			if k != i {
				add(t, others, other)
			}
		}
		if got, want := s.kept.LeftOut(i), add(t, others, r).Standardised; math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
			t.Errorf("reading %d: %g, want %g", i, got, want)
		}
	}
	if d := offBy(t, s); !(d < streamRounding) {
		t.Errorf("judged, the stream is %.2g off", d)
	}
}

// TestGlitchThatWasKeptIsRecalled by the readings after it, and nothing else is.
func TestGlitchThatWasKeptIsRecalled(t *testing.T) {
	for _, before := range []int{3, 8, 30} {
		s, next := waved(t, StreamConfig{Window: 100})
		without, _ := waved(t, StreamConfig{Window: 100})
		recalled := 0
		for i := range before + 20 {
			r := next()
			if i == before {
				r.Value += 3
				s.limit = keepAll
				add(t, s, r)
				s.limit = defaultAbsurd
				continue
			}
			recalled += add(t, s, r).Recalled
			add(t, without, r)
		}
		if recalled != 1 || s.Len() != before+19 {
			t.Errorf("after %d readings: %d are recalled, %d of %d are kept", before, recalled, s.Len(), before+20)
		}
		a, b := s.Parameters()[0], without.Parameters()[0]
		if math.Abs(a.Mean-b.Mean) > undone*b.SD || relative(a.SD, b.SD) > undone {
			t.Errorf("after %d readings: %g ± %g, without it %g ± %g", before, a.Mean, a.SD, b.Mean, b.SD)
		}
	}
}

// TestLevelShiftIsNoticedAndTaken even with glitches in between.
func TestLevelShiftIsNoticedAndTaken(t *testing.T) {
	for _, reject := range []bool{false, true} {
		s, next := waved(t, StreamConfig{Window: 40, Reject: reject})
		shifts, at := 0, 0
		for i := range 120 {
			r := next()
			if i >= 60 {
				r.Value += 5
			}
			if i%9 == 4 {
				r.Value = 1e15
			}
			if in := add(t, s, r); in.Shifted {
				shifts++
				at = i
				if !in.Kept || s.Len() != mostOfShift || s.Health(0).Diagnosis != Sound {
					t.Errorf("after the shift %d are kept: %+v", s.Len(), in)
				}
			}
			if i >= 60 && i < 70 && s.Health(0).Last.Kept {
				t.Errorf("reading %d, after the jump, is kept", i)
			}
		}
		if shifts != 1 || at > 60+mostOfShift+mostOfShift/8+1 {
			t.Errorf("reject %v: %d shifts, the last at %d", reject, shifts, at)
		}
		mean, sd := make([]float64, 7), make([]float64, 7)
		s.EstimateTo(mean, sd)
		exact := sharedWave.exact
		for i, x := range []float64{-3, -2, -1, 0, 1, 2, 3} {
			if want := exact([]float64{x}) + 5; math.Abs(mean[i]-want) > 4*sd[i]+0.02 {
				t.Errorf("reject %v, x = %g: %g ± %g, want %g", reject, x, mean[i], sd[i], want)
			}
		}
		if h := s.Health(0); h.Diagnosis != Sound {
			t.Errorf("after the shift the sensor is called %v", h.Diagnosis)
		}
	}
}

// TestFaultySensorIsNoLevelShift: one of several sensors that jumps stays out and is called
// drifting, and so does a single sensor that is stuck far off.
func TestFaultySensorIsNoLevelShift(t *testing.T) {
	three := []Sensor{{"a", system.Field(0), 0.05}, {"b", system.Field(0), 0.05}, {"c", system.Field(0), 0.05}}
	s, next := waved(t, StreamConfig{Window: 40}, three...)
	for i := range 400 {
		r := next()
		r.Sensor = i % 3
		if r.Sensor == 1 && i > 60 {
			r.Value += 5
		}
		if in := add(t, s, r); in.Shifted || in.Kept != (r.Sensor != 1 || i <= 60) {
			t.Fatalf("reading %d of sensor %d: %+v", i, r.Sensor, in)
		}
	}
	if a, b := s.Health(0).Diagnosis, s.Health(1).Diagnosis; a != Sound || b != Drifting {
		t.Errorf("a sound sensor is called %v, the other %v", a, b)
	}
	s, next = waved(t, StreamConfig{Window: 50})
	for i := range 200 {
		r := next()
		if i > 40 && i < 80 || i > 100 {
			r.Value = 9
		}
		if in := add(t, s, r); in.Shifted != (i == 151) || in.Kept != (i <= 40 || i >= 80 && i <= 100 || i >= 151) {
			t.Fatalf("reading %d: %+v", i, in)
		}
	}
}

// TestLevelShiftIsTakenDespiteAFaultySensor that agrees neither with the old level nor with the new
// one.
func TestLevelShiftIsTakenDespiteAFaultySensor(t *testing.T) {
	var six []Sensor
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		six = append(six, Sensor{name, system.Field(0), 0.05})
	}
	for _, stuck := range []bool{false, true} {
		s, next := waved(t, StreamConfig{Window: 40}, six...)
		shifts := 0
		for i := range 200 {
			r := next()
			r.Sensor = i % 6
			if i > 80 {
				r.Value += 5
			}
			if r.Sensor == 3 && stuck {
				r.Value = 30
			} else if r.Sensor == 3 {
				r.Value += 20
			}
			in := add(t, s, r)
			if in.Shifted {
				shifts++
			}
			if in.Kept != (r.Sensor != 3) && (i < 80 || i > 110) {
				t.Fatalf("stuck %v, reading %d of sensor %d: %+v", stuck, i, r.Sensor, in)
			}
		}
		if shifts != 1 {
			t.Errorf("stuck %v: %d shifts", stuck, shifts)
		}
	}
}

// TestReadingsLeftOutFollowTheirSensor: those of a dropped sensor do not come back with a shift, and
// those of another one get its new noise.
func TestReadingsLeftOutFollowTheirSensor(t *testing.T) {
	three := []Sensor{{"a", system.Field(0), 0.05}, {"b", system.Field(0), 0.05}, {"c", system.Field(0), 0.05}}
	s, next := waved(t, StreamConfig{Window: 40}, three...)
	shifted := false
	for i := range 90 {
		r := next()
		r.Sensor = i % 3
		if i >= 60 {
			r.Value += 50
		}
		if in := add(t, s, r); in.Shifted {
			shifted = true
			break
		}
		if i == 66 {
			if err := errors.Join(s.Drop(1), s.SetSigma(2, 0.3)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !shifted {
		t.Fatal("no shift")
	}
	for _, r := range s.State().Readings {
		if r.Sensor == 1 {
			t.Error("a reading of a dropped sensor is back")
		}
	}
	fresh, _ := waved(t, StreamConfig{Window: 40}, three...)
	if err := fresh.Resume(s.State()); err != nil {
		t.Fatal(err)
	}
	if a, b := s.Parameters()[0], fresh.Parameters()[0]; math.Abs(a.Mean-b.Mean) > undone*b.SD || relative(a.SD, b.SD) > undone {
		t.Errorf("%g ± %g, want %g ± %g", a.Mean, a.SD, b.Mean, b.SD)
	}
}

// resumedRounding: without readings the uncertainty is 100,000 times the noise, so rounding is 10^10 times as large
// relative to a variance. The largest difference found was 1.3e-5.
const resumedRounding = 3e-5

// TestResumedStreamGoesOn as if it had never stopped: estimates, readings left out, and when a shift
// is recognised.
func TestResumedStreamGoesOn(t *testing.T) {
	three := []Sensor{{"a", system.Field(0), 0.05}, {"b", system.Field(0), 0.1}, {"c", system.Field(0), 0.05}}
	for stop := 5; stop < 90; stop += 7 {
		s, next := waved(t, StreamConfig{Window: 20}, three...)
		resumed, _ := waved(t, StreamConfig{Window: 20}, three...)
		for i := range 110 {
			r := next()
			r.Sensor = i % 3
			if i > 50 {
				r.Value += 4
			}
			if i%11 == 3 {
				r.Sigma = 0.2
			}
			if i == 30 {
				if err := s.SetSigma(1, 0.07); err != nil {
					t.Fatal(err)
				}
			}
			if i == 80 {
				if err := s.Drop(2); err != nil {
					t.Fatal(err)
				}
			}
			in := add(t, s, r)
			if i < stop {
				continue
			}
			if i == stop {
				text, err := json.Marshal(s.State())
				if err != nil {
					t.Fatal(err)
				}
				var state StreamState
				if err := json.Unmarshal(text, &state); err != nil {
					t.Fatal(err)
				}
				if err := resumed.Resume(&state); err != nil {
					t.Fatal(err)
				}
				continue
			}
			if i == 80 {
				if err := resumed.Drop(2); err != nil {
					t.Fatal(err)
				}
			}
			if stop < 30 && i == 30 {
				if err := resumed.SetSigma(1, 0.07); err != nil {
					t.Fatal(err)
				}
			}
			again := add(t, resumed, r)
			if again.Kept != in.Kept || again.Flagged != in.Flagged || again.Shifted != in.Shifted || math.Abs(again.Standardised-in.Standardised) > resumedRounding*(1+math.Abs(in.Standardised)) {
				t.Fatalf("stopped at %d, reading %d: %+v, want %+v", stop, i, again, in)
			}
		}
		m1, s1, m2, s2 := make([]float64, 7), make([]float64, 7), make([]float64, 7), make([]float64, 7)
		s.EstimateTo(m1, s1)
		resumed.EstimateTo(m2, s2)
		_, before, err := s.prior.Posterior().Predict(system.Field(0), system.Grid(s.prior.Variables(), nil, []int{7}))
		if err != nil {
			t.Fatal(err)
		}
		for i := range m1 {
			if math.Max(math.Abs(m1[i]-m2[i]), math.Abs(s1[i]-s2[i])) > streamRounding*before[i] {
				t.Errorf("stopped at %d: %g ± %g, want %g ± %g", stop, m2[i], s2[i], m1[i], s1[i])
			}
		}
		for k := range three {
			if a, b := s.Health(k), resumed.Health(k); a.Readings != b.Readings || a.Flagged != b.Flagged || a.Diagnosis != b.Diagnosis || a.Dropped != b.Dropped {
				t.Errorf("stopped at %d, sensor %d: %+v, want %+v", stop, k, b, a)
			}
		}
	}
}

func TestHostileStateIsRefused(t *testing.T) {
	s, next := waved(t, StreamConfig{Window: 20})
	for range 10 {
		add(t, s, next())
	}
	for i, spoil := range []func(state *StreamState){
		func(state *StreamState) { state.Sensors = nil },
		func(state *StreamState) { state.Sensors[0].Sigma = 0 },
		func(state *StreamState) { state.Sensors[0].Above = math.Inf(1) },
		func(state *StreamState) { state.Sensors[0].Last.Standardised = math.NaN() },
		func(state *StreamState) { state.Sensors[0].Readings = -1 },
		func(state *StreamState) { state.Readings[3].Sensor = 1 },
		func(state *StreamState) { state.Readings[3].Value = 1e200 },
		func(state *StreamState) { state.Readings[3].At = nil },
		func(state *StreamState) { state.LeftOut = []Reading{{At: []float64{7}}} },
	} {
		state := s.State()
		spoil(state)
		fresh := newStream(t, s.prior, StreamConfig{}, Sensor{"gauge", system.Field(0), 0.05})
		var data *DataError
		if err := fresh.Resume(state); !errors.As(err, &data) || fresh.Len() != 0 || fresh.Health(0).Readings != 0 {
			t.Errorf("%d: error %v, %d kept", i, err, fresh.Len())
		}
	}
	small := newStream(t, s.prior, StreamConfig{Window: 4}, Sensor{"gauge", system.Field(0), 0.05})
	state := s.State()
	if err := small.Resume(state); err != nil || small.Len() != 4 || small.State().Readings[0].Value != state.Readings[6].Value {
		t.Errorf("a smaller window: %v, %d kept", err, small.Len())
	}
}

func TestReplacedSensorIsForgotten(t *testing.T) {
	two := []Sensor{{"a", system.Field(0), 0.05}, {"b", system.Field(0), 0.05}}
	s, next := waved(t, StreamConfig{Window: 20}, two...)
	for i := range 10 {
		r := next()
		r.Sensor = i % 2
		add(t, s, r)
	}
	if err := s.ReplaceSensor(1, Sensor{"c", system.Derivative(0, 1), 0.1}); err != nil {
		t.Fatal(err)
	}
	if h := s.Health(1); h.Name != "c" || h.Readings != 0 || s.Len() != 5 {
		t.Errorf("%+v, %d kept", h, s.Len())
	}
	if d := offBy(t, s); !(d < streamRounding) {
		t.Errorf("the stream is %.2g off", d)
	}
	var data *DataError
	if err := s.ReplaceSensor(2, two[0]); !errors.As(err, &data) {
		t.Errorf("error %v", err)
	}
	if err := s.ReplaceSensor(0, Sensor{"d", system.Field(0), 0}); !errors.As(err, &data) || s.Len() != 5 {
		t.Errorf("error %v, %d kept", err, s.Len())
	}
}
