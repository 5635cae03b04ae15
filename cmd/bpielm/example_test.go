package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/bench/problems"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

func TestExamplesAreListed(t *testing.T) {
	for _, args := range [][]string{{"example"}, {"example", "--list"}} {
		got := succeed(t, args...)
		for _, e := range problems.All {
			if !strings.Contains(got, "\n  "+e.Name+" ") {
				t.Errorf("%v does not list %s", args, e.Name)
			}
		}
	}
}

// The embedded files are what the simulator makes: on every machine.
func TestEmbeddedSensorsAreTheSimulators(t *testing.T) {
	for _, e := range problems.All {
		t.Run(e.Name, func(t *testing.T) {
			path := writeExample(t, e.Name)
			for _, name := range []string{problems.ProblemFile, e.SensorFile} {
				got, err := os.ReadFile(filepath.Join(filepath.Dir(path), name))
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, e.File(name)) {
					t.Errorf("%s differs from the embedded one:\n%s", name, got)
				}
			}
		})
	}
}

func TestExampleOptions(t *testing.T) {
	for _, e := range problems.All {
		t.Run(e.Name, func(t *testing.T) {
			path := writeExample(t, e.Name, "--sigma=0.001", "--sensors=33", "--neurons=77", "--seed=5")
			file, err := spec.Read(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			s := file.Problem.Sensors[0]
			if len(s.Values) != 33 || len(s.Sigma) != 1 || s.Sigma[0] != 0.001 || file.Features.Neurons != 77 {
				t.Errorf("%d readings, sigma %v, %d neurons", len(s.Values), s.Sigma, file.Features.Neurons)
			}
			exact := make([]float64, len(s.Values))
			file.Output.Exact[0].EvalTo(exact, s.Points)
			square := 0.0
			for i := range exact {
				z := (s.Values[i] - exact[i]) / 0.001
				square += z * z / float64(len(exact))
			}
			// The mean square of 33 normal numbers leaves [0.35, 2.1] once in
			// 10,000 times; the seed is fixed.
			if square < 0.35 || square > 2.1 {
				t.Errorf("the noise has mean square %g sigma^2", square)
			}
		})
	}
}

func TestSeedsGiveDifferentNoise(t *testing.T) {
	e := problems.Find("inverse-poisson")
	a, err := simulateExample(e, 20, 0.05, 1)
	if err != nil {
		t.Fatal(err)
	}
	b, err := simulateExample(e, 20, 0.05, 2)
	if err != nil || bytes.Equal(a, b) {
		t.Errorf("seeds 1 and 2 give the same readings (%v)", err)
	}
}

func TestExampleDoesNotOverwrite(t *testing.T) {
	path := writeExample(t, "poisson")
	directory := filepath.Dir(path)
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, []string{"example", "poisson", directory}, path, "--force")
	if content, _ := os.ReadFile(path); string(content) != "mine" {
		t.Error("the file was overwritten")
	}
	succeed(t, "example", "poisson", directory, "--force")
	if content, _ := os.ReadFile(path); string(content) == "mine" {
		t.Error("--force did not overwrite the file")
	}
}

func TestWrongExamples(t *testing.T) {
	root := t.TempDir()
	directory := filepath.Join(root, "d")
	refused(t, []string{"example", "fish", directory}, "fish")
	refused(t, []string{"example", "poisson", directory, "--sigma=0"}, "sigma")
	refused(t, []string{"example", "poisson", directory, "--sigma=NaN"}, "sigma")
	refused(t, []string{"example", "poisson", directory, "--sensors=1"}, "sensors")
	refused(t, []string{"example", "poisson", directory, "--neurons=-1"}, "neurons")
	if got := listing(t, root); len(got) > 0 {
		t.Errorf("left behind: %v", got)
	}
}

