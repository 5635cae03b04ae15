package posterior

import (
	"fmt"
	"math"
)

// Diagnosis is what a sensor's readings say about the sensor.
type Diagnosis int

// Condition is the old name of Diagnosis.
//
// Deprecated: use Diagnosis.
type Condition = Diagnosis

const (
	// Sound is a sensor without anything unusual.
	Sound Diagnosis = iota
	// Drifting is a sensor whose readings lie persistently to one side of their prediction by the
	// physics and the other readings.
	Drifting
	// Stuck is a sensor that repeats itself: its readings vary much less than their noise requires.
	Stuck
)

func (d Diagnosis) String() string {
	return [...]string{"sound", "drifting", "stuck"}[d]
}

// Health is what a stream has seen of one sensor.
type Health struct {
	Name      string
	Readings  int // since the stream began
	Flagged   int // those beyond the threshold
	Diagnosis Diagnosis
	Dropped   bool
	Last      Innovation
	// Condition is Diagnosis.
	//
	// Deprecated: use Diagnosis.
	Condition Diagnosis
}

// Health returns what the stream has seen of a sensor. It panics when there is no such sensor.
func (s *Stream) Health(sensor int) Health {
	st := s.stations[sensor]
	diagnosis := st.health.diagnosis()
	return Health{
		Name: st.Name, Readings: st.health.readings, Flagged: st.health.flagged,
		Diagnosis: diagnosis, Condition: diagnosis, Dropped: st.dropped, Last: st.health.last,
	}
}

// Sensors returns how many sensors there are; they are numbered from 0.
func (s *Stream) Sensors() int { return len(s.stations) }

func (h Health) String() string {
	return fmt.Sprintf("%s: %s, %d of %d readings flagged", h.Name, h.Diagnosis, h.Flagged, h.Readings)
}

const (
	// A drift is detected by cumulative sums of the standardised innovations, less an allowance, to
	// either side [Page, Continuous inspection schemes, 1954]. With these values a sound sensor is
	// called drifting about once in a million readings, and one that is off by a standard deviation
	// after about 25.
	driftAllowance = 0.5
	driftLimit     = 12
	// A sound sensor stays within stuckRatio standard deviations of itself stuckRun times in a row
	// with a probability below 1e-20.
	stuckRatio = 0.01
	stuckRun   = 10
)

// health is the memory of a sensor's readings: a few numbers.
type health struct {
	readings, flagged int
	last              Innovation
	above, below      float64 // cumulative sums
	value             float64 // of the last reading
	repeats           int
}

func (h *health) observe(value, sigma float64, in *Innovation, threshold float64) {
	if h.readings > 0 && math.Abs(value-h.value) <= float64(stuckRatio*sigma) {
		h.repeats++
	} else {
		h.repeats = 0
	}
	h.readings++
	h.value, h.last = value, *in
	if in.Flagged {
		h.flagged++
	}
	// One outlier is no drift, and a sensor that recovers is forgiven.
	e := math.Max(-threshold, math.Min(threshold, in.Standardised))
	h.above = math.Max(0, math.Min(2*driftLimit, h.above+e-driftAllowance))
	h.below = math.Max(0, math.Min(2*driftLimit, h.below-e-driftAllowance))
}

func (h *health) diagnosis() Diagnosis {
	switch {
	case h.repeats >= stuckRun:
		return Stuck
	case h.above > driftLimit || h.below > driftLimit:
		return Drifting
	}
	return Sound
}
