package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const loggersFolder = "testdata/loggers"

// loggers returns the files of each problem whose readings are as a logger has written them.
func loggers(t *testing.T) map[string]map[string]string {
	t.Helper()
	folders, err := os.ReadDir(loggersFolder)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]string{}
	for _, folder := range folders {
		files := map[string]string{}
		entries, err := os.ReadDir(filepath.Join(loggersFolder, folder.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			text, err := os.ReadFile(filepath.Join(loggersFolder, folder.Name(), entry.Name()))
			if err != nil {
				t.Fatal(err)
			}
			files[entry.Name()] = string(text)
		}
		all[folder.Name()] = files
	}
	return all
}

// What a logger has written is understood as it is, and check shows how.
func TestLoggersAreUnderstood(t *testing.T) {
	for name, wants := range map[string][]string{
		"toa5":   {"573 readings of T", "CR1000_Wall.dat:9   x = 0.08 m, t = 0 h (2024-05-01)   21.19 of T_C(2)", "left out: line 1 before the names of the columns (preamble), lines 3 and 4 after the names (no numbers, such as units)", "CR1000_Wall.dat 2 columns not read: RECORD, BattV_Min", "7 missing values", "36 readings outside the range of the time", "T, temperature (°C)", "a, thermal diffusivity (m²/h)"},
		"german": {"12 readings of w", "Durchbiegung.csv:7   x = 0.5 m   0.19", "1 missing value left out"},
		"hobo":   {"73 readings of T", "Cellar_0.csv:5   t = 0.25 h (2024-05-01 12:15)   23.18", "2 missing values", "2 readings outside"},
		"wells":  {"151 readings of h", "heads.txt:4   x = 60 m, t = 0 d (2024-05-01)     0.438 of MW-2", "4 missing values"},
		"stream": {"138 readings of T", "first_day.jsonl:2   x = 0.12 m, t = 0 h (2024-05-01 00:00+02:00)   20.22 of core", "6 missing values"},
	} {
		said := succeed(t, "check", filepath.Join(loggersFolder, name))
		for _, want := range wants {
			if !strings.Contains(spaced(said), spaced(want)) {
				t.Errorf("%s: no %q in\n%s", name, want, said)
			}
		}
	}
	directory := t.TempDir()
	problem := "[variables]\nx = [0, 1]\n[[equation]]\npde = \"u_xx = 0\"\n[[sensors]]\nfile = \"a.csv\"\ncolumns = { sensor = \"Well\" }\nplaces = { A = { x = 0 }, B = { x = 1 } }\n"
	write(t, directory, "problem.toml", problem)
	write(t, directory, "a.csv", "Well,value,1,2,3,4,5,6,7,8,9,\x1b[31m\nA,2,1,2,3,4,5,6,7,8,9,10\n")
	said := spaced(succeed(t, "check", directory))
	if !strings.Contains(said, "not read: 1, 2, 3, 4, 5, 6, 7, 8 and 2 more") || !strings.Contains(said, "1 place without a reading: B") {
		t.Errorf("what is not used is not said:\n%s", said)
	}
	write(t, directory, "a.csv", "Well,value,\x1b[31m\nA,2,1\n")
	if said := succeed(t, "check", directory); strings.Contains(said, "\x1b") || !strings.Contains(said, "not read") {
		t.Errorf("a head is printed as it is:\n%q", said)
	}
	if n := len(loggers(t)); n != 5 {
		t.Errorf("%d loggers", n)
	}
}

// spaced is a text with one blank between words.
func spaced(text string) string { return strings.Join(strings.Fields(text), " ") }

