package readings

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/bpielm/bpielm/system"
)

// The ways to write times, besides numbers in the unit of the variable and dates that
// cannot be misread.
const (
	Unix       = "unix"       // seconds since 1970-01-01T00:00Z
	UnixMilli  = "unix ms"    // milliseconds since then
	Excel      = "excel"      // days of a spreadsheet: 45413 is 2024-05-01
	Excel1904  = "excel 1904" // those that begin in 1904
	DayFirst   = "day first"  // 31/12/2024
	MonthFirst = "month first"
)

// Times returns all of them.
func Times() []string {
	return []string{Unix, UnixMilli, Excel, Excel1904, DayFirst, MonthFirst}
}

// Units of time, in seconds.
var units = map[string]float64{
	"us": 1e-6, "ms": 1e-3, "s": 1, "sec": 1, "second": 1, "seconds": 1, "min": 60, "minute": 60, "minutes": 60,
	"h": 3600, "hr": 3600, "hour": 3600, "hours": 3600, "d": 86400, "day": 86400, "days": 86400,
	"week": 7 * 86400, "weeks": 7 * 86400, "a": 365.25 * 86400, "yr": 365.25 * 86400, "year": 365.25 * 86400, "years": 365.25 * 86400,
}

// Clock converts dates to the times of a variable.
type Clock struct {
	start moment
	unit  float64 // in seconds
	as    string  // one of Times, or ""
}

// NewClock returns the clock of a variable with a Start, for times written in one of the
// ways of Times, or "".
func NewClock(v system.Variable, as string) (*Clock, error) {
	unit, ok := units[v.Unit]
	if !ok {
		return nil, fmt.Errorf("a start needs the unit of the time: us, ms, s, min, h, d, week or a; found %q", shorten(v.Unit))
	}
	start, err := parseMoment(v.Start, "")
	if err != nil {
		return nil, fmt.Errorf("found %q; a date is expected, as \"2024-05-01\" or \"2024-05-01T00:00+02:00\"", shorten(v.Start))
	}
	switch as {
	case Unix, UnixMilli:
		if !start.zoned {
			return nil, errNoZone("a Unix time")
		}
	case "", Excel, Excel1904, DayFirst, MonthFirst:
	default:
		return nil, fmt.Errorf("found %q; expected %s", shorten(as), strings.Join(Times(), ", "))
	}
	return &Clock{start, unit, as}, nil
}

func errNoZone(of string) error {
	return fmt.Errorf("%s has a time zone and the start of the time has none: write it as start = \"2024-05-01T00:00Z\", or with your own zone, +02:00", of)
}

// moment is a moment by a clock. Without a zone, seconds count as if the clock showed UTC.
type moment struct {
	seconds     int64 // since 1970
	nanoseconds int64
	zoned       bool
	zone        int64 // seconds east of UTC
}

// since returns the time from the clock's start to a moment, in the clock's unit.
func (c *Clock) since(m moment) (float64, error) {
	if m.zoned && !c.start.zoned {
		return 0, errNoZone("the date")
	}
	if !m.zoned {
		m.seconds -= c.start.zone
	}
	seconds, nanoseconds := m.seconds-c.start.seconds, m.nanoseconds-c.start.nanoseconds
	if nanoseconds == 0 {
		return float64(seconds) / c.unit, nil
	}
	return (float64(seconds) + float64(nanoseconds)/1e9) / c.unit, nil
}

// number converts a time that is written as a number.
func (c *Clock) number(v float64) (float64, error) {
	const most = 1e11 // seconds: far beyond any date
	var m moment
	switch c.as {
	case "", DayFirst, MonthFirst:
		return v, nil
	case Unix, Excel, Excel1904:
	case UnixMilli:
		v /= 1000
	}
	switch c.as {
	case Excel:
		v = float64((v - 25569) * 86400) // 1970-01-01 is day 25569
	case Excel1904:
		v = float64((v - 24107) * 86400)
	default:
		m.zoned = true
	}
	if !(math.Abs(v) < most) {
		return 0, fmt.Errorf("%g is no time of the kind %s", v, c.as)
	}
	whole := math.Floor(v)
	m.seconds = int64(whole)
	m.nanoseconds = int64(math.Round((v - whole) * 1e9))
	if c.as == Excel || c.as == Excel1904 { // a day with ten decimals tells milliseconds apart, not more
		m.nanoseconds = 1e6 * int64(math.Round((v-whole)*1e3))
	}
	return c.since(m)
}

// text converts a time that is written as a text.
func (c *Clock) text(text string, decimalComma bool) (float64, error) {
	if v, err := parseNumber(text, decimalComma); err == nil {
		return c.number(v)
	}
	if c.as != "" && c.as != DayFirst && c.as != MonthFirst {
		return 0, fmt.Errorf("a time of the kind %s is expected, a number", c.as)
	}
	m, err := parseMoment(text, c.as)
	if err != nil {
		return 0, err
	}
	return c.since(m)
}

