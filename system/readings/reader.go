package readings

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/bpielm/bpielm/system"
)

const (
	maxName  = 128 // bytes of the name of a sensor
	maxUnits = 3   // lines between the names of the columns and the first row
	// cutHeader is how many rows in succession must fit the previous names of columns for the
	// last ones to have been truncated.
	cutHeader = 3
)

// ErrStopped is the error of a source that was asked to stop. An incomplete line before it
// does not count.
var ErrStopped = errors.New("stopped")

// Config says what is read.
type Config struct {
	Variables []system.Variable
	// Layouts are how the table may be laid out. The first that fits is taken. If there are
	// none, it is plain.
	Layouts []Layout

	// Whole says that the table is a file. What stands before the names of the columns is no
	// error then, and neither are up to three lines between them and the first row that have
	// no number, such as units. A cell in quotation marks may have several lines.
	// A stream may begin and end anywhere.
	Whole bool
	// Live is a stream that is read as it arrives. Its last line may be truncated, and so may
	// its first if the columns are known beforehand. Such lines are invalid.
	Live bool

	PointsOnly bool   // there is nothing but variables
	Places     bool   // the table says where sensors are: it has their names, and columns of some variables
	Complete   bool   // a value that is missing is an error
	Placeless  int    // the first variables have no columns, and are 0
	Sensor     string // the name of the sensor of the whole table, if it has a place
}

// Record is one reading. It is valid until the next one is read.
type Record struct {
	Line         int
	Column       string    // of the value, if each sensor has a column
	At           []float64 // coordinates; in a table of places NaN where there is no column
	Value, Sigma float64   // Sigma is 0 where there is none
	Sensor, Kind string    // "" where there is none
	Columns      []string  // as they were last named; nil where they have not been
}

// Counts say what was passed over.
type Counts struct {
	Header    int   // line that names the columns; 0 before it, and in JSON lines
	Preamble  []int // lines before it that are neither empty nor comments
	UnitLines []int // lines between it and the first row, such as units
	Gaps      int   // values that are missing
	Listed    int   // those of them that are values in Layout.Missing,
	ListedAt  int   // and the line of the first
}

// Reader reads records.
type Reader struct {
	Config // Live may be set before the first record is read
	Counts Counts

	name    string
	gaps    map[string]int // values that are missing, of each sensor that has a name
	lines   lines
	layouts []*layout

	bound   *binding
	before  *binding // the previous one, should the names of the columns have been truncated
	misfits int      // rows in succession that fit before
	joined  bool     // the columns were known before the first line
	keys    *binding // of the last JSON line

	rows    bool  // there has been a row since the columns were named
	doubted error // what is wrong if the line that was taken for the names of the columns is a row
	units   error // what would be wrong with the first of the lines before, if it were one
	certain bool

	record Record
	cells  []string
	comma  bool         // decimals of the row may follow a comma
	rest   []wideColumn // of the row, still to be returned
	object map[string]any
}

// NewReader reads from r; name is for messages. It fails if a layout makes no sense.
func NewReader(r io.Reader, name string, c Config) (*Reader, error) {
	reader := &Reader{Config: c, name: name, record: Record{At: make([]float64, len(c.Variables))}}
	reader.lines = lines{from: bufio.NewReaderSize(r, maxLine), most: maxLine}
	if c.Whole {
		reader.lines.most = maxWholeLine
	}
	if len(c.Layouts) == 0 {
		c.Layouts = make([]Layout, 1)
	}
	for i := range c.Layouts {
		l, err := prepare(&c.Layouts[i], &reader.Config)
		if err != nil {
			return nil, err
		}
		reader.layouts = append(reader.layouts, l)
	}
	return reader, nil
}

// Refuse returns an error about the line read last.
func (r *Reader) Refuse(column, format string, args ...any) error {
	return &Error{File: r.name, Line: r.lines.line, Column: shorten(column), Why: fmt.Sprintf(format, args...), Certain: r.certain || !r.Whole}
}

