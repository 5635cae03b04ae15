package main

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/bench/problems"
	"github.com/bpielm/bpielm/cmd/internal/format"
)

// solveJSON solves a problem and decodes what --json prints.
func solveJSON(t *testing.T, args ...string) map[string]any {
	t.Helper()
	text := succeed(t, append([]string{"solve", "--json"}, args...)...)
	var object map[string]any
	decoder := json.NewDecoder(strings.NewReader(text))
	if err := decoder.Decode(&object); err != nil {
		t.Fatal(err)
	}
	if decoder.More() {
		t.Errorf("there is more than one object: %s", text)
	}
	return object
}

// at follows a path of keys through an object.
func at(t *testing.T, object map[string]any, keys ...string) any {
	t.Helper()
	var value any = object
	for _, k := range keys {
		inner, ok := value.(map[string]any)
		if !ok || inner[k] == nil {
			t.Fatalf("there is no %s", strings.Join(keys, "."))
		}
		value = inner[k]
	}
	return value
}

func numberAt(t *testing.T, object map[string]any, keys ...string) float64 {
	t.Helper()
	v, ok := at(t, object, keys...).(float64)
	if !ok {
		t.Fatalf("%s is no number", strings.Join(keys, "."))
	}
	return v
}

func TestJSONHasTheContractsShape(t *testing.T) {
	object := solveJSON(t, writeExample(t, "inverse-poisson"))
	for name, truth := range map[string]float64{"lambda1": 0.49, "lambda2": 2.25} {
		mean, sd := numberAt(t, object, "parameters", name, "mean"), numberAt(t, object, "parameters", name, "sd")
		if !(sd > 0) || math.Abs(mean-truth) > 4*sd || sd > 0.2 {
			t.Errorf("%s = %g +- %g, true %g", name, mean, sd, truth)
		}
	}
	if got := numberAt(t, object, "noise"); math.Abs(got-0.05) > 1e-12 {
		t.Errorf("noise %g, given 0.05", got)
	}
	numberAt(t, object, "evidence")
	mae, maxAE := numberAt(t, object, "error", "u", "mae"), numberAt(t, object, "error", "u", "max_ae")
	if !(mae > 0) || maxAE < mae || maxAE > 0.3 {
		t.Errorf("MAE %g, Max-AE %g", mae, maxAE)
	}
	if got := numberAt(t, object, "error", "u", "coverage95"); got < 0.5 || got > 1 {
		t.Errorf("coverage95 %g", got)
	}
	for _, key := range []string{"assemble_s", "fit_s", "predict_s"} {
		if got := numberAt(t, object, "timing", key); got < 0 || got > 100 {
			t.Errorf("timing.%s = %g", key, got)
		}
	}
	for _, key := range []string{"threads", "neurons", "rows", "scale"} {
		if got := numberAt(t, object, "solver", key); got <= 0 {
			t.Errorf("solver.%s = %g", key, got)
		}
	}
	if rows := numberAt(t, object, "solver", "rows"); rows != 120 {
		t.Errorf("%g rows of 100 points and 20 readings", rows)
	}
	for _, key := range []string{"method", "path", "kernel"} {
		if got, ok := at(t, object, "solver", key).(string); !ok || got == "" {
			t.Errorf("solver.%s = %v", key, got)
		}
	}
	groups := at(t, object, "noise_groups").([]any)
	group := groups[0].(map[string]any)
	if len(groups) != 1 || group["sigma"] != 0.05 || group["learned"] != false || group["name"] != "sensors.csv" {
		t.Errorf("noise_groups %v", groups)
	}
}

func TestWithoutUncertaintyThereIsNone(t *testing.T) {
	path := writeExample(t, "inverse-poisson")
	out := filepath.Join(t.TempDir(), "out")
	object := solveJSON(t, path, "--set", "fit.method=pielm", "--set", "features.scale=16", "--out", out)
	if sd, ok := at(t, object, "parameters", "lambda1").(map[string]any)["sd"]; ok {
		t.Errorf("pielm has sd %v", sd)
	}
	if c, ok := at(t, object, "error", "u").(map[string]any)["coverage95"]; ok {
		t.Errorf("pielm has coverage %v", c)
	}
	if got := at(t, object, "solver", "method"); got != "pielm" {
		t.Errorf("method %v", got)
	}
	header, _ := readTable(t, filepath.Join(out, "solution.csv"))
	if got := strings.Join(header, ","); got != "x,u_mean,u_exact,u_error" {
		t.Errorf("columns %s", got)
	}
	if _, err := os.Stat(filepath.Join(out, "parameters.png")); err == nil {
		t.Error("densities are drawn that do not exist")
	}
	summary := succeed(t, "solve", path, "--set", "fit.method=pielm", "--set", "features.scale=16")
	if strings.Contains(summary, "NaN") || strings.Contains(summary, "±") {
		t.Errorf("the summary shows what is not there:\n%s", summary)
	}
}

