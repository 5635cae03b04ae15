package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/bpielm/bpielm"
	"github.com/bpielm/bpielm/cmd/internal/findings"
)

// Of the command line, whose flags can be declared only once.
var (
	lineOptions options
	lineFlags   = lineOptions.flags()
)

func TestMain(m *testing.M) {
	if port := os.Getenv(portVariable); port != "" {
		servePrism(port)
	}
	flag.Parse()
	if path := os.Getenv(killVariable); path != "" {
		disturb = killOnce(path)
	}
	if err := initBeam(); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// wellText is a small problem: the level of a well that a pump draws down, seen a few times.
const wellText = `title = "a well"
[variables]
t = [0, 3]
[constants]
k = 1
[parameters]
q = { mean = 1, sd = 2 }
[[equation]]
pde = "u_t + k*u = q"
points = 20
[[sensors]]
file = "u.csv"
sigma = 0.02
[features]
neurons = 12
scale = 2
[fit]
ensemble = 1
`

// wellRows are the readings of well i, without their key.
func wellRows(i int) (rows []string) {
	dice := rand.New(rand.NewPCG(uint64(i), 1))
	for k := range 8 + i%5 {
		t := 0.3*float64(k) + 0.01*float64(i%7)
		rows = append(rows, fmt.Sprintf("%.3f,%.4f", min(t, 3), 1+float64(i%3)/float64(1+k)+0.02*dice.NormFloat64()))
	}
	return rows
}

// write writes files into a folder.
func write(t *testing.T, files map[string]string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// usual are the flags by default.
func usual(folder string) *options {
	return &options{readings: texts{filepath.Join(folder, "wells.csv")}, key: "well", out: filepath.Join(folder, "out"), maxTime: time.Minute, maxMemory: 1 << 30, maxBytes: 1 << 20}
}

// solved runs the verb, and returns the lines by problem.
func solved(t *testing.T, problem string, o *options) (lines map[string]Line, printed string) {
	t.Helper()
	var b bytes.Buffer
	if err := fleet(context.Background(), problem, o, &b); err != nil {
		t.Fatal(err)
	}
	return linesOf(t, filepath.Join(o.out, resultsFile)), b.String()
}

func linesOf(t *testing.T, path string) map[string]Line {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]Line{}
	last := ""
	for row := range strings.Lines(string(text)) {
		var l Line
		if err := json.Unmarshal([]byte(row), &l); err != nil {
			t.Fatalf("%v: %s", err, row)
		}
		if _, twice := lines[l.Problem]; twice || l.Problem < last {
			t.Errorf("%q is there twice, or not in its place", l.Problem)
		}
		lines[l.Problem], last = l, l.Problem
	}
	return lines
}

// The results have the same bytes however the work is divided and the table is sorted, and those of the library.
func TestTheSameBytesHoweverTheWorkIsDivided(t *testing.T) {
	const wells = 24
	bySite, byTime := "well,t,value\n", "well,t,value\n"
	var want []string
	for i := range wells {
		for _, row := range wellRows(i) {
			bySite += fmt.Sprintf("w%02d,%s\n", i, row)
		}
	}
	for k := range 13 {
		for i := range wells {
			if rows := wellRows(i); k < len(rows) {
				byTime += fmt.Sprintf("w%02d,%s\n", i, rows[k])
			}
		}
	}
	folder := write(t, map[string]string{"problem.toml": wellText, "by site.csv": bySite, "by time.csv": byTime})
	problem := filepath.Join(folder, "problem.toml")
	for i := range wells {
		if err := os.WriteFile(filepath.Join(folder, "u.csv"), []byte("t,value\n"+strings.Join(wellRows(i), "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		a, err := bpielm.SolveFile(context.Background(), problem)
		if err != nil {
			t.Fatal(err)
		}
		q := findings.Parameters(a.Posterior, a.File)["q"]
		want = append(want, fmt.Sprintf(`{"problem":"w%02d","readings":%d,"parameters":{"q":{"mean":%v,`, i, len(wellRows(i)), q.Mean))
	}
	if err := os.Remove(filepath.Join(folder, "u.csv")); err != nil { // a template needs none
		t.Fatal(err)
	}
	var first []byte
	for i, c := range []struct {
		table      string
		parts      int
		chunkBytes int64
	}{{"by site.csv", 1, 1 << 20}, {"by site.csv", 5, 300}, {"by time.csv", 3, 64}} {
		table, err := openTable(context.Background(), "u.csv", filepath.Join(folder, c.table), "well")
		if err != nil {
			t.Fatal(err)
		}
		f := Fleet{Problem: problem, Tables: []Table{table}, Verdicts: true, MaxMemory: 1 << 30, MaxBytes: 1 << 20, ChunkBytes: c.chunkBytes}
		out := filepath.Join(folder, fmt.Sprint("out", i))
		p, s := beam.NewPipelineWithRoot()
		pipeline(s, f, c.parts, out+"/.parts")
		if err := beamx.Run(context.Background(), p); err != nil {
			t.Fatal(err)
		}
		if _, err := finish(context.Background(), out+"/.parts", out, c.parts, false); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(out, resultsFile))
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = text
			for k, line := range slices.Collect(strings.Lines(string(text))) {
				if !strings.HasPrefix(line, want[k]) || !strings.Contains(line, `"verdict":{"sound":`) {
					t.Errorf("%s; want %s", line, want[k])
				}
			}
		}
		if !bytes.Equal(text, first) {
			t.Errorf("%+v: other bytes", c)
		}
	}
}

// What is wrong with a problem is said in its line. The others are solved.
func TestFailuresAreLines(t *testing.T) {
	rows := func(key string, i int) string { return key + "," + strings.Join(wellRows(i), "\n"+key+",") + "\n" }
	table := "well,t,value\n" +
		rows("good", 1) +
		"bad number,0.5,1.2\nbad number,0.6,high\n" +
		"outside,99,1\n" +
		"gaps,0.5,NaN\ngaps,0.6,\n" +
		"no values,0.5,1\nno values,1.5,1\n" +
		"two values,0.5,1\n" +
		"bad value,0.5,1\n" +
		rows("unknown key", 1) +
		strings.Repeat("huge,0.5,1.25\n", 5000) +
		",0.5,1\n" +
		rows("other k", 2) +
		rows("good", 6) + // more of it, elsewhere
		"cut,0.5,1.5\ncut,0.6" // the end of the file is missing
	values := "well,constants.k\ngood,1\nother k,0.5\nbad number,\noutside,1\ngaps,1\ntwo values,1\ntwo values,2\nbad value,1/0\nhuge,1\nno rows,1\ncut,1\n"
	folder := write(t, map[string]string{"problem.toml": wellText, "wells.csv": table, "values.csv": values})
	o := usual(folder)
	o.values, o.maxBytes = filepath.Join(folder, "values.csv"), 60_000
	lines, printed := solved(t, filepath.Join(folder, "problem.toml"), o)
	for problem, want := range map[string]string{
		"good": "", "other k": "",
		"bad number":  `u.csv:3: value: found "high"; a number is expected`,
		"outside":     "u.csv:2: t: 99 is outside [0, 3]",
		"gaps":        "it has no readings: 2 values are missing",
		"no values":   "no row in the table of values",
		"two values":  "2 rows in the table of values",
		"bad value":   "constants.k",
		"unknown key": "no row in the table of values",
		"huge":        "at most 60000 are allowed (see --max-bytes)",
		"no rows":     "no rows in the table that stands for u.csv",
		"cut":         "u.csv:3",
		"":            "1 lines say of no problem",
	} {
		l, there := lines[problem]
		if !there || !strings.Contains(l.Error, want) || want == "" && (l.Error != "" || l.Verdict == nil || l.Parameters["q"].SD == nil) {
			t.Errorf("%q: %+v; want %q", problem, l, want)
		}
	}
	if n := len(wellRows(1)) + len(wellRows(6)); lines["good"].Readings != n || len(lines) != 13 {
		t.Errorf("%d readings, want %d; %d lines", lines["good"].Readings, n, len(lines))
	}
	for _, want := range []string{"problems         13\n", "problems failed  11\n", "rows skipped     1\n", "results.jsonl\n"} {
		if !strings.Contains(printed, want) {
			t.Errorf("printed %s; want %q", printed, want)
		}
	}
	entries, err := os.ReadDir(o.out)
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

// A problem that takes too long, needs too much memory or finds a fault costs its line alone.
func TestLimits(t *testing.T) {
	table := tableOf(t, "well,t,value\na,0,1\na,1,2\n")
	folder := write(t, map[string]string{"problem.toml": wellText})
	f := Fleet{Problem: filepath.Join(folder, "problem.toml"), Tables: []Table{table}, MaxMemory: 1 << 30, MaxBytes: 1 << 20}
	whole := func() *gathered {
		g := &gathered{key: "a"}
		if err := table.scan(context.Background(), Chunk{0, 0, table.Files[0].Begin, table.Files[0].Size}, func(p Part) { g.add(&p, 1<<20) }); err != nil {
			t.Fatal(err)
		}
		return g
	}
	for want, limit := range map[string]func(f *Fleet, g *gathered){
		"it took more than 1µs": func(f *Fleet, _ *gathered) { f.MaxTime = time.Microsecond },
		"MiB of memory":         func(f *Fleet, _ *gathered) { f.MaxMemory = 1 << 20 },
		"internal error":        func(f *Fleet, g *gathered) { g.parts[0].Table = 5 },
		"features.neurons":      func(f *Fleet, _ *gathered) { f.Set = []string{"features.neurons=-1"} },
	} {
		limited, g := f, whole()
		limit(&limited, g)
		if l := limited.solve(context.Background(), g, nil); l.Problem != "a" || !strings.Contains(l.Error, want) || strings.Contains(string(l.encode()), "parameters") {
			t.Errorf("%s; want %q", l.encode(), want)
		}
	}
	if l := f.solve(context.Background(), whole(), nil); l.Error != "" || l.Verdict != nil {
		t.Errorf("%s", l.encode())
	}
}

// Many problem files, with their own readings, of which some cannot be read.
func TestManyProblemFiles(t *testing.T) {
	folder := write(t, map[string]string{
		"a/problem.toml": wellText, "a/u.csv": "t,value\n" + strings.Join(wellRows(0), "\n"),
		"b/problem.toml": strings.ReplaceAll(wellText, "u.csv", "logs/*.csv"), "b/logs/1.csv": "t,value\n0.5,1.5\n", "b/logs/2.csv": "t,value\n1.5,1.1\n2.5,1\n",
		"c/problem.toml": wellText,
		"d/problem.toml": "[variables\n",
		"e/problem.toml": strings.ReplaceAll(wellText, "u.csv", "../a/u.csv"),
	})
	if err := os.Mkdir(filepath.Join(folder, "f"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "f", "problem.toml"), 0o755); err != nil { // a folder is no file
		t.Fatal(err)
	}
	o := usual(folder)
	o.readings, o.shards, o.brief = nil, 3, true
	var b bytes.Buffer
	if err := fleet(context.Background(), filepath.Join(folder, "*", "problem.toml"), o, &b); err != nil {
		t.Fatal(err)
	}
	lines := map[string]Line{}
	for part := range 3 {
		for key, l := range linesOf(t, filepath.Join(o.out, fmt.Sprintf("results-%05d-of-00003.jsonl", part))) {
			lines[key] = l
		}
	}
	for name, want := range map[string]string{"a": "", "b": "", "c": "u.csv", "d": "problem.toml:2: not TOML", "e": "", "f": "problem.toml"} {
		l, there := lines[filepath.Join(folder, name, "problem.toml")]
		if !there || !strings.Contains(l.Error, want) || want == "" && (l.Error != "" || len(l.Parameters) != 1 || l.Verdict != nil) {
			t.Errorf("%s: %+v; want %q", name, l, want)
		}
	}
	if a, e := lines[filepath.Join(folder, "a", "problem.toml")], lines[filepath.Join(folder, "e", "problem.toml")]; a.Parameters["q"].Mean != e.Parameters["q"].Mean {
		t.Error("the same readings, and other answers")
	}
}

// A table that becomes shorter while it is read ends the run: nobody can say which problems have lost rows. The results of
// an earlier run stay as they are.
func TestATruncatedTableEndsTheRun(t *testing.T) {
	folder := write(t, map[string]string{"problem.toml": wellText, "wells.csv": "well,t,value\na,0,1\na,1,2\n", "out/results.jsonl": "old\n"})
	path := filepath.Join(folder, "wells.csv")
	table, err := openTable(context.Background(), "u.csv", path, "well")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 20); err != nil {
		t.Fatal(err)
	}
	f := Fleet{Problem: filepath.Join(folder, "problem.toml"), Tables: []Table{table}, MaxMemory: 1 << 30, MaxBytes: 1 << 20, ChunkBytes: 10}
	p, s := beam.NewPipelineWithRoot()
	pipeline(s, f, 2, filepath.Join(folder, "out", ".parts"))
	err = plain(beamx.Run(context.Background(), p))
	if want := path + ": it has 20 bytes, and had 25 when the run began"; err == nil || err.Error() != want {
		t.Errorf("%v; want %q", err, want)
	}
	if text, err := os.ReadFile(filepath.Join(folder, "out", resultsFile)); string(text) != "old\n" {
		t.Error(string(text), err)
	}
}

// What is wrong for all problems is said before anything runs.
func TestRefusals(t *testing.T) {
	two := strings.Replace(wellText, "[features]", "[[sensors]]\nfile = \"v.csv\"\n[features]", 1)
	folder := write(t, map[string]string{"one.toml": wellText, "two.toml": two, "wells.csv": "well,t,value\na,0,1\n", "values.jsonl": `{"well": 1}`})
	for _, c := range []struct {
		problem string
		change  func(o *options)
		want    string
	}{
		{"none.toml", func(o *options) {}, "none.toml"},
		{"*.toml", func(o *options) {}, "one problem file is the template of all"},
		{"two.toml", func(o *options) {}, "names 2 files of sensors, u.csv, v.csv"},
		{"one.toml", func(o *options) { o.key = "site" }, "no line names a column site"},
		{"one.toml", func(o *options) { o.readings = append(o.readings, o.readings[0]) }, "two tables stand for u.csv"},
		{"one.toml", func(o *options) { o.readings = texts{filepath.Join(folder, "x*.csv")} }, "no file matches"},
		{"one.toml", func(o *options) { o.values = filepath.Join(folder, "values.jsonl") }, "must be CSV"},
		{"one.toml", func(o *options) { o.out = "" }, "--out DIR is needed"},
		{"one.toml", func(o *options) { o.out = "a*" }, "signs of a pattern"},
		{"one.toml", func(o *options) { o.shards = -1 }, "--shards -1"},
		{"one.toml", func(o *options) { o.jobs = 2 }, "--jobs is a flag of solve"},
		{"one.toml", func(o *options) { o.patience = -1 }, "--patience"},
		{"none*.toml", func(o *options) { o.readings = nil }, "no file matches"},
	} {
		o := usual(folder)
		c.change(o)
		err := fleet(context.Background(), filepath.Join(folder, c.problem), o, os.Stderr)
		if _, input := err.(*inputError); !input || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.problem, err, c.want)
		}
	}
}

