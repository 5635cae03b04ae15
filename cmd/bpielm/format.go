package main

import (
	"fmt"
	"math"
	"strconv"
)

// formatEstimate writes `mean ± sd` with two significant digits of the sd and
// the mean to the same place; the mean alone, to six digits, where there is no
// sd.
func formatEstimate(mean, sd float64) string {
	if !(sd > 0) || math.IsInf(sd, 0) {
		return strconv.FormatFloat(mean, 'g', 6, 64)
	}
	m, s := formatPair(mean, sd, sd)
	return m + " ± " + s
}

// formatPair writes a and b with as many digits as leave two significant ones
// of unit > 0.
func formatPair(a, b, unit float64) (string, string) {
	place := int(math.Floor(math.Log10(unit))) - 1 // of the last digit
	if math.Abs(a) >= 1e7 || unit >= 1e5 || place < -9 {
		digits := max(2, int(math.Floor(math.Log10(math.Max(math.Abs(a), unit))))-place+1)
		return strconv.FormatFloat(a, 'e', min(digits-1, 15), 64), strconv.FormatFloat(b, 'e', 1, 64)
	}
	digits := max(0, -place)
	return strconv.FormatFloat(a, 'f', digits, 64), strconv.FormatFloat(b, 'f', digits, 64)
}

// formatShort writes a number to four significant digits.
func formatShort(v float64) string { return fmt.Sprintf("%.4g", v) }

// formatWithin writes a number to as many digits as tell places in a range
// apart, at least four.
func formatWithin(v, lo, hi float64) string {
	digits := 4
	if size := math.Max(math.Abs(lo), math.Abs(hi)); size > hi-lo {
		digits += int(math.Ceil(math.Log10(size / (hi - lo))))
	}
	return fmt.Sprintf("%.*g", digits, v)
}
