package page

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/bpielm/bpielm/system/spec"
)

// mostEdits bounds the edits of one request.
const mostEdits = 1000

// row is one reading of what is open.
type row struct {
	x     []float64
	value float64
	sigma float64 // stated; 0: learned
	name  string  // of its sensor
	file  int     // of those of its group
	off   bool
}

func (r *row) equal(o *row) bool {
	return slices.Equal(r.x, o.x) && r.value == o.value && r.sigma == o.sigma
}

// rowsOf returns the readings of a problem, by groups.
func rowsOf(file *spec.File) [][]row {
	all := make([][]row, len(file.Problem.Sensors))
	for g := range all {
		s, f := &file.Problem.Sensors[g], &file.SensorFiles[g]
		all[g] = make([]row, len(s.Values))
		for i := range all[g] {
			r := &all[g][i]
			r.x, r.value = s.Points.Row(i), s.Values[i]
			if n := len(s.Sigma); n > 0 {
				r.sigma = s.Sigma[min(i, n-1)]
			}
			if f.Sensors != nil {
				r.name = f.Sensors[i]
			}
			if f.From != nil {
				r.file = f.From[i]
			}
		}
	}
	return all
}

// edited returns the readings after edits, and the reading that each edit has made. What is switched off stays in its
// place.
func edited(file *spec.File, edits []Edit) (rows [][]row, of []*row, err error) {
	if len(edits) > mostEdits {
		return nil, nil, fmt.Errorf("these are %d changes; at most %d at a time are possible", len(edits), mostEdits)
	}
	rows = rowsOf(file)
	known := make([]int, len(rows)) // readings that edits can name
	for g := range rows {
		known[g] = len(rows[g])
	}
	type place struct{ group, reading int }
	places := make([]place, len(edits))
	for k := range edits {
		e := &edits[k]
		if e.Group < 0 || e.Group >= len(rows) {
			return nil, nil, fmt.Errorf("change %d: there is no group of sensors %d", k+1, e.Group)
		}
		at := e.Reading
		switch {
		case at == -1:
			if e.X == nil || e.Value == nil {
				return nil, nil, fmt.Errorf("change %d: a new reading needs a place and a value", k+1)
			}
			at = len(rows[e.Group])
			rows[e.Group] = append(rows[e.Group], row{sigma: statedOf(file, e.Group), file: 0})
		case at < 0 || at >= known[e.Group]:
			return nil, nil, fmt.Errorf("change %d: %s has no reading %d", k+1, clip(file.SensorFiles[e.Group].Name), at)
		}
		if err := rows[e.Group][at].change(e, file); err != nil {
			return nil, nil, fmt.Errorf("change %d: %w", k+1, err)
		}
		places[k] = place{e.Group, at}
	}
	for _, p := range places {
		of = append(of, &rows[p.group][p.reading])
	}
	return rows, of, nil
}

// statedOf is the sigma of a new reading of a group: that of the block or, where each reading has its own, their median.
func statedOf(file *spec.File, g int) float64 {
	sigma := slices.Clone(file.Problem.Sensors[g].Sigma)
	sort.SliceStable(sigma, func(i, j int) bool { return sigma[i] < sigma[j] })
	if len(sigma) == 0 {
		return 0
	}
	return sigma[len(sigma)/2]
}

// change applies an edit to a reading.
func (r *row) change(e *Edit, file *spec.File) error {
	variables := file.Problem.Variables
	if e.X != nil {
		if len(e.X) != len(variables) {
			return fmt.Errorf("a place has %d coordinates; there are %d variables", len(e.X), len(variables))
		}
		for d, x := range e.X {
			if v := variables[d]; v.Outside(x) {
				return fmt.Errorf("%s = %g is outside [%g, %g]", v.Name, x, v.Min, v.Max)
			}
		}
		r.x = e.X
	}
	if e.Value != nil {
		r.value = *e.Value
	}
	if e.Sigma != nil {
		if r.sigma == 0 {
			return errors.New("the noise of these sensors is learned; state sigma in their block first")
		}
		if !(*e.Sigma > 0) {
			return fmt.Errorf("sigma is %g; it must be positive", *e.Sigma)
		}
		r.sigma = *e.Sigma
	}
	const largest = 1e120 // as in a problem file
	if !(math.Abs(r.value) <= largest) || r.sigma > largest || r.sigma != 0 && r.sigma < 1/largest {
		return fmt.Errorf("value %g and sigma %g: numbers up to %g are possible", r.value, r.sigma, largest)
	}
	r.off = r.off || e.Off
	return nil
}

