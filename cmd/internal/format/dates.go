package format

import (
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/readings"
)

// Dates are those of the variable that has a start. In tables they come last, after the columns that others may count on.
type Dates struct {
	Name  string // of their column
	Clock *readings.Clock
	Of    int // the variable
}

// DatesOf returns nil if no variable has a start.
func DatesOf(variables []system.Variable) *Dates {
	of, clock := readings.ClockOf(variables)
	if clock == nil {
		return nil
	}
	return &Dates{readings.DateColumn(variables), clock, of}
}

// Add appends the date of a point to a record, or the name of its column to a header, where the point is nil. Without
// dates it returns the record.
func (d *Dates) Add(record []string, x []float64) []string {
	switch {
	case d == nil:
		return record
	case x == nil:
		return append(record, d.Name)
	}
	return append(record, d.Clock.Stamp(x[d.Of]))
}

// Between writes a period of time as dates.
func (d *Dates) Between(from, to float64) string {
	return d.Clock.Date(from) + " to " + d.Clock.Date(to)
}