// The equations as written hold for the exact solutions as written, with the
// true parameters: derivatives are taken by differences.
func TestExactSolutionsSolveTheEquations(t *testing.T) {
	truth := map[string][]float64{
		"inverse-poisson":   {0.49, 2.25},
		"inverse-helmholtz": {10, 16, -10},
	}
	for _, e := range problems.All {
		t.Run(e.Name, func(t *testing.T) {
			file, err := spec.Read(writeExample(t, e.Name), nil)
			if err != nil {
				t.Fatal(err)
			}
			equation := &file.Problem.Equations[0]
			points := equation.Points
			if e.Name == "advection" {
				points = awayFromKink(points)
			}
			residual, size := make([]float64, points.Rows()), make([]float64, points.Rows())
			add := func(coefficient system.Function, values []float64) {
				c := evaluated(coefficient, points)
				for i := range residual {
					residual[i] += c[i] * values[i]
					size[i] += math.Abs(c[i] * values[i])
				}
			}
			for _, term := range equation.Residual.Terms {
				add(term.Coefficient, differentiated(file.Output.Exact[0], term.Derivative, points))
			}
			for _, term := range equation.Residual.Parameters {
				lambda := truth[e.Name][term.Parameter]
				add(term.Coefficient, evaluated(system.Constant(lambda), points))
			}
			if equation.Residual.Known != nil {
				add(nil, evaluated(equation.Residual.Known, points))
			}
			for i := range residual {
				if !(math.Abs(residual[i]) <= 1e-5*(1+size[i])) {
					t.Fatalf("at %v the residual is %g of terms that sum to %g", points.Row(i), residual[i], size[i])
				}
			}
		})
	}
}

// evaluated returns a function's values; 1 for nil.
func evaluated(f system.Function, points *mat.Dense) []float64 {
	if f == nil {
		f = system.Constant(1)
	}
	values := make([]float64, points.Rows())
	f.EvalTo(values, points)
	return values
}

// differentiated takes derivatives of order at most four in each variable by
// central differences of fourth order.
func differentiated(f system.Function, orders []int, points *mat.Dense) []float64 {
	return differentiatedBy(f, orders, points, nil)
}

// stencils are the weights of central differences, by order and shift.
var stencils = [5]map[int]float64{
	{0: 1},
	{-2: 1. / 12, -1: -2. / 3, 1: 2. / 3, 2: -1. / 12},
	{-2: -1. / 12, -1: 4. / 3, 0: -5. / 2, 1: 4. / 3, 2: -1. / 12},
	{-3: 1. / 8, -2: -1, -1: 13. / 8, 1: -13. / 8, 2: 1, 3: -1. / 8},
	{-3: -1. / 6, -2: 2, -1: -13. / 2, 0: 28. / 3, 1: -13. / 2, 2: 2, 3: -1. / 6},
}

// differentiatedBy takes steps that are given for each variable; 1e-3 where
// they are not.
func differentiatedBy(f system.Function, orders []int, points *mat.Dense, steps []float64) []float64 {
	for d, order := range orders {
		if order == 0 {
			continue
		}
		h := 1e-3
		if steps != nil {
			h = steps[d]
		}
		rest := append([]int(nil), orders...)
		rest[d] = 0
		sum := make([]float64, points.Rows())
		for shift := -3; shift <= 3; shift++ {
			weight := stencils[order][shift]
			if weight == 0 {
				continue
			}
			moved := points.Clone()
			for i := range moved.Rows() {
				moved.Set(i, d, moved.At(i, d)+float64(shift)*h)
			}
			for i, v := range differentiatedBy(f, rest, moved, steps) {
				sum[i] += weight * v / math.Pow(h, float64(order))
			}
		}
		return sum
	}
	return evaluated(f, points)
}

// awayFromKink keeps the points where the advected wave is smooth: x - 2t not
// near an integer.
func awayFromKink(points *mat.Dense) *mat.Dense {
	var kept []float64
	for i := range points.Rows() {
		phase := points.At(i, 0) - 2*points.At(i, 1)
		if math.Abs(phase-math.Round(phase)) > 0.02 {
			kept = append(kept, points.Row(i)...)
		}
	}
	return mat.NewDense(len(kept)/2, 2, kept)
}

func TestSensorPlaces(t *testing.T) {
	p := &system.Problem{Variables: []system.Variable{{Name: "x", Min: 0, Max: 1}, {Name: "t", Min: 0, Max: 2}}}
	places := problems.Find("advection").Place(p, 28)
	for i, want := range map[int][2]float64{0: {0, 2}, 1: {0, 16. / 9}, 9: {0, 0}, 10: {1. / 9, 0}, 18: {1, 0}, 27: {1, 2}} {
		if x, y := places.At(i, 0), places.At(i, 1); math.Abs(x-want[0]) > 1e-15 || math.Abs(y-want[1]) > 1e-15 {
			t.Errorf("sensor %d of 28 stands at (%g, %g), want %v", i, x, y, want)
		}
	}
	line := problems.Find("inverse-poisson").Place(&system.Problem{Variables: []system.Variable{{Name: "x", Min: -10, Max: 10}}}, 20)
	for i := range 20 {
		if x := line.At(i, 0); math.Abs(x-(-10+20*float64(i)/19)) > 1e-14 {
			t.Errorf("sensor %d of 20 stands at %g", i, x)
		}
	}
}
