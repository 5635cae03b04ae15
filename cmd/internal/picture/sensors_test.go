package picture

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/cmd/internal/figure"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

func artistOf(names string, points ...float64) *artist {
	variables := strings.Fields(names)
	file := problemIn([]string{"u"}, variables...)
	n := len(points) / len(variables)
	file.Problem.Sensors = []system.Sensors{{Name: "s.csv", Measures: system.Field(0), Points: mat.NewDense(n, len(variables), points), Values: make([]float64, n), Sigma: []float64{0.1}}}
	return &artist{file: file, problem: file.Problem, predictor: known{0.1}}
}

func TestStationsAreLines(t *testing.T) {
	for name, c := range map[string]struct {
		a    *artist
		want string
	}{
		"one variable":    {artistOf("x", 0, 0.5, 1, 2), "0:[0 1 2 3]"},
		"too few":         {artistOf("x", 0, 0.5, 1), "0:[0 1 2]"},
		"one":             {artistOf("x", 0.5), "0:[0]"},
		"few at one time": {artistOf("x t", 0, 0, 0.5, 0, 1, 0), "0:[0 1 2]"},
		"few at a place":  {artistOf("x t", 1, 0, 1, 2), "1:[0 1]"},
		"twice the same":  {artistOf("x t", 1, 0, 1, 0), "-1:[0 1]"},
		"few anywhere":    {artistOf("x t", 0, 0, 1, 0, 1, 1), "-1:[0 1 2]"},
		"two in time":     {artistOf("x t", 1, 0, 2, 0, 1, 1, 2, 0.5, 1, 2, 2, 1, 1, 0.3, 2, 2), "1:[0 2 4 6] 1:[1 3 5 7]"},
		"time first":      {artistOf("t x", 0, 1, 0, 1.1, 0, 1.2, 0, 1.3, 0.5, 1, 1, 1, 2, 1), "0:[0 4 5 6] 1:[1 2 3]"},
		"beginning":       {artistOf("x t", 0, 0, 0.5, 0, 1, 0, 2, 0, 1.5, 0.1, 1.5, 0.2, 1.5, 0.3, 1.5, 0.4), "1:[4 5 6 7] 0:[0 1 2 3]"},
		"scattered":       {artistOf("x y", 0, 0, 1, 1, 2, 0.5, 0.3, 1.7, 0.7, 0.2), "-1:[0 1 2 3 4]"},
		"row and a stray": {artistOf("x y", 0, 1, 1, 1, 0.3, 0.4, 2, 1, 0.5, 1), "0:[0 1 3 4] -1:[2]"},
	} {
		var got []string
		for _, s := range c.a.stations(0) {
			got = append(got, fmt.Sprintf("%d:%v", s.along, s.readings))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
}

// A panel shows the readings of a station, and the mean and band of what they measure.
func TestReadingsBesideTheirBand(t *testing.T) {
	a := artistOf("x t", 1, 0, 1, 0.5, 1, 1, 1, 2, 0.2, 0.3)
	a.problem.Sensors[0].Values = []float64{1, 1.4, 2.1, 3, 9}
	f, err := a.readings(nil)
	if err != nil {
		t.Fatal(err)
	}
	render(t, f)
	series, single := f.Rows[0][0].(*figure.Curve), f.Rows[0][1].(*figure.Curve)
	if series.XLabel != "t" || series.YLabel != "u" || series.Title != "s.csv, x = 1" || len(series.Sensors) != 4 || series.Sensors[1] != (figure.Reading{X: 0.5, Value: 1.4, Sigma: 0.1}) {
		t.Errorf("%+v, readings %v", series.Frame, series.Sensors)
	}
	for i, x := range series.X {
		if math.Abs(series.Mean[i]-(1+x)) > 1e-12 || series.SD[i] != 0.1 { // the mean is x + t
			t.Fatalf("at %g: %g ± %g", x, series.Mean[i], series.SD[i])
		}
	}
	if single.XLabel != "reading" || !slices.Equal(single.At, []figure.Reading{{X: 1, Value: 0.5, Sigma: 0.1}}) || single.Sensors[0].Value != 9 {
		t.Errorf("%+v, %v, %v", single.Frame, single.At, single.Sensors)
	}
}

// What is not linear has no curve, but the estimates that were found with the verdict.
func TestReadingsOfWhatIsNotLinear(t *testing.T) {
	a := artistOf("x", 0, 0.5, 1, 2)
	a.problem.Sensors[0].Measures = system.Functional{Nonlinear: &system.Nonlinear{Of: []system.Functional{system.Field(0)}, Value: system.Constant(1), Partials: []system.Function{nil}}}
	checks := []posterior.ReadingCheck{{Reading: 2, Mean: 7, SD: 0.5}}
	f, err := a.readings(checks)
	if err != nil {
		t.Fatal(err)
	}
	render(t, f)
	if p := f.Rows[0][0].(*figure.Curve); p.Mean != nil || !slices.Equal(p.At, []figure.Reading{{X: 1, Value: 7, Sigma: 0.5}}) || len(p.Sensors) != 4 {
		t.Errorf("mean %v, estimates %v", p.Mean, p.At)
	}
}

// Axes have labels and units, titles the names of sensors, and panels are in the order of the places.
func TestStationsAreNamedAndInOrder(t *testing.T) {
	a := artistOf("x t", 1, 0, 0.5, 0, 1, 1, 0.5, 1, 1, 1.5, 0.5, 1.5, 1, 2, 0.5, 2)
	a.problem.Variables[1].Label, a.problem.Variables[1].Unit = "time", "h"
	a.file.Quantities = map[string]spec.Quantity{"u": {Unit: "K", Label: "temperature"}}
	a.file.SensorFiles = []spec.SensorFile{{Sensors: []string{"deep", "outer", "deep", "outer", "deep", "outer", "deep", "outer"}}}
	for _, want := range [][]string{{"outer, x = 0.5", "deep, x = 1"}, {"outer, x = 0.5", "s.csv, x = 1"}} {
		f, err := a.readings(nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range f.Rows[0] {
			if c := p.(*figure.Curve); c.Title != want[i] || c.XLabel != "time (h)" || c.YLabel != "temperature (K)" {
				t.Errorf("%+v, want %q", c.Frame, want[i])
			}
		}
		a.file.SensorFiles[0].Sensors[2] = "other" // at the same place
	}
}

// Averages over a whole region have no place: they are numbered.
func TestReadingsWithoutPlaceAreNumbered(t *testing.T) {
	a := artistOf("x", 1, 1, 1, 1)
	a.file.SensorFiles = []spec.SensorFile{{Placeless: true}}
	if all := a.stations(0); len(all) != 1 || all[0].along != -1 {
		t.Errorf("stations %v", all)
	}
}

func TestManyStationsAreCounted(t *testing.T) {
	var points []float64
	for k := range 30 {
		for i := range 4 {
			points = append(points, float64(k)/20, float64(i)/2)
		}
	}
	f, err := artistOf("x t", points...).readings(nil)
	if err != nil {
		t.Fatal(err)
	}
	if panels := slices.Concat(f.Rows...); len(panels) != mostStations || !strings.Contains(f.Title, "24 of 30 stations") {
		t.Errorf("%d panels, title %q", len(panels), f.Title)
	}
}

// Of many stations, those are shown that fit worst, in the order of their places; and of many
// readings, all that are far from the mean.
func TestMisfitsAreShown(t *testing.T) {
	const stations, times = 60, 100
	var points []float64
	for k := range stations {
		for i := range times {
			points = append(points, float64(k)/30, float64(i)/50)
		}
	}
	a := artistOf("x t", points...)
	var checks []posterior.ReadingCheck
	for i := range a.problem.Sensors[0].Values {
		x := points[2*i] + points[2*i+1] // the mean
		c := posterior.ReadingCheck{Reading: i, Value: x + 0.1*math.Sin(float64(i)), Mean: x, Sigma: 0.1}
		switch {
		case i/times == 47: // a station that is off
			c.Value += 0.3
		case i == 52*times+33: // a glitch
			c.Value += 2
		}
		c.Standardised = (c.Value - c.Mean) / 0.1
		a.problem.Sensors[0].Values[i] = c.Value
		checks = append(checks, c)
	}
	f, err := a.readings(checks)
	if err != nil {
		t.Fatal(err)
	}
	render(t, f)
	var titles []string
	for _, p := range slices.Concat(f.Rows...) {
		titles = append(titles, p.(*figure.Curve).Title)
	}
	for _, x := range []float64{47. / 30, 52. / 30} {
		if title := "s.csv, " + valueOf(a.problem.Variables[0], x); !slices.Contains(titles, title) {
			t.Errorf("%s is not among %q", title, titles)
		}
	}
	if len(titles) != mostStations || !strings.HasSuffix(f.Title, "24 of 60 stations, those that fit worst") {
		t.Errorf("%d panels, title %q", len(titles), f.Title)
	}
	lower := untitled("").residuals(checks).Rows[1][0].(*figure.Curve)
	if !slices.ContainsFunc(lower.Sensors, func(r figure.Reading) bool { return r.X == 52*times+34 }) {
		t.Error("the glitch is not among the residuals")
	}
	if n := len(lower.Sensors); n > 1100 || lower.Thinning != 6 {
		t.Errorf("%d residuals, one in %d", n, lower.Thinning)
	}
}

func TestResiduals(t *testing.T) {
	if untitled("").residuals(nil) != nil {
		t.Error("residuals of nothing are drawn")
	}
	f := untitled("title").residuals([]posterior.ReadingCheck{
		{Value: 3, Sigma: 0.5, Mean: 2, Standardised: 1.5}, {Value: 1, Sigma: 0.5, Mean: 2, Standardised: math.NaN()}, {Sensors: 1, Value: 1, Sigma: 0, Mean: 2, Standardised: -4},
	})
	render(t, f)
	upper, lower := f.Rows[0][0].(*figure.Curve), f.Rows[1][0].(*figure.Curve)
	if !slices.Equal(upper.Sensors, []figure.Reading{{X: 1, Value: 2}, {X: 2, Value: -2}}) || !slices.Equal(lower.Sensors, []figure.Reading{{X: 1, Value: 1.5}, {X: 3, Value: -4}}) || !slices.Equal(upper.Breaks, []float64{2.5}) {
		t.Errorf("%v, %v, breaks %v", upper.Sensors, lower.Sensors, upper.Breaks)
	}
}

// Residuals are in the order of the sensors, and of time within one, so that its drift is seen.
func TestResidualsAreInOrderOfSensors(t *testing.T) {
	var points []float64
	const times = 10
	for i := range times {
		for k := range 3 {
			points = append(points, 0.5*float64(k+1), float64((7*i)%times)/5) // the times in a mess
		}
	}
	a := artistOf("x t", points...)
	var checks []posterior.ReadingCheck
	for i := range a.problem.Sensors[0].Values {
		drift := 0.0
		if i%3 == 1 {
			drift = points[2*i+1]
		}
		checks = append(checks, posterior.ReadingCheck{Reading: i, Value: drift, Sigma: 1, Standardised: drift})
	}
	named := []string{"left", "middle", "right"}
	for _, want := range [][]string{{"x = 0.5", "x = 1", "x = 1.5"}, named} {
		f := a.residuals(checks)
		render(t, f)
		for _, row := range f.Rows {
			p := row[0].(*figure.Curve)
			if !slices.Equal(p.Names, want) || !slices.Equal(p.NamesAt, []float64{5.5, 15.5, 25.5}) || !slices.Equal(p.Breaks, []float64{10.5, 20.5}) || p.XLabel != "sensor, its readings in order of time" {
				t.Errorf("names %q at %v, breaks %v, label %q", p.Names, p.NamesAt, p.Breaks, p.XLabel)
			}
			for i, r := range p.Sensors {
				drift := 0.0
				if i/times == 1 {
					drift = float64(i%times) / 5
				}
				if r.X != float64(i+1) || math.Abs(r.Value-drift) > 1e-12 {
					t.Errorf("reading %d: %v, want %g", i, r, drift)
				}
			}
		}
		a.file.SensorFiles = []spec.SensorFile{{}}
		for i := range checks {
			a.file.SensorFiles[0].Sensors = append(a.file.SensorFiles[0].Sensors, named[i%3])
		}
	}
	var crowd []float64 // too many sensors for names and lines
	for i := range 4 * (mostStretches + 1) {
		crowd = append(crowd, float64(i/4)/20, float64(i%4)/2)
	}
	b := artistOf("x t", crowd...)
	checks = nil
	for i := range b.problem.Sensors[0].Values {
		checks = append(checks, posterior.ReadingCheck{Reading: i, Value: 1, Sigma: 1, Standardised: 1})
	}
	if p := b.residuals(checks).Rows[0][0].(*figure.Curve); p.XLabel != "reading, sensor by sensor in order of time" || p.Breaks != nil || p.Names != nil {
		t.Errorf("many sensors: label %q, breaks %v, names %q", p.XLabel, p.Breaks, p.Names)
	}
	if names, _ := stretchNames([]stretch{{"a", 0, 500}, {"b", 500, 2}, {"c", 502, 2}}, 504); names != nil {
		t.Errorf("names overlap: %q", names)
	}
}

// Sensors of other quantities and of averages are marked otherwise.
func TestMarksSayWhatSensorsMeasure(t *testing.T) {
	a := artistOf("x y", 1, 1)
	average := system.Field(0)
	average.Terms[0].Footprint = &system.Footprint{Offsets: mat.NewDense(2, 2, []float64{-0.2, 0.1, 0.2, -0.1}), Weights: []float64{0.5, 0.5}}
	for name, c := range map[string]struct {
		f    system.Functional
		want figure.Mark
	}{
		"field":      {system.Field(0), figure.Mark{}},
		"derivative": {system.Derivative(0, 1), figure.Mark{Kind: figure.Other}},
		"other":      {system.Field(1), figure.Mark{Kind: figure.Other}},
		"average":    {average, figure.Mark{Kind: figure.Average, SX: 0.4, SY: 0.2}},
	} {
		if got := a.markOf(&c.f, &section{horizontal: 0, vertical: 1}); got != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Sensors on the surface of a ball are not drawn beside a section of it.
func TestSensorsOfSectionsAreInTheDomain(t *testing.T) {
	a := artistOf("x y z", 1, 1, 2, 2, 1, 1, 1.97, 1.3, 1.05)
	a.problem.Domain = system.Region(func(p []float64) bool {
		return (p[0]-1)*(p[0]-1)+(p[1]-1)*(p[1]-1)+(p[2]-1)*(p[2]-1) <= 1
	})
	sections := a.sections()
	var drawn []string
	for k := range sections {
		for _, m := range a.sensorPlaces(sections, k) {
			drawn = append(drawn, fmt.Sprintf("%d: %g, %g", k, m.X, m.Y))
		}
	}
	if got := strings.Join(drawn, "; "); got != "1: 2, 1; 1: 1.97, 1.3; 2: 1, 1" {
		t.Errorf("drawn are %s", got)
	}
}

// The axes of a field in a layer are those of the layer.
func TestLayersFillTheirAxes(t *testing.T) {
	file := problemIn([]string{"u", "v"}, "x")
	file.Output.Where = []system.Domain{system.Region(func(x []float64) bool { return x[0] <= 0.6 }), system.Region(func(x []float64) bool { return x[0] >= 0.6 })}
	figures := figuresOf(t, file, known{0.1}, nil)
	for name, ends := range map[string][2]float64{"u": {0, 0.6}, "v": {0.6, 2}} {
		p := figures["solution-"+name+".png"].Rows[0][0].(*figure.Curve)
		if lo, hi := p.X[0], p.X[len(p.X)-1]; math.Abs(lo-ends[0]) > 0.06 || math.Abs(hi-ends[1]) > 0.06 {
			t.Errorf("%s is drawn from %g to %g", name, lo, hi)
		}
	}
}

// The prior stands beside the posterior, for parameters that are linear, too.
func TestPriorsAreSaid(t *testing.T) {
	file := problemIn([]string{"u"}, "x")
	file.Problem.Parameters = []system.Parameter{{Name: "a"}, {Name: "b", Mean: 2, SD: 0.5}}
	file.Problem.Coefficients = []system.Coefficient{{Name: "D", Min: 1, Max: 20000}, {Name: "K", Median: 5, Factor: 2}, {Name: "a", Min: -0.3, Max: 0.3, Fine: 1e-6}}
	panels, _ := densityPanels(file, gaussians{gaussian("a", 1, 0.1), gaussian("b", 2, 0.1), gaussian("D", 2, 0.1), gaussian("K", 5, 0.1), gaussian("a", 2, 0.1)})
	for i, want := range []string{"a (prior: wide)", "b (prior: 2 ± 0.5)", "D (prior: 1 to 20000)", "K (prior: 5, factor 2)", "a (prior: wide, range found)"} {
		if panels[i].XLabel != want || (panels[i].Prior != nil) != (i > 0) {
			t.Errorf("%q, want %q", panels[i].XLabel, want)
		}
	}
	if d := panels[1].Prior(2); math.Abs(d-1/(0.5*math.Sqrt(2*math.Pi))) > 1e-12 {
		t.Errorf("the prior of b has the density %g", d)
	}
}

// untitled is an artist for a file of which only the title is known.
func untitled(title string) *artist {
	return &artist{file: &spec.File{Title: title}, problem: &system.Problem{}}
}

// The axis has the names of sensors with one reading each, as long as there are not too many.
func TestReadingsOfNamedSensorsHaveNames(t *testing.T) {
	named := func(names ...string) []string {
		a := &artist{file: &spec.File{SensorFiles: []spec.SensorFile{{Sensors: names}}}, problem: &system.Problem{}}
		var checks []posterior.ReadingCheck
		for i := range names {
			checks = append(checks, posterior.ReadingCheck{Reading: i, Value: 1, Sigma: 1})
		}
		f := a.residuals(checks)
		render(t, f)
		return f.Rows[0][0].(*figure.Curve).Names
	}
	if got := named("G1", "a gauge with a very long name", "G3"); len(got) != 3 || got[2] != "G3" {
		t.Errorf("named %q", got)
	}
	if got := named("G1", "", "G3"); got != nil {
		t.Errorf("a reading without a sensor: %q", got)
	}
	if got := named("G1", "G2", "G1"); got != nil {
		t.Errorf("two readings of one sensor: %q", got)
	}
	many := make([]string, mostNames+1)
	for i := range many {
		many[i] = fmt.Sprint("G", i)
	}
	if got := named(many...); got != nil {
		t.Errorf("many: %q", got)
	}
	if got := named(many[1:]...); len(got) != mostNames {
		t.Errorf("%d of %d", len(got), mostNames)
	}
}
