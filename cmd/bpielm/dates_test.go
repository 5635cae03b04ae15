package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// dated solves a small problem whose time has a start, and returns the folders of problem and results.
func dated(t *testing.T) (directory, out string) {
	t.Helper()
	directory = t.TempDir()
	write(t, directory, "problem.toml", `title = "Tea"
[variables]
x = { range = [0, 1], unit = "m" }
t = { range = [0, 96], unit = "h", start = "2024-02-27T00:00Z", label = "time" }
[parameters]
q = { mean = 0, sd = 5 }
[[equation]]
pde = "T_t = 0.05*T_xx + q"
points = 60
[[sensors]]
file = "log.csv"
sigma = 0.1
[features]
neurons = 40
scale = 2
[fit]
ensemble = 1
[output]
grid = [3, 5]
`)
	var log strings.Builder
	log.WriteString("t,x,value\n")
	for _, day := range []string{"02-27", "02-28", "02-29", "03-01"} {
		for _, x := range []string{"0", "0.5", "1"} {
			log.WriteString("2024-" + day + "T12:00Z," + x + "," + day[4:] + "\n")
		}
	}
	write(t, directory, "log.csv", log.String())
	out = filepath.Join(directory, "out")
	succeed(t, "solve", directory, "--quiet", "--out", out)
	return directory, out
}

// What knows a time as a number knows its date, too, in a last column: others may count on the places of the columns
// before it.
func TestTablesHaveDates(t *testing.T) {
	directory, out := dated(t)
	model := filepath.Join(out, "model.bpielm")
	const header = "x,t,T_mean,T_sd,T_lower95,T_upper95,date\n"
	begins := func(name, text, head string, rows ...string) {
		t.Helper()
		if !strings.HasPrefix(text, head) {
			t.Errorf("%s begins with %.120q", name, text)
		}
		lines := strings.Split(text, "\n")
		for i, want := range rows {
			from, to, _ := strings.Cut(want, " ")
			if line := lines[i+1]; !strings.HasPrefix(line, from+",") || !strings.HasSuffix(line, ","+to) {
				t.Errorf("%s: row %d is %q, not %s ... %s", name, i+1, line, from, to)
			}
		}
	}
	file := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	begins("solution.csv", file("solution.csv"), header, "0,0 2024-02-27T00:00:00Z", "0,24 2024-02-28T00:00:00Z", "0,48 2024-02-29T00:00:00Z")
	begins("readings.csv", file("readings.csv"), "file,line,x,t,value,sigma,mean,sd,left_out_mean,left_out_sd,standardised,weight,date\n", "log.csv,2,0,12,7,0.1 2024-02-27T12:00:00Z")

	points := write(t, directory, "points.csv", "x;t\n0,5;29.02.2024 18:30\n0,5;2024-03-01T02:00+02:00\n0,5;12\n")
	begins("points", succeed(t, "predict", model, points), header, "0.5,66.5 2024-02-29T18:30:00Z", "0.5,72 2024-03-01T00:00:00Z", "0.5,12 2024-02-27T12:00:00Z")
	begins("--at", succeed(t, "predict", model, "--at", "x = 0.5 m, t = 2024-02-29", "--at=t=12.5h,x=1m"), header, "0.5,48 2024-02-29T00:00:00Z", "1,12.5 2024-02-27T12:30:00Z")
	for _, times := range []string{"0:48:3", "2024-02-27:2024-02-29:3", "2024-02-27 00:00:2024-02-29T02:00:00+02:00:3", "0:2024-02-29 00:00:3"} {
		begins(times, succeed(t, "predict", model, "--at", "x=0.5m", "--times", times), header, "0.5,0 2024-02-27T00:00:00Z", "0.5,24 2024-02-28T00:00:00Z", "0.5,48 2024-02-29T00:00:00Z")
	}
	for _, verb := range [][]string{{"predict", model, "--at", "x=0.5,t=2024-03-05"}, {"predict", model, "--at", "x=0.5,t=2024-03-05", "--extrapolate"}} {
		_, _, warning := execute(verb...)
		if !strings.Contains(warning, "--at: row 1 is outside the model's box (t from 2024-02-27 00:00Z to 2024-03-02 00:00Z); ") {
			t.Errorf("found %q", warning)
		}
	}
	if _, _, warning := execute("predict", model, "--at", "x=1.5,t=0"); !strings.Contains(warning, "row 1 is outside the model's box; ") {
		t.Errorf("found %q", warning)
	}
	for want, args := range map[string][]string{
		"--at x=1: t is missing":                                                   {"--at", "x=1"},
		"--at x=1,t=0,x=2: x is given twice":                                       {"--at", "x=1,t=0,x=2"},
		"--at y=1: y is none of x, t":                                              {"--at", "y=1"},
		"--at 0.5: NAME=VALUE is expected, for each of x, t":                       {"--at", "0.5"},
		`--at x=1,t=2024-02-30: t: found "2024-02-30"; there is no day 30`:         {"--at", "x=1,t=2024-02-30"},
		`--at x=2024-02-27,t=0: x: found "2024-02-27"; a number is expected`:       {"--at", "x=2024-02-27,t=0"},
		"--at replaces " + points:                                                  {points, "--at", "x=1,t=0"},
		"or dates, for example 2024-02-27 00:00Z:2024-03-02 00:00Z:25":             {"--at", "x=1", "--times", "2024-02-27:3"},
		"--times 2024-02-29:2024-02-27:3: FROM:TO:COUNT is expected, numbers in h": {"--at", "x=1", "--times", "2024-02-29:2024-02-27:3"},
		"a file of points is missing, with the variable x, or --at":                {"--times", "0:1:2"},
	} {
		refused(t, append([]string{"predict", model}, args...), want)
	}
}

