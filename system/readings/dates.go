package readings

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/bpielm/bpielm/system"
)

// ClockOf returns the clock of the variable that has a Start, and the variable's index, or
// nil and -1 if no variable has one that dates can be counted from.
func ClockOf(variables []system.Variable) (variable int, clock *Clock) {
	for i, v := range variables {
		if v.Start == "" {
			continue
		}
		if c, err := NewClock(v, ""); err == nil {
			return i, c
		}
	}
	return -1, nil
}

// DateColumn is the name of the column in which tables of results have the dates of the
// variable that has a start. It is the name of none of the variables.
func DateColumn(variables []system.Variable) string {
	name := "date"
	for i := 0; i < len(variables); i++ {
		if variables[i].Name == name {
			name, i = name+"_", -1
		}
	}
	return name
}

// Parse reads a value of a variable as a table would hold it: a number, or a date if the
// variable has a Start.
func Parse(text string, of system.Variable) (float64, error) {
	if of.Start == "" {
		v, err := parseNumber(text, false)
		if why := wrongNumber(text, v, err, true); why != "" {
			return 0, errors.New(why)
		}
		return v, nil
	}
	clock, err := NewClock(of, "")
	if err != nil {
		return 0, err
	}
	t, err := clock.text(text, false)
	switch {
	case err == nil && (math.IsNaN(t) || math.IsInf(t, 0)):
		err = errNoDate
	case err == errOrder: // there is no layout that could say
		err = errors.New("a date whose day or whose month comes first: write the year first, as 2024-12-31")
	}
	if err != nil {
		return 0, fmt.Errorf("found %q; %w", shorten(text), err)
	}
	return t, nil
}

// Date writes a time as a date for people, in the zone of the clock's start: without the
// time of day at midnight, and without seconds on the minute. It is "" for a time that is
// beyond any date.
func (c *Clock) Date(t float64) string {
	at, ok := c.At(t)
	if !ok {
		return ""
	}
	form := "2006-01-02 15:04:05" + decimals(at)
	switch {
	case at.Second() != 0 || at.Nanosecond() != 0:
	case c.start.zoned || at.Hour() != 0 || at.Minute() != 0:
		form = "2006-01-02 15:04"
	default:
		form = "2006-01-02"
	}
	return at.Format(form + c.zoneForm())
}

// Stamp writes a time as a date for programs, as RFC 3339 says. If the clock's start has no
// zone, it has none, either. It is "" for a time that is beyond any date.
func (c *Clock) Stamp(t float64) string {
	at, ok := c.At(t)
	if !ok {
		return ""
	}
	return at.Format("2006-01-02T15:04:05" + decimals(at) + c.zoneForm())
}

// Zone is the zone of the clock's start, as UTC or +02:00; "" if it has none.
func (c *Clock) Zone() string {
	at, _ := c.At(0)
	if text := at.Format(c.zoneForm()); text != "Z" {
		return text
	}
	return "UTC"
}

func (c *Clock) zoneForm() string {
	if c.start.zoned {
		return "Z07:00"
	}
	return ""
}

// decimals is the form of the decimals of the seconds, as many as there are.
func decimals(at time.Time) string {
	if at.Nanosecond() == 0 {
		return ""
	}
	for digits, unit := 3, 1_000_000; ; digits, unit = digits+3, unit/1000 {
		if at.Nanosecond()%unit == 0 {
			return "." + strings.Repeat("0", digits)
		}
	}
}

// At returns the moment of a time, in the zone of the clock's start, to a millisecond, or to
// a thousandth of the unit if that is less. Without a zone it is as if the clock showed UTC.
// It is false for a time outside the years 1 to 9999.
func (c *Clock) At(t float64) (time.Time, bool) {
	const most = 1e12 // seconds: beyond any date
	seconds := float64(t * c.unit)
	if !(math.Abs(seconds) < most) {
		return time.Time{}, false
	}
	step := math.Min(math.Max(math.Round(c.unit*1e6), 1), 1e6) // nanoseconds
	whole := math.Floor(seconds)
	nanoseconds := int64(step)*int64(math.Round((seconds-whole)*1e9/step)) + c.start.nanoseconds
	at := time.Unix(c.start.seconds+int64(whole), nanoseconds).UTC()
	if c.start.zone != 0 {
		at = at.In(time.FixedZone("", int(c.start.zone)))
	}
	return at, at.Year() >= 1 && at.Year() <= 9999
}

// Since is the inverse of At.
func (c *Clock) Since(at time.Time) float64 {
	seconds, nanoseconds := at.Unix()-c.start.seconds, int64(at.Nanosecond())-c.start.nanoseconds
	return (float64(seconds) + float64(nanoseconds)/1e9) / c.unit
}
