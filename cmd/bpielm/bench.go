package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/bpielm/bpielm/bench/paired"
	"github.com/bpielm/bpielm/bench/regress"
	"github.com/bpielm/bpielm/bench/suite"
	"github.com/bpielm/bpielm/cmd/internal/figure"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/cmd/internal/picture"
	"github.com/bpielm/bpielm/cmd/internal/results"
	"github.com/bpielm/bpielm/mat/asm"
)

// benchCommand is `bpielm bench`.
type benchCommand struct {
	Filter    string        `placeholder:"RE" help:"Only benchmarks whose name matches this regular expression, for example 'Gemm/|Fit/poisson'."`
	Baseline  string        `placeholder:"FILE" help:"Compare with these results; exit with 1 if something became slower."`
	Save      string        `placeholder:"FILE" help:"Write the results as JSON, a baseline for later."`
	Append    string        `placeholder:"FILE" help:"Add the results to this history, as one line of JSON."`
	Commit    string        `placeholder:"NAME" help:"The commit to note with the results; default: that of this program."`
	HTML      string        `name:"html" placeholder:"FILE" help:"Draw the history as one HTML page, with the changes of every figure. Measures only with --append."`
	History   string        `placeholder:"FILE" help:"The history that --html draws; default: that of --append."`
	Compare   string        `placeholder:"A[..B]" help:"Build commit A, and B or else the files as they are, and compare the two; exit with 1 if something became slower."`
	Out       string        `short:"o" placeholder:"DIR" help:"Write the roofline plot there, made if needed."`
	Threshold *float64      `placeholder:"PERCENT" help:"The slowdown that counts; default: 10, with --compare 3."`
	Repeats   *int          `placeholder:"N" help:"Measurements of each benchmark (default: 7), or with --compare blocks of four (default: 15)."`
	Time      time.Duration `default:"40ms" help:"Time for each measurement (default: ${default})."`
	Threads   []int         `default:"1" placeholder:"N,..." help:"Numbers of threads to measure with (default: ${default})."`
	Kernels   []string      `placeholder:"NAME,..." help:"Kernels to measure with, or all; default: the one in use."`
	Growth    bool          `help:"Measure instead how the time of a fit grows with neurons and rows, and compare with theory."`
	List      bool          `help:"List the benchmarks."`
	Quiet     bool          `short:"q" help:"Show no progress."`
}

// Help adds to the verb's usage text.
func (*benchCommand) Help() string {
	return `Every time is compared with the peak rate of fused multiply-adds, measured just before and after it, so that results from a busy and from an idle machine are comparable. A benchmark counts as slower if the median of its cost (time x peak) grew by more than the threshold and by more than four standard errors. Exit status: 0, or 1 after a regression.

Solve/N=500 and the like run the whole program, from a problem file to all result files; their memory and allocations are those of the process. Long ones run only if --filter matches them.

A history has one line for each run. The page that --html draws is one file and needs no network. It keeps machines apart, and marks where the level of a figure changed.

--compare builds commits in temporary worktrees of the git repository around the current folder, and runs the two programs in turns: before, after, after, before. It compares the processor time of Solve/N=500, or of what --filter matches. A benchmark counts as slower if the ratio is beyond the threshold and its 99 % interval is above one.

Examples:
  bpielm bench --save baseline.json
  bpielm bench --baseline baseline.json
  bpielm bench --filter Syrk/ --threads 1,2 --kernels all
  bpielm bench --append history.jsonl --html history.html
  bpielm bench --html history.html --history history.jsonl
  bpielm bench --compare v0.1.0..HEAD
  bpielm bench --compare HEAD --filter 'Solve/N=500|Gemm/n=500'`
}

// Run executes the verb.
func (c *benchCommand) Run(io *streams) error {
	if err := c.checkModes(); err != nil {
		return err
	}
	if c.Growth {
		return c.growth(io)
	}
	if c.HTML != "" && c.Append == "" {
		return c.draw(io)
	}
	cases, err := c.cases()
	if err != nil {
		return err
	}
	if c.List {
		return listBenchmarks(io.out, cases)
	}
	if err := c.check(); err != nil {
		return err
	}
	if c.Compare != "" {
		return c.compareCommits(io, cases)
	}
	if c.Append != "" {
		if err := checkHistory(c.Append); err != nil {
			return err
		}
	}
	var baseline *regress.Run
	if c.Baseline != "" { // first: a wrong file should not cost minutes of measuring
		if baseline, err = regress.Load(c.Baseline); err != nil {
			return err
		}
	}
	program, err := thisProgram()
	if err != nil {
		return err
	}
	ctx, stop := untilInterrupted()
	defer stop()
	p := newProgress(io.err, c.Quiet, "measuring")
	run, err := regress.Measure(cases, regress.Options{Repeats: c.repeats(), Time: c.Time, Kernels: c.kernels(), Threads: c.Threads, Program: program, Progress: p.update, Context: ctx})
	p.finish()
	if err != nil {
		return err
	}
	run.Machine.Commit = cmp.Or(c.Commit, run.Machine.Commit)
	comparison, err := c.compare(baseline, run)
	if err != nil {
		return err
	}
	if err := reportBench(run, comparison).writeTo(io.out); err != nil {
		return err
	}
	if err := c.write(io.out, run); err != nil {
		return err
	}
	if err := c.appendTo(io.out, run); err != nil {
		return err
	}
	if err := c.draw(io); err != nil {
		return err
	}
	if comparison != nil {
		if slower := comparison.Regressions(); len(slower) > 0 {
			return &regressionError{slower, c.threshold()}
		}
	}
	return nil
}