func TestUnknownNoiseIsLearned(t *testing.T) {
	path := writeExample(t, "inverse-poisson", "--sensors=60")
	edit(t, path, "sigma = 0.05\n", "")
	object := solveJSON(t, path)
	if got := numberAt(t, object, "noise"); got < 0.03 || got > 0.08 {
		t.Errorf("learned noise %g, true 0.05", got)
	}
	if group := at(t, object, "noise_groups").([]any)[0].(map[string]any); group["learned"] != true {
		t.Errorf("noise group %v", group)
	}
}

func TestSetOverrides(t *testing.T) {
	object := solveJSON(t, writeExample(t, "inverse-poisson"), "--set=features.neurons=40", "--set=output.grid=[7]")
	if got := numberAt(t, object, "solver", "neurons"); got != 40 {
		t.Errorf("%g neurons", got)
	}
}

// readTable reads a CSV file of numbers by columns.
func readTable(t *testing.T, path string) (header []string, columns map[string][]float64) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	columns = map[string][]float64{}
	for _, record := range records[1:] {
		for i, cell := range record {
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				t.Fatal(err)
			}
			columns[records[0][i]] = append(columns[records[0][i]], v)
		}
	}
	return records[0], columns
}

func TestOutHoldsSolutionModelAndPictures(t *testing.T) {
	path := writeExample(t, "poisson")
	out := filepath.Join(t.TempDir(), "deep", "out")
	object := solveJSON(t, path, "--out", out, "--set=output.grid=[41, 37]")
	names := map[string]bool{}
	for _, file := range listing(t, out) {
		names[filepath.Base(file)] = true
	}
	for _, want := range []string{"solution.csv", "parameters.csv", "readings.csv", "model.bpielm", "summary.json", "solution.png", "slices.png", "readings.png", "residuals.png"} {
		if !names[want] {
			t.Errorf("there is no %s", want)
		}
	}
	if len(names) != 9 {
		t.Errorf("files %v", names)
	}

	header, columns := readTable(t, filepath.Join(out, "solution.csv"))
	if got := strings.Join(header, ","); got != "x,y,u_mean,u_sd,u_exact,u_error,u_lower95,u_upper95" {
		t.Fatalf("columns %s", got)
	}
	sum, covered, n := 0.0, 0.0, float64(len(columns["x"]))
	for i, e := range columns["u_error"] {
		x, y := columns["x"][i], columns["y"][i]
		if rho := math.Atan2(y/0.75, x/0.55); math.Hypot(x/0.55, y/0.75) > 1+math.Cos(rho)*math.Sin(4*rho)+1e-3 {
			t.Fatalf("point (%g, %g) is outside the butterfly", x, y)
		}
		if exact := 0.5 + math.Exp(-(2*x*x + 4*y*y)); math.Abs(columns["u_exact"][i]-exact) > 1e-8 {
			t.Fatalf("exact(%g, %g) = %g", x, y, columns["u_exact"][i])
		}
		if math.Abs(columns["u_mean"][i]-columns["u_exact"][i]-e) > 1e-8 {
			t.Fatalf("row %d: error %g", i, e)
		}
		mean, sd := columns["u_mean"][i], columns["u_sd"][i]
		if math.Abs(columns["u_lower95"][i]-mean+1.96*sd) > 1e-8 || math.Abs(columns["u_upper95"][i]-mean-1.96*sd) > 1e-8 {
			t.Fatalf("row %d: band [%g, %g] of %g ± %g", i, columns["u_lower95"][i], columns["u_upper95"][i], mean, sd)
		}
		sum += math.Abs(e)
		if math.Abs(e) <= 1.96*columns["u_sd"][i] {
			covered++
		}
	}
	if n < 300 || n > 41*37 {
		t.Errorf("%g points", n)
	}
	if mae := numberAt(t, object, "error", "u", "mae"); math.Abs(mae-sum/n) > 1e-8 {
		t.Errorf("MAE %g, from the table %g", mae, sum/n)
	}
	if c := numberAt(t, object, "error", "u", "coverage95"); math.Abs(c-covered/n) > 2/n {
		t.Errorf("coverage %g, from the table %g", c, covered/n)
	}
}

