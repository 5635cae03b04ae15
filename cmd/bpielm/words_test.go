package main

import (
	"errors"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/cmd/internal/describe"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
)

// The prior of a coefficient is described as it was stated.
func TestPriorsOfCoefficientsInWords(t *testing.T) {
	for want, c := range map[string]system.Coefficient{
		"2 ± 0.5": {Mean: 2, SD: 0.5},
		"median 6, two thirds of it from 2 to 18": {Median: 6, Factor: 3},
		"from 0.01 to 10, log-uniform":            {Min: 0.01, Max: 10},
		"from -1 to 10, uniform":                  {Min: -1, Max: 10},
		"from 0 to 3, uniform":                    {Max: 3},
	} {
		if got := describe.Prior(&c); got != want {
			t.Errorf("%+v: %q, want %q", c, got, want)
		}
	}
}

// An estimate without quantiles gets the interval of its standard deviation. Others have their own.
func TestIntervalsOfEstimatesInWords(t *testing.T) {
	lines := estimateLines([]posterior.ParameterEstimate{{Name: "a", Mean: 2, SD: 0.5}, {Name: "b", Mean: 2, SD: 0.5, Lower95: 1.5, Upper95: 4}, {Name: "c", Mean: 2, SD: math.NaN()}}, nil)
	for i, want := range []string{"[1.02, 2.98]", "[1.50, 4.00]", "2"} {
		if !strings.HasSuffix(lines[i], want) {
			t.Errorf("%q does not end in %s", lines[i], want)
		}
	}
}

func TestSensorsWithoutANameAreCounted(t *testing.T) {
	lines := noiseLines(&system.Problem{}, &posterior.Summary{Noise: []posterior.NoiseEstimate{{Sigma: 1}, {Name: "gauges", Sigma: 1}, {Sigma: 1}}})
	for i, want := range []string{"sensors 1\t", "gauges\t", "sensors 3\t"} {
		if !strings.HasPrefix(lines[i], want) {
			t.Errorf("%q does not begin with %q", lines[i], want)
		}
	}
}

// A message is one line of at most a thousand characters, and begins with the place.
func TestErrorsDoNotFillTheScreen(t *testing.T) {
	line := oneLine(errors.New("in.csv:3: " + strings.Repeat("é\n", 100_000)))
	if n := len([]rune(line)); n > 1003 || !strings.HasPrefix(line, "in.csv:3: é é") || !strings.HasSuffix(line, "...") {
		t.Errorf("%d characters: %.40q", n, line)
	}
	if name := format.Sensor(strings.Repeat("\x1b", 1000)); name != strings.Repeat("\ufffd", 128)+"..." {
		t.Errorf("%q", name)
	}
	if line := oneLine(errors.New(strings.Repeat("é", 1000))); line != strings.Repeat("é", 1000) {
		t.Errorf("%.40q", line)
	}
}

// assimilate says which points it extrapolates to, and where it wrote the posterior.
func TestAssimilateSaysWhatItDoes(t *testing.T) {
	problem := writeExample(t, "beam", "--neurons=20")
	directory := filepath.Dir(problem)
	physics, model := filepath.Join(directory, "physics"), filepath.Join(directory, "model")
	succeed(t, "compile", problem, "--out", physics, "--quiet")
	readings := filepath.Join(directory, "curvature.csv")
	if said := succeed(t, "assimilate", physics, readings, "--out", model); !strings.Contains(said, "Written") || !strings.Contains(said, "  "+model+"\n") {
		t.Errorf("it says\n%s", said)
	}
	if said := succeed(t, "assimilate", physics, readings); strings.Contains(said, "Written") {
		t.Errorf("nothing is written, and it says\n%s", said)
	}
	points := write(t, directory, "points.csv", "x\n3\n6.5\n-1\n")
	if _, _, said := execute("assimilate", physics, readings, "--points", points, "--quiet"); !strings.Contains(said, points+": row 2 and 1 other are outside the model's box") {
		t.Errorf("it says %q", said)
	}
}

// There may be up to 64 times as many threads as processors.
func TestNumberOfThreads(t *testing.T) {
	most := 64 * runtime.NumCPU()
	for n, sound := range map[int]bool{-1: false, 0: false, 1: true, most: true, most + 1: false} {
		c := benchCommand{Time: 1, Threads: []int{n}}
		if err := c.check(); (err == nil) != sound {
			t.Errorf("%d threads: error %v", n, err)
		}
	}
}