// compare compares a run with its baseline. Without one it returns nil.
func (c *benchCommand) compare(baseline, run *regress.Run) (*regress.Comparison, error) {
	if baseline == nil {
		return nil, nil
	}
	comparison := regress.Compare(baseline, run, c.threshold()/100)
	if len(comparison.Changes) == 0 {
		return nil, refuse("%s: it has none of these benchmarks with these kernels and numbers of threads", c.Baseline)
	}
	if c.Filter != "" {
		comparison.Missing = nil // left out on purpose
	}
	return comparison, nil
}

// takesInterruptions reports whether the verb ends itself when it is interrupted: it ends the
// processes that it runs, and removes their folders and the worktrees of a comparison.
func (c *benchCommand) takesInterruptions() bool {
	return !c.Growth && !c.List && (c.HTML == "" || c.Append != "")
}

// untilInterrupted returns a context that ends with SIGINT or SIGTERM. A second signal ends the
// program at once.
func untilInterrupted() (ctx context.Context, stop func()) {
	ctx, stop = signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// thisProgram returns the path of this program, which benchmarks of processes run.
var thisProgram = os.Executable

// repeats is how often each benchmark is measured, in blocks if commits are compared.
func (c *benchCommand) repeats() int {
	switch {
	case c.Repeats != nil:
		return *c.Repeats
	case c.Compare != "":
		return 15
	}
	return 7
}

// threshold is the slowdown that counts, in percent.
func (c *benchCommand) threshold() float64 {
	switch {
	case c.Threshold != nil:
		return *c.Threshold
	case c.Compare != "":
		return 3
	}
	return 10
}

// checkModes refuses flags that do not go together.
func (c *benchCommand) checkModes() error {
	measures := c.Baseline != "" || c.Save != "" || c.Out != "" || c.Append != ""
	switch {
	case c.Compare != "" && (measures || c.HTML != "" || c.Growth || c.List):
		return refuse("--compare stands alone: it goes with --filter, --threshold, --repeats, --time, --threads, --kernels and --quiet")
	case c.Growth && (measures || c.HTML != ""):
		return refuse("--growth measures something else: it goes with none of --baseline, --save, --append, --html and --out")
	case c.History != "" && c.HTML == "":
		return refuse("--history belongs to --html")
	case c.HTML != "" && c.History == "" && c.Append == "":
		return refuse("--html draws a history: --history or --append names one")
	case c.HTML != "" && c.Append == "" && measures:
		return refuse("--html without --append measures nothing, so there is nothing to compare, save or plot")
	}
	return nil
}

// check refuses options that make no sense.
func (c *benchCommand) check() error {
	switch {
	case c.repeats() < 1:
		return refuse("--repeats=%d: at least 1 is needed", c.repeats())
	case c.Compare != "" && c.repeats() < paired.LeastBlocks:
		return refuse("--repeats=%d: a comparison needs at least %d blocks", c.repeats(), paired.LeastBlocks)
	case c.Compare != "" && (len(c.Threads) != 1 || len(c.Kernels) > 1 || slices.Contains(c.Kernels, "all")):
		return refuse("--compare measures with one number of threads and one kernel")
	case c.Time <= 0:
		return refuse("--time=%s: it must be positive", c.Time)
	case !(c.threshold() > 0) || math.IsInf(c.threshold(), 0):
		return refuse("--threshold=%g: it must be positive", c.threshold())
	}
	for _, n := range c.Threads {
		if n < 1 || n > 64*runtime.NumCPU() {
			return refuse("--threads=%d: this machine has %s", n, format.Count(runtime.NumCPU(), "processor"))
		}
	}
	known := map[string]bool{"all": true}
	for _, k := range asm.All() {
		known[k.Name()] = true
	}
	for _, name := range c.Kernels {
		if !known[name] {
			return refuse("--kernels: %q does not run here; bpielm cpu lists those that do", name)
		}
	}
	return nil
}

// cases returns the benchmarks that match the filter.
func (c *benchCommand) cases() ([]suite.Case, error) {
	pattern := c.Filter
	if pattern == "" && c.Compare != "" {
		pattern = comparedByDefault
	}
	filter, err := regexp.Compile(pattern)
	if err != nil {
		return nil, refuse("--filter: %s", err)
	}
	var cases []suite.Case
	for _, f := range suite.Families() {
		all, err := f.Cases(nil)
		if err != nil {
			return nil, err
		}
		for _, one := range all {
			if filter.MatchString(one.Name) && (!one.Long || c.Filter != "" || c.List) {
				cases = append(cases, one)
			}
		}
	}
	if len(cases) == 0 {
		return nil, refuse("--filter: no benchmark matches %q; bpielm bench --list lists them", c.Filter)
	}
	return cases, nil
}

// kernels returns the names of the kernels to measure with, none for the one in use.
func (c *benchCommand) kernels() (names []string) {
	if !slices.Contains(c.Kernels, "all") {
		return c.Kernels
	}
	for _, k := range asm.All() {
		names = append(names, k.Name())
	}
	return names
}

func listBenchmarks(w io.Writer, cases []suite.Case) error {
	for _, c := range cases {
		if _, err := fmt.Fprintln(w, c.Name); err != nil {
			return err
		}
	}
	return nil
}

// write writes the files that were asked for.
func (c *benchCommand) write(w io.Writer, run *regress.Run) error {
	if c.Save != "" {
		if err := results.WriteFile(c.Save, run.Write); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "\n%s\n", c.Save); err != nil {
			return err
		}
	}
	if c.Out == "" {
		return nil
	}
	path := filepath.Join(c.Out, "roofline.png")
	if err := results.WriteFile(path, picture.Roofline(run).Writer(figure.PNG)); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, path)
	return err
}
