package live

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/bpielm/bpielm/cmd/internal/feed"
	"github.com/bpielm/bpielm/cmd/internal/page"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/readings"
	"github.com/bpielm/bpielm/system/spec"
)

// assimilated is the state of a stream of readings.
type assimilated struct {
	prior       *posterior.Prior
	definitions *spec.Definitions
	clock       *readings.Clock // nil where there are no dates
	time        int             // which variable it is; -1 for none
	stations    *feed.Stations
	count       int
	last        ring
	at          []float64 // of the last reading; nil before the first
	domain      *mat.Dense
	edge        edge
}

// edge is the outline of a slice, which is kept as long as the same points of the slice are outside.
type edge struct {
	mu      sync.Mutex
	outside []bool
	outline *page.Outline
}

// newAssimilated begins a stream without readings.
func newAssimilated(prior *posterior.Prior, window int) (*assimilated, error) {
	stream, err := prior.Stream(posterior.StreamConfig{Window: window, NoSensors: true})
	if err != nil {
		return nil, err
	}
	q := prior.Posterior()
	a := &assimilated{prior: prior, stations: feed.NewStations(prior, stream)}
	if a.definitions, err = spec.ReadDefinitions(q.Note(), q.Problem()); err != nil {
		return nil, err
	}
	variables := prior.Variables()
	a.time = slices.IndexFunc(variables, func(v system.Variable) bool { return v.Start != "" })
	if a.time >= 0 {
		if a.clock, err = readings.NewClock(variables[a.time], ""); err != nil {
			return nil, err
		}
	} else {
		a.time = slices.IndexFunc(variables, func(v system.Variable) bool { return v.Name == "t" })
	}
	a.domain = thinned(prior.Domain(), rangePoints)
	return a, nil
}

const (
	rangePoints = 256 // of the domain, at which the range of a field is looked for
	curvePoints = 201 // of a slice along one variable
	mapPoints   = 41  // on each side of a slice along two
	edgePoints  = 180 // on each side of its outline
)

// thinned returns about so many rows.
func thinned(points *mat.Dense, most int) *mat.Dense {
	step := points.Rows()/most + 1
	var data []float64
	for i := 0; i < points.Rows(); i += step {
		data = append(data, points.Row(i)...)
	}
	return mat.NewDense(len(data)/points.Cols(), points.Cols(), data)
}

// followReadings assimilates readings to the end of a stream.
func (f *Follower) followReadings(in io.Reader, name string, stop <-chan struct{}) error {
	if f.config.Physics == nil {
		return fmt.Errorf("%s: this is no log of bpielm-edge, and without compiled physics nothing can be said about readings: see --model", name)
	}
	prior, err := f.config.Physics()
	if err != nil {
		return err
	}
	a, err := newAssimilated(prior, f.config.Window)
	if err != nil {
		return err
	}
	lines, err := feed.NewReader(in, name, prior)
	if err != nil {
		return err
	}
	lines.Live = true
	if f.config.Columns != nil {
		if err := lines.SetColumns(f.config.Columns); err != nil {
			return err
		}
	}
	f.mu.Lock()
	f.state = a
	f.mu.Unlock()
	f.notify()
	for {
		record, err := lines.Next()
		var bad *feed.Error
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &bad):
			f.skip(bad)
			continue
		case err != nil:
			return err
		}
		f.mu.Lock()
		err = a.add(record)
		f.mu.Unlock()
		if err != nil {
			f.skip(&feed.Error{File: name, Line: record.Line, Why: err.Error()})
			continue
		}
		f.notify()
	}
}

// add assimilates a reading.
func (a *assimilated) add(r *feed.Record) error {
	event, err := a.stations.Add(r)
	if err != nil {
		return err
	}
	a.count++
	a.at = append(a.at[:0], r.At...)
	in := event.Innovation
	a.last.add(page.Innovated{
		Sensor: short(a.stations.Stream.Health(event.Sensor).Name), Value: r.Value, Predicted: in.Mean, SD: in.SD,
		X: slices.Clone(r.At), At: a.moment(r.At), Rejected: !in.Kept,
	})
	return nil
}

// moment says when a reading was taken; "" where there is no time.
func (a *assimilated) moment(at []float64) string {
	switch {
	case a.time < 0:
		return ""
	case a.clock != nil:
		return a.clock.Date(at[a.time])
	}
	return strconv.FormatFloat(at[a.time], 'g', 6, 64)
}

