package main

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// modelOf solves an example and returns its model file.
func modelOf(t *testing.T, name string, set ...string) string {
	t.Helper()
	problem := writeExample(t, name)
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"solve", problem, "--quiet", "--out", out}
	for _, s := range set {
		args = append(args, "--set="+s)
	}
	succeed(t, args...)
	if err := os.RemoveAll(filepath.Dir(problem)); err != nil { // a model must do without its problem
		t.Fatal(err)
	}
	return filepath.Join(out, "model.bpielm")
}

// predicted returns the cells that predict prints, by column, NaN for empty ones, and
// what it warns of.
func predicted(t *testing.T, args ...string) (header string, columns map[string][]float64, warnings string) {
	t.Helper()
	status, stdout, stderr := execute(append([]string{"predict"}, args...)...)
	if status != 0 {
		t.Fatalf("predict %v: status %d, %s", args, status, stderr)
	}
	columns = map[string][]float64{}
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	names := strings.Split(lines[0], ",")
	for _, line := range lines[1:] {
		for i, cell := range strings.Split(line, ",") {
			v := math.NaN()
			if cell != "" {
				var err error
				if v, err = strconv.ParseFloat(cell, 64); err != nil {
					t.Fatal(err)
				}
			}
			columns[names[i]] = append(columns[names[i]], v)
		}
	}
	return lines[0], columns, stderr
}

func TestPredictMeasuresWhatIsLinear(t *testing.T) {
	model := modelOf(t, "inverse-poisson")
	points := write(t, t.TempDir(), "points.csv", "x\n-3\n0\n3\n")
	// u_xx + lambda1 sin(0.7 x) + lambda2 cos(1.5 x) = 0, up to the slack
	header, columns, warnings := predicted(t, model, points, "--measures", "-u_xx", "--measures=source = lambda1*sin(0.7*x) + lambda2*cos(1.5*x)", "--measures=gap=u_xx+lambda1*sin(0.7*x)+lambda2*cos(1.5*x)")
	if header != "x,-u_xx_mean,-u_xx_sd,-u_xx_lower95,-u_xx_upper95,source_mean,source_sd,source_lower95,source_upper95,gap_mean,gap_sd,gap_lower95,gap_upper95" || warnings != "" {
		t.Errorf("columns %s, warnings %q", header, warnings)
	}
	for i, curvature := range columns["-u_xx_mean"] {
		source, sd, gap := columns["source_mean"][i], columns["source_sd"][i], columns["gap_mean"][i]
		if math.Abs(curvature-source) > 0.02 || math.Abs(gap-(source-curvature)) > 1e-6 || !(sd > 0.001 && sd < 0.1) || !(columns["gap_sd"][i] < sd) {
			t.Errorf("row %d: -u_xx = %g, source %g ± %g, gap %g ± %g", i, curvature, source, sd, gap, columns["gap_sd"][i])
		}
		if half := columns["source_upper95"][i] - source; math.Abs(half-1.96*sd) > 1e-6 {
			t.Errorf("row %d: half a band is %g, sd %g", i, half, sd)
		}
	}
}

// Numbers of --at may have units. Where they have none, the unit in which they were taken is said.
func TestPlacesOfPredictHaveUnits(t *testing.T) {
	directory := t.TempDir()
	write(t, directory, "problem.toml", "[variables]\nx = { range = [0, 100], unit = \"mm\" }\n[[equation]]\npde = \"u_xx = 0\"\n[[sensors]]\nfile = \"log.csv\"\nsigma = 0.1\n[features]\nneurons = 20\n[output]\ngrid = [5]\n")
	write(t, directory, "log.csv", "x,value\n0,0.1\n40,4\n80,8.1\n")
	out := filepath.Join(directory, "out")
	succeed(t, "solve", directory, "--quiet", "--out", out)
	model := filepath.Join(out, "model.bpielm")
	stated := succeed(t, "predict", model, "--at", "x=3cm")
	status, bare, said := execute("predict", model, "--at", "x=30", "--at", "x = 30 mm")
	if lines, other := strings.Split(stated, "\n"), strings.Split(bare, "\n"); status != 0 || len(other) != 4 || lines[1] != other[1] || lines[1] != other[2] || !strings.HasPrefix(lines[1], "30,") {
		t.Errorf("status %d, at 3 cm:\n%sand at 30 mm:\n%s", status, stated, bare)
	}
	if said != "bpielm: --at: x is in mm\n" {
		t.Errorf("of the unit it says %q", said)
	}
	refused(t, []string{"predict", model, "--at", "x=3 s"}, `--at x=3 s: x: found the unit "s", which cannot be converted to that of x, mm`)
}

