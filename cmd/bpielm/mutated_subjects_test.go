//go:build linux

package main

import (
	"errors"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bpielm/bpielm"
	"github.com/bpielm/bpielm/bench/problems"
	"github.com/bpielm/bpielm/cmd/internal/results"
	"github.com/bpielm/bpielm/cmd/internal/solution"
	"github.com/bpielm/bpielm/posterior"
)

// everything has what no example has: shapes, tables, periodic conditions, Student's noise and others.
const everything = `title = "Everything"
fields = ["u", "v"]

[variables]
x = { range = [0, 2] }
y = ["-half", 1.5]

[constants]
half = 0.5
D = "2*half"

[parameters]
S = { mean = 1, sd = "4*half" }

[tables]
k = "k.csv"

[sizes]
v = 0.3

[shapes]
plate = { box = { x = [0, 2], y = [-0.5, 1.5] } }
hole = { disk = { center = [0.5, 0.5], radius = 0.25 } }
corner = { polygon = "corner.csv" }
rest = { inside = "x + y < 3.4 and y > -0.4" }

[domain]
shape = "plate*rest - hole - corner"

[[equation]]
pde = "D*u_xx + k(x, y)*u_yy + u = S*sin(x)^2 + v"
points = 12
where = "x < 1.5"

[[equation]]
pde = "v_x = u_y"
grid = [4, 4]
sd = 0.1

[[condition]]
on = "hole"
equals = "u_n = 0"
points = 6
tolerance = 1e-3

[[condition]]
periodic = "x"
of = "v"
points = 4

[[condition]]
on = "y = 1.5"
where = "x > 1"
equals = "u + v = 0"
points = 4
exact = true

[[sensors]]
file = "readings.csv"
measures = "u - v_x"
noise = "student"
freedom = 4
noise_group = "all"

[[sensors]]
file = "readings.csv"
measures = "u"
sigma = 0.2
average = { x = 0.1, y = 0.2 }

[features]
neurons = 12
activation = "sine"
seed = 3

[fit]
ensemble = 1
tolerance = 1e-3

[output]
grid = [5, 5]
exact = { u = "sin(x)", v = "0*y" }
where = { u = "x > 0.1" }
`

var everythingsTables = map[string]string{
	"k.csv":        "x,y,value\n0,-0.5,1\n2,-0.5,2\n0,1.5,2\n2,1.5,3\n",
	"corner.csv":   "x,y\n1.6,-0.5\n2,-0.5\n2,0\n1.6,0\n",
	"readings.csv": "x,y,value\n0.1,1,0.1\n0.9,1,0.8\n1.4,1.1,0.9\n0.2,0.1,0.2\n1,0,0.8\n1.5,0.5,1\n",
}

// Sizes of the problems that are changed. Each is solved in a few milliseconds.
const (
	smallNeurons = "neurons = 12"
	smallPoints  = "points = 12"
	smallRows    = 10 // of a table, with its first line
)

var (
	neuronsLine = regexp.MustCompile(`(?m)^neurons *=.*$`)
	pointsLine  = regexp.MustCompile(`(?m)^points *= *[0-9]{2,}$`)
	gridLine    = regexp.MustCompile(`(?m)^grid *=.*$`)
	patchesLine = regexp.MustCompile(`(?m)^patches *=.*$`)
	number      = regexp.MustCompile(`[0-9]+`)
)

// smallProblem is a problem file with few neurons and points.
func smallProblem(text string) string {
	text = pointsLine.ReplaceAllString(text, smallPoints)
	text = gridLine.ReplaceAllStringFunc(text, func(line string) string { return number.ReplaceAllString(line, "5") })
	text = patchesLine.ReplaceAllStringFunc(text, func(line string) string { return number.ReplaceAllString(line, "2") })
	switch {
	case neuronsLine.MatchString(text):
		text = neuronsLine.ReplaceAllString(text, smallNeurons)
	case strings.Contains(text, "[features]"):
		text = strings.Replace(text, "[features]", "[features]\n"+smallNeurons, 1)
	default:
		text += "\n[features]\n" + smallNeurons + "\n"
	}
	if !strings.Contains(text, "[fit]") {
		text += "\n[fit]\nensemble = 1\n"
	}
	return text
}

