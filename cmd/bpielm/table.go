package main

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"

	"github.com/bpielm/bpielm/cmd/internal/solution"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// A table is the content of a CSV file: points, and what is known at each of them.
type table struct {
	header  []string
	points  *mat.Dense
	columns [][]float64
	bare    bool // without header, to continue a table
}

func newTable(variables []system.Variable, points *mat.Dense) *table {
	t := &table{points: points}
	for _, v := range variables {
		t.header = append(t.header, v.Name)
	}
	return t
}

// add appends a column, unless it is nil.
func (t *table) add(name string, column []float64) {
	if column != nil {
		t.header = append(t.header, name)
		t.columns = append(t.columns, column)
	}
}

// addEstimate appends a mean, its standard deviation and the ends of its 95 %
// interval. Without a standard deviation it appends the mean alone.
func (t *table) addEstimate(name string, mean, sd []float64) {
	lower, upper := solution.Interval95(mean, sd)
	t.add(name+"_mean", mean)
	t.add(name+"_sd", sd)
	t.add(name+"_lower95", lower)
	t.add(name+"_upper95", upper)
}

// writeCSV writes every number with ten significant digits. NaN becomes an empty cell.
func (t *table) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if !t.bare {
		if err := out.Write(t.header); err != nil {
			return err
		}
	}
	record := make([]string, 0, len(t.header))
	for i := range t.points.Rows() {
		record = record[:0]
		for _, x := range t.points.Row(i) {
			record = append(record, formatCell(x))
		}
		for _, c := range t.columns {
			record = append(record, formatCell(c[i]))
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func formatCell(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', 10, 64)
}