// What consists of parameters alone needs no place; anything else does.
func TestPredictOfParametersNeedsNoPlace(t *testing.T) {
	model := modelOf(t, "inverse-poisson")
	header, columns, warnings := predicted(t, model, "--measures", "a = lambda1/3600", "--measures", "lambda1*lambda2")
	if !strings.HasPrefix(header, "a_mean,a_sd,a_lower95,a_upper95,lambda1*lambda2_mean,") || len(columns["a_mean"]) != 1 || warnings != "" {
		t.Fatalf("columns %s, %d rows, warnings %q", header, len(columns["a_mean"]), warnings)
	}
	_, at, _ := predicted(t, model, "--at", "x=1", "--measures", "a = lambda1/3600")
	if columns["a_mean"][0] != at["a_mean"][0] || columns["a_sd"][0] != at["a_sd"][0] {
		t.Errorf("%g ± %g, and at a place %g ± %g", columns["a_mean"][0], columns["a_sd"][0], at["a_mean"][0], at["a_sd"][0])
	}
	for _, placed := range []string{"u", "lambda1*x", "u_x + lambda1"} {
		if status, _, message := execute("predict", model, "--measures", placed, "--measures", "lambda1"); status != 2 || !strings.Contains(message, "a file of points is missing") {
			t.Errorf("%s: status %d, %s", placed, status, message)
		}
	}
}

// A flux with an inferred coefficient is a product of unknowns: it is sampled, with
// constants of the problem file. The first condition of the rod says that it is Phi.
func TestPredictMeasuresWhatIsNotLinear(t *testing.T) {
	model := modelOf(t, "aluminium-rod", "features.neurons=100")
	points := write(t, t.TempDir(), "points.csv", "x\n0\n35\n70\n")
	_, columns, _ := predicted(t, model, points, "--measures", "k*T_x", "--measures", "Phi", "--measures", "-h*(T - room)", "--measures=hot = max(T - 1000, 0)", "--measures=h")
	if flux, phi := columns["k*T_x_mean"][0], columns["Phi_mean"][0]; math.Abs(flux-phi) > 0.2*math.Abs(phi) {
		t.Errorf("k T_x = %g, Phi = %g", flux, phi)
	}
	for i, loss := range columns["-h*(T-room)_mean"] {
		sd, lower, upper := columns["-h*(T-room)_sd"][i], columns["-h*(T-room)_lower95"][i], columns["-h*(T-room)_upper95"][i]
		if !(loss < 0 && sd > 0 && lower < loss && loss < upper) || math.Abs((upper-lower)/(2*1.96*sd)-1) > 0.15 {
			t.Errorf("row %d: loss %g ± %g, band [%g, %g]", i, loss, sd, lower, upper)
		}
		if columns["hot_mean"][i] != 0 || columns["h_mean"][i] != columns["h_mean"][0] {
			t.Errorf("row %d: hot %g, h %g", i, columns["hot_mean"][i], columns["h_mean"][i])
		}
	}
	again := []string{"predict", model, points, "--measures", "-h*(T - room)"}
	if succeed(t, again...) != succeed(t, again...) {
		t.Error("the draws differ from run to run")
	}
	refused(t, []string{"predict", model, points, "--measures", "kk*T_x"}, "--measures", "unknown name kk")
	refused(t, []string{"predict", model, points, "--measures", "T", "--measures", " T "}, "T is asked for twice")
	refused(t, []string{"predict", model, points, "--measures", "T", "--predictive"}, "--predictive")
	refused(t, []string{"predict", model, points, "--measures", "log(40 - T)"}, points, "row 1", "NaN")
}

func TestPredictSeries(t *testing.T) {
	model := modelOf(t, "heat-2d", "features.neurons=150")
	points := write(t, t.TempDir(), "points.csv", "y,name,x\n0.5,a,0.25\n0.75,b,0.5\n")
	header, columns, warnings := predicted(t, model, points, "--times", "0:1:3")
	if header != "x,y,t,u_mean,u_sd,u_lower95,u_upper95" || warnings != "" || len(columns["t"]) != 6 {
		t.Fatalf("columns %s, warnings %q, %d rows", header, warnings, len(columns["t"]))
	}
	same := write(t, t.TempDir(), "points.csv", "x,y,t\n0.25,0.5,0\n0.25,0.5,0.5\n0.25,0.5,1\n0.5,0.75,0\n0.5,0.75,0.5\n0.5,0.75,1\n")
	if a, b := succeed(t, "predict", model, points, "--times=0:1:3"), succeed(t, "predict", model, same); a != b {
		t.Errorf("a series is\n%sits points\n%s", a, b)
	}
	_, columns, warnings = predicted(t, model, points, "--times", "0:2:2")
	if !math.IsNaN(columns["u_mean"][1]) || math.IsNaN(columns["u_mean"][0]) || !strings.Contains(warnings, "row 2 and 1 other are outside the model's box; without --extrapolate the cells are empty") {
		t.Errorf("%v, warnings %q", columns["u_mean"], warnings)
	}
	_, columns, warnings = predicted(t, model, points, "--times", "0:2:2", "--extrapolate")
	if math.IsNaN(columns["u_mean"][1]) || math.IsNaN(columns["u_upper95"][3]) || !strings.Contains(warnings, "row 2 and 1 other are outside the model's box; there the solution is extrapolated") {
		t.Errorf("%v, warnings %q", columns["u_mean"], warnings)
	}
	for _, times := range []string{"0:1", "1:0:3", "0:1:0", "0:inf:3", "0:1:3:4", "a:b:c", "0:1:99999999999"} {
		refused(t, []string{"predict", model, points, "--times", times}, "--times", "FROM:TO:COUNT")
	}
	refused(t, []string{"predict", model, "--times", "0:1:3"}, "file of points is missing", "x")
	refused(t, []string{"predict", model}, "file of points is missing")
	other := modelOf(t, "inverse-poisson")
	refused(t, []string{"predict", other, "--times", "0:1:3"}, "no variable t")
}

