package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// twoLoads is a string under two loads of nearly the same shape.
const twoLoads = `
[variables]
x = [0, 1]
[parameters]
P = { sd = 20, mean = 0 }
q = { sd = 20, mean = 0 }
[[equation]]
pde = "u_xx = -P*sin(pi*x) - 3*q*sin(pi*x)*(1 + 0.001*x)"
points = 40
[[condition]]
on = "boundary"
equals = "u = 0"
[[sensors]]
file = "gauges.csv"
sigma = 0.005
[features]
neurons = 40
[output]
grid = [11]
`

// What parameters mean together is said to people, programs and readers of the report.
func TestWhatParametersMeanTogetherIsSaid(t *testing.T) {
	directory := t.TempDir()
	gauges := "x,value\n"
	for i := range 11 {
		x := float64(i+1) / 12
		gauges += fmt.Sprintf("%g,%g\n", x, 7*math.Sin(math.Pi*x)/(math.Pi*math.Pi)+0.004*float64(i%3-1))
	}
	write(t, directory, "problem.toml", twoLoads)
	write(t, directory, "gauges.csv", gauges)
	out := filepath.Join(directory, "out")
	said := spaced(succeed(t, "solve", directory, "--out", out))
	for _, want := range []string{"P + 3*q 6.9", "P + 3*q is known to 0."} {
		if !strings.Contains(said, want) {
			t.Errorf("the summary lacks %q:\n%s", want, said)
		}
	}
	var r report
	text, err := os.ReadFile(filepath.Join(out, summaryFile))
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Combinations) != 1 || r.Combinations[0].Weights["q"] != 3 || r.Combinations[0].Product || !(math.Abs(*r.Combinations[0].Mean-7) < 3**r.Combinations[0].SD) {
		t.Errorf("the summary for programs has %+v", r.Combinations)
	}
	page := succeed(t, "report", out, "-o", "-")
	for _, want := range []string{"<td>P &#43; 3*q</td>", "The readings determine P &#43; 3*q far better than the parameters in it."} {
		if !strings.Contains(page, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
}
