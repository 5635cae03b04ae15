package spec

import (
	"fmt"
	"math"
	"strings"
)

// section is one table of the document, with its name.
type section struct {
	*document
	name   string
	values map[string]any
}

// section returns a top-level table. It is empty if the file has none.
func (d *document) section(name string) section {
	values, _ := d.root[name].(map[string]any)
	return section{d, name, values}
}

// sections returns the tables of an array.
func (d *document) sections(name string) []section {
	var all []section
	for i, t := range d.tables(name) {
		all = append(all, section{d, fmt.Sprintf("%s[%d]", name, i), t})
	}
	return all
}

func (s section) has(key string) bool { return s.values[key] != nil }

// wrong returns an error about one of the section's keys.
func (s section) wrong(key string, err error) error {
	return s.because(join(s.name, key), err)
}

// missing returns an error about the section as a whole, such as a key that is missing.
func (s section) missing(format string, args ...any) error {
	return s.refuse(s.name, format, args...)
}

// inner returns the table under a key.
func (s section) inner(key string) section {
	values, _ := s.values[key].(map[string]any)
	return section{s.document, join(s.name, key), values}
}

// text returns a text value, or "" if the key is absent.
func (s section) text(key string) (string, error) {
	v, ok := s.values[key]
	if !ok {
		return "", nil
	}
	text, ok := v.(string)
	if !ok {
		return "", s.refuse(join(s.name, key), "expected text in quotes, found %s", describe(v))
	}
	if strings.TrimSpace(text) == "" {
		return "", s.refuse(join(s.name, key), "the text is empty")
	}
	return text, nil
}

// formula returns the text of an expression, which may be a number.
func (s section) formula(key string) (string, error) {
	switch v := s.values[key].(type) {
	case int64, float64:
		return fmt.Sprint(v), nil
	}
	return s.text(key)
}

// number returns a finite number, which may be an expression of constants, or absent if
// the key is.
func (s section) number(key string, absent float64) (float64, error) {
	v, ok := s.values[key]
	if !ok {
		return absent, nil
	}
	n, err := s.scope.number(v)
	if err != nil {
		return 0, s.wrong(key, err)
	}
	return n, nil
}

// positive returns a number that must be above 0. It returns 0 if the key is absent, and
// for "auto" if that is allowed.
func (s section) positive(key string, auto bool) (float64, error) {
	if v, ok := s.values[key]; !ok || auto && v == "auto" {
		return 0, nil
	}
	v, err := s.number(key, 0)
	if err == nil && !(v > 0) {
		orAuto := ""
		if auto {
			orAuto = ` or "auto"`
		}
		err = s.refuse(join(s.name, key), "found %g; a positive number%s is expected", v, orAuto)
	}
	return v, err
}

// deviation returns a standard deviation whose square is within range, or 0 if the key is absent.
func (s section) deviation(key string) (float64, error) {
	v, err := s.positive(key, false)
	if err == nil && v != 0 && !(1/largest <= v && v <= largest) {
		err = s.refuse(join(s.name, key), "found %g; from %g to %g is possible: choose another unit", v, 1/largest, largest)
	}
	return v, err
}

// count returns a whole number from least to most, or absent if the key is.
func (s section) count(key string, absent, least, most int) (int, error) {
	v, ok := s.values[key]
	if !ok {
		return absent, nil
	}
	n, err := s.scope.whole(v, least, most)
	if err != nil {
		return 0, s.wrong(key, err)
	}
	return n, nil
}

// counts returns a list of n whole numbers whose product is at most total.
func (s section) counts(key string, n, total int) ([]int, error) {
	list, err := s.list(key, n)
	if err != nil {
		return nil, err
	}
	counts, product := make([]int, n), 1
	for i, v := range list {
		if counts[i], err = s.scope.whole(v, 1, total); err != nil {
			return nil, s.wrong(key, err)
		}
		if product > total/counts[i] {
			what := "the grid has more than %d points"
			if key == "patches" {
				what = "there are more than %d"
			}
			return nil, s.refuse(join(s.name, key), what, total)
		}
		product *= counts[i]
	}
	return counts, nil
}

// take uses points, as many as the product of counts, of the limit.
func (s section) take(key string, counts ...int) error {
	product := int64(1)
	for _, n := range counts {
		product *= int64(n)
	}
	if err := s.budget.take(product); err != nil {
		return s.wrong(key, err)
	}
	return nil
}

// numbers returns a list of n finite numbers.
func (s section) numbers(key string, n int) ([]float64, error) {
	list, err := s.list(key, n)
	if err != nil {
		return nil, err
	}
	numbers := make([]float64, n)
	for i, v := range list {
		if numbers[i], err = s.scope.number(v); err != nil {
			return nil, s.wrong(key, err)
		}
	}
	return numbers, nil
}

func (s section) list(key string, n int) ([]any, error) {
	v := s.values[key]
	list, ok := v.([]any)
	if !ok {
		return nil, s.refuse(join(s.name, key), "expected a list of %d number%s in brackets, found %s", n, plural(n), describe(v))
	}
	if len(list) != n {
		return nil, s.refuse(join(s.name, key), "expected %d number%s, found %d", n, plural(n), len(list))
	}
	return list, nil
}

// are begins a list of all names of a kind: the field is, the fields are.
func are(kind string, names []string) string {
	if len(names) == 1 {
		return "the " + kind + " is"
	}
	return "the " + kind + "s are"
}

// choice returns one of the allowed words, or the first if the key is absent.
func (s section) choice(key string, allowed ...string) (string, error) {
	if !s.has(key) {
		return allowed[0], nil
	}
	text, isText := s.values[key].(string)
	if !isText {
		return "", s.refuse(join(s.name, key), "expected %s in quotes, found %s", list(allowed, "or"), describe(s.values[key]))
	}
	for _, word := range allowed {
		if text == word {
			return word, nil
		}
	}
	near := ""
	if n := nearest(text, allowed); n != "" {
		near = "; did you mean " + n + "?"
	}
	return "", s.refuse(join(s.name, key), "found %q; expected %s%s", shorten(text), list(allowed, "or"), near)
}

// number returns the number that a TOML value means. It must be finite.
func (s *scope) number(v any) (float64, error) {
	switch v := v.(type) {
	case int64:
		return float64(v), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, fmt.Errorf("found %g; a finite number is expected", v)
		}
		return v, nil
	case string:
		return s.value(v)
	}
	return 0, fmt.Errorf("expected a number, or an expression of constants in quotes, found %s", describe(v))
}

// whole returns the whole number from least to most that a TOML value means.
func (s *scope) whole(v any, least, most int) (int, error) {
	n, err := s.number(v)
	if err != nil {
		return 0, err
	}
	if n != math.Trunc(n) || n < float64(least) || n > float64(most) {
		return 0, fmt.Errorf("found %.15g; a whole number from %d to %d is expected", n, least, most)
	}
	return int(n), nil
}
