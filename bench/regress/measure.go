package regress

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"time"

	"github.com/bpielm/bpielm/bench/suite"
	"github.com/bpielm/bpielm/bench/usage"
	"github.com/bpielm/bpielm/mat/asm"
)

// Options for Measure. The zero value is a sound choice.
type Options struct {
	Repeats  int           // of every benchmark, spread over the run; 0: 7
	Time     time.Duration // for a benchmark in one repeat; 0: 40 ms
	Kernels  []string      // to measure with, see asm.Use; nil: the active one
	Threads  []int         // values of GOMAXPROCS to measure with; nil: 1
	Program  string        // path of bpielm, for benchmarks that are processes
	Progress func(done, total int)

	Context context.Context // ends the measurement and its processes early; nil: nothing does
}

const (
	defaultRepeats = 7
	defaultTime    = 40 * time.Millisecond

	// settled is the largest relative difference between the peaks before and after a group.
	settled = 0.05
	// attempts is how often a group is measured if they differ more.
	attempts = 3
	// timeSlice is how long a process mostly runs between two interruptions by the operating
	// system; chunks of work are half as long.
	timeSlice = 2 * time.Millisecond
	// undisturbed is the least share of a processor with which long work counts as undisturbed.
	undisturbed = 0.95
	// undisturbedProcess is the same for a process, which also waits for the disk.
	undisturbedProcess = 0.8
)

// Measure runs the cases with every kernel on every number of threads. It runs all of them
// once, then all again, so that a slow minute affects one repeat of each rather than all of
// one. Until it returns, it sets the kernel and GOMAXPROCS of the whole process. Errors are
// those of a case, an *asm.UnknownKernelError, or the cause of the end of Context.
func Measure(cases []suite.Case, o Options) (*Run, error) {
	active := asm.Active().Name()
	o = o.withDefaults(active)
	defer asm.Use(active)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))

	r := &Run{Format: format, Date: time.Now().UTC().Truncate(time.Second), Machine: thisMachine()}
	for _, kernel := range o.Kernels {
		for _, n := range o.Threads {
			for _, c := range cases {
				r.Results = append(r.Results, Result{Name: c.Name, Kernel: kernel, Threads: n, Work: c.Work, Allocations: math.Inf(1)})
			}
		}
	}
	done, total := 0, o.Repeats*len(r.Results)
	for range o.Repeats {
		results := r.Results
		for _, kernel := range o.Kernels {
			if err := asm.Use(kernel); err != nil {
				return nil, err
			}
			for _, n := range o.Threads {
				runtime.GOMAXPROCS(n)
				for rest := cases; len(rest) > 0; {
					group := leading(rest)
					o.Progress(done, total)
					if err := measureGroup(rest[:group], results[:group], o); err != nil {
						return nil, err
					}
					rest, results = rest[group:], results[group:]
					done += group
				}
			}
		}
		r.Machine.Memory = math.Max(r.Machine.Memory, suite.ProbeMemory())
	}
	o.Progress(total, total)
	return r, nil
}

func (o Options) withDefaults(active string) Options {
	if o.Repeats == 0 {
		o.Repeats = defaultRepeats
	}
	if o.Time == 0 {
		o.Time = defaultTime
	}
	if o.Kernels == nil {
		o.Kernels = []string{active}
	}
	if o.Threads == nil {
		o.Threads = []int{1}
	}
	if o.Context == nil {
		o.Context = context.Background()
	}
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	return o
}

// leading returns how many of the first cases are of one family. A process is a group of its
// own, as it takes long.
func leading(cases []suite.Case) int {
	family := func(c suite.Case) string {
		name, _, _ := strings.Cut(c.Name, "/")
		return name
	}
	n := 1
	if cases[0].Process != nil {
		return n
	}
	for n < len(cases) && family(cases[n]) == family(cases[0]) {
		n++
	}
	return n
}

