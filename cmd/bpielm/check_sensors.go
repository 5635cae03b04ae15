package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bpielm/bpielm/cmd/internal/describe"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/readings"
	"github.com/bpielm/bpielm/system/spec"
)

const (
	// mostSensors is how many sensors of a block have a line in check, mostWorst how many in a summary, which lists those that
	// fit worst, and mostReported how many --json lists: some networks have thousands.
	mostSensors  = 30
	mostWorst    = 12
	mostReported = 1000
)

// sensorSummary is what one sensor has reported, or all sensors of a block whose readings are of one moment.
type sensorSummary struct {
	Name  string             `json:"name,omitempty"`
	Place map[string]float64 `json:"place,omitempty"` // of one sensor
	// Over is from where to where the sensors of a block are, or one that moves.
	Over     map[string][2]float64 `json:"over,omitempty"`
	Readings int                   `json:"readings"`
	Missing  int                   `json:"missing,omitempty"` // values that were left out; of a sensor without a name not known
	Least    float64               `json:"least"`
	Largest  float64               `json:"largest"`
	Unit     string                `json:"unit,omitempty"`
	// Times are in the unit of the variable; they are not there where there is no time.
	First     *float64 `json:"first,omitempty"`
	Last      *float64 `json:"last,omitempty"`
	FirstDate string   `json:"first_date,omitempty"`
	LastDate  string   `json:"last_date,omitempty"`
	Spacing   *float64 `json:"spacing,omitempty"` // median time between readings
	Longest   *float64 `json:"longest_gap,omitempty"`
}

// unitOfReadings is the unit of what block i measures, "" if it is not just a field or that has none.
func unitOfReadings(file *spec.File, i int) string {
	return file.Quantities[describe.Measures(file, i)].Unit
}

// eachSensor says what each sensor of block i has reported, in the order of their first readings.
func eachSensor(file *spec.File, i int) []sensorSummary {
	p, s, of := file.Problem, &file.Problem.Sensors[i], &file.SensorFiles[i]
	time := timeOf(p.Variables)
	members := membersOf(file, i, time)
	if len(members) == len(s.Values) && of.Sensors == nil { // places with one reading each
		all := make([]int, len(s.Values))
		for k := range all {
			all[k] = k
		}
		members = [][]int{all}
	}
	list := make([]sensorSummary, len(members))
	for m, of := range members {
		list[m] = sensorOf(file, i, time, of)
	}
	return list
}

// sensorOf describes readings of block i.
func sensorOf(file *spec.File, i, time int, members []int) sensorSummary {
	p, s, of := file.Problem, &file.Problem.Sensors[i], &file.SensorFiles[i]
	r := sensorSummary{Readings: len(members), Least: math.Inf(1), Largest: math.Inf(-1), Unit: unitOfReadings(file, i)}
	_, _, name := of.Source(members[0])
	r.Name, r.Missing = name, of.GapsOf[name]
	if name == "" {
		r.Missing = 0
	}
	for _, k := range members {
		r.Least, r.Largest = math.Min(r.Least, s.Values[k]), math.Max(r.Largest, s.Values[k])
	}
	for d, v := range p.Variables {
		if d == time || of.Placeless {
			continue
		}
		low, high := math.Inf(1), math.Inf(-1)
		for _, k := range members {
			low, high = math.Min(low, s.Points.At(k, d)), math.Max(high, s.Points.At(k, d))
		}
		if low == high {
			if r.Place == nil {
				r.Place = map[string]float64{}
			}
			r.Place[v.Name] = low
			continue
		}
		if r.Over == nil {
			r.Over = map[string][2]float64{}
		}
		r.Over[v.Name] = [2]float64{low, high}
	}
	if time < 0 {
		return r
	}
	times := make([]float64, len(members))
	for n, k := range members {
		times[n] = s.Points.At(k, time)
	}
	slices.Sort(times)
	first, last := times[0], times[len(times)-1]
	r.First, r.Last = &first, &last
	if of, clock := readings.ClockOf(p.Variables); of == time && clock != nil {
		r.FirstDate, r.LastDate = clock.Stamp(first), clock.Stamp(last)
	}
	if len(times) > 1 && len(r.Over) == 0 {
		steps := make([]float64, len(times)-1)
		for n := range steps {
			steps[n] = times[n+1] - times[n]
		}
		slices.Sort(steps)
		middle, longest := steps[(len(steps)-1)/2], steps[len(steps)-1]
		r.Spacing, r.Longest = &middle, &longest
	}
	return r
}

