package main

import (
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/bench/regress"
	"github.com/bpielm/bpielm/cmd/internal/results"
)

// quick measures one small benchmark a few times.
var quick = []string{"bench", "--filter", "Gemm/n=32", "--repeats", "3", "--time", "1ms"}

func TestBenchList(t *testing.T) {
	list := strings.Fields(succeed(t, "bench", "--list", "--filter", "^(Gemm/n=100$|Fit/poisson/)"))
	want := []string{"Gemm/n=100", "Fit/poisson/paper", "Fit/poisson/bpielm", "Fit/poisson/pielm", "Fit/poisson/bpielm/3N"}
	if strings.Join(list, " ") != strings.Join(want, " ") {
		t.Errorf("listed %q, want %q", list, want)
	}
}

// A run prints a table, and stores results and a plot. It passes against its own
// results as baseline. Against one that was twice as fast it fails, and names the
// benchmark.
func TestBenchAgainstABaseline(t *testing.T) {
	directory := t.TempDir()
	baseline := filepath.Join(directory, "baseline.json")
	out := succeed(t, append(quick, "--save", baseline, "--out", directory)...)
	for _, fragment := range []string{"Gemm/n=32", "GFLOP/s", "peak", baseline} {
		if !strings.Contains(out, fragment) {
			t.Errorf("the report lacks %q:\n%s", fragment, out)
		}
	}
	plot, err := os.Open(filepath.Join(directory, "roofline.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer plot.Close()
	if _, err := png.Decode(plot); err != nil {
		t.Error(err)
	}

	run, err := regress.Load(baseline)
	if err != nil {
		t.Fatal(err)
	}
	scale := func(factor float64) {
		for i := range run.Results {
			for j := range run.Results[i].Cost {
				run.Results[i].Cost[j] *= factor
			}
		}
		if err := results.WriteFile(baseline, run.Write); err != nil {
			t.Fatal(err)
		}
	}
	scale(1. / 3)
	status, out, stderr := execute(append(quick, "--baseline", baseline)...)
	if status != exitFailure || !strings.Contains(out, "SLOWER") || !strings.Contains(stderr, "slower by more than 10 %: Gemm/n=32") {
		t.Errorf("three times as slow: status %d, stderr %q\n%s", status, stderr, out)
	}
	scale(9)
	if out := succeed(t, append(quick, "--baseline", baseline)...); !strings.Contains(out, "faster") {
		t.Errorf("three times as fast:\n%s", out)
	}
}

func TestBenchRefuses(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text.json")
	if err := os.WriteFile(text, []byte("results"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args     []string
		fragment string
	}{
		{[]string{"--filter", "("}, "--filter"},
		{[]string{"--filter", "nothing"}, `no benchmark matches "nothing"`},
		{[]string{"--repeats", "0"}, "--repeats"},
		{[]string{"--time", "0s"}, "--time"},
		{[]string{"--threshold", "0"}, "--threshold"},
		{[]string{"--threads", "0"}, "--threads"},
		{[]string{"--threads", "100000"}, "--threads"},
		{[]string{"--kernels", "abacus"}, `"abacus" does not run here`},
		{[]string{"--baseline", text}, text + ": not a file of benchmark results"},
		{[]string{"--baseline", text + "x"}, "text.jsonx"},
	} {
		refused(t, append([]string{"bench"}, c.args...), c.fragment)
	}
}
