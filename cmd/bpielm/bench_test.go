package main

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/bpielm/bpielm/bench/history"
	"github.com/bpielm/bpielm/bench/regress"
	"github.com/bpielm/bpielm/bench/usage"
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

// A run is a line of the history with memory and allocations of whole processes, and the page shows it. The second
// run does not measure what takes long.
func TestBenchHistory(t *testing.T) {
	directory := t.TempDir()
	file, page := filepath.Join(directory, "history.jsonl"), filepath.Join(directory, "history.html")
	program := theProgram(t)
	thisProgram = func() (string, error) { return program, nil }
	defer func() { thisProgram = os.Executable }()
	out := succeed(t, append(quick, "--filter", "^(Gemm/n=32|Solve/N=100)$", "--repeats=1", "--append", file, "--html", page, "--commit=first")...)
	if !strings.Contains(out, file) || !strings.Contains(out, page) || !strings.Contains(out, "Solve/N=100") {
		t.Errorf("the report is\n%s", out)
	}
	succeed(t, append(quick, "--append", file, "--commit=second")...)
	entries, broken, err := history.Read(file)
	if err != nil || len(entries) != 2 || len(broken) != 0 {
		t.Fatalf("%d entries, %v, %v", len(entries), broken, err)
	}
	if entries[0].Machine.Commit != "first" || entries[1].Machine.Commit != "second" || len(entries[0].Results) != 2 || len(entries[1].Results) != 1 {
		t.Errorf("%+v", entries)
	}
	whole := entries[0].Results[1]
	if whole.Name != "Solve/N=100" || whole.Nanoseconds < 1e6 || whole.Allocations < 1000 || runtime.GOOS == "linux" && !(whole.Memory > 10e6 && whole.Memory < 1e9) {
		t.Errorf("%+v", whole)
	}
	if err := os.WriteFile(file, append(content(t, file), `{"format":1,"da`...), 0o600); err != nil {
		t.Fatal(err)
	}
	status, _, stderr := execute("bench", "--html", page, "--history", file)
	if status != 0 || !strings.Contains(stderr, file+":3: it is not whole") {
		t.Errorf("an interrupted run: status %d, %s", status, stderr)
	}
	if text := string(content(t, page)); !strings.Contains(text, "Line 3: it is not whole") || strings.Contains(text, directory) {
		t.Error("the page does not name the line, or it names a folder")
	}
}

