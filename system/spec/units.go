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

// caption returns a text that pictures and tables show, or "" if the key is absent.
func (s section) caption(key string, most int) (string, error) {
	text, err := s.text(key)
	if err != nil {
		return "", err
	}
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) > most || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return "", s.refuse(join(s.name, key), "expected a text of at most %d characters that can be printed", most)
	}
	return text, nil
}

// date returns a date as text. TOML also has dates without quotes.
func (s section) date(key string) (string, error) {
	at, is := s.values[key].(time.Time)
	if !is {
		return s.text(key)
	}
	switch at.Location().String() {
	case "date-local", "datetime-local":
		return at.Format("2006-01-02 15:04:05.999999999"), nil
	case "time-local":
		return "", s.refuse(join(s.name, key), "found a time of day; a date is expected, as \"2024-05-01\"")
	}
	return at.Format(time.RFC3339Nano), nil
}
