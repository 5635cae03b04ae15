package spec

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/agext/levenshtein"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/readings"
	"github.com/bpielm/bpielm/system/spec/internal/unit"
)

const (
	maxRows = 100_000_000 // of a file

	// Columns of sensor files.
	valueColumn  = "value"
	sigmaColumn  = "sigma"
	sensorColumn = "sensor"
)

// boxSlack is how far outside the box a reading may be, as a fraction of the side. It
// makes room for the rounding of written decimals, as in package system.
const boxSlack = 1e-9

// ReadPoints reads points (n x variables) from a file whose columns have the names of the
// variables, in any order. It ignores other columns. Package readings says what a file may
// be; it may also be compressed with gzip. Points may lie outside the variables' ranges.
// Every error is an *Error.
func ReadPoints(path string, variables []system.Variable) (*mat.Dense, error) {
	return source{place: disk{}}.readPoints(path, variables, false)
}

// ReadPointsFrom is ReadPoints for a reader. Errors call it name.
func ReadPointsFrom(r io.Reader, name string, variables []system.Variable) (*mat.Dense, error) {
	t, err := source{}.table(r, name, readings.Config{Variables: variables, PointsOnly: true})
	if err != nil {
		return nil, err
	}
	return t.readPoints(false)
}

// readPoints is ReadPoints. If inBox, points must lie in the variables' ranges.
func (s source) readPoints(path string, variables []system.Variable, inBox bool) (*mat.Dense, error) {
	t, err := s.openTable(path, readings.Config{Variables: variables, PointsOnly: true})
	if err != nil {
		return nil, err
	}
	defer t.close()
	return t.readPoints(inBox)
}

func (t *csvTable) readPoints(inBox bool) (*mat.Dense, error) {
	var data []float64
	for {
		record, err := t.next()
		if err == io.EOF && len(data) == 0 {
			err = t.because(errors.New(noRows))
		} else if err == io.EOF {
			return mat.NewDense(len(data)/len(t.Variables), len(t.Variables), data), nil
		}
		if err != nil {
			return nil, err
		}
		for i := range t.Variables {
			if v := &t.Variables[i]; inBox && v.Outside(record.At[i]) {
				return nil, t.outside(v, record)
			}
		}
		data = append(data, record.At...)
	}
}

const noRows = "the file has no rows after the first line"