// An only variable t needs no file.
func TestPredictSeriesOfTimeAlone(t *testing.T) {
	directory := t.TempDir()
	write(t, directory, "s.csv", "t,value\n0,1\n0.5,0.61\n1,0.37\n")
	problem := write(t, directory, "problem.toml", "[variables]\nt = [0, 1]\n[[equation]]\npde = \"u_t = -u\"\n[[sensors]]\nfile = \"s.csv\"\nsigma = 0.01\n[features]\nneurons = 30\n")
	succeed(t, "solve", problem, "--quiet", "--out", directory)
	_, columns, _ := predicted(t, filepath.Join(directory, "model.bpielm"), "--times", "0:1:5")
	for i, u := range columns["u_mean"] {
		if x := float64(i) / 4; columns["t"][i] != x || math.Abs(u-math.Exp(-x)) > 0.03 {
			t.Errorf("u(%g) = %g", columns["t"][i], u)
		}
	}
}

// Outside the domain, and where a layer's field does not exist, there is no answer; places
// on the boundary have one.
func TestPredictKnowsTheDomain(t *testing.T) {
	model := modelOf(t, "poisson", "features.neurons=100")
	directory := t.TempDir()
	points := write(t, directory, "points.csv", "x,y\n0,0\n0.9,-0.9\n0.55,0\n0.910637,0.244014\n")
	for _, more := range [][]string{nil, {"--measures=u_x"}, {"--measures=u^2"}, {"--extrapolate"}} {
		header, columns, warnings := predicted(t, append([]string{model, points}, more...)...)
		mean := columns[strings.Split(header, ",")[2]]
		if math.IsNaN(mean[0]) || !math.IsNaN(mean[1]) || math.IsNaN(mean[2]) || math.IsNaN(mean[3]) || !strings.Contains(warnings, "row 2 is outside the domain; the cells are empty") {
			t.Errorf("%v: %v, warnings %q", more, mean, warnings)
		}
	}
	layers := modelOf(t, "wall", "features.neurons=60")
	points = write(t, directory, "wall.csv", "x\n0.1\n0.2\n0.24\n")
	_, columns, warnings := predicted(t, layers, points)
	a, b := columns["a_mean"], columns["b_mean"]
	if math.IsNaN(a[0]) || math.IsNaN(a[1]) || !math.IsNaN(a[2]) || !math.IsNaN(b[0]) || math.IsNaN(b[1]) || math.IsNaN(b[2]) ||
		!strings.Contains(warnings, "row 3 is where a does not exist") || !strings.Contains(warnings, "row 1 is where b does not exist") {
		t.Errorf("a %v, b %v, warnings %q", a, b, warnings)
	}
}

// Compiled physics, and the model that readings make of it, know the problem's definitions, too.
func TestAssimilatedModelsKnowTheirProblem(t *testing.T) {
	problem := writeExample(t, "poisson")
	edit(t, problem, "[domain]", "[constants]\nk = 2\n[domain]")
	directory := t.TempDir()
	physics, model := filepath.Join(directory, "physics.bpielm"), filepath.Join(directory, "model.bpielm")
	succeed(t, "compile", problem, "--quiet", "--out", physics, "--set=features.neurons=80")
	if status, _, stderr := execute("assimilate", physics, filepath.Join(filepath.Dir(problem), "boundary.csv"), "--out", model); status != 0 {
		t.Fatal(stderr)
	}
	points := write(t, directory, "points.csv", "x,y\n0,0\n0.9,-0.9\n")
	_, columns, warnings := predicted(t, model, points, "--measures=k*u", "--measures=u")
	if got, u := columns["k*u_mean"], columns["u_mean"]; math.Abs(got[0]-2*u[0]) > 1e-8 || !math.IsNaN(got[1]) || !strings.Contains(warnings, "row 2 is outside the domain") {
		t.Errorf("%v, %v, warnings %q", got, u, warnings)
	}
}
