package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/posterior/rowtree"
	"github.com/bpielm/bpielm/system/spec"
)

// tables are the readings of a problem where they stand, as a posterior.Source: each request is a pass of the pipeline.
type tables struct {
	ctx     context.Context
	job     Job
	file    *spec.File // its large groups have the readings that are drawn
	pieces  []Piece    // in the order of tables, files and bytes
	totals  []int      // readings of each group
	leaves  int        // that one task summarises
	records map[[2]int]Record

	jobs     int           // that a pass is divided into
	patience time.Duration // with a job that does nothing

	passes  int
	skipped int64
	lock    sync.Mutex
	counts  map[string]int64 // metrics of all passes
	say     func(format string, args ...any)
	execute func(ctx context.Context, p *Pass, leaves, all int) (map[string]int64, error)
}

const (
	// attempts is how often a job is begun until it ends. Tasks that were done are not done again.
	attempts = 3
	// usualPatience is how long nothing need be done. The longest task has some seconds for each layer.
	usualPatience = 15 * time.Minute
	// piecesTogether is how many chunks of a table one task reads at most.
	piecesTogether = 16
	// mostTasks is how many tasks summarise the readings of a group, if there are that many leaves.
	mostTasks = 4096
	// leavesTogether is the least number of leaves that one task summarises.
	leavesTogether = 8
)

// runPass is the usual way to execute a pass.
func runPass(ctx context.Context, pass *Pass, leaves, all int) (map[string]int64, error) {
	p, s := beam.NewPipelineWithRoot()
	pass.pipeline(s, leaves, all)
	result, err := beamx.RunWithMetrics(ctx, p)
	if err != nil {
		return nil, err
	}
	counts := map[string]int64{}
	for _, c := range result.Metrics().Query(func(metrics.SingleResult) bool { return true }).Counters() {
		counts[c.Name()] += c.Result()
	}
	return counts, nil
}

// pass executes a pass, and returns the files that it ends with. It is divided into jobs that run at once.
func (t *tables) pass(p Pass, tasks []Task, all int) (paths []string, err error) {
	t.passes++
	p.Job, p.Number, p.Totals = t.job, t.passes, t.totals
	if err := writeJSON(t.ctx, p.tasksPath(), tasks); err != nil {
		return nil, err
	}
	jobs := max(1, min(t.jobs, len(tasks)))
	lists, errs := make([][]string, jobs), make([]error, jobs)
	var running sync.WaitGroup
	for i := range jobs {
		part := p
		part.Part, part.First, part.Last = i, i*len(tasks)/jobs, (i+1)*len(tasks)/jobs
		running.Go(func() {
			if errs[i] = t.part(&part, all); errs[i] == nil {
				errs[i] = readJSON(t.ctx, part.donePath(), &lists[i])
			}
		})
	}
	running.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	t.say("pass %d: %s, %s", p.Number, p.Kind, format.Count(len(tasks), "task"))
	return slices.Concat(lists...), nil
}

// part executes one job of a pass. What is wrong with the tables ends it at once; if the runner fails, or does nothing, it is
// begun again, each time with twice the patience.
func (t *tables) part(p *Pass, all int) error {
	patience := t.patience
	for attempt := 1; ; attempt++ {
		var counts map[string]int64
		err := watched(t.ctx, p.folder(), patience, func(ctx context.Context) (err error) {
			counts, err = t.execute(ctx, p, t.leaves, all)
			return err
		})
		if err == nil {
			t.lock.Lock()
			defer t.lock.Unlock()
			for name, n := range counts {
				t.counts[name] += n
			}
			return nil
		}
		if strings.Contains(err.Error(), said) || t.ctx.Err() != nil || attempt == attempts {
			return plain(err)
		}
		t.lock.Lock()
		t.counts["jobs begun again"]++
		t.say("pass %d failed, and begins again: %.200s", p.Number, strings.Join(strings.Fields(err.Error()), " "))
		t.lock.Unlock()
		patience *= 2
	}
}

