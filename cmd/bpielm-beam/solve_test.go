package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/bpielm/bpielm"
	"github.com/bpielm/bpielm/cmd/internal/describe"
	"github.com/bpielm/bpielm/cmd/internal/findings"
	"github.com/bpielm/bpielm/cmd/internal/solution"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/posterior/rowtree"
)

// rodText is a problem with an unknown source, and sensors of two kinds, one of which has few readings.
const rodText = `title = "a rod"
[variables]
x = [0, 1]
t = [0, 1]
[parameters]
q = {}
[[equation]]
pde = "u_t - 0.1*u_xx = q"
points = 60
[[condition]]
on = "x = 0"
equals = "u = 0"
points = 8
[[sensors]]
file = "u.csv"
[[sensors]]
file = "few.csv"
sigma = 0.05
[features]
neurons = 12
scale = 2
[fit]
ensemble = 1
`

// rodRows are the rows of n readings, of which one is grossly wrong.
func rodRows(n int) []string {
	dice := rand.New(rand.NewPCG(uint64(n), 7))
	rows := make([]string, n)
	for i := range rows {
		x, t := dice.Float64(), dice.Float64()
		u := x*(2-x) + 0.3*t*x
		if i == n/3 {
			u += 3
		}
		rows[i] = fmt.Sprintf("%.4f,%.4f,%.4f", x, t, u+0.05*dice.NormFloat64())
	}
	return rows
}

// rod writes a problem with n readings, whole and in two parts.
func rod(t *testing.T, n int) (folder string) {
	rows := rodRows(n)
	table := func(rows []string) string { return "x,t,value\n" + strings.Join(rows, "\n") + "\n" }
	return write(t, map[string]string{
		"whole/problem.toml": rodText, "whole/u.csv": table(rows), "whole/few.csv": table(rodRows(30)),
		"problem.toml": rodText, "few.csv": table(rodRows(30)), "part-1.csv": table(rows[:n/5]), "part-2.csv": table(rows[n/5:]),
	})
}

// files are the results, by name.
type files map[string][]byte

// locally solves a problem that has all its readings, and returns what bpielm solve writes.
func locally(t *testing.T, problem string) files {
	t.Helper()
	a, err := bpielm.SolveFile(context.Background(), problem)
	if err != nil {
		t.Fatal(err)
	}
	v, checks, err := a.Verdict()
	if err != nil {
		t.Fatal(err)
	}
	file := describe.Compared(v, a.File, checks)
	describe.NameReadings(v, file)
	s, err := solution.OnGrid(a.File, a.Posterior)
	if err != nil {
		t.Fatal(err)
	}
	list := files{}
	put := func(name string, fill func(*bytes.Buffer) error) {
		var b bytes.Buffer
		if err := fill(&b); err != nil {
			t.Fatal(err)
		}
		list[name] = b.Bytes()
	}
	_, grids := s.Tables(a.File.Problem.Variables)
	put("solution.csv", func(b *bytes.Buffer) error { return grids[0].WriteCSV(b) })
	put("parameters.csv", func(b *bytes.Buffer) error { return solution.WriteParameters(b, a.Parameters()) })
	put("summary.json", func(b *bytes.Buffer) error {
		all := answer{file: a.File, total: a.Summary().Readings, q: a.Posterior, verdict: v}
		return findings.WriteJSON(b, all.summary(), "  ")
	})
	put("readings.csv", func(b *bytes.Buffer) error { return solution.WriteReadings(b, file, checks) })
	return list
}

// rodOptions are the flags for a rod.
func rodOptions(folder string) *options {
	return &options{readings: texts{"u.csv=" + filepath.Join(folder, "part-*.csv")}, out: filepath.Join(folder, "out"), maxMemory: 1 << 30, chunkBytes: chunkBytes}
}

// throughBeam solves a rod with the verb.
func throughBeam(t *testing.T, folder string, o *options) (list files, printed string) {
	t.Helper()
	var b bytes.Buffer
	if err := solve(context.Background(), filepath.Join(folder, "problem.toml"), o, &b); err != nil {
		t.Fatal(err)
	}
	return resultsIn(t, o.out), b.String()
}

