package main

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// ticker labels an axis at round numbers that are 1, 2 or 5 times a power of
// ten apart, at most maxIntervals + 1 of them.
type ticker struct{}

const maxIntervals = 6

// Ticks implements plot.Ticker.
func (ticker) Ticks(lo, hi float64) []plot.Tick {
	if !(lo < hi) || math.IsInf(hi-lo, 0) {
		return []plot.Tick{{Value: lo, Label: strconv.FormatFloat(lo, 'g', 4, 64)}}
	}
	step, place := roundStep((hi - lo) / maxIntervals)
	slack := 1e-9 * (hi - lo)
	var ticks []plot.Tick
	for k := math.Ceil((lo - slack) / step); k*step <= hi+slack; k++ {
		v := math.Min(math.Max(k*step, lo), hi)
		ticks = append(ticks, plot.Tick{Value: v, Label: formatTick(k*step, place)})
	}
	return ticks
}

// roundStep returns the smallest of 1, 2, 5 times a power of ten that is at
// least about least, and the exponent of that power: the place of the last
// digit that labels need.
func roundStep(least float64) (step float64, place int) {
	place = int(math.Floor(math.Log10(least)))
	power := math.Pow10(place)
	for _, factor := range []float64{1, 2, 5} {
		if factor*power >= least*(1-1e-9) {
			return factor * power, place
		}
	}
	return 10 * power, place + 1
}

func formatTick(v float64, place int) string {
	if v == 0 {
		return "0"
	}
	if magnitude := int(math.Floor(math.Log10(math.Abs(v)))); magnitude > 5 || place < -4 {
		return strconv.FormatFloat(v, 'g', max(1, magnitude-place+1), 64)
	}
	return strconv.FormatFloat(v, 'f', max(0, -place), 64)
}
