package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/cmd/internal/results"
	"github.com/bpielm/bpielm/posterior"
)

// options are the flags of fleet.
type options struct {
	readings, set texts
	values, key   string
	out           string
	shards        int
	maxTime       time.Duration
	patience      time.Duration // 0: that of the verb
	jobs          int           // of solve
	maxMemory     size
	maxBytes      size
	chunkBytes    size // of solve
	brief         bool
	dry           bool
}

// texts is a flag that may be repeated.
type texts []string

func (l *texts) String() string     { return strings.Join(*l, " ") }
func (l *texts) Set(v string) error { *l = append(*l, v); return nil }

// size is a number of bytes, for example 4GiB or 500MB.
type size int64

func (s *size) String() string { return fmt.Sprintf("%d MiB", int64(*s)>>20) }

func (s *size) Set(text string) error {
	units := []struct {
		name string
		size float64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}, {"", 1}}
	for _, u := range units {
		if number, found := strings.CutSuffix(text, u.name); found {
			v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
			if err != nil || !(v >= 1) || v*u.size > 1e18 {
				break
			}
			*s = size(v * u.size)
			return nil
		}
	}
	return errors.New("expected a size such as 4GiB or 500MB")
}

// flags declares the flags among Beam's, and returns a set with them alone.
func (o *options) flags() *flag.FlagSet {
	own := flag.NewFlagSet("fleet", flag.ContinueOnError)
	o.maxMemory, o.maxBytes, o.chunkBytes = 1<<30, 16<<20, chunkBytes
	for _, s := range []*flag.FlagSet{own, flag.CommandLine} {
		s.Var(&o.readings, "readings", "`TABLE` with the rows of all problems, a file or a pattern; NAME=TABLE if the problem file names several files of sensors, and TABLE stands for NAME; may be repeated")
		s.StringVar(&o.values, "values", "", "`TABLE` with one row for each problem: a column constants.Q has its value for that key of the problem file")
		s.StringVar(&o.key, "key", "problem", "`NAME` of the column that says of which problem a row is")
		s.Var(&o.set, "set", "`SECTION.KEY=VALUE` overrides a value of all problems; may be repeated")
		s.StringVar(&o.out, "out", "", "write the results into this `DIR`")
		s.IntVar(&o.shards, "shards", 0, "write this `NUMBER` of files, each sorted, instead of one")
		s.DurationVar(&o.maxTime, "max-time", 10*time.Minute, "longest `TIME` for one problem; 0 is any")
		s.Var(&o.maxMemory, "max-memory", "largest `SIZE` of memory for one problem; each processor solves one at a time")
		s.Var(&o.maxBytes, "max-bytes", "largest `SIZE` of the rows of one problem, with fleet")
		s.Var(&o.chunkBytes, "chunk", "`SIZE` of the part of a table that is read at a time, with solve")
		s.IntVar(&o.jobs, "jobs", 1, "divide each pass of solve into this `NUMBER` of jobs that run at once, for a runner that gives each job one worker, as Prism does")
		s.DurationVar(&o.patience, "patience", 0, "give a job up if nothing of it is done for this `TIME`; solve begins it again (default 15m with solve, any time with fleet)")
		s.BoolVar(&o.brief, "no-verdicts", false, "leave out the verdicts, which take most of the time of a small problem")
		s.BoolVar(&o.dry, "dry-run", false, "say what would be done")
	}
	return own
}

// Parts of the problems, of which one worker at a time solves one: as many as there are in partBytes of rows, or partFiles
// files.
const (
	partBytes = 64 << 10
	partFiles = 16
	mostParts = mergedTogether * mergedTogether
)

// partsFor is how many parts so many bytes of tables, or problem files, are divided into.
func partsFor(total int64, tables bool) int {
	unit := int64(partFiles)
	if tables {
		unit = partBytes
	}
	return int(max(1, min(total/unit, mostParts)))
}

// chunkBytes is how much of a table one element of the pipeline stands for.
const chunkBytes = 4 << 20

