package feed

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
)

// stations returns Stations of a beam without load, u_xx = 0.
func stations(t *testing.T, c posterior.StreamConfig) *Stations {
	t.Helper()
	p := &system.Problem{
		Variables: []system.Variable{{Name: "x", Min: 0, Max: 1}}, Fields: []string{"u"},
		Equations: []system.Demand{{Residual: system.Derivative(0, 2), Points: mat.NewDense(5, 1, []float64{0.1, 0.3, 0.5, 0.7, 0.9})}},
		Sensors:   []system.Sensors{{Name: "gauges", Measures: system.Field(0), Points: mat.NewDense(2, 1, []float64{0, 1}), Values: []float64{0, 1}, Sigma: []float64{0.1}}},
	}
	prior, err := posterior.FitPrior(p, posterior.Config{Neurons: 6, Scale: []float64{2}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	c.NoSensors = true
	stream, err := prior.Stream(c)
	if err != nil {
		t.Fatal(err)
	}
	return NewStations(prior, stream)
}

func hear(t *testing.T, s *Stations, name string, x float64) Event {
	t.Helper()
	e, err := s.Add(&Record{At: []float64{x}, Value: x, Sensor: name})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestSensorHeardLongestAgoIsForgotten when another one reports. A sensor that keeps reporting is never forgotten.
func TestSensorHeardLongestAgoIsForgotten(t *testing.T) {
	s := stations(t, posterior.StreamConfig{Window: 4})
	hear(t, s, "faithful", 0.5)
	const strangers = maxStations + 500
	for i := range strangers {
		e := hear(t, s, fmt.Sprintf("stranger %d", i), 0.25)
		if want := i - (maxStations - 1); want < 0 && e.Forgotten != "" || want >= 0 && e.Forgotten != fmt.Sprintf("stranger %d", want) {
			t.Fatalf("stranger %d: %q is forgotten", i, e.Forgotten)
		}
		if i%1000 == 0 {
			hear(t, s, "faithful", 0.5)
		}
	}
	for i := range 10 {
		if _, err := s.Add(&Record{At: []float64{7}, Sensor: fmt.Sprintf("noise %d", i)}); err == nil {
			t.Fatal("a reading from outside is taken")
		}
	}
	e := hear(t, s, "faithful", 0.5)
	if h := s.Stream.Health(e.Sensor); h.Name != "faithful" || h.Readings != 2+(strangers+999)/1000 || s.Stream.Sensors() != maxStations || len(s.number) != maxStations {
		t.Errorf("%+v, %d sensors are known", h, s.Stream.Sensors())
	}
	if _, known := s.number[station{"noise 3", ""}]; known {
		t.Error("a line that makes no sense has made a sensor known")
	}
	if e := hear(t, s, "stranger 0", 0.25); s.Stream.Health(e.Sensor).Readings != 1 {
		t.Errorf("a forgotten sensor is remembered: %+v", s.Stream.Health(e.Sensor))
	}
}

func TestStationsGoOnAfterARestart(t *testing.T) {
	s := stations(t, posterior.StreamConfig{Window: 4})
	for i := range 10 {
		hear(t, s, fmt.Sprintf("s%d", i%3), float64(i)/10)
	}
	text, err := json.Marshal(s.State())
	if err != nil {
		t.Fatal(err)
	}
	var state State
	if err := json.Unmarshal(text, &state); err != nil {
		t.Fatal(err)
	}
	again := stations(t, posterior.StreamConfig{Window: 4})
	if err := again.Resume(&state); err != nil {
		t.Fatal(err)
	}
	a, b := hear(t, s, "s1", 0.9), hear(t, again, "s1", 0.9)
	if x, y := again.Stream.Health(b.Sensor), s.Stream.Health(a.Sensor); a.Sensor != b.Sensor || x.Readings != y.Readings || x.Name != y.Name || again.clock != s.clock {
		t.Errorf("%+v, want %+v", x, y)
	}
	state.Sensors[1].Name = "s0"
	if err := stations(t, posterior.StreamConfig{}).Resume(&state); err == nil {
		t.Error("a sensor that is there twice is accepted")
	}
	if err := stations(t, posterior.StreamConfig{}).Resume(&State{}); err == nil {
		t.Error("an empty state is accepted")
	}
	state.Sensors[1].Kind = "unknown"
	if err := stations(t, posterior.StreamConfig{}).Resume(&state); err == nil {
		t.Error("a kind that the model does not have is accepted")
	}
}

// An invalid reading is refused under the name of its sensor, whichever reported before, and adds no sensor.
func TestReadingsThatMakeNoSense(t *testing.T) {
	s := stations(t, posterior.StreamConfig{Window: 4})
	for range 2 { // when nobody is known yet, and beside one who is
		if _, err := s.Add(&Record{At: []float64{7}, Value: 1, Sensor: "lost"}); err == nil || !strings.Contains(err.Error(), `sensor "lost"`) {
			t.Errorf("error %v", err)
		}
		hear(t, s, "faithful", 0.5)
	}
	if n := s.Stream.Sensors(); n != 1 || s.Stream.Len() != 2 {
		t.Errorf("%d sensors, %d readings are kept", n, s.Stream.Len())
	}
}
