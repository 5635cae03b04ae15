package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/system/spec"
)

// compiled writes an example and its compiled physics, and returns their
// directory.
func compiled(t *testing.T, name string) string {
	t.Helper()
	problem := writeExample(t, name)
	directory := filepath.Dir(problem)
	out := succeed(t, "compile", problem, "-o", filepath.Join(directory, "physics.bpielm"))
	for _, want := range []string{"physics.bpielm", "neurons", "slack", "sigma 0.05"} {
		if !strings.Contains(out, want) {
			t.Errorf("compile does not print %q:\n%s", want, out)
		}
	}
	return directory
}

func write(t *testing.T, directory, name, content string) string {
	t.Helper()
	path := filepath.Join(directory, name)
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestAssimilateSaysWhatSolveSays: compile and assimilate together give the result of
// solve, for one draw of the layer.
func TestAssimilateSaysWhatSolveSays(t *testing.T) {
	directory := compiled(t, "inverse-poisson")
	physics, sensors := filepath.Join(directory, "physics.bpielm"), filepath.Join(directory, "sensors.csv")
	want := solveJSON(t, filepath.Join(directory, "problem.toml"), "--set=fit.ensemble=1")
	var got map[string]any
	points := write(t, directory, "points.csv", "x\n-3\n0.5\n")
	text := succeed(t, "assimilate", physics, sensors, "--json", "--points", points)
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	// Compiled physics keeps the slack fixed and tries fewer amplitudes.
	const held = 0.02
	for _, name := range []string{"lambda1", "lambda2"} {
		sd := numberAt(t, want, "parameters", name, "sd")
		for _, key := range []string{"mean", "sd"} {
			a, b := numberAt(t, got, "parameters", name, key), numberAt(t, want, "parameters", name, key)
			if math.Abs(a-b) > held*sd {
				t.Errorf("%s %s: %v, solve says %v", name, key, a, b)
			}
		}
	}
	model := filepath.Join(directory, "after.bpielm")
	table := succeed(t, "assimilate", physics, sensors, "--points", points, "--out", model, "--quiet")
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil || len(rows) != 3 || strings.Join(rows[0], ",") != "readings,x,u_mean,u_sd,u_lower95,u_upper95" {
		t.Fatalf("found %q, %v", rows, err)
	}
	predicted, err := csv.NewReader(strings.NewReader(succeed(t, "predict", model, points))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	q, err := loadModel(model)
	if err != nil {
		t.Fatal(err)
	}
	known, err := spec.ReadDefinitions(q.Note(), q.Problem())
	if err != nil || len(known.Sensors) != 1 || known.Sensors[0].Field != 0 || known.Sensors[0].Readings != 20 || len(known.Sensors[0].Places) != 20 {
		t.Errorf("%v: the model knows the sensors %+v", err, known)
	}
	for i := 1; i < 3; i++ {
		for k := 1; k < 4; k++ { // x, mean, sd
			a, _ := strconv.ParseFloat(rows[i][k], 64)
			b, _ := strconv.ParseFloat(predicted[i][k-1], 64)
			if math.Abs(a-b) > 1e-6*math.Abs(b) {
				t.Errorf("row %d, column %d: %v, predict says %v", i, k, a, b)
			}
		}
	}
	summary := succeed(t, "assimilate", physics, sensors)
	for _, want := range []string{"20 kept", "lambda1", "95 % interval", "sound"} {
		if !strings.Contains(summary, want) {
			t.Errorf("no %q in\n%s", want, summary)
		}
	}
}

func TestAssimilateFollowsAStreamAndNamesFaults(t *testing.T) {
	directory := compiled(t, "inverse-poisson")
	physics := filepath.Join(directory, "physics.bpielm")
	var lines strings.Builder
	u := func(x float64) float64 { return math.Sin(0.7*x) + math.Cos(1.5*x) - 0.1*x }
	for i := range 40 {
		for k, x := range []float64{-8, -3, 1, 4, 9} {
			value := u(x) + 0.05*math.Sin(float64(i*7+k*3))
			if k == 2 && i > 20 {
				value = u(x)
			}
			if i == 12 && k == 1 {
				value += 3
			}
			fmt.Fprintf(&lines, `{"x": %g, "value": %.6f, "sensor": "s%d"}`+"\n", x, value, k)
		}
	}
	readings := write(t, directory, "readings.jsonl", lines.String())
	status, out, messages := execute("assimilate", physics, readings, "--every", "50", "--window", "60", "--drop")
	if status != 0 {
		t.Fatal(messages)
	}
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || len(rows) != 5 || rows[0][1] != "lambda1_mean" || rows[4][0] != "200" {
		t.Errorf("found %q, %v", rows, err)
	}
	for _, want := range []string{"line 62: sensor s1: ", "is unlikely", "sensor s2: it seems to be stuck", "sensor s2: dropped", "stuck, dropped", "200, "} {
		if !strings.Contains(messages, want) {
			t.Errorf("no %q in\n%s", want, messages)
		}
	}
	if strings.Contains(messages, "sensor s3: it seems") {
		t.Errorf("a sound sensor is blamed:\n%s", messages)
	}
}

func TestPlaceChoosesAndDraws(t *testing.T) {
	for _, test := range []struct {
		name, candidates string
		args             []string
		want             []string
	}{
		{"inverse-poisson", "x\n-9\n-5\n0\n5\n9\n", nil, []string{"Places of 2 sensors", "root mean square", "100 %"}},
		{"inverse-poisson", "x\n-9\n-5\n0\n5\n9\n", []string{"--parameter", "lambda2", "--sigma", "0.1"}, []string{"sd of lambda2", "sigma 0.1"}},
		{"diffusion", "x,t\n0,0\n0.5,1\n1,2\n", nil, []string{"Places of 2 sensors"}},
	} {
		directory := compiled(t, test.name)
		picture := filepath.Join(directory, "places.png")
		candidates := write(t, directory, "candidates.csv", test.candidates)
		args := append([]string{"place", filepath.Join(directory, "physics.bpielm"), candidates, "--count", "2"}, test.args...)
		out := succeed(t, append(args, "--out", picture)...)
		for _, want := range test.want {
			if !strings.Contains(out, want) {
				t.Errorf("no %q in\n%s", want, out)
			}
		}
		file, err := os.Open(picture)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(file); err != nil {
			t.Error(err)
		}
		file.Close()
		vector := filepath.Join(directory, "places.pdf")
		succeed(t, append(args, "--out", vector)...)
		if content, err := os.ReadFile(vector); err != nil || !strings.HasPrefix(string(content), "%PDF-") {
			t.Errorf("%s is no PDF (%v)", vector, err)
		}
		var report placesReport
		if err := json.Unmarshal([]byte(succeed(t, append(args, "--json")...)), &report); err != nil {
			t.Fatal(err)
		}
		if s := report.Sensors; len(s) != 2 || !(s[0].After < s[0].Before) || s[1].Before != s[0].After || s[0].Candidate == s[1].Candidate {
			t.Errorf("%s: %+v", test.name, report)
		}
	}
}

// In a folder there are the gain of every candidate and a picture. What is outside the domain
// is not chosen, and what is on its boundary may be.
func TestPlaceComparesAllCandidates(t *testing.T) {
	problem := writeExample(t, "l-plate", "--neurons=40")
	edit(t, problem, "[variables]", "fields = { u = { unit = \"K\", label = \"temperature\" } }\n[variables]")
	directory := filepath.Dir(problem)
	model := filepath.Join(directory, "out", "model.bpielm")
	succeed(t, "solve", problem, "--out", filepath.Dir(model), "--quiet")
	candidates := write(t, directory, "candidates.csv", "y,x,name\n1.5,1.5,outside\n0.5,1.5,a\n0,2,corner\n0.5,0.5,hole\n1.8,0.2,b\n0.50001,0.7499,rim\n")
	folder := filepath.Join(directory, "places")
	args := []string{"place", model, candidates, "--count", "2"}
	status, out, messages := execute(append(args, "--out", folder+"/")...)
	if status != 0 || strings.Count(messages, "\n") != 1 || !strings.Contains(messages, "candidates.csv: row 1 and 1 other are outside the domain") {
		t.Fatalf("status %d: %s", status, messages)
	}
	for _, want := range []string{"root mean square over the domain, in K", "of 4 candidates", "  row   x        y         gain        rank\n  3     2        0         ", "\n  6     0.7499   0.50001", "places.csv", "places.png"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	many := "x,y\n"
	for i := range 40 {
		many += fmt.Sprintf("%.2f,1.8\n", 0.02*float64(i))
	}
	if out := succeed(t, "place", model, write(t, directory, "many.csv", many), "--count", "1"); strings.Count(out, "   1.8   ") != mostGains+1 || !strings.Contains(out, "and 28 more: the median of all is ") {
		t.Errorf("of 40 candidates place lists\n%s", out)
	}
	content, err := os.ReadFile(filepath.Join(folder, "places.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(content))).ReadAll()
	if err != nil || len(rows) != 7 || strings.Join(rows[0], ",") != "x,y,sd_before,sd_alone,gain,rank,sd_together" {
		t.Fatalf("%v: %q", err, rows)
	}
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	best, ranks := 0.0, map[string][]string{}
	for i, row := range rows[1:] {
		if empty := row[2] == "" && row[3] == "" && row[4] == "" && row[5] == ""; empty != (i == 0 || i == 3) {
			t.Errorf("row %d: %q", i+1, row)
		}
		if row[2] == "" {
			continue
		}
		before, alone, gain := number(row[2]), number(row[3]), number(row[4])
		if !(gain >= 0) || math.Abs(before-alone-gain) > 1e-9*before {
			t.Errorf("sd %g, then %g: gain %g", before, alone, gain)
		}
		best, ranks[row[5]] = math.Max(best, gain), row
	}
	if first, second := ranks["1"], ranks["2"]; first == nil || second == nil || number(first[4]) != best || first[3] != first[6] || number(second[6]) >= number(first[6]) {
		t.Errorf("first %q, second %q, best gain %g", first, second, best)
	}
	_, out, _ = execute(append(args, "--json")...)
	var report placesReport
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatal(err)
	}
	if report.Unit != "K" || len(report.Candidates) != 4 || report.Candidates[0].Candidate != 2 || report.Candidates[0].At["x"] != 1.5 {
		t.Errorf("%+v", report)
	}
	for _, e := range report.Sensors {
		if e.Candidate == 1 || e.Candidate == 4 {
			t.Errorf("candidate %d is outside", e.Candidate)
		}
	}
	table := filepath.Join(directory, "gains.csv")
	execute(append(args, "--out", table)...)
	if again, err := os.ReadFile(table); err != nil || string(again) != string(content) {
		t.Errorf("%v: %s holds %q", err, table, again)
	}
	refused(t, append(args, "--out", candidates), "--out", "is one of the files that are read")
	refused(t, []string{"place", model, filepath.Join(folder, "places.csv"), "--out", folder}, "--out", "is one of the files that are read")
	refused(t, []string{"place", model, candidates, "--count", "5"}, "--count 5", "4 candidates in the domain")
	nowhere := write(t, directory, "nowhere.csv", "x,y\n1.5,1.5\n")
	refused(t, []string{"place", model, nowhere}, "0 candidates in the domain")
}

func TestDeviceRefusals(t *testing.T) {
	directory := compiled(t, "inverse-poisson")
	physics := filepath.Join(directory, "physics.bpielm")
	candidates := write(t, directory, "candidates.csv", "x\n-9\n5\n")
	readings := write(t, directory, "readings.csv", "x,value\n1,2\n")
	model := filepath.Join(directory, "model.bpielm")
	succeed(t, "assimilate", physics, readings, "-q", "-o", model)
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"compile", filepath.Join(directory, "absent.toml")}, "absent.toml"},
		{[]string{"assimilate", filepath.Join(directory, "absent"), readings}, "absent"},
		{[]string{"assimilate", model, readings}, "compiled physics is expected"},
		{[]string{"assimilate", readings, readings}, "not a bpielm model"},
		{[]string{"assimilate", physics, write(t, directory, "a.csv", "x,value\n1,2\n1,inf\n")}, "a.csv:3"},
		{[]string{"assimilate", physics, write(t, directory, "b.csv", "x,value\n1,2\n100,1\n")}, "b.csv:3"},
		{[]string{"assimilate", physics, write(t, directory, "c.csv", "y,value\n")}, "no column x"},
		{[]string{"assimilate", physics, write(t, directory, "d.csv", "x,value\n")}, "no readings"},
		{[]string{"assimilate", physics, readings, "--window", "0.5"}, "--window"},
		{[]string{"assimilate", physics, readings, "--window", "-1"}, "window"},
		{[]string{"place", physics, candidates, "--count", "3"}, "--count 3"},
		{[]string{"place", physics, candidates, "--parameter", "mu"}, "--parameter mu"},
		{[]string{"place", physics, candidates, "--kind", "other"}, "--kind other"},
		{[]string{"place", physics, candidates, "--field", "v"}, "--field v"},
		{[]string{"place", physics, candidates, "--sigma", "-1"}, "--sigma"},
		{[]string{"place", physics, candidates, "--sigma", "0"}, "--sigma"},
		{[]string{"place", model, candidates, "--kind", "sensors.csv"}, "--kind"},
	} {
		refused(t, test.args, test.want)
	}
}
