package format

import (
	"fmt"
	"math"
	"strconv"
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
