package posterior

import (
	"fmt"
	"math"

	"github.com/bpielm/bpielm/posterior/internal/gauss"
)

// StreamState is what a Stream must remember to continue after a restart. It can be stored as JSON.
type StreamState struct {
	Sensors  []SensorState
	Readings []Reading // kept, the oldest first
	LeftOut  []Reading // left out; may turn out to be a level shift
	Lead     int       // how many more readings were left out than kept, see shift
	Judged   int       // which of those kept was checked again last
}

// SensorState is what a Stream remembers of one sensor.
type SensorState struct {
	Sigma             float64
	Dropped           bool
	Readings, Flagged int
	Last              Innovation
	Above, Below      float64 // cumulative sums of innovations
	Value             float64 // of the last reading
	Repeats           int     // of that value
}

// State returns a copy of what the stream remembers.
func (s *Stream) State() *StreamState {
	state := &StreamState{Readings: s.kept.list(), LeftOut: s.shift.kept.list(), Lead: s.shift.lead, Judged: s.judged}
	for _, st := range s.stations {
		h := &st.health
		state.Sensors = append(state.Sensors, SensorState{st.Sigma, st.dropped, h.readings, h.flagged, h.last, h.above, h.below, h.value, h.repeats})
	}
	return state
}

// Resume continues where another stream stopped, to rounding: the same sensors must have been added,
// in the same order. Where the window is smaller than it was, the newest readings are kept. It fails
// with a *DataError, and then changes nothing.
func (s *Stream) Resume(state *StreamState) error {
	if len(state.Sensors) != len(s.stations) {
		return dataError("state", "it has %d sensors; %d are expected", len(state.Sensors), len(s.stations))
	}
	for i := range state.Sensors {
		where := fmt.Sprintf("state of sensor %q", s.stations[i].Name)
		if err := state.Sensors[i].check(where); err != nil {
			return err
		}
	}
	for _, list := range [][]Reading{state.Readings, state.LeftOut} {
		for i := range list {
			if err := s.check(&list[i]); err != nil {
				return err
			}
			if st := s.stations[list[i].Sensor]; !st.place(list[i].At, s) {
				return dataError(fmt.Sprintf("sensor %q", st.Name), "what it measures is not finite at %g", list[i].At)
			}
		}
	}
	for i, st := range s.stations {
		from := &state.Sensors[i]
		st.Sigma, st.dropped = from.Sigma, from.Dropped
		st.health = health{from.Readings, from.Flagged, from.Last, from.Above, from.Below, from.Value, from.Repeats}
	}
	s.fill(s.kept, state.Readings)
	s.fill(s.shift.kept, state.LeftOut)
	s.shift.lead, s.judged = max(state.Lead, 0), state.Judged
	return nil
}

func (c *SensorState) check(where string) error {
	if err := checkSigma(where, c.Sigma); err != nil {
		return err
	}
	for _, v := range []float64{c.Last.Mean, c.Last.SD, c.Last.Standardised, c.Above, c.Below, c.Value} {
		if !finite(v) {
			return dataError(where, "a number is %g", v)
		}
	}
	if math.Min(c.Above, c.Below) < 0 || min(c.Readings, c.Flagged, c.Repeats) < 0 {
		return dataError(where, "a number is negative")
	}
	return nil
}

// fill conditions a window from scratch on the newest of the readings.
func (s *Stream) fill(w *keptReadings, list []Reading) {
	w.Clear()
	for i := max(len(list)-w.Capacity(), 0); i < len(list); i++ {
		r := &list[i]
		st := s.stations[r.Sensor]
		st.place(r.At, s)
		f := w.Forecast(st.b, false)
		w.append(r, st.b, f, r.Value-st.centre, gauss.NoiseVariance(st.sigma(r), f.Norm2))
	}
}
