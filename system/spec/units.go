package spec

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/readings"
)

const (
	maxUnit  = 40 // characters
	maxLabel = 60
)

// describe reads the unit, the label and the start of a variable.
func (s section) describe(v *system.Variable) (err error) {
	if v.Unit, err = s.caption("unit", maxUnit); err != nil {
		return err
	}
	s.scope.hasUnit(v.Name, v.Unit)
	if v.Label, err = s.caption("label", maxLabel); err != nil || !s.has("start") {
		return err
	}
	for _, other := range s.scope.variables {
		if other == v.Name {
			break
		}
		if section, _ := s.section("variables").values[other].(map[string]any); section["start"] != nil {
			return s.refuse(join(s.name, "start"), "%s has one, too; only one variable is the time", other)
		}
	}
	if v.Start, err = s.date("start"); err != nil {
		return err
	}
	if _, err := readings.NewClock(*v, ""); err != nil {
		return s.wrong("start", err)
	}
	return nil
}

// hasUnit notes the unit of something, "" if it has none.
func (s *scope) hasUnit(name, unit string) {
	if unit != "" {
		s.units[name] = unit
	}
}

// caption returns a text that pictures and tables show, or "" if the key is absent.
func (s section) caption(key string, most int) (string, error) {
	text, err := s.text(key)
	if err != nil {
		return "", err
	}
	text = strings.Join(strings.Fields(text), " ")
	if !isCaption(text, most) {
		return "", s.refuse(join(s.name, key), "expected a text of at most %d characters that can be printed", most)
	}
	return text, nil
}

// isCaption tells whether a text can be printed and has at most so many characters.
func isCaption(text string, most int) bool {
	return utf8.RuneCountInString(text) <= most && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// ends returns the ends of a variable's range. If it has a start, they may be dates.
func (s section) ends(key string, of *system.Variable) ([]float64, error) {
	list, err := s.list(key, 2)
	if err != nil {
		return nil, err
	}
	ends := make([]float64, 2)
	for i, v := range list {
		if ends[i], err = s.end(key, v, of); err != nil {
			return nil, err
		}
	}
	return ends, nil
}

func (s section) end(key string, v any, of *system.Variable) (float64, error) {
	text, isText := v.(string)
	at, isDate := v.(time.Time)
	switch {
	case of.Start == "" && (isDate || isText && isDay(text)):
		return 0, s.refuse(join(s.name, key), `found a date; dates need a start, as %s = { range = ["2024-05-01", "2024-05-08"], unit = "h", start = "2024-05-01" }`, of.Name)
	case isDate:
		var err error
		if text, err = s.dateText(key, at); err != nil {
			return 0, err
		}
	}
	if of.Start != "" && (isDate || isText) {
		end, err := readings.Parse(text, *of)
		if err == nil {
			return end, nil
		}
		if isDate || startsAsDate(text) {
			return 0, s.wrong(key, err)
		}
	}
	end, err := s.scope.number(v)
	if err != nil {
		return 0, s.wrong(key, err)
	}
	return end, nil
}

// startsAsDate tells a date, however wrong, from an expression such as 2*365, or 2024 - 5.
func startsAsDate(text string) bool {
	first := spanOf(text, isDigit)
	rest := text[first:]
	if first == 4 && len(rest) > 1 && rest[0] == '-' && isDigit(rest[1]) {
		return true
	}
	if first == 0 || rest == "" || rest[0] != '/' {
		return false
	}
	second := spanOf(rest[1:], isDigit)
	return second > 0 && strings.HasPrefix(rest[1+second:], "/")
}

// isDay tells a year, month and day: nobody would write that as an expression.
func isDay(text string) bool {
	const pattern = "0000-00-00"
	if len(text) < len(pattern) {
		return false
	}
	for i := range len(pattern) {
		if isDigit(pattern[i]) != isDigit(text[i]) || pattern[i] == '-' && text[i] != '-' {
			return false
		}
	}
	return true
}

// date returns a date as text. TOML also has dates without quotes.
func (s section) date(key string) (string, error) {
	if at, is := s.values[key].(time.Time); is {
		return s.dateText(key, at)
	}
	return s.text(key)
}

// dateText writes a date of TOML.
func (s section) dateText(key string, at time.Time) (string, error) {
	switch at.Location().String() {
	case "date-local":
		return at.Format("2006-01-02"), nil
	case "datetime-local":
		return at.Format("2006-01-02 15:04:05.999999999"), nil
	case "time-local":
		return "", s.refuse(join(s.name, key), "found a time of day; a date is expected, as \"2024-05-01\"")
	}
	return at.Format(time.RFC3339Nano), nil
}
