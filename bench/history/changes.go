package history

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/bench/regress"
	"github.com/bpielm/bpielm/mat"
)

// Change is where a figure changed its level.
type Change struct {
	At    int     // the first run at the new level
	Ratio float64 // new level / level before; levels are medians
}

const (
	// outlying is the number of standard deviations from which on a run counts as an outlier,
	// however far it is.
	outlying = 3
	// perChange and perLog say what a change must save, in squared standard deviations:
	// perChange + perLog log n, for n runs.
	perChange, perLog = 9, 3
	// least is the least scatter between runs that is assumed, relative.
	least = 0.005
	// fine is the number of levels within a standard deviation that are tried. There are at
	// most mostLevels in all, and mostMemory bytes for all levels and runs.
	fine, mostLevels, mostMemory = 16, 1 << 16, 1 << 26
)

// Changes finds where the level of a figure changed, from its values in the order of the
// runs. Values that are not positive are skipped.
//
// Levels are constant between changes. The logarithm of a value x contributes
// min((x - level)², (3 sd)²), so that a run with an outlier costs no more than one of three
// standard deviations, and each change costs (9 + 3 log n) sd² for n runs. The sum is made
// as small as possible, over all levels and changes: the penalised biweight loss of Fearnhead
// and Rigaill (Journal of the American Statistical Association 114, 2019), here by dynamic
// programming over a fine grid of levels. The standard deviation comes from the median
// absolute difference of neighbouring runs, which steps and outliers hardly touch; for few
// runs it is widened, as it is then uncertain. One or two runs are never a level of their own.
func Changes(values []float64) []Change {
	var at []int
	var x []float64
	for i, v := range values {
		if v > 0 && !math.IsInf(v, 0) {
			at, x = append(at, i), append(x, mat.Log(v))
		}
	}
	if len(x) < 4 {
		return nil
	}
	begins := append(segment(x, scatter(x)), len(x))
	var changes []Change
	for k := 1; k < len(begins)-1; k++ {
		before, after := regress.Median(x[begins[k-1]:begins[k]]), regress.Median(x[begins[k]:begins[k+1]])
		changes = append(changes, Change{At: at[begins[k]], Ratio: mat.Exp(after - before)})
	}
	return changes
}

// scatter estimates the standard deviation of the noise of at least two numbers.
func scatter(x []float64) float64 {
	n := float64(len(x) - 1)
	differences := make([]float64, len(x)-1)
	for i := range differences {
		differences[i] = math.Abs(x[i+1] - x[i])
	}
	const toNormal = 1.4826 / math.Sqrt2 // a difference has two noises
	return max(least, toNormal*regress.Median(differences)*(1+widen/n))
}

// widen over the number of differences is by how much the estimated scatter is enlarged.
const widen = 3

// segment returns where the levels of x begin, 0 first.
func segment(x []float64, sd float64) (begins []int) {
	n := len(x)
	lo, hi := x[0], x[0]
	for _, v := range x {
		lo, hi = min(lo, v), max(hi, v)
	}
	step := max(sd/fine, (hi-lo)/float64(max(2, min(mostLevels, mostMemory/n))))
	count := int((hi-lo)/step) + 2
	most := float64(outlying*outlying) * sd * sd
	penalty := (perChange + perLog*mat.Log(float64(n))) * sd * sd

	// sums[j] is the smallest sum so far that ends at level j. With changed[i][j] the level
	// before number i was best[i-1], the best one for all numbers until then; else it was j.
	sums := make([]float64, count)
	changed := make([][]bool, n)
	best := make([]int, n)
	for i, v := range x {
		changed[i] = make([]bool, count)
		restart := math.Inf(1)
		if i > 0 {
			restart = sums[best[i-1]] + penalty
		}
		for j := range sums {
			if sums[j] > restart {
				sums[j], changed[i][j] = restart, true
			}
			d := v - (lo + float64(j)*step)
			sums[j] += min(d*d, most)
			if sums[j] < sums[best[i]] {
				best[i] = j
			}
		}
	}
	j := best[n-1]
	for i := n - 1; i > 0; i-- {
		if changed[i][j] && best[i-1] != j {
			begins = append(begins, i)
			j = best[i-1]
		}
	}
	begins = append(begins, 0)
	slices.Reverse(begins)
	return begins
}
