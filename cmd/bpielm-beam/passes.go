package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/posterior/rowtree"
	"github.com/bpielm/bpielm/system"
)

func init() {
	register.DoFn2x1[[]byte, func(int), error](&tasksFn{})
	register.DoFn3x1[context.Context, int, func(int, string), error](&taskFn{})
	register.DoFn4x1[context.Context, int, func(*string) bool, func(int, string), error](&mergeFn{})
	register.DoFn3x1[context.Context, int, func(*string) bool, error](&doneFn{})
	register.Emitter1[int]()
	register.Emitter2[int, string]()
	register.Iter1[string]()
}

var (
	taskCount    = beam.NewCounter("bpielm", "tasks")
	retryCount   = beam.NewCounter("bpielm", "retries")
	reusedCount  = beam.NewCounter("bpielm", "tasks found done")
	summaryBytes = beam.NewCounter("bpielm", "bytes of summaries")
)

// Kinds of passes through the tables.
const (
	countPass  = "count"     // how many readings there are, and where
	drawPass   = "draw"      // the readings that the search sees
	reducePass = "summarise" // all readings, under layers
	farPass    = "compare"   // the readings that lie farthest from what is predicted
)

// Pass is one pass through the tables, cut into tasks. What a task finds is a file in the folder of the pass; the elements of the
// pipeline are numbers and names of files. So no message is large, a task that is done twice replaces a file by the same
// bytes, and a pass that is begun again finds what has been done.
type Pass struct {
	Job    Job
	Number int
	Kind   string
	Totals []int // readings of each group
	Layers []feature.Config
	Far    *posterior.Forecast

	Part, First, Last int // a job does the tasks from First to Last
}

// Task is what one element of the pipeline stands for: pieces of a table or, where they are summarised, leaves of a group.
type Task struct {
	Pieces      []Piece
	Group       int
	First, Last int // leaves
}

// Found is what a task has found.
type Found struct {
	Pieces   []Piece  `json:",omitempty"`
	Readings []Record `json:",omitempty"`
	Nodes    []Node   `json:",omitempty"`
}

// Record is a reading with where it stands.
type Record struct {
	Group int
	posterior.FarReading
	File, Line int
	Sensor     string `json:",omitempty"`
}

// Node is where the summary of some leaves of a group stands, under a layer.
type Node struct {
	Layer, Group, First, Leaves int
	Path                        string
}

func (p *Pass) folder() string { return fmt.Sprintf("%s/pass-%d", p.Job.Folder, p.Number) }

func (p *Pass) path(task int) string { return fmt.Sprintf("%s/task-%06d.json", p.folder(), task) }

func (p *Pass) tasksPath() string { return p.folder() + "/tasks.json" }

func (p *Pass) donePath() string { return fmt.Sprintf("%s/done-%d.json", p.folder(), p.Part) }

