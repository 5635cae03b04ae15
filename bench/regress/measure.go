package regress

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"time"

	"github.com/bpielm/bpielm/bench/suite"
)

// Options say how to measure. The zero value is a sound choice.
type Options struct {
	Repeats  int                              // of every benchmark, spread over the run; 0: 7
	Time     time.Duration                    // of a benchmark in one repeat; 0: 40 ms
	Progress func(done, total int, at string) // may be nil
}

const (
	defaultRepeats = 7
	defaultTime    = 40 * time.Millisecond

	// settled is how far apart the peaks before and after a group may be.
	settled = 0.05
	// attempts is how often a group is measured again where they are further apart.
	attempts = 3
	// slice is what runs mostly undisturbed between two interruptions by the
	// operating system; chunks of work are half as long.
	slice = 2 * time.Millisecond
)

// Measure runs the cases, GOMAXPROCS as it stands. All cases are run once, then
// all again, so that a slow minute touches one repeat of each and not all of one.
// An error is one of a case.
func Measure(cases []suite.Case, o Options) (*Run, error) {
	if o.Repeats == 0 {
		o.Repeats = defaultRepeats
	}
	if o.Time == 0 {
		o.Time = defaultTime
	}
	if o.Progress == nil {
		o.Progress = func(int, int, string) {}
	}
	r := &Run{Format: format, Date: time.Now().UTC().Truncate(time.Second), Machine: thisMachine()}
	for _, c := range cases {
		r.Results = append(r.Results, Result{Name: c.Name, Work: c.Work, Allocations: math.Inf(1)})
	}
	for repeat := range o.Repeats {
		for begin := 0; begin < len(cases); {
			end := begin + 1
			for end < len(cases) && family(cases[end]) == family(cases[begin]) {
				end++
			}
			o.Progress(repeat*len(cases)+begin, o.Repeats*len(cases), family(cases[begin]))
			if err := r.group(cases[begin:end], r.Results[begin:end], o.Time); err != nil {
				return nil, err
			}
			begin = end
		}
		r.Machine.Memory = math.Max(r.Machine.Memory, suite.ProbeMemory())
	}
	o.Progress(o.Repeats*len(cases), o.Repeats*len(cases), "")
	return r, nil
}

func family(c suite.Case) string {
	name, _, _ := strings.Cut(c.Name, "/")
	return name
}

// group measures cases between two looks at the peak, again if these differ.
func (r *Run) group(cases []suite.Case, results []Result, long time.Duration) error {
	for attempt := 1; ; attempt++ {
		before := suite.ProbeFMA()
		samples := make([]sample, len(cases))
		for i, c := range cases {
			var err error
			if samples[i], err = measure(c, long); err != nil {
				return fmt.Errorf("benchmark %s: %w", c.Name, err)
			}
		}
		after := suite.ProbeFMA()
		rate := math.Max(before, after)
		calm := math.Abs(after-before) <= settled*rate
		if !calm && attempt < attempts {
			continue
		}
		r.Machine.FMA = math.Max(r.Machine.FMA, rate)
		for i, s := range samples {
			result := &results[i]
			result.Nanoseconds = append(result.Nanoseconds, s.nanoseconds)
			result.Cost = append(result.Cost, s.nanoseconds/1e9*rate)
			result.Allocations = math.Min(result.Allocations, s.allocations)
			if !calm {
				result.Unsettled++
			}
		}
		return nil
	}
}

// sample is one measurement of a case.
type sample struct {
	nanoseconds float64 // an operation
	allocations float64
}

// measure starts a case and runs it for about as long as asked, at least twice,
// in chunks that fit between two interruptions by the operating system: the
// fastest chunk is what counts. An operation that is too long for that is
// measured by the processor time that it had, where it had one processor.
func measure(c suite.Case, long time.Duration) (sample, error) {
	op, err := c.Start()
	if err != nil {
		return sample{}, err
	}
	runtime.GC() // what Start left behind must not be collected on the clock
	run := func(times int) (wall, processor time.Duration, err error) {
		processorBegin, _ := processorTime()
		begin := time.Now()
		for range times {
			if err := op(); err != nil {
				return 0, 0, err
			}
		}
		wall = time.Since(begin)
		processorEnd, _ := processorTime()
		return wall, processorEnd - processorBegin, nil
	}
	if _, _, err := run(1); err != nil { // warm: caches, pools, workers
		return sample{}, err
	}
	chunk := 1
	for {
		took, _, err := run(chunk)
		if err != nil {
			return sample{}, err
		}
		if took > slice/4 {
			break
		}
		chunk *= 2
	}
	_, told := processorTime()
	byProcessor := told && runtime.GOMAXPROCS(0) == 1
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s := sample{nanoseconds: math.Inf(1)}
	total, runs := time.Duration(0), 0
	for total < long || runs < 2*chunk {
		took, processor, err := run(chunk)
		if err != nil {
			return sample{}, err
		}
		total += took
		runs += chunk
		if took > slice && byProcessor {
			took = processor
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
