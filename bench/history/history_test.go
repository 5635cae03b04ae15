package history

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bpielm/bpielm/bench/regress"
)

// appender is set in a process of this test's binary that appends lines to a file.
const appender = "BPIELM_TEST_APPENDER"

func TestMain(m *testing.M) {
	if path := os.Getenv(appender); path != "" {
		for i := range linesEach {
			if err := Append(path, entry(i, float64(i+1))); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
		return
	}
	os.Exit(m.Run())
}

const linesEach = 40

// entry is a run of many benchmarks, so that a line is longer than a page of memory.
func entry(day int, cost float64) *Entry {
	e := &Entry{Format: format, Date: time.Date(2026, 1, 1+day, 0, 0, 0, 0, time.UTC), Machine: regress.Machine{CPU: "A", Platform: "linux/amd64", Commit: fmt.Sprint("c", day)}}
	for i := range 100 {
		e.Results = append(e.Results, Result{Name: fmt.Sprintf("Gemm/n=%d", i), Kernel: "avx2", Threads: 1, Nanoseconds: 2 * cost, Cost: cost, Repeats: 7, Peak: 1e10, Allocations: 3, Memory: 1e6})
	}
	return e
}

func TestAppendAndRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	want := []Entry{*entry(0, 1), *entry(1, 2)}
	for i := range want {
		if err := Append(path, &want[i]); err != nil {
			t.Fatal(err)
		}
	}
	got, broken, err := Read(path)
	if err != nil || len(broken) != 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, %d entries", err, broken, len(got))
	}
}

