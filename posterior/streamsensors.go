package posterior

import (
	"fmt"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// station is a sensor with its history.
type station struct {
	Sensor
	probe   *probe
	dropped bool
	health  health

	// its row at its last position
	placed bool
	at     []float64
	b      []float64
	centre float64 // prior mean of a reading there
}

// AddSensor adds a sensor and returns its number. It fails with a *system.ProblemError when it
// measures what does not exist, and with a *DataError when its sigma is not from 1e-120 to 1e120.
func (s *Stream) AddSensor(sensor Sensor) (number int, err error) {
	st, err := s.newStation(sensor)
	if err != nil {
		return 0, err
	}
	s.stations = append(s.stations, st)
	return len(s.stations) - 1, nil
}

// ReplaceSensor forgets a sensor and its readings and gives its number to another one. It fails as
// AddSensor does, and with a *DataError when there is no such number.
func (s *Stream) ReplaceSensor(number int, sensor Sensor) error {
	if number < 0 || number >= len(s.stations) {
		return dataError("sensor", "there is no sensor %d", number)
	}
	st, err := s.newStation(sensor)
	if err != nil {
		return err
	}
	s.forget(number)
	s.stations[number] = st
	return nil
}

func (s *Stream) forget(sensor int) {
	s.kept.forget(sensor)
	s.shift.kept.forget(sensor)
}

func (s *Stream) newStation(sensor Sensor) (*station, error) {
	q := s.prior.q
	where := fmt.Sprintf("sensor %q", sensor.Name)
	p := system.Problem{Variables: q.variables, Fields: q.fields, Over: q.over, Parameters: make([]system.Parameter, len(q.names))}
	if err := p.ValidateFunctional(where, &sensor.Measures); err != nil {
		return nil, err
	}
	if err := checkSigma(where, sensor.Sigma); err != nil {
		return nil, err
	}
	return &station{
		Sensor: sensor, probe: newProbe(s.prior.weights().basis, sensor.Measures, s.h),
		at: make([]float64, len(q.variables)), b: make([]float64, len(s.h)),
	}, nil
}

func checkSigma(where string, sigma float64) error {
	if !(sigma >= 1/largestValue && sigma <= largestValue) {
		return dataError(where, "sigma is %g; from %g to %g is possible", sigma, 1/largestValue, largestValue)
	}
	return nil
}

// SetSigma changes a sensor's noise: for future readings, and for those kept that did not state
// their own. It fails with a *DataError.
func (s *Stream) SetSigma(sensor int, sigma float64) error {
	if sensor < 0 || sensor >= len(s.stations) {
		return dataError("sensor", "there is no sensor %d", sensor)
	}
	st := s.stations[sensor]
	if err := checkSigma(fmt.Sprintf("sensor %q", st.Name), sigma); err != nil {
		return err
	}
	st.Sigma = sigma
	s.kept.setSigma(sensor, sigma)
	s.shift.kept.setSigma(sensor, sigma)
	return nil
}

// Drop forgets the readings of a faulty sensor. Its future readings are compared with their
// prediction, but not kept. It fails with a *DataError.
func (s *Stream) Drop(sensor int) error {
	if sensor < 0 || sensor >= len(s.stations) {
		return dataError("sensor", "there is no sensor %d", sensor)
	}
	s.stations[sensor].dropped = true
	s.forget(sensor)
	return nil
}

// place makes the sensor's row at a position; a sensor that has not moved has it already.
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
	st.placed = answerable(st.centre, st.b)
	return st.placed
}

// sigma of a reading is its own, or its sensor's.
func (st *station) sigma(r *Reading) float64 {
	if r.Sigma > 0 {
		return r.Sigma
	}
	return st.Sigma
}