// SetColumns names the columns of a stream whose first line may not name them. It
// fails with an *Error if one is missing or occurs twice.
func (r *Reader) SetColumns(names []string) error {
	r.joined = true
	b, err := r.bind(names)
	if err != nil {
		return r.Refuse("", "%s", unnamed(err))
	}
	r.use(b)
	return nil
}

// Columns returns the names of the columns, as they were last named.
func (r *Reader) Columns() []string {
	if r.bound == nil {
		return nil
	}
	return r.bound.columns
}

// Head returns the head of the column of variable i, "" if it has none.
func (r *Reader) Head(i int) string {
	if r.bound == nil || r.bound.at[i] < 0 {
		return ""
	}
	return r.bound.columns[r.bound.at[i]]
}

// Unread returns the names of the columns that are ignored.
func (r *Reader) Unread() (columns []string) {
	if r.bound == nil {
		return nil
	}
	for i, name := range r.bound.columns {
		isWide := slices.ContainsFunc(r.bound.wide, func(w wideColumn) bool { return w.column == i })
		if name != "" && !isWide && !slices.Contains(r.bound.at, i) {
			columns = append(columns, name)
		}
	}
	return columns
}

// GapsOf returns how many values are missing in a file, by the names of their sensors; nil if none has a name.
func (r *Reader) GapsOf() map[string]int { return r.gaps }

// Wide returns the sensors that have a column each, in the order of their places.
func (r *Reader) Wide() (sensors []string) {
	if r.bound == nil {
		return nil
	}
	for _, w := range r.bound.wide {
		sensors = append(sensors, r.bound.Places[w.place].Sensor)
	}
	return sensors
}

// bind finds the columns by the first layout that fits. The error is that of the first, or a twice.
func (r *Reader) bind(names []string) (*binding, error) {
	var first error
	for _, l := range r.layouts {
		b, err := l.bind(names, &r.Config)
		if err == nil {
			return b, nil
		}
		if first == nil || isTwice(err) {
			first = err
		}
	}
	return nil, first
}

func isTwice(err error) bool {
	_, is := err.(twice)
	return is
}

// unnamed says that a stream lacks a column.
func unnamed(err error) string {
	if isTwice(err) {
		return err.Error()
	}
	return err.Error() + "; the first line names the columns"
}

// use makes later rows have these columns.
func (r *Reader) use(b *binding) {
	r.bound, r.before, r.misfits = b, r.bound, 0
}

// named notes that the line read last names the columns.
func (r *Reader) named(b *binding) {
	r.use(b)
	if r.Counts.Header == 0 {
		r.Counts.Header = r.lines.line
	}
	r.rows = false
}

// Next returns the next record, io.EOF after the last. An *Error says what is wrong
// with a line; in a stream, reading can go on with the next line. Any other error is the end.
func (r *Reader) Next() (*Record, error) {
	if r.Whole && r.lines.line == 0 {
		line, err := r.findColumns()
		if err != nil {
			return &r.record, err
		}
		if line != "" {
			if ok, err := r.take(line); ok || err != nil {
				return &r.record, err
			}
		}
	}
	for {
		for len(r.rest) > 0 {
			if ok, err := r.nextOfRow(); ok || err != nil {
				return &r.record, err
			}
		}
		line, err := r.line()
		if err == io.EOF && r.doubted != nil {
			return &r.record, r.doubted
		}
		if err == io.EOF && !r.rows && r.units != nil {
			err, r.units = r.units, nil
		}
		if err != nil {
			return &r.record, err
		}
		if ok, err := r.take(line); ok || err != nil {
			return &r.record, err
		}
	}
}

// line returns the next line.
func (r *Reader) line() (string, error) {
	line, ended, err := r.lines.next()
	switch long, isLong := err.(tooLong); {
	case isLong:
		return "", r.Refuse("", "%s", long)
	case err != nil || ended:
		return line, err
	}
	switch failed := r.lines.err; { // after the last line
	case failed == io.EOF && !r.Live:
		return line, nil
	case failed == ErrStopped || r.Whole:
		return "", failed
	}
	return "", r.Refuse("", "the last line has no end")
}