// sensorTable shows what each sensor of block i has reported. Times that are the same for all of them are the last line.
func sensorTable(file *spec.File, i int) (heading string, lines []string) {
	list, v := eachSensor(file, i), file.Problem.Variables
	time := timeOf(file.Problem.Variables)
	heading = "Readings of " + file.SensorFiles[i].Name
	shared := len(list) > 1 && !slices.ContainsFunc(list, func(r sensorSummary) bool { return timeText(file, time, &r) != timeText(file, time, &list[0]) })
	head := "sensor\treadings\tleast\tlargest"
	if unit := list[0].Unit; unit != "" {
		head = fmt.Sprintf("sensor\treadings\tleast (%s)\tlargest (%s)", unit, unit)
	}
	missing := slices.ContainsFunc(list, func(r sensorSummary) bool { return r.Missing > 0 })
	if missing {
		head += "\tmissing"
	}
	gaps := slices.ContainsFunc(list, uneven)
	if gaps {
		head += "\tlongest gap"
	}
	if time >= 0 && !shared {
		head += "\ttime"
	}
	lines = append(lines, head)
	shown := list
	if len(list) > mostSensors+1 {
		shown = list[:mostSensors]
	}
	for k := range shown {
		r := &shown[k]
		line := fmt.Sprintf("%s\t%d\t%s\t%s", sensorText(v, r), r.Readings, format.Short(r.Least), format.Short(r.Largest))
		if missing {
			line += fmt.Sprintf("\t%d", r.Missing)
		}
		if gaps {
			line += "\t"
			if r.Longest != nil {
				line += strings.TrimSpace(format.Short(*r.Longest) + " " + v[time].Unit)
			}
		}
		if time >= 0 && !shared {
			line += "\t" + timeText(file, time, r)
		}
		lines = append(lines, line)
	}
	if more := len(list) - len(shown); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	if shared && time >= 0 {
		lines = append(lines, "each "+timeText(file, time, &list[0]))
	}
	return heading, lines
}

// sensorText names a sensor and its place.
func sensorText(variables []system.Variable, r *sensorSummary) string {
	var at []string
	for _, v := range variables {
		text := ""
		if x, known := r.Place[v.Name]; known {
			text = format.Within(x, v.Min, v.Max)
		} else if x, known := r.Over[v.Name]; known {
			text = format.Within(x[0], v.Min, v.Max) + " to " + format.Within(x[1], v.Min, v.Max)
		} else {
			continue
		}
		if v.Unit != "" {
			text += " " + v.Unit
		}
		at = append(at, v.Name+" = "+text)
	}
	place := strings.Join(at, ", ")
	switch {
	case r.Name == "" && place == "":
		return "all"
	case r.Name == "":
		return place
	case place == "":
		return format.Sensor(r.Name)
	}
	return format.Sensor(r.Name) + ", " + place
}

// timeText says from when to when a sensor reports, and how often.
func timeText(file *spec.File, time int, r *sensorSummary) string {
	if time < 0 || r.First == nil {
		return ""
	}
	v := file.Problem.Variables[time]
	in := ""
	if v.Unit != "" {
		in = " " + v.Unit
	}
	first, last := format.Within(*r.First, v.Min, v.Max), format.Within(*r.Last, v.Min, v.Max)
	if of, clock := readings.ClockOf(file.Problem.Variables); of == time && clock != nil {
		first, last = clock.Date(*r.First), clock.Date(*r.Last)
	} else {
		last += in
	}
	if *r.First == *r.Last {
		return "at " + last
	}
	text := "from " + first + " to " + last
	if r.Spacing == nil {
		return text
	}
	return text + ", every " + format.Short(*r.Spacing) + in
}

// uneven reports whether a sensor reports at other times than every so often.
func uneven(r sensorSummary) bool {
	const rounding = 1.01 // of time stamps
	return r.Longest != nil && *r.Longest > float64(rounding**r.Spacing)
}
