package spec

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// fullProblem uses every section; tests change it by replacing text.
const fullProblem = `title = "Everything"
fields = ["u", "v"]

[variables]
x = [-1, "half*4"]
t = [0, 3]

[constants]
half = 0.5
k = "half^2 + 1"

[parameters]
lambda1 = {}
lambda_2 = { mean = 1, sd = "2*half" }

[domain]
disk = { center = [0.25, "1 + half"], radius = 0.5 }

[[equation]]
pde = "u_t - k*u_xx + x*v = lambda1*sin(x) - 3*lambda_2 + x^2"
points = 60

[[equation]]
pde = "v_x = u"
grid = [9, 7]
tolerance = 1e-3

[[equation]]
pde = "v_tt = 0"
file = "points.csv"

[[condition]]
on = "x = half"
equals = "u_x + 2*u = sin(t)"
points = 20

[[condition]]
on = "boundary"
equals = "v = 0"
points = 16
tolerance = "half"

[[sensors]]
file = "first.csv"
sigma = 0.01

[[sensors]]
file = "second.csv"
measures = "u - 2*v_x + lambda_2 + 1"

[features]
neurons = 50
scale = "4*half"
seed = 7
draw = "independent"
activation = "gaussian"

[fit]
ensemble = 5
method = "paper"
path = "gram"
tolerance = 0.1

[output]
grid = [21, 11]
exact = { v = "x*t", u = 1 }
`

// fullFiles are the files that fullProblem names.
var fullFiles = map[string]string{
	"table.csv":  "x,t,value\n0,0,1\n0,2,2\n1,0,3\n1,2,4\n",
	"points.csv": "t,x\n1.5,0.25\n1.6,0.3\n",
	"first.csv":  "x,t,value\n0,1,10\n0.5,2,11\n",
	"second.csv": "\ufeff# measured on Monday\r\nvalue, note ,t,sigma,x\r\n\r\n 1.5 ,\"a, b\",1,0.1,0.25\r\n  \r\n# and on Tuesday\r\n-2,c,2,0.2,0.5\r\n",
}

