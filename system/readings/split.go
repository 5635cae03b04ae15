package readings

import (
	"errors"
	"strings"
	"unicode"
)

// Separators are what may stand between columns, in the order in which they are tried for
// a line that names its columns.
const Separators = ",;\t"

var (
	errOpen  = errors.New("a quotation mark is opened and not closed")
	errAfter = errors.New("text follows a closing quotation mark")
)

// Split appends the cells of a line to cells, as a Reader sees them. Blanks around a cell do not count. A cell in
// quotation marks may hold separators and, doubled, quotation marks. Elsewhere quotation
// marks are characters like others. It fails if one is opened and not closed in this line, or if text
// follows a closing one.
func Split(cells []string, line string, separator byte) ([]string, error) {
	for {
		rest := trimLeft(line, separator)
		if !strings.HasPrefix(rest, `"`) {
			end := strings.IndexByte(rest, separator)
			if end < 0 {
				return append(cells, strings.TrimSpace(rest)), nil
			}
			cells, line = append(cells, strings.TrimSpace(rest[:end])), rest[end+1:]
			continue
		}
		cell, after, closed := unquote(rest[1:])
		if !closed {
			return cells, errOpen
		}
		cells = append(cells, strings.TrimSpace(cell))
		after = trimLeft(after, separator)
		switch {
		case after == "":
			return cells, nil
		case after[0] != separator:
			return cells, errAfter
		}
		line = after[1:]
	}
}

// trimLeft removes blanks, but no separator.
func trimLeft(text string, separator byte) string {
	return strings.TrimLeftFunc(text, func(c rune) bool { return c != rune(separator) && unicode.IsSpace(c) })
}

// unquote reads a cell up to its closing quotation mark.
func unquote(text string) (cell, after string, closed bool) {
	end := strings.IndexByte(text, '"')
	if end < 0 {
		return "", "", false
	}
	if end+1 == len(text) || text[end+1] != '"' {
		return text[:end], text[end+1:], true
	}
	var b strings.Builder
	for {
		if end < 0 {
			return "", "", false
		}
		b.WriteString(text[:end])
		text = text[end+1:]
		if !strings.HasPrefix(text, `"`) {
			return b.String(), text, true
		}
		b.WriteByte('"')
		text = text[1:]
		end = strings.IndexByte(text, '"')
	}
}