// measureGroup measures cases between two measurements of the peak, again if these differ.
func measureGroup(cases []suite.Case, results []Result, o Options) error {
	for attempt := 1; ; attempt++ {
		before := suite.ProbeFMA()
		samples := make([]sample, len(cases))
		for i, c := range cases {
			if o.Context.Err() != nil {
				return context.Cause(o.Context)
			}
			var err error
			if c.Process != nil {
				samples[i], err = measureProcess(o.Context, c, o.Program)
			} else {
				samples[i], err = measure(c, o.Time)
			}
			switch {
			case o.Context.Err() != nil:
				return context.Cause(o.Context)
			case err != nil:
				return fmt.Errorf("benchmark %s: %w", c.Name, err)
			}
		}
		after := suite.ProbeFMA()
		rate := math.Max(before, after)
		calm := math.Abs(after-before) <= settled*rate
		if !calm && attempt < attempts && cases[0].Process == nil {
			continue
		}
		for i, s := range samples {
			result := &results[i]
			result.Nanoseconds = append(result.Nanoseconds, s.nanoseconds)
			result.Cost = append(result.Cost, s.nanoseconds/1e9*rate)
			result.Peak = math.Max(result.Peak, rate)
			result.Allocations = math.Min(result.Allocations, s.allocations)
			if s.memory > 0 {
				result.Memory = append(result.Memory, s.memory)
			}
			if !calm {
				result.Unsettled++
			}
			if s.disturbed {
				result.Disturbed++
			}
		}
		return nil
	}
}

// sample is one measurement of a case.
type sample struct {
	nanoseconds float64 // per operation
	allocations float64
	memory      float64 // peak of a process in bytes, 0 if not known
	disturbed   bool    // long work that did not have its processor to itself
}

// measure starts a case and runs it for about the given time, at least twice, in chunks that
// fit between two interruptions by the operating system. The fastest chunk counts. An
// operation too long for that is measured by its processor time, if it has one processor.
func measure(c suite.Case, long time.Duration) (sample, error) {
	op, err := c.Start()
	if err != nil {
		return sample{}, err
	}
	runtime.GC() // so that garbage of Start is not collected on the clock
	chunk, err := chunkOf(op)
	if err != nil {
		return sample{}, err
	}
	_, told := usage.Processor()
	byProcessor := told && runtime.GOMAXPROCS(0) == 1
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s := sample{nanoseconds: math.Inf(1)}
	total, had, runs := time.Duration(0), time.Duration(0), 0
	for total < long || runs < 2*chunk {
		took, processor, err := clock(op, chunk)
		if err != nil {
			return sample{}, err
		}
		total += took
		had += processor
		runs += chunk
		if took > timeSlice && byProcessor {
			took = processor
			s.disturbed = chunk == 1 && float64(had) < undisturbed*float64(total)
		}
		s.nanoseconds = math.Min(s.nanoseconds, float64(took.Nanoseconds())/float64(chunk))
	}
	runtime.ReadMemStats(&after)
	s.allocations = math.Floor(float64(after.Mallocs-before.Mallocs) / float64(runs))
	if !(s.nanoseconds > 0) {
		return sample{}, errors.New("it took no time")
	}
	return s, nil
}

// measureProcess runs the program once, on as many processors and with the kernel that are set
// here. With one processor its processor time counts, else the time that passes.
func measureProcess(ctx context.Context, c suite.Case, program string) (sample, error) {
	threads := runtime.GOMAXPROCS(0)
	took, err := c.Process.Run(ctx, program, suite.Settings{Threads: threads, Kernel: asm.Active().Name(), Report: true})
	if err != nil {
		return sample{}, err
	}
	counts := took.Wall
	s := sample{allocations: float64(took.Allocations), memory: float64(took.Peak)}
	if threads == 1 && took.Processor > 0 {
		counts = took.Processor
		s.disturbed = float64(took.Processor) < undisturbedProcess*float64(took.Wall)
	}
	s.nanoseconds = float64(counts.Nanoseconds())
	return s, nil
}

// chunkOf warms up caches, pools and workers, and returns how often to run op in a chunk.
func chunkOf(op func() error) (chunk int, err error) {
	if _, _, err := clock(op, 1); err != nil {
		return 0, err
	}
	for chunk = 1; ; chunk *= 2 {
		took, _, err := clock(op, chunk)
		if err != nil {
			return 0, err
		}
		if took > timeSlice/4 {
			return chunk, nil
		}
	}
}

// clock runs op a number of times and returns the time and the processor time that it took.
func clock(op func() error, times int) (wall, processor time.Duration, err error) {
	processorBegin, _ := usage.Processor()
	begin := time.Now()
	for range times {
		if err := op(); err != nil {
			return 0, 0, err
		}
	}
	wall = time.Since(begin)
	processorEnd, _ := usage.Processor()
	return wall, processorEnd - processorBegin, nil
}
