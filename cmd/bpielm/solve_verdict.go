package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"

	"github.com/bpielm/bpielm/cmd/internal/describe"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/cmd/internal/solution"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/spec"
)

// A verdict is the library's verdict. It names readings by the lines of their files.
type verdict struct {
	*posterior.Verdict
	readings []posterior.ReadingCheck
	file     *spec.File
}

// examine judges a posterior. The verdict is nil where the method has no uncertainty.
func examine(file *spec.File, q *posterior.Posterior) (*verdict, error) {
	if q.ParameterCorrelation() == nil {
		return nil, nil
	}
	v, readings, err := q.Examine(file.Problem)
	if err != nil {
		return nil, err
	}
	describe.NameReadings(v, file)
	return &verdict{v, readings, file}, nil
}

// lines is the verdict for people.
func (v *verdict) lines() []string {
	if v == nil {
		return nil
	}
	if v.Sound {
		return []string{"sound: equations, readings and layers agree with each other"}
	}
	lines := []string{"not to be trusted as it stands:"}
	for _, m := range v.Failures() {
		lines = append(lines, "- "+m)
	}
	return lines
}

// combinationLines shows what parameters mean together.
func (v *verdict) combinationLines() (lines []string) {
	if v == nil {
		return nil
	}
	for _, c := range v.Combinations {
		low, high := format.Pair(c.Lower95, c.Upper95, c.SD)
		lines = append(lines, fmt.Sprintf("%s\t%s\t95 %% interval [%s, %s]", c.Expression, format.Estimate(c.Mean, c.SD), low, high))
	}
	return lines
}

// notes are further remarks.
func (v *verdict) notes() []string {
	if v == nil {
		return nil
	}
	return v.Notes()
}

// failures are the messages of failed checks.
func (v *verdict) failures() []string {
	if v == nil {
		return nil
	}
	return v.Failures()
}

// writeReadings writes every reading beside what the others predict for it.
func (v *verdict) writeReadings(w io.Writer) error {
	out := csv.NewWriter(w)
	header := []string{"file", "line"}
	named := slices.ContainsFunc(v.file.SensorFiles, func(s spec.SensorFile) bool { return s.Sensors != nil })
	if named {
		header = append(header, "sensor")
	}
	for _, variable := range v.file.Problem.Variables {
		header = append(header, variable.Name)
	}
	header = append(header, "value", "sigma", "mean", "sd", "left_out_mean", "left_out_sd", "standardised", "weight")
	dated := format.DatesOf(v.file.Problem.Variables)
	if err := out.Write(dated.Add(header, nil)); err != nil {
		return err
	}
	for i := range v.readings {
		r := &v.readings[i]
		s := &v.file.SensorFiles[r.Sensors]
		name, line, sensor := s.Source(r.Reading)
		record := []string{name, fmt.Sprint(line)}
		if named {
			record = append(record, sensor)
		}
		at := v.file.Problem.Sensors[r.Sensors].Points.Row(r.Reading)
		for _, x := range at {
			record = append(record, solution.Cell(x))
		}
		for _, x := range []float64{r.Value, r.Sigma, r.Mean, r.SD, r.LeftOutMean, r.LeftOutSD, r.Standardised, r.Weight} {
			record = append(record, solution.Cell(x))
		}
		if err := out.Write(dated.Add(record, at)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
