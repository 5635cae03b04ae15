package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bpielm/bpielm"
	"github.com/bpielm/bpielm/cmd/internal/describe"
	"github.com/bpielm/bpielm/cmd/internal/findings"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/readings"
	"github.com/bpielm/bpielm/system/spec"
)

// Fleet says what is to be solved. Every worker has it.
type Fleet struct {
	Problem   string   // the template, or a pattern of problem files
	Set       []string // values of keys, for all problems
	Tables    []Table  // none: each problem file has its own readings
	Verdicts  bool
	MaxTime   time.Duration
	MaxMemory int64 // of one problem
	MaxBytes  int64 // of the rows of one problem

	ChunkBytes int64 // of a table that one element of the pipeline stands for
}

// Line is what is said of one problem: its answer, or why there is none.
type Line struct {
	Problem string `json:"problem"`
	Error   string `json:"error,omitempty"`

	Readings     int                           `json:"readings,omitempty"`
	Missing      int                           `json:"missing,omitempty"` // values that were left out
	Parameters   map[string]findings.Parameter `json:"parameters,omitempty"`
	Combinations []findings.Combination        `json:"combinations,omitempty"`
	Noise        *float64                      `json:"noise,omitempty"`
	NoiseGroups  []findings.Noise              `json:"noise_groups,omitempty"`
	Evidence     *float64                      `json:"evidence,omitempty"`
	Verdict      *findings.Verdict             `json:"verdict,omitempty"` // of its checks, those that were not passed
}

// encode returns the line as JSON.
func (l *Line) encode() []byte {
	var b bytes.Buffer
	if err := findings.WriteJSON(&b, l, ""); err != nil {
		b.Reset()
		findings.WriteJSON(&b, &Line{Problem: l.Problem, Error: err.Error()}, "") // has no numbers
	}
	return b.Bytes()
}

// gathered are the parts of one problem.
type gathered struct {
	key   string
	parts []Part
	bytes int64
	seen  map[place]bool
}

// place is where a part begins.
type place struct {
	table, file int
	at          int64
}

// add takes a part. One that was delivered before does not count again, and rows beyond the limit are not kept.
func (g *gathered) add(p *Part, most int64) {
	at := place{p.Table, p.File, p.At}
	if g.seen[at] {
		return
	}
	if g.seen == nil {
		g.seen = map[place]bool{}
	}
	g.seen[at] = true
	if g.bytes += p.Bytes; g.bytes > most && g.key != "" {
		g.parts = nil
		return
	}
	g.parts = append(g.parts, *p)
}

// solve solves one problem. It never fails: an error is an answer, too.
func (f *Fleet) solve(ctx context.Context, g *gathered, kept *sync.Map) (l *Line) {
	defer func() {
		if fault := recover(); fault != nil {
			l = &Line{Problem: g.key, Error: fmt.Sprintf("internal error: %v; this is a fault of the program, not of your files", fault)}
		}
	}()
	l = &Line{Problem: g.key}
	if err := f.infer(ctx, g, kept, l); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("it took more than %s (see --max-time)", f.MaxTime)
		}
		return &Line{Problem: g.key, Error: strings.ReplaceAll(err.Error(), "\n", " ")}
	}
	return l
}

func (f *Fleet) infer(ctx context.Context, g *gathered, kept *sync.Map, l *Line) error {
	if f.MaxTime > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, f.MaxTime)
		defer stop()
	}
	file, err := f.read(ctx, g, kept)
	if err != nil {
		return err
	}
	config, err := f.config(file)
	if err != nil {
		return err
	}
	if file.Problem, err = posterior.Ranged(file.Problem); err != nil {
		return err
	}
	q, err := posterior.FitContext(ctx, file.Problem, config)
	if err != nil {
		return err
	}
	for i := range file.Problem.Sensors {
		l.Readings += len(file.Problem.Sensors[i].Values)
		l.Missing += file.SensorFiles[i].Passed.Gaps
	}
	summary := q.Summary()
	l.Parameters, l.NoiseGroups = findings.Parameters(q, file), findings.NoiseGroups(&summary)
	l.Noise, l.Evidence = findings.Number(summary.RootMeanSquareNoise()), findings.Number(summary.Evidence)
	if !f.Verdicts || q.ParameterCorrelation() == nil { // the method has no uncertainty
		return nil
	}
	v, _, err := q.ExamineContext(ctx, file.Problem)
	if err != nil {
		return err
	}
	describe.NameReadings(v, file)
	v.Checks = slices.DeleteFunc(v.Checks, func(c posterior.Check) bool { return c.Status == posterior.Passed })
	l.Combinations, l.Verdict = findings.Combinations(v.Combinations), findings.VerdictOf(v)
	return nil
}

// bytesOfPoint is the least memory that a point takes before a fit begins.
const bytesOfPoint = 64

