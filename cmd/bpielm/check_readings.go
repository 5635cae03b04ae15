package main

import (
	"fmt"
	"strings"

	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/readings"
	"github.com/bpielm/bpielm/system/spec"
)

// firstReadings is how many readings of each block are shown.
const firstReadings = 3

// mostNames is how many names of what is not used are listed: loggers write many columns.
const mostNames = 8

// readingLines shows the first readings of each block of sensors, what of its files and places is not used, and what
// was passed over.
func readingLines(file *spec.File) []string {
	var lines []string
	for i := range file.Problem.Sensors {
		s, of := &file.Problem.Sensors[i], &file.SensorFiles[i]
		for k := range min(firstReadings, len(s.Values)) {
			name, line, sensor := of.Source(k)
			value := format.Short(s.Values[k])
			if sensor != "" {
				value += " of " + sensorName(sensor)
			}
			lines = append(lines, fmt.Sprintf("%s:%d\t%s\t%s", name, line, placeOf(file.Problem, s.Points.Row(k), of.Placeless), value))
		}
		if names := of.Unread; len(names) > 0 {
			lines = append(lines, of.Name+"\tnot read: "+someOf(names))
		}
		if names := silent(s, of); len(names) > 0 {
			lines = append(lines, of.Name+"\tplaces without a reading: "+someOf(names))
		}
	}
	return append(lines, passedLines(file)...)
}

// silent returns the sensors that have a place and no reading.
func silent(s *system.Sensors, of *spec.SensorFile) (names []string) {
	heard := map[string]bool{}
	for _, name := range of.Sensors {
		heard[name] = true
	}
	for i := range s.Layout.Places {
		if name := s.Layout.Places[i].Sensor; !heard[name] {
			names = append(names, name)
		}
	}
	return names
}

// someOf joins names, and counts those that are too many.
func someOf(names []string) string {
	all := len(names)
	if all > mostNames+1 {
		names = names[:mostNames]
	}
	var shown []string
	for _, name := range names {
		shown = append(shown, sensorName(name))
	}
	text := strings.Join(shown, ", ")
	if more := all - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// placeOf writes a place, and its time as a date if the time has a start.
func placeOf(p *system.Problem, x []float64, placeless bool) string {
	var parts []string
	for d, v := range p.Variables {
		if placeless && v.Name != "t" {
			continue
		}
		text := v.Name + " = " + format.Within(x[d], v.Min, v.Max)
		if v.Unit != "" {
			text += " " + v.Unit
		}
		if v.Start != "" {
			if clock, err := readings.NewClock(v, ""); err == nil {
				text += " (" + clock.Date(x[d]) + ")"
			}
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// passedLines says what of the files of sensors is no reading.
func passedLines(file *spec.File) []string {
	var lines []string
	for i := range file.SensorFiles {
		f := &file.SensorFiles[i]
		var parts []string
		if f.Passed.Units > 0 {
			parts = append(parts, format.Count(f.Passed.Units, "line")+" before the first row left out")
		}
		for _, part := range append(parts, leftOut(f.Passed.Gaps, f.Passed.Outside)...) {
			lines = append(lines, f.Name+"\t"+part)
		}
	}
	return lines
}

// leftOut says how many values and readings were left out, and why.
func leftOut(missing, outside int) (parts []string) {
	if missing > 0 {
		parts = append(parts, format.Count(missing, "missing value")+" left out")
	}
	if outside > 0 {
		parts = append(parts, format.Count(outside, "reading")+" outside the range of the time left out")
	}
	return parts
}
