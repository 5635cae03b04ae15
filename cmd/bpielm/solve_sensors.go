package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bpielm/bpielm/cmd/internal/findings"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/posterior"
)

// fewOfSensor is how many readings of a sensor are too few to say what is usual for it.
const fewOfSensor = 5

// sensorFit says how the readings of one sensor agree with what the other readings and the equations predict.
type sensorFit struct {
	Sensor   string  `json:"sensor"` // its name or place
	File     string  `json:"file"`
	Readings int     `json:"readings"`
	Mean     float64 `json:"mean_residual"` // readings less predictions, by their weights, in the unit of what is measured
	Unit     string  `json:"unit,omitempty"`
	// RMS is the root mean square, and Worst the largest residual with its sign, in standard deviations of a prediction with
	// noise.
	RMS       float64 `json:"rms"`
	Worst     float64 `json:"worst"`
	WorstLine int     `json:"worst_line"`
}

// perSensor compares sensors; nil unless two of them have several readings.
func (v *verdict) perSensor() (list []sensorFit) {
	if v == nil {
		return nil
	}
	checks := make([][]*posterior.ReadingCheck, len(v.file.SensorFiles))
	for i := range v.readings {
		r := &v.readings[i]
		checks[r.Sensors] = append(checks[r.Sensors], r)
	}
	variables := v.file.Problem.Variables
	time, several := timeOf(variables), 0
	for i := range v.file.SensorFiles {
		of := &v.file.SensorFiles[i]
		for _, members := range membersOf(v.file, i, time) {
			s := sensorOf(v.file, i, time, members)
			fit := sensorFit{Sensor: sensorText(variables, &s), File: of.Name, Readings: len(members), Unit: s.Unit}
			sum, weights := 0.0, 0.0
			for _, k := range members {
				c := checks[i][k]
				fit.Mean += float64(c.Weight * (c.Value - c.LeftOutMean))
				weights += c.Weight
				sum += float64(c.Standardised * c.Standardised)
				if math.Abs(c.Standardised) >= math.Abs(fit.Worst) {
					fit.Worst = c.Standardised
					_, fit.WorstLine, _ = of.Source(k)
				}
			}
			fit.Mean /= weights
			fit.RMS = math.Sqrt(sum / float64(len(members)))
			if findings.Number(fit.Mean) == nil || findings.Number(fit.RMS) == nil {
				continue
			}
			if len(members) >= fewOfSensor {
				several++
			}
			list = append(list, fit)
		}
	}
	if several < 2 {
		return nil
	}
	return list
}

// worstSensors returns those that fit worst, in their order, if there are too many to show.
func worstSensors(list []sensorFit, most int) []sensorFit {
	if len(list) <= most {
		return list
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return -cmp.Compare(list[a].RMS, list[b].RMS) })
	order = order[:most]
	slices.Sort(order)
	var shown []sensorFit
	for _, i := range order {
		shown = append(shown, list[i])
	}
	return shown
}

// sensorFitHead and cells are the table of them.
func sensorFitHead() []string {
	return []string{"sensor", "readings", "mean residual", "rms (sd)", "worst (sd)", "at line"}
}

func (f *sensorFit) cells() []string {
	mean := format.Short(f.Mean)
	if f.Unit != "" {
		mean += " " + f.Unit
	}
	return []string{f.Sensor, fmt.Sprint(f.Readings), mean, fmt.Sprintf("%.2f", f.RMS), fmt.Sprintf("%.1f", f.Worst), fmt.Sprint(f.WorstLine)}
}

// sensorFitLines shows how each sensor agrees with the others.
func sensorFitLines(list []sensorFit) (lines []string) {
	if len(list) == 0 {
		return nil
	}
	row := func(cells []string) string {
		line := cells[0]
		for _, cell := range cells[1:] {
			line += "\t" + cell
		}
		return line
	}
	lines = append(lines, row(sensorFitHead()))
	shown := worstSensors(list, mostWorst)
	for i := range shown {
		lines = append(lines, row(shown[i].cells()))
	}
	if more := len(list) - len(shown); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more, whose rms is smaller", more))
	}
	return lines
}
