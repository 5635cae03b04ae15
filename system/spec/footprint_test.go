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
	for _, t := range f.Terms {
		value[0] = 1
		if t.Coefficient != nil {
			t.Coefficient.EvalTo(value, points)
		}
		sum += value[0] * u(t.Places(points).Row(0))
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