// parseMoment reads a date, perhaps with the time of day and a zone. first says whether the
// day or the month comes first in a date with slashes.
func parseMoment(text, first string) (moment, error) {
	p := &dateParser{rest: strings.TrimSpace(text)}
	year, month, day, err := p.date(first)
	if err != nil {
		return moment{}, err
	}
	m := moment{}
	if p.rest != "" {
		if m, err = p.timeOfDay(); err != nil {
			return moment{}, err
		}
	}
	date := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if month < 1 || month > 12 || day < 1 || date.Day() != day || year < 1 || year > 9999 {
		return moment{}, fmt.Errorf("there is no day %d of month %d in %d", day, month, year)
	}
	m.seconds += date.Unix() - m.zone
	return m, nil
}

type dateParser struct{ rest string }

var (
	errNoDate = errors.New("a number or a date is expected")
	errOrder  = fmt.Errorf("a date whose day or whose month comes first: say which with time = %q or %q", DayFirst, MonthFirst)
)

// digits reads a number of at most so many digits.
func (p *dateParser) digits(most int) (n, count int) {
	for count < len(p.rest) && count < most && p.rest[count] >= '0' && p.rest[count] <= '9' {
		n = 10*n + int(p.rest[count]-'0')
		count++
	}
	p.rest = p.rest[count:]
	return n, count
}

// take skips a character if it comes next.
func (p *dateParser) take(any string) bool {
	if p.rest == "" || !strings.Contains(any, p.rest[:1]) {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

var months = []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}

// month reads a month: a number, or an English name.
func (p *dateParser) month() (n int, named, ok bool) {
	end := 0
	for end < len(p.rest) && (p.rest[end]|0x20 >= 'a' && p.rest[end]|0x20 <= 'z') {
		end++
	}
	if end >= 3 {
		for i, name := range months {
			if strings.EqualFold(p.rest[:3], name) {
				p.rest = p.rest[end:]
				return i + 1, true, true
			}
		}
	}
	n, count := p.digits(2)
	return n, false, count > 0
}

// date reads the day, month and year.
func (p *dateParser) date(first string) (year, month, day int, err error) {
	a, count := p.digits(4)
	if count == 0 || p.rest == "" {
		return 0, 0, 0, errNoDate
	}
	separator := p.rest[:1]
	if !p.take("-/.") {
		return 0, 0, 0, errNoDate
	}
	b, named, ok := p.month()
	if !ok || !p.take(separator) {
		return 0, 0, 0, errNoDate
	}
	c, width := p.digits(4)
	if width == 0 {
		return 0, 0, 0, errNoDate
	}
	if count == 4 && width <= 2 {
		return a, b, c, nil
	}
	if count > 2 || width == 3 || width == 1 {
		return 0, 0, 0, errNoDate
	}
	if width == 2 {
		c += 2000
	}
	switch {
	case separator == "." || named || first == DayFirst:
		return c, b, a, nil
	case first == MonthFirst:
		return c, a, b, nil
	}
	return 0, 0, 0, errOrder
}

// timeOfDay reads a time of day, and its zone.
func (p *dateParser) timeOfDay() (m moment, err error) {
	p.take(",")
	if !p.take("Tt") && !strings.HasPrefix(p.rest, " ") {
		return m, errNoDate
	}
	p.rest = strings.TrimSpace(p.rest)
	hour, count := p.digits(2)
	if count == 0 || !p.take(":") {
		return m, errNoDate
	}
	minute, count := p.digits(2)
	if count != 2 {
		return m, errNoDate
	}
	second := 0
	if p.take(":") {
		if second, count = p.digits(2); count != 2 {
			return m, errNoDate
		}
		if p.take(".,") {
			fraction, count := p.digits(9)
			if count == 0 {
				return m, errNoDate
			}
			for ; count < 9; count++ {
				fraction *= 10
			}
			p.digits(20)
			m.nanoseconds = int64(fraction)
		}
	}
	p.rest = strings.TrimSpace(p.rest)
	if half := strings.ToLower(p.rest[:min(2, len(p.rest))]); half == "am" || half == "pm" {
		if hour < 1 || hour > 12 {
			return m, fmt.Errorf("there is no hour %d %s", hour, half)
		}
		if hour %= 12; half == "pm" {
			hour += 12
		}
		p.rest = strings.TrimSpace(p.rest[2:])
	}
	if hour > 24 || hour == 24 && (minute > 0 || second > 0 || m.nanoseconds > 0) || minute > 59 || second > 60 {
		return m, fmt.Errorf("there is no time %d:%02d:%02d", hour, minute, second)
	}
	m.seconds = int64(hour)*3600 + int64(minute)*60 + int64(second)
	return m, p.zone(&m)
}

// zone reads the time zone, if there is one.
func (p *dateParser) zone(m *moment) error {
	switch {
	case p.rest == "":
		return nil
	case strings.EqualFold(p.rest, "z"), strings.EqualFold(p.rest, "utc"), strings.EqualFold(p.rest, "gmt"):
		m.zoned = true
		return nil
	}
	sign := int64(1)
	if strings.HasPrefix(p.rest, "-") {
		sign = -1
	}
	if !p.take("+-") {
		return errNoDate
	}
	hours, count := p.digits(2)
	if count == 0 {
		return errNoDate
	}
	minutes := 0
	if p.take(":") || p.rest != "" {
		if minutes, count = p.digits(2); count != 2 {
			return errNoDate
		}
	}
	if p.rest != "" || hours > 15 || minutes > 59 {
		return errNoDate
	}
	m.zoned, m.zone = true, sign*int64(hours*3600+minutes*60)
	return nil
}