// Parameters are found from the files of loggers. A reading that is wrong is named by file, line and sensor, and the
// table of readings has all three.
func TestFilesOfLoggersAreSolved(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, c := range []struct {
		name, parameter string
		truth           float64
	}{{"german", "p", 0.048}, {"hobo", "k", 0.21}, {"wells", "D", 900}} {
		args := []string{"solve", filepath.Join(loggersFolder, c.name), "--json", "--set=fit.ensemble=2", "--set=features.neurons=100"}
		var report map[string]any
		if err := json.Unmarshal([]byte(succeed(t, args...)), &report); err != nil {
			t.Fatal(err)
		}
		mean, sd := numberAt(t, report, "parameters", c.parameter, "mean"), numberAt(t, report, "parameters", c.parameter, "sd")
		if math.Abs(mean-c.truth) > 3*sd || sd > c.truth {
			t.Errorf("%s: %s is %g ± %g, not %g", c.name, c.parameter, mean, sd, c.truth)
		}
	}
	directory := t.TempDir()
	wells := loggers(t)["wells"]
	for name, text := range wells {
		write(t, directory, name, text)
	}
	lines := strings.Split(wells["heads.txt"], "\n")
	cells := strings.Split(lines[22], "\t")
	cells[3] = "1.5" // MW-3
	lines[22] = strings.Join(cells, "\t")
	write(t, directory, "heads.txt", strings.Join(lines, "\n"))
	out := filepath.Join(directory, "out")
	said := succeed(t, "solve", directory, "--out", out, "--set=fit.ensemble=1", "--set=fit.inference=maximum", "--set=features.neurons=100")
	if !strings.Contains(said, "heads.txt, line 23, MW-3") {
		t.Errorf("no reading is named in\n%s", said)
	}
	if !regexp.MustCompile(`Sensors beside what the others predict\n  sensor +readings +mean residual +rms \(sd\) +worst \(sd\) +at line\n`).MatchString(said) ||
		!regexp.MustCompile(`\n  MW-3, x = [^\n]* -?[0-9.]+ +23\n`).MatchString(said) {
		t.Errorf("sensors are not compared in\n%s", said)
	}
	if page := succeed(t, "report", out, "-o", "-"); !strings.Contains(page, "<h2>Sensors beside what the others predict</h2>") || !strings.Contains(page, "<td>MW-3, x = ") {
		t.Error("the report does not compare sensors")
	}
	table, err := os.ReadFile(filepath.Join(out, "readings.csv"))
	if err != nil || !strings.HasPrefix(string(table), "file,line,sensor,x,t,value,") || !strings.Contains(string(table), "\nheads.txt,23,MW-3,140,") {
		t.Errorf("%.200s, %v", table, err)
	}
}

// A stream is laid out as the problem's file is, and compiled physics knows how that is.
func TestStreamOfALogger(t *testing.T) {
	physics := filepath.Join(t.TempDir(), "physics.bpielm")
	succeed(t, "compile", filepath.Join(loggersFolder, "stream"), "-q", "-o", physics, "--set=features.neurons=60", "--set=features.scale=5")
	files := loggers(t)["stream"]
	piped(t, files["first_day.jsonl"]+files["second_day.jsonl"])
	status, got, messages := execute("assimilate", physics, "-", "--json")
	if status != 0 || strings.Count(messages, "; skipped\n") != 1 || !strings.Contains(got, `"readings":279,"kept":279,"skipped":1,"gaps":9`) {
		t.Errorf("status %d, %q, %q", status, messages, got)
	}
	for _, sensor := range []string{"door", "core", "back"} {
		if !strings.Contains(got, `"name":"`+sensor+`","readings":93`) {
			t.Errorf("no %s in %s", sensor, got)
		}
	}
	points := write(t, t.TempDir(), "points.csv", "t;x\n02.05.2024 12:00;0,12\n")
	if table := succeed(t, "assimilate", physics, filepath.Join(loggersFolder, "stream", "first_day.jsonl"), "-q", "--points", points); !strings.Contains(table, "\n138,0.12,36,") {
		t.Error(table)
	}
}

// The report says when a time begins, what was left out and what noise is.
func TestLoggersAreReported(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	succeed(t, "solve", filepath.Join(loggersFolder, "toa5"), "--quiet", "--out", out, "--set=features.neurons=40", "--set=fit.ensemble=1", "--set=output.grid=[5, 5]")
	page := succeed(t, "report", out, "-o", "-")
	for _, want := range []string{"depth, from 0 to 0.3 m<", "time, from 0 to 72 h, since 2024-05-01, until 2024-05-04<", "<li>CR1000_Wall.dat: 7 missing values left out<", "<li>CR1000_Wall.dat: 36 readings outside the range of the time left out, 2024-04-30 22:00 to 2024-05-04 02:30<", "Noise is the standard deviation"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	refused(t, []string{"predict", filepath.Join(out, "model.bpielm"), "--times", "2024-05-02T00:00:00"}, "numbers in h since 2024-05-01, or dates, for example 2024-05-01:2024-05-04:25")
}
