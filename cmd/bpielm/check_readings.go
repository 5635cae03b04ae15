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

// readingLines shows the first readings of each block of sensors.
func readingLines(file *spec.File) []string {
	var lines []string
	for i := range file.Problem.Sensors {
		s, of := &file.Problem.Sensors[i], &file.SensorFiles[i]
		for k := range min(firstReadings, len(s.Values)) {
			name, line, sensor := of.Source(k)
			value := fmt.Sprintf("%.10g", s.Values[k]) // as the file has it
			if sensor != "" {
				value += " of " + format.Sensor(sensor)
			}
			lines = append(lines, fmt.Sprintf("%s:%d\t%s\t%s", name, line, placeOf(file.Problem, s.Points.Row(k), of.Placeless), value))
		}
	}
	return lines
}

// unusedLines says what of the files and places of sensors is not used, and what was passed over.
func unusedLines(file *spec.File) []string {
	var lines []string
	for i := range file.Problem.Sensors {
		of := &file.SensorFiles[i]
		if names := of.Unread; len(names) > 0 {
			lines = append(lines, fmt.Sprintf("%s\t%s not read: %s", of.Name, format.Count(len(names), "column"), someOf(names)))
		}
		if names := silent(&file.Problem.Sensors[i], of); len(names) > 0 {
			lines = append(lines, fmt.Sprintf("%s\t%s without a reading: %s", of.Name, format.Count(len(names), "place"), someOf(names)))
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
		shown = append(shown, format.Sensor(name))
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
		if _, clock := readings.ClockOf(p.Variables[d : d+1]); clock != nil {
			text += " (" + clock.Date(x[d]) + ")"
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
		if text := linesLeftOut(&f.Passed); text != "" {
			parts = append(parts, text)
		}
		for _, part := range append(parts, leftOut(f.Passed.Gaps, f.Passed.Listed, f.Passed.ListedAt, f.Passed.Outside, outsidePeriod(file.Problem, &f.Passed))...) {
			lines = append(lines, f.Name+"\t"+part)
		}
	}
	return lines
}

// linesLeftOut says which lines of a file before its first row are no rows; it is empty if there are none.
func linesLeftOut(p *spec.Passed) string {
	var parts []string
	if len(p.Before) > 0 {
		parts = append(parts, lineNumbers(p.Before)+" before the names of the columns (preamble)")
	}
	if len(p.Units) > 0 {
		parts = append(parts, lineNumbers(p.Units)+" after the names (no numbers, such as units)")
	}
	if parts == nil {
		return ""
	}
	return "left out: " + strings.Join(parts, ", ")
}

// lineNumbers names lines: "line 4", "lines 1 to 3", "lines 1, 2, 7 and 8". Many are only counted.
func lineNumbers(lines []int) string {
	last := len(lines) - 1
	switch {
	case last == 0:
		return fmt.Sprintf("line %d", lines[0])
	case last > 1 && lines[last]-lines[0] == last:
		return fmt.Sprintf("lines %d to %d", lines[0], lines[last])
	case last >= mostNames:
		return fmt.Sprintf("%d of the lines %d to %d", len(lines), lines[0], lines[last])
	}
	text := "lines "
	for i, n := range lines {
		switch {
		case i == last:
			text += " and "
		case i > 0:
			text += ", "
		}
		text += fmt.Sprint(n)
	}
	return text
}

// outsidePeriod is that of the readings outside the range of the time, as dates; it is empty if there are none.
func outsidePeriod(p *system.Problem, passed *spec.Passed) string {
	if d := format.DatesOf(p.Variables); d != nil && passed.Outside > 0 {
		return d.Between(passed.From, passed.To)
	}
	return ""
}

// leftOut says how many values and readings were left out, and why. Of the missing ones, listed are values of the key
// missing, the first of them at listedAt; period is that of the readings outside.
func leftOut(missing, listed int, listedAt string, outside int, period string) (parts []string) {
	if missing > 0 {
		part := format.Count(missing, "missing value") + " left out"
		if listed > 0 {
			part += fmt.Sprintf(", %d as the key missing says, the first at %s", listed, format.Printable(listedAt))
		}
		parts = append(parts, part)
	}
	if outside > 0 {
		part := format.Count(outside, "reading") + " outside the range of the time left out"
		if period != "" {
			part += ", " + period
		}
		parts = append(parts, part)
	}
	return parts
}