func content(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The page is one file: it refers to nothing elsewhere and what a history says is text. It lists the changes.
func TestHistoryPage(t *testing.T) {
	file, page := filepath.Join(t.TempDir(), "history.jsonl"), filepath.Join(t.TempDir(), "history.html")
	const evil = "</script><img src=x onerror=alert(1)>"
	for i := range 40 {
		cost := 1e9 + 1e6*float64(i%3)
		if i >= 25 {
			cost *= 1.2
		}
		e := &history.Entry{Format: 1, Date: time.Date(2026, 2, 1+i, 0, 0, 0, 0, time.UTC), Machine: regress.Machine{CPU: evil, Commit: fmt.Sprintf("%s%040d", evil, i)},
			Results: []history.Result{{Name: "A" + evil, Kernel: "k", Threads: 2, Nanoseconds: cost, Cost: cost, Repeats: 1, Peak: 1e9, Memory: 1e6 / cost}}}
		if err := history.Append(file, e); err != nil {
			t.Fatal(err)
		}
	}
	succeed(t, "bench", "--html", page, "--history", file)
	text := string(content(t, page))
	for _, want := range []string{"40 runs from 2026-02-01 to 2026-03-12", "2026-02-26", "&#43;20.0 %", "-16.7 %", "peak memory", "default-src &#39;none&#39;"} {
		if !strings.Contains(text, want) && !strings.Contains(text, html.UnescapeString(want)) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(text, evil) || strings.Contains(text, "<img") {
		t.Error("text of the history is markup in the page")
	}
	if elsewhere := regexp.MustCompile(`(src|href)="[^#d]|https?://[^w]|@import|url\(`).FindString(text); elsewhere != "" {
		t.Errorf("the page refers to %q", elsewhere)
	}
}

// What a browser shows: the chart of the chosen benchmark, one picture for each, and the marks of changes.
func TestHistoryPageInABrowser(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("BPIELM_REQUIRE_BROWSER") != "" {
			t.Fatal(err)
		}
		t.Skip("needs chromium")
	}
	if testing.Short() {
		t.Skip("starts a browser")
	}
	file, page := filepath.Join(t.TempDir(), "history.jsonl"), filepath.Join(t.TempDir(), "history.html")
	for i := range 40 {
		cost := 1e9 + 1e6*float64(i%3)
		if i >= 25 {
			cost *= 1.2
		}
		e := &history.Entry{Format: 1, Date: time.Date(2026, 2, 1+i, 0, 0, 0, 0, time.UTC), Machine: regress.Machine{CPU: "C", Platform: "p"}}
		for _, name := range []string{"A", "B", "Other"} {
			e.Results = append(e.Results, history.Result{Name: name, Kernel: "k", Threads: 1, Nanoseconds: cost, Cost: cost, Repeats: 1, Peak: 1e9})
		}
		if err := history.Append(file, e); err != nil {
			t.Fatal(err)
		}
	}
	succeed(t, "bench", "--html", page, "--history", file)
	show := func(fragment string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		out, err := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(), "--dump-dom", "file://"+page+fragment).Output()
		if err != nil {
			t.Skip(err)
		}
		return string(out)
	}
	shown := show("")
	for _, want := range []string{"A, kernel k: time at equal speed", "40 runs, 1 change", "▲ +20.0 %", "Run 40 of 40", "3 benchmarks"} {
		if !strings.Contains(shown, want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	if n := strings.Count(shown, "class=\"small\""); n != 3 {
		t.Errorf("%d small charts", n)
	}
	if shown := show("#words=other&series=Other,+kernel+k&scale=linear&across=date"); !strings.Contains(shown, "Other, kernel k: time") || !strings.Contains(shown, "1 benchmark<") {
		t.Error("the page does not follow its address")
	}
}

func TestBenchCompareNeedsTheSource(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	t.Chdir(t.TempDir())
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(t.TempDir()))
	refused(t, []string{"bench", "--compare", "HEAD"}, "not a git repository")
}

// Two programs are compared by their processor time, and by their own measurements of parts. Nothing is left over.
func TestMeasureVersion(t *testing.T) {
	program := theProgram(t)
	t.Setenv("TMPDIR", t.TempDir())
	c := benchCommand{Filter: "^(Gemm/n=32|Solve/N=100)$", Time: time.Millisecond, Threads: []int{1}}
	cases, err := c.cases()
	if err != nil {
		t.Fatal(err)
	}
	found, err := c.measureVersion(t.Context(), program, cases)
	if err != nil || len(found) != 2 || found[0].Name != "Solve/N=100" || found[1].Name != "Gemm/n=32" {
		t.Fatalf("%+v, %v", found, err)
	}
	if found[0].Cost < 1e6 || !(found[1].Cost > 0) || found[1].Nanoseconds > 1e6 {
		t.Errorf("%+v", found)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
	if _, err := c.measureVersion(t.Context(), filepath.Join(t.TempDir(), "none"), cases); err == nil || !strings.Contains(err.Error(), "Solve/N=100") {
		t.Error(err)
	}
}

// What solve used is a JSON object of its own.
func TestSolveReportsItsUsage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "usage.json")
	succeed(t, "solve", writeExample(t, "beam", "--neurons=20"), "--quiet", "--usage", file)
	var got usage.Usage
	if err := json.Unmarshal(content(t, file), &got); err != nil || got.Wall <= 0 || got.Allocations == 0 {
		t.Errorf("%+v, %v", got, err)
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
		{[]string{"--append", text}, text + ": it has no line of benchmark results"},
		{[]string{"--append", filepath.Join(text+"x", "history")}, "there is no folder"},
		{[]string{"--html", text}, "--html draws a history"},
		{[]string{"--history", text}, "--history belongs to --html"},
		{[]string{"--html", text + "x", "--history", text}, text + ": it has no line of benchmark results"},
		{[]string{"--html", text + "x", "--history", text, "--save", text}, "--html without --append measures nothing"},
		{[]string{"--growth", "--append", text}, "--growth measures something else"},
		{[]string{"--compare", "HEAD", "--save", text}, "--compare stands alone"},
		{[]string{"--compare", "HEAD", "--repeats", "3"}, "at least 4 blocks"},
		{[]string{"--compare", "HEAD", "--threads", "1,2"}, "one number of threads"},
		{[]string{"--compare", "..HEAD"}, "a commit is expected"},
		{[]string{"--compare", "HEAD.."}, "a commit is expected"},
	} {
		refused(t, append([]string{"bench"}, c.args...), c.fragment)
	}
}
