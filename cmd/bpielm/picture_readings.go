package main

import (
	"fmt"
	"math"

	"github.com/bpielm/bpielm/system"
)

// mostMarks is how many sensors one panel shows at most; more would hide the
// picture and take long to draw.
const mostMarks = 1000

// thinned returns one in step of the marks, so that at most mostMarks remain.
func thinned[T any](marks []T) (kept []T, step int) {
	step = (len(marks) + mostMarks - 1) / mostMarks
	if step <= 1 {
		return marks, 1
	}
	for i := 0; i < len(marks); i += step {
		kept = append(kept, marks[i])
	}
	return kept, step
}

// thinnedEntry says in the legend that only one in step sensors is shown.
func thinnedEntry(e legendEntry, step int) legendEntry {
	if step > 1 {
		e.label += fmt.Sprintf(", one in %d shown", step)
	}
	return e
}

// readingsOn returns the readings of the field itself that were taken on a
// line.
func (a *artist) readingsOn(l slice) []reading {
	const slack = 1e-6 // of a variable's range
	var readings []reading
	for g := range a.problem.Sensors {
		s := &a.problem.Sensors[g]
		if !measuresField(&s.Measures, a.field) {
			continue
		}
		for i := range s.Values {
			on := true
			for d, v := range a.problem.Variables {
				on = on && (d == l.along || math.Abs(v.Apart(s.Points.At(i, d), l.fixed[d])) <= slack)
			}
			if on {
				readings = append(readings, reading{s.Points.At(i, l.along), s.Values[i], a.sigma(g, i)})
			}
		}
	}
	return readings
}

// sigma is the noise of reading i of group g: given or learned, 0 if neither.
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

// measuresField reports whether a functional is the value of field i itself.
func measuresField(f *system.Functional, i int) bool {
	if len(f.Terms) != 1 || len(f.Parameters) > 0 || f.Known != nil {
		return false
	}
	t := &f.Terms[0]
	for _, order := range t.Derivative {
		if order != 0 {
			return false
		}
	}
	return t.Field == i && t.Footprint == nil && (t.Coefficient == nil || t.Coefficient == system.Constant(1))
}

// sensorPlaces returns where sensors of any kind stand that are nearest to the k-th
// of some sections.
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