func (a *assimilated) show(e *page.Estimate, lock *sync.Mutex) {
	stream, variables := a.stations.Stream, a.prior.Variables()
	e.Readings, e.Kept, e.Last = a.count, stream.Len(), a.last.list()
	for _, v := range variables {
		e.Variables = append(e.Variables, page.Axis{Name: v.Name, Label: v.Axis(), Range: &[2]float64{v.Min, v.Max}, Log: v.Log, Start: v.Start, Unit: v.Unit})
	}
	for _, name := range a.prior.Fields() {
		e.Fields = append(e.Fields, page.Axis{Name: name, Label: name})
	}
	for _, p := range stream.Parameters() {
		half := float64(1.96 * p.SD)
		e.Parameters = append(e.Parameters, page.Estimated{Name: p.Name, Mean: p.Mean, SD: p.SD, Median: p.Mean, Lower95: p.Mean - half, Upper95: p.Mean + half, X: []float64{}, Posterior: []float64{}})
	}
	var all []page.Health
	for i := range stream.Sensors() {
		all = append(all, health(stream.Health(i)))
	}
	shown(all, e)
	e.Of = a.slice()
	if a.at != nil {
		e.At = a.moment(a.at)
	}
	now := stream.Posterior()
	lock.Unlock() // readings go on; now does not change
	defer lock.Lock()
	e.Slice, e.Outline = a.predict(now, e.Of)
}

func health(h posterior.Health) page.Health {
	state := h.Diagnosis.String()
	if h.Dropped {
		state = "dropped"
	}
	return page.Health{Sensor: short(h.Name), State: state, Readings: h.Readings, Rejected: h.Flagged}
}

// slice says which slice is shown: along one or two variables of space at the time of the last reading.
func (a *assimilated) slice() *page.SliceOf {
	of := &page.SliceOf{}
	for i, v := range a.prior.Variables() {
		if i != a.time && len(of.Axes) < 2 {
			of.Axes = append(of.Axes, i)
		}
		of.At = append(of.At, v.At(0.5))
	}
	if len(of.Axes) == 0 {
		of.Axes = []int{a.time}
	}
	if a.at != nil {
		copy(of.At, a.at)
	}
	for range of.Axes {
		if of.Size = append(of.Size, curvePoints); len(of.Axes) == 2 {
			of.Size[len(of.Size)-1] = mapPoints
		}
	}
	return of
}

// nodes are the points of a grid along the axes of a slice, the last axis fastest.
func (a *assimilated) nodes(of *page.SliceOf, sizes []int) *mat.Dense {
	variables := a.prior.Variables()
	n := 1
	for _, size := range sizes {
		n *= size
	}
	points := mat.NewDense(n, len(variables), nil)
	for k := range n {
		row := points.Row(k)
		copy(row, of.At)
		for rest, i := k, len(of.Axes)-1; i >= 0; i-- {
			row[of.Axes[i]] = variables[of.Axes[i]].At(float64(rest%sizes[i]) / float64(sizes[i]-1))
			rest /= sizes[i]
		}
	}
	return points
}

// outlined returns the outline of a map with some points outside; nil for one without.
func (a *assimilated) outlined(of *page.SliceOf, outside []bool) *page.Outline {
	if len(of.Axes) != 2 || !slices.Contains(outside, true) {
		return nil
	}
	a.edge.mu.Lock()
	defer a.edge.mu.Unlock()
	if slices.Equal(outside, a.edge.outside) {
		return a.edge.outline
	}
	size := []int{edgePoints, edgePoints}
	points := a.nodes(of, size)
	bits := make([]byte, (points.Rows()+7)/8)
	for k := range points.Rows() {
		if a.definitions.Holds(of.Field, points.Row(k)) {
			bits[k/8] |= 1 << (k % 8)
		}
	}
	a.edge.outside, a.edge.outline = outside, &page.Outline{Size: size, Inside: base64.StdEncoding.EncodeToString(bits)}
	return a.edge.outline
}

// predict evaluates a posterior on a slice; nil if that is not possible.
func (a *assimilated) predict(q *posterior.Posterior, of *page.SliceOf) (*page.Slice, *page.Outline) {
	points := a.nodes(of, of.Size)
	mean, sd, err := q.Predict(system.Field(of.Field), points)
	if err != nil {
		return nil, nil
	}
	outside := make([]bool, len(mean))
	for k := range outside {
		if outside[k] = !a.definitions.Holds(of.Field, points.Row(k)); outside[k] {
			mean[k], sd[k] = math.NaN(), math.NaN()
		}
	}
	low, high, highest := math.Inf(1), math.Inf(-1), 0.0
	seen := func(mean, sd []float64) {
		for k, m := range mean {
			if !math.IsNaN(m) {
				low, high, highest = min(low, m), max(high, m), max(highest, sd[k])
			}
		}
	}
	seen(mean, sd)
	if m, s, err := q.Predict(system.Field(of.Field), a.domain); err == nil {
		seen(m, s)
	}
	if low > high || math.IsInf(low, 0) || math.IsInf(high, 0) || math.IsInf(highest, 0) {
		return nil, nil
	}
	return &page.Slice{Mean: grid(mean), SD: grid(sd), Low: low, High: high, SDHigh: highest}, a.outlined(of, outside)
}

// grid writes numbers as a page reads them.
func grid(values []float64) string {
	text := make([]byte, 0, 4*len(values))
	for _, v := range values {
		text = binary.LittleEndian.AppendUint32(text, math.Float32bits(float32(v)))
	}
	return base64.StdEncoding.EncodeToString(text)
}
