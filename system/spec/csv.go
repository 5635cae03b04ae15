package spec

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agext/levenshtein"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

const (
	maxRows       = 100_000_000 // of a CSV file
	maxHeader     = 1 << 16     // bytes in the first line of a CSV file
	byteOrderMark = "\ufeff"

	// Columns of sensor files.
	valueColumn = "value"
	sigmaColumn = "sigma"
)

// boxSlack is how far outside the box a reading may be, as a fraction of the side. It
// makes room for the rounding of written decimals, as in package system.
const boxSlack = 1e-9

// ReadPoints reads points (n x variables) from a CSV file whose first line names the
// variables in any order. It ignores other columns, empty lines, and lines that begin
// with #. Points may lie outside the variables' ranges. Every error is an *Error.
func ReadPoints(path string, variables []system.Variable) (*mat.Dense, error) {
	return source{}.readPoints(path, variables, false)
}

// ReadPointsFrom is ReadPoints for a reader. Errors call it name.
func ReadPointsFrom(r io.Reader, name string, variables []system.Variable) (*mat.Dense, error) {
	t := &csvTable{path: name}
	if err := t.readHeader(r); err != nil {
		return nil, err
	}
	return t.readPoints(variables, false)
}

// readPoints is ReadPoints. If inBox, points must lie in the variables' ranges.
func (s source) readPoints(path string, variables []system.Variable, inBox bool) (*mat.Dense, error) {
	t, err := s.openCSV(path)
	if err != nil {
		return nil, err
	}
	defer t.close()
	return t.readPoints(variables, inBox)
}

func (t *csvTable) readPoints(variables []system.Variable, inBox bool) (*mat.Dense, error) {
	columns, err := t.find(variables)
	if err != nil {
		return nil, err
	}
	var data []float64
	for {
		switch err := t.next(); {
		case err == io.EOF:
			return t.points(data, len(variables))
		case err != nil:
			return nil, err
		}
		for i, c := range columns {
			v, err := t.number(c)
			if err == nil && inBox {
				err = t.within(&variables[i], v)
			}
			if err != nil {
				return nil, err
			}
			data = append(data, v)
		}
	}
}

// ReadReadings reads sensor readings from a CSV file whose first line names its
// columns: the variables, value, and perhaps sigma, the standard deviation of each
// reading's noise. Without that column sigma is nil. It ignores other columns. Points
// (n x variables) must lie in the variables' ranges. Every error is an *Error.
func ReadReadings(path string, variables []system.Variable) (points *mat.Dense, values, sigma []float64, err error) {
	r, err := source{}.readReadings(path, variables, 0)
	if err != nil {
		return nil, nil, nil, err
	}
	return r.points, r.values, r.sigma, nil
}

// readings is what a file of sensor readings holds.
type readings struct {
	points        *mat.Dense
	values, sigma []float64 // sigma is nil without its column
	lines         []int     // line of each reading in the file
	header        []string
}

// readReadings reads a file of readings. It has no columns for the first placeless variables.
func (s source) readReadings(path string, variables []system.Variable, placeless int) (*readings, error) {
	t, err := s.openCSV(path)
	if err != nil {
		return nil, err
	}
	defer t.close()
	columns, err := t.find(append(slices.Clone(variables[placeless:]), system.Variable{Name: valueColumn}))
	if err != nil {
		return nil, err
	}
	sigma, err := t.sigma()
	if err != nil {
		return nil, err
	}
	value := len(columns) - 1
	r := &readings{header: t.header}
	var places []float64
	for {
		switch err := t.next(); {
		case err == io.EOF:
			r.points, err = t.points(places, len(variables))
			return r, err
		case err != nil:
			return nil, err
		}
		r.lines = append(r.lines, t.line)
		if places, err = t.appendPlace(places, variables, columns[:value]); err != nil {
			return nil, err
		}
		if err := t.appendReading(r, columns[value], sigma); err != nil {
			return nil, err
		}
	}
}

// appendPlace appends the place of the row's reading. The columns are those of the last variables. The others have no
// meaning, and get the middle of their range.
func (t *csvTable) appendPlace(places []float64, variables []system.Variable, columns []int) ([]float64, error) {
	placeless := len(variables) - len(columns)
	for _, v := range variables[:placeless] {
		places = append(places, 0.5*(v.Min+v.Max))
	}
	for i, c := range columns {
		x, err := t.number(c)
		if err == nil {
			err = t.within(&variables[placeless+i], x)
		}
		if err != nil {
			return nil, err
		}
		places = append(places, x)
	}
	return places, nil
}

