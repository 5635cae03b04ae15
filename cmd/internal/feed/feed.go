// Package feed reads a stream of sensor readings, line by line as they come,
// and hands them to a posterior.Stream.
//
// The stream is CSV whose first line names its columns, or JSON lines:
//
//	t,x,value,sensor                    {"t": 0.5, "x": 0.25, "value": 1.25, "sensor": "north"}
//	0.5,0.25,1.25,north                 {"t": 0.5, "x": 0.75, "value": 0.98, "sensor": "south"}
//
// There is one column for each variable, and value. Optional are sigma, the
// reading's own noise; sensor, the name of who reports, so that one that is stuck
// or drifts can be named; and kind, which of the model's sensors it is (the
// first, if its name is not that of one). Further columns are ignored, and so
// are empty lines and lines that begin with #.
package feed

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bpielm/bpielm/system"
)

// maxLine is the longest line in bytes.
const maxLine = 1 << 16

// The columns beside the variables.
const (
	valueColumn  = "value"
	sigmaColumn  = "sigma"
	sensorColumn = "sensor"
	kindColumn   = "kind"
)

// Error says where a stream of readings cannot be read and why.
type Error struct {
	File string
	Line int
	Why  string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Why) }

// Record is one line of the stream. Its contents last until the next one.
type Record struct {
	Line         int
	At           []float64
	Value, Sigma float64 // Sigma is 0 where the line has none
	Sensor, Kind string  // "" where the line has none
}

// Reader reads records.
type Reader struct {
	name      string
	variables []system.Variable
	lines     *bufio.Scanner
	line      int
	columns   []int // of variables, value, sigma, sensor, kind; -1: absent; nil: no header yet
	width     int   // of the header
	record    Record

	pointsOnly bool // there is nothing but variables
	broken     bool
}

// NewReader reads from r; name is for messages.
func NewReader(r io.Reader, name string, variables []system.Variable) *Reader {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 4096), maxLine)
	return &Reader{name: name, variables: variables, lines: lines, record: Record{At: make([]float64, len(variables))}}
}

func (r *Reader) refuse(format string, args ...any) error {
	return &Error{r.name, r.line, fmt.Sprintf(format, args...)}
}

// Next returns the next record, io.EOF after the last. After an *Error reading
// may go on with the next line, unless Broken says that it cannot.
func (r *Reader) Next() (*Record, error) {
	for r.lines.Scan() {
		r.line++
		line := bytes.TrimSpace(r.lines.Bytes())
		if r.line == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		r.record = Record{Line: r.line, At: r.record.At}
		if line[0] == '{' {
			return &r.record, r.object(line)
		}
		cells, err := r.cells(string(line))
		if err != nil {
			return &r.record, err
		}
		if r.columns == nil {
			if err := r.header(cells); err != nil {
				r.broken = true
				return &r.record, err
			}
			continue
		}
		return &r.record, r.row(cells)
	}
	err := r.lines.Err()
	r.broken = err != nil
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		r.line++
		return nil, r.refuse("a line of more than %d bytes", maxLine)
	case err != nil:
		return nil, err
	}
	return nil, io.EOF
}

// Broken reports that there is nothing more to read after an error: the stream
// has failed, or its first line does not name the columns.
func (r *Reader) Broken() bool { return r.broken }

func (r *Reader) cells(line string) ([]string, error) {
	if !strings.Contains(line, `"`) {
		cells := strings.Split(line, ",")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		return cells, nil
	}
	quoted := csv.NewReader(strings.NewReader(line))
	quoted.TrimLeadingSpace = true
	cells, err := quoted.Read()
	if err != nil {
		return nil, r.refuse("not CSV")
	}
	return cells, nil
}

// header finds the columns.
func (r *Reader) header(names []string) error {
	var columns []int
	for i, name := range r.names() {
		at := slices.Index(names, name)
		if at < 0 && i <= len(r.variables) {
			return r.refuse("there is no column %s; the first line names the columns", name)
		}
		if at >= 0 && slices.Contains(names[at+1:], name) {
			return r.refuse("there are two columns %s", name)
		}
		columns = append(columns, at)
	}
	r.columns, r.width = columns, len(names)
	return nil
}

// names returns the names of all columns that have a meaning; those after value
// may be absent.
func (r *Reader) names() []string {
	var names []string
	for _, v := range r.variables {
		names = append(names, v.Name)
	}
	if r.pointsOnly {
		return names
	}
	return append(names, valueColumn, sigmaColumn, sensorColumn, kindColumn)
}

func (r *Reader) row(cells []string) error {
	if len(cells) != r.width {
		return r.refuse("found %d columns; the first line names %d", len(cells), r.width)
	}
	d := len(r.variables)
	for i, c := range r.columns {
		if c < 0 {
			continue
		}
		switch text := cells[c]; i {
		case d + 2:
			r.record.Sensor = text
		case d + 3:
			r.record.Kind = text
		default:
			v, err := strconv.ParseFloat(text, 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return r.refuse("%s: found %q; a number is expected", r.names()[i], shorten(text))
			}
			if err := r.set(i, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// set stores the number of column i.
func (r *Reader) set(i int, v float64) error {
	switch d := len(r.variables); {
	case i < d:
		r.record.At[i] = v
	case i == d:
		r.record.Value = v
	case !(v > 0):
		return r.refuse("sigma: found %g; a standard deviation must be positive", v)
	default:
		r.record.Sigma = v
	}
	return nil
}

func (r *Reader) object(line []byte) error {
	var cells map[string]any
	if err := json.Unmarshal(line, &cells); err != nil {
		return r.refuse("not JSON: %s", err)
	}
	d := len(r.variables)
	for i, name := range r.names() {
		cell, found := cells[name]
		if !found && i <= d {
			return r.refuse("there is no %s", name)
		}
		if !found {
			continue
		}
		number, isNumber := cell.(float64)
		text, isText := cell.(string)
		switch {
		case i == d+2 && isText:
			r.record.Sensor = text
		case i == d+3 && isText:
			r.record.Kind = text
		case i < d+2 && isNumber:
			if err := r.set(i, number); err != nil {
				return err
			}
		default:
			return r.refuse("%s: %s is of the wrong type", name, shorten(fmt.Sprint(cell)))
		}
	}
	return nil
}

func shorten(text string) string {
	const most = 40
	if len(text) > most {
		return text[:most] + "..."
	}
	return text
}
