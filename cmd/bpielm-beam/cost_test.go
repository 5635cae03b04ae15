package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/bpielm/bpielm/posterior/rowtree"
)

var (
	simulated      = flag.Int("simulate", 0, "measure the tasks of solve with this number of readings, and simulate a thousand times as many on many workers")
	simulatedFleet = flag.Int("simulate-fleet", 0, "measure the tasks of fleet with this number of problems, and simulate a hundred times as many on many workers")
)

// measuring executes passes one task after the other, and notes what each takes of one processor.
type measuring struct {
	passes []measured
}

// measured is what was measured of a pass. Times are seconds for each reading, or for each node that is merged.
type measured struct {
	kind          string
	tasks, merges []float64
	spent         float64 // in all
}

func (m *measuring) execute(ctx context.Context, p *Pass, leaves, all int) (map[string]int64, error) {
	tasks, err := p.tasks(ctx)
	if err != nil {
		return nil, err
	}
	now := measured{kind: p.Kind}
	timed := func(n int, to *[]float64, do func() error) error {
		begin := time.Now()
		err := do()
		took := time.Since(begin).Seconds()
		now.spent += took
		if n > 0 {
			*to = append(*to, took/float64(n))
		}
		return err
	}
	groups := map[int][]string{}
	emitTo := func(groups map[int][]string) func(int, string) {
		return func(key int, path string) { groups[key] = append(groups[key], path) }
	}
	fn := &taskFn{Pass: *p, Span: leaves * runsMerged}
	for i := p.First; i < p.Last; i++ {
		if err := timed(readingsOf(&tasks[i], p.Kind), &now.tasks, func() error { return fn.ProcessElement(ctx, i, emitTo(groups)) }); err != nil {
			return nil, err
		}
	}
	if p.Kind == reducePass {
		for span := leaves * runsMerged; span/runsMerged < all; span *= runsMerged {
			next := map[int][]string{}
			for key, paths := range groups {
				merge := &mergeFn{Pass: *p, Span: span}
				if err := timed(len(paths), &now.merges, func() error { return merge.ProcessElement(ctx, key, iterate(paths), emitTo(next)) }); err != nil {
					return nil, err
				}
			}
			groups = next
		}
	}
	m.passes = append(m.passes, now)
	var paths []string
	for _, list := range groups {
		paths = append(paths, list...)
	}
	return nil, (&doneFn{*p}).ProcessElement(ctx, 0, iterate(paths))
}

// readingsOf is how many readings a task reads; of those that are counted, about as many as bytes over rowBytes.
func readingsOf(t *Task, kind string) (n int) {
	if kind == reducePass {
		return (t.Last - t.First) * rowtree.LeafRows
	}
	for i := range t.Pieces {
		if p := &t.Pieces[i]; kind == countPass {
			n += int((p.End - p.Begin) / rowBytes)
		} else {
			for _, rows := range p.Rows {
				n += rows
			}
		}
	}
	return n
}

// rowBytes is about the length of a row of rodRows.
const rowBytes = 21

// onWorkers is when the last of some tasks ends, if each of the workers takes the next as soon as it is free.
func onWorkers(workers, tasks int, took func() float64) float64 {
	free := make([]float64, workers)
	for range tasks {
		k := 0
		for i := range free {
			if free[i] < free[k] {
				k = i
			}
		}
		free[k] += took()
	}
	return slices.Max(free)
}

// drawing returns the times of tasks, each count times one of those that were measured.
func drawing(dice *rand.Rand) func(from []float64, count int) func() float64 {
	return func(from []float64, count int) func() float64 {
		return func() float64 { return from[dice.IntN(len(from))] * float64(count) }
	}
}

// simulate is the time of a pass of n readings.
func (m *measured) simulate(workers, n int, dice *rand.Rand) float64 {
	draw := drawing(dice)
	chunks := max(1, n*rowBytes/chunkBytes)
	switch m.kind {
	case countPass:
		return onWorkers(workers, chunks, draw(m.tasks, n/chunks))
	case reducePass:
		leaves, together := n/rowtree.LeafRows, leavesTogether
		for leaves/together > mostTasks {
			together *= 2
		}
		nodes := max(1, leaves/together)
		took := onWorkers(workers, nodes, draw(m.tasks, n/nodes))
		for nodes > 1 && len(m.merges) > 0 { // a stage begins when the one before has ended
			merges := (nodes + runsMerged - 1) / runsMerged
			took += onWorkers(workers, merges, draw(m.merges, (nodes+merges-1)/merges))
			nodes = merges
		}
		return took
	}
	tasks := max(1, chunks/max(1, min(piecesTogether, chunks/64)))
	return onWorkers(workers, tasks, draw(m.tasks, n/tasks))
}

