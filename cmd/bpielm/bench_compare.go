package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bpielm/bpielm/bench/paired"
	"github.com/bpielm/bpielm/bench/regress"
	"github.com/bpielm/bpielm/bench/suite"
	"github.com/bpielm/bpielm/bench/usage"
	"github.com/bpielm/bpielm/cmd/internal/format"
)

// comparedByDefault are the benchmarks of --compare without --filter.
const comparedByDefault = "^Solve/N=500$"

// compareCommits builds two commits and compares them.
func (c *benchCommand) compareCommits(io *streams, cases []suite.Case) (err error) {
	first, second, both := strings.Cut(c.Compare, "..")
	if first == "" || both && second == "" {
		return refuse("--compare=%s: a commit is expected, or two as in v1..v2", c.Compare)
	}
	ctx, stop := untilInterrupted()
	defer stop()
	repository, err := paired.Open(ctx, ".")
	if err != nil {
		return err
	}
	defer func() {
		if closed := repository.Close(); err == nil {
			err = closed
		}
	}()
	bar := newProgress(io.err, c.Quiet, "building")
	var versions [2]*paired.Version
	for side, commit := range []string{first, second} {
		bar.update(side, 2)
		if versions[side], err = repository.Build(ctx, commit); err != nil {
			return err
		}
	}
	bar.finish()
	bar = newProgress(io.err, c.Quiet, "comparing")
	outcome, err := paired.Run(ctx, c.repeats(), func(ctx context.Context, side paired.Side) ([]paired.Measurement, error) {
		return c.measureVersion(ctx, versions[side].Program, cases)
	}, bar.update)
	bar.finish()
	if ctx.Err() != nil {
		return context.Cause(ctx) // not that of the run that it ended
	}
	if err != nil {
		return err
	}
	changes := outcome.Judge(c.threshold() / 100)
	if err := c.reportComparison(versions, outcome, changes).writeTo(io.out); err != nil {
		return err
	}
	var slower []string
	for _, change := range changes {
		if change.Verdict == regress.Slower {
			slower = append(slower, change.Name)
		}
	}
	if len(slower) > 0 {
		return &regressionError{slower, c.threshold()}
	}
	return nil
}

// measureVersion runs the cases once with another program: each process by its processor time,
// all others together by its own verb bench.
func (c *benchCommand) measureVersion(ctx context.Context, program string, cases []suite.Case) ([]paired.Measurement, error) {
	settings := suite.Settings{Threads: c.Threads[0]}
	if len(c.Kernels) == 1 {
		settings.Kernel = c.Kernels[0]
	}
	var all []paired.Measurement
	var names []string
	for _, one := range cases {
		if one.Process == nil {
			names = append(names, regexp.QuoteMeta(one.Name))
			continue
		}
		took, err := one.Process.Run(ctx, program, settings)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", one.Name, err)
		}
		ns := float64(processorOrWall(took).Nanoseconds())
		all = append(all, paired.Measurement{Name: one.Name, Cost: ns, Nanoseconds: ns})
	}
	if len(names) == 0 {
		return all, nil
	}
	folder, err := os.MkdirTemp("", "bpielm-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "run.json")
	args := []string{"bench", "--quiet", "--repeats=1", "--time=" + c.Time.String(), fmt.Sprintf("--threads=%d", c.Threads[0]),
		"--filter=^(" + strings.Join(names, "|") + ")$", "--save=" + file}
	if _, err := suite.RunProgram(ctx, program, args, settings); err != nil {
		return nil, err
	}
	run, err := regress.Load(file)
	if err != nil {
		return nil, err
	}
	for i := range run.Results {
		r := &run.Results[i]
		all = append(all, paired.Measurement{Name: r.Name, Cost: regress.Median(r.Cost), Nanoseconds: regress.Median(r.Nanoseconds)})
	}
	return all, nil
}

// processorOrWall is the processor time, or the time that passed where the system does not
// report the other.
func processorOrWall(u usage.Usage) time.Duration {
	if u.Processor > 0 {
		return u.Processor
	}
	return u.Wall
}

// reportComparison is the page of a comparison.
func (c *benchCommand) reportComparison(versions [2]*paired.Version, outcome *paired.Outcome, changes []paired.Change) *page {
	p := &page{}
	p.section("Compared", "before\t"+versions[0].Name, "after\t"+versions[1].Name,
		fmt.Sprintf("runs\t%s of before, after, after, before; %s each", format.Count(c.repeats(), "block"), format.Count(c.Threads[0], "thread")))
	lines := []string{"benchmark\tbefore\tafter\tratio\t99 % interval\t"}
	for _, change := range changes {
		lines = append(lines, fmt.Sprintf("%s\t%s\t%s\t%.4f\t%.4f to %.4f\t%s", change.Name, format.Nanoseconds(change.Nanoseconds[0]), format.Nanoseconds(change.Nanoseconds[1]),
			change.Ratio, change.Lower, change.Upper, change.Verdict))
	}
	p.section("Processor time, and after / before", lines...)
	p.section("Only before", slices.Clone(outcome.OnlyIn[paired.Before])...)
	p.section("Only after", slices.Clone(outcome.OnlyIn[paired.After])...)
	return p
}
