package feed

import (
	"fmt"

	"github.com/bpielm/bpielm/posterior"
)

// maxStations bounds the sensors that a stream may name.
const maxStations = 4096

// Stations hands records to a stream: it makes each sensor known to it when it
// first reports.
type Stations struct {
	Stream *posterior.Stream
	kinds  []posterior.Sensor
	number map[station]int
	states []posterior.Condition // what has been said of each
}

type station struct{ name, kind string }

// NewStations begins with the sensors of a prior as kinds.
func NewStations(p *posterior.Prior, s *posterior.Stream) *Stations {
	return &Stations{Stream: s, kinds: p.Sensors(), number: map[station]int{}}
}

// Event is what there is to say about a reading.
type Event struct {
	Sensor     int
	Innovation posterior.Innovation
	// Fault is the condition of a sensor that has just been found not to be
	// sound; otherwise Sound.
	Fault posterior.Condition
}

// Add assimilates a record. Errors do not name its line.
func (s *Stations) Add(r *Record) (Event, error) {
	number, err := s.find(r)
	if err != nil {
		return Event{}, err
	}
	in, err := s.Stream.Add(posterior.Reading{Sensor: number, At: r.At, Value: r.Value, Sigma: r.Sigma})
	if err != nil {
		return Event{}, err
	}
	e := Event{Sensor: number, Innovation: in}
	if now := s.Stream.Health(number).Condition; now != s.states[number] {
		s.states[number] = now
		e.Fault = now
	}
	return e, nil
}

// find returns the number of the sensor of a record.
func (s *Stations) find(r *Record) (int, error) {
	key := station{r.Sensor, r.Kind}
	if number, ok := s.number[key]; ok {
		return number, nil
	}
	sensor, err := s.kind(r)
	if err != nil {
		return 0, err
	}
	if r.Sensor != "" {
		sensor.Name = r.Sensor
	}
	if len(s.number) >= maxStations {
		return 0, fmt.Errorf("more than %d sensors", maxStations)
	}
	number, err := s.Stream.AddSensor(sensor)
	if err != nil {
		return 0, err
	}
	// The key holds copies: the record's text may be part of a long line.
	s.number[station{string([]byte(r.Sensor)), string([]byte(r.Kind))}] = number
	s.states = append(s.states, posterior.Sound)
	return number, nil
}

func (s *Stations) kind(r *Record) (posterior.Sensor, error) {
	wanted := r.Kind
	if wanted == "" {
		wanted = r.Sensor
	}
	for _, k := range s.kinds {
		if k.Name == wanted {
			return k, nil
		}
	}
	if r.Kind != "" {
		var names []string
		for _, k := range s.kinds {
			names = append(names, k.Name)
		}
		return posterior.Sensor{}, fmt.Errorf("there is no kind %q of sensors; the model has %q", shorten(r.Kind), names)
	}
	if len(s.kinds) == 0 {
		return posterior.Sensor{}, fmt.Errorf("the model has no sensors")
	}
	return s.kinds[0], nil
}