// read reads a problem with its rows.
func (f *Fleet) read(ctx context.Context, g *gathered, kept *sync.Map) (*spec.File, error) {
	from, set := f.Problem, slices.Clone(f.Set)
	disk := &folder{ctx: ctx, kept: kept}
	if len(f.Tables) == 0 {
		from, disk.kept = g.key, nil
	} else {
		rows, err := f.rows(ctx, g)
		if err != nil {
			return nil, err
		}
		disk.place = map[string][]byte{}
		for i := range f.Tables {
			t := &f.Tables[i]
			switch {
			case t.Stands == "":
				values, err := t.values(rows[i])
				if err != nil {
					return nil, err
				}
				set = append(set, values...)
			case len(rows[i]) == 0:
				return nil, fmt.Errorf("it has no rows in the table that stands for %s", t.Stands)
			default:
				disk.place[t.Stands] = append([]byte(t.Header+"\n"), rows[i]...)
			}
		}
	}
	base, name := split(from)
	disk.base = base
	return spec.ReadFSLimited(disk, name, set, spec.Limits{Points: f.MaxMemory / bytesOfPoint, Bytes: f.MaxMemory})
}

// rows returns the rows that a problem has in each table, in their order.
func (f *Fleet) rows(ctx context.Context, g *gathered) ([][]byte, error) {
	if g.key == "" {
		n, first := int64(0), g.parts[0]
		for _, p := range g.parts {
			n += p.Count
			if p.Table < first.Table || p.Table == first.Table && (p.File < first.File || p.File == first.File && p.At < first.At) {
				first = p
			}
		}
		return nil, fmt.Errorf("%d lines say of no problem that they are of it; the first begins at byte %d of %s: %q", n, first.At, f.Tables[first.Table].Files[first.File].Path, first.Rows)
	}
	if g.bytes > f.MaxBytes {
		return nil, fmt.Errorf("its rows have %d bytes; at most %d are allowed (see --max-bytes)", g.bytes, f.MaxBytes)
	}
	slices.SortFunc(g.parts, func(a, b Part) int {
		if a.Table != b.Table {
			return a.Table - b.Table
		}
		if a.File != b.File {
			return a.File - b.File
		}
		return int(a.At - b.At)
	})
	rows := make([][]byte, len(f.Tables))
	for i := range g.parts {
		p := &g.parts[i]
		some, err := f.Tables[p.Table].read(ctx, p)
		if err != nil {
			return nil, err
		}
		rows[p.Table] = append(rows[p.Table], some...)
	}
	return rows, nil
}

// values returns the values of keys that a problem's row has.
func (t *Table) values(rows []byte) (set []string, err error) {
	lines := strings.Split(strings.TrimSuffix(string(rows), "\n"), "\n")
	switch {
	case lines[0] == "":
		return nil, errors.New("it has no row in the table of values")
	case len(lines) > 1:
		return nil, fmt.Errorf("it has %d rows in the table of values", len(lines))
	}
	names, err := readings.Split(nil, t.Header, t.Separator)
	if err != nil {
		return nil, err
	}
	cells, err := readings.Split(nil, lines[0], t.Separator)
	if err == nil && len(cells) != len(names) {
		err = fmt.Errorf("%d cells and %d columns", len(cells), len(names))
	}
	if err != nil {
		return nil, fmt.Errorf("its row in the table of values: %w", err)
	}
	for i, name := range names {
		if i != t.Column && cells[i] != "" && name != "" {
			set = append(set, name+"="+cells[i])
		}
	}
	return set, nil
}

// config says how to solve a problem, and refuses one that would need too much memory.
func (f *Fleet) config(file *spec.File) (posterior.Config, error) {
	config, err := bpielm.Config(file)
	if err != nil {
		return config, err
	}
	config.MaxMemory = f.MaxMemory
	if needed := posterior.Memory(file.Problem, config, true); needed > f.MaxMemory {
		return config, fmt.Errorf("it may need %d MiB of memory; %d are allowed (see --max-memory)", needed>>20, f.MaxMemory>>20)
	}
	return config, nil
}

// processors limits the problems that a worker solves at a time, whatever the number of its threads.
var processors = make(chan struct{}, runtime.GOMAXPROCS(0))

// solveAll solves problems on all processors, in the order of their keys, and returns a line for each.
func (f *Fleet) solveAll(ctx context.Context, problems []*gathered, kept *sync.Map) (lines []*Line) {
	slices.SortFunc(problems, func(a, b *gathered) int { return strings.Compare(a.key, b.key) })
	lines = make([]*Line, len(problems))
	var all sync.WaitGroup
	for i := range problems {
		processors <- struct{}{}
		all.Go(func() {
			defer func() { <-processors }()
			lines[i] = f.solve(ctx, problems[i], kept)
			problems[i] = nil
		})
	}
	all.Wait()
	return lines
}