func TestSummaryAndQuiet(t *testing.T) {
	path := writeExample(t, "inverse-helmholtz")
	out := filepath.Join(t.TempDir(), "out")
	summary := succeed(t, "solve", path, "--out", out)
	for _, want := range []string{"Helmholtz", "lambda1", "±", "95 % interval [", "Correlation", "sensors.csv", "log evidence", "compare it between files", "MAE", filepath.Join(out, "parameters.png")} {
		if !strings.Contains(summary, want) {
			t.Errorf("the summary does not contain %q:\n%s", want, summary)
		}
	}
	if got := succeed(t, "solve", path, "--quiet"); got != "" {
		t.Errorf("--quiet prints %q", got)
	}
}

func TestPredictRoundTrip(t *testing.T) {
	path := writeExample(t, "inverse-poisson")
	root := t.TempDir()
	out := filepath.Join(root, "out")
	succeed(t, "solve", path, "--out", out, "--quiet", "--set=output.grid=[21]")
	solution, model := filepath.Join(out, "solution.csv"), filepath.Join(out, "model.bpielm")
	_, want := readTable(t, solution)

	values := filepath.Join(root, "values.csv")
	printed := succeed(t, "predict", model, solution)
	if got := succeed(t, "predict", model, solution, "--out", values); got != "" {
		t.Errorf("--out prints %q", got)
	}
	if content, err := os.ReadFile(values); err != nil || string(content) != printed {
		t.Errorf("--out writes something else than is printed (%v)", err)
	}
	header, got := readTable(t, values)
	if names := strings.Join(header, ","); names != "x,u_mean,u_sd,u_lower95,u_upper95" {
		t.Fatalf("columns %s", names)
	}
	succeed(t, "predict", model, solution, "--out", values, "--predictive")
	_, predictive := readTable(t, values)
	for i := range want["x"] {
		mean, sd := got["u_mean"][i], got["u_sd"][i]
		if math.Abs(mean-want["u_mean"][i]) > 1e-6 || math.Abs(sd-want["u_sd"][i]) > 1e-6 {
			t.Errorf("at %g: %g +- %g, solve wrote %g +- %g", got["x"][i], mean, sd, want["u_mean"][i], want["u_sd"][i])
		}
		if math.Abs(got["u_upper95"][i]-mean-1.96*sd) > 1e-8 || math.Abs(mean-got["u_lower95"][i]-1.96*sd) > 1e-8 {
			t.Errorf("at %g: interval [%g, %g]", got["x"][i], got["u_lower95"][i], got["u_upper95"][i])
		}
		if s := math.Sqrt(sd*sd + 0.05*0.05); math.Abs(predictive["u_sd"][i]-s) > 1e-8 {
			t.Errorf("at %g: predictive sd %g, want %g", got["x"][i], predictive["u_sd"][i], s)
		}
	}
}

func TestCheckSaysWhatWasUnderstood(t *testing.T) {
	for _, e := range problems.All {
		path := writeExample(t, e.Name)
		got := succeed(t, "check", path)
		for _, want := range []string{"x in [", "Equations", " points", e.SensorFile, format.Count(e.Sensors, "reading"), "sigma 0.05", "neurons"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: check does not print %q:\n%s", e.Name, want, got)
			}
		}
		if got := listing(t, filepath.Dir(path)); len(got) != 2 {
			t.Errorf("check has written %v", got)
		}
	}
}

func TestUnusableGridsAndExactSolutionsAreSaid(t *testing.T) {
	path := writeExample(t, "inverse-poisson")
	object := solveJSON(t, path, "--set=output.exact=\"sqrt(x)\"")
	if got := at(t, object, "warnings"); !strings.Contains(got.([]any)[0].(string), "200 of 401") {
		t.Errorf("warnings %v", got)
	}
	numberAt(t, object, "error", "u", "mae")

	path = writeExample(t, "poisson")
	object = solveJSON(t, path, "--set=output.grid=[2, 2]", "--out", filepath.Join(t.TempDir(), "out"))
	if got := at(t, object, "warnings"); !strings.Contains(got.([]any)[0].(string), "no point") {
		t.Errorf("warnings %v", got)
	}
	if object["error"] != nil {
		t.Errorf("errors at no points: %v", object["error"])
	}
}

// The file holds what --json prints, and names the files beside it.
func TestSummaryFileIsTheJSON(t *testing.T) {
	path, out := writeExample(t, "inverse-poisson"), filepath.Join(t.TempDir(), "out")
	printed := succeed(t, "solve", path, "--json", "--out", out)
	written, err := os.ReadFile(filepath.Join(out, "summary.json"))
	if err != nil || string(written) != printed {
		t.Fatalf("summary.json is not what is printed (%v):\n%s", err, written)
	}
	var object map[string]any
	if err := json.Unmarshal(written, &object); err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, file := range listing(t, out) {
		files = append(files, filepath.Base(file))
	}
	listed := at(t, object, "files").([]any)
	if len(listed) != len(files) {
		t.Errorf("%v are listed, %v are there", listed, files)
	}
	for _, name := range listed {
		if !slices.Contains(files, name.(string)) {
			t.Errorf("%s is not there", name)
		}
	}
	equation := at(t, object, "problem", "equations").([]any)[0].(map[string]any)
	if equation["equation"] != "u_xx + sin(0.7*x)*lambda1 + cos(1.5*x)*lambda2 = 0" || equation["where"] != "100 points" {
		t.Errorf("equation %v", equation)
	}
}