// take handles a line: true if it has a record.
func (r *Reader) take(line string) (bool, error) {
	bare := strings.TrimSpace(line)
	switch {
	case bare == "":
		return false, nil
	case bare[0] == '#':
		if r.bound == nil {
			if b, err := r.recognise(line); err == nil {
				r.named(b)
			}
		}
		return false, nil
	}
	r.record = Record{Line: r.lines.line, At: r.record.At, Columns: r.Columns()}
	if bare[0] == '{' {
		return r.takeObject(bare)
	}
	if r.bound == nil {
		b, err := r.recognise(line)
		switch {
		case err == errOpen || err == errAfter:
			return false, r.Refuse("", "not CSV: %s", err)
		case err != nil:
			return false, r.Refuse("", "%s", unnamed(err))
		}
		r.named(b)
		return false, nil
	}
	if err := r.split(line); err != nil {
		return false, r.Refuse("", "not CSV: %s", err)
	}
	if r.doubted != nil {
		if at := r.bound.wide[0].column; at >= len(r.cells) || !r.isNumber(r.cells[at]) {
			return false, r.doubted
		}
		r.doubted = nil
	}
	if named, err := r.rename(); named || err != nil {
		return false, err
	}
	if r.lines.line == 1 && r.joined && r.Live {
		return false, r.Refuse("", "the first line may have lost its beginning")
	}
	return r.row()
}

// split splits a line into cells. One in quotation marks continues on the next line of a file.
func (r *Reader) split(line string) (err error) {
	separator, at := r.separator(line), r.lines.line
	r.comma = separator != ','
	for {
		r.cells, err = Split(r.cells[:0], line, separator)
		if err != errOpen || !r.Whole {
			return err
		}
		next, _, failed := r.lines.next()
		if failed != nil || len(line)+len(next) > maxWholeLine {
			r.lines.line = at
			return errOpen
		}
		line += "\n" + next
	}
}

// separator is that of the line that named the columns. Where none did, it is the one that makes as many columns.
func (r *Reader) separator(line string) byte {
	if r.bound.separator != 0 {
		return r.bound.separator
	}
	for _, separator := range []byte{'\t', ';'} {
		if cells, err := Split(nil, line, separator); err == nil && len(cells) == len(r.bound.columns) && len(cells) > 1 {
			return separator
		}
	}
	return ','
}

// rename reports whether the cells are the names of the columns once more.
func (r *Reader) rename() (bool, error) {
	if at := r.bound.first(); at < len(r.cells) && beginsNumber(r.cells[at]) {
		return false, nil
	}
	b, err := r.bind(r.cells)
	switch {
	case isTwice(err):
		return false, r.Refuse("", "%s", unnamed(err))
	case err != nil:
		return false, nil
	}
	b.columns, b.separator = slices.Clone(r.cells), r.bound.separator
	r.named(b)
	return true, nil
}

// isNumber reports whether a cell has a number, or stands for one that is missing.
func (r *Reader) isNumber(cell string) bool {
	_, err := parseNumber(cell, r.comma)
	return err == nil || r.bound.missing.text(cell, r.comma)
}

func beginsNumber(text string) bool {
	return text != "" && (text[0] >= '0' && text[0] <= '9' || strings.IndexByte("+-.,", text[0]) >= 0)
}

// recognise returns the columns that a line names, with the separator by which it names
// all that are needed. Those of a comment count, too.
func (r *Reader) recognise(line string) (*binding, error) {
	var first error
	texts := []string{line}
	if rest, comment := strings.CutPrefix(strings.TrimSpace(line), "#"); comment {
		texts = append(texts, rest)
	}
	for _, text := range texts {
		for i := range len(Separators) {
			if i > 0 && strings.IndexByte(text, Separators[i]) < 0 {
				continue
			}
			cells, err := Split(nil, text, Separators[i])
			if err == nil {
				var b *binding
				if b, err = r.bind(cells); err == nil {
					b.separator = Separators[i]
					return b, nil
				}
			}
			if isTwice(err) {
				return nil, err
			}
			if first == nil {
				first = err
			}
		}
	}
	return nil, first
}
