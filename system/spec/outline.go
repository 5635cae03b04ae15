package spec

import (
	"fmt"
	"strings"
)

// maxNesting limits how deep arrays and tables may be nested, and how many parts a dotted
// key may have, because the TOML library recurses into them.
const maxNesting = 30

// maxKeyPart is the largest number of bytes of a part of a key. The outline stores each key with all tables around it.
const maxKeyPart = 1000

const byteOrderMark = "\ufeff"

// outline finds the line of each key of a TOML text, because the TOML library does not
// tell. Keys are written section.key, or section[i].key in an array of tables. If the text
// is not valid TOML, the outline is right up to the first mistake, which the library
// reports.
type outline struct {
	text    string
	at      int
	line    int
	section string
	lines   map[string]int
	tables  map[string]int // tables of each array so far
}

// newOutline returns the line of each key. If the text is nested too deep it fails with an
// *Error without a file.
func newOutline(text string) (map[string]int, error) {
	o := &outline{text: strings.TrimPrefix(text, byteOrderMark), line: 1, lines: map[string]int{}, tables: map[string]int{}}
	for o.skipBlank(); o.at < len(o.text); o.skipBlank() {
		var err error
		if o.text[o.at] == '[' {
			err = o.header()
		} else {
			err = o.assignment()
		}
		if err != nil {
			return nil, err
		}
	}
	return o.lines, nil
}

// skipBlank moves to the next line that is neither empty nor a comment.
func (o *outline) skipBlank() {
	for o.at < len(o.text) {
		switch o.text[o.at] {
		case '\n':
			o.line++
			o.at++
		case ' ', '\t', '\r':
			o.at++
		case '#':
			o.skipLine()
		default:
			return
		}
	}
}

// skipLine moves to the end of the line.
func (o *outline) skipLine() {
	if i := strings.IndexByte(o.text[o.at:], '\n'); i >= 0 {
		o.at += i
	} else {
		o.at = len(o.text)
	}
}

func (o *outline) header() error {
	line, array := o.line, strings.HasPrefix(o.text[o.at:], "[[")
	o.at++
	if array {
		o.at++
	}
	parts, err := o.key("]")
	if err != nil {
		return err
	}
	o.section = o.inLastTables(parts, array)
	o.note(o.section, line)
	o.skipLine()
	return nil
}

// inLastTables joins the parts of a header. A part that is an array of tables gets the
// number of its last table.
func (o *outline) inLastTables(parts []string, array bool) string {
	name := ""
	for i, part := range parts {
		name = join(name, part)
		last := i == len(parts)-1
		if last && array {
			o.tables[name]++
		}
		if n := o.tables[name]; n > 0 {
			o.note(name, o.line)
			name = fmt.Sprintf("%s[%d]", name, n-1)
		}
	}
	return name
}

// note records the first line of a key.
func (o *outline) note(key string, line int) {
	if _, known := o.lines[key]; !known {
		o.lines[key] = line
	}
}

func join(section, key string) string {
	if section == "" {
		return key
	}
	return section + "." + key
}

func (o *outline) assignment() error {
	line := o.line
	parts, err := o.key("=")
	if err != nil {
		return err
	}
	name := o.section
	for _, part := range parts {
		name = join(name, part)
		o.note(name, line)
	}
	return o.value()
}

// key reads a dotted key up to a character of end, or to the end of the line.
func (o *outline) key(end string) ([]string, error) {
	parts, part := []string{}, ""
	for o.at < len(o.text) {
		if len(part) > maxKeyPart {
			return nil, &Error{Line: o.line, Why: fmt.Sprintf("a key of more than %d bytes", maxKeyPart)}
		}
		c := o.text[o.at]
		switch {
		case c == '"' || c == '\'':
			from := o.at
			o.quoted()
			part += strings.Trim(o.text[from:o.at], `"'`)
			continue
		case c == '.':
			parts, part = append(parts, part), ""
			if len(parts) > maxNesting {
				return nil, &Error{Line: o.line, Why: fmt.Sprintf("a key with more than %d parts", maxNesting)}
			}
		case strings.IndexByte(end, c) >= 0:
			o.at++
			return append(parts, part), nil
		case c == '\n':
			return append(parts, part), nil
		case c != ' ' && c != '\t':
			part += string(c)
		}
		o.at++
	}
	return append(parts, part), nil
}

// value skips a value: up to the end of the line where all brackets are closed.
func (o *outline) value() error {
	depth, dots := 0, 0
	for o.at < len(o.text) {
		switch c := o.text[o.at]; c {
		case '"', '\'':
			o.quoted()
			continue
		case '#':
			o.skipLine()
			continue
		case '\n':
			if depth <= 0 {
				return nil
			}
			o.line++
		case '[', '{':
			depth++
			dots = 0
		case ']', '}':
			depth--
			dots = 0
		case ',', '=':
			dots = 0
		case '.':
			dots++
		}
		if depth > maxNesting || dots > maxNesting {
			return &Error{Line: o.line, Why: fmt.Sprintf("values are nested more than %d deep", maxNesting)}
		}
		o.at++
	}
	return nil
}

// quoted skips the string that begins here, of any of TOML's four kinds.
func (o *outline) quoted() {
	quote := o.text[o.at]
	triple := strings.Repeat(string(quote), 3)
	multiline := strings.HasPrefix(o.text[o.at:], triple)
	o.at++
	if multiline {
		o.at += 2
	}
	for o.at < len(o.text) {
		switch c := o.text[o.at]; {
		case c == '\\' && quote == '"' && o.at+1 < len(o.text) && o.text[o.at+1] != '\n':
			o.at++
		case c == '\n' && !multiline:
			return
		case c == '\n':
			o.line++
		case c == quote && !multiline:
			o.at++
			return
		case multiline && strings.HasPrefix(o.text[o.at:], triple):
			o.at += 3
			for range 2 { // the string may end in up to two quotes
				if o.at < len(o.text) && o.text[o.at] == quote {
					o.at++
				}
			}
			return
		}
		o.at++
	}
}
