package readings

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
)

// What is read of a file in search of the line that names the columns.
const (
	maxPreambleLines = 200
	maxPreambleBytes = 1 << 16
)

// A candidate is a line that may have been meant to name the columns.
type candidate struct {
	line  int
	cells []string
	score int      // how many of the names it has
	next  []string // the lines after it
	found byte     // separator
}

// findColumns reads up to the line that names the columns of a file. It returns the first
// line if the file is JSON lines.
func (r *Reader) findColumns() (object string, err error) {
	r.lines.decode()
	var best *candidate
	var before []int
	lines, bytes, last, lastLine := 0, 0, "", 0
	for lines < maxPreambleLines && bytes < maxPreambleBytes {
		line, err := r.line()
		if err == io.EOF {
			break
		}
		if err != nil {
			return "", err
		}
		bytes += len(line)
		bare := strings.TrimSpace(line)
		switch {
		case bare == "":
			continue
		case strings.Contains(bare, "\x00"):
			if lines == 0 {
				return "", r.Refuse("", "the first line is not text; is this a CSV file?")
			}
			lines = maxPreambleLines
			continue
		case bare[0] == '{' && lines == 0:
			return bare, nil
		}
		b, err := r.recognise(line)
		if err == nil {
			r.named(b)
			r.Counts.Preamble = before
			r.doubted = r.doubt(last, lastLine)
			return "", nil
		}
		if isTwice(err) {
			return "", r.Refuse(err.(twice).name, "%s", err)
		}
		if bare[0] == '#' {
			continue
		}
		lines++
		last, lastLine = line, r.lines.line
		before = append(before, r.lines.line)
		if best != nil && len(best.next) <= maxUnits {
			best.next = append(best.next, line)
		}
		if c := r.candidate(line); best == nil || c.score > best.score {
			best = c
		}
	}
	return "", r.noColumns(best)
}

// doubt says what is wrong if the line that names the columns is a row of a table whose rows name sensors, as P01 in it is
// the name of one, and the last line before it has the names; nil if that is not possible.
func (r *Reader) doubt(last string, line int) error {
	b, d := r.bound, len(r.Variables)
	if len(b.wide) != 1 || last == "" {
		return nil
	}
	heads, err := Split(nil, last, b.separator)
	if err != nil || len(heads) != len(b.columns) || slices.Contains(heads, "") {
		return nil
	}
	comma, sensor, value, numbers := b.separator != ',', b.wide[0].column, -1, 0
	for at, cell := range b.columns {
		if _, err := parseNumber(heads[at], comma); err == nil {
			return nil
		}
		if _, err := parseNumber(cell, comma); err == nil && at != sensor && !slices.Contains(b.at, at) {
			value = at
			numbers++
		}
	}
	if numbers == 0 {
		return nil
	}
	cure := fmt.Sprintf("%s = %q", sensorColumn, heads[sensor])
	lacks := absent{name: b.names[d+sensorOffset], or: byPlace}
	if heads[sensor] == b.names[d+sensorOffset] {
		cure, lacks = "", absent{name: b.names[d+valueOffset]}
	}
	if heads[value] != valueColumn {
		text := "..."
		if numbers == 1 {
			text = heads[value]
		}
		if cure != "" {
			cure += ", "
		}
		cure += fmt.Sprintf("%s = %q", valueColumn, text)
	}
	e := r.Refuse(lacks.name, "%s", lacks).(*Error)
	e.Line, e.Missing, e.Found = line, lacks.name, heads
	if e.Certain = certainly(heads, b.columns, comma); e.Certain {
		e.Cure = "columns = { " + cure + " }"
	}
	return e
}

// candidate splits a line by the separator by which it has most names.
func (r *Reader) candidate(line string) *candidate {
	c := &candidate{line: r.lines.line, score: -1}
	for i := range len(Separators) {
		cells, err := Split(nil, line, Separators[i])
		if err != nil {
			continue
		}
		if score := r.layouts[0].score(cells); score > c.score {
			c.cells, c.score, c.found = cells, score, Separators[i]
		}
	}
	return c
}

// noColumns says why no line names the columns.
func (r *Reader) noColumns(best *candidate) error {
	if best == nil {
		r.lines.line = 0
		return r.Refuse("", "the file is empty; a first line with the columns' names is expected")
	}
	r.lines.line = best.line
	if len(best.cells) == 0 {
		return r.Refuse("", "not CSV: %s", errOpen)
	}
	if !slices.ContainsFunc(best.cells, func(cell string) bool { _, err := parseNumber(cell, best.found != ','); return err != nil }) {
		return r.Refuse("", "the first line must name the columns; it has only numbers")
	}
	_, err := r.layouts[0].bind(best.cells, &r.Config)
	lacks, _ := err.(absent)
	for _, line := range best.next {
		if row, err := Split(nil, line, best.found); err == nil && !r.certain {
			r.certain = certainly(best.cells, row, best.found != ',')
		}
	}
	column := lacks.name
	if lacks.places != "" {
		column = ""
	}
	e := r.Refuse(column, "%s", lacks).(*Error)
	if !slices.Contains(best.cells, lacks.name) { // else it holds something else
		e.Missing, e.Found = lacks.name, best.cells
	}
	return e
}

// isColumnName reports whether a text can name a column of what is certainly a table.
func isColumnName(text string) bool {
	const most = 40
	count := 0
	for i, c := range text {
		count++
		letter := c == '_' || unicode.IsLetter(c)
		if !letter && (i == 0 || !unicode.IsNumber(c) && !strings.ContainsRune(" .-/%°()[]", c)) {
			return false
		}
	}
	return count > 0 && count <= most
}

// certainly reports whether names and the row after them are those of a table: the row has
// only numbers, or as many cells as there are names, of which one is a number.
func certainly(names, row []string, decimalComma bool) bool {
	for _, name := range names {
		if !isColumnName(name) {
			return false
		}
	}
	numbers := 0
	for _, cell := range row {
		if _, err := parseNumber(cell, decimalComma); err == nil {
			numbers++
		}
	}
	return numbers == len(row) || numbers > 0 && len(row) == len(names)
}