// A stream is followed in dates: its estimates and what is said of its readings have them.
func TestStreamHasDates(t *testing.T) {
	directory, _ := dated(t)
	physics := filepath.Join(directory, "physics.bpielm")
	succeed(t, "compile", directory, "--quiet", "-o", physics)
	points := write(t, directory, "points.csv", "x,t\n0.5,2024-02-29\n")
	readings := write(t, directory, "live.csv", "t,x,value\n2024-02-27T06:00Z,0.5,7\n2024-02-27T12:00Z,0.5,7\n2024-02-28T12:00Z,0.5,7\n2024-02-28T12:00Z,0.5,99\n")
	status, table, warnings := execute("assimilate", physics, readings, "--points", points)
	if status != 0 || !strings.HasPrefix(table, "readings,x,t,T_mean,T_sd,T_lower95,T_upper95,date\n4,0.5,48,") || !strings.HasSuffix(table, ",2024-02-29T00:00:00Z\n") {
		t.Errorf("status %d, %s", status, table)
	}
	if !strings.Contains(warnings, "line 5 (2024-02-28 12:00Z): sensor ") {
		t.Errorf("found %q", warnings)
	}
	status, table, _ = execute("assimilate", physics, readings, "--quiet", "--every", "2")
	if lines := strings.Split(table, "\n"); status != 0 || lines[0] != "readings,q_mean,q_sd,q_lower95,q_upper95,date" || !strings.HasPrefix(lines[1], "2,") || !strings.HasSuffix(lines[1], ",2024-02-27T12:00:00Z") {
		t.Errorf("status %d, %s", status, table)
	}
	if said := succeed(t, "assimilate", physics, readings, "--quiet", "--points", points, "--json"); !strings.Contains(said, `"latest":"2024-02-28T12:00:00Z"`) || !strings.Contains(said, `"estimates":[{"T_mean":`) || !strings.Contains(said, `"date":"2024-02-29T00:00:00Z"`) {
		t.Error(said)
	}
	if said := spaced(succeed(t, "place", physics, points)); !strings.Contains(said, "sensor x t date sd of T variance left") || !strings.Contains(said, " 1 0.5 48 2024-02-29 00:00Z ") {
		t.Error(said)
	}
	if said := succeed(t, "place", physics, points, "--json"); !strings.Contains(said, `"date": "2024-02-29T00:00:00Z"`) {
		t.Error(said)
	}
}

// check and the report say which period there is, the verdict names dates, and the report says what solved the problem
// and from which priors.
func TestDatesAreSaid(t *testing.T) {
	directory, _ := dated(t)
	path := filepath.Join(directory, "log.csv")
	log, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(log), "2024-02-28T12:00Z,0.5,8", "2024-02-28T12:00Z,0.5,80", 1) + "2024-02-26T10:00Z,0,6\n2024-04-02T11:30Z,0,\n2024-03-05T11:30Z,0,1\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	const outside = "2 readings outside the range of the time left out, 2024-02-26 10:00Z to 2024-03-05 11:30Z"
	said := spaced(succeed(t, "check", directory))
	for _, want := range []string{"t in [0, 96] h, since 2024-02-27 00:00Z, time, until 2024-03-02 00:00Z", "from 2024-02-27 12:00Z to 2024-03-01 12:00Z", "(2024-02-27 12:00Z) 7", outside} {
		if !strings.Contains(said, want) {
			t.Errorf("check: no %q in\n%s", want, said)
		}
	}
	out := filepath.Join(directory, "out")
	said = spaced(succeed(t, "solve", directory, "--out", out, "--formats=svg"))
	for _, want := range []string{"log.csv, line 6 (2024-02-28 12:00Z) is 80", outside} {
		if !strings.Contains(said, want) {
			t.Errorf("solve: no %q in\n%s", want, said)
		}
	}
	page := succeed(t, "report", out, "-o", "-")
	for _, want := range []string{
		"time, from 0 to 96 h, since 2024-02-27 00:00Z, until 2024-03-02 00:00Z<", "<li>log.csv: readings from 2024-02-27 12:00Z to 2024-03-01 12:00Z<", "<li>log.csv: 1 missing value left out<", outside,
		"<td>6</td><td>0.5</td><td>2024-02-28 12:00Z</td><td>80</td>", "<th>weight</th></tr>", "0 ± 5</td>", "Solved by " + version(),
	} {
		if !strings.Contains(page, want) {
			t.Errorf("report: no %q", want)
		}
	}
}