// fleet is the verb.
func fleet(ctx context.Context, problem string, o *options, stdout io.Writer) error {
	f, total, err := o.plan(ctx, problem)
	if err != nil {
		return err
	}
	parts := o.shards
	if parts == 0 {
		parts = partsFor(total, len(f.Tables) > 0)
	}
	if o.dry {
		return f.describe(ctx, total, parts, stdout)
	}
	out, err := o.results("the results are put together when all are there", resultsFile)
	if err != nil {
		return err
	}
	folder := out + "/.parts-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	defer removeAll(context.WithoutCancel(ctx), folder)
	begin := time.Now()
	p, s := beam.NewPipelineWithRoot()
	pipeline(s, f, parts, folder)
	var result beam.PipelineResult
	if err := watched(ctx, folder, o.patience, func(ctx context.Context) (err error) {
		result, err = beamx.RunWithMetrics(ctx, p)
		return err
	}); err != nil {
		return plain(err)
	}
	written, err := finish(ctx, folder, out, parts, o.shards > 0)
	if err != nil {
		return err
	}
	report(stdout, result, time.Since(begin), written)
	return nil
}

// results returns the folder of the results. It is an error if files cannot be written there, or if --async is given, for a reason.
func (o *options) results(whyNotAsync string, files ...string) (out string, err error) {
	out = strings.TrimSuffix(filepath.ToSlash(o.out), "/")
	switch {
	case out == "":
		return "", refuse("--out DIR is needed")
	case strings.ContainsAny(out, "*?[\\"):
		return "", refuse("--out: %s has signs of a pattern", out)
	case *jobopts.Async:
		return "", refuse("--async: %s", whyNotAsync)
	case o.patience < 0:
		return "", refuse("--patience: a positive time is expected")
	}
	if isLocal(out) {
		err = results.Check(out, files...)
	}
	return out, err
}

// plan finds the tables and checks the flags. total is the number of bytes of all tables, or of problem files.
func (o *options) plan(ctx context.Context, problem string) (f Fleet, total int64, err error) {
	f = Fleet{Problem: problem, Set: o.set, MaxTime: o.maxTime, MaxMemory: int64(o.maxMemory), MaxBytes: int64(o.maxBytes), Verdicts: !o.brief, ChunkBytes: chunkBytes}
	switch {
	case o.shards < 0 || o.shards > 100_000:
		return f, 0, refuse("--shards %d: 1 to 100000 are possible", o.shards)
	case o.jobs > 1:
		return f, 0, refuse("--jobs is a flag of solve")
	case o.maxTime < 0:
		return f, 0, refuse("--max-time %s: a positive time is expected", o.maxTime)
	}
	if len(o.readings) == 0 && o.values == "" {
		paths, err := list(ctx, problem)
		return f, int64(len(paths)), err
	}
	named, err := sensorFiles(ctx, problem)
	if err != nil {
		return f, 0, err
	}
	for _, r := range o.readings {
		stands, pattern, err := standsFor(problem, named, r, f.Tables)
		if err != nil {
			return f, 0, err
		}
		t, err := openTable(ctx, stands, pattern, o.key)
		if err != nil {
			return f, 0, err
		}
		f.Tables = append(f.Tables, t)
	}
	if o.values != "" {
		t, err := openTable(ctx, "", o.values, o.key)
		if err == nil && t.Separator == 0 {
			err = refuse("%s: a table of values must be CSV", o.values)
		}
		if err != nil {
			return f, 0, err
		}
		f.Tables = append(f.Tables, t)
	}
	for i := range f.Tables {
		total += f.Tables[i].bytes()
	}
	return f, total, nil
}

// standsFor divides a --readings NAME=TABLE. Without a name the table stands for the only file of sensors.
func standsFor(problem string, named []string, readings string, others []Table) (stands, pattern string, err error) {
	stands, pattern, both := strings.Cut(readings, "=")
	if !both {
		if len(named) != 1 {
			return "", "", refuse("%s names %d files of sensors, %s: say for which of them %s stands, as --readings NAME=%s", problem, len(named), strings.Join(named, ", "), readings, readings)
		}
		stands, pattern = named[0], readings
	}
	if slices.ContainsFunc(others, func(t Table) bool { return t.Stands == stands }) {
		return "", "", refuse("--readings: two tables stand for %s", stands)
	}
	return stands, pattern, nil
}

