package feed

import (
	"fmt"
	"strings"

	"github.com/bpielm/bpielm/posterior"
)

// maxStations limits the sensors that are known at a time. When one more reports, the
// sensor that has been silent for the longest time is forgotten, with its readings.
const maxStations = 4096

// Stations hands records to a stream, and adds each sensor to the stream when it
// first reports.
type Stations struct {
	Stream *posterior.Stream
	kinds  []posterior.Sensor
	number map[station]int
	known  []acquaintance // by number
	clock  uint64         // records so far
}

type station struct{ name, kind string }

// acquaintance is a sensor that has reported.
type acquaintance struct {
	station
	heard     uint64              // when it last reported, by the clock
	condition posterior.Condition // as last returned in an Event
}

// NewStations returns Stations whose kinds are the sensors of a prior.
func NewStations(p *posterior.Prior, s *posterior.Stream) *Stations {
	return &Stations{Stream: s, kinds: p.Sensors(), number: map[station]int{}}
}

// Event is what a reading has shown.
type Event struct {
	Sensor     int
	Innovation posterior.Innovation
	// Fault is the condition of a sensor that has just been found faulty; otherwise
	// Sound.
	Fault posterior.Condition
	// Forgotten is the name of a sensor that was forgotten to make room.
	Forgotten string
}

// Add assimilates a record. Errors do not name its line.
func (s *Stations) Add(r *Record) (e Event, err error) {
	if e.Sensor, e.Forgotten, err = s.find(r); err != nil {
		return e, err
	}
	known := &s.known[e.Sensor]
	s.clock++
	known.heard = s.clock
	e.Innovation, err = s.Stream.Add(posterior.Reading{Sensor: e.Sensor, At: r.At, Value: r.Value, Sigma: r.Sigma})
	if err != nil {
		return e, err
	}
	if now := s.Stream.Health(e.Sensor).Condition; now != known.condition {
		known.condition, e.Fault = now, now
	}
	return e, nil
}

// find returns the number of the sensor of a record. A sensor that had to be forgotten
// to make room for it is named.
func (s *Stations) find(r *Record) (number int, forgotten string, err error) {
	key := station{r.Sensor, r.Kind}
	if number, ok := s.number[key]; ok {
		return number, "", nil
	}
	sensor, err := s.sensor(key)
	if err != nil {
		return 0, "", err
	}
	if err := s.Stream.Check(sensor.Name, &posterior.Reading{At: r.At, Value: r.Value, Sigma: r.Sigma}); err != nil {
		return 0, "", err // an invalid reading adds no sensor
	}
	// The key holds copies: the record's text may be part of a long line.
	key = station{strings.Clone(r.Sensor), strings.Clone(r.Kind)}
	if number = len(s.known); number < maxStations {
		if _, err := s.Stream.AddSensor(sensor); err != nil {
			return 0, "", err
		}
		s.known = append(s.known, acquaintance{station: key})
		s.number[key] = number
		return number, "", nil
	}
	number = s.mostSilent()
	forgotten = s.Stream.Health(number).Name
	if err := s.Stream.ReplaceSensor(number, sensor); err != nil {
		return 0, "", err
	}
	delete(s.number, s.known[number].station)
	s.known[number] = acquaintance{station: key}
	s.number[key] = number
	return number, forgotten, nil
}

// mostSilent returns the sensor that has been silent for the longest time.
func (s *Stations) mostSilent() int {
	oldest := 0
	for i := range s.known {
		if s.known[i].heard < s.known[oldest].heard {
			oldest = i
		}
	}
	return oldest
}

// sensor returns the model's description of a sensor, under the sensor's own name.
func (s *Stations) sensor(key station) (posterior.Sensor, error) {
	sensor, err := s.kind(key)
	if key.name != "" {
		sensor.Name = strings.Clone(key.name)
	}
	return sensor, err
}

// Sensor returns the model's description of the sensor of a number, under the sensor's own name.
func (s *Stations) Sensor(number int) posterior.Sensor {
	sensor, _ := s.sensor(s.known[number].station) // it was found when it first reported
	return sensor
}

// kind returns the sensor of the model that a station is.
func (s *Stations) kind(key station) (posterior.Sensor, error) {
	wanted := key.kind
	if wanted == "" {
		wanted = key.name
	}
	for _, k := range s.kinds {
		if k.Name == wanted {
			return k, nil
		}
	}
	if key.kind != "" {
		var names []string
		for _, k := range s.kinds {
			names = append(names, k.Name)
		}
		return posterior.Sensor{}, fmt.Errorf("there is no kind %q of sensors; the model has %q", shorten(key.kind), names)
	}
	if len(s.kinds) == 0 {
		return posterior.Sensor{}, fmt.Errorf("the model has no sensors")
	}
	return s.kinds[0], nil
}

// shorten cuts a name that is too long to quote.
func shorten(name string) string {
	const most = 40
	if len(name) > most {
		return name[:most] + "..."
	}
	return name
}

// State is what Stations and their stream need to continue after a restart.
type State struct {
	Sensors []SensorState // by number
	Clock   uint64
	Stream  *posterior.StreamState
}

// SensorState is what is remembered of one sensor, besides what the stream remembers.
type SensorState struct {
	Name, Kind string `json:",omitempty"`
	Heard      uint64
	Condition  posterior.Condition
}

// State returns a copy of the state.
func (s *Stations) State() *State {
	state := &State{Clock: s.clock, Stream: s.Stream.State()}
	for i := range s.known {
		k := &s.known[i]
		state.Sensors = append(state.Sensors, SensorState{k.name, k.kind, k.heard, k.condition})
	}
	return state
}

// Resume makes new Stations continue from a state. After an error they cannot be used.
func (s *Stations) Resume(state *State) error {
	if len(state.Sensors) > maxStations || state.Stream == nil {
		return fmt.Errorf("a state of %d sensors is not valid", len(state.Sensors))
	}
	for i, from := range state.Sensors {
		key := station{from.Name, from.Kind}
		if _, twice := s.number[key]; twice {
			return fmt.Errorf("sensor %q occurs twice", shorten(from.Name))
		}
		sensor, err := s.sensor(key)
		if err != nil {
			return err
		}
		if _, err := s.Stream.AddSensor(sensor); err != nil {
			return err
		}
		s.number[key] = i
		s.known = append(s.known, acquaintance{key, from.Heard, from.Condition})
	}
	s.clock = state.Clock
	return s.Stream.Resume(state.Stream)
}
