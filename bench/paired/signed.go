package paired

import (
	"math"
	"slices"
)

// confidence of the intervals.
const confidence = 0.99

// leastPairs is the least number of pairs for which there is an interval.
const leastPairs = 8

// LeastBlocks is the same in blocks of two pairs.
const LeastBlocks = leastPairs / 2

// centre returns the Hodges-Lehmann estimate of the centre of independent, symmetric numbers:
// the median of the means of all pairs (each number with itself among them). The interval
// contains the centre with a probability of at least 99 %, whatever the distribution; it
// comes from the distribution of Wilcoxon's signed-rank statistic (Hollander, Wolfe and
// Chicken, Nonparametric Statistical Methods, 3.3). It is infinite for fewer than leastPairs
// numbers.
func centre(x []float64) (middle, lower, upper float64) {
	n := len(x)
	var means []float64
	for i := range x {
		for j := range i + 1 {
			means = append(means, (x[i]+x[j])/2)
		}
	}
	slices.Sort(means)
	m := len(means)
	if m == 0 {
		return math.NaN(), math.Inf(-1), math.Inf(1)
	}
	middle = (means[(m-1)/2] + means[m/2]) / 2
	k := outside(n, (1-confidence)/2)
	if k < 0 {
		return middle, math.Inf(-1), math.Inf(1)
	}
	return middle, means[k], means[m-1-k]
}

// outside returns the largest k for which the signed-rank statistic of n numbers is at most k
// with at most the given probability, -1 if there is none.
func outside(n int, probability float64) int {
	// chance[s] is the probability that the ranks with a positive sign have the sum s.
	chance := make([]float64, n*(n+1)/2+1)
	chance[0] = 1
	for rank := 1; rank <= n; rank++ {
		for s := rank * (rank + 1) / 2; s >= 0; s-- {
			chance[s] /= 2
			if s >= rank {
				chance[s] += chance[s-rank] / 2
			}
		}
	}
	k, total := -1, 0.0
	for s, c := range chance {
		if total += c; total > probability {
			break
		}
		k = s
	}
	return k
}