// edit changes readings for good.
func (s *Session) edit(edits []Edit) (*Problem, error) {
	open, err := s.readable()
	if err != nil {
		return nil, err
	}
	rows, _, err := edited(open.file, edits)
	if err != nil {
		return nil, err
	}
	changed := map[int]bool{}
	for i := range edits {
		changed[edits[i].Group] = true
	}
	files := maps.Clone(open.files)
	for g := range rows {
		rows[g] = slices.DeleteFunc(rows[g], func(r row) bool { return r.off })
		if changed[g] {
			open.rewrite(files, g, rows[g])
		}
	}
	if err := s.limits.check(files, open.main); err != nil {
		return nil, err
	}
	next := s.limits.read(files, open.main, nil)
	if next.fault != nil {
		return nil, fmt.Errorf("the readings cannot be changed so: %w", next.fault)
	}
	if !sameRows(rows, rowsOf(next.file)) {
		return nil, errors.New("these readings cannot be changed here: their table is laid out in a way that a rewritten one would not be read as, or another block reads it, too; change its text instead")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open != open {
		return nil, errors.New("another problem has been opened meanwhile")
	}
	s.open, s.edits = next, nil
	return s.problem(), nil
}

// sameRows reports whether groups of readings are equal, in whatever order those of different files of a group come.
func sameRows(a, b [][]row) bool {
	for g := range a {
		if len(a[g]) != len(b[g]) {
			return false
		}
		x, y := slices.Clone(a[g]), slices.Clone(b[g])
		sort.SliceStable(x, func(i, j int) bool { return x[i].file < x[j].file })
		sort.SliceStable(y, func(i, j int) bool { return y[i].file < y[j].file })
		for i := range x {
			if !x[i].equal(&y[i]) || x[i].name != y[i].name {
				return false
			}
		}
	}
	return true
}

// rewrite writes the tables of a group, those that have changed, as plain CSV: a column for each variable that has one,
// value, sigma where readings have their own, and sensor where they have names.
func (o *opened) rewrite(files map[string]string, g int, rows []row) {
	s, f := &o.file.Problem.Sensors[g], &o.file.SensorFiles[g]
	column := func(name string) string { return strings.TrimSuffix(cmp.Or(s.Layout.Columns[name], name), "*") }
	own := len(s.Sigma) > 1 || f.Sigma == nil && len(s.Sigma) == 1
	for i := range rows {
		own = own || len(s.Sigma) == 1 && rows[i].sigma != s.Sigma[0]
	}
	var header []string
	var axes []int
	for d, v := range o.file.Problem.Variables {
		if _, fixed := s.Layout.At[v.Name]; !fixed {
			header, axes = append(header, column(v.Name)), append(axes, d)
		}
	}
	header = append(header, column("value"))
	if own {
		header = append(header, column("sigma"))
	}
	named := slices.ContainsFunc(rows, func(r row) bool { return r.name != "" })
	if named {
		header = append(header, column("sensor"))
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	before := rowsOf(o.file)[g]
	for j, name := range o.tablesOf(g) {
		of := func(all []row) []row {
			return slices.DeleteFunc(slices.Clone(all), func(r row) bool { return r.file != j })
		}
		here := of(rows)
		if slices.EqualFunc(here, of(before), func(a, b row) bool { return a.equal(&b) }) {
			continue
		}
		var text bytes.Buffer
		out := csv.NewWriter(&text)
		out.Write(header)
		for i := range here {
			r := &here[i]
			var record []string
			for _, d := range axes {
				record = append(record, number(r.x[d]))
			}
			record = append(record, number(r.value))
			if own {
				record = append(record, number(r.sigma))
			}
			if named {
				record = append(record, r.name)
			}
			out.Write(record)
		}
		out.Flush()
		files[name] = text.String()
	}
}