// directory writes files into a new directory and returns its name.
func directory(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// read writes a problem file with the files of fullProblem and reads it.
func read(t testing.TB, problem string, set ...string) (*File, error) {
	t.Helper()
	dir := directory(t, fullFiles)
	path := filepath.Join(dir, "problem.toml")
	if err := os.WriteFile(path, []byte(problem), 0o600); err != nil {
		t.Fatal(err)
	}
	return Read(path, set)
}

func mustRead(t testing.TB, problem string, set ...string) *File {
	t.Helper()
	f, err := read(t, problem, set...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// replaced changes one place of a text, which must be there.
func replaced(t testing.TB, text, old, new string) string {
	t.Helper()
	if strings.Count(text, old) != 1 {
		t.Fatalf("%q is there %d times", old, strings.Count(text, old))
	}
	return strings.Replace(text, old, new, 1)
}

func TestAllSectionsAreRead(t *testing.T) {
	f := mustRead(t, fullProblem)
	p := f.Problem
	if f.Title != "Everything" || !slices.Equal(p.Fields, []string{"u", "v"}) {
		t.Errorf("title %q, fields %v", f.Title, p.Fields)
	}
	if !slices.Equal(p.Variables, []system.Variable{{Name: "x", Min: -1, Max: 2}, {Name: "t", Min: 0, Max: 3}}) {
		t.Errorf("variables %v", p.Variables)
	}
	if !slices.Equal(p.Parameters, []system.Parameter{{Name: "lambda1"}, {Name: "lambda_2", Mean: 1, SD: 1}}) {
		t.Errorf("parameters %v", p.Parameters)
	}
	if !reflect.DeepEqual(f.Features, Features{Neurons: 50, Scale: []float64{2}, Seed: 7, Draw: "independent", Activation: "gaussian"}) {
		t.Errorf("features %v", f.Features)
	}
	if f.Fit != (Fit{Method: "paper", Path: "gram", Tolerance: 0.1, Ensemble: 5}) {
		t.Errorf("fit %v", f.Fit)
	}
	if !slices.Equal(f.Output.Grid, []int{21, 11}) || len(f.Output.Exact) != 2 || f.Output.Exact[0] != system.Function(system.Constant(1)) || valueAt(f.Output.Exact[1], []float64{2, 3}, 0) != 6 {
		t.Errorf("output %v", f.Output)
	}
}

func TestEquationsAndTheirPoints(t *testing.T) {
	p := mustRead(t, fullProblem).Problem
	if len(p.Equations) != 3 || len(p.Conditions) != 2 {
		t.Fatalf("%d equations, %d conditions", len(p.Equations), len(p.Conditions))
	}
	r := &p.Equations[0].Residual
	x := []float64{0.5, 2}
	if len(r.Terms) != 3 || !slices.Equal(r.Terms[0].Derivative, []int{0, 1}) || r.Terms[0].Coefficient != nil ||
		!slices.Equal(r.Terms[1].Derivative, []int{2, 0}) || r.Terms[1].Coefficient != system.Function(system.Constant(-1.25)) ||
		r.Terms[2].Field != 1 || r.Terms[2].Derivative != nil || valueAt(r.Terms[2].Coefficient, x, 1) != 0.5 {
		t.Errorf("terms %v", r.Terms)
	}
	if len(r.Parameters) != 2 || r.Parameters[1].Parameter != 1 || r.Parameters[1].Coefficient != system.Function(system.Constant(3)) || math.Abs(valueAt(r.Parameters[0].Coefficient, x, 1)+math.Sin(0.5)) > 1e-15 {
		t.Errorf("parameters %v", r.Parameters)
	}
	if valueAt(r.Known, x, 0) != -0.25 {
		t.Errorf("known part %v", r.Known)
	}
	for i, want := range []int{60, 0, 2} {
		e := &p.Equations[i]
		if want > 0 && e.Points.Rows() != want {
			t.Errorf("equation %d has %d points, want %d", i, e.Points.Rows(), want)
		}
		for j := range e.Points.Rows() {
			if x := e.Points.Row(j); math.Hypot(x[0]-0.25, x[1]-1.5) > 0.5 {
				t.Errorf("equation %d: point %v is outside the disk", i, x)
			}
		}
	}
	if n := len(p.Inside(system.Grid(p.Variables, nil, []int{9, 7}))); p.Equations[1].Points.Rows() != n || n == 0 {
		t.Errorf("%d points of the grid, want %d", p.Equations[1].Points.Rows(), n)
	}
	if p.Equations[0].Tolerance != 0 || p.Equations[1].Tolerance != 1e-3 || p.Conditions[1].Tolerance != 0.5 {
		t.Error("tolerances are wrong")
	}
	if q := p.Equations[2].Points; q.At(0, 0) != 0.25 || q.At(0, 1) != 1.5 || q.At(1, 0) != 0.3 {
		t.Errorf("points of the file %v", q.Data())
	}
}

func TestConditionsStandWhereTheySay(t *testing.T) {
	p := mustRead(t, fullProblem).Problem
	c := p.Conditions[0].Points
	if c.Rows() != 20 {
		t.Errorf("%d points", c.Rows())
	}
	times := map[float64]bool{}
	for i := range c.Rows() {
		x := c.Row(i)
		times[x[1]] = true
		if x[0] != 0.5 || math.Abs(x[1]-1.5) > math.Sqrt(0.25-0.0625)+1e-6 {
			t.Errorf("%v is not on the line in the disk", x)
		}
	}
	if len(times) != 20 {
		t.Errorf("only %d different points", len(times))
	}
	if b := p.Conditions[1].Points; b.Rows() != 16 {
		t.Errorf("%d points on the circle", b.Rows())
	} else {
		for i := range 16 {
			if r := math.Hypot(b.At(i, 0)-0.25, b.At(i, 1)-1.5); math.Abs(r-0.5) > 1e-6 {
				t.Errorf("boundary point %d at radius %g", i, r)
			}
		}
	}
}

func TestSensorsAreRead(t *testing.T) {
	f := mustRead(t, fullProblem)
	a, b := &f.Problem.Sensors[0], &f.Problem.Sensors[1]
	if !slices.Equal(a.Values, []float64{10, 11}) || !slices.Equal(a.Points.Data(), []float64{0, 1, 0.5, 2}) || !slices.Equal(a.Sigma, []float64{0.01}) {
		t.Errorf("first group %+v", a)
	}
	if !slices.Equal(b.Values, []float64{1.5, -2}) || !slices.Equal(b.Points.Data(), []float64{0.25, 1, 0.5, 2}) || !slices.Equal(b.Sigma, []float64{0.1, 0.2}) {
		t.Errorf("second group %+v", b)
	}
	if m := b.Measures; len(m.Terms) != 2 || len(m.Parameters) != 1 || m.Known != system.Function(system.Constant(1)) {
		t.Errorf("measures %+v", m)
	}
	if m := a.Measures; len(m.Terms) != 1 || m.Terms[0].Field != 0 || m.Terms[0].Derivative != nil {
		t.Errorf("measures by default %+v", m)
	}
	if s := f.SensorFiles; s[0].Name != "first.csv" || s[0].Path != filepath.Join(filepath.Dir(f.Path), "first.csv") || *s[0].Sigma != 0.01 || s[1].Sigma != nil || !slices.Equal(s[1].Columns, []string{"value", "note", "t", "sigma", "x"}) {
		t.Errorf("files %+v", s)
	}
}

func TestAColumnOfSigmaWins(t *testing.T) {
	f := mustRead(t, fullProblem, "sensors[1].sigma=9")
	if s := f.Problem.Sensors[1].Sigma; !slices.Equal(s, []float64{0.1, 0.2}) {
		t.Errorf("sigma %v", s)
	}
	if s := f.SensorFiles[1].Sigma; s == nil || *s != 9 {
		t.Errorf("sigma as written %v", s)
	}
}

// smallProblem has only what must be there.
const smallProblem = `
[variables]
x = [0, 1]
t = [0, 2]
[[equation]]
pde = "u_t = u_xx"
points = 30
[[sensors]]
file = "first.csv"
`

func TestDefaults(t *testing.T) {
	f := mustRead(t, smallProblem)
	if !reflect.DeepEqual(f.Features, Features{Seed: 1, Draw: "spread", Activation: "auto"}) || f.Fit != (Fit{Method: "bpielm", Path: "auto"}) {
		t.Errorf("%+v %+v", f.Features, f.Fit)
	}
	if !slices.Equal(f.Output.Grid, []int{81, 81}) || len(f.Output.Exact) != 1 || f.Output.Exact[0] != nil {
		t.Errorf("%+v", f.Output)
	}
	if f.Problem.Domain != nil || f.Problem.Sensors[0].Sigma != nil || !slices.Equal(f.Problem.Fields, []string{"u"}) {
		t.Errorf("%+v", f.Problem)
	}
	for n, want := range map[int]int{1: 401, 2: 81, 3: 18, 4: 9, 16: 2} {
		if g := defaultGrid(n); len(g) != n || g[0] != want {
			t.Errorf("grid in %d variables: %v", n, g)
		}
	}
	if f := mustRead(t, smallProblem, "features.scale=auto", "fit.tolerance=auto", "equation.tolerance=auto"); f.Features.Scale != nil || f.Fit.Tolerance != 0 || f.Problem.Equations[0].Tolerance != 0 {
		t.Errorf("%+v %+v", f.Features, f.Fit)
	}
}

// A table holds the scale of each variable, in the order of these.
func TestScaleOfEachVariable(t *testing.T) {
	if f := mustRead(t, fullProblem, "features.scale={ t = 3, x = \"4*half\" }"); !slices.Equal(f.Features.Scale, []float64{2, 3}) {
		t.Errorf("%v", f.Features.Scale)
	}
}

// What does not say how many points there are has more than are needed, in the order in which
// they are used.
func TestPointsAreOptional(t *testing.T) {
	less := strings.Replace(smallProblem, "points = 30\n", "", 1) + "[[condition]]\non = \"x = 0\"\nequals = \"u = 0\"\n[[condition]]\nperiodic = \"x\"\nof = \"u\"\n"
	p := mustRead(t, less).Problem
	if !p.Equations[0].Spare || p.Equations[0].Points.Rows() != sparePoints || p.Conditions[0].Points.Rows() != 40 || p.Conditions[1].Points.Rows() != 40 {
		t.Errorf("%v, %d points; %d and %d points of conditions", p.Equations[0].Spare, p.Equations[0].Points.Rows(), p.Conditions[0].Points.Rows(), p.Conditions[1].Points.Rows())
	}
	if n := p.ForNeurons(150).Equations[0].Points.Rows(); n != 300 {
		t.Errorf("%d points for 150 neurons", n)
	}
	if e := mustRead(t, smallProblem).Problem.Equations[0]; e.Spare || e.Points.Rows() != 30 {
		t.Errorf("%v, %d points where 30 are asked for", e.Spare, e.Points.Rows())
	}
	if e := mustRead(t, smallProblem, `equation.points="auto"`).Problem.Equations[0]; !e.Spare {
		t.Error("auto points are not spare")
	}
}

func TestStrictnessOfConditions(t *testing.T) {
	conditions := "[[condition]]\non = \"x = 0\"\nequals = \"u = 0\"\npoints = 5\nexact = true\n" +
		"[[condition]]\nperiodic = \"x\"\nof = \"u\"\npoints = 5\nsd = 0.25\n"
	p := mustRead(t, smallProblem+conditions, "equation.sd=2").Problem
	if a, b := p.Conditions[0], p.Conditions[1]; !a.Exact || a.SD != 0 || a.Tolerance != 0 || b.Exact || b.SD != 0.25 || p.Equations[0].SD != 2 {
		t.Errorf("%+v %+v", a, b)
	}
	if p := mustRead(t, smallProblem+conditions, "condition[0].exact=false").Problem; p.Conditions[0].Exact {
		t.Error("exact although it is set to false")
	}
}

func TestTheSeedChoosesThePoints(t *testing.T) {
	a, b, c := mustRead(t, smallProblem), mustRead(t, smallProblem), mustRead(t, smallProblem, "features.seed=2")
	if !slices.Equal(a.Problem.Equations[0].Points.Data(), b.Problem.Equations[0].Points.Data()) {
		t.Error("the same seed gives other points")
	}
	if slices.Equal(a.Problem.Equations[0].Points.Data(), c.Problem.Equations[0].Points.Data()) {
		t.Error("another seed gives the same points")
	}
	if big := mustRead(t, smallProblem, "features.seed=9223372036854775807"); big.Features.Seed != math.MaxInt64 {
		t.Errorf("seed %d", big.Features.Seed)
	}
}

func TestDomains(t *testing.T) {
	inside := []float64{0.5, 1}
	for name, test := range map[string]struct {
		domain string
		out    []float64
	}{
		"curve":               {`curve = { t = [0, "2*pi"], x = "0.5 + 0.3*cos(t)", t2 = "1" }`, nil},
		"curve in s":          {`curve = { s = [0, "2*pi"], x = "0.5 + 0.3*cos(s)", t = "1 + 0.9*sin(s)" }`, []float64{0.1, 1}},
		"polygon":             {`polygon = "corners.csv"`, []float64{0.1, 1}},
		"inside":              {`inside = "(x - 0.5)^2 + (t - 1)^2 < 0.01"`, []float64{0.5, 1.2}},
		"several":             {`inside = "0.4 < x <= 0.5 and t >= 1"`, []float64{0.5, 0.99}},
		"disk":                {`disk = { center = [0.5, 1], radius = 0.1 }`, []float64{0.5, 1.2}},
		"disk, written apart": {"[domain.disk]\ncenter = [0.5, 1]\nradius = 0.1", []float64{0.5, 1.2}},
	} {
		dir := directory(t, map[string]string{
			"problem.toml": smallProblem + "[domain]\n" + test.domain + "\n",
			"first.csv":    fullFiles["first.csv"],
			"corners.csv":  "t,x\n0.5,0.3\n0.5,0.8\n1.5,0.8\n1.5,0.3\n0.5,0.3\n",
		})
		f, err := Read(filepath.Join(dir, "problem.toml"), nil)
		if test.out == nil {
			if err == nil {
				t.Errorf("%s: a curve without t is read", name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := f.Problem.Domain; !d.Contains(inside) || d.Contains(test.out) {
			t.Errorf("%s: contains %v and %v: %v, %v", name, inside, test.out, d.Contains(inside), d.Contains(test.out))
		}
		if len(f.Problem.Inside(f.Problem.Equations[0].Points)) != 30 {
			t.Errorf("%s: points outside", name)
		}
	}
}

// Time has no boundary: a condition on the boundary says nothing of its ends.
func TestTheBoundaryOfABoxIsAllItsSides(t *testing.T) {
	f := mustRead(t, smallProblem+"[[condition]]\non = \"boundary\"\nequals = \"u = 0\"\npoints = 60\n")
	c := f.Problem.Conditions[0].Points
	sides := map[string]int{}
	for i := range c.Rows() {
		switch x := c.Row(i); {
		case x[0] == 0:
			sides["x=0"]++
		case x[0] == 1:
			sides["x=1"]++
		case x[1] == 0:
			sides["t=0"]++
		case x[1] == 2:
			sides["t=2"]++
		default:
			t.Errorf("%v is not on the boundary", x)
		}
	}
	if sides["x=0"] != 30 || sides["x=1"] != 30 {
		t.Errorf("points on the sides: %v", sides)
	}
	c, _, err := boundaryOfBox([]system.Variable{{Name: "x", Min: 0, Max: 1}, {Name: "y", Min: 0, Max: 2}}, 60, 1)
	if err != nil {
		t.Fatal(err)
	}
	sides = map[string]int{}
	for i := range c.Rows() {
		for d, end := range map[int]float64{0: 1, 1: 2} {
			if x := c.At(i, d); x == 0 || x == end {
				sides[fmt.Sprint(d, x)]++
			}
		}
	}
	if sides["0 0"] != 20 || sides["0 1"] != 20 || sides["1 0"] != 10 || sides["1 2"] != 10 { // as 2 : 2 : 1 : 1
		t.Errorf("points on the sides in x and y: %v", sides)
	}
}

func TestTheBoundaryOfADiskInTime(t *testing.T) {
	v := []system.Variable{{Name: "x", Min: -1, Max: 1}, {Name: "y", Min: -1, Max: 1}, {Name: "t", Min: 5, Max: 6}}
	disk, err := system.ParametricCurve(math.Cos, math.Sin, 0, 2*math.Pi, 1000)
	if err != nil {
		t.Fatal(err)
	}
	points, _, err := boundary(&system.Problem{Variables: v, Domain: disk}, "", 40, 1)
	if err != nil {
		t.Fatal(err)
	}
	times := 0.0
	for i := range 40 {
		x := points.Row(i)
		if math.Abs(math.Hypot(x[0], x[1])-1) > 1e-4 || x[2] < 5 || x[2] > 6 {
			t.Errorf("point %v", x)
		}
		times += x[2] / 40
	}
	if math.Abs(times-5.5) > 0.05 {
		t.Errorf("times are %g on average", times)
	}
}

func TestOneVariable(t *testing.T) {
	dir := directory(t, map[string]string{
		"problem.toml": `
[variables]
x = [0, 1]
[[equation]]
pde = "u_xx = 1"
points = 5
[[condition]]
on = "x = 1/4"
equals = "u = 2"
[[condition]]
on = "boundary"
equals = "u_x = 0"
[[sensors]]
file = "s.csv"
`, "s.csv": "x,value\n0,1\n"})
	f, err := Read(filepath.Join(dir, "problem.toml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if p := f.Problem.Conditions[0].Points.Data(); !slices.Equal(p, []float64{0.25}) {
		t.Errorf("point %v", p)
	}
	if p := f.Problem.Conditions[1].Points.Data(); !slices.Equal(p, []float64{0, 1}) {
		t.Errorf("both ends %v", p)
	}
}

func TestOverrides(t *testing.T) {
	f := mustRead(t, fullProblem, "fit.method=pielm", "features.neurons=300", "sensors.sigma=0.5", "equation[1].grid=[31,31]",
		"parameters.lambda1={mean=3, sd=1}", "parameters.lambda_2.mean=half", "constants.half=0.5", `title="A = b"`, "equation[0].pde=u_t = v + lambda1",
		"variables.t=[0, 2.5]", "output.exact.u=x", "domain.disk.radius = 0.4", "features.seed=2*2", "features.draw = spread")
	if f.Fit.Method != "pielm" || f.Features.Neurons != 300 || f.Features.Seed != 4 || f.Features.Draw != "spread" || f.Title != "A = b" {
		t.Errorf("%+v %+v %q", f.Fit, f.Features, f.Title)
	}
	if s := f.SensorFiles; *s[0].Sigma != 0.5 || *s[1].Sigma != 0.5 {
		t.Errorf("%+v", s)
	}
	if q := f.Problem.Parameters; q[0].Mean != 3 || q[0].SD != 1 || q[1].Mean != 0.5 || q[1].SD != 1 {
		t.Errorf("%+v", q)
	}
	if len(f.Problem.Equations[0].Residual.Terms) != 2 || f.Problem.Variables[1].Max != 2.5 || valueAt(f.Output.Exact[0], []float64{2, 3}, 0) != 2 {
		t.Error("an override has no effect")
	}
	if f.Problem.Domain.Contains([]float64{0.25, 1.95}) {
		t.Error("the disk is not smaller")
	}
	if n := len(f.Problem.Inside(system.Grid(f.Problem.Variables, nil, []int{31, 31}))); f.Problem.Equations[1].Points.Rows() != n {
		t.Error("the grid is not finer")
	}
	if mustRead(t, smallProblem, "fit.method=paper").Fit.Method != "paper" {
		t.Error("a section that the file does not have cannot be set")
	}
}

func TestOverridesThatAreRefused(t *testing.T) {
	for set, want := range map[string]string{
		"":                                  "expected section.key=value",
		"fit.method":                        "--set fit.method: expected section.key=value",
		"=3":                                "unknown key",
		"fit.methd=paper":                   "unknown key methd; did you mean method?",
		"fti.method=paper":                  "unknown key fti; a problem file has condition, constants",
		"fit=3":                             "fit is a whole section",
		"sensors=3":                         "sensors is a whole section",
		"sensors[0]=3":                      "sensors is a whole section",
		"sensors[2].sigma=1":                "the file has 2 [[sensors]], numbered from 0",
		"sensors[-1].sigma=1":               "expected a number in brackets",
		"sensors[1.sigma=1":                 "expected a number in brackets",
		"sensors[99999999999999999999].x=1": "expected a number in brackets",
		"fit[0].method=paper":               "fit is not an array of tables",
		"fit.method.x=1":                    "method is a value; it has no keys",
		"constants.kk=2":                    "constants has no kk; it has half and k",
		"parameters.lambda3.sd=1":           "parameters has no lambda3; did you mean lambda1?",
		"fit.method=papr":                   `--set fit.method: found "papr"; expected bpielm, paper or pielm; did you mean paper?`,
		"features.neurons=0":                "--set features.neurons: found 0; a whole number from 1 to 100000",
		"features.neurons=many":             "--set features.neurons: unknown name many",
		"features.neurons=true":             "--set features.neurons: expected a number, or an expression of constants in quotes, found true",
		"sensors.sigma=-1":                  "--set sensors[0].sigma: found -1; a positive number",
		"parameters.lambda1={m=1}":          "--set parameters.lambda1.m: unknown key; parameters.lambda1 has factor, label, max, mean, median, min, sd and unit",
		"domain.inside=x < 1":               "a domain is one of",
		"output.exact=" + "x":               "must be a table",
		"output.exact.w=1":                  "has no w",
		"title=3":                           "expected text in quotes",
		"variables.x=[" + "[[[[":            "expected a list of 2 numbers",
		strings.Repeat("a.", 50) + "=":      "expected section.key=value",
	} {
		_, err := read(t, fullProblem, set)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", set, err, want)
		}
	}
	if _, err := read(t, smallProblem, "condition.points=3"); err == nil || !strings.Contains(err.Error(), "no [[condition]]") {
		t.Errorf("error %v", err)
	}
}

// TestBadFiles changes one place of the full problem; each error must say so.
func TestBadFiles(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		// TOML and keys
		{"[features]", "[features", "not TOML: expected"},
		{"neurons = 50", "neurons = 50\nneurons = 60", ":@+1: not TOML: Key 'features.neurons'"},
		{"neurons = 50", "nuerons = 50", ":@: features.nuerons: unknown key; did you mean neurons?"},
		{"neurons = 50", "width = 50", "features.width: unknown key; features has activation, draw, neurons, patches, scale and seed"},
		{"[features]", "[feature]", ":@: feature: unknown key or section; did you mean features?"},
		{"title = ", "seed = 3\ntitle = ", ":@: seed: unknown key or section; did you mean features.seed?"},
		{"points = 60", "point = 60", ":@: equation[0].point: unknown key; did you mean points?"},
		{"[features]", "[[features]]", "features: expected a table, found an array of tables: write [features]"},
		{"[fit]", "fit = 3\n[fit2]", "features.fit: unknown key"},
		{"title = ", "constants = 3\ntitle = ", "Key 'constants'"},
		{`{ mean = 1, sd = "2*half" }`, "{ mean = 1 }", ":@: parameters.lambda_2.mean: mean needs sd, too"},
		{`{ mean = 1, sd = "2*half" }`, "3", ":@: parameters.lambda_2: expected a table, found 3"},
		{`{ mean = 1, sd = "2*half" }`, "{ sd = 0 }", "lambda_2.sd: found 0; a positive number is expected"},
		{`{ mean = 1, sd = "2*half" }`, "{ variance = 1 }", "lambda_2.variance: unknown key"},
		{`title = "Everything"`, "title = 3", ":@: title: expected text in quotes, found 3"},
		{`title = "Everything"`, `title = ""`, ":@: title: the text is empty"},
		{`title = "Everything"`, "title = 2020-01-01", "found a date"},
		{`title = "Everything"`, "x = " + strings.Repeat("[", 31) + strings.Repeat("]", 31), ":@: values are nested more than 30 deep"},
		{`title = "Everything"`, strings.Repeat("a.", 40) + "b = 1", ":@: a key with more than 30 parts"},
		{`title = "Everything"`, "#" + strings.Repeat("x", 1<<20), "the file has more than 1048576 bytes"},
		{`title = "Everything"`, "title = \"\xff\"", ":@: "},
		// names
		{`fields = ["u", "v"]`, `fields = ["u", "u"]`, ":@: fields: u is already a field"},
		{`fields = ["u", "v"]`, `fields = ["u", "x"]`, ":@: fields: x is already a variable"},
		{`fields = ["u", "v"]`, `fields = ["u", "e"]`, "e is already a mathematical constant"},
		{`fields = ["u", "v"]`, `fields = ["u", "sin"]`, "sin is already a function"},
		{`fields = ["u", "v"]`, `fields = ["u", "v_1"]`, "an underscore marks derivatives"},
		{`fields = ["u", "v"]`, `fields = ["u", "1v"]`, `"1v" is not a name`},
		{`fields = ["u", "v"]`, `fields = ["u", "ν"]`, `"ν" is not a name`},
		{`fields = ["u", "v"]`, `fields = ["u", "and"]`, "and is already the word that joins inequalities"},
		{`fields = ["u", "v"]`, `fields = ["` + strings.Repeat("v", 65) + `"]`, "the name has 65 characters; at most 64"},
		{`fields = ["u", "v"]`, `fields = []`, "expected a list of 1 to 64 names"},
		{`fields = ["u", "v"]`, `fields = "u"`, `expected a list of 1 to 64 names, as ["u", "v"], or a table with the variables of each, found "u"`},
		{`fields = ["u", "v"]`, `fields = [1]`, "expected names in quotes, found 1"},
		{"lambda1 = {}", "u_x = {}", ":@: parameters.u_x: u_x is already a derivative of the field u"},
		{"lambda1 = {}", "pi = {}", "parameters.pi: pi is already a mathematical constant"},
		{"half = 0.5", "half = 0.5\nu = 1", ":@+1: constants.u: u is already a field"},
		{"half = 0.5", "half = 0.5\nlambda1 = 1", "constants.lambda1: lambda1 is already a parameter"},
		{"half = 0.5", "half = 0.5\n\"a b\" = 1", `"a b" is not a name: names begin with a letter and have only the letters a-z, A-Z and digits, and underscores inside`},
		{"t = [0, 3]", "t = [0, 3]\nvalue = [0, 1]", "variables.value: a variable cannot be named value, which is a column"},
		{"t = [0, 3]", "t = [0, 3]\nxt = [0, 1]", ":@-2: variables: with variables named x, t and xt a derivative could be read in two ways"},
		{"x = [-1, \"half*4\"]\nt = [0, 3]", "", ":@-1: variables: at least one variable"},
		// numbers
		{"t = [0, 3]", "t = [0, 0]", ":@: variables.t: [0, 0] is not a range"},
		{"t = [0, 3]", "t = [0, nan]", "variables.t: found NaN; a finite number is expected"},
		{"t = [0, 3]", "t = [-1e308, 1e308]", "is not a range"},
		{"t = [0, 3]", "t = [0]", "variables.t: expected 2 numbers, found 1"},
		{"t = [0, 3]", "t = 3", "variables.t: expected a list of 2 numbers in brackets, found 3"},
		{"t = [0, 3]", "t = [0, true]", "expected a number, or an expression of constants in quotes, found true"},
		{"t = [0, 3]", `t = [0, "x"]`, "variables.t: x is a variable; a constant is expected"},
		{"half = 0.5", "half = \"k\"", ":@: constants.half: k has no value yet; a constant may use those that stand before it"},
		{"half = 0.5", "half = \"1/0\"", `constants.half: "1/0" is +Inf; a finite number is expected`},
		{"half = 0.5", "half = \"2*(\"", "constants.half: \"2*(\" ends where more is expected"},
		{"neurons = 50", "neurons = 100001", ":@: features.neurons: found 100001; a whole number from 1 to 100000"},
		{"neurons = 50", "neurons = 1.5", "found 1.5; a whole number"},
		{"seed = 7", "seed = -1", "features.seed: found -1; a whole number from 0"},
		{"seed = 7", "seed = 0.5", "features.seed: found 0.5; a whole number from 0"},
		{`scale = "4*half"`, "scale = { x = 2 }", `features.scale: that of t is missing: a table holds the scale of every variable`},
		{`scale = "4*half"`, "scale = { x = 2, t = 0 }", `features.scale.t: found 0; a positive number is expected`},
		{`scale = "4*half"`, "scale = { x = 2, t = 1, z = 1 }", `features.scale.z: no such variable; the variables are x and t`},
		{`scale = "4*half"`, "scale = -1", `features.scale: found -1; a positive number or "auto" is expected`},
		{`draw = "independent"`, `draw = "halton"`, `features.draw: found "halton"; expected spread, independent or published`},
		{`draw = "independent"`, `patches = [3]`, "features.patches: expected 2 numbers, found 1"},
		{`draw = "independent"`, `patches = [3, 0]`, "features.patches: found 0; a whole number from 1"},
		{`draw = "independent"`, `patches = [60000, 60000]`, "features.patches: there are more than 65536"},
		{`path = "gram"`, `path = "qr"`, "fit.path: found \"qr\"; expected auto, sqrt or gram"},
		{"tolerance = 0.1", "tolerance = 0", "fit.tolerance: found 0; a positive number"},
		{"grid = [21, 11]", "grid = [21]", "output.grid: expected 2 numbers, found 1"},
		{"grid = [21, 11]", "grid = [100000, 100000]", "output.grid: the grid has more than 100000000 points"},
		{`exact = { v = "x*t", u = 1 }`, `exact = "x"`, "output.exact: with several fields it must be a table"},
		{`exact = { v = "x*t", u = 1 }`, `exact = { w = "x" }`, "output.exact.w: no such field; the fields are u and v"},
		{`exact = { v = "x*t", u = 1 }`, `exact = { u = "v" }`, "output.exact.u: v is unknown; only variables"},
		// domain
		{`disk = {`, `inside = "x < 1"` + "\ndisk = {", ":@+1: domain.disk: a domain is one of ball, box, curve, disk, inside, polygon and shape; found inside and disk"},
		{`disk = { center = [0.25, "1 + half"], radius = 0.5 }`, "", "domain: one of ball, box, curve, disk, inside, polygon and shape is needed"},
		{`radius = 0.5 }`, "radius = 0 }", ":@: domain.disk.radius: found 0"},
		{`, radius = 0.5 }`, " }", "domain.disk: radius is missing"},
		{`disk = { center = [0.25, "1 + half"], radius = 0.5 }`, `inside = "x^2 + t^2"`, "domain.inside: \"x^2 + t^2\" is not an inequality"},
		{`disk = { center = [0.25, "1 + half"], radius = 0.5 }`, `inside = "x = 1"`, "an inside needs <"},
		{`disk = { center = [0.25, "1 + half"], radius = 0.5 }`, `inside = "u < 1"`, "u is unknown"},
		{`disk = { center = [0.25, "1 + half"], radius = 0.5 }`, `inside = "1 < 2"`, "does not depend on a variable"},
		{`disk = { center = [0.25, "1 + half"], radius = 0.5 }`, `inside = "x > 5"`, ":@: domain.inside: the inequalities hold nowhere"},
		{`disk = { center = [0.25, "1 + half"], radius = 0.5 }`, `polygon = "nothing.csv"`, ":@: domain.polygon: nothing.csv: no such file"},
		{`disk = { center = [0.25, "1 + half"], radius = 0.5 }`, `polygon = "points.csv"`, "domain.polygon: points.csv: a closed curve needs at least three points"},
		{`disk = { center = [0.25, "1 + half"], radius = 0.5 }`, `curve = { s = [0, 3], x = "cos(s)", t = "sin(s)" }`, ":@: domain.curve: the curve is not closed"},
		{`disk = { center = [0.25, "1 + half"], radius = 0.5 }`, `curve = { s = [0, 1], x = "s", t = "s" }`, "domain.curve: the curve encloses no area"},
		{`disk = { center = [0.25, "1 + half"], radius = 0.5 }`, `curve = { s = [0, 1], x = "1/s", t = "s" }`, "domain.curve: point 1 of the curve is (+Inf, 0)"},
		{`disk = { center = [0.25, "1 + half"], radius = 0.5 }`, `curve = { s = [1, 0], x = "s", t = "s" }`, "domain.curve.s: [1, 0] is not a range"},
		{`disk = { center = [0.25, "1 + half"], radius = 0.5 }`, `curve = { x = "s", t = "s" }`, "expected three keys"},
		{`disk = { center = [0.25, "1 + half"], radius = 0.5 }`, `curve = { s = [0, 1], x = "s", t = "y" }`, "domain.curve.t: unknown name y; known are half, k and s"},
		// equations and conditions
		{`pde = "v_x = u"`, `pde = "v_x + u"`, `:@: equation[1].pde: "v_x + u" is not an equation: one = is expected`},
		{`pde = "v_x = u"`, `pde = "v_x = u = 1"`, "is not an equation"},
		{`pde = "v_x = u"`, `pde = "v_x < u"`, "is not an equation"},
		{`pde = "v_x = u"`, `pde = "v_x = floor(u)*v"`, `:@: equation[1].pde: "-(floor(u)*v)" is not linear in u, and floor is not smooth`},
		{`pde = "v_x = u"`, `pde = "v_x = v_x + 1"`, "contains no unknown; the fields are u and v"},
		{`pde = "v_x = u"`, `pde = "v_x = 1/(x - 0.5)"`, ":@: equation[1].pde: the source is -Inf at x = 0.5, t = 1.5"},
		{`pde = "v_x = u"`, `pde = "v_x = sqrt(x - 9)"`, "the source is NaN at x = "},
		{`pde = "v_x = u"`, `pde = "v_xt/(x - 0.5) = u"`, "the coefficient of v_xt is +Inf at x = 0.5"},
		{`pde = "v_x = u"`, `pde = "v_x = lambda1*log(x - 9)"`, "the coefficient of lambda1 is NaN"},
		{`pde = "v_x = u"`, `pde = 3`, "equation[1].pde: expected text in quotes, found 3"},
		{`pde = "v_x = u"`, ``, ":@-1: equation[1]: pde = \"left = right\" is missing"},
		{"points = 60", "points = 60\ngrid = [3, 3]", "found points and grid"},
		{"points = 60", "points = 0", ":@: equation[0].points: found 0; a whole number from 1 to 10000000"},
		{"points = 60", "points = 10_000_001", "found 10000001; a whole number from 1 to 10000000"},
		{"grid = [9, 7]", "grid = [1e4, 1e4]", "equation[1].grid: the grid has more than 10000000 points"},
		{"grid = [9, 7]", "grid = [2, 2]", "no point of the grid lies in the domain"},
		{`file = "points.csv"`, `file = "nothing.csv"`, ":@: equation[2].file: nothing.csv: no such file"},
		{`file = "points.csv"`, `file = "."`, ":@: equation[2].file: .: is a directory"},
		{"tolerance = 1e-3", "tolerance = -1", "equation[1].tolerance: found -1"},
		{`on = "x = half"`, `on = "y = half"`, ":@: condition[0].on: unknown name y"},
		{`on = "x = half"`, `on = "x = t"`, `condition[0].on: expected "boundary", or a variable = a constant`},
		{`on = "x = half"`, `on = "x < 1"`, `:@: condition[0].on: expected "boundary", or a variable = a constant`},
		{`on = "x = half"`, `on = "boundry"`, `as "x = 0"; found "boundry"`},
		{`on = "x = half"`, `on = "x = 7"`, "condition[0].on: x = 7 is outside [-1, 2]"},
		{`on = "x = half"`, `on = "x = 2"`, "condition[0].on: only 0 of"},
		{`on = "x = half"`, ``, "condition[0]: on = \"x = ...\" or on = \"boundary\" is missing"},
		{`equals = "v = 0"`, `equals = "v"`, ":@: condition[1].equals: \"v\" is not an equation"},
		{`equals = "u_x + 2*u = sin(t)"`, `equals = "u = log(t - 9)"`, "condition[0].equals: the source is NaN at x = 0.5"},
		{"radius = 0.5 }", "radius = 1.4 }", "condition[1].on: the boundary leaves the box: it reaches x = -1."},
		{`disk = { center = [0.25, "1 + half"], radius = 0.5 }`, `inside = "x > t - 2"`, "condition[1].on: the boundary of a domain that changes with the time is not known"},
		// sensors
		{`measures = "u - 2*v_x + lambda_2 + 1"`, `measures = "sign(u)*v"`, `:@: sensors[1].measures: "sign(u)*v" is not linear in u, and sign is not smooth`},
		{`measures = "u - 2*v_x + lambda_2 + 1"`, `measures = "x"`, "contains no unknown"},
		{`measures = "u - 2*v_x + lambda_2 + 1"`, `measures = "u/(x - 0.5)"`, "the coefficient of u is +Inf at x = 0.5, t = 2"},
		{`file = "first.csv"`, `file = "frist.csv"`, ":@: sensors[0].file: frist.csv: no such file"},
		{`file = "first.csv"`, `file = "points.csv"`, "points.csv:1: value: there is no column value"},
		{`file = "first.csv"`, ``, ":@-1: sensors[0]: file = \"readings.csv\" is missing"},
		{"sigma = 0.01", "sigma = 0", ":@: sensors[0].sigma: found 0; a positive number is expected"},
		{"sigma = 0.01", "sigma = inf", "sensors[0].sigma: found +Inf; a finite number"},
	} {
		_, err := read(t, replaced(t, fullProblem, test.old, test.new))
		// :@+1: stands for the line after that of the place.
		before, _, _ := strings.Cut(fullProblem, test.old)
		line := strings.Count(before, "\n") + 1
		for i := -2; i <= 4; i++ {
			test.want = strings.Replace(test.want, strings.Replace(fmt.Sprintf(":@%+d:", i), "+0", "", 1), fmt.Sprintf(":%d:", line+i), 1)
		}
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s instead of %s:\n  error %v\n  want  %s", shorten(test.new), shorten(test.old), err, test.want)
		}
	}
}

func TestMissingSections(t *testing.T) {
	for _, test := range []struct{ problem, want string }{
		{"", "problem.toml: variables: at least one variable"},
		{"[variables]\nx = [0, 1]\n", "equation: at least one [[equation]] is needed"},
		{"[variables]\nx = [0, 1]\n[[equation]]\npde = \"u_x = 0\"\npoints = 3\n", "sensors: at least one [[sensors]] is needed"},
		{"[variables]\nx = [0, 1]\n[sensors]\nfile = \"a\"\n", ":3: sensors: expected tables, found a table: write [[sensors]]"},
		{"[variables]\nx = [0, 1]\n[domain]\ndisk = { center = [0, 0], radius = 1 }\n", ":4: domain.disk: a plane domain needs two variables; there is only x"},
		{smallProblem + "[[condition]]\non = \"boundary\"\nequals = \"u = 0\"\npoints = 1\n", ":11: condition.on: the box has 2 sides; points = 1 does not put one on each"},
		{"\xff\xfe[", "problem.toml"},
	} {
		if _, err := read(t, test.problem); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %s", err, test.want)
		}
	}
	var e *Error
	if _, err := Read(filepath.Join(t.TempDir(), "none.toml"), nil); !errors.As(err, &e) || e.Line != 0 || !strings.Contains(e.Why, "no such file") {
		t.Errorf("error %v", err)
	}
	if _, err := Read(t.TempDir(), nil); !errors.As(err, &e) || !strings.Contains(e.Why, "directory") {
		t.Errorf("error %v", err)
	}
	many := strings.Builder{}
	for i := range 17 {
		many.WriteString("x" + string(rune('a'+i)) + " = [0, 1]\n")
	}
	if _, err := read(t, "[variables]\n"+many.String()); err == nil || !strings.Contains(err.Error(), "found 17 variables; at most 16") {
		t.Errorf("error %v", err)
	}
}

// TestLinesInUnusualFiles finds keys behind strings, comments and dotted keys.
func TestLinesInUnusualFiles(t *testing.T) {
	text := "# [a]\n'fit' . method = \"\"\"\n[no]\n\\\"\"\"\"\"\"\n[ features ] # x\r\nseed = [ # [\n  ']', \"\\\"]\", 1,\n] # ]\ndraw = '''\n''''\n[[equation]]\n[[equation]]\npde = 1\n[output.exact]\nu = {a = 1,\n"
	lines, err := newOutline(text)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]int{"fit": 2, "fit.method": 2, "features": 5, "features.seed": 6, "features.draw": 9, "equation[0]": 11, "equation[1]": 12, "equation[1].pde": 13, "output.exact.u": 15} {
		if lines[key] != want {
			t.Errorf("%s on line %d, want %d (%v)", key, lines[key], want, lines)
		}
	}
}

func TestApportionIsProportional(t *testing.T) {
	for _, test := range []struct {
		n     int
		share []float64
		want  []int
	}{
		{6, []float64{1, 1, 0.5, 0.5}, []int{2, 2, 1, 1}},
		{4, []float64{1, 1, 1e-9, 1e-9}, []int{1, 1, 1, 1}},
		{103, []float64{1, 1, 0.01, 0.01}, []int{51, 50, 1, 1}},
	} {
		if got := apportion(test.n, test.share); !slices.Equal(got, test.want) {
			t.Errorf("%d by %v: %v, want %v", test.n, test.share, got, test.want)
		}
	}
}

func FuzzProblemFile(f *testing.F) {
	for _, text := range []string{
		fullProblem, smallProblem, "", "[", "a = [[[[", "[variables]\nx = [0, 1]", "[[equation]]\n[[equation.x]]", "equation = [{pde = \"u = 1\"}]",
		"x.y.z = 1\n[x]", "\"\" = 1", "[variables]\n\"\" = [0,1]", "title = \"\"\"\n\n\"\"\"\"", "a = 1 # \xff",
	} {
		f.Add(text, "features.neurons=3")
	}
	f.Add(smallProblem, "equation[0].pde=u_xx = 1/x")
	f.Add(smallProblem, "variables={}")
	f.Add(smallProblem+"average = { x = 0.5 }\nreference = { t = 0 }\nmeasures = \"x*u_x + t\"\n", "equation.where=x < 0.5 and t > 1")
	f.Add(smallProblem+"[[condition]]\nperiodic = \"x\"\nof = \"u_x - 2*u\"\npoints = 3\n", "sensors.average={t=2}")
	f.Add(smallProblem+"[tables]\nk = \"table.csv\"\n", "equation.pde=u_t = k(x, t)*u_xx + k(2*x, t/2)")
	f.Add(fullProblem, "domain.disk.radius={a.b=[1, {}]}")
	f.Add(smallProblem+"average = \"domain\"\n[domain]\ninside = \"x < 0.5 and x^2 >= 0.1\"\n[[condition]]\non = \"boundary\"\nequals = \"u_n = 1\"\npoints = 4\nexact = true\n", "output.where={u=\"x < 0.3\"}")
	f.Add(strings.Replace(smallProblem, "t = ", "y = ", 1)+"average = \"a\"\n[shapes]\na = { inside = \"x*y < 0.2\" }\nb = { ball = { center = [0.5, 1], radius = 0.3 } }\n[domain]\nshape = \"a + b\"\n", "equation.sd=0.1")
	dir := f.TempDir()
	for name, text := range fullFiles {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, text, set string) {
		path := filepath.Join(dir, "fuzzed.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		overrides := []string{set}
		for _, section := range []string{"equation", "condition"} { // more points only take longer
			if strings.Contains(text, "[["+section) {
				overrides = append(overrides, section+".points=5")
			}
		}
		file, err := Read(path, overrides)
		var e *Error
		switch {
		case err == nil:
			if err := file.Problem.Validate(); err != nil {
				t.Errorf("an invalid problem is read: %v", err)
			}
			for _, exact := range file.Output.Exact {
				if exact != nil {
					exact.EvalTo(make([]float64, 1), mat.NewDense(1, len(file.Problem.Variables), nil))
				}
			}
		case !errors.As(err, &e) || e.File == "" || e.Why == "":
			t.Errorf("error %#v", err)
		}
	})
}

// One point where an equation is fulfilled worst is chosen among candidates, too; without any there are none.
func TestRefinementHasCandidates(t *testing.T) {
	for refine, want := range map[int]bool{0: false, 1: true, 7: true} {
		text := smallProblem
		if refine > 0 {
			text = strings.Replace(text, "pde = ", fmt.Sprintf("refine = %d\npde = ", refine), 1)
		}
		e := &mustRead(t, text).Problem.Equations[0]
		if got := e.Candidates != nil && e.Candidates.Rows() > refine; got != want || e.Refine != refine {
			t.Errorf("refine = %d: %d, candidates %v", refine, e.Refine, got)
		}
	}
}

// Errors of other packages name a part of the problem; its line is found by that name.
func TestLinesOfParts(t *testing.T) {
	const text = `[parameters]
k = {}
q = {}

[variables]
x = [0, 2]
t = [0, 3]

[[equation]]
pde = "k*u_xx + u_tt = q"
points = 10

[[equation]]
pde = "u_t = 0"
where = "x < 1"
points = 10

[[condition]]
on = "t = 0"
equals = "u = 0"

[[sensors]]
file = "table.csv"
`
	again := text + "\n[[sensors]]\nfile = \"table.csv\"\n"
	inline := "condition = [{ on = \"t = 0\", equals = \"u = 0\" }]\n" + strings.Replace(text, "[[condition]]\non = \"t = 0\"\nequals = \"u = 0\"\n", "", 1)
	for _, c := range []struct {
		text, where string
		line        int
	}{
		{text, "equation 1", 9},
		{text, "equation 1, point 7", 9},
		{text, "equation 2 (x < 1), point 3", 13},
		{text, "condition 1 (t = 0), condition 2 (x = 0)", 18},
		{text, `sensors "table.csv", reading 2`, 22},
		{text, `coefficient "k"`, 2},
		{text, `parameter "k"`, 2},
		{text, `parameter "q"`, 3},
		{text, "equation 10", 0},
		{text, "equation 3", 0},
		{text, "layers", 0},
		{text, "features.patches", 0},
		{text + "\n[features]\npatches = [2, 2]\n", "features.patches", 26},
		{text, "", 0},
		{again, `sensors "table.csv"`, 0},
		{again, "equation 1", 9},
		{inline, "condition 1 (t = 0)", 1},
	} {
		if line := mustRead(t, c.text).LineOf(c.where); line != c.line {
			t.Errorf("%s: line %d, want %d", c.where, line, c.line)
		}
	}
}
