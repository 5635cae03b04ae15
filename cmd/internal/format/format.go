package format

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Estimate writes `mean ± sd`: two significant digits of sd, and mean to the same
// decimal place. Where there is no sd it writes mean alone, to six digits.
func Estimate(mean, sd float64) string {
	if !(sd > 0) || math.IsInf(sd, 0) {
		return strconv.FormatFloat(mean, 'g', 6, 64)
	}
	m, s := Pair(mean, sd, sd)
	return m + " ± " + s
}

// Pair writes a and b to the second significant digit of unit > 0.
func Pair(a, b, unit float64) (string, string) {
	place := int(math.Floor(math.Log10(unit))) - 1 // of the last digit
	if size := math.Max(math.Abs(a), math.Max(math.Abs(b), unit)); size >= 1e7 || unit >= 1e5 || size < 1e-4 {
		return scientific(a, place), scientific(b, place)
	}
	digits := max(0, -place)
	return strconv.FormatFloat(a, 'f', digits, 64), strconv.FormatFloat(b, 'f', digits, 64)
}

// scientific writes a number to a decimal place, with at least two digits.
func scientific(v float64, place int) string {
	digits := 2
	if v != 0 {
		digits = max(digits, int(math.Floor(math.Log10(math.Abs(v))))-place+1)
	}
	return strconv.FormatFloat(v, 'e', min(digits-1, 15), 64)
}

// Short writes a number to four significant digits.
func Short(v float64) string { return fmt.Sprintf("%.4g", v) }

// Within writes a number from the range [lo, hi] with enough digits, at least
// four, to tell places in that range apart.
func Within(v, lo, hi float64) string {
	digits := 4
	if size := math.Max(math.Abs(lo), math.Abs(hi)); size > hi-lo {
		digits += int(math.Ceil(math.Log10(size / (hi - lo))))
	}
	return fmt.Sprintf("%.*g", digits, v)
}

// Separating returns a function that writes numbers from a list: as they are, if that takes few digits, and 3456700 stays
// 3456700; or else with the fewest decimals that tell all of them apart, but for those that differ by less than a millionth
// of their range.
func Separating(values []float64) func(v float64) string {
	const most, decimals = 1e9, 12
	const asTheyAre = 1e8 // numbers of at most nine digits, as people write coordinates
	sorted := slices.Clone(values)
	sort.SliceStable(sorted, func(i, j int) bool { return cmp.Less(sorted[i], sorted[j]) })
	sorted = slices.DeleteFunc(slices.Compact(sorted), func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	if len(sorted) == 0 {
		return Short
	}
	lo, hi := sorted[0], sorted[len(sorted)-1]
	size := math.Max(math.Abs(lo), math.Abs(hi))
	gap := 1e-2 * size // at least four digits
	for i := 1; i < len(sorted); i++ {
		gap = math.Min(gap, sorted[i]-sorted[i-1])
	}
	tolerance := math.Max(gap/100, 1e-6*(hi-lo))
	within := func(places int, tolerance float64) bool { // all numbers, with so many decimals
		unit := math.Pow10(places)
		return !slices.ContainsFunc(sorted, func(v float64) bool { return math.Abs(v-math.Round(v*unit)/unit) > tolerance })
	}
	if size >= most || tolerance < math.Pow10(-decimals) {
		digits := 4
		if tolerance > 0 {
			digits = min(max(digits, int(math.Ceil(math.Log10(size/tolerance)))+1), 17)
		}
		return func(v float64) string { return strconv.FormatFloat(v, 'g', digits, 64) }
	}
	places := 0
	for places < decimals && size*math.Pow10(places) < asTheyAre && !within(places, 1e-12*size) {
		places++
	}
	if !within(places, 1e-12*size) {
		for places = 0; places < decimals && !within(places, tolerance); places++ {
		}
	}
	return func(v float64) string {
		text := strconv.FormatFloat(v, 'f', places, 64)
		if places > 0 {
			text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
		}
		if text == "-0" {
			return "0"
		}
		return text
	}
}

// Nanoseconds writes a time to three digits, in the unit that fits.
func Nanoseconds(ns float64) string {
	unit, name := 1.0, "ns"
	for _, u := range []struct {
		size float64
		name string
	}{{1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}} {
		if ns >= u.size {
			unit, name = u.size, u.name
		}
	}
	v := ns / unit
	digits := max(0, 2-int(math.Floor(math.Log10(v))))
	return fmt.Sprintf("%.*f %s", digits, v, name)
}

// Count writes a number of things: "1 reading", "2 readings".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Grid writes the numbers of points along each axis: "81 x 41".
func Grid(counts []int) string {
	text := ""
	for i, n := range counts {
		if i > 0 {
			text += " x "
		}
		text += strconv.Itoa(n)
	}
	return text
}
