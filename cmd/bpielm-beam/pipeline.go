package main

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn3x1[context.Context, []byte, func(int, Part), error](&listFn{})
	register.DoFn2x0[[]byte, func(Chunk)](&chunkFn{})
	register.DoFn3x1[context.Context, Chunk, func(int, Part), error](&scanFn{})
	register.DoFn4x1[context.Context, int, func(*Part) bool, func(int, Solved), error](&solveFn{})
	register.DoFn3x1[context.Context, int, func(*Solved) bool, error](&listedFn{})
	register.Emitter1[Chunk]()
	register.Emitter2[int, Part]()
	register.Emitter2[int, Solved]()
	register.Iter1[Part]()
	register.Iter1[Solved]()
}

// What a run counts, on all workers together.
var (
	rowsRead     = beam.NewCounter("bpielm", "rows")
	rowsSkipped  = beam.NewCounter("bpielm", "rows skipped")
	chunksRead   = beam.NewCounter("bpielm", "chunks")
	bytesMoved   = beam.NewCounter("bpielm", "bytes shuffled")
	problemCount = beam.NewCounter("bpielm", "problems")
	failedCount  = beam.NewCounter("bpielm", "problems failed")
)

// pipeline makes the stages of a run. Problems are divided into parts by their names alone, each part is an element of the
// last stage, and has a file of its own in the folder. So nothing depends on how a runner divides the work, and a part that
// is solved twice replaces a file by the same bytes.
func pipeline(s beam.Scope, f Fleet, parts int, folder string) {
	start := beam.Impulse(s)
	var rows beam.PCollection // of KV<part, Part>
	if len(f.Tables) == 0 {
		rows = beam.ParDo(s.Scope("list problems"), &listFn{f.Problem, parts}, start)
	} else {
		chunks := beam.Reshuffle(s, beam.ParDo(s.Scope("divide tables"), &chunkFn{f.Tables, f.ChunkBytes}, start))
		rows = beam.ParDo(s.Scope("read rows"), &scanFn{f.Tables, parts}, chunks)
	}
	// A last stage lists the files. It also keeps the runner in this process from polling: it does while a stage has no output.
	solved := beam.ParDo(s.Scope("solve"), &solveFn{Fleet: f, Parts: parts, Folder: folder}, beam.GroupByKey(s.Scope("gather"), rows))
	beam.ParDo0(s.Scope("list results"), &listedFn{folder}, beam.GroupByKey(s, solved))
}

// Solved is what is known of a part that is done.
type Solved struct {
	Part, Problems, Failed int
}

// partOf returns the part that a problem is in.
func partOf(key string, parts int) int {
	h := fnv.New64a()
	io.WriteString(h, key)
	return int(h.Sum64() % uint64(parts))
}

// listFn finds the problem files.
type listFn struct {
	Pattern string
	Parts   int
}

func (fn *listFn) ProcessElement(ctx context.Context, _ []byte, emit func(int, Part)) error {
	paths, err := list(ctx, fn.Pattern)
	if err != nil {
		return says(err)
	}
	for _, path := range paths {
		emit(partOf(path, fn.Parts), Part{Key: path})
	}
	return nil
}

// list returns the files of a pattern, in order.
func list(ctx context.Context, pattern string) ([]string, error) {
	disk, err := filesystem.New(ctx, pattern)
	if err != nil {
		return nil, refuse("%s: %v", pattern, err)
	}
	defer disk.Close()
	paths, err := disk.List(ctx, pattern)
	if err != nil {
		return nil, refuse("%s: %v", pattern, err)
	}
	if len(paths) == 0 {
		return nil, refuse("%s: no file matches", pattern)
	}
	slices.Sort(paths)
	return paths, nil
}

// chunkFn divides the files of tables.
type chunkFn struct {
	Tables []Table
	Bytes  int64
}

func (fn *chunkFn) ProcessElement(_ []byte, emit func(Chunk)) {
	for i := range fn.Tables {
		fn.Tables[i].chunks(i, fn.Bytes, emit)
	}
}

// scanFn reads chunks.
type scanFn struct {
	Tables []Table
	Parts  int
}

func (fn *scanFn) ProcessElement(ctx context.Context, c Chunk, emit func(int, Part)) error {
	chunksRead.Inc(ctx, 1)
	return says(fn.Tables[c.Table].scan(ctx, c, func(p Part) {
		if p.Key == "" {
			rowsSkipped.Inc(ctx, p.Count)
		} else {
			rowsRead.Inc(ctx, p.Count)
		}
		bytesMoved.Inc(ctx, int64(len(p.Rows)))
		emit(partOf(p.Key, fn.Parts), p)
	}))
}

// solveFn solves the problems of a part.
type solveFn struct {
	Fleet  Fleet
	Parts  int
	Folder string

	kept *sync.Map
}

// keptOf has the files that all problems of a template read, once for each worker.
var keptOf sync.Map

func (fn *solveFn) Setup() {
	kept, _ := keptOf.LoadOrStore(fn.Folder, new(sync.Map))
	fn.kept = kept.(*sync.Map)
}

func (fn *solveFn) ProcessElement(ctx context.Context, part int, next func(*Part) bool, emit func(int, Solved)) error {
	if err := disturb(fleetPart, part, false); err != nil {
		return err
	}
	found := map[string]*gathered{}
	for p := (Part{}); next(&p); p = (Part{}) {
		g := found[p.Key]
		if g == nil {
			g = &gathered{key: p.Key}
			found[p.Key] = g
		}
		g.add(&p, fn.Fleet.MaxBytes)
	}
	var problems []*gathered
	for _, g := range found {
		problems = append(problems, g)
	}
	lines := fn.Fleet.solveAll(ctx, problems, fn.kept)
	if err := ctx.Err(); err != nil { // the lines would say so of each problem
		return err
	}
	failed := 0
	if err := writeFile(ctx, partPath(fn.Folder, part, fn.Parts), func(w io.Writer) error {
		for _, l := range lines {
			if l.Error != "" {
				failed++
			}
			if _, err := w.Write(l.encode()); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return says(err)
	}
	problemCount.Inc(ctx, int64(len(lines)))
	failedCount.Inc(ctx, int64(failed))
	emit(0, Solved{part, len(lines), failed})
	return nil
}

// partPath is where the lines of a part stand until all are there.
func partPath(folder string, part, parts int) string {
	return fmt.Sprintf("%s/part-%05d-of-%05d.jsonl", folder, part, parts)
}

// listedFn writes the list of all parts that have a problem.
type listedFn struct{ Folder string }

func (fn *listedFn) ProcessElement(ctx context.Context, _ int, next func(*Solved) bool) error {
	done := map[int]Solved{}
	for p := (Solved{}); next(&p); p = (Solved{}) {
		done[p.Part] = p
	}
	return says(writeFile(ctx, fn.Folder+listFile, func(w io.Writer) error { return json.NewEncoder(w).Encode(done) }))
}

const listFile = "/parts.json"