// A last line that is cut anywhere is named and left out, and the next line is whole.
func TestInterruptedRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	if err := Append(path, entry(0, 1)); err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{1, 10, len(first) / 2, len(first) - 2} {
		if err := os.WriteFile(path, append(slices.Clone(first), first[:cut]...), 0o600); err != nil {
			t.Fatal(err)
		}
		check := func(want int) {
			t.Helper()
			entries, broken, err := Read(path)
			if err != nil || len(entries) != want || !slices.Equal(broken, []int{2}) {
				t.Errorf("cut after %d bytes: %d entries, %v, %v", cut, len(entries), broken, err)
			}
		}
		check(1)
		if err := Append(path, entry(1, 1)); err != nil {
			t.Fatal(err)
		}
		check(2)
	}
	// A line that lacks only its end is whole.
	if err := os.WriteFile(path, first[:len(first)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Append(path, entry(1, 1)); err != nil {
		t.Fatal(err)
	}
	if entries, broken, err := Read(path); err != nil || len(entries) != 2 || len(broken) != 0 {
		t.Errorf("%d entries, %v, %v", len(entries), broken, err)
	}
}

// Processes that append at the same time do not mix their lines, and lose none.
func TestConcurrentAppends(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	path := filepath.Join(t.TempDir(), "history.jsonl")
	const processes = 4
	var all sync.WaitGroup
	for range processes {
		all.Go(func() {
			command := exec.Command(self)
			command.Env = append(os.Environ(), appender+"="+path)
			if out, err := command.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	entries, broken, err := Read(path)
	if err != nil || len(broken) > 0 || len(entries) != processes*linesEach {
		t.Errorf("%d entries of %d, %v, %v", len(entries), processes*linesEach, broken, err)
	}
}

// Where the disk has no room for a whole line, the file stays as it was, and the error is told.
func TestNoRoom(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("limits the size of files as Linux does")
	}
	self, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	path := filepath.Join(t.TempDir(), "history.jsonl")
	command := exec.Command("sh", "-c", `ulimit -f 100 && exec "$0"`, self) // in blocks: about three lines
	command.Env = append(os.Environ(), appender+"="+path)
	out, err := command.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "file too large") {
		t.Fatalf("%v: %s", err, out)
	}
	entries, broken, err := Read(path)
	if err != nil || len(broken) > 0 || len(entries) < 1 || len(entries) == linesEach {
		t.Errorf("%d entries, %v, %v", len(entries), broken, err)
	}
	if err := Append(path, entry(0, 1)); err != nil {
		t.Error(err)
	}
}

func TestReadRefuses(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "history.jsonl")
	for text, want := range map[string]string{
		"":                  "no line of benchmark results",
		"a\nb\n":            "no line of benchmark results",
		"[1]\n":             ":1: not a line of benchmark results",
		"{}\n":              ":1: found format 0",
		`{"format": 9}`:     ":1: found format 9",
		"\n{\"format\": 9}": ":2: found format 9",
		`{"format": 1, "results": [{"name": "A", "ns_per_op": 1, "peak": 1}]}`:                                 `"A" took no time`,
		`{"format": 1, "results": [{"name": "A", "ns_per_op": 1, "cost": 1, "peak": 1, "allocs_per_op": -1}]}`: `"A" has a negative`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := Read(path)
		var refused *regress.FileError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for _, p := range []string{folder, filepath.Join(folder, "none")} {
		var refused *regress.FileError
		if _, _, err := Read(p); !errors.As(err, &refused) {
			t.Errorf("%s: %v", p, err)
		}
	}
}

// A line has the medians of a run, and its scatter without outliers.
func TestOf(t *testing.T) {
	run := &regress.Run{Results: []regress.Result{
		{Name: "A", Kernel: "k", Threads: 2, Nanoseconds: []float64{3, 1, 2}, Cost: []float64{98, 100, 101, 99, 900}, Peak: 5, Allocations: 7, Memory: []float64{10, 30, 20}},
		{Name: "B", Nanoseconds: []float64{1}, Cost: []float64{1}},
	}}
	got := Of(run).Results
	if want := (Result{Name: "A", Kernel: "k", Threads: 2, Nanoseconds: 2, Cost: 100, Spread: 1.4826 * 0.01, Repeats: 5, Peak: 5, Allocations: 7, Memory: 20}); math.Abs(got[0].Spread-want.Spread) > 1e-12 {
		t.Errorf("spread %g, want %g", got[0].Spread, want.Spread)
	} else if got[0].Spread = want.Spread; got[0] != want {
		t.Errorf("%+v, want %+v", got[0], want)
	}
	if got[1].Memory != 0 || got[1].Spread != 0 {
		t.Errorf("%+v", got[1])
	}
}

// Machines, kernels and numbers of threads are kept apart, and runs are in the order of their dates.
func TestSort(t *testing.T) {
	other := entry(0, 9)
	other.Machine.CPU = ""
	wide := entry(3, 5)
	wide.Results = wide.Results[:1]
	wide.Results[0].Threads = 4
	all := Sort([]Entry{*entry(2, 3), *other, *entry(1, 2), *wide})
	if len(all) != 201 {
		t.Fatalf("%d series", len(all))
	}
	costs := map[string][]float64{}
	for _, s := range all {
		if s.Name == "Gemm/n=0" {
			costs[fmt.Sprintf("%s, %d", s.Machine, s.Threads)] = s.Cost()
		}
	}
	want := map[string][]float64{"unknown processor, linux/amd64, 1": {9}, "A, linux/amd64, 1": {2, 3}, "A, linux/amd64, 4": {5}}
	if !reflect.DeepEqual(costs, want) {
		t.Errorf("%v, want %v", costs, want)
	}
	if all[0].Machine != all[99].Machine || all[99].Machine == all[100].Machine {
		t.Error("machines are mixed")
	}
}

// figures are runs with normal noise, and a step at some of them.
func figures(seed uint64, runs int, noise float64, steps map[int]float64) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	level := 1e9
	x := make([]float64, runs)
	for i := range x {
		if ratio, there := steps[i]; there {
			level *= ratio
		}
		x[i] = level * math.Exp(noise*r.NormFloat64())
	}
	return x
}

// Constant figures have no change, whatever their noise and number are.
func TestConstantFiguresHaveNoChange(t *testing.T) {
	for _, noise := range []float64{0, 1e-6, 0.015, 0.2} {
		for _, runs := range []int{1, 4, 10, 40, 200} {
			found := 0
			for seed := range uint64(20) {
				found += len(Changes(figures(seed, runs, noise, nil)))
			}
			if found > 0 {
				t.Errorf("%d runs with noise %g: %d changes in 20 series", runs, noise, found)
			}
		}
	}
}

// A step of 5 % in noise of 1.5 % is found, where it is, and how high it is; so is the way back.
func TestStepsAreFound(t *testing.T) {
	for seed := range uint64(20) {
		for name, steps := range map[string]map[int]float64{"up": {25: 1.05}, "down": {25: 1 / 1.05}, "up and down": {20: 1.05, 40: 1 / 1.05}} {
			got := Changes(figures(seed, 60, 0.015, steps))
			if len(got) != len(steps) {
				t.Errorf("%s, seed %d: %v", name, seed, got)
				continue
			}
			for _, c := range got {
				close := false
				for at, ratio := range steps {
					close = close || math.Abs(float64(c.At-at)) <= 3 && math.Abs(c.Ratio/ratio-1) < 0.015
				}
				if !close {
					t.Errorf("%s, seed %d: %v", name, seed, got)
				}
			}
		}
	}
}

var series = flag.Int("series", 0, "simulate so many series of each kind, and log how often changes are found")

// How often changes are seen, where there is none and where there is one: go test ./bench/history -run Power -v -args -series 2000
func TestPower(t *testing.T) {
	if *series == 0 {
		t.Skip("measures, with -series")
	}
	for _, runs := range []int{6, 8, 10, 15, 20, 40, 100, 300} {
		accused := 0
		for seed := range *series {
			if len(Changes(figures(uint64(seed), runs, 0.015, nil))) > 0 {
				accused++
			}
		}
		t.Logf("%d constant runs: %.2f %% of the series have a change", runs, 100*float64(accused)/float64(*series))
	}
	for _, step := range []float64{1.05, 1.1} {
		for _, behind := range []int{2, 3, 4, 5, 6, 8, 10} {
			found := 0
			for seed := range *series {
				if len(Changes(figures(uint64(seed), 30+behind, 0.015, map[int]float64{30: step}))) == 1 {
					found++
				}
			}
			t.Logf("a step to %g times after 30 runs, %d behind it: found in %.1f %%", step, behind, 100*float64(found)/float64(*series))
		}
	}
}

// One or two wild runs are no level, and do not hide a step.
func TestOutliersAreNoChanges(t *testing.T) {
	for seed := range uint64(20) {
		x := figures(seed, 60, 0.015, nil)
		x[0] *= 0.5
		x[20] *= 3
		x[40], x[41] = 1.3*x[40], 1.4*x[41]
		x[59] *= 2
		if got := Changes(x); len(got) != 0 {
			t.Errorf("seed %d: %v", seed, got)
		}
		for i := 30; i < 60; i++ {
			x[i] *= 1.1
		}
		if got := Changes(x); len(got) != 1 || math.Abs(float64(got[0].At-30)) > 1 {
			t.Errorf("seed %d, with a step: %v", seed, got)
		}
	}
}

// Numbers that hardly vary, as allocations, have no change where they move by little; missing ones are skipped.
func TestChangesOfCounts(t *testing.T) {
	x := []float64{0, 58400, 58401, 58400, 0, 58402, 58400, 58400, 61000, 61001, 61000, 0, 61000, 61000}
	got := Changes(x)
	if len(got) != 1 || got[0].At != 8 || math.Abs(got[0].Ratio-61000./58400) > 1e-3 {
		t.Errorf("%v", got)
	}
	if got := Changes([]float64{0, 0, math.Inf(1), math.NaN(), 1}); got != nil {
		t.Errorf("%v", got)
	}
}
