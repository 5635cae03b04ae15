package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/bpielm/bpielm"
	"github.com/bpielm/bpielm/system/spec"
)

var (
	throughput = flag.Int("throughput", 0, "compare fleet with a loop over as many small problems")
	verdicts   = flag.Bool("verdicts", false, "with their verdicts")
)

// The problems of TestThroughput have this many neurons.
const throughputNeurons = 30

// plainly solves a problem as a program that needs no more than one does.
func plainly(t *testing.T, i int, verdict bool) {
	rows := "t,value\n" + strings.Join(wellRows(i), "\n") + "\n"
	text := strings.Replace(wellText, "neurons = 12", fmt.Sprintf("neurons = %d", throughputNeurons), 1)
	file, err := spec.ReadFS(fstest.MapFS{"problem.toml": {Data: []byte(text)}, "u.csv": {Data: []byte(rows)}}, "problem.toml", nil)
	if err == nil {
		var a *bpielm.Answer
		if a, err = bpielm.Solve(context.Background(), file); err == nil && verdict {
			_, _, err = a.Verdict()
		}
	}
	if err != nil {
		t.Error(err)
	}
}

// How much of the throughput of a loop is left, with the table, the shuffle, the results and all. Loop and fleet take turns,
// because other programs may run.
//
//	go test -run Throughput -throughput 10000 -v -timeout 0  # and -verdicts
func TestThroughput(t *testing.T) {
	if *throughput == 0 {
		t.Skip("-throughput 10000 measures for some minutes")
	}
	const turns = 10
	each := *throughput / turns
	verdict := *verdicts
	var loop, two, run clock
	for turn := range turns {
		first := turn * each
		loop.measure(func() {
			for i := range each {
				plainly(t, first+i, verdict)
			}
		})
		two.measure(func() {
			var both sync.WaitGroup
			for w := range 2 {
				both.Go(func() {
					for i := w; i < each; i += 2 {
						plainly(t, first+i, verdict)
					}
				})
			}
			both.Wait()
		})
		var table strings.Builder
		table.WriteString("well,t,value\n")
		for i := range each {
			key := fmt.Sprintf("w%06d,", first+i)
			table.WriteString(key + strings.Join(wellRows(first+i), "\n"+key) + "\n")
		}
		folder := write(t, map[string]string{"problem.toml": wellText, "wells.csv": table.String()})
		o := usual(folder)
		o.brief, o.set = !verdict, texts{fmt.Sprintf("features.neurons=%d", throughputNeurons)}
		run.measure(func() {
			if err := fleet(context.Background(), filepath.Join(folder, "problem.toml"), o, io.Discard); err != nil {
				t.Fatal(err)
			}
		})
		if n := len(linesOf(t, filepath.Join(o.out, resultsFile))); n != each {
			t.Errorf("%d lines", n)
		}
	}
	t.Logf("%d problems, verdicts %v: loop %s, two loops %s, fleet %s: %.2f of the loop's throughput and %.2f of the two loops'; by processor time %.2f and %.2f", turns*each, verdict,
		loop, two, run, loop.wall/run.wall, two.wall/run.wall, loop.used/run.used, two.used/run.used)
}

// clock adds up seconds, of the clock and of the processors.
type clock struct{ wall, used float64 }

func (c *clock) measure(work func()) {
	used := func() float64 {
		var u syscall.Rusage
		syscall.Getrusage(syscall.RUSAGE_SELF, &u)
		return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
	}
	begin, before := time.Now(), used()
	work()
	c.wall += time.Since(begin).Seconds()
	c.used += used() - before
}

func (c clock) String() string { return fmt.Sprintf("%.1f s (%.1f s of processors)", c.wall, c.used) }
