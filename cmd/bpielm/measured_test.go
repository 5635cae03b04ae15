package main

import (
	"math"
	"testing"

	"github.com/bpielm/bpielm/cmd/bpielm/examples"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/spec"
)

// foundByOthers are the answers of others to an example with measured readings: means and standard deviations.
var foundByOthers = map[string]map[string][2]float64{
	"aluminium-rod": {"Phi": {-18.41, 0.1450}, "h": {0.00191, 1.448e-5}},
}

// What measured readings say agrees with what others found: means within a combined standard deviation, and widths
// within a quarter.
func TestMeasuredReadingsSayWhatOthersFound(t *testing.T) {
	if testing.Short() {
		t.Skip("solves them")
	}
	const widthOff = 0.25
	for _, m := range examples.Measured {
		file, err := spec.ReadFS(examples.Files, m.Path(), nil)
		if err != nil {
			t.Fatal(err)
		}
		config, err := configuration(file)
		if err != nil {
			t.Fatal(err)
		}
		q, err := posterior.Fit(file.Problem, config)
		if err != nil {
			t.Fatal(err)
		}
		v, _, err := q.Examine(file.Problem)
		if err != nil {
			t.Fatal(err)
		}
		if !v.Sound {
			t.Errorf("%s: %q", m.Name, v.Failures())
		}
		for _, e := range q.Parameters() {
			others := foundByOthers[m.Name][e.Name]
			if math.Abs(e.Mean-others[0]) > math.Hypot(e.SD, others[1]) || math.Abs(e.SD/others[1]-1) > widthOff {
				t.Errorf("%s: %s is %.5g ± %.2g; others found %.5g ± %.2g", m.Name, e.Name, e.Mean, e.SD, others[0], others[1])
			}
			t.Logf("%s: %s = %.6g ± %.3g, published %.6g ± %.3g", m.Name, e.Name, e.Mean, e.SD, others[0], others[1])
		}
	}
}

// An example with measured readings is written as it is, and its options are refused.
func TestMeasuredExampleIsWritten(t *testing.T) {
	m := &examples.Measured[0]
	files, err := (&exampleCommand{Name: m.Name}).files()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, f := range files {
		names[f.name] = true
	}
	for _, name := range []string{"problem.toml", "README.md", "LICENSE", "thermocouples.csv"} {
		if !names[name] {
			t.Errorf("%s is not written", name)
		}
	}
	if _, err := (&exampleCommand{Name: m.Name, Sensors: 5}).files(); err == nil {
		t.Error("--sensors is taken")
	}
}