func TestParametersAreATable(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	object := solveJSON(t, writeExample(t, "inverse-poisson"), "--out", out)
	records := readRecords(t, filepath.Join(out, "parameters.csv"))
	if got := strings.Join(records[0], ","); got != "name,mean,sd,median,lower95,upper95" || len(records) != 3 {
		t.Fatalf("%d records, columns %s", len(records), got)
	}
	for i, name := range []string{"lambda1", "lambda2"} {
		if records[i+1][0] != name {
			t.Errorf("row %d is of %s", i+1, records[i+1][0])
		}
		for j, key := range records[0][1:] {
			v, err := strconv.ParseFloat(records[i+1][j+1], 64)
			if want := numberAt(t, object, "parameters", name, key); err != nil || math.Abs(v-want) > 1e-9*math.Abs(want) {
				t.Errorf("%s of %s is %s, want %g", key, name, records[i+1][j+1], want)
			}
		}
	}
	succeed(t, "solve", writeExample(t, "poisson"), "--quiet", "--out", out) // a problem without parameters
	if records := readRecords(t, filepath.Join(out, "parameters.csv")); len(records) != 1 {
		t.Errorf("parameters of an earlier problem are left: %v", records)
	}
}

// readRecords reads a CSV file.
func readRecords(t *testing.T, path string) [][]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil || len(records) == 0 {
		t.Fatal(err, records)
	}
	return records
}

// A person at a terminal is told how to keep the result; a program is not.
func TestHowToKeepTheResultIsSaid(t *testing.T) {
	path, out := writeExample(t, "inverse-poisson"), filepath.Join(t.TempDir(), "out")
	for _, c := range []struct {
		terminal bool
		command  solveCommand
		said     bool
	}{
		{true, solveCommand{}, true},
		{false, solveCommand{}, false},
		{true, solveCommand{Out: out}, false},
		{true, solveCommand{JSON: true}, false},
		{true, solveCommand{Quiet: true}, false},
	} {
		c.command.File = path
		var text strings.Builder
		if err := c.command.Run(&streams{out: &text, err: &text, terminal: c.terminal}); err != nil {
			t.Fatal(err)
		}
		if said := strings.Contains(text.String(), "--out DIR"); said != c.said {
			t.Errorf("terminal %v, out %q, json %v, quiet %v: said %v", c.terminal, c.command.Out, c.command.JSON, c.command.Quiet, said)
		}
	}
}

// --formats adds files and replaces the PNGs; wrong formats are refused before anything is solved.
func TestFormats(t *testing.T) {
	path, out := writeExample(t, "inverse-poisson"), filepath.Join(t.TempDir(), "out")
	succeed(t, "solve", path, "--quiet", "--out", out, "--formats=svg,pdf,npz,vtk")
	for name, begin := range map[string]string{
		"solution.svg": "<?xml", "solution.pdf": "%PDF-", "parameters.svg": "<?xml", "parameters.pdf": "%PDF-", "solution.vti": "<?xml", "solution.npz": "PK",
	} {
		if content, err := os.ReadFile(filepath.Join(out, name)); err != nil || !strings.HasPrefix(string(content), begin) {
			t.Errorf("%s: %v, %.20q", name, err, content)
		}
	}
	if png, _ := filepath.Glob(filepath.Join(out, "*.png")); len(png) > 0 {
		t.Errorf("%v are written, too", png)
	}
	refused(t, []string{"solve", path, "--formats=png,gif"}, "--formats", `unknown format "gif"`, "png, svg, pdf, vtk, npz")
	edit(t, path, "x = [-10, 10]", "x = [-10, 10]\na = [0, 1]\nb = [0, 1]\nc = [0, 1]")
	sensors := filepath.Join(filepath.Dir(path), "sensors.csv")
	records := readRecords(t, sensors)
	text := strings.Join(records[0], ",") + ",a,b,c\n"
	for _, r := range records[1:] {
		text += strings.Join(r, ",") + ",0,0,0\n"
	}
	if err := os.WriteFile(sensors, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, []string{"solve", path, "--set=output.grid=[3, 3, 3, 3]", "--formats=vtk"}, "--formats=vtk", "x, a, b, c")
}