// found reads what the tasks of a pass have found, in their order, and checks that none is missing.
func (t *tables) found(paths []string, tasks int) (all []Found, err error) {
	if len(paths) != tasks {
		return nil, fmt.Errorf("%d of %d tasks are there", len(paths), tasks)
	}
	for _, path := range paths {
		var f Found
		if err := readJSON(t.ctx, path, &f); err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// count finds out where the readings are.
func (t *tables) count(chunkBytes int64) error {
	var tasks []Task
	for i := range t.job.Tables {
		t.job.Tables[i].chunks(i, chunkBytes, func(c Chunk) { tasks = append(tasks, Task{Pieces: []Piece{{Chunk: c}}}) })
	}
	t.totals = make([]int, len(t.file.SensorFiles))
	paths, err := t.pass(Pass{Kind: countPass}, tasks, 0)
	if err != nil {
		return err
	}
	all, err := t.found(paths, len(tasks))
	if err != nil {
		return err
	}
	for i := range all {
		t.pieces = append(t.pieces, all[i].Pieces...)
	}
	slices.SortFunc(t.pieces, func(a, b Piece) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.File, b.File), cmp.Compare(a.Begin, b.Begin))
	})
	line := int64(0)
	for i := range t.pieces {
		p := &t.pieces[i]
		if i == 0 || p.Table != t.pieces[i-1].Table || p.File != t.pieces[i-1].File {
			line = int64(lineCount(t.job.Tables[p.Table].Header)) + 1
		}
		p.Line = line
		line += p.Lines
		p.First = slices.Clone(t.totals)
		for g, n := range p.Rows {
			t.totals[g] += n
		}
		t.skipped += p.Skipped
	}
	for i := range t.file.SensorFiles {
		if t.totals[i] == 0 && t.stands(i) >= 0 {
			return refuse("%s: the tables that stand for it have no readings", t.file.SensorFiles[i].Name)
		}
	}
	for i := range t.totals {
		for t.totals[i]/rowtree.LeafRows/t.leaves > mostTasks {
			t.leaves *= 2
		}
	}
	return nil
}

// stands returns the table that stands for the file of a group, -1 if none does.
func (t *tables) stands(group int) int {
	return slices.IndexFunc(t.job.Tables, func(table Table) bool { return table.Stands == t.file.SensorFiles[group].Name })
}

// every divides all pieces into tasks.
func (t *tables) every() (tasks []Task) {
	together := max(1, min(piecesTogether, len(t.pieces)/64))
	for pieces := range slices.Chunk(t.pieces, together) {
		tasks = append(tasks, Task{Pieces: pieces})
	}
	return tasks
}

// search makes a pass that looks at single readings, and returns these.
func (t *tables) search(p Pass) (list []Record, err error) {
	tasks := t.every()
	paths, err := t.pass(p, tasks, 0)
	if err != nil {
		return nil, err
	}
	all, err := t.found(paths, len(tasks))
	if err != nil {
		return nil, err
	}
	for i := range all {
		list = append(list, all[i].Readings...)
	}
	for _, r := range list {
		t.records[[2]int{r.Group, r.Number}] = r
	}
	return list, nil
}

// draw gives the problem the readings that are drawn: all, where there are few.
func (t *tables) draw() error {
	list, err := t.search(Pass{Kind: drawPass})
	if err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b Record) int { return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Number, b.Number)) })
	for g := range t.totals {
		if t.totals[g] > 0 {
			t.hold(t.file, g, slices.DeleteFunc(slices.Clone(list), func(r Record) bool { return r.Group != g }))
		}
	}
	return nil
}

// hold gives a group of a file these readings.
func (t *tables) hold(file *spec.File, group int, list []Record) {
	s, of := &file.Problem.Sensors[group], &file.SensorFiles[group]
	each := slices.ContainsFunc(list, func(r Record) bool { return r.Sigma != 0 && (of.Sigma == nil || r.Sigma != *of.Sigma) })
	named := slices.ContainsFunc(list, func(r Record) bool { return r.Sensor != "" })
	s.Points, s.Values = mat.NewDense(len(list), len(file.Problem.Variables), nil), make([]float64, len(list))
	of.Lines, of.From, of.Sensors, of.Files = make([]int, len(list)), nil, nil, nil
	if each {
		s.Sigma = make([]float64, len(list))
	}
	if named {
		of.Sensors = make([]string, len(list))
	}
	table := &t.job.Tables[t.stands(group)]
	of.From = make([]int, len(list))
	for _, f := range table.Files {
		of.Files = append(of.Files, f.Path)
	}
	for k, r := range list {
		copy(s.Points.Row(k), r.Point)
		s.Values[k], of.Lines[k], of.From[k] = r.Value, r.Line, r.File
		if each {
			s.Sigma[k] = r.Sigma
		}
		if named {
			of.Sensors[k] = r.Sensor
		}
	}
}