func resultsIn(t *testing.T, out string) files {
	t.Helper()
	list := files{}
	for _, name := range []string{"solution.csv", "parameters.csv", "summary.json", "readings.csv"} {
		text, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		list[name] = text
	}
	if entries, err := os.ReadDir(out); err != nil || len(entries) != len(solveFiles) {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	return list
}

// compare compares results bit for bit. In readings.csv the names and lines of files differ.
func compare(t *testing.T, what string, got, want files) {
	t.Helper()
	for _, name := range []string{"solution.csv", "parameters.csv"} {
		if !bytes.Equal(got[name], want[name]) {
			t.Errorf("%s: other bits in %s", what, name)
		}
	}
	values := func(text []byte) (list []string) {
		for line := range strings.Lines(string(text)) {
			cells := strings.SplitN(line, ",", 3)
			list = append(list, cells[2])
		}
		return list
	}
	if g, w := values(got["readings.csv"]), values(want["readings.csv"]); strings.Join(g, "") != strings.Join(w, "") {
		t.Errorf("%s: other readings: %d and %d", what, len(g), len(w))
	}
	var a, b map[string]any
	for to, text := range map[*map[string]any][]byte{&a: got["summary.json"], &b: want["summary.json"]} {
		if err := json.Unmarshal(text, to); err != nil {
			t.Fatal(err)
		}
	}
	for key := range maps.Keys(b) {
		if g, w := fmt.Sprint(a[key]), fmt.Sprint(b[key]); key != "verdict" && g != w {
			t.Errorf("%s: %s: %s; want %s", what, key, g, w)
		}
	}
	checks := func(m map[string]any) (text string) {
		for _, c := range m["verdict"].(map[string]any)["checks"].([]any) {
			c := c.(map[string]any)
			text += fmt.Sprintln(c["kind"], c["status"], c["value"], c["limit"])
		}
		return text
	}
	if g, w := checks(a), checks(b); g != w {
		t.Errorf("%s: the verdict is\n%s\nwant\n%s", what, g, w)
	}
}

// However many chunks the tables are read in, the answer has the bits of bpielm solve; few readings are solved as they are.
func TestSolveHasTheBitsOfBpielm(t *testing.T) {
	for _, n := range []int{500, 5*rowtree.LeafRows + 99} {
		folder := rod(t, n)
		want := locally(t, filepath.Join(folder, "whole", "problem.toml"))
		if n > posterior.FewestOfLarge && strings.Count(string(want["readings.csv"]), "\n") > n/2 {
			t.Error("all readings were compared")
		}
		size := int64(len("0.1234,0.1234,0.1234\n") * n)
		for _, chunks := range []int64{1, 3, 64} {
			o := rodOptions(folder)
			o.chunkBytes = sizeOf(size/chunks + 1)
			got, printed := throughBeam(t, folder, o)
			compare(t, fmt.Sprintf("%d readings, %d chunks", n, chunks), got, want)
			if !strings.Contains(printed, fmt.Sprintf("rows               %d\n", n)) {
				t.Errorf("printed %s", printed)
			}
			if !strings.Contains(string(got["summary.json"]), fmt.Sprintf("part-2.csv, line %d", n/3-n/5+2)) {
				t.Errorf("the wrong reading is not named: %.3000s", got["summary.json"])
			}
		}
	}
}

func sizeOf(n int64) size { return size(n) }

// retrying executes a pass as a runner that retries does: an element that fails is tried again, what it emitted before is
// lost, all elements come in disorder, and some are delivered twice. It calls the functions of the pipeline themselves.
type retrying struct {
	dice   *rand.Rand
	failed int
}

func (r *retrying) execute(ctx context.Context, p *Pass, leaves, all int) (map[string]int64, error) {
	type element struct {
		key  int
		path string
	}
	try := func(do func(emit func(int, string)) error) (list []element, err error) {
		for range 4 {
			list = nil
			if err = do(func(key int, path string) { list = append(list, element{key, path}) }); err == nil {
				return list, nil
			}
			r.failed++
		}
		return nil, err
	}
	var numbers []int
	if err := (&tasksFn{*p}).ProcessElement(nil, func(n int) { numbers = append(numbers, n) }); err != nil {
		return nil, err
	}
	numbers = append(numbers, numbers[:len(numbers)/2+1]...)
	r.dice.Shuffle(len(numbers), func(i, j int) { numbers[i], numbers[j] = numbers[j], numbers[i] })
	var elements []element
	for _, n := range numbers {
		list, err := try(func(emit func(int, string)) error {
			return (&taskFn{Pass: *p, Span: leaves * runsMerged}).ProcessElement(ctx, n, emit)
		})
		if err != nil {
			return nil, err
		}
		elements = append(elements, list...)
	}
	grouped := func(elements []element) map[int][]string {
		groups := map[int][]string{}
		for _, e := range elements {
			groups[e.key] = append(groups[e.key], e.path)
		}
		return groups
	}
	if p.Kind == reducePass {
		for span := leaves * runsMerged; span/runsMerged < all; span *= runsMerged {
			var next []element
			for key, paths := range grouped(elements) {
				list, err := try(func(emit func(int, string)) error {
					return (&mergeFn{Pass: *p, Span: span}).ProcessElement(ctx, key, iterate(paths), emit)
				})
				if err != nil {
					return nil, err
				}
				next = append(next, list...)
			}
			elements = next
		}
	}
	var paths []string
	for _, e := range elements {
		paths = append(paths, e.path)
	}
	return nil, (&doneFn{*p}).ProcessElement(ctx, 0, iterate(paths))
}

// iterate goes through files as a stage gets them.
func iterate[T any](list []T) func(*T) bool {
	return func(to *T) bool {
		if len(list) == 0 {
			return false
		}
		*to, list = list[0], list[1:]
		return true
	}
}

// disturbed sets disturb for a test.
func disturbed(t *testing.T, how func(kind string, task int, done bool) error) {
	before := disturb
	disturb = how
	t.Cleanup(func() { disturb = before })
}

// On a runner that retries, a task that fails twice, before it is done and after, has no effect on the answer; nor have the
// order of elements, and elements that come twice.
func TestTasksThatFailTwice(t *testing.T) {
	folder := rod(t, posterior.FewestOfLarge+3*rowtree.LeafRows)
	want := locally(t, filepath.Join(folder, "whole", "problem.toml"))
	var lock sync.Mutex
	failures := map[string]int{}
	disturbed(t, func(kind string, task int, done bool) error {
		lock.Lock()
		defer lock.Unlock()
		key := fmt.Sprint(kind, task)
		if failures[key]++; failures[key] == 1 && !done || failures[key] == 3 && done {
			return errors.New("the worker is gone")
		}
		return nil
	})
	o := rodOptions(folder)
	o.chunkBytes = 60_000
	tables, config, err := o.open(context.Background(), filepath.Join(folder, "problem.toml"))
	if err != nil {
		t.Fatal(err)
	}
	double := &retrying{dice: rand.New(rand.NewPCG(1, 9))}
	tables.leaves, tables.execute = 1, double.execute
	tables.job.Folder = filepath.ToSlash(filepath.Join(o.out, ".passes"))
	defer tables.remove()
	a, err := tables.solve(config, int64(o.chunkBytes))
	if err != nil {
		t.Fatal(err)
	}
	if double.failed < 20 {
		t.Errorf("only %d elements failed", double.failed)
	}
	if _, err := a.write(context.Background(), o.out); err != nil {
		t.Fatal(err)
	}
	tables.remove()
	compare(t, "a runner that retries", resultsIn(t, o.out), want)
}

// A pass that the runner gives up is begun again where it stopped. One that never ends is an error, and the last results stay.
func TestPassesBeginAgain(t *testing.T) {
	folder := rod(t, posterior.FewestOfLarge+rowtree.LeafRows)
	want := locally(t, filepath.Join(folder, "whole", "problem.toml"))
	o := rodOptions(folder)
	o.chunkBytes = 100_000
	var lock sync.Mutex
	failures := map[string]int{}
	disturbed(t, func(kind string, task int, done bool) error {
		lock.Lock()
		defer lock.Unlock()
		if !done && task == map[bool]int{true: 0, false: 3}[kind == reducePass] { // others are done before
			if failures[kind]++; failures[kind] <= 2 {
				return errors.New("the worker is gone")
			}
		}
		return nil
	})
	got, printed := throughBeam(t, folder, o)
	compare(t, "passes that were begun again", got, want)
	for _, counted := range []string{"retries            ", "tasks found done   ", "jobs begun again   8\n"} {
		if !strings.Contains(printed, counted) || strings.Contains(printed, counted+"0\n") {
			t.Errorf("no %q in %s", counted, printed)
		}
	}
	disturbed(t, func(kind string, task int, done bool) error {
		if kind == reducePass {
			return errors.New("the worker is gone")
		}
		return nil
	})
	err := solve(context.Background(), filepath.Join(folder, "problem.toml"), o, new(bytes.Buffer))
	if err == nil || !strings.Contains(err.Error(), "the worker is gone") {
		t.Error(err)
	}
	compare(t, "after a run that failed", resultsIn(t, o.out), want)
}

// What is wrong with the tables ends a run with a word, and nothing is written.
func TestTablesThatAreWrong(t *testing.T) {
	folder := rod(t, posterior.FewestOfLarge+10)
	second := filepath.Join(folder, "part-2.csv")
	good, err := os.ReadFile(second)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Count(good, []byte("\n"))
	change := func(to []byte) {
		if err := os.WriteFile(second, to, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o := rodOptions(folder)
	o.chunkBytes = 50_000
	for name, c := range map[string]struct {
		before, within []byte // what part-2.csv becomes before the run, or when the first task that summarises begins
		want           string
	}{
		"a cell that is no number": {before: bytes.Replace(good, []byte("\n0."), []byte("\nhigh,0.5,1\n0."), 1), want: "part-2.csv:2: x"},
		"a number far below":       {before: append(bytes.Clone(good), "0.5,oops,1\n"...), want: fmt.Sprintf("part-2.csv:%d: t", lines+1)},
		"cut off":                  {before: good[:len(good)-10], want: fmt.Sprintf("part-2.csv:%d", lines)},
		"outside":                  {before: append(bytes.Clone(good), "0.5,7,1\n"...), want: "7 is outside [0, 1]"},
		"other columns":            {before: bytes.Replace(good, []byte("x,t,"), []byte("t,x,"), 1), want: "does not begin as"},
		"shorter than before":      {within: good[:len(good)/2], want: "bytes, and had"},
		"as long as before":        {within: bytes.Replace(good, []byte("\n0.1"), []byte("\n0.9"), 1), want: "has changed since the run began"},
	} {
		change(good)
		if c.before != nil {
			change(c.before)
		}
		disturbed(t, func(kind string, _ int, _ bool) error {
			if kind == reducePass && c.within != nil {
				change(c.within)
			}
			return nil
		})
		err := solve(context.Background(), filepath.Join(folder, "problem.toml"), o, new(bytes.Buffer))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
		if entries, err := os.ReadDir(o.out); err == nil && len(entries) > 0 {
			t.Errorf("%s: left behind: %v", name, entries)
		}
	}
}

// What cannot be done is refused before the tables are read.
func TestSolveRefuses(t *testing.T) {
	folder := rod(t, 200)
	problem := filepath.Join(folder, "problem.toml")
	for want, change := range map[string]func(o *options){
		"--readings TABLE is needed": func(o *options) { o.readings = nil },
		"--out DIR is needed":        func(o *options) { o.out = "" },
		"no file matches":            func(o *options) { o.readings = texts{"u.csv=" + folder + "/none-*.csv"} },
		"names 2 files of sensors":   func(o *options) { o.readings = texts{"part-1.csv"} },
		`u.csv: no such file`:        func(o *options) { o.readings = texts{"v.csv=" + folder + "/part-1.csv"} },
		`noise = "student"`:          func(o *options) { o.set = texts{`sensors.noise="student"`} },
		"paper needs all readings":   func(o *options) { o.set = texts{`fit.method="paper"`} },
		"see --max-memory":           func(o *options) { o.maxMemory = 1 << 20 },
	} {
		o := rodOptions(folder)
		change(o)
		if err := solve(context.Background(), problem, o, new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	o := rodOptions(folder)
	o.dry = true
	var b bytes.Buffer
	if err := solve(context.Background(), problem, o, &b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2 files", "about 2", "stages", "passes", "worker"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in %s", want, b.String())
		}
	}
	if _, err := os.Stat(o.out); err == nil {
		t.Error("something was written")
	}
}
