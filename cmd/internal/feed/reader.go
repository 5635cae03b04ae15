package feed

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/bpielm/bpielm/system"
)

const (
	maxLine = 1 << 16 // bytes
	maxName = 128     // bytes of the name of a sensor
	// cutHeader is how many rows in succession must fit the previous header for the
	// last header to have been truncated.
	cutHeader = 3
)

// The columns besides the variables.
const (
	valueColumn  = "value"
	sigmaColumn  = "sigma"
	sensorColumn = "sensor"
	kindColumn   = "kind"
)

// Error says where a stream of readings cannot be read, and why.
type Error struct {
	File string
	Line int // 0 before the first one
	Why  string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Why
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Why)
}

// Record is one line of the stream. It is valid until the next one is read.
type Record struct {
	Line         int
	At           []float64
	Value, Sigma float64  // Sigma is 0 where the line has none
	Sensor, Kind string   // "" where the line has none
	Columns      []string // as they were last named; nil where they have not been
}

// Reader reads records.
type Reader struct {
	// Live is a stream that is read as it arrives, not a file. Its last line may be
	// truncated, and so may its first if the columns are known beforehand. Such lines
	// are invalid.
	Live bool

	name      string
	variables []system.Variable
	lines     *bufio.Reader
	err       error // of reading, to be returned after the last line
	line      int
	columns   columns // no names: not known yet
	before    columns // the previous columns, should the header have been truncated
	misfits   int     // rows in succession that fit before
	joined    bool    // the columns were known before the first line
	record    Record

	pointsOnly bool     // there is nothing but variables
	meaning    []string // see names
}

// NewReader reads from r; name is for messages.
func NewReader(r io.Reader, name string, variables []system.Variable) *Reader {
	return &Reader{name: name, variables: variables, lines: bufio.NewReaderSize(r, maxLine), record: Record{At: make([]float64, len(variables))}}
}

func (r *Reader) refuse(format string, args ...any) error {
	return &Error{r.name, r.line, fmt.Sprintf(format, args...)}
}

// Next returns the next record, io.EOF after the last. An *Error says what is wrong
// with a line; reading can go on with the next line. Any other error is the end.
func (r *Reader) Next() (*Record, error) {
	for {
		line, err := r.next()
		if err != nil {
			return &r.record, err
		}
		if r.line == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' {
			continue
		}
		r.record = Record{Line: r.line, At: r.record.At, Columns: r.columns.names}
		if line[0] == '{' {
			return &r.record, r.object(line)
		}
		cells, err := r.cells(string(line))
		if err != nil {
			return &r.record, err
		}
		if r.columns.names == nil || r.isHeader(cells) {
			if err := r.header(cells); err != nil {
				return &r.record, err
			}
			continue
		}
		if r.line == 1 && r.joined && r.Live {
			return &r.record, r.refuse("the first line may have lost its beginning")
		}
		return &r.record, r.row(cells)
	}
}

// next returns the next line, with or without a line end.
func (r *Reader) next() ([]byte, error) {
	if r.err != nil {
		return nil, r.err
	}
	line, err := r.lines.ReadSlice('\n')
	if err == nil {
		r.line++
		return line, nil
	}
	if err == bufio.ErrBufferFull {
		r.line++
		for err == bufio.ErrBufferFull {
			_, err = r.lines.ReadSlice('\n')
		}
		r.err = err
		return nil, r.refuse("a line of more than %d bytes", maxLine-1)
	}
	r.err = err
	if len(line) == 0 || err == ErrStopped {
		return nil, err
	}
	r.line++
	if r.Live || err != io.EOF {
		return nil, r.refuse("the last line has no end")
	}
	return line, nil
}

// cells splits a line of CSV.
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

// row stores the cells of a line in the record.
func (r *Reader) row(cells []string) error {
	switch len(cells) {
	case len(r.columns.names):
		r.misfits = 0
	case len(r.before.names):
		if r.misfits++; r.misfits == cutHeader {
			r.columns, r.before, r.misfits = r.before, r.columns, 0
			r.record.Columns = r.columns.names
		}
	}
	if len(cells) != len(r.columns.names) {
		return r.refuse("found %d columns; the first line names %d", len(cells), len(r.columns.names))
	}
	d := len(r.variables)
	for i, c := range r.columns.at {
		if c < 0 {
			continue
		}
		switch text := cells[c]; i {
		case d + 2, d + 3:
			if err := r.call(i, text); err != nil {
				return err
			}
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

// call stores the text of column i, the name of a sensor or of a kind.
func (r *Reader) call(i int, name string) error {
	if len(name) > maxName {
		return r.refuse("%s: a name of %d bytes; at most %d are possible", r.names()[i], len(name), maxName)
	}
	if i == len(r.variables)+2 {
		r.record.Sensor = name
	} else {
		r.record.Kind = name
	}
	return nil
}

// object stores a line of JSON in the record.
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
		case i >= d+2 && isText:
			if err := r.call(i, text); err != nil {
				return err
			}
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
