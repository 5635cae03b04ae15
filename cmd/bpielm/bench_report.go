package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/bpielm/bpielm/bench/regress"
	"github.com/bpielm/bpielm/cmd/internal/format"
)

// regressionError says what became slower.
type regressionError struct {
	slower    []string
	threshold float64 // percent
}

func (e *regressionError) Error() string {
	return fmt.Sprintf("slower by more than %g %%: %s", e.threshold, strings.Join(e.slower, "; "))
}

// reportBench is the page of a run, compared with its baseline if there is one.
func reportBench(run *regress.Run, c *regress.Comparison) *page {
	p := &page{}
	p.section("Machine", machineLines(&run.Machine)...)
	changes := map[*regress.Result]regress.Change{}
	if c != nil {
		for _, change := range c.Changes {
			changes[change.Result] = change
		}
	}
	for begin := 0; begin < len(run.Results); {
		first, end := &run.Results[begin], begin
		for end < len(run.Results) && run.Results[end].Kernel == first.Kernel && run.Results[end].Threads == first.Threads {
			end++
		}
		heading := fmt.Sprintf("Kernel %s, %s: peak %.1f GFLOP/s", first.Kernel, format.Count(first.Threads, "thread"), first.Peak/1e9)
		p.section(heading, benchLines(run.Results[begin:end], changes, c != nil)...)
		begin = end
	}
	if c != nil {
		p.section("Only in the baseline", c.Missing...)
		p.section("Not in the baseline", c.Added...)
	}
	return p
}

func machineLines(m *regress.Machine) []string {
	lines := []string{
		"processor\t" + cmp.Or(m.CPU, "unknown") + fmt.Sprintf(", %s", format.Count(m.Processors, "logical processor")),
		"platform\t" + m.Platform + ", " + m.Go,
		"memory\t" + fmt.Sprintf("%.1f GB/s read", m.Memory/1e9),
	}
	if m.Commit != "" {
		lines = append(lines, "commit\t"+m.Commit)
	}
	return lines
}

// benchLines is the table of the results of one kernel and number of threads.
func benchLines(results []regress.Result, changes map[*regress.Result]regress.Change, compared bool) []string {
	header := "benchmark\ttime/op\trate\t% of peak\tallocs/op"
	if compared {
		header += "\tagainst baseline"
	}
	lines := []string{header}
	for i := range results {
		r := &results[i]
		line := benchLine(r)
		if change, ok := changes[r]; ok {
			line += fmt.Sprintf("\t%+.1f %% ± %.1f %s", 100*(change.Ratio-1), 100*change.Noise*change.Ratio, change.Verdict)
		}
		lines = append(lines, line)
	}
	return lines
}

// benchLine is one line of the table: medians over the repeats.
func benchLine(r *regress.Result) string {
	ns := regress.Median(r.Nanoseconds)
	rate, share := "", ""
	switch {
	case r.Work.Flops > 0:
		rate = fmt.Sprintf("%.1f GFLOP/s", r.Work.Flops/ns)
		share = fmt.Sprintf("%.0f", 100*r.Work.Flops/regress.Median(r.Cost))
	case r.Work.Elements > 0:
		rate = fmt.Sprintf("%.2f ns/elem", ns/r.Work.Elements)
	case len(r.Memory) > 0:
		rate = fmt.Sprintf("peak memory %.0f MB", regress.Median(r.Memory)/1e6)
	case r.Work.Published > 0:
		rate = fmt.Sprintf("paper: %g s, %.0f times", r.Work.Published, r.Work.Published*1e9/ns)
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%.0f", r.Name, format.Nanoseconds(ns), rate, share, r.Allocations)
}
