package handbook

import (
	"fmt"
	"io"
	"strings"

	"github.com/agext/levenshtein"

	"github.com/bpielm/bpielm/system/spec"
)

// Width is how many columns texts for a terminal take.
const Width = 80

// wrap breaks text into lines that fit beside an indent.
func wrap(text string, indent int) string {
	var b strings.Builder
	column := indent
	for i, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case i == 0:
		case column+1+n > Width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

// kind says what values a key takes.
func kind(e *spec.Entry) string {
	var all []string
	if e.Kind != 0 {
		all = append(all, e.Kind.String())
	}
	for _, w := range e.Words {
		all = append(all, `"`+w+`"`)
	}
	if n := len(all) - 1; n > 1 {
		return strings.Join(all[:n], ", ") + " or " + all[n]
	}
	return strings.Join(all, " or ")
}

// without says what holds without a key: a value as the file writes it, or words; "" if
// nothing does.
func without(e *spec.Entry) (text string, isValue bool) {
	switch {
	case e.Required || e.Default == "":
		return "", false
	case strings.HasPrefix(e.Default, "("):
		return strings.Trim(e.Default, "()"), false
	}
	return e.Default, true
}

// isSection reports whether an entry begins a section.
func isSection(e *spec.Entry) bool { return !strings.Contains(e.Key, ".") && e.Section() != "" }

// header returns how the file writes the header of a section: [features] or [[sensors]].
func header(entries []spec.Entry, section string) string {
	for i := range entries {
		if entries[i].Key == section && entries[i].Kind&spec.KindTables != 0 {
			return "[[" + section + "]]"
		}
	}
	return "[" + section + "]"
}

// under returns a key without its section.
func under(e *spec.Entry) string {
	if section := e.Section(); section != "" && section != e.Key {
		return strings.TrimPrefix(e.Key, section+".")
	}
	return e.Key
}

// Overview writes each key with its first sentence.
func Overview(w io.Writer, entries []spec.Entry) error {
	var b strings.Builder
	b.WriteString(wrap("The keys of a problem file (TOML). NAME stands for a name of your choice. bpielm help problem KEY says all about one of them, bpielm help expressions what formulas may contain.", 0) + "\n")
	section := "?"
	for i := range entries {
		e := &entries[i]
		if s := e.Section(); s != section {
			section = s
			switch s {
			case "":
				b.WriteString("\nbefore the first section\n")
			default:
				fmt.Fprintf(&b, "\n%s\n", header(entries, s))
			}
		}
		if isSection(e) {
			b.WriteString("  " + wrap(e.Text, 2) + "\n")
			continue
		}
		writeLine(&b, under(e), firstSentence(e.Text))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const keyColumn = 20

func writeLine(b *strings.Builder, left, right string) {
	if len(left) > keyColumn-3 {
		fmt.Fprintf(b, "  %s\n%*s", left, keyColumn, "")
	} else {
		fmt.Fprintf(b, "  %-*s", keyColumn-2, left)
	}
	b.WriteString(wrap(right, keyColumn) + "\n")
}

func firstSentence(text string) string {
	if i := strings.Index(text, ". "); i >= 0 {
		return text[:i+1]
	}
	return text
}

// An UnknownKeyError says that problem files have no such key.
type UnknownKeyError struct{ Key, Near string }

func (e *UnknownKeyError) Error() string {
	if e.Near != "" {
		return fmt.Sprintf("problem files have no key %q; did you mean %s?", e.Key, e.Near)
	}
	return fmt.Sprintf("problem files have no key %q; bpielm help problem lists them", e.Key)
}

// Key writes all about a key, "sensors.sigma" or, if sections share the name, about each: "sigma". A section comes
// with its keys. It fails with an *UnknownKeyError.
func Key(w io.Writer, entries []spec.Entry, key string) error {
	key = strings.NewReplacer("[", "", "]", "").Replace(key)
	var found []*spec.Entry
	for i := range entries {
		e := &entries[i]
		if matches(e.Key, key) || strings.HasSuffix(e.Key, "."+key) || isSection(e) && e.Key == key {
			found = append(found, e)
		}
	}
	if len(found) == 0 {
		return &UnknownKeyError{key, nearest(entries, key)}
	}
	if len(found) == 1 || found[0].Key == key {
		found = withBelow(entries, found[0])
	}
	var b strings.Builder
	for i, e := range found {
		if i > 0 {
			b.WriteByte('\n')
		}
		writeEntry(&b, entries, e)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func withBelow(entries []spec.Entry, top *spec.Entry) []*spec.Entry {
	all := []*spec.Entry{top}
	for i := range entries {
		if strings.HasPrefix(entries[i].Key, top.Key+".") {
			all = append(all, &entries[i])
		}
	}
	return all
}

// matches reports whether a key is that of an entry, with any names in the places of NAME.
func matches(of, key string) bool {
	a, b := strings.Split(of, "."), strings.Split(key, ".")
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && !(a[i] == "NAME" && i > 0) {
			return false
		}
	}
	return true
}

func writeEntry(b *strings.Builder, entries []spec.Entry, e *spec.Entry) {
	b.WriteString(e.Key + "\n")
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(b, "  %-9s%s\n", name, wrap(text, 11))
		}
	}
	b.WriteString("  " + wrap(e.Text, 2) + "\n")
	line("is", kind(e))
	line("unit", e.Unit)
	if e.Required {
		line("", "required")
	} else if text, _ := without(e); text != "" {
		line("", "default: "+text)
	}
	example := strings.Split(e.Example, "\n")
	if s := e.Section(); s != "" {
		example = append([]string{header(entries, s)}, example...)
	} else if e.Key == "fields.NAME" {
		example = append([]string{"[fields]"}, example...)
	}
	for i, text := range example {
		name := ""
		if i == 0 {
			name = "example"
		}
		fmt.Fprintf(b, "  %-9s%s\n", name, text)
	}
}

// nearest returns the key that a misspelt one most likely means, or "".
func nearest(entries []spec.Entry, key string) string {
	best, most := "", max(2, len(key)/3)
	if len(key) > 100 {
		return ""
	}
	for i := range entries {
		whole := entries[i].Key
		last := whole[strings.LastIndexByte(whole, '.')+1:]
		for _, candidate := range []string{whole, last} {
			if d := levenshtein.Distance(strings.ToLower(key), strings.ToLower(candidate), nil); d <= most && last != "NAME" {
				best, most = whole, d-1
			}
		}
	}
	return best
}

// Expressions writes the operators and functions.
func Expressions(w io.Writer) error {
	var b strings.Builder
	b.WriteString(wrap("Expressions have variables, fields, derivatives, parameters, constants and numbers, joined by these:", 0) + "\n\n")
	for _, s := range spec.Operators() {
		writeLine(&b, s.Usage, s.Text)
	}
	b.WriteString("\n" + wrap("Functions. Those marked with * are smooth: they may be applied to unknown fields, and the problem is then solved by Gauss and Newton's method.", 0) + "\n\n")
	for _, s := range spec.Functions() {
		mark := ""
		if s.Smooth {
			mark = " *"
		}
		writeLine(&b, s.Usage+mark, s.Text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
