package spec

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// override applies one "section.key=value" to the document. It sets the key in all tables
// of an array, unless there is an index, as in section[1]. The value is a TOML value, or
// text without quotes.
func (d *document) override(setting string) error {
	path, text, found := strings.Cut(setting, "=")
	path = strings.TrimSpace(path)
	wrong := func(format string, args ...any) error {
		return &Error{File: d.path, Key: "--set " + shorten(path), Why: fmt.Sprintf(format, args...)}
	}
	if !found {
		return wrong("expected section.key=value")
	}
	parts := strings.Split(path, ".")
	if len(parts) > maxNesting {
		return wrong("expected section.key=value")
	}
	// The tables in which to set the key, by name.
	targets := map[string]map[string]any{"": d.root}
	s := problemKeys
	for i, part := range parts {
		key, index, err := splitIndex(part)
		if err != nil {
			return wrong("%s", err)
		}
		section := strings.Join(parts[:i], ".")
		inner := s.at(key)
		if inner == nil {
			if meant := meantBy(key); section == "" && meant != "" {
				return wrong("unknown key %s; did you mean %s?", shorten(key), meant)
			}
			return wrong("unknown key %s%s", shorten(key), didYouMean(key, slices.Sorted(maps.Keys(s.keys)), orFile(section)+" has"))
		}
		if index >= 0 && !inner.array {
			return wrong("%s is not an array of tables", shorten(key))
		}
		last := i == len(parts)-1
		if last && (inner.array || i == 0 && !inner.value) {
			return wrong("%s is a whole section; name one of its keys", shorten(key))
		}
		if s.named != nil {
			if err := mustExist(targets, key, section); err != nil {
				return wrong("%s", err)
			}
		}
		if last {
			value := overrideValue(text)
			for name, t := range targets {
				t[key] = value
				d.set[join(name, key)] = true
			}
			return nil
		}
		if targets, err = d.descend(targets, key, index, inner); err != nil {
			return wrong("%s", err)
		}
		s = inner
	}
	return nil
}

func orFile(section string) string {
	if section == "" {
		return "a problem file"
	}
	return section
}

// splitIndex reads name or name[index]. Without an index it returns -1.
func splitIndex(part string) (name string, index int, err error) {
	name, rest, found := strings.Cut(part, "[")
	if !found {
		return part, -1, nil
	}
	digits, closed := strings.CutSuffix(rest, "]")
	index, err = strconv.Atoi(digits)
	if !closed || err != nil || index < 0 {
		return "", 0, fmt.Errorf("%q: expected a number in brackets, as sensors[0]", shorten(part))
	}
	return name, index, nil
}

// mustExist refuses a name of the user's choice that is not in the file.
func mustExist(targets map[string]map[string]any, name, section string) error {
	for _, t := range targets {
		if _, ok := t[name]; !ok {
			return fmt.Errorf("%s has no %s%s", section, shorten(name), didYouMean(name, slices.Sorted(maps.Keys(t)), "it has"))
		}
	}
	return nil
}

// descend returns the tables under a key of each of the given tables. It makes those that
// are missing.
func (d *document) descend(targets map[string]map[string]any, key string, index int, s *shape) (map[string]map[string]any, error) {
	if s.array {
		all, inner := d.tables(key), map[string]map[string]any{}
		if len(all) == 0 {
			return nil, fmt.Errorf("the file has no [[%s]]", key)
		}
		if index >= len(all) {
			return nil, fmt.Errorf("the file has %d [[%s]], numbered from 0", len(all), key)
		}
		for i, t := range all {
			if index < 0 || i == index {
				inner[fmt.Sprintf("%s[%d]", key, i)] = t
			}
		}
		return inner, nil
	}
	if s.keys == nil && s.named == nil {
		return nil, fmt.Errorf("%s is a value; it has no keys", shorten(key))
	}
	inner := map[string]map[string]any{}
	for name, t := range targets {
		if _, ok := t[key]; !ok {
			t[key] = map[string]any{}
		}
		under, ok := t[key].(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s is %s, not a table", join(name, key), describe(t[key]))
		}
		inner[join(name, key)] = under
	}
	return inner, nil
}

// overrideValue reads a TOML number, string, boolean, array or table. It returns anything else
// as text.
func overrideValue(text string) any {
	text = strings.TrimSpace(text)
	line := "value = " + text
	if _, err := newOutline(line); err != nil {
		return text
	}
	var d map[string]any
	if _, err := toml.Decode(line, &d); err != nil || len(d) != 1 {
		return text
	}
	switch v := d["value"].(type) {
	case string, bool, int64, float64, []any, map[string]any:
		return v
	}
	return text
}
