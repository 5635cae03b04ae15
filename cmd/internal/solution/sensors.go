package solution

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// SensorsOf says what sensors of a functional of some variables measure.
func SensorsOf(f *system.Functional, variables int) spec.KnownSensors {
	k := spec.KnownSensors{Field: -1}
	if len(f.Terms) > 0 && MeasuresField(f, f.Terms[0].Field) && f.Terms[0].Footprint.Len() == 1 {
		k.Field = f.Terms[0].Field
		return k
	}
	for i := range f.Terms {
		over := f.Terms[i].Footprint
		if over.Len() == 1 || over.Fixed != nil {
			continue
		}
		k.Sides = make([]float64, variables)
		for n := range over.Len() {
			for d := range k.Sides {
				k.Sides[d] = math.Max(k.Sides[d], 2*math.Abs(over.Offsets.At(n, d)))
			}
		}
		break
	}
	return k
}

// MostKnown is how many places of sensors a model keeps. A picture shows no more.
const MostKnown = 2000

// KnownSensors returns what a model keeps of the sensors of a problem: what they measure, and
// their different places, of very many a part.
func KnownSensors(file *spec.File) []spec.KnownSensors {
	p := file.Problem
	var all []spec.KnownSensors
	for g := range p.Sensors {
		s := &p.Sensors[g]
		k := SensorsOf(&s.Measures, len(p.Variables))
		k.Name, k.Readings = s.Name, s.Points.Rows()
		if g >= len(file.SensorFiles) || !file.SensorFiles[g].Placeless {
			for i := range s.Points.Rows() {
				k.Places = append(k.Places, s.Points.Row(i))
			}
		}
		all = append(all, k)
	}
	return fewPlaces(all)
}

// KnownStations is KnownSensors for readings of a stream. sensor returns a sensor by its number.
func KnownStations(readings []posterior.Reading, variables int, sensor func(number int) posterior.Sensor) []spec.KnownSensors {
	var all []spec.KnownSensors
	at := map[int]int{}
	for _, r := range readings {
		i, known := at[r.Sensor]
		if !known {
			of := sensor(r.Sensor)
			i, at[r.Sensor] = len(all), len(all)
			all = append(all, SensorsOf(&of.Measures, variables))
			all[i].Name = of.Name
		}
		all[i].Readings++
		all[i].Places = append(all[i].Places, r.At)
	}
	return fewPlaces(all)
}

// fewPlaces keeps every place of a group once, and of very many a part.
func fewPlaces(all []spec.KnownSensors) []spec.KnownSensors {
	total := 0
	for g := range all {
		seen := map[string]bool{}
		var different [][]float64
		var key []byte
		for _, x := range all[g].Places {
			key = key[:0]
			for _, v := range x {
				key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v))
			}
			if !seen[string(key)] {
				seen[string(key)] = true
				different = append(different, slices.Clone(x))
			}
		}
		all[g].Places = different
		total += len(different)
	}
	step := (total + MostKnown - 1) / MostKnown
	for g := range all {
		var part [][]float64
		for i := 0; step > 1 && i < len(all[g].Places); i += step {
			part = append(part, all[g].Places[i])
		}
		if step > 1 {
			all[g].Places = part
		}
	}
	return all
}
