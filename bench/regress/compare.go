package regress

import (
	"math"
	"slices"
)

// Comparison compares a run with a baseline.
type Comparison struct {
	Threshold float64 // the slowdown that counts: 0.10 is a tenth
	Changes   []Change
	Missing   []string // benchmarks of the baseline that the run lacks, of those with a kernel and number of threads in the run
	Added     []string // benchmarks that the baseline lacks
}

// Change is how the cost of one benchmark changed.
type Change struct {
	Result  *Result // in the run
	Ratio   float64 // median cost / median cost in the baseline
	Noise   float64 // standard error of Ratio, relative
	Verdict Verdict
}

// Verdict classifies a change.
type Verdict int

const (
	Same      Verdict = iota // not beyond the threshold
	Faster                   // significantly, by more than the threshold
	Slower                   // significantly, by more than the threshold: a regression
	Uncertain                // slower by more than the threshold, but not significantly or while others had the processor
)

func (v Verdict) String() string {
	return [...]string{"", "faster", "SLOWER", "uncertain"}[v]
}

const (
	// doubt is the number of standard errors that a change must exceed to be significant.
	doubt = 4
	// spread turns a median absolute deviation into a standard deviation, for normal
	// variables; medianError turns that into the standard error of a median.
	spread      = 1.4826
	medianError = 1.2533
	// floor is the least scatter that is assumed: a few repeats may agree by chance.
	floor = 0.005
)

// disturbed reports whether others took the processor away in most repeats. They will then
// have evicted the caches as well, which slows down long work.
func (r *Result) disturbed() bool { return 2*r.Disturbed > len(r.Cost) }

// Compare judges a run by a baseline. A benchmark is slower, or faster, if the medians of its
// cost differ by more than the threshold and by more than four standard errors, which come
// from the median absolute deviations. Long work that was disturbed is uncertain, not slower.
func Compare(baseline, run *Run, threshold float64) *Comparison {
	c := &Comparison{Threshold: threshold}
	old, swept := map[string]*Result{}, map[sweep]bool{}
	for i := range baseline.Results {
		old[baseline.Results[i].id()] = &baseline.Results[i]
	}
	for i := range run.Results {
		now := &run.Results[i]
		swept[sweep{now.Kernel, now.Threads}] = true
		before, ok := old[now.id()]
		if !ok {
			c.Added = append(c.Added, now.id())
			continue
		}
		delete(old, now.id())
		c.Changes = append(c.Changes, change(before, now, threshold))
	}
	for i := range baseline.Results {
		before := &baseline.Results[i]
		if old[before.id()] != nil && swept[sweep{before.Kernel, before.Threads}] {
			c.Missing = append(c.Missing, before.id())
		}
	}
	return c
}

type sweep struct {
	kernel  string
	threads int
}

// change compares a result with that of the baseline.
func change(before, now *Result, threshold float64) Change {
	was, wasError := centre(before.Cost)
	is, isError := centre(now.Cost)
	c := Change{Result: now, Ratio: is / was, Noise: math.Sqrt(wasError*wasError + isError*isError)}
	beyond := math.Abs(math.Log(c.Ratio)) > doubt*c.Noise && !before.disturbed() && !now.disturbed()
	switch slow := math.Log1p(threshold); {
	case math.Log(c.Ratio) > slow && beyond:
		c.Verdict = Slower
	case math.Log(c.Ratio) > slow:
		c.Verdict = Uncertain
	case math.Log(c.Ratio) < -slow && beyond:
		c.Verdict = Faster
	}
	return c
}

// centre returns the median of x, which must not be empty, and its relative standard error.
func centre(x []float64) (m, relative float64) {
	return Median(x), medianError * math.Max(floor, Spread(x)) / math.Sqrt(float64(len(x)))
}

// Spread returns the standard deviation of x relative to its median, which must be positive.
// It comes from the median absolute deviation, so that a few outliers do not matter.
func Spread(x []float64) float64 {
	m := Median(x)
	deviations := make([]float64, len(x))
	for i, v := range x {
		deviations[i] = math.Abs(v-m) / m
	}
	return spread * Median(deviations)
}

// Median returns the median of x, or NaN if x is empty.
func Median(x []float64) float64 {
	n := len(x)
	if n == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(x))
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Regressions returns the names of the benchmarks that became slower.
func (c *Comparison) Regressions() []string {
	var names []string
	for _, change := range c.Changes {
		if change.Verdict == Slower {
			names = append(names, change.Result.id())
		}
	}
	return names
}
