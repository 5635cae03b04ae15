package format

import (
	"math"
	"strings"
	"testing"
)

func TestEstimate(t *testing.T) {
	for _, c := range []struct {
		mean, sd float64
		want     string
	}{
		{0.491234, 0.0031, "0.4912 ± 0.0031"},
		{2.25, 0.0351, "2.250 ± 0.035"},
		{-10.3, 1.31, "-10.3 ± 1.3"},
		{123.4, 56, "123 ± 56"},
		{123456, 2345, "123456 ± 2345"},
		{0, 0.5, "0.00 ± 0.50"},
		{1, math.NaN(), "1"},
		{1.23456789, 0, "1.23457"},
		{1.5e12, 2e9, "1.5000e+12 ± 2.0e+09"},
		{3e-12, 1e-13, "3.00e-12 ± 1.0e-13"},
	} {
		if got := Estimate(c.mean, c.sd); got != c.want {
			t.Errorf("Estimate(%g, %g) = %q, want %q", c.mean, c.sd, got, c.want)
		}
	}
}

// Both ends of an interval are written to the same decimal place.
func TestPair(t *testing.T) {
	for _, c := range []struct {
		a, b, unit   float64
		wantA, wantB string
	}{
		{6.901e-7, 7.065e-7, 4.2e-9, "6.901e-07", "7.065e-07"},
		{-2e-8, 7.065e-7, 4.2e-9, "-2.00e-08", "7.065e-07"},
		{5.1e-7, 6.03e-7, 2.4e-8, "5.10e-07", "6.03e-07"},
		{9.9e6, 1.2e7, 1e5, "9.90e+06", "1.200e+07"},
		{0, 1e9, 3e8, "0.0e+00", "1.00e+09"},
		{0.9, 1.1, 0.05, "0.900", "1.100"},
	} {
		if a, b := Pair(c.a, c.b, c.unit); a != c.wantA || b != c.wantB {
			t.Errorf("Pair(%g, %g, %g) = %q, %q, want %q, %q", c.a, c.b, c.unit, a, b, c.wantA, c.wantB)
		}
	}
}

func TestGrid(t *testing.T) {
	if got := Grid([]int{81, 41, 3}); got != "81 x 41 x 3" {
		t.Errorf("got %q", got)
	}
}

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		v, lo, hi float64
		want      string
	}{
		{0.5, 0, 1, "0.5"}, {-49995, -50010, -49990, "-49995"}, {-49994.75, -50010, -49990, "-49994.75"}, {1. / 3, 0, 1, "0.3333"}, {1800, 0, 3600, "1800"},
	} {
		if got := Within(c.v, c.lo, c.hi); got != c.want {
			t.Errorf("%g in [%g, %g]: %q, want %q", c.v, c.lo, c.hi, got, c.want)
		}
	}
}

// Numbers of a list keep the digits in which they differ.
func TestSeparating(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{[]float64{3456700, 3456500, 3455250}, "3456700 3456500 3455250"},
		{[]float64{3456700}, "3456700"},
		{[]float64{0, 0.5, 1.8, 0.50001}, "0 0.5 1.8 0.50001"},
		{[]float64{0.1 + 0.2, 0.7499}, "0.3 0.7499"},
		{[]float64{0, 1. / 3, 2. / 3, 1}, "0 0.3333 0.6667 1"},
		{[]float64{0.5, -1e-13}, "0.5 0"},
		{[]float64{-0.25, math.NaN()}, "-0.25 NaN"},
		{[]float64{1e-14, 2.5e-14}, "1e-14 2.5e-14"},
		{[]float64{1.5e12, 1.5e12 + 1}, "1500000000000 1500000000001"},
		{[]float64{0, 0}, "0 0"},
		{nil, ""},
	} {
		write := Separating(c.values)
		var got []string
		for _, v := range c.values {
			got = append(got, write(v))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%v: %q, want %q", c.values, text, c.want)
		}
	}
}

func TestCountsAndTimes(t *testing.T) {
	for got, want := range map[string]string{
		Count(1, "reading"): "1 reading", Count(0, "reading"): "0 readings", Count(12, "point"): "12 points",
		Nanoseconds(0.25): "0.250 ns", Nanoseconds(12.3): "12.3 ns", Nanoseconds(4560): "4.56 µs", Nanoseconds(2e9): "2.00 s",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