// readJSON reads a file.
func readJSON(ctx context.Context, path string, to any) error {
	text, err := readFile(ctx, path)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func writeJSON(ctx context.Context, path string, v any) error {
	return writeFile(ctx, path, func(w io.Writer) error { return json.NewEncoder(w).Encode(v) })
}

// tasks reads the tasks of a pass.
func (p *Pass) tasks(ctx context.Context) (tasks []Task, err error) {
	return tasks, readJSON(ctx, p.tasksPath(), &tasks)
}

// runsMerged is how many runs of leaves are merged at once.
const runsMerged = 16

// pipeline makes the stages of a pass. leaves is how many a task summarises at most: then the levels of the tree that
// remain follow, each a stage that merges what belongs together.
func (p *Pass) pipeline(s beam.Scope, leaves, all int) {
	numbers := beam.Reshuffle(s, beam.ParDo(s.Scope("tasks"), &tasksFn{*p}, beam.Impulse(s)))
	found := beam.ParDo(s.Scope(p.Kind), &taskFn{Pass: *p, Span: leaves * runsMerged}, numbers)
	if p.Kind == reducePass {
		for span := leaves * runsMerged; span/runsMerged < all; span *= runsMerged {
			found = beam.ParDo(s.Scope(fmt.Sprintf("merge %d leaves", span)), &mergeFn{Pass: *p, Span: span}, beam.GroupByKey(s, found))
		}
	}
	beam.ParDo0(s.Scope("done"), &doneFn{*p}, beam.GroupByKey(s, beam.ParDo(s, together, found)))
}

// together gives all elements the same key.
func together(_ int, path string) (int, string) { return 0, path }

func init() { register.Function2x2(together) }

// tasksFn lists the tasks.
type tasksFn struct{ Pass Pass }

func (fn *tasksFn) ProcessElement(_ []byte, emit func(int)) error {
	for i := fn.Pass.First; i < fn.Pass.Last; i++ {
		emit(i)
	}
	return nil
}

// taskFn does tasks. It emits the names of files: of what was found or, for summaries, of each node, with the number of
// what it is merged in.
type taskFn struct {
	Pass Pass
	Span int // leaves that are merged at first

	tasks []Task
}

// fleetPart is what disturb is told of a part of a fleet.
const fleetPart = "part"

// disturb is called before and after each task, and before each part of a fleet. Tests make it fail.
var disturb = func(kind string, task int, done bool) error { return nil }

func (fn *taskFn) ProcessElement(ctx context.Context, number int, emit func(int, string)) (err error) {
	if fn.tasks == nil {
		if fn.tasks, err = fn.Pass.tasks(ctx); err != nil {
			return says(err)
		}
	}
	taskCount.Inc(ctx, 1)
	path := fn.Pass.path(number)
	var found Found
	if readJSON(ctx, path, &found) == nil {
		reusedCount.Inc(ctx, 1)
	} else {
		begun := path + ".begun"
		if _, err := readFile(ctx, begun); err == nil {
			retryCount.Inc(ctx, 1)
		}
		if err := writeFile(ctx, begun, func(io.Writer) error { return nil }); err != nil {
			return says(err)
		}
		if err := disturb(fn.Pass.Kind, number, false); err != nil {
			return err
		}
		if found, err = fn.Pass.do(ctx, number, &fn.tasks[number]); err != nil {
			return says(err)
		}
		if err := writeJSON(ctx, path, &found); err != nil {
			return says(err)
		}
		if err := disturb(fn.Pass.Kind, number, true); err != nil {
			return err
		}
	}
	for i := range found.Pieces {
		chunksRead.Inc(ctx, 1)
		rowsSkipped.Inc(ctx, found.Pieces[i].Skipped)
		for _, n := range found.Pieces[i].Rows {
			rowsRead.Inc(ctx, int64(n))
		}
	}
	if fn.Pass.Kind != reducePass {
		emit(0, path)
	}
	for i := range found.Nodes {
		emit(found.Nodes[i].key(&fn.Pass, fn.Span), found.Nodes[i].Path)
	}
	return nil
}

// key numbers what a node is merged in.
func (n *Node) key(p *Pass, span int) int {
	return (n.Layer*len(p.Totals)+n.Group)<<32 + n.First/span
}

// do does a task.
func (p *Pass) do(ctx context.Context, number int, t *Task) (found Found, err error) {
	defer func() { // a fault of the program is an error of the run, not the end of the worker
		if fault := recover(); fault != nil {
			err = fmt.Errorf("internal error: %v; this is a fault of the program, not of your files", fault)
		}
	}()
	switch p.Kind {
	case countPass:
		for i := range t.Pieces {
			piece, err := p.Job.count(ctx, t.Pieces[i].Chunk)
			if err != nil {
				return found, err
			}
			found.Pieces = append(found.Pieces, *piece)
		}
		return found, nil
	case reducePass:
		found.Nodes, err = p.reduce(ctx, t)
		return found, err
	}
	file, err := p.Job.file(ctx)
	if err != nil {
		return found, err
	}
	for i := range t.Pieces {
		piece := &t.Pieces[i]
		for _, g := range p.Job.groups(file, piece.Table) {
			list, err := p.look(ctx, piece, g)
			if err != nil {
				return found, err
			}
			found.Readings = append(found.Readings, list...)
		}
	}
	if p.Kind == farPass {
		found.Readings = farthest(found.Readings)
	}
	return found, nil
}

// look returns readings of a piece that a pass looks for.
func (p *Pass) look(ctx context.Context, piece *Piece, group int) (list []Record, err error) {
	if piece.Rows[group] == 0 {
		return nil, nil
	}
	g, err := p.Job.reread(ctx, piece, group)
	if err != nil {
		return nil, err
	}
	var some []posterior.FarReading
	first := piece.First[group]
	if p.Kind == farPass {
		file, err := p.Job.file(ctx)
		if err != nil {
			return nil, err
		}
		if some, err = p.Far.Far(file.Problem, group, first, &g.Sensors); err != nil {
			return nil, err
		}
	} else {
		for k, v := range g.Values {
			if posterior.Drawn(first+k, p.Totals[group]) {
				r := posterior.FarReading{Number: first + k, Point: slices.Clone(g.Points.Row(k)), Value: v}
				if g.Sigma != nil {
					r.Sigma = g.Sigma[k]
				}
				some = append(some, r)
			}
		}
	}
	before := lineCount(p.Job.Tables[piece.Table].Header)
	for _, r := range some {
		k := r.Number - first
		record := Record{Group: group, FarReading: r, File: piece.File, Line: g.of.Lines[k] + int(piece.Line) - 1 - before}
		if g.of.Sensors != nil {
			record.Sensor = g.of.Sensors[k]
		}
		list = append(list, record)
	}
	return list, nil
}

// farthest keeps of the readings of each group those that lie farthest off, and of readings that occur twice one.
func farthest(list []Record) (kept []Record) {
	at := map[[2]int]Record{}
	groups := map[int][]posterior.FarReading{}
	last := -1
	for _, r := range list {
		at[[2]int{r.Group, r.Number}] = r
		groups[r.Group] = append(groups[r.Group], r.FarReading)
		last = max(last, r.Group)
	}
	for g := range last + 1 {
		for _, r := range posterior.Farthest(groups[g]) {
			kept = append(kept, at[[2]int{g, r.Number}])
		}
	}
	return kept
}

// reduce summarises the leaves of a task under all layers.
func (p *Pass) reduce(ctx context.Context, t *Task) ([]Node, error) {
	file, err := p.Job.file(ctx)
	if err != nil {
		return nil, err
	}
	trees := make([]rowtree.Tree, len(p.Layers))
	left := file.Problem.Sensors[t.Group] // readings that no leaf has yet
	leaf, at := t.First, t.First*rowtree.LeafRows
	end := min(t.Last*rowtree.LeafRows, p.Totals[t.Group])
	for i := range t.Pieces {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g, err := p.Job.reread(ctx, &t.Pieces[i], t.Group)
		if err != nil {
			return nil, err
		}
		first := t.Pieces[i].First[t.Group]
		part := between(&g.Sensors, max(at-first, 0), min(end-first, len(g.Values)))
		at += len(part.Values)
		left = *follow(&left, part)
		n := len(left.Values) / rowtree.LeafRows
		if at == end && len(left.Values) > n*rowtree.LeafRows {
			n++
		}
		if err := p.reduceLeaves(&left, t.Group, leaf, n, trees); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Job.Tables[t.Pieces[i].Table].Files[t.Pieces[i].File].Path, err)
		}
		leaf += n
		left = *between(&left, min(n*rowtree.LeafRows, len(left.Values)), len(left.Values))
	}
	if at != end {
		return nil, fmt.Errorf("%d readings of %s were expected, and %d are there", end, file.SensorFiles[t.Group].Name, at)
	}
	var nodes []Node
	for k := range trees {
		for _, n := range trees[k].Nodes() {
			node, err := p.store(ctx, n, k, t.Group)
			if err != nil {
				return nil, err
			}
			nodes = append(nodes, node)
		}
	}
	return nodes, nil
}

