package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/bpielm/bpielm"
	"github.com/bpielm/bpielm/cmd/internal/describe"
	"github.com/bpielm/bpielm/cmd/internal/findings"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/cmd/internal/results"
	"github.com/bpielm/bpielm/cmd/internal/solution"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/posterior/rowtree"
	"github.com/bpielm/bpielm/system/spec"
)

// solve is the verb for one problem whose readings stand in tables.
func solve(ctx context.Context, problem string, o *options, stdout io.Writer) error {
	t, config, err := o.open(ctx, problem)
	if err != nil {
		return err
	}
	run := strconv.FormatInt(time.Now().UnixNano(), 36)
	if o.dry {
		t.job.Folder = "dry run " + run
		return t.describe(config, o, stdout)
	}
	out, err := o.results("each pass depends on the one before", solveFiles...)
	if err != nil {
		return err
	}
	t.job.Folder = out + "/.passes-" + run
	t.say = func(format string, args ...any) { fmt.Fprintf(stdout, format+"\n", args...) }
	defer t.remove()
	begin := time.Now()
	a, err := t.solve(config, int64(o.chunkBytes))
	if err != nil {
		return err
	}
	written, err := a.write(ctx, out)
	if err != nil {
		return err
	}
	t.report(stdout, time.Since(begin), written)
	return nil
}

// open finds the tables of a problem, and checks the flags.
func (o *options) open(ctx context.Context, problem string) (*tables, posterior.Config, error) {
	var none posterior.Config
	switch {
	case len(o.readings) == 0:
		return nil, none, refuse("--readings TABLE is needed: without it, bpielm solve does the same")
	case o.values != "" || o.shards != 0:
		return nil, none, refuse("--values and --shards are flags of fleet")
	case o.jobs < 0:
		return nil, none, refuse("--jobs: a positive number is expected")
	case o.chunkBytes < 1:
		return nil, none, refuse("--chunk: a positive size is expected")
	}
	t := &tables{ctx: ctx, job: Job{Problem: problem, Set: o.set, Points: int64(o.maxMemory) / bytesOfPoint}, leaves: leavesTogether,
		jobs: o.jobs, patience: cmp.Or(o.patience, usualPatience), records: map[[2]int]Record{}, counts: map[string]int64{}, execute: runPass, say: func(string, ...any) {}}
	named, err := sensorFiles(ctx, problem)
	if err != nil {
		return nil, none, err
	}
	for _, r := range o.readings {
		stands, pattern, err := standsFor(problem, named, r, t.job.Tables)
		if err != nil {
			return nil, none, err
		}
		if err := t.job.openParts(ctx, stands, pattern); err != nil {
			return nil, none, err
		}
	}
	if t.file, err = t.job.read(ctx); err != nil {
		return nil, none, err
	}
	for i := range t.file.Problem.Sensors {
		if t.file.Problem.Sensors[i].Student && t.stands(i) >= 0 {
			return nil, none, refuse(`%s: noise = "student" gives single readings weights, and bpielm solve must hold them all`, t.file.SensorFiles[i].Name)
		}
	}
	config, err := bpielm.Config(t.file)
	if err != nil {
		return nil, none, err
	}
	config.Source = t
	if err := config.Sourced(t.file.Problem); err != nil {
		return nil, none, err
	}
	config.MaxMemory = int64(o.maxMemory)
	if needed := posterior.Memory(t.file.Problem, config, true); needed > config.MaxMemory {
		return nil, none, refuse("it may need %d MiB of memory; %d are allowed (see --max-memory)", needed>>20, config.MaxMemory>>20)
	}
	return t, config, nil
}

// answer is all that solve finds out.
type answer struct {
	file     *spec.File // with the readings that were compared
	total    int        // readings
	q        *posterior.Posterior
	solution *solution.Solution
	verdict  *posterior.Verdict
	checks   []posterior.ReadingCheck
}

func (t *tables) solve(config posterior.Config, chunkBytes int64) (*answer, error) {
	if err := t.count(chunkBytes); err != nil {
		return nil, err
	}
	if err := t.draw(); err != nil {
		return nil, err
	}
	if !t.large() {
		config.Source = nil
	}
	a := &answer{}
	var err error
	if a.q, err = posterior.FitContext(t.ctx, t.file.Problem, config); err != nil {
		return nil, err
	}
	if a.verdict, a.checks, err = a.q.ExamineContext(t.ctx, t.file.Problem); err != nil {
		return nil, err
	}
	if a.file, err = t.compared(a.checks); err != nil {
		return nil, err
	}
	describe.Renumber(a.verdict, a.file, a.checks)
	describe.NameReadings(a.verdict, a.file)
	a.total = a.q.Summary().Readings
	a.solution, err = solution.OnGrid(a.file, a.q)
	return a, err
}

// solveFiles are the files of the results.
var solveFiles = []string{"solution.csv", "parameters.csv", "readings.csv", "model.bpielm", "summary.json"}

// Summary is summary.json, with keys and values of bpielm solve --json.
type Summary struct {
	Title        string                        `json:"title,omitempty"`
	Parameters   map[string]findings.Parameter `json:"parameters,omitempty"`
	Combinations []findings.Combination        `json:"combinations,omitempty"`
	Noise        *float64                      `json:"noise,omitempty"`
	NoiseGroups  []findings.Noise              `json:"noise_groups,omitempty"`
	Evidence     *float64                      `json:"evidence,omitempty"`
	Readings     int                           `json:"readings"`
	Verdict      *findings.Verdict             `json:"verdict"`
}

