package picture

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/cmd/internal/figure"
	"github.com/bpielm/bpielm/cmd/internal/solution"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
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
				readings = append(readings, figure.Reading{X: s.Points.At(i, l.along), Value: s.Values[i], Sigma: a.sigma(g, i), Source: a.sourceOf(g, i)})
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

// sensorPlaces returns the places of sensors that are nearer to the k-th section than to
// the others, and whose projection on it lies in the domain: a sensor on the surface of a
// ball does not float beside a section of the ball.
func (a *artist) sensorPlaces(sections []section, k int) []figure.Mark {
	s := &sections[k]
	var places []figure.Mark
	for g := range a.problem.Sensors {
		if files := a.file.SensorFiles; g < len(files) && files[g].Placeless {
			continue
		}
		points := a.problem.Sensors[g].Points
		mark := a.markOf(&a.problem.Sensors[g].Measures, s)
		for i := range points.Rows() {
			nearest := 0
			for other := range sections {
				if s.across >= 0 && math.Abs(points.At(i, s.across)-sections[other].fixed[s.across]) < math.Abs(points.At(i, s.across)-sections[nearest].fixed[s.across]) {
					nearest = other
				}
			}
			mark.X, mark.Y = points.At(i, s.horizontal), points.At(i, s.vertical)
			if nearest == k && (s.across < 0 || a.beside(s.place(mark.X, mark.Y))) {
				places = append(places, mark)
			}
		}
	}
	return places
}

// beside tells whether a place is in the domain, or not farther from it than a mark is
// large.
func (a *artist) beside(x []float64) bool {
	const slack = 0.02 // of a range
	near := slices.Clone(x)
	for d := range min(2, len(x)) {
		for _, step := range []float64{0, -slack, slack} {
			near[d] = x[d] + step*(a.problem.Variables[d].Max-a.problem.Variables[d].Min)
			if a.inside(near) {
				return true
			}
		}
		near[d] = x[d]
	}
	return false
}

// markOf is how sensors of a functional are marked on a section of the field's map.
func (a *artist) markOf(f *system.Functional, s *section) figure.Mark {
	k := solution.SensorsOf(f, len(a.problem.Variables))
	return markOf(&k, a.field, s.horizontal, s.vertical)
}

// markOf is how known sensors are marked on a map of a field.
func markOf(k *spec.KnownSensors, field, horizontal, vertical int) figure.Mark {
	switch {
	case k.Sides != nil:
		return figure.Mark{Kind: figure.Average, SX: k.Sides[horizontal], SY: k.Sides[vertical]}
	case k.Field == field:
		return figure.Mark{Kind: figure.Value}
	}
	return figure.Mark{Kind: figure.Other}
}