// reduceLeaves adds the first count leaves of the readings at hand to the trees, on all processors.
func (p *Pass) reduceLeaves(s *system.Sensors, group, number, count int, trees []rowtree.Tree) error {
	file, err := p.Job.file(context.Background())
	if err != nil {
		return err
	}
	together := max(1, 2*runtime.GOMAXPROCS(0)/len(p.Layers))
	for from := 0; from < count; from += together {
		batch := min(together, count-from)
		nodes, errs := make([]*rowtree.Node, batch*len(p.Layers)), make([]error, batch*len(p.Layers))
		mat.Parallel(len(nodes), func(i int) {
			leaf, layer := from+i/len(p.Layers), i%len(p.Layers)
			rows := between(s, leaf*rowtree.LeafRows, min((leaf+1)*rowtree.LeafRows, len(s.Values)))
			nodes[i], errs[i] = posterior.ReduceLeaf(file.Problem, p.Layers[layer], group, number+leaf, rows)
		})
		for i, n := range nodes {
			if errs[i] != nil {
				return errs[i]
			}
			trees[i%len(p.Layers)].Add(n)
		}
	}
	return nil
}

// store writes a node into a file.
func (p *Pass) store(ctx context.Context, n *rowtree.Node, layer, group int) (Node, error) {
	at := Node{Layer: layer, Group: group, First: n.First, Leaves: n.Leaves}
	at.Path = fmt.Sprintf("%s/node-%d-%d-%d-%d", p.folder(), layer, group, n.First, n.Leaves)
	b, err := n.AppendBinary(nil)
	if err != nil {
		return at, err
	}
	summaryBytes.Inc(ctx, int64(len(b)))
	return at, writeFile(ctx, at.Path, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// load reads the nodes of files, in the order of their leaves. A file that is named twice counts once.
func load(ctx context.Context, paths []string) (list []*rowtree.Node, err error) {
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		b, err := readFile(ctx, path)
		if err != nil {
			return nil, err
		}
		n := new(rowtree.Node)
		if err := n.UnmarshalBinary(b); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b *rowtree.Node) int { return cmp.Compare(a.First, b.First) })
	return list, nil
}

