package figure

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/bpielm/bpielm/system"
)

// datedAxis is a horizontal axis of a length with dates, fitted.
func datedAxis(t *testing.T, v system.Variable, length vg.Length) *plot.Axis {
	t.Helper()
	clock := DatesOf(v)
	if clock == nil {
		t.Fatalf("%v has no dates", v)
	}
	f := Frame{XLabel: "t", XDates: clock}
	axes := f.newPlot()
	along(&axes.X, v, clock)
	fitTicks(&axes.X, length)
	return &axes.X
}

func TestDatesOfAnAxis(t *testing.T) {
	const column = 340 // points: the axes of a figure of one column
	for _, c := range []struct {
		start, unit string
		lo, hi      float64
		length      vg.Length
		labels      string
		name        string
	}{
		{"2024-05-01 10:00", "s", 0, 10, column, "10:00:00 10:00:02 10:00:04 10:00:06 10:00:08 10:00:10", "t (1 May 2024)"},
		{"2024-05-01T09:50Z", "min", 0, 80, column, "10:00 10:15 10:30 10:45 11:00", "t (1 May 2024, UTC)"},
		{"2024-05-01", "h", 0, 24, column, "00:00 06:00 12:00 18:00 00:00", "t (1 May 2024)"},
		{"2024-05-01 18:00", "h", 0, 24, column, "18:00 2 May 06:00 12:00 18:00", "t (2024)"},
		{"2024-02-28T00:00+01:00", "h", 0, 72, column, "28 Feb 12:00 29 Feb 12:00 1 Mar 12:00 2 Mar", "t (2024, +01:00)"},
		{"2024-05-01", "d", 0, 7, column, "1 May 2 May 3 May 4 May 5 May 6 May 7 May 8 May", "t (2024)"},
		{"2024-05-01", "d", 0, 7, 110, "1 May 6 May", "t (2024)"},
		{"2024-01-20", "d", 0, 30, column, "21 Jan 26 Jan 1 Feb 6 Feb 11 Feb 16 Feb", "t (2024)"},
		{"2024-03-01", "d", 0, 360, column, "Mar May Jul Sep Nov 2025", "t (2024 to 2025)"},
		{"2024-03-01", "d", 0, 360, 125, "Apr Jul Oct 2025", "t (2024 to 2025)"},
		{"2000-01-01", "a", 0, 24, column, "2000 2005 2010 2015 2020", "t"},
		{"2000-01-01", "a", -1500, 24, column, "600 800 1000 1200 1400 1600 1800 2000", "t"},
	} {
		v := system.Variable{Name: "t", Min: c.lo, Max: c.hi, Unit: c.unit, Start: c.start}
		axis := datedAxis(t, v, c.length)
		var labels []string
		for _, tick := range axis.Tick.Marker.Ticks(c.lo, c.hi) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != c.labels || axis.Label.Text != c.name {
			t.Errorf("%g to %g %s from %s: %q, %q, not %q, %q", c.lo, c.hi, c.unit, c.start, got, axis.Label.Text, c.labels, c.name)
		}
	}
}

// Whatever the range and the length, there are two labels at least, and none overlap, also one above the other.
func TestDatesNeverOverlap(t *testing.T) {
	for span := 4.; span < 6e10; span *= 1.17 {
		for _, from := range []float64{0, 0.37 * span} {
			v := system.Variable{Name: "t", Min: from, Max: from + span, Unit: "s", Start: "2023-12-30T23:59+05:30"}
			for _, length := range []vg.Length{70, 110, 160, 340} {
				axis := datedAxis(t, v, length)
				upwards := dateTicks{clock: DatesOf(v)}.fitting(v.Min, v.Max, length, upright)
				for _, c := range []struct {
					ticks []plot.Tick
					size  func(string) vg.Length
				}{{axis.Tick.Marker.Ticks(v.Min, v.Max), beside(axis.Tick.Label)}, {upwards.Ticks(v.Min, v.Max), upright}} {
					labels, end := 0, math.Inf(-1)
					last := math.Inf(-1)
					for _, tick := range c.ticks {
						if tick.Value <= last || tick.Value < v.Min || tick.Value > v.Max {
							t.Fatalf("%g s: a tick at %g after %g", span, tick.Value, last)
						}
						if last = tick.Value; tick.Label == "" {
							continue
						}
						middle := float64(length) * axis.Norm(tick.Value)
						half := float64(c.size(tick.Label)) / 2
						if middle-half < end-1e-6 {
							t.Fatalf("%g s on %v points: %q overlaps", span, length, tick.Label)
						}
						end = middle + half
						labels++
					}
					if labels < 2 || len(c.ticks) > mostDates {
						t.Fatalf("%g s from %g on %v points: %d labels, %d ticks", span, from, length, labels, len(c.ticks))
					}
				}
			}
		}
	}
}

func TestAxesWithoutDates(t *testing.T) {
	for _, v := range []system.Variable{
		{Name: "t", Max: 10, Unit: "h"},
		{Name: "t", Max: 10, Unit: "m", Start: "2024-05-01"},
		{Name: "t", Min: 1, Max: 10, Unit: "h", Start: "2024-05-01", Log: true},
		{Name: "t", Max: 3, Unit: "s", Start: "2024-05-01"},
		{Name: "t", Max: 8000, Unit: "a", Start: "2024-05-01"},
		{Name: "t", Min: -3000, Unit: "a", Start: "2024-05-01"},
	} {
		if DatesOf(v) != nil {
			t.Errorf("%v has dates", v)
		}
	}
}