// What many workers would take, each of them one processor: the tasks are measured one by one, and the passes simulated
// with these times, drawn at random. What this process does alone is added as it was. The same is compared with a run on Prism.
//
//	go test -run ManyWorkers -simulate 1000000 -v -timeout 0
func TestManyWorkers(t *testing.T) {
	if *simulated == 0 {
		t.Skip("-simulate 1000000 measures for some minutes")
	}
	folder := rod(t, *simulated)
	o := rodOptions(folder)
	o.set = texts{"features.neurons=300"}
	prism := time.Now()
	if err := solve(context.Background(), filepath.Join(folder, "problem.toml"), o, io.Discard); err != nil {
		t.Fatal(err)
	}
	onPrism := time.Since(prism).Seconds()

	processors := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(processors)
	tables, config, err := o.open(context.Background(), filepath.Join(folder, "problem.toml"))
	if err != nil {
		t.Fatal(err)
	}
	m := new(measuring)
	tables.execute = m.execute
	tables.job.Folder = filepath.ToSlash(filepath.Join(o.out, ".passes"))
	defer tables.remove()
	begin := time.Now()
	if _, err := tables.solve(config, int64(o.chunkBytes)); err != nil {
		t.Fatal(err)
	}
	alone := time.Since(begin).Seconds()
	for i := range m.passes {
		alone -= m.passes[i].spent
	}
	dice := rand.New(rand.NewPCG(5, 8))
	total := func(workers, n int) (sum float64) {
		for i := range m.passes {
			sum += m.passes[i].simulate(workers, n, dice)
		}
		return sum
	}
	t.Logf("%d readings on Prism, %d processors: %.1f s; simulated with as many workers: %.1f s, and %.1f s on one processor for what this process does alone",
		*simulated, processors, onPrism, total(processors, *simulated), alone)
	for _, workers := range []int{10, 100, 1000} {
		t.Logf("%d readings on %d workers: %.0f s and %.1f s alone", 1000**simulated, workers, total(workers, 1000**simulated), alone)
	}
	for i := range m.passes {
		p := &m.passes[i]
		t.Logf("pass %s: %d tasks, %.2f µs for each reading, %d merges of %.1f ms a node", p.kind, len(p.tasks), 1e6*mean(p.tasks), len(p.merges), 1e3*mean(p.merges))
	}
}

// The same of fleet: chunks are read, and then parts are solved. What the runner does is in the run on Prism only.
//
//	go test -run ManyProblems -simulate-fleet 10000 -v -timeout 0
func TestManyProblems(t *testing.T) {
	n := *simulatedFleet
	if n == 0 {
		t.Skip("-simulate-fleet 10000 measures for some minutes")
	}
	ctx := context.Background()
	folder := write(t, map[string]string{"problem.toml": wellText, "wells.csv": wellTable(n)})
	problem := filepath.Join(folder, "problem.toml")
	o := usual(folder)
	o.brief, o.set = true, texts{fmt.Sprintf("features.neurons=%d", throughputNeurons)}
	begin := time.Now()
	if err := fleet(ctx, problem, o, io.Discard); err != nil {
		t.Fatal(err)
	}
	onPrism := time.Since(begin).Seconds()

	workers := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(workers)
	f, total, err := o.plan(ctx, problem)
	if err != nil {
		t.Fatal(err)
	}
	parts := partsFor(total, true)
	timed := func(to *[]float64, n int, do func() error) {
		begin := time.Now()
		if err := do(); err != nil {
			t.Fatal(err)
		}
		*to = append(*to, time.Since(begin).Seconds()/float64(n))
	}
	var scans, solves, ends []float64 // seconds for each byte, problem and problem
	rows := map[int][]Part{}
	f.Tables[0].chunks(0, f.ChunkBytes, func(c Chunk) {
		timed(&scans, int(c.End-c.Begin), func() error {
			return (&scanFn{f.Tables, parts}).ProcessElement(ctx, c, func(part int, p Part) { rows[part] = append(rows[part], p) })
		})
	})
	parting := filepath.ToSlash(filepath.Join(o.out, ".parts"))
	solve := &solveFn{Fleet: f, Parts: parts, Folder: parting}
	solve.Setup()
	var done []Solved
	for part, list := range rows {
		timed(&solves, len(list), func() error {
			return solve.ProcessElement(ctx, part, iterate(list), func(_ int, s Solved) { done = append(done, s) })
		})
	}
	timed(&ends, n, func() error {
		if err := (&listedFn{parting}).ProcessElement(ctx, 0, iterate(done)); err != nil {
			return err
		}
		_, err := finish(ctx, parting, o.out, parts, false)
		return err
	})
	draw := drawing(rand.New(rand.NewPCG(8, 13)))
	simulate := func(workers, times int) float64 {
		bytes := total * int64(times)
		chunks, parts := max(1, int(bytes/f.ChunkBytes)), partsFor(bytes, true)
		return onWorkers(workers, chunks, draw(scans, int(bytes)/chunks)) + onWorkers(workers, parts, draw(solves, n*times/parts))
	}
	t.Logf("%d problems on Prism, %d processors: %.1f s; simulated with as many workers: %.1f s, and %.1f s for putting together", n, workers, onPrism, simulate(workers, 1), mean(ends)*float64(n))
	for _, workers := range []int{10, 100, 1000} {
		t.Logf("%d problems on %d workers: %.0f s, and %.0f s for putting together", 100*n, workers, simulate(workers, 100), mean(ends)*100*float64(n))
	}
	t.Logf("%.0f bytes of a problem, %.2f µs to read them, %.2f ms to solve it, %.1f µs to put its line where it belongs", float64(total)/float64(n), 1e6*mean(scans)*float64(total)/float64(n), 1e3*mean(solves), 1e6*mean(ends))
}

func mean(list []float64) (m float64) {
	for _, v := range list {
		m += v / float64(len(list))
	}
	return m
}