// sensorFiles returns the names of the files of sensors in a problem file.
func sensorFiles(ctx context.Context, problem string) ([]string, error) {
	text, err := readFile(ctx, problem)
	if err != nil {
		return nil, refuse("%s: %v; with --readings, one problem file is the template of all", problem, err)
	}
	var file struct {
		Sensors []struct{ File any }
	}
	if _, err := toml.Decode(string(text), &file); err != nil {
		return nil, refuse("%s: %v", problem, err)
	}
	names := map[string]bool{}
	for _, s := range file.Sensors {
		if name, is := s.File.(string); is {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
}

// said begins the errors of stages. A runner puts a description of the stage, and perhaps a trace, around them.
const said = "bpielm says: "

// says is an error of a stage.
func says(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(said + err.Error())
}

// plain shortens an error of a run to what a stage said, if one did.
func plain(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if i := strings.LastIndex(text, said); i >= 0 {
		what, _, _ := strings.Cut(text[i+len(said):], "\n")
		return errors.New(what)
	}
	return err
}

// report prints what a run has counted.
func report(w io.Writer, result beam.PipelineResult, took time.Duration, written []string) {
	counts := map[string]int64{}
	for _, c := range result.Metrics().Query(func(metrics.SingleResult) bool { return true }).Counters() {
		counts[c.Name()] += c.Result()
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(w, "%-16s %d\n", name, counts[name])
	}
	fmt.Fprintf(w, "%-16s %.1f s\n", "time", took.Seconds())
	for _, path := range written {
		fmt.Fprintf(w, "%-16s %s\n", "written", path)
	}
}

// scanned is how many bytes of a table --dry-run reads to count problems.
const scanned = 256 << 20

// describe says what a run would do.
func (f *Fleet) describe(ctx context.Context, total int64, parts int, w io.Writer) error {
	say := func(what, format string, args ...any) {
		fmt.Fprintf(w, "%-10s %s\n", what, fmt.Sprintf(format, args...))
	}
	var first *gathered
	if len(f.Tables) == 0 {
		paths, err := list(ctx, f.Problem)
		if err != nil {
			return err
		}
		first = &gathered{key: paths[0]}
		say("stages", "list problems, gather %d parts, solve, put together", parts)
		say("problems", "%d", len(paths))
	} else {
		say("stages", "divide tables, read rows, gather %d parts, solve, put together", parts)
		found, all, moved := map[string]*gathered{}, true, int64(0)
		for i := range f.Tables {
			t := &f.Tables[i]
			left, chunks := int64(scanned), 0
			var err error
			t.chunks(i, chunkBytes, func(c Chunk) {
				chunks++
				if left -= chunkBytes; left < 0 || err != nil {
					all = false
					return
				}
				err = t.scan(ctx, c, func(p Part) {
					moved += int64(len(p.Rows))
					if found[p.Key] == nil {
						found[p.Key] = &gathered{key: p.Key}
					}
					found[p.Key].add(&p, f.MaxBytes)
				})
			})
			if err != nil {
				return err
			}
			stands := t.Stands
			if stands == "" {
				stands = "values of keys"
			}
			say("table", "%s: %s, %s, %s", stands, format.Count(len(t.Files), "file"), megabytes(t.bytes()), format.Count(chunks, "chunk"))
		}
		delete(found, "")
		more := ""
		if !all {
			more = fmt.Sprintf(", in the first %s of each table", megabytes(scanned))
		}
		say("problems", "%d%s", len(found), more)
		say("shuffled", "%s of rows%s; larger problems whose rows stand together are read where they are", megabytes(moved), more)
		if len(found) > 0 {
			first = found[slices.Min(slices.Collect(maps.Keys(found)))]
		}
	}
	if first == nil {
		return nil
	}
	file, err := f.read(ctx, first, new(sync.Map))
	if err == nil {
		config, wrong := f.config(file)
		if err = wrong; err == nil {
			each, n := posterior.Memory(file.Problem, config, true), runtime.GOMAXPROCS(0)
			say("memory", "%s for the first problem, %s; with %s, a worker may need %s", megabytes(each), first.key, format.Count(n, "processor"), megabytes(each*int64(n)))
		}
	}
	if err != nil {
		say("memory", "not known: the first problem, %s, will fail: %v", first.key, err)
	}
	return nil
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
