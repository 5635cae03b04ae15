package figure

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/readings"
)

// DatesOf returns the clock by which an axis of a variable has dates instead of numbers. It
// is nil if the variable has no start, is logarithmic, or ranges over seconds or over more
// years than there are dates for.
func DatesOf(v system.Variable) *readings.Clock {
	const shortest = 4 * time.Second
	_, clock := readings.ClockOf([]system.Variable{v})
	if clock == nil || v.Log {
		return nil
	}
	from, ok1 := clock.At(v.Min)
	to, ok2 := clock.At(v.Max)
	if !ok1 || !ok2 || to.Before(from.Add(shortest)) {
		return nil
	}
	return clock
}

// dateUnit is what a step between two dates is counted in.
type dateUnit int

const (
	seconds dateUnit = iota
	minutes
	hours
	days // of a month
	months
	years
)

// dateStep is the step between two dates on an axis.
type dateStep struct {
	unit dateUnit
	n    int
}

// dateSteps are those up to half a year. Longer ones are round numbers of years.
var dateSteps = []dateStep{
	{seconds, 1}, {seconds, 2}, {seconds, 5}, {seconds, 10}, {seconds, 15}, {seconds, 30},
	{minutes, 1}, {minutes, 2}, {minutes, 5}, {minutes, 10}, {minutes, 15}, {minutes, 30},
	{hours, 1}, {hours, 2}, {hours, 3}, {hours, 6}, {hours, 12},
	{days, 1}, {days, 2}, {days, 5}, {days, 7}, {days, 14},
	{months, 1}, {months, 2}, {months, 3}, {months, 6},
}

// before returns the last date at or before a moment that is a whole number of steps from
// the beginning of the minute, hour, day, month or year, or from year 0.
func (s dateStep) before(at time.Time) time.Time {
	year, month, day := at.Date()
	hour, minute, second := at.Clock()
	down := func(n int) int { return n - n%s.n }
	switch s.unit {
	case seconds:
		second = down(second)
	case minutes:
		minute, second = down(minute), 0
	case hours:
		hour, minute, second = down(hour), 0, 0
	case days:
		day, hour, minute, second = 1+down(day-1), 0, 0, 0
	case months:
		month, day, hour, minute, second = time.Month(1+down(int(month)-1)), 1, 0, 0, 0
	case years:
		year, month, day, hour, minute, second = down(year), 1, 1, 0, 0, 0
	}
	return time.Date(year, month, day, hour, minute, second, 0, at.Location())
}

// after returns the date one step after one of before.
func (s dateStep) after(at time.Time) time.Time {
	year, month, day := at.Date()
	hour, minute, second := at.Clock()
	switch s.unit {
	case seconds:
		second += s.n
	case minutes:
		minute += s.n
	case hours:
		hour += s.n
	case days: // every month begins anew, and the last step of one is not much shorter than the others
		next := time.Date(year, month+1, 1, 0, 0, 0, 0, at.Location())
		if at = at.AddDate(0, 0, s.n); 10*next.Sub(at) < time.Duration(7*s.n)*24*time.Hour {
			return next
		}
		return at
	case months:
		month += time.Month(s.n)
	case years:
		year += s.n
	}
	return time.Date(year, month, day, hour, minute, second, 0, at.Location())
}

// label writes a date of the step. single says that all of the axis is of one day, which
// its label names.
func (s dateStep) label(at time.Time, single bool) string {
	midnight := at.Hour() == 0 && at.Minute() == 0 && at.Second() == 0
	switch {
	case s.unit == years, s.unit == months && at.Month() == time.January:
		return strconv.Itoa(at.Year())
	case s.unit == months:
		return at.Format("Jan")
	case s.unit == days, midnight && !single:
		return at.Format("2 Jan")
	case s.unit == seconds:
		return at.Format("15:04:05")
	}
	return at.Format("15:04")
}

// mostDates is the largest number of dates on an axis: a week has eight midnights.
const mostDates = 8

// dateTicks labels an axis with dates. Before a step is chosen, by fitting, they are the
// dates of all steps that may be, for these determine how much room labels need.
type dateTicks struct {
	clock  *readings.Clock
	step   dateStep // n is 0 before it is chosen
	single bool
	ends   bool // only the first and the last have labels
}

// Ticks implements plot.Ticker.
func (d dateTicks) Ticks(lo, hi float64) []plot.Tick {
	if d.step.n > 0 {
		return d.at(lo, hi)
	}
	var all []plot.Tick
	for _, s := range d.steps(lo, hi) {
		d.step = s
		all = append(all, d.at(lo, hi)...)
	}
	return all
}

// at returns the ticks of the step.
func (d dateTicks) at(lo, hi float64) []plot.Tick {
	first, ok := d.clock.At(lo)
	if !ok {
		return nil
	}
	slack := 1e-9 * (hi - lo)
	var ticks []plot.Tick
	for at := d.step.before(first); len(ticks) <= mostDates; at = d.step.after(at) {
		t := d.clock.Since(at)
		if t > hi+slack {
			break
		}
		if t >= lo-slack {
			ticks = append(ticks, plot.Tick{Value: math.Min(math.Max(t, lo), hi), Label: d.step.label(at, d.single)})
		}
	}
	for i := 1; d.ends && i < len(ticks)-1; i++ {
		ticks[i].Label = ""
	}
	return ticks
}

// steps returns the steps of which an axis has at least two dates, and not too many.
func (d dateTicks) steps(lo, hi float64) (possible []dateStep) {
	try := func(s dateStep) int {
		d.step = s
		n := len(d.at(lo, hi))
		if n >= 2 && n <= mostDates {
			possible = append(possible, s)
		}
		return n
	}
	for _, s := range dateSteps {
		try(s)
	}
	for n := 1; n <= 5000; n *= 10 {
		for _, factor := range []int{1, 2, 5} {
			if try(dateStep{years, n * factor}) < 2 {
				return possible
			}
		}
	}
	return possible
}

// fitting returns the dates with the shortest step whose labels do not overlap on an axis
// of the given length. size is the length of a label along the axis.
func (d dateTicks) fitting(lo, hi float64, length vg.Length, size func(label string) vg.Length) dateTicks {
	possible := d.steps(lo, hi)
	for _, ends := range []bool{false, true} {
		for _, s := range possible {
			d.step, d.ends = s, ends
			if apart(d.at(lo, hi), lo, hi, length, size) {
				return d
			}
		}
	}
	if len(possible) == 0 {
		d.step = dateStep{seconds, 1} // a shorter part of the variable's range
	}
	return d
}

// datesLabel ends the label of an axis with what its dates do not say: the day or the years,
// and the time zone where there are times of day.
func datesLabel(name string, clock *readings.Clock, lo, hi float64) (label string, single bool) {
	const longest = 6 // years whose dates are months
	from, _ := clock.At(lo)
	to, _ := clock.At(hi)
	last := to.Add(-time.Nanosecond) // 24:00 is of the day before
	single = from.Format(time.DateOnly) == last.Format(time.DateOnly)
	switch {
	case single:
		label = from.Format("2 Jan 2006")
	case last.Year()-from.Year() >= longest:
		return name, false
	case last.Year() > from.Year():
		label = fmt.Sprintf("%d to %d", from.Year(), last.Year())
	default:
		label = strconv.Itoa(from.Year())
	}
	if zone := clock.Zone(); zone != "" && last.Sub(from) <= 3*24*time.Hour {
		label += ", " + zone
	}
	return name + " (" + label + ")", single
}