func TestDryRun(t *testing.T) {
	folder := write(t, map[string]string{"problem.toml": wellText, "wells.csv": "well,t,value\na,0,1\nb,0,x\na,1,2\n"})
	o := usual(folder)
	o.dry, o.out = true, ""
	var b bytes.Buffer
	if err := fleet(context.Background(), filepath.Join(folder, "problem.toml"), o, &b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"problems   2\n", "u.csv: 1 file, 0.0 MB, 1 chunk\n", "for the first problem, a;"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s; want %q", b.String(), want)
		}
	}
}

// Flags may stand anywhere, Beam's among them, and what is wrong is one line and a status.
func TestCommandLine(t *testing.T) {
	folder := write(t, map[string]string{"problem.toml": wellText, "wells.csv": "well,t,value\na," + strings.Join(wellRows(1), "\na,") + "\n"})
	problem, table, out := filepath.Join(folder, "problem.toml"), filepath.Join(folder, "wells.csv"), filepath.Join(folder, "out")
	for _, c := range []struct {
		args           []string
		status         int
		stdout, stderr string
	}{
		{[]string{"--help"}, 0, "-max-memory", ""},
		{nil, exitBadInput, "", "expected fleet or solve, and a problem file"},
		{[]string{"fleet", problem, "--max-memory", "much"}, exitBadInput, "", "expected a size such as 4GiB"},
		{[]string{"fleet", problem, "--nothing"}, exitBadInput, "", "not defined: -nothing"},
		{[]string{"fleet", "--readings", table, problem, "--key=well", "--out", out, "--max-memory=1GiB", "--runner=nothing"}, exitBadInput, "", "possible are prism, flink"},
		{[]string{"fleet", problem, "--runner=prism", "--out", out}, 0, "problems         1\n", ""},
	} {
		var stdout, stderr bytes.Buffer
		status := run(c.args, &lineOptions, lineFlags, &stdout, &stderr)
		if status != c.status || !strings.Contains(stdout.String(), c.stdout) || !strings.Contains(stderr.String(), c.stderr) || c.status != 0 && strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%q: status %d, printed %q, said %q", c.args, status, stdout.String(), stderr.String())
		}
	}
	if lines := linesOf(t, filepath.Join(out, resultsFile)); lines["a"].Error != "" || len(lines) != 1 {
		t.Errorf("%+v", lines)
	}
}
