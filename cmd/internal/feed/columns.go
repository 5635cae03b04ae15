package feed

import "slices"

// columns of a stream.
type columns struct {
	names []string
	at    []int // of variables, value, sigma, sensor, kind among them; -1: absent
}

// SetColumns names the columns of a stream whose first line may not name them. It
// fails with an *Error if one is missing or occurs twice.
func (r *Reader) SetColumns(names []string) error {
	r.joined = true
	return r.header(names)
}

// isHeader reports whether cells name all required columns.
func (r *Reader) isHeader(cells []string) bool {
	for _, name := range r.names()[:r.required()] {
		if !slices.Contains(cells, name) {
			return false
		}
	}
	return true
}

// required is how many of names are required.
func (r *Reader) required() int {
	if r.pointsOnly {
		return len(r.variables)
	}
	return len(r.variables) + 1
}

// header finds the columns.
func (r *Reader) header(names []string) error {
	c := columns{names: names}
	for i, name := range r.names() {
		at := slices.Index(names, name)
		if at < 0 && i < r.required() {
			return r.refuse("there is no column %s; the first line names the columns", name)
		}
		if at >= 0 && slices.Contains(names[at+1:], name) {
			return r.refuse("there are two columns %s", name)
		}
		c.at = append(c.at, at)
	}
	r.columns, r.before, r.misfits = c, r.columns, 0
	return nil
}

// names returns the names of all columns that have a meaning. The columns after value
// are optional.
func (r *Reader) names() []string {
	if r.meaning == nil {
		for _, v := range r.variables {
			r.meaning = append(r.meaning, v.Name)
		}
		if !r.pointsOnly {
			r.meaning = append(r.meaning, valueColumn, sigmaColumn, sensorColumn, kindColumn)
		}
	}
	return r.meaning
}
