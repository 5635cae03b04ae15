package spec

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// slab is a problem with everything that definitions hold: constants, a table, a polygon, a shape, layers, a
// coefficient and a parameter.
var slab = fstest.MapFS{
	"a/problem.toml": {Data: []byte(`
fields = ["T", "v"]
[variables]
x = [0, 2]
y = [0, "2*half"]
[constants]
half = 0.5
[tables]
k = "tables/k.csv"
[parameters]
q = {}
D = { min = 0.1, max = 10 }
[shapes]
whole = { polygon = "outline.csv" }
hole = { disk = { center = [1, 0.5], radius = 0.2 } }
[domain]
shape = "whole - hole"
[[equation]]
pde = "D*(T_xx + T_yy) + q = v"
points = 20
[[equation]]
pde = "v_x = 0"
points = 20
[[sensors]]
file = "readings.csv"
sigma = 0.1
[output]
where = { v = "x < 1" }
`)},
	"a/tables/k.csv": {Data: []byte("x,value\n0,1\n2,5\n")},
	"a/outline.csv":  {Data: []byte("x,y\n0,0\n2,0\n2,1\n0,1\n")},
	"a/readings.csv": {Data: []byte("x,y,value\n0.1,0.1,1\n")},
}

func definitionsOf(t *testing.T, set ...string) (*Definitions, *system.Problem) {
	t.Helper()
	f, err := ReadFS(slab, "a/problem.toml", set)
	if err != nil {
		t.Fatal(err)
	}
	d, err := ReadDefinitions(f.Definitions(nil), f.Problem)
	if err != nil {
		t.Fatal(err)
	}
	return d, f.Problem
}

func TestDefinitionsKnowTheDomain(t *testing.T) {
	d, p := definitionsOf(t)
	points := system.Grid(p.Variables, nil, []int{23, 19})
	inside := 0
	for i := range points.Rows() {
		x := points.Row(i)
		want := p.Domain.Contains(x)
		if want {
			inside++
		}
		if d.Holds(-1, x) != want || d.Holds(0, x) != want || d.Holds(1, x) != (want && x[0] < 1) {
			t.Errorf("at %v: %v, %v, %v; inside %v", x, d.Holds(-1, x), d.Holds(0, x), d.Holds(1, x), want)
		}
	}
	if inside < 300 || inside == points.Rows() {
		t.Errorf("%d of %d points are inside", inside, points.Rows())
	}
	d, _ = definitionsOf(t, "shapes.hole.disk.radius=0.4")
	if d.Holds(0, []float64{1, 0.8}) {
		t.Error("an override is forgotten")
	}
}