func (a *answer) summary() *Summary {
	s := a.q.Summary()
	return &Summary{
		Title: a.file.Title, Parameters: findings.Parameters(a.q, a.file), Combinations: findings.Combinations(a.verdict.Combinations),
		Noise: findings.Number(s.RootMeanSquareNoise()), NoiseGroups: findings.NoiseGroups(&s), Evidence: findings.Number(s.Evidence),
		Readings: a.total, Verdict: findings.VerdictOf(a.verdict),
	}
}

// write writes the results, on a local disk all or nothing.
func (a *answer) write(ctx context.Context, out string) (written []string, err error) {
	fill := map[string]func(io.Writer) error{
		"parameters.csv": func(w io.Writer) error { return solution.WriteParameters(w, a.q.Parameters()) },
		"readings.csv":   func(w io.Writer) error { return solution.WriteReadings(w, a.file, a.checks) },
		"model.bpielm":   a.q.WithNote(a.file.Definitions(solution.KnownSensors(a.file))).Save,
		"summary.json":   func(w io.Writer) error { return findings.WriteJSON(w, a.summary(), "  ") },
	}
	names, grids := a.solution.Tables(a.file.Problem.Variables)
	for i, grid := range grids {
		fill[names[i]] = grid.WriteCSV
	}
	if !isLocal(out) {
		for _, name := range slices.Sorted(maps.Keys(fill)) {
			if err := writeFile(ctx, out+"/"+name, fill[name]); err != nil {
				return nil, err
			}
			written = append(written, out+"/"+name)
		}
		return written, nil
	}
	to, err := results.Open(out)
	if err != nil {
		return nil, err
	}
	defer to.Discard()
	for _, name := range slices.Sorted(maps.Keys(fill)) {
		if err := to.Write(name, fill[name]); err != nil {
			return nil, err
		}
	}
	return to.Commit()
}

// remove removes what the passes have left.
func (t *tables) remove() {
	ctx := context.WithoutCancel(t.ctx)
	for n := 1; n <= t.passes; n++ {
		p := Pass{Job: t.job, Number: n}
		removeAll(ctx, p.folder())
	}
	removeAll(ctx, t.job.Folder)
	problems.Delete(t.job.Folder)
}

// report prints what all passes have counted. Rows are counted once, though each pass reads them.
func (t *tables) report(w io.Writer, took time.Duration, written []string) {
	rows := 0
	for _, n := range t.totals {
		rows += n
	}
	lines := map[string]int64{"rows": int64(rows), "rows skipped": t.skipped, "chunks": int64(len(t.pieces)), "passes": int64(t.passes)}
	for _, name := range []string{"tasks", "retries", "tasks found done", "jobs begun again", "bytes of summaries"} {
		lines[name] = t.counts[name]
	}
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintf(w, "%-18s %d\n", name, lines[name])
	}
	fmt.Fprintf(w, "%-18s %.1f s\n", "time", took.Seconds())
	for _, path := range written {
		fmt.Fprintf(w, "%-18s %s\n", "written", path)
	}
}

// describe says what a run would do. The number of readings is estimated from the beginning of each table.
func (t *tables) describe(config posterior.Config, o *options, w io.Writer) error {
	say := func(what, format string, args ...any) {
		fmt.Fprintf(w, "%-10s %s\n", what, fmt.Sprintf(format, args...))
	}
	size, chunks, most := int64(0), 0, 0
	for i := range t.job.Tables {
		table := &t.job.Tables[i]
		table.chunks(i, int64(o.chunkBytes), func(Chunk) { chunks++ })
		size += table.bytes()
		f := &table.Files[0]
		first, err := t.job.count(t.ctx, Chunk{i, 0, f.Begin, min(f.Size, f.Begin+headerBytes)})
		if err != nil {
			return err
		}
		rows := slices.Max(first.Rows)
		if read := min(f.Size-f.Begin, headerBytes); read > 0 {
			most = max(most, int(float64(rows)*float64(table.bytes())/float64(read)))
		}
		say("table", "%s: %s, %s, about %d readings", table.Stands, format.Count(len(table.Files), "file"), megabytes(table.bytes()), most)
	}
	neurons := config.Neurons
	if neurons == 0 {
		neurons = 400
	}
	columns := int64(t.file.Problem.Columns(neurons + 1))
	node := 4 * (columns + 1) * (columns + 2)
	leaves := (most + rowtree.LeafRows - 1) / rowtree.LeafRows
	say("stages", "count readings; draw some; search here; then for each size of layer: summarise, merge, weigh here; compare")
	say("passes", "%s of %s, each in %s", "2 if there are few readings, else 4 to 9", megabytes(size), format.Count(chunks, "chunk"))
	if most >= posterior.FewestOfLarge {
		say("summaries", "%s of leaves of %s for each layer, at most 8 layers in a pass", format.Count((leaves+t.leaves-1)/t.leaves, "run"), megabytes(node))
	}
	each := int64(runtime.GOMAXPROCS(0))
	say("worker", "about %s: a chunk with its readings, and for each of %s two summaries and the rows of a leaf", megabytes(int64(6*int64(o.chunkBytes))+16*rowtree.LeafRows*8+each*(4*node+256*8*columns)+8*node*4), format.Count(int(each), "processor"))
	say("here", "at most %s", megabytes(posterior.Memory(t.file.Problem, config, true)))
	return nil
}
