package page

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
)

// cut is a checked SliceOf, with the points of it that are in the domain.
type cut struct {
	SliceOf
	key    string
	cells  int
	points *mat.Dense // those inside x variables
	inside []int      // the cell of each point
}

// cut checks a slice.
func (v *solved) cut(of *SliceOf, most int) (*cut, error) {
	if of == nil {
		return nil, errors.New("the slice is missing")
	}
	p := v.file.Problem
	c := &cut{SliceOf: *of, cells: 1}
	switch {
	case of.Field < 0 || of.Field >= len(p.Fields):
		return nil, fmt.Errorf("there is no field %d", of.Field)
	case len(of.Axes) < 1 || len(of.Axes) > 2 || len(of.Size) != len(of.Axes):
		return nil, errors.New("a slice has one or two axes, and a size for each")
	case len(of.At) != 0 && len(of.At) != len(p.Variables):
		return nil, fmt.Errorf("a slice is at one value of each of %d variables", len(p.Variables))
	}
	for k, d := range of.Axes {
		if d < 0 || d >= len(p.Variables) || k == 1 && d == of.Axes[0] {
			return nil, errors.New("the axes of a slice are different variables")
		}
		if of.Size[k] < 2 || of.Size[k] > most/c.cells {
			return nil, fmt.Errorf("a slice has at least 2 points along each axis and at most %d together", most)
		}
		c.cells *= of.Size[k]
	}
	at := make([]float64, len(p.Variables))
	for d, variable := range p.Variables {
		if at[d] = variable.At(0.5); len(of.At) > 0 {
			at[d] = of.At[d]
		}
		if variable.Outside(at[d]) {
			return nil, fmt.Errorf("%s = %g is outside [%g, %g]", variable.Name, at[d], variable.Min, variable.Max)
		}
	}
	c.At = at
	key, err := json.Marshal(c.SliceOf)
	if err != nil {
		return nil, err
	}
	c.key = string(key)
	v.fill(c)
	return c, nil
}

// fill finds the points inside.
func (v *solved) fill(c *cut) {
	p := v.file.Problem
	domain := p.Domain
	for d := range p.Variables {
		if !p.DependsOn(c.Field, d) {
			domain = nil // it is in all variables
		}
	}
	x := append([]float64(nil), c.At...)
	var data []float64
	for cell := range c.cells {
		rest := cell
		for k := len(c.Axes) - 1; k >= 0; k-- {
			d := c.Axes[k]
			x[d] = system.GridValue(p.Variables[d], c.Size[k], rest%c.Size[k])
			rest /= c.Size[k]
		}
		if (domain == nil || domain.Contains(x)) && v.file.Output.Holds(c.Field, x) {
			data, c.inside = append(data, x...), append(c.inside, cell)
		}
	}
	c.points = mat.NewDense(len(c.inside), len(x), data)
}

// grid writes values at the points inside as a Grid.
func (c *cut) grid(values []float64) string {
	const none = 0x7fc00000 // NaN
	data := make([]byte, 4*c.cells)
	for i := range c.cells {
		binary.LittleEndian.PutUint32(data[4*i:], none)
	}
	for k, cell := range c.inside {
		if x := float32(values[k]); x == x {
			binary.LittleEndian.PutUint32(data[4*cell:], math.Float32bits(x))
		}
	}
	return base64.StdEncoding.EncodeToString(data)
}

// drawn is the slice of these values.
func (v *solved) drawn(c *cut, mean, sd []float64) Slice {
	r := v.ranges[c.Field]
	s := Slice{Mean: c.grid(mean), Low: r.Low, High: r.High, SDHigh: r.SDHigh}
	if sd != nil {
		s.SD = c.grid(sd)
	}
	return s
}

