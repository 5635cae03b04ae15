package spec

import (
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// apply evaluates a functional of a known field u, without derivatives, at one
// point.
func apply(f *system.Functional, u func(x []float64) float64, x []float64) float64 {
	points, value := mat.NewDense(1, len(x), x), []float64{1}
	sum := 0.0
	for _, t := range f.Expanded().Terms {
		value[0] = 1
		if t.Coefficient != nil {
			t.Coefficient.EvalTo(value, points)
		}
		sum += value[0] * u(t.Footprint.Places(0, points).Row(0))
	}
	if f.Known != nil {
		f.Known.EvalTo(value, points)
		sum += value[0]
	}
	return sum
}

func TestAveragesAndReferences(t *testing.T) {
	u := func(x []float64) float64 { return math.Exp(x[0]) * x[1] * x[1] }
	mean := func(a, b, c, d float64) float64 { // of u over [a, b] x [c, d]
		return (math.Exp(b) - math.Exp(a)) / (b - a) * (d*d*d - c*c*c) / 3 / (d - c)
	}
	x := []float64{0.5, 0.5}
	for keys, want := range map[string]float64{
		"average = { x = 0.4 }":                                 (math.Exp(0.7) - math.Exp(0.3)) / 0.4 * 0.25,
		"average = { x = 1, y = 1 }":                            mean(0, 1, 0, 1),
		"average = { y = 0.2, x = 0.1 }":                        mean(0.45, 0.55, 0.4, 0.6),
		"reference = { y = 1 }":                                 u(x) - u([]float64{0.5, 1}),
		"reference = { x = 0.5, y = 0.5 }":                      0,
		"average = { x = 0.2, y = 0.2 }\nreference = { x = 1 }": mean(0.4, 0.6, 0.4, 0.6) - mean(0.9, 1.1, 0.4, 0.6),
		"measures = \"3*u + 5\"\nreference = { y = 1 }":         3 * (u(x) - u([]float64{0.5, 1})),
		"measures = \"x*u + x\"\naverage = { x = 0.2 }":         0.25*((0.6-1)*math.Exp(0.6)-(0.4-1)*math.Exp(0.4))/0.2 + 0.5,
		"measures = \"y*u + y\"\nreference = { y = 1 }":         0.5*u(x) - u([]float64{0.5, 1}) - 0.5,
		"measures = \"2\\u002a(u + y)\"\naverage = { y = 0.4 }": 2*(math.Exp(0.5)*(0.7*0.7*0.7-0.3*0.3*0.3)/3/0.4) + 1,
	} {
		problem := "[variables]\nx = [0, 1.2]\ny = [0, 1]\n[[equation]]\npde = \"u_xx = 0\"\npoints = 3\n[[sensors]]\nfile = \"s.csv\"\nsigma = 1\n" + keys + "\n"
		file, err := ReadFS(fstest.MapFS{
			"p.toml": &fstest.MapFile{Data: []byte(problem)},
			"s.csv":  &fstest.MapFile{Data: []byte("x,y,value\n0.5,0.5,1\n")},
		}, "p.toml", nil)
		if err != nil {
			t.Errorf("%s: %v", keys, err)
			continue
		}
		if got := apply(&file.Problem.Sensors[0].Measures, u, x); math.Abs(got-want) > 1e-8 {
			t.Errorf("%s: %.12g, want %.12g", keys, got, want)
		}
		if said := file.SensorFiles[0].Measures; strings.Contains(keys, "average") != strings.Contains(said, "averaged over") || strings.Contains(keys, "reference") != strings.Contains(said, "minus the same at") {
			t.Errorf("%s: it is said to measure %q", keys, said)
		}
	}
}

// TestAverageOverARegion: the places that stand for it have its centroid and second
// moment, stay where they are, and follow the sensor in time.
func TestAverageOverARegion(t *testing.T) {
	text := `
[variables]
x = [0, 2]
y = [0, 2]
t = [0, 5]
[shapes]
plate = { box = { x = [0, 2], y = [0, 2] } }
corner = { box = { x = [1, 2], y = [1, 2] } }
core = { disk = { center = [0.5, 0.5], radius = 0.5 } }
[domain]
shape = "plate - corner + core"
[[equation]]
pde = "u_t = u_xx + u_yy"
points = 20
[[sensors]]
file = "s.csv"
measures = "2*u_x + x"
average = "REGION"
sigma = 1
`
	for region, want := range map[string]struct{ x, xx float64 }{
		"domain": {(2*1 + 1*0.5) / 3, (8./3 + 1./3) / 3}, // [0, 2] x [0, 1] and [0, 1] x [1, 2]
		"core":   {0.5, 0.25 + 0.0625},
	} {
		f, err := ReadFS(fstest.MapFS{
			"problem.toml": {Data: []byte(strings.Replace(text, "REGION", region, 1))},
			"s.csv":        {Data: []byte("t,value\n1,3\n2.5,4\n")},
		}, "problem.toml", nil)
		if err != nil {
			t.Fatal(err)
		}
		s := f.Problem.Sensors[0]
		if s.Points.At(1, 2) != 2.5 || !f.SensorFiles[0].Placeless || f.SensorFiles[0].Measures != "2*u_x + x averaged over the "+region {
			t.Errorf("%s: points %v, %+v", region, s.Points.Data(), f.SensorFiles[0])
		}
		var weight, x, xx float64
		if len(s.Measures.Terms) != 1 {
			t.Fatalf("%s: %d terms", region, len(s.Measures.Terms))
		}
		for i, m := range s.Measures.Expanded().Terms {
			c := float64(m.Coefficient.(system.Constant)) / 2
			at := m.Footprint.Places(0, s.Points).Row(1)
			if at[2] != 2.5 || m.Derivative[0] != 1 {
				t.Fatalf("%s: term %d at %v, derivative %v", region, i, at, m.Derivative)
			}
			weight, x, xx = weight+c, x+c*at[0], xx+c*at[0]*at[0]
		}
		known := make([]float64, 2)
		s.Measures.Known.EvalTo(known, s.Points)
		const accuracy = 6e-3
		if math.Abs(weight-1) > 1e-12 || math.Abs(x-want.x) > accuracy || math.Abs(xx-want.xx) > accuracy || math.Abs(known[1]-x) > 1e-12 {
			t.Errorf("%s: weight %g, mean of x %g, want %g, of its square %g, want %g, known part %g", region, weight, x, want.x, xx, want.xx, known[1])
		}
	}
	whole := strings.NewReplacer("[shapes]", "[constants]\n#", "plate =", "#", "corner =", "#", "core =", "#", "[domain]", "#", "shape =", "#", "REGION", "domain").Replace(text)
	f, err := ReadFS(fstest.MapFS{"problem.toml": {Data: []byte(whole)}, "s.csv": {Data: []byte("t,value\n1,3\n")}}, "problem.toml", nil)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, m := range f.Problem.Sensors[0].Measures.Expanded().Terms {
		at := m.Footprint.Places(0, mat.NewDense(1, 3, []float64{9, 9, 1})).Row(0)
		sum += float64(m.Coefficient.(system.Constant)) / 2 * math.Exp(at[0]-at[1])
	}
	if want := (math.Exp(2) - 1) * (1 - math.Exp(-2)) / 4; math.Abs(sum-want) > 1e-9*want {
		t.Errorf("mean of exp(x - y) over the box is %.12g, want %.12g", sum, want)
	}
	for from, want := range map[string]string{
		`"core"`:                          "",
		`"crust"`:                         `expected "domain", one of the shapes core, corner and plate, or the sides of a box around the sensor, { x = 0.1 }; found "crust"`,
		"\"core\"\nreference = { x = 1 }": "an average over the core has no place to be compared with another",
		"3":                               "expected a table",
	} {
		_, err := ReadFS(fstest.MapFS{
			"problem.toml": {Data: []byte(strings.Replace(text, `"REGION"`, from, 1))},
			"s.csv":        {Data: []byte("t,value\n1,3\n")},
		}, "problem.toml", nil)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("average = %s: %v", from, err)
		}
	}
}