// appendReading appends the row's value, and its sigma unless that column is -1.
func (t *csvTable) appendReading(r *readings, value, sigma int) error {
	v, err := t.number(value)
	if err != nil {
		return err
	}
	if math.Abs(v) > largest {
		return t.refuse(valueColumn, "found %g; at most %g is possible: choose another unit", v, largest)
	}
	r.values = append(r.values, v)
	if sigma < 0 {
		return nil
	}
	if v, err = t.number(sigma); err != nil {
		return err
	}
	if v <= 0 {
		return t.refuse(sigmaColumn, "found %g; a standard deviation must be positive", v)
	}
	if v < 1/largest || v > largest {
		return t.refuse(sigmaColumn, "found %g; from %g to %g is possible: choose another unit", v, 1/largest, largest)
	}
	r.sigma = append(r.sigma, v)
	return nil
}

// csvTable reads a CSV file row by row.
type csvTable struct {
	path   string
	file   fs.File
	reader *csv.Reader
	header []string
	row    []string
	line   int // of the row
	rows   int
	budget *budget
	// tabular says that the file is certainly a table. Errors quote nothing from any other file: somebody
	// may have named it to see what is in it.
	tabular bool
}

// openCSV opens a file and reads its header.
func (s source) openCSV(path string) (*csvTable, error) {
	f, err := s.open(path)
	if err != nil {
		t := &csvTable{path: path}
		return nil, t.because(err)
	}
	t := &csvTable{path: path, file: f, budget: s.budget}
	if err := t.readHeader(f); err != nil {
		f.Close()
		return nil, err
	}
	return t, nil
}

func (t *csvTable) close() { t.file.Close() }

func (t *csvTable) refuse(column, format string, args ...any) error {
	return &Error{File: t.path, Line: t.line, Key: shorten(column), Why: fmt.Sprintf(format, args...)}
}

// because puts the file and line in front of an error.
func (t *csvTable) because(err error) error {
	var over *overLimit
	return &Error{File: t.path, Line: t.line, Why: reason(err), Limit: errors.As(err, &over)}
}

func (t *csvTable) readHeader(r io.Reader) error {
	buffered := bufio.NewReaderSize(r, maxHeader)
	start, err := buffered.Peek(maxHeader)
	if err != nil && err != io.EOF {
		return t.refuse("", "%s", reason(err))
	}
	if line, _, _ := strings.Cut(string(start), "\n"); strings.Contains(line, "\x00") || !utf8.ValidString(line) && (err != nil || len(line) < len(start)) {
		t.line = 1
		return t.refuse("", "the first line is not text in UTF-8; is this a CSV file?")
	}
	if err == nil && !strings.Contains(string(start), "\n") {
		return t.refuse("", "the first line has more than %d bytes; is this a CSV file?", maxHeader)
	}
	if strings.HasPrefix(string(start), byteOrderMark) {
		buffered.Discard(len(byteOrderMark))
	}
	t.tabular = tabular(strings.TrimPrefix(string(start), byteOrderMark))
	t.reader = newCSV(buffered)
	t.reader.ReuseRecord = true
	switch err := t.read(); {
	case err == io.EOF:
		return t.refuse("", "the file is empty; a first line with the columns' names is expected")
	case err != nil:
		return err
	}
	numeric := true
	for _, name := range t.row {
		name = strings.TrimSpace(name)
		t.header = append(t.header, name)
		_, err := strconv.ParseFloat(name, 64)
		numeric = numeric && err == nil
	}
	if numeric {
		return t.refuse("", "the first line must name the columns; it has only numbers")
	}
	return nil
}

func newCSV(r io.Reader) *csv.Reader {
	reader := csv.NewReader(r)
	reader.Comment = '#'
	reader.FieldsPerRecord = -1 // next compares with the header, for a better message
	reader.TrimLeadingSpace = true
	return reader
}

// columnName matches the column names of what is certainly a table.
var columnName = regexp.MustCompile(`^[\pL_][\pL\pN_ .\-/%°()\[\]]{0,39}$`)

// tabular reports whether the beginning of a file is that of a table: a line of names, then a line of numbers, or a
// line with as many cells of which one is a number.
func tabular(start string) bool {
	reader := newCSV(strings.NewReader(start))
	header, err := reader.Read()
	if err != nil {
		return false
	}
	for _, name := range header {
		if !columnName.MatchString(strings.TrimSpace(name)) {
			return false
		}
	}
	row, err := reader.Read()
	if err != nil {
		return false
	}
	numbers := 0
	for _, cell := range row {
		if _, err := strconv.ParseFloat(strings.TrimSpace(cell), 64); err == nil {
			numbers++
		}
	}
	return numbers == len(row) || numbers > 0 && len(row) == len(header)
}

