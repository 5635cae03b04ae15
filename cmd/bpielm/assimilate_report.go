package main

import (
	"fmt"
	"io"

	"github.com/bpielm/bpielm/cmd/internal/findings"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/cmd/internal/solution"
	"github.com/bpielm/bpielm/mat"
)

func (a *assimilation) finish() error {
	if a.count != a.printed {
		if err := a.print(); err != nil {
			return err
		}
	}
	if a.command.Quiet || a.command.JSON {
		return nil
	}
	w := a.io.out
	if a.points != nil || a.command.Every > 0 {
		w = a.io.err
	}
	return a.summary(w)
}

// print writes the estimates so far.
func (a *assimilation) print() error {
	first := a.printed < 0
	a.printed = a.count
	switch {
	case a.command.JSON:
		return a.printJSON()
	case a.points != nil:
		return a.printPoints(first)
	case a.command.Every > 0:
		return a.printParameters(first)
	}
	return nil
}

// estimates returns mean and sd of every field at every point, field by field.
func (a *assimilation) estimates() (mean, sd [][]float64) {
	n, fields := a.points.Rows(), len(a.prior.Fields())
	m, s := make([]float64, n*fields), make([]float64, n*fields)
	a.stream.EstimateTo(m, s)
	for i := range fields {
		mean, sd = append(mean, m[i*n:(i+1)*n]), append(sd, s[i*n:(i+1)*n])
	}
	return mean, sd
}

func (a *assimilation) printPoints(header bool) error {
	n := a.points.Rows()
	t := &solution.Table{Header: []string{"readings"}, Points: mat.NewDense(n, 1+a.points.Cols(), nil), Bare: !header}
	for _, v := range a.prior.Variables() {
		t.Header = append(t.Header, v.Name)
	}
	if t.Dates = a.dates; t.Dates != nil {
		t.Times = make([]float64, n)
	}
	for i := range n {
		if t.Dates != nil {
			t.Times[i] = a.points.At(i, t.Dates.Of)
		}
		t.Points.Set(i, 0, float64(a.count))
		copy(t.Points.Row(i)[1:], a.points.Row(i))
	}
	mean, sd := a.estimates()
	for i, name := range a.prior.Fields() {
		t.AddEstimate(name, mean[i], sd[i])
	}
	return t.WriteCSV(a.io.out)
}

func (a *assimilation) printParameters(header bool) error {
	t := &solution.Table{Header: []string{"readings"}, Points: mat.NewDense(1, 1, []float64{float64(a.count)}), Bare: !header}
	for _, p := range a.stream.Parameters() {
		t.AddEstimate(p.Name, []float64{p.Mean}, []float64{p.SD})
	}
	t.Dates, t.Times = a.dates, []float64{a.latest}
	return t.WriteCSV(a.io.out)
}

// assimilationReport is one line of --json.
type assimilationReport struct {
	Readings   int                           `json:"readings"`
	Kept       int                           `json:"kept"`
	Skipped    int                           `json:"skipped"`          // invalid lines
	Gaps       int                           `json:"gaps,omitempty"`   // missing values
	Latest     string                        `json:"latest,omitempty"` // date of the last reading
	Parameters map[string]findings.Parameter `json:"parameters,omitempty"`
	Estimates  []map[string]any              `json:"estimates,omitempty"` // numbers, and the date as text
	Sensors    []sensorReport                `json:"sensors"`
}

type sensorReport struct {
	Name       string  `json:"name"`
	Readings   int     `json:"readings"`
	Flagged    int     `json:"flagged"`
	Condition  string  `json:"condition"`
	Dropped    bool    `json:"dropped"`
	Innovation float64 `json:"innovation"` // standardised, of the last reading
}

func (a *assimilation) printJSON() error {
	r := assimilationReport{Readings: a.count, Kept: a.stream.Len(), Skipped: a.skipped, Gaps: a.gaps}
	if a.dates != nil {
		r.Latest = a.dates.Clock.Stamp(a.latest)
	}
	for _, p := range a.stream.Parameters() {
		if r.Parameters == nil {
			r.Parameters = map[string]findings.Parameter{}
		}
		r.Parameters[p.Name] = findings.Parameter{Mean: p.Mean, SD: findings.Number(p.SD)}
	}
	if a.points != nil {
		mean, sd := a.estimates()
		for k := range a.points.Rows() {
			e := map[string]any{}
			if a.dates != nil {
				e[a.dates.Name] = a.dates.Clock.Stamp(a.points.At(k, a.dates.Of))
			}
			for i, v := range a.prior.Variables() {
				e[v.Name] = a.points.At(k, i)
			}
			for i, name := range a.prior.Fields() {
				e[name+"_mean"], e[name+"_sd"] = mean[i][k], sd[i][k]
			}
			r.Estimates = append(r.Estimates, e)
		}
	}
	for i := range a.stream.Sensors() {
		h := a.stream.Health(i)
		r.Sensors = append(r.Sensors, sensorReport{h.Name, h.Readings, h.Flagged, h.Condition.String(), h.Dropped, h.Last.Standardised})
	}
	return answerOf(a.command.Model, findings.WriteJSON(a.io.out, &r, ""))
}

func (a *assimilation) summary(w io.Writer) error {
	p := &page{}
	readings := fmt.Sprintf("readings\t%d, %d kept", a.count, a.stream.Len())
	if a.skipped > 0 {
		readings += fmt.Sprintf("; %s skipped", format.Count(a.skipped, "line"))
	}
	if a.gaps > 0 {
		readings += fmt.Sprintf("; %s left out", format.Count(a.gaps, "missing value"))
	}
	p.section(a.command.Readings, readings)
	p.section("Parameters", estimateLines(a.stream.Parameters(), nil)...)
	var lines []string
	for i := range a.stream.Sensors() {
		h := a.stream.Health(i)
		state := h.Condition.String()
		if h.Dropped {
			state += ", dropped"
		}
		lines = append(lines, fmt.Sprintf("%s\t%s\t%d flagged\t%s", format.Sensor(h.Name), format.Count(h.Readings, "reading"), h.Flagged, state))
	}
	p.section("Sensors", lines...)
	if a.command.Out != "" {
		p.section("Written", a.command.Out)
	}
	return p.writeTo(w)
}
