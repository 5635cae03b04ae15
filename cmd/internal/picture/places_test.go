package picture

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/cmd/internal/figure"
	"github.com/bpielm/bpielm/cmd/internal/solution"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// A model keeps what its sensors measure and where they are: every place once, and of very
// many a part.
func TestKnownSensors(t *testing.T) {
	a := artistOf("x t", 1, 0, 1, 0, 0.5, 2)
	average := system.Field(0)
	average.Terms[0].Footprint = &system.Footprint{Offsets: mat.NewDense(2, 2, []float64{-0.2, 0, 0.2, 0}), Weights: []float64{0.5, 0.5}}
	slope := a.problem.Sensors[0]
	slope.Name, slope.Measures = "slope", system.Derivative(0, 1)
	mean := a.problem.Sensors[0]
	mean.Name, mean.Measures = "mean", average
	a.problem.Sensors = append(a.problem.Sensors, slope, mean)
	a.file.SensorFiles = []spec.SensorFile{{}, {}, {Placeless: true}}
	got := solution.KnownSensors(a.file)
	places := "[[1 0] [0.5 2]]"
	for i, want := range []string{"s.csv 3 0 [] " + places, "slope 3 -1 [] " + places, "mean 3 -1 [0.4 0] []"} {
		k := got[i]
		if text := fmt.Sprint(k.Name, " ", k.Readings, k.Field, " ", k.Sides, " ", k.Places); text != want {
			t.Errorf("%q, want %q", text, want)
		}
	}
	var points []float64
	for i := range 10_000 {
		points = append(points, float64(i), 0)
	}
	many := solution.KnownSensors(artistOf("x t", points...).file)
	if n := len(many[0].Places); n > solution.MostKnown || n < solution.MostKnown/2 || many[0].Readings != 10_000 {
		t.Errorf("%d places of %d readings", n, many[0].Readings)
	}
}

// fewReadings gives a posterior of a smooth function of some variables, from few readings.
func fewReadings(t *testing.T, variables ...string) *posterior.Posterior {
	t.Helper()
	d := len(variables)
	a := artistOf(fmt.Sprint(variables)[1:len(fmt.Sprint(variables))-1], slices.Repeat([]float64{0.2, 1, 1.7}[:d], 4)...)
	points := a.problem.Sensors[0].Points
	for i := range points.Rows() {
		for k := range d {
			points.Set(i, k, math.Mod(0.3+0.37*float64(i)+0.71*float64(k), 1)*2)
		}
	}
	order := make([]int, d)
	order[0] = 1
	slope := system.Functional{Terms: []system.Term{{Derivative: order}}}
	a.problem.Equations = []system.Demand{{Residual: slope, Points: system.Grid(a.problem.Variables, nil, slices.Repeat([]int{3}, d))}}
	q, err := posterior.Fit(a.problem, posterior.Config{Neurons: 20, Seed: 1, Ensemble: 1, Scale: slices.Repeat([]float64{1}, d)})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// The picture of places shows the sensors that are there, every candidate with its gain, and
// the chosen ones, for any number of variables.
func TestPlacesPicture(t *testing.T) {
	for _, variables := range [][]string{{"x"}, {"x", "y"}, {"x", "y", "t"}} {
		q, d := fewReadings(t, variables...), len(variables)
		candidates := mat.NewDense(30, d, nil)
		for i := range candidates.Rows() {
			for k := range d {
				candidates.Set(i, k, math.Mod(0.1+0.618*float64(i*(k+1)), 1)*2)
			}
		}
		there, elsewhere := []float64{0.2, 1, 1.7}[:d], []float64{1.5, 0.3, 0}[:d]
		known := &spec.Definitions{
			Quantities: map[string]spec.Quantity{"u": {Unit: "K"}},
			Sensors: []spec.KnownSensors{
				{Name: "a", Field: 0, Places: [][]float64{there, there, there}},
				{Name: "b", Field: -1, Places: [][]float64{elsewhere}},
				{Name: "beyond", Sides: slices.Repeat([]float64{1e300}, d), Places: [][]float64{slices.Repeat([]float64{1e300}, d)}},
			},
		}
		p := &Places{Posterior: q, Known: known, Sensor: posterior.Sensor{Name: "u", Measures: system.Field(0), Sigma: 0.1}, Candidates: candidates, Goal: "u"}
		goal := posterior.Query{Functional: system.Field(0), Points: system.Grid(q.Variables(), nil, slices.Repeat([]int{5}, d))}
		var err error
		if p.Placements, p.Alone, err = q.PlaceAndCompare(p.Sensor, candidates, 3, goal); err != nil {
			t.Fatal(err)
		}
		f, err := p.Figure()
		if err != nil {
			t.Fatal(err)
		}
		render(t, f)
		dots, numbers, existing, kinds := 0, 0, 0, map[figure.MarkKind]bool{}
		for _, panel := range slices.Concat(f.Rows...) {
			switch g := panel.(type) {
			case *figure.Gains:
				dots, numbers = len(g.X), max(numbers, len(g.Chosen))
				if best := slices.Max(g.Gain); best != p.Gain(p.Placements[0].Candidate) {
					t.Errorf("%v: the best gain is %g", variables, best)
				}
			case *figure.Spread:
				existing = len(g.Existing)
				for _, m := range g.Existing {
					kinds[m.Kind] = true
				}
			case *figure.Map:
				existing = max(existing, len(g.Sensors))
			case *figure.MarkedMap:
				existing, numbers = max(existing, len(g.Sensors)), max(numbers, len(g.Marks.Chosen))
				for _, m := range g.Sensors {
					kinds[m.Kind] = true
				}
				if len(g.Dots) > 0 {
					dots = len(g.Dots)
					if !g.Marks.Beside {
						t.Errorf("%v: numbers cover the gains", variables)
					}
					if last := g.Dots[dots-1].Value; last != p.Gain(p.Placements[0].Candidate) || g.Title != "gain of one sensor (K)" {
						t.Errorf("%v: %q, on top is %g", variables, g.Title, last)
					}
				}
			}
		}
		if dots != 30 || numbers != 3 || existing != 4 || !kinds[figure.Value] || !kinds[figure.Other] {
			t.Errorf("%v: %d candidates, %d numbers, %d sensors of %v", variables, dots, numbers, existing, kinds)
		}
		if p.Rank(p.Placements[1].Candidate) != 2 || p.Rank(-1) != 0 {
			t.Errorf("%v: wrong ranks", variables)
		}
	}
}