// smallTable is a table with few rows. A grid keeps all of its rows.
func smallTable(text string) string {
	lines := strings.SplitAfter(text, "\n")
	if len(text) < 150 || len(lines) <= smallRows {
		return text
	}
	step := len(lines) / smallRows
	few := lines[:1:1]
	for i := 1; i < len(lines); i += step {
		few = append(few, lines[i])
	}
	return strings.Join(few, "")
}

// writeSubjects writes a folder for each problem: its files, the models that it becomes, and points.
func writeSubjects(t *testing.T, root string) {
	t.Helper()
	folders, err := problems.Files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	write := func(folder, name, text string) {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range folders {
		files, err := problems.Files.ReadDir(folder.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			content, err := problems.Files.ReadFile(path.Join(folder.Name(), file.Name()))
			if err != nil {
				t.Fatal(err)
			}
			switch text := string(content); {
			case file.Name() == problems.ProblemFile:
				write(folder.Name(), file.Name(), smallProblem(text))
			case path.Ext(file.Name()) == ".csv" && !strings.HasPrefix(file.Name(), "permeability"):
				write(folder.Name(), file.Name(), smallTable(text))
			case path.Ext(file.Name()) == ".csv":
				write(folder.Name(), file.Name(), text)
			}
		}
	}
	write("everything", problems.ProblemFile, everything)
	for name, text := range everythingsTables {
		write("everything", name, text)
	}
	for folder, files := range loggers(t) {
		for name, text := range files {
			if name == problems.ProblemFile {
				text = smallProblem(text)
			} else {
				lines := strings.SplitAfter(text, "\n")
				text = strings.Join(lines[:min(len(lines), 2*smallRows)], "")
			}
			write(folder, name, text)
		}
	}
	problems, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range problems {
		writeModels(t, filepath.Join(root, folder.Name()))
	}
}

// writeModels writes the compiled physics of a problem, if it can be compiled, and its model, if that does not take seconds.
func writeModels(t *testing.T, folder string) {
	t.Helper()
	execute(append([]string{"compile", folder, "--quiet", "--out", filepath.Join(folder, somePhysics)}, setting(quickly...)...)...)
	file, err := (&problemFlags{File: folder, Set: quickly}).read(&streams{})
	if err != nil {
		t.Fatal(err)
	}
	readings, err := os.ReadFile(filepath.Join(folder, file.SensorFiles[0].Name))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{someReadings, somePoints} {
		if err := os.WriteFile(filepath.Join(folder, name), readings, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if len(file.Problem.Coefficients) > 1 {
		return
	}
	config, err := bpielm.Config(file)
	if err != nil {
		t.Fatal(err)
	}
	q, err := posterior.Fit(file.Problem, config)
	var restless *posterior.ConvergenceError // so few neurons cannot hold every nonlinear problem, or every exact condition
	var inexact *posterior.DataError
	if errors.As(err, &restless) || errors.As(err, &inexact) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := results.WriteFile(filepath.Join(folder, aModel), q.WithNote(file.Definitions(solution.KnownSensors(file))).Save); err != nil {
		t.Fatal(err)
	}
}

// A subject holds the files of a problem by their names.
type subject map[string][]byte

// The files of a subject, besides the tables that its problem names.
const (
	theProblem   = problems.ProblemFile
	aModel       = "model.bpielm"
	somePhysics  = "physics.bpielm"
	somePoints   = "points.csv"
	someReadings = "readings.csv"
)

// quickly has options that solve a problem with one layer.
var quickly = []string{"features.scale=4", "fit.inference=maximum", "fit.ensemble=1"}

// setting is the options that set these values.
func setting(values ...string) []string {
	var options []string
	for _, value := range values {
		options = append(options, "--set="+value)
	}
	return options
}

func readSubjects(t *testing.T, root string) []subject {
	t.Helper()
	folders, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	var all []subject
	for _, folder := range folders {
		s := subject{}
		for name, content := range contents(t, filepath.Join(root, folder.Name())) {
			s[name] = []byte(content)
		}
		all = append(all, s)
	}
	return all
}

func sortedNames(s map[string][]byte) []string { return slices.Sorted(maps.Keys(s)) }
