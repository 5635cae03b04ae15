package regress

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bpielm/bpielm/bench/suite"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/mat/asm"
)

// neighbour is set in a process of this test's binary that only burns processor time.
const neighbour = "BPIELM_TEST_NEIGHBOUR"

func TestMain(m *testing.M) {
	if os.Getenv(neighbour) != "" {
		for k := asm.Active(); ; {
			k.PeakLoop(1000)
		}
	}
	os.Exit(m.Run())
}

const threshold = 0.10

// products returns benchmarks of short and long operations. A slow one computes the first
// third of its rows twice, as if its kernel took that much longer.
func products(slow bool) []suite.Case {
	var cases []suite.Case
	for _, n := range []int{32, 64, 100, 200, 700} {
		cases = append(cases, suite.Case{
			Name: fmt.Sprintf("Gemm/n=%d", n),
			Start: func() (func() error, error) {
				a, b, c := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
				rows := (n + 2) / 3
				return func() error {
					mat.Gemm(mat.NoTrans, mat.NoTrans, 1, a, b, 0, c)
					if slow {
						mat.Gemm(mat.NoTrans, mat.NoTrans, 1, a.Slice(0, rows, 0, n), b, 0, c.Slice(0, rows, 0, n))
					}
					return nil
				}, nil
			},
		})
	}
	return cases
}

func measured(t *testing.T, cases []suite.Case) *Run {
	t.Helper()
	if testing.Short() {
		t.Skip("measures times")
	}
	r, err := Measure(cases, Options{Repeats: 7, Time: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A kernel slower by a third is reported in each benchmark that depends on it, on a machine that is
// steady while it is measured: one whose unchanged code takes the same time before and after.
func TestSlowedKernelIsCaught(t *testing.T) {
	baseline := measured(t, products(false))
	steady := 0
	for range 8 {
		slowed, again := measured(t, products(true)), measured(t, products(false))
		if c := Compare(baseline, again, threshold); slices.ContainsFunc(c.Changes, func(change Change) bool { return math.Abs(change.Ratio-1) > threshold }) {
			t.Logf("unchanged code took another time: %s", describe(c))
			baseline = again
			continue
		}
		steady++
		c := Compare(baseline, slowed, threshold)
		missed := 0
		for i, change := range c.Changes {
			if change.Verdict != Slower && !baseline.Results[i].disturbed() && !change.Result.disturbed() {
				missed++
			}
		}
		if missed == 0 && len(c.Regressions()) >= 4 { // at least those of short work
			return
		}
		t.Logf("slowed by a third, but only %v were found: %s", c.Regressions(), describe(c))
		baseline = again
	}
	if steady < 3 {
		t.Skip("the machine is too unsteady to tell")
	}
	t.Error("a kernel slowed by a third was not found")
}

// The same code is not reported as slower when measured while as many processes as there are
// processors compete for them: not twice in three times, because of other work on the machine.
func TestLoadedMachineIsNotAccused(t *testing.T) {
	baseline := measured(t, products(false))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for range runtime.NumCPU() {
		load := exec.Command(self)
		load.Env = append(os.Environ(), neighbour+"=1")
		if err := load.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			load.Process.Kill()
			load.Wait()
		})
	}
	accused := 0
	for range 3 {
		c := Compare(baseline, measured(t, products(false)), threshold)
		if found := c.Regressions(); len(found) != 0 {
			accused++
			t.Logf("nothing changed, but %v were called slower: %s", found, describe(c))
		}
	}
	if accused > 1 {
		t.Errorf("unchanged code was called slower %d times of 3", accused)
	}
}

func describe(c *Comparison) string {
	var text strings.Builder
	for _, change := range c.Changes {
		fmt.Fprintf(&text, "%s: %.3f +- %.3f %s; ", change.Result.Name, change.Ratio, change.Noise, change.Verdict)
	}
	return text.String()
}

func run(cost map[string][]float64) *Run {
	r := &Run{Format: format}
	for _, name := range slices.Sorted(maps.Keys(cost)) {
		r.Results = append(r.Results, Result{Name: name, Kernel: "generic", Threads: 1, Cost: cost[name], Nanoseconds: cost[name]})
	}
	return r
}

func TestCompare(t *testing.T) {
	baseline := run(map[string][]float64{
		"steady": {100, 101, 99, 100, 100}, "slow": {100, 101, 99, 100, 100}, "fast": {100, 101, 99, 100, 100},
		"slightly": {100, 101, 99, 100, 100}, "outlier": {100, 101, 99, 100, 100}, "scattered": {60, 140, 100, 80, 130}, "gone": {1},
	})
	now := run(map[string][]float64{
		"steady": {101, 100, 99, 102, 100}, "slow": {130, 131, 129, 130, 400}, "fast": {70, 71, 70, 70, 71},
		"slightly": {108, 109, 108, 107, 108}, "outlier": {100, 900, 99, 800, 100}, "scattered": {170, 90, 125, 100, 160}, "new": {1},
	})
	c := Compare(baseline, now, threshold)
	want := map[string]Verdict{"steady": Same, "slow": Slower, "fast": Faster, "slightly": Same, "outlier": Same, "scattered": Uncertain}
	for _, change := range c.Changes {
		if change.Verdict != want[change.Result.Name] {
			t.Errorf("%s: %+v, want %q", change.Result.Name, change, want[change.Result.Name])
		}
	}
	if len(c.Changes) != len(want) || !reflect.DeepEqual(c.Missing, []string{"gone, generic kernel, 1 thread"}) || !reflect.DeepEqual(c.Added, []string{"new, generic kernel, 1 thread"}) {
		t.Errorf("compared %d, missing %v, added %v", len(c.Changes), c.Missing, c.Added)
	}
	if !reflect.DeepEqual(c.Regressions(), []string{"slow, generic kernel, 1 thread"}) {
		t.Errorf("regressions %v", c.Regressions())
	}
}

// Long work that others disturbed is at most uncertain.
func TestDisturbedWorkIsNotAccused(t *testing.T) {
	steady := map[string][]float64{"long": {100, 101, 99, 100, 100}}
	slow := run(map[string][]float64{"long": {130, 131, 129, 130, 131}})
	for disturbed, want := range map[int]Verdict{0: Slower, 2: Slower, 3: Uncertain, 5: Uncertain} {
		slow.Results[0].Disturbed = disturbed
		if got := Compare(run(steady), slow, threshold).Changes[0].Verdict; got != want {
			t.Errorf("disturbed in %d of 5 repeats: %q, want %q", disturbed, got, want)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want float64
	}{{[]float64{3}, 3}, {[]float64{5, 1, 3}, 3}, {[]float64{4, 1, 3, 2}, 2.5}} {
		if got := Median(c.x); got != c.want {
			t.Errorf("median of %v: %g", c.x, got)
		}
	}
	if !math.IsNaN(Median(nil)) {
		t.Error("the median of no numbers is a number")
	}
}

func TestWriteLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.json")
	r := &Run{Format: format, Date: time.Unix(1, 0).UTC(), Machine: thisMachine(), Results: []Result{
		{Name: "Gemm/n=2", Kernel: "generic", Threads: 2, Work: suite.Work{Flops: 16}, Nanoseconds: []float64{10, 11}, Cost: []float64{1000, 1100}},
	}}
	var text bytes.Buffer
	if err := r.Write(&text); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, r) {
		t.Errorf("wrote %+v, loaded %+v", r, got)
	}
	if r.Machine.Go == "" || r.Machine.Processors < 1 {
		t.Errorf("the machine is not described: %+v", r.Machine)
	}
}

func TestLoadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":              "not a file of benchmark results",
		"[1]":           "not a file of benchmark results",
		`{"format": 9}`: "found format 9",
		`{"format": 1, "results": [{"name": "A"}]}`:                                      `"A" has no measurements`,
		`{"format": 1, "results": [{"name": "A", "ns_per_op": [1, 2], "cost": [1]}]}`:    `"A" has no measurements`,
		`{"format": 1, "results": [{"name": "A", "ns_per_op": [1], "cost": [-1]}]}`:      `"A" took no time`,
		`{"format": 1, "results": [{"name": "A", "ns_per_op": ["one"], "cost": [1e9]}]}`: "not a file of benchmark results",
	} {
		path := filepath.Join(t.TempDir(), "run.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(path)
		var refused *FileError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	var missing *FileError
	if _, err := Load(filepath.Join(t.TempDir(), "none.json")); !errors.As(err, &missing) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestMeasureReportsACaseThatFails(t *testing.T) {
	broken := errors.New("broken")
	cases := []suite.Case{{Name: "A/b", Start: func() (func() error, error) { return nil, broken }}}
	if _, err := Measure(cases, Options{Repeats: 1}); !errors.Is(err, broken) || !strings.Contains(err.Error(), "A/b") {
		t.Error(err)
	}
}

// A measurement ends with its context, before the next case.
func TestMeasureEndsEarly(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	seen := 0
	one := suite.Case{Name: "A/b", Start: func() (func() error, error) {
		seen++
		cancel(enough)
		return func() error { time.Sleep(time.Millisecond); return nil }, nil
	}}
	if _, err := Measure([]suite.Case{one, one}, Options{Repeats: 2, Time: time.Millisecond, Context: ctx}); err != enough || seen != 1 {
		t.Errorf("%v after %d cases", err, seen)
	}
}

// Every kernel and number of threads is measured, and the settings are restored.
func TestMeasureSweeps(t *testing.T) {
	var seen []string
	cases := []suite.Case{{Name: "A/b", Start: func() (func() error, error) {
		seen = append(seen, fmt.Sprint(asm.Active().Name(), runtime.GOMAXPROCS(0)))
		return func() error { time.Sleep(10 * time.Microsecond); return nil }, nil
	}}}
	kernel, processors := asm.Active().Name(), runtime.GOMAXPROCS(0)
	r, err := Measure(cases, Options{Repeats: 2, Time: time.Millisecond, Kernels: []string{kernel, "generic"}, Threads: []int{1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	if got := asm.Active().Name(); got != kernel || runtime.GOMAXPROCS(0) != processors {
		t.Errorf("afterwards the kernel is %s, GOMAXPROCS %d", got, runtime.GOMAXPROCS(0))
	}
	for i, want := range []string{kernel + "1", kernel + "2", "generic1", "generic2"} {
		got := r.Results[i]
		if fmt.Sprint(got.Kernel, got.Threads) != want || len(got.Cost) != 2 || !slices.Contains(seen, want) {
			t.Errorf("result %d is %+v, want one of %s; seen %v", i, got, want, seen)
		}
	}
	var unknown *asm.UnknownKernelError
	if _, err := Measure(cases, Options{Kernels: []string{"abacus"}}); !errors.As(err, &unknown) {
		t.Error(err)
	}
}
