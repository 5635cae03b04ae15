package picture

import (
	"math"

	"github.com/bpielm/bpielm/cmd/internal/figure"
	"github.com/bpielm/bpielm/cmd/internal/solution"
)

// readingsOn returns the readings of the field itself that were taken on a line.
func (a *artist) readingsOn(l slice) []figure.Reading {
	const slack = 1e-6 // of a variable's range
	var readings []figure.Reading
	for g := range a.problem.Sensors {
		s := &a.problem.Sensors[g]
		if !solution.MeasuresField(&s.Measures, a.field) {
			continue
		}
		for i := range s.Values {
			on := true
			for d, v := range a.problem.Variables {
				on = on && (d == l.along || math.Abs(v.Apart(s.Points.At(i, d), l.fixed[d])) <= slack)
			}
			if on {
				readings = append(readings, figure.Reading{X: s.Points.At(i, l.along), Value: s.Values[i], Sigma: a.sigma(g, i)})
			}
		}
	}
	return readings
}

// sigma is the noise of reading i of group g, given or learned. It is 0 if neither
// is known.
func (a *artist) sigma(g, i int) float64 {
	switch given := a.problem.Sensors[g].Sigma; {
	case len(given) > 1:
		return given[i]
	case len(given) == 1:
		return given[0]
	case g < len(a.noise):
		return a.noise[g].Sigma
	}
	return 0
}

// sensorPlaces returns the places of sensors of any kind that are nearer to the k-th
// section than to the others.
func (a *artist) sensorPlaces(sections []section, k int) [][2]float64 {
	s := &sections[k]
	var places [][2]float64
	for g := range a.problem.Sensors {
		if files := a.file.SensorFiles; g < len(files) && files[g].Placeless {
			continue
		}
		points := a.problem.Sensors[g].Points
		for i := range points.Rows() {
			nearest := 0
			for other := range sections {
				if s.across >= 0 && math.Abs(points.At(i, s.across)-sections[other].fixed[s.across]) < math.Abs(points.At(i, s.across)-sections[nearest].fixed[s.across]) {
					nearest = other
				}
			}
			if nearest == k {
				places = append(places, [2]float64{points.At(i, s.horizontal), points.At(i, s.vertical)})
			}
		}
	}
	return places
}