// slice answers with a field on a grid, with the changes since the last solve.
func (s *Session) slice(ctx context.Context, of *SliceOf) (*Slice, error) {
	open, v, edits := s.snapshot()
	if v == nil {
		return nil, errors.New("nothing has been solved yet")
	}
	c, err := v.cut(of, s.limits.Cells)
	if err != nil {
		return nil, err
	}
	var changes []change
	if open.fault == nil && open.same == v.same && v.uncertain {
		if rows, _, err := edited(open.file, edits); err == nil {
			changes = v.changes(rows)
		}
	}
	if len(changes) == 0 {
		if known := v.shippedSlice(c.key); known != nil {
			return known, nil
		}
	}
	if !v.uncertain {
		mean, _, err := v.predict(ctx, c.Field, c.points)
		if err != nil {
			return nil, err
		}
		out := v.drawn(c, mean, nil)
		return &out, nil
	}
	v.drawing.Lock()
	defer v.drawing.Unlock()
	mean, sd, _, err := v.estimate(ctx, c, changes, s.limits.Preview)
	if err != nil && len(changes) > 0 { // too much has changed to say: as it was
		mean, sd, _, err = v.estimate(ctx, c, nil, s.limits.Preview)
	}
	if err != nil {
		return nil, err
	}
	out := v.drawn(c, mean, sd)
	if len(changes) == 0 {
		v.keep(c.key, &out)
	}
	return &out, nil
}

// view is what is kept of a slice, so that it follows changes.
type view struct {
	key     string // "" for no slice
	bytes   int64
	preview *posterior.Preview
	known   []*prepared
}

// prepared is a reading that a view has seen.
type prepared struct {
	group   int
	x       []float64
	reading *posterior.PreviewReading
	used    bool
}

// columns is about how many columns the roots of variances have.
func (v *solved) columns() int {
	s := v.q.Summary()
	return (s.Columns + 1) * max(s.Ensemble, 1)
}

// view returns the view of a slice, nil for parameters only. v.drawing is held.
func (v *solved) view(c *cut, most int64) (*view, error) {
	key, targets, rows := "", []posterior.Query(nil), 0
	if c != nil {
		key, rows = c.key, c.points.Rows()
		targets = append(targets, posterior.Query{Functional: system.Field(c.Field), Points: c.points})
	}
	for i, w := range v.views {
		if w.key == key {
			copy(v.views[1:i+1], v.views[:i])
			v.views[0] = w
			return w, nil
		}
	}
	w := &view{key: key, bytes: v.bytesOf(rows)}
	total := w.bytes
	for i, o := range v.views {
		if total += o.bytes; total > most {
			v.views = v.views[:i]
			break
		}
	}
	var err error
	if w.preview, err = v.q.Preview(targets...); err != nil {
		return nil, err
	}
	v.views = append([]*view{w}, v.views...)
	return w, nil
}

// bytesOf is about what a view of so many points takes.
func (v *solved) bytesOf(points int) int64 {
	ensemble := max(v.q.Summary().Ensemble, 1)
	return 8 * int64(points+len(v.answer.Parameters)) * int64(v.columns()+ensemble*(4+posterior.MostPreviewed))
}

// estimate returns mean and sd at the points of a slice, if c is not nil, and its view; large slices are computed in
// parts, and have none. v.drawing is held.
func (v *solved) estimate(ctx context.Context, c *cut, changes []change, most int64) (mean, sd []float64, w *view, err error) {
	if c == nil || v.bytesOf(c.points.Rows()) <= most/2 {
		if err := ctx.Err(); err != nil {
			return nil, nil, nil, err
		}
		if w, err = v.view(c, most); err != nil {
			return nil, nil, nil, err
		}
		if err := w.apply(v, changes); err != nil {
			return nil, nil, nil, err
		}
		if c != nil {
			mean, sd = make([]float64, c.points.Rows()), make([]float64, c.points.Rows())
			w.preview.EstimateTo(mean, sd, 0)
		}
		return mean, sd, w, nil
	}
	if len(changes) == 0 {
		mean, sd, err = v.predict(ctx, c.Field, c.points)
		return mean, sd, nil, err
	}
	n, d := c.points.Dims()
	for first := 0; first < n; first += together {
		if err := ctx.Err(); err != nil {
			return nil, nil, nil, err
		}
		part := c.points.Slice(first, min(first+together, n), 0, d)
		p, err := v.q.Preview(posterior.Query{Functional: system.Field(c.Field), Points: part})
		if err != nil {
			return nil, nil, nil, err
		}
		one := &view{preview: p}
		if err := one.apply(v, changes); err != nil {
			return nil, nil, nil, err
		}
		m, s := make([]float64, part.Rows()), make([]float64, part.Rows())
		p.EstimateTo(m, s, 0)
		mean, sd = append(mean, m...), append(sd, s...)
	}
	return mean, sd, nil, nil
}