func TestMeasureReadsExpressions(t *testing.T) {
	d, _ := definitionsOf(t)
	at := mat.NewDense(1, 2, []float64{1, 0.25})
	value := func(f system.Function) float64 {
		if f == nil {
			return 1
		}
		v := []float64{0}
		f.EvalTo(v, at)
		return v[0]
	}
	f, err := d.Measure("-k(x)*T_x/half + y*q + 2")
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Terms) != 1 || f.Terms[0].Field != 0 || f.Terms[0].Derivative[0] != 1 || value(f.Terms[0].Coefficient) != -6 {
		t.Errorf("terms %+v", f.Terms)
	}
	if len(f.Parameters) != 1 || f.Parameters[0].Parameter != 0 || value(f.Parameters[0].Coefficient) != 0.25 || value(f.Known) != 2 || f.Nonlinear != nil {
		t.Errorf("%+v", f)
	}
	f, err = d.Measure("-D*T_x")
	if err != nil {
		t.Fatal(err)
	}
	g := f.With([]float64{3})
	if f.Nonlinear != nil || value(g.Terms[0].Coefficient) != -3 || !f.Depends([]float64{1}) {
		t.Errorf("%+v", f)
	}
	f, err = d.Measure("max(q*T, abs(v_y) - D)")
	if err != nil {
		t.Fatal(err)
	}
	g = f.With([]float64{3})
	if len(g.Nonlinear.Of) != 3 {
		t.Fatalf("%+v", g.Nonlinear)
	}
	for _, c := range []struct{ q, temperature, slope, want float64 }{{2, 5, 1, 10}, {2, -5, -20, 17}} {
		v := []float64{0}
		g.Nonlinear.Value.EvalTo(v, mat.NewDense(1, 5, []float64{1, 0.25, c.q, c.temperature, c.slope}))
		if math.Abs(v[0]-c.want) > 1e-12 {
			t.Errorf("of %+v: %g", c, v[0])
		}
	}
	for text, want := range map[string]string{
		"x + 1":   "contains no unknown",
		"T_z":     "T_z",
		"k*T":     "is a table",
		"T = 1":   "is not one expression",
		"T +":     "",
		"T_n":     "outward normal",
		"radius*": "",
	} {
		var wrong *Error
		if _, err := d.Measure(text); !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Without a text there are the names of the problem and nothing else; a damaged text is refused.
func TestDefinitionsFromAnywhere(t *testing.T) {
	_, p := definitionsOf(t)
	d, err := ReadDefinitions("", p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Measure("D*T_x + q"); err != nil || d.Domain != nil || !d.Holds(1, []float64{9, 9}) {
		t.Errorf("%v, domain %v", err, d.Domain)
	}
	if _, err := d.Measure("half*T"); err == nil {
		t.Error("a constant without definition has a value")
	}
	twice := *p
	twice.Parameters = []system.Parameter{{Name: "T"}}
	for name, c := range map[string]struct {
		text string
		p    *system.Problem
	}{
		"no JSON":                      {"x", p},
		"no TOML":                      {`{"Problem": "[["}`, p},
		"unknown keys":                 {`{"Problem": "[variables]\nx = [0, 1]\nspeed = 3\n[frobnicate]\na = 1"}`, p},
		"a missing file":               {`{"Problem": "[tables]\nk = \"../../etc/passwd\""}`, p},
		"a wrong shape":                {`{"Problem": "[domain]\nshape = \"hole\""}`, p},
		"ambiguous names":              {"", &twice},
		"a wrong override":             {`{"Problem": "", "Set": ["frobnicate"]}`, p},
		"a sensor of another field":    {`{"Sensors": [{"Name": "s", "Field": 2}]}`, p},
		"a sensor on a line":           {`{"Sensors": [{"Name": "s", "Places": [[1, 0.5], [1]]}]}`, p},
		"an average over less than 0":  {`{"Sensors": [{"Name": "s", "Sides": [1, -0.5]}]}`, p},
		"a place beyond all numbers":   {`{"Sensors": [{"Name": "s", "Places": [[1e999, 0]]}]}`, p},
		"a unit that cannot be shown":  {`{"Quantities": {"T": {"Unit": "K\n"}}}`, p},
		"a label that is far too long": {`{"Quantities": {"T": {"Label": "` + strings.Repeat("x", 100) + `"}}}`, p},
	} {
		var wrong *Error
		if _, err := ReadDefinitions(c.text, c.p); err == nil || name != "ambiguous names" && !errors.As(err, &wrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Definitions that would make a model large are left out.
func TestLargeDefinitionsAreNotKept(t *testing.T) {
	large := fstest.MapFS{}
	for name, file := range slab {
		large[name] = file
	}
	var rows strings.Builder
	rows.WriteString("x,value\n")
	for i := range 80_000 {
		rows.WriteString(fmt.Sprintf("%d,1\n", i))
	}
	large["a/tables/k.csv"] = &fstest.MapFile{Data: []byte(rows.String())}
	f, err := ReadFS(large, "a/problem.toml", nil)
	if err != nil || f.Definitions(nil) != "" {
		t.Errorf("%v: %d bytes are kept", err, len(f.Definitions(nil)))
	}
}

// A model knows the units of its fields and where its sensors are; those of earlier programs
// do not, and are read nevertheless.
func TestDefinitionsKnowUnitsAndSensors(t *testing.T) {
	f, err := ReadFS(slab, "a/problem.toml", nil)
	if err != nil {
		t.Fatal(err)
	}
	f.Quantities = map[string]Quantity{"T": {Unit: "K", Label: "temperature"}}
	sensors := []KnownSensors{
		{Name: "wall", Readings: 300, Field: 1, Places: [][]float64{{0.1, 0.25}, {1. / 3, 1e-17}}},
		{Name: "mean", Readings: 1, Field: -1, Sides: []float64{0.5, 0}, Places: [][]float64{{1, 1}}},
	}
	d, err := ReadDefinitions(f.Definitions(sensors), f.Problem)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(d.Sensors, sensors) || d.Axis("T") != "temperature (K)" || d.Axis("v") != "v" {
		t.Errorf("sensors %+v, quantities %v", d.Sensors, d.Quantities)
	}
	earlier, err := ReadDefinitions(`{"Problem": "[constants]\nhalf = 0.5"}`, f.Problem)
	if err != nil || earlier.Sensors != nil || earlier.Axis("T") != "T" {
		t.Errorf("%v: %+v", err, earlier)
	}
	if d, err = ReadDefinitions(WithSensors(f.Definitions(sensors), sensors[1:]), f.Problem); err != nil || !reflect.DeepEqual(d.Sensors, sensors[1:]) || d.Axis("T") != "temperature (K)" {
		t.Errorf("%v: sensors %+v", err, d.Sensors)
	}
	for _, text := range []string{"", "x"} {
		if got := WithSensors(text, sensors); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	// Sensors that leave no room for the rest are left out.
	many := KnownSensors{Places: slices.Repeat([][]float64{{1. / 3, 2. / 3}}, 40_000)}
	text := f.Definitions([]KnownSensors{many})
	if d, err = ReadDefinitions(text, f.Problem); err != nil || text == "" || d.Sensors != nil || d.Domain == nil {
		t.Errorf("%v: %d bytes, %d groups of sensors", err, len(text), len(d.Sensors))
	}
}

// Whatever a model says of its problem, it is read or refused with an *Error, and then
// answers.
func FuzzDefinitions(f *testing.F) {
	file, err := ReadFS(slab, "a/problem.toml", nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file.Definitions(nil))
	f.Add(file.Definitions([]KnownSensors{{Name: "s", Readings: 3, Field: 1, Sides: []float64{0.1, 0}, Places: [][]float64{{1, 0.5}, {2, 1e300}}}}))
	f.Add(`{"Sensors": [{"Field": 9}], "Quantities": {"T": {"Unit": "K"}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ReadDefinitions(text, file.Problem)
		if err != nil {
			var wrong *Error
			if !errors.As(err, &wrong) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		d.Holds(0, []float64{1, 0.5})
		for _, s := range d.Sensors {
			if s.Field < -1 || s.Field > 1 || s.Sides != nil && len(s.Sides) != 2 {
				t.Errorf("sensors %+v", s)
			}
			for _, x := range s.Places {
				if len(x) != 2 || math.IsNaN(x[0]+x[1]) {
					t.Errorf("a sensor is at %v", x)
				}
			}
		}
		for name := range d.Quantities {
			if !isCaption(d.Quantities[name].Unit, maxUnit) {
				t.Errorf("unit %q", d.Quantities[name].Unit)
			}
		}
	})
}
