package paired

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/bpielm/bpielm/bench/regress"
	"github.com/bpielm/bpielm/mat"
)

// Side is one of the two versions.
type Side int

const (
	Before Side = iota
	After
)

// Measurement is the cost of one benchmark in one run, in any unit that the two versions
// share, and its time in nanoseconds.
type Measurement struct {
	Name              string
	Cost, Nanoseconds float64
}

// Measure runs one version once, with all benchmarks.
type Measure func(ctx context.Context, side Side) ([]Measurement, error)

// Outcome holds the measurements of all blocks.
type Outcome struct {
	Names  []string // of the benchmarks that both versions have
	OnlyIn [2][]string
	logs   map[string][]float64    // for each pair, the logarithm of after / before
	times  map[string][2][]float64 // nanoseconds of all runs
}

// order has the sides of the four runs of a block, which are two pairs: what grows from run to
// run adds to one of them what it takes from the other.
var order = [2][4]Side{{Before, After, After, Before}, {After, Before, Before, After}}

// Run runs both versions once, so that files are in memory, and then in blocks of four runs.
// progress may be nil. It ends with the first error of measure.
func Run(ctx context.Context, blocks int, measure Measure, progress func(done, total int)) (*Outcome, error) {
	if progress == nil {
		progress = func(int, int) {}
	}
	done, total := 0, 2+4*blocks
	once := func(side Side) (map[string]Measurement, []string, error) {
		progress(done, total)
		list, err := measure(ctx, side)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", [...]string{"before", "after"}[side], err)
		}
		done++
		byName, names := map[string]Measurement{}, []string(nil)
		for _, m := range list {
			if !(m.Cost > 0) || math.IsInf(m.Cost, 0) {
				return nil, nil, fmt.Errorf("benchmark %s took no time", m.Name)
			}
			byName[m.Name] = m
			names = append(names, m.Name)
		}
		return byName, names, nil
	}
	o := &Outcome{logs: map[string][]float64{}, times: map[string][2][]float64{}}
	was, before, err := once(Before)
	if err != nil {
		return nil, err
	}
	is, after, err := once(After)
	if err != nil {
		return nil, err
	}
	for _, name := range before {
		if _, there := is[name]; there {
			o.Names = append(o.Names, name)
		} else {
			o.OnlyIn[Before] = append(o.OnlyIn[Before], name)
		}
	}
	for _, name := range after {
		if _, there := was[name]; !there {
			o.OnlyIn[After] = append(o.OnlyIn[After], name)
		}
	}
	if len(o.Names) == 0 {
		return nil, errors.New("the two versions have none of these benchmarks in common")
	}
	for block := range blocks {
		sums := map[string]float64{}
		for i, side := range order[block%2] {
			found, _, err := once(side)
			if err != nil {
				return nil, err
			}
			for _, name := range o.Names {
				m, there := found[name]
				if !there {
					return nil, fmt.Errorf("benchmark %s was measured before, and is missing now", name)
				}
				if side == After {
					sums[name] += mat.Log(m.Cost)
				} else {
					sums[name] -= mat.Log(m.Cost)
				}
				if i%2 == 1 { // a pair is complete
					o.logs[name] = append(o.logs[name], sums[name])
					sums[name] = 0
				}
				times := o.times[name]
				times[side] = append(times[side], m.Nanoseconds)
				o.times[name] = times
			}
		}
	}
	progress(total, total)
	return o, nil
}

// Change is how one benchmark differs between the versions.
type Change struct {
	Name                string
	Nanoseconds         [2]float64 // medians
	Ratio, Lower, Upper float64    // cost after / before, and its 99 % interval
	Verdict             regress.Verdict
}

// Judge compares the versions. A benchmark is slower if the ratio is beyond the threshold
// (0.03 is three hundredths) and the whole interval is above one. If only the ratio is, it is
// uncertain. Faster is the same on the other side.
func (o *Outcome) Judge(threshold float64) []Change {
	limit := mat.Log(1 + threshold)
	var changes []Change
	for _, name := range o.Names {
		middle, lower, upper := centre(o.logs[name])
		c := Change{Name: name, Ratio: mat.Exp(middle), Lower: mat.Exp(lower), Upper: mat.Exp(upper)}
		for side, times := range o.times[name] {
			c.Nanoseconds[side] = regress.Median(times)
		}
		switch {
		case middle > limit && lower > 0:
			c.Verdict = regress.Slower
		case middle > limit:
			c.Verdict = regress.Uncertain
		case middle < -limit && upper < 0:
			c.Verdict = regress.Faster
		}
		changes = append(changes, c)
	}
	return changes
}