// merged merges nodes that follow each other.
func merged(list []*rowtree.Node) (*rowtree.Tree, error) {
	t := new(rowtree.Tree)
	next := -1
	for _, n := range list {
		if next >= 0 && n.First != next {
			return nil, fmt.Errorf("the summary of leaf %d is missing", next)
		}
		next = n.First + n.Leaves
		t.Add(n)
	}
	return t, nil
}

// mergeFn merges the nodes of a span of leaves of one group, under one layer.
type mergeFn struct {
	Pass Pass
	Span int
}

func (fn *mergeFn) ProcessElement(ctx context.Context, key int, next func(*string) bool, emit func(int, string)) error {
	var paths []string
	for path := ""; next(&path); path = "" {
		paths = append(paths, path)
	}
	list, err := load(ctx, paths)
	if err != nil {
		return says(err)
	}
	tree, err := merged(list)
	if err != nil {
		return says(err)
	}
	layer, group := key>>32/len(fn.Pass.Totals), key>>32%len(fn.Pass.Totals)
	for _, n := range tree.Nodes() {
		at, err := fn.Pass.store(ctx, n, layer, group)
		if err != nil {
			return says(err)
		}
		emit(at.key(&fn.Pass, fn.Span*runsMerged), at.Path)
	}
	return nil
}

// doneFn writes the list of the files that a pass ends with.
type doneFn struct{ Pass Pass }

func (fn *doneFn) ProcessElement(ctx context.Context, _ int, next func(*string) bool) error {
	var paths []string
	for path := ""; next(&path); path = "" {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return says(writeJSON(ctx, fn.Pass.donePath(), slices.Compact(paths)))
}

// lineCount is the number of lines of a header.
func lineCount(text string) (n int) {
	for _, c := range text {
		if c == '\n' {
			n++
		}
	}
	return n
}

var errNothing = errors.New("the tables have no readings")
