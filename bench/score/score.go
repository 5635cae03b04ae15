// Package score has the scores that studies of posteriors share.
package score

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// Half95 is half the width of a Gaussian's 95 % interval, in standard deviations.
const Half95 = 1.96

// CRPS returns the continuous ranked probability score of a Gaussian of standard deviation
// sd at distance d >= 0 from its mean, in the units of d; smaller is better (T. Gneiting and
// A. Raftery, JASA 102, 2007).
func CRPS(d, sd float64) float64 {
	if !(sd > 0) {
		return d
	}
	z := d / sd
	density := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
	return sd * (float64(z*math.Erf(z/math.Sqrt2)) + float64(2*density) - 1/math.Sqrt(math.Pi))
}

// Quantile returns the p-quantile of x, interpolated linearly between order statistics. It
// returns 0 for no numbers.
func Quantile(x []float64, p float64) float64 {
	if len(x) == 0 {
		return 0
	}
	x = slices.Clone(x)
	sort.SliceStable(x, func(i, j int) bool { return cmp.Less(x[i], x[j]) })
	place := p * float64(len(x)-1)
	i := int(place)
	j := min(i+1, len(x)-1)
	if x[i] == x[j] { // infinities included
		return x[i]
	}
	return x[i] + (place-float64(i))*(x[j]-x[i])
}