// ReadReadings reads sensor readings from a file with a column for each variable, value,
// and perhaps sigma, the standard deviation of each reading's noise. Without that column
// sigma is nil. It ignores other columns. Rows without a value are left out. Points
// (n x variables) must lie in the variables' ranges, but readings of a variable with a
// Start are left out if they do not. Package readings says what a file may be; it may
// also be compressed with gzip. Every error is an *Error.
func ReadReadings(path string, variables []system.Variable) (points *mat.Dense, values, sigma []float64, err error) {
	l := &log{variables: variables}
	if err = l.read(source{place: disk{}}, path, path); err == nil {
		err = l.complete(path)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	return l.points(), l.values, l.sigma, nil
}

// log is what one or several files of readings hold.
type log struct {
	variables []system.Variable
	placeless int // the first variables have no columns
	layout    system.Layout

	places        []float64
	values, sigma []float64 // sigma is nil without its column
	lines         []int     // line of each reading in its file
	from          []int     // number of its file
	sensors       []string  // name of its sensor; nil if none has one
	header        []string  // of the first file
	unread        []string  // the columns that are ignored, of all files
	files         []string
	passed        Passed
	gapsOf        map[string]int   // values that are missing, by sensor
	first         float64          // the first time outside the range
	wide          map[string]bool  // sensors that have columns
	listed        bool             // the places are those of a file: sensors that have none of the readings may be among them
	outside       map[string]error // places that are outside the box, by sensor
}

// maxUnread is how many columns that are ignored are remembered.
const maxUnread = 10_000

// Passed says what of the files of sensors is no reading.
type Passed struct {
	Gaps     int     // values that are missing
	Listed   int     // those of them that the key missing lists,
	ListedAt string  // and where the first stands, as "log.csv:17"
	Outside  int     // readings whose date is outside the range of the time
	From, To float64 // the earliest and the latest time of these
	Header   int     // line that names the columns of the first file; 0 in JSON lines

	// Before are the lines before the one that names the columns of the first file that are neither empty nor comments,
	// and Units those between it and the first row, such as units.
	Before, Units []int
}

// config says how a file is read.
func (l *log) config(name string) readings.Config {
	base := name[strings.LastIndexAny(name, `/\`)+1:]
	sensor, _, _ := strings.Cut(base, ".")
	return readings.Config{Variables: l.variables, Placeless: l.placeless, Layouts: []readings.Layout{{Layout: l.layout}}, Sensor: sensor}
}

// read appends the readings of a file. name is what the problem file calls it.
func (l *log) read(s source, path, name string) error {
	t, err := s.openTable(path, l.config(name))
	if err != nil {
		return err
	}
	defer t.close()
	return l.take(t, name)
}

// take appends the readings of a table.
func (l *log) take(t *csvTable, name string) error {
	number := len(l.files)
	l.files = append(l.files, name)
	for first := true; ; first = false {
		record, err := t.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return l.hinted(err)
		}
		if first {
			if err := t.checkSigma(&l.layout); err != nil {
				return err
			}
		}
		if err := t.append(l, record); err != nil {
			return err
		}
		for len(l.from) < len(l.values) {
			l.from = append(l.from, number)
		}
	}
	l.note(t)
	return nil
}

// hinted ends an error about a missing column with how to name it.
func (l *log) hinted(err error) error {
	e := err.(*Error)
	plain := slices.ContainsFunc(l.variables, func(v system.Variable) bool { return v.Name == e.Key }) || e.Key == valueColumn || e.Key == sensorColumn
	if !plain || l.layout.Columns[e.Key] != "" || !e.lacksColumn(e.Key) || strings.Contains(e.Why, "; columns = {") {
		return err
	}
	e.Why += fmt.Sprintf("; columns = { %s = \"...\" } names it", e.Key)
	if e.Key != valueColumn && e.Key != sensorColumn && e.Key != timeName {
		e.Why += fmt.Sprintf(", at = { %s = ... } replaces it", e.Key)
	}
	return e
}

// lacksColumn reports whether there is no column of this name, nor a similar one.
func (e *Error) lacksColumn(name string) bool {
	return e.Key == name && strings.HasPrefix(e.Why, "there is no column "+name) && !strings.Contains(e.Why, "; did you mean")
}

// note notes what a file was.
func (l *log) note(t *csvTable) {
	l.passed.Gaps += t.Counts.Gaps
	if l.passed.Listed == 0 && t.Counts.Listed > 0 {
		l.passed.ListedAt = fmt.Sprintf("%s:%d", l.files[len(l.files)-1], t.Counts.ListedAt)
	}
	l.passed.Listed += t.Counts.Listed
	if l.header == nil {
		l.header, l.passed.Header = t.Columns(), t.Counts.Header
		l.passed.Before, l.passed.Units = t.Counts.Preamble, t.Counts.UnitLines
	}
	for _, column := range t.Unread() {
		if !slices.Contains(l.unread, column) && len(l.unread) < maxUnread {
			l.unread = append(l.unread, column)
		}
	}
	for sensor, n := range t.GapsOf() {
		if l.gapsOf == nil {
			l.gapsOf = map[string]int{}
		}
		l.gapsOf[sensor] += n
	}
	for _, sensor := range t.Wide() {
		if l.wide == nil {
			l.wide = map[string]bool{}
		}
		l.wide[sensor] = true
	}
}

// complete fails if the files have no readings, or lack a sensor.
func (l *log) complete(path string) error {
	if err := l.sensorsWithoutColumn(path); err != nil {
		return err
	}
	if len(l.values) > 0 {
		return nil
	}
	why := noRows
	switch {
	case l.passed.Outside > 0:
		why = "no reading lies in the range of the time" + l.firstTime()
	case l.passed.Gaps > 0:
		why = fmt.Sprintf("it has no readings: %d value%s missing", l.passed.Gaps, map[bool]string{true: " is", false: "s are"}[l.passed.Gaps == 1])
	}
	return &Error{File: path, Why: why}
}

// sensorsWithoutColumn refuses places that no column is of, where there are columns of sensors. A list of wells may have
// some without readings; but one whose name is like that of a column that is not read is misspelt.
func (l *log) sensorsWithoutColumn(path string) error {
	if len(l.wide) == 0 {
		return nil
	}
	similar := map[string]string{}
	for _, column := range l.unread {
		similar[readings.Plain(column)] = column
	}
	for i := range l.layout.Places {
		name := l.layout.Places[i].Sensor
		near, found := similar[readings.Plain(name)]
		if l.wide[name] || l.listed && !found {
			continue
		}
		hint := didYouMean(name, l.unread, "")
		if found {
			hint = "; did you mean " + shorten(near) + "?"
		}
		return &Error{File: path, Line: l.passed.Header, Key: shorten(name), Why: "there is no column " + shorten(name) + ", which has a place" + hint}
	}
	return nil
}

// firstTime says when the first reading outside the range of the time was, and what that may mean.
func (l *log) firstTime() string {
	v := l.variables[slices.IndexFunc(l.variables, func(v system.Variable) bool { return v.Start != "" })]
	clock, err := readings.NewClock(v, l.layout.Time)
	if err != nil {
		return ""
	}
	text := fmt.Sprintf("; the first has %s = %.10g %s", v.Name, l.first, v.Unit)
	if date := clock.Date(l.first); date != "" {
		text += ", which is " + date
	}
	if l.layout.Time != "" {
		return text
	}
	switch {
	case l.first > 1e11 && l.first < 1e14:
		text += `: if that is a Unix time, state time = "unix ms"`
	case l.first > 1e8 && l.first < 1e11:
		text += `: if that is a Unix time, state time = "unix"`
	case l.first > 2e4 && l.first < 1e5:
		text += `: if that is the day of a spreadsheet, state time = "excel"`
	}
	return text
}

// give gives a group its readings.
func (l *log) give(group *system.Sensors, file *SensorFile) {
	group.Points, group.Values, file.Columns, file.Lines = l.points(), l.values, l.header, l.lines
	file.Unread, file.Sensors, file.Passed, file.GapsOf = l.unread, l.sensors, l.passed, l.gapsOf
	if l.sigma != nil {
		group.Sigma = l.sigma
	}
}

func (l *log) points() *mat.Dense { return mat.NewDense(len(l.values), len(l.variables), l.places) }

// append appends a reading to a log.
func (t *csvTable) append(l *log, record *readings.Record) error {
	for i := range t.Variables {
		switch v := &t.Variables[i]; {
		case i < t.Placeless: // the place has no meaning
			record.At[i] = 0.5 * (v.Min + v.Max)
		case !v.Outside(record.At[i]):
		case v.Start != "":
			at := record.At[i]
			if l.passed.Outside++; l.passed.Outside == 1 {
				l.first, l.passed.From, l.passed.To = at, at, at
			}
			l.passed.From, l.passed.To = math.Min(l.passed.From, at), math.Max(l.passed.To, at)
			return nil
		case l.outside[record.Sensor] != nil:
			return l.outside[record.Sensor]
		default:
			return t.outside(v, record)
		}
	}
	column := valueColumn
	if record.Column != "" {
		column = record.Column
	}
	if v := record.Value; math.Abs(v) > largest {
		return t.refuse(record, column, "found %g; at most %g is possible: choose another unit", v, largest)
	}
	if len(l.values) > 0 && (record.Sigma != 0) != (l.sigma != nil) {
		if l.from[0] != len(l.files)-1 {
			return t.because(fmt.Errorf("the files of one block have a column %s all or none; that of %s is different", sigmaColumn, shorten(l.files[l.from[0]])))
		}
		return t.refuse(record, sigmaColumn, "all readings of a block have it or none; that of line %d is different", l.lines[0])
	}
	if v := record.Sigma; v != 0 {
		if v < 1/largest || v > largest {
			return t.refuse(record, sigmaColumn, "found %g; from %g to %g is possible: choose another unit", v, 1/largest, largest)
		}
		l.sigma = append(l.sigma, v)
	}
	if record.Sensor != "" && l.sensors == nil {
		l.sensors = make([]string, len(l.values))
	}
	if l.sensors != nil {
		l.sensors = append(l.sensors, strings.Clone(record.Sensor))
	}
	l.places = append(l.places, record.At...)
	l.values = append(l.values, record.Value)
	l.lines = append(l.lines, record.Line)
	return nil
}

// csvTable reads a file record by record.
type csvTable struct {
	*readings.Reader
	path   string
	closer io.Closer
	rows   int
	budget *budget
}

// openTable opens a file.
func (s source) openTable(path string, c readings.Config) (*csvTable, error) {
	f, err := s.open(path)
	if err != nil {
		t := &csvTable{path: path}
		return nil, t.because(err)
	}
	t, err := s.table(f, path, c)
	if err != nil {
		f.Close()
		return nil, err
	}
	t.closer = f
	return t, nil
}

// table reads a file from r.
func (s source) table(r io.Reader, path string, c readings.Config) (*csvTable, error) {
	t := &csvTable{path: path, budget: s.budget}
	text, err := s.inflated(r)
	if err != nil {
		return nil, t.because(err)
	}
	c.Whole = true
	if t.Reader, err = readings.NewReader(text, path, c); err != nil {
		return nil, t.because(err)
	}
	return t, nil
}

func (t *csvTable) close() { t.closer.Close() }

// refuse returns an error about a record.
func (t *csvTable) refuse(record *readings.Record, column, format string, args ...any) error {
	return &Error{File: t.path, Line: record.Line, Key: shorten(column), Why: fmt.Sprintf(format, args...)}
}

// outside refuses a coordinate outside its variable's range.
func (t *csvTable) outside(v *system.Variable, record *readings.Record) error {
	i := slices.IndexFunc(t.Variables, func(o system.Variable) bool { return o.Name == v.Name })
	return t.refuse(record, v.Name, "%.10g is outside [%.10g, %.10g]%s", record.At[i], v.Min, v.Max, t.otherUnit(i))
}

// otherUnit ends an error about a coordinate with the unit in the head of its column, if that is another one of the same kind
// than the variable's.
func (t *csvTable) otherUnit(i int) string {
	head, v := t.Head(i), &t.Variables[i]
	_, text := readings.SplitUnit(head)
	if at := strings.LastIndexAny(head, "_ ."); text == "" && at >= 0 {
		text = head[at+1:]
	}
	of, known := unit.Parse(text)
	want, stated := unit.Parse(v.Unit)
	if text == "" || v.Unit == "" || !known || !stated {
		return ""
	}
	if factor, same, ok := of.Over(want); !same || !ok || factor == 1 {
		return ""
	}
	return fmt.Sprintf("; the file's column is in %s; the variable's unit is %s", shorten(text), v.Unit)
}

// because puts the file, and the line if there is one, in front of an error.
func (t *csvTable) because(err error) error {
	var line *readings.Error
	if !errors.As(err, &line) {
		var over *overLimit
		return &Error{File: t.path, Why: reason(err), Limit: errors.As(err, &over)}
	}
	hint := ""
	if line.Missing != "" {
		hint = nameHint(line)
	}
	if line.Cure != "" {
		hint += "; " + line.Cure + " names " + map[bool]string{true: "them", false: "it"}[strings.Contains(line.Cure, ", ")]
	}
	return &Error{File: t.path, Line: line.Line, Key: line.Column, Why: line.Why + hint}
}

// nameHint ends an error about a missing column: with the most similar name or, for a table, with all names.
func nameHint(e *readings.Error) string {
	if len(e.Found) == 1 && strings.ContainsAny(e.Found[0], " |") {
		return "; columns must be separated by commas, semicolons or tabs"
	}
	if near := nearest(e.Missing, e.Found); near != "" && e.Cure == "" && e.Column != "" {
		return shorten("; did you mean " + near + "?")
	}
	if !e.Certain || len(e.Found) == 0 {
		return ""
	}
	return "; found " + heads(e.Found)
}

// heads lists the heads of columns as they can be copied, and counts those for which there is no room.
func heads(names []string) string {
	const room = 200
	length, last := 0, len(names)-1
	var shown []string
	for i, name := range names {
		if strings.IndexFunc(name, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) }) >= 0 {
			name = strconv.Quote(shorten(name))
		}
		if length += len([]rune(name)) + 2; length > room && i < last && i > 0 {
			return fmt.Sprintf("%s and %d more", strings.Join(shown, ", "), len(names)-i)
		}
		shown = append(shown, shortenTo(name, 2*maxQuoted))
	}
	return list(shown, "and")
}

// next reads the next record. After the last it returns io.EOF.
func (t *csvTable) next() (*readings.Record, error) {
	record, err := t.Next()
	switch {
	case err == io.EOF:
		return nil, err
	case err != nil:
		return nil, t.because(err)
	}
	if t.rows++; t.rows > maxRows {
		return nil, t.refuse(record, "", "the file has more than %d rows", maxRows)
	}
	if err := t.budget.take(1); err != nil {
		e := t.because(err).(*Error)
		e.Line = record.Line
		return nil, e
	}
	return record, nil
}

// checkSigma refuses standard deviations that would not be read, for it would be a trap to ignore them: those of a table
// with a column for each sensor, and those of a column whose name is only similar.
func (t *csvTable) checkSigma(l *system.Layout) error {
	wide := t.Wide()
	for _, name := range t.Columns() {
		why := ""
		switch {
		case slices.Contains(wide, name):
		case name == cmp.Or(l.Columns[sigmaColumn], sigmaColumn):
			if len(wide) > 0 {
				why = "there is a column for each sensor, and this one does not say of which it is: state sigma in the block, or read each sensor in a block of its own"
			}
		case l.Columns[sigmaColumn] == "" && levenshtein.Distance(strings.ToLower(name), sigmaColumn, nil) <= 1:
			why = "a column of standard deviations is named " + sigmaColumn
		}
		if why != "" {
			return &Error{File: t.path, Line: t.Counts.Header, Key: shorten(name), Why: why}
		}
	}
	return nil
}
