package main

import (
	"math"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// Two sensors with five readings each are compared; of many, those that fit worst are shown.
func TestSensorsAreCompared(t *testing.T) {
	p := &system.Problem{Variables: []system.Variable{{Name: "x", Max: 1}, {Name: "t", Max: 9}}, Fields: []string{"u"}, Sensors: []system.Sensors{{Measures: system.Field(0)}}}
	file := &spec.File{Problem: p, SensorFiles: []spec.SensorFile{{Name: "log.csv"}}}
	v := &verdict{Verdict: &posterior.Verdict{}, file: file}
	var points []float64
	for k := range 10 {
		at := float64(k % 2) // west and east in turn
		points = append(points, at, float64(k/2))
		value, weight := 3.5, 1.0
		if k == 7 { // of east, and set aside
			value, weight = 85, 0
		}
		s := &p.Sensors[0]
		s.Values = append(s.Values, value)
		file.SensorFiles[0].Lines = append(file.SensorFiles[0].Lines, k+2)
		file.SensorFiles[0].Sensors = append(file.SensorFiles[0].Sensors, []string{"west", "east"}[k%2])
		v.readings = append(v.readings, posterior.ReadingCheck{Reading: k, Value: value, LeftOutMean: 3 + at, LeftOutSD: 1, Standardised: value - 3 - at, Weight: weight})
	}
	p.Sensors[0].Points = mat.NewDense(10, 2, points)
	list := v.perSensor()
	if len(list) != 2 {
		t.Fatalf("%+v", list)
	}
	west, east := list[0], list[1]
	if west.Sensor != "west, x = 0" || west.Readings != 5 || west.Mean != 0.5 || math.Abs(west.RMS-0.5) > 1e-12 || west.Worst != 0.5 {
		t.Errorf("%+v", west)
	}
	if east.Mean != -0.5 || east.Worst != 81 || east.WorstLine != 9 || math.Abs(east.RMS-math.Sqrt((4*0.25+81*81)/5)) > 1e-12 {
		t.Errorf("%+v", east)
	}
	v.readings, p.Sensors[0].Values = v.readings[:9], p.Sensors[0].Values[:9] // east has four
	if list := v.perSensor(); list != nil {
		t.Errorf("%+v", list)
	}
	if shown := worstSensors([]sensorFit{{Sensor: "a", RMS: 1}, {Sensor: "b", RMS: 3}, {Sensor: "c", RMS: 2}}, 2); len(shown) != 2 || shown[0].Sensor != "b" || shown[1].Sensor != "c" {
		t.Errorf("%+v", shown)
	}
}

// Ranges have the digits of the file.
func TestRangesHaveAllDigits(t *testing.T) {
	v := system.Variable{Name: "x", Min: 3455000, Max: 3457000.5, Unit: "m"}
	if text := v.String(); text != "x in [3455000, 3457000.5] m" {
		t.Error(text)
	}
}