// near ends an error about a missing column: with the most similar name or, for a table, with all names.
func (t *csvTable) near(name string) string {
	all := ""
	if t.tabular {
		all = "found"
	}
	return didYouMean(name, t.header, all)
}

// read reads the next row, whatever its length.
func (t *csvTable) read() error {
	row, err := t.reader.Read()
	var syntax *csv.ParseError
	switch {
	case err == io.EOF:
		return err
	case errors.As(err, &syntax):
		t.line = syntax.Line
		return t.refuse("", "not CSV: %s", syntax.Err)
	case err != nil:
		return t.refuse("", "%s", reason(err))
	}
	t.row = row
	t.line, _ = t.reader.FieldPos(0)
	return nil
}

// next reads the next row, which must have as many cells as the header. After the last it returns io.EOF.
func (t *csvTable) next() error {
	for {
		if err := t.read(); err != nil {
			return err
		}
		if len(t.row) == 1 && strings.TrimSpace(t.row[0]) == "" {
			continue // a line of blanks
		}
		if len(t.row) != len(t.header) {
			return t.refuse("", "found %d column%s; the first line names %d", len(t.row), plural(len(t.row)), len(t.header))
		}
		if t.rows++; t.rows > maxRows {
			return t.refuse("", "the file has more than %d rows", maxRows)
		}
		if err := t.budget.take(1); err != nil {
			return t.because(err)
		}
		return nil
	}
}

// find returns the columns of the given variables.
func (t *csvTable) find(variables []system.Variable) ([]int, error) {
	columns := make([]int, len(variables))
	for i, v := range variables {
		columns[i] = slices.Index(t.header, v.Name)
		if columns[i] < 0 {
			hint := t.near(v.Name)
			switch {
			case len(t.header) == 1 && strings.ContainsAny(t.header[0], ";\t"):
				hint = "; columns must be separated by commas"
			case t.header[0] == "sep=" && len(t.header) == 2 && t.header[1] == "": // as spreadsheets write it
				hint = "; remove the line sep=,"
			}
			return nil, t.refuse(v.Name, "there is no column %s%s", v.Name, shorten(hint))
		}
		if slices.Contains(t.header[columns[i]+1:], v.Name) {
			return nil, t.refuse(v.Name, "there are two columns %s", v.Name)
		}
	}
	return columns, nil
}

// sigma returns the column of standard deviations, or -1. A column with a similar
// name is an error: it would be a trap to ignore it.
func (t *csvTable) sigma() (int, error) {
	at := slices.Index(t.header, sigmaColumn)
	if at < 0 {
		for _, name := range t.header {
			if levenshtein.Distance(strings.ToLower(name), sigmaColumn, nil) <= 1 {
				return -1, t.refuse(name, "a column of standard deviations is named %s", sigmaColumn)
			}
		}
		return -1, nil
	}
	if slices.Contains(t.header[at+1:], sigmaColumn) {
		return -1, t.refuse(sigmaColumn, "there are two columns %s", sigmaColumn)
	}
	return at, nil
}

// number returns the number in a column of the row. It must be finite.
func (t *csvTable) number(column int) (float64, error) {
	text := strings.TrimSpace(t.row[column])
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case text == "":
		return 0, t.refuse(t.header[column], "the cell is empty; a number is expected")
	case errors.Is(err, strconv.ErrRange):
		return 0, t.refuse(t.header[column], "the number %s is too large", shorten(text))
	case err != nil && !t.tabular:
		return 0, t.refuse(t.header[column], "the cell is no number")
	case err != nil:
		point := ""
		if strings.Count(text, ",") == 1 {
			point = "; decimals are written with a point"
		}
		return 0, t.refuse(t.header[column], "found %q; a number is expected%s", shorten(text), point)
	case math.IsNaN(v) || math.IsInf(v, 0):
		return 0, t.refuse(t.header[column], "found %g; a finite number is expected", v)
	}
	return v, nil
}

// within refuses a coordinate of the row outside its variable's range.
func (t *csvTable) within(v *system.Variable, x float64) error {
	if v.Outside(x) {
		return t.refuse(v.Name, "%g is outside [%g, %g]", x, v.Min, v.Max)
	}
	return nil
}

// points returns the rows that have been read as a matrix.
func (t *csvTable) points(data []float64, columns int) (*mat.Dense, error) {
	if len(data) == 0 {
		t.line = 0
		return nil, t.refuse("", "the file has no rows after the first line")
	}
	return mat.NewDense(len(data)/columns, columns, data), nil
}
