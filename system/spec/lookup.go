package spec

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system/readings"
)

// whole stands for the file as a whole in errors.
var whole = &readings.Record{}

const (
	maxTableAxes = 4
	maxTableSize = 10_000_000 // entries
)

// lookup is a function given at the nodes of a grid. Between nodes it is linear in each
// argument. Outside the grid it is NaN.
type lookup struct {
	axes   [][]float64 // each in ascending order
	values []float64   // the last axis varies fastest
}

// at returns the value at x, one number for each axis.
func (l *lookup) at(x []float64) float64 {
	var low [maxTableAxes]int
	var share [maxTableAxes]float64 // weight of the upper node
	for d, axis := range l.axes {
		first, last := axis[0], axis[len(axis)-1]
		slack := float64(boxSlack * (last - first))
		if !(x[d] >= first-slack && x[d] <= last+slack) {
			return math.NaN()
		}
		k := sort.SearchFloat64s(axis, x[d]) - 1
		k = min(max(k, 0), len(axis)-2)
		low[d] = k
		share[d] = min(max((x[d]-axis[k])/(axis[k+1]-axis[k]), 0), 1)
	}
	sum := 0.0
	for corner := range 1 << len(l.axes) {
		weight, index := 1.0, 0
		for d, axis := range l.axes {
			k := low[d]
			if corner>>d&1 == 1 {
				k++
				weight *= share[d]
			} else {
				weight *= 1 - share[d]
			}
			index = index*len(axis) + k
		}
		if weight != 0 {
			sum = mat.FMA(weight, l.values[index], sum)
		}
	}
	return sum
}

// readTables reads the CSV files of [tables]. The columns of each are the arguments in
// order, then value. Its rows are the nodes of a grid, in any order.
func (d *document) readTables() error {
	s := d.section("tables")
	for _, name := range d.inOrder("tables", s.values) {
		if err := d.scope.declare(name, "table"); err != nil {
			return s.wrong(name, err)
		}
		file, err := s.text(name)
		if err != nil {
			return err
		}
		l, err := d.readLookup(d.file(file))
		if err != nil {
			return s.fromFile(name, file, err)
		}
		d.scope.tables[name] = l
	}
	return nil
}

func (s source) readLookup(path string) (*lookup, error) {
	t, err := s.openTable(path, readings.Config{Complete: true})
	if err != nil {
		return nil, err
	}
	defer t.close()
	var rows [][]float64
	for {
		record, err := t.next()
		if err != nil && err != io.EOF {
			return nil, err
		}
		if len(rows) == 0 && t.Columns() != nil {
			if err := t.takesArguments(); err != nil {
				return nil, err
			}
		}
		if err == io.EOF {
			return t.lookup(rows)
		}
		if len(rows) == maxTableSize {
			return nil, t.refuse(record, "", "the table has more than %d rows", maxTableSize)
		}
		row := make([]float64, len(t.Columns()))
		for c := range row {
			if row[c], err = t.Number(c); err != nil {
				return nil, t.because(err)
			}
		}
		rows = append(rows, row)
	}
}

// takesArguments fails if the columns are not those of a function of some arguments.
func (t *csvTable) takesArguments() error {
	value := slices.Index(t.Columns(), valueColumn)
	head := &readings.Record{Line: t.Counts.Header}
	switch {
	case value != len(t.Columns())-1:
		return t.refuse(head, valueColumn, "it must be the last column; those before it are the table's arguments")
	case value == 0 || value > maxTableAxes:
		return t.refuse(head, "", "a table has 1 to %d arguments; found %d columns before %s", maxTableAxes, value, valueColumn)
	}
	return nil
}

// lookup arranges the rows on a grid.
func (t *csvTable) lookup(rows [][]float64) (*lookup, error) {
	if len(rows) == 0 {
		return nil, t.because(errors.New(noRows))
	}
	l := &lookup{}
	if err := t.gridOf(l, rows); err != nil {
		return nil, err
	}
	n := len(l.axes)
	for _, row := range rows {
		index := 0
		for d, axis := range l.axes {
			index = index*len(axis) + sort.SearchFloat64s(axis, row[d])
		}
		if !math.IsNaN(l.values[index]) {
			return nil, t.refuse(whole, "", "there are two rows with %s", t.node(row))
		}
		l.values[index] = row[n]
	}
	if index := slices.IndexFunc(l.values, math.IsNaN); index >= 0 {
		node := make([]float64, n)
		for d := n - 1; d >= 0; d-- {
			node[d] = l.axes[d][index%len(l.axes[d])]
			index /= len(l.axes[d])
		}
		return nil, t.refuse(whole, "", "the rows are no grid: there is none with %s", t.node(node))
	}
	return l, nil
}

// gridOf sets each axis to all values of its argument, and all values to NaN.
func (t *csvTable) gridOf(l *lookup, rows [][]float64) error {
	size := 1
	for d := range len(t.Columns()) - 1 {
		var axis []float64
		for _, row := range rows {
			axis = append(axis, row[d])
		}
		sort.SliceStable(axis, func(i, j int) bool { return axis[i] < axis[j] })
		axis = slices.Compact(axis)
		if len(axis) < 2 {
			return t.refuse(whole, t.Columns()[d], "found %d different values; at least 2 are needed to interpolate", len(axis))
		}
		if size > maxTableSize/len(axis) {
			return t.refuse(whole, "", "the rows are no grid: its nodes would be more than %d", maxTableSize)
		}
		size *= len(axis)
		l.axes = append(l.axes, axis)
	}
	l.values = slices.Repeat([]float64{math.NaN()}, size)
	return nil
}

// node writes the arguments of a row as x = 0, y = 1.
func (t *csvTable) node(row []float64) string {
	var parts []string
	for d, name := range t.Columns()[:len(t.Columns())-1] {
		parts = append(parts, fmt.Sprintf("%s = %g", name, row[d]))
	}
	return shorten(strings.Join(parts, ", "))
}
