package page

import (
	"fmt"
	"maps"
	"strings"

	"github.com/bpielm/bpielm/cmd/internal/describe"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/cmd/internal/solution"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// problem describes what is open. s.mu is held.
func (s *Session) problem() *Problem {
	o := s.open
	p := &Problem{
		Files: maps.Clone(o.files), Main: o.main, Variables: []Axis{}, Fields: []Axis{},
		Equations: []Statement{}, Conditions: []Statement{}, Parameters: []Parameter{}, Sensors: []Group{},
	}
	if o.fault != nil {
		p.Fault = faultOf(o.fault, nil)
	}
	if o.file == nil {
		return p
	}
	describeProblem(p, o.file)
	if v := s.solved; v != nil && o.fault == nil && v.is(o) {
		p.Answer, p.Judgement = v.answer, v.judged()
	}
	return p
}

// describeProblem says what a problem file was understood as.
func describeProblem(to *Problem, file *spec.File) {
	p := file.Problem
	to.Title = file.Title
	for _, v := range p.Variables {
		to.Variables = append(to.Variables, Axis{Name: v.Name, Label: v.Axis(), Range: &[2]float64{v.Min, v.Max}, Log: v.Log, Start: v.Start, Unit: v.Unit})
	}
	for i, name := range p.Fields {
		a := Axis{Name: name, Label: file.Axis(name), Unit: file.Quantities[name].Unit, Over: []int{}}
		for d := range p.Variables {
			if p.DependsOn(i, d) {
				a.Over = append(a.Over, d)
			}
		}
		to.Fields = append(to.Fields, a)
	}
	lines := describe.Equations(p)
	for label := range p.Demands() {
		says, _, _ := strings.Cut(lines[label.Index], "\t")
		t := Statement{Name: label.String(), Says: says, Line: file.LineOf(label.String())}
		if label.Kind == system.Equations {
			to.Equations = append(to.Equations, t)
		} else {
			to.Conditions = append(to.Conditions, t)
		}
	}
	for _, q := range p.Parameters {
		prior := "wide"
		if q.SD > 0 {
			prior = format.Short(q.Mean) + " ± " + format.Short(q.SD)
		}
		to.Parameters = append(to.Parameters, Parameter{q.Name, file.Axis(q.Name), prior})
	}
	for i := range p.Coefficients {
		c := &p.Coefficients[i]
		to.Parameters = append(to.Parameters, Parameter{c.Name, file.Axis(c.Name), describe.Prior(c)})
	}
	for _, r := range file.Remarks {
		to.Notes = append(to.Notes, r.Error())
	}
	for g := range p.Sensors {
		to.Sensors = append(to.Sensors, group(file, g))
		f := &file.SensorFiles[g]
		if n := f.Passed.Gaps; n > 0 {
			note := fmt.Sprintf("%s: %s left out: no number", f.Name, format.Count(n, "value"))
			if f.Passed.Listed > 0 {
				note += fmt.Sprintf(", or listed as missing: %d, the first at %s", f.Passed.Listed, f.Passed.ListedAt)
			}
			to.Notes = append(to.Notes, note)
		}
		if n := f.Passed.Outside; n > 0 {
			to.Notes = append(to.Notes, fmt.Sprintf("%s: %s left out: outside the range of the time", f.Name, format.Count(n, "reading")))
		}
		if len(f.Unread) > 0 {
			to.Notes = append(to.Notes, fmt.Sprintf("%s: not read: %s", f.Name, format.Clipped(strings.Join(f.Unread, ", "), 200)))
		}
	}
}

// group describes the readings of one block.
func group(file *spec.File, g int) Group {
	s, f := &file.Problem.Sensors[g], &file.SensorFiles[g]
	to := Group{Name: f.Name, Measures: describe.Measures(file, g), Field: -1, Learned: len(s.Sigma) == 0, Student: s.Student, Readings: make([]Reading, len(s.Values))}
	for i := range file.Problem.Fields {
		if !f.Placeless && solution.MeasuresField(&s.Measures, i) {
			to.Field = i
		}
	}
	if len(s.Sigma) == 1 {
		to.Sigma = s.Sigma[0]
	}
	for i := range to.Readings {
		r := &to.Readings[i]
		r.Value = s.Values[i]
		for _, x := range s.Points.Row(i) {
			r.X = append(r.X, number(x))
		}
		if len(s.Sigma) > 1 {
			r.Sigma = s.Sigma[i]
		}
		if f.Sensors != nil {
			r.Name = f.Sensors[i]
		}
	}
	return to
}
