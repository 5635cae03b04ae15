package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"time"

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
	Out       string        `short:"o" placeholder:"DIR" help:"Write the roofline plot there, made if needed."`
	Threshold float64       `default:"10" placeholder:"PERCENT" help:"The slowdown that counts (default: ${default})."`
	Repeats   int           `default:"7" help:"Measurements of each benchmark (default: ${default})."`
	Time      time.Duration `default:"40ms" help:"Time for each measurement (default: ${default})."`
	Threads   []int         `default:"1" placeholder:"N,..." help:"Numbers of threads to measure with (default: ${default})."`
	Kernels   []string      `placeholder:"NAME,..." help:"Kernels to measure with, or all; default: the one in use."`
	Growth    bool          `help:"Measure instead how the time of a fit grows with neurons and rows, and compare with theory."`
	List      bool          `help:"List the benchmarks."`
	Quiet     bool          `short:"q" help:"No progress bar."`
}

// Help adds to the verb's usage text.
func (*benchCommand) Help() string {
	return `Every time is compared with the peak rate of fused multiply-adds, measured just before and after it, so that results from a busy and from an idle machine are comparable. A benchmark counts as slower if the median of its cost (time x peak) grew by more than the threshold and by more than four standard errors. Exit status: 0, or 1 after a regression.

Examples:
  bpielm bench --save baseline.json
  bpielm bench --baseline baseline.json
  bpielm bench --filter Syrk/ --threads 1,2 --kernels all`
}

// Run executes the verb.
func (c *benchCommand) Run(io *streams) error {
	if c.Growth {
		return c.growth(io)
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
	var baseline *regress.Run
	if c.Baseline != "" { // first: a wrong file should not cost minutes of measuring
		if baseline, err = regress.Load(c.Baseline); err != nil {
			return err
		}
	}
	p := newProgress(io.err, c.Quiet, "measuring")
	run, err := regress.Measure(cases, regress.Options{Repeats: c.Repeats, Time: c.Time, Kernels: c.kernels(), Threads: c.Threads, Progress: p.update})
	p.finish()
	if err != nil {
		return err
	}
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
	if comparison != nil {
		if slower := comparison.Regressions(); len(slower) > 0 {
			return &regressionError{slower, c.Threshold}
		}
	}
	return nil
}

// compare compares a run with its baseline. Without one it returns nil.
func (c *benchCommand) compare(baseline, run *regress.Run) (*regress.Comparison, error) {
	if baseline == nil {
		return nil, nil
	}
	comparison := regress.Compare(baseline, run, c.Threshold/100)
	if len(comparison.Changes) == 0 {
		return nil, refuse("%s: it has none of these benchmarks with these kernels and numbers of threads", c.Baseline)
	}
	if c.Filter != "" {
		comparison.Missing = nil // left out on purpose
	}
	return comparison, nil
}

// check refuses options that make no sense.
func (c *benchCommand) check() error {
	switch {
	case c.Repeats < 1:
		return refuse("--repeats=%d: at least 1 is needed", c.Repeats)
	case c.Time <= 0:
		return refuse("--time=%s: it must be positive", c.Time)
	case !(c.Threshold > 0) || math.IsInf(c.Threshold, 0):
		return refuse("--threshold=%g: it must be positive", c.Threshold)
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
	filter, err := regexp.Compile(c.Filter)
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
			if filter.MatchString(one.Name) {
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
