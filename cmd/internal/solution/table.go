package solution

import (
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// A Table is the content of a CSV file: points, and what is known at each of them.
type Table struct {
	Header  []string
	Points  *mat.Dense
	columns [][]float64
	Dates   *format.Dates // the last column; nil: there is none
	Times   []float64     // whose dates these are; nil: those of the points
	Bare    bool          // without header, to continue a table
}

// NewTable returns a table of points (n x variables) with their coordinates.
func NewTable(variables []system.Variable, points *mat.Dense) *Table {
	t := &Table{Points: points, Dates: format.DatesOf(variables)}
	for _, v := range variables {
		t.Header = append(t.Header, v.Name)
	}
	return t
}

// Add appends a column, unless it is nil.
func (t *Table) Add(name string, column []float64) {
	if column != nil {
		t.Header = append(t.Header, name)
		t.columns = append(t.columns, column)
	}
}

// AddEstimate appends a mean, its standard deviation and the ends of its 95 %
// interval. Without a standard deviation it appends the mean alone.
func (t *Table) AddEstimate(name string, mean, sd []float64) {
	lower, upper := Interval95(mean, sd)
	t.Add(name+"_mean", mean)
	t.Add(name+"_sd", sd)
	t.Add(name+"_lower95", lower)
	t.Add(name+"_upper95", upper)
}

// WriteCSV writes every number with ten significant digits. NaN becomes an empty cell.
func (t *Table) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if !t.Bare {
		if err := out.Write(t.Dates.Add(slices.Clone(t.Header), nil)); err != nil {
			return err
		}
	}
	record := make([]string, 0, len(t.Header)+1)
	for i := range t.Points.Rows() {
		record = record[:0]
		for _, x := range t.Points.Row(i) {
			record = append(record, Cell(x))
		}
		for _, c := range t.columns {
			record = append(record, Cell(c[i]))
		}
		if t.Times == nil {
			record = t.Dates.Add(record, t.Points.Row(i))
		} else if t.Dates != nil {
			record = append(record, t.Dates.Clock.Stamp(t.Times[i]))
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// Cell writes a number as tables do: with ten significant digits, NaN as an empty cell.
func Cell(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', 10, 64)
}

// Tables returns the solution as columns, by the names of files: the fields
// of all variables together, and each of the others in a file of its own.
func (s *Solution) Tables(variables []system.Variable) (names []string, tables []*Table) {
	names, tables = []string{"solution.csv"}, []*Table{NewTable(variables, s.Points)}
	for i := range s.Fields {
		f := &s.Fields[i]
		t := tables[0]
		if len(f.Variables) < len(variables) {
			t = NewTable(f.Variables, f.Points)
			names, tables = append(names, "solution-"+f.Name+".csv"), append(tables, t)
		}
		t.Add(f.Name+"_mean", f.Mean)
		t.Add(f.Name+"_sd", f.SD)
		t.Add(f.Name+"_exact", f.Exact)
		t.Add(f.Name+"_error", f.Deviation())
	}
	for i := range s.Fields { // after the columns of earlier versions, whose places programs may count on
		f := &s.Fields[i]
		t := tables[0]
		if len(f.Variables) < len(variables) {
			t = tables[slices.Index(names, "solution-"+f.Name+".csv")]
		}
		lower, upper := Interval95(f.Mean, f.SD)
		t.Add(f.Name+"_lower95", lower)
		t.Add(f.Name+"_upper95", upper)
	}
	return names, tables
}