// large reports whether some group is.
func (t *tables) large() bool {
	return slices.ContainsFunc(t.totals, func(n int) bool { return n >= posterior.FewestOfLarge })
}

// Readings implements posterior.Source.
func (t *tables) Readings() []int {
	n := slices.Clone(t.totals)
	for i := range n {
		if n[i] < posterior.FewestOfLarge {
			n[i] = 0
		}
	}
	return n
}

// Reduce implements posterior.Source.
func (t *tables) Reduce(layers []feature.Config) ([][]*rowtree.Node, error) {
	var tasks []Task
	most := 0
	for g, n := range t.Readings() {
		leaves := (n + rowtree.LeafRows - 1) / rowtree.LeafRows
		most = max(most, leaves)
		for first := 0; first < leaves; first += t.leaves {
			task := Task{Group: g, First: first, Last: min(first+t.leaves, leaves)}
			for i := range t.pieces {
				if p := &t.pieces[i]; p.Rows[g] > 0 && p.First[g] < task.Last*rowtree.LeafRows && p.First[g]+p.Rows[g] > first*rowtree.LeafRows {
					task.Pieces = append(task.Pieces, *p)
				}
			}
			tasks = append(tasks, task)
		}
	}
	paths, err := t.pass(Pass{Kind: reducePass, Layers: layers}, tasks, most)
	if err != nil {
		return nil, err
	}
	all := make([][]*rowtree.Node, len(layers))
	files := map[[2]int][]string{}
	for _, name := range paths {
		var layer, group, first, leaves int
		if _, err := fmt.Sscanf(path.Base(name), "node-%d-%d-%d-%d", &layer, &group, &first, &leaves); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files[[2]int{layer, group}] = append(files[[2]int{layer, group}], name)
	}
	for k := range layers {
		all[k] = make([]*rowtree.Node, len(t.totals))
		for g := range t.totals {
			list, err := load(t.ctx, files[[2]int{k, g}])
			if err != nil {
				return nil, err
			}
			tree, err := merged(list)
			if err != nil {
				return nil, err
			}
			all[k][g] = tree.Whole()
		}
	}
	done := Pass{Job: t.job, Number: t.passes}
	removeAll(t.ctx, done.folder())
	return all, nil
}

// Far implements posterior.Source.
func (t *tables) Far(f *posterior.Forecast) ([][]posterior.FarReading, error) {
	list, err := t.search(Pass{Kind: farPass, Far: f})
	if err != nil {
		return nil, err
	}
	all := make([][]posterior.FarReading, len(t.totals))
	for _, r := range farthest(list) {
		if t.totals[r.Group] >= posterior.FewestOfLarge {
			all[r.Group] = append(all[r.Group], r.FarReading)
		}
	}
	return all, nil
}

// compared returns the file with the readings that a verdict has compared with the others.
func (t *tables) compared(checks []posterior.ReadingCheck) (*spec.File, error) {
	small := *t.file
	problem := *t.file.Problem
	problem.Sensors, small.SensorFiles = slices.Clone(problem.Sensors), slices.Clone(t.file.SensorFiles)
	small.Problem = &problem
	for g := range t.totals {
		if t.stands(g) < 0 {
			continue
		}
		var list []Record
		for i := range checks {
			if checks[i].Sensors != g {
				continue
			}
			r, known := t.records[[2]int{g, checks[i].Reading}]
			if !known {
				return nil, errors.New("a reading that was compared is not known")
			}
			list = append(list, r)
		}
		t.hold(&small, g, list)
	}
	return &small, nil
}
