package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

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
	for i := range v.Checks {
		for j := range file.SensorFiles {
			nameByFile(&v.Checks[i], &file.SensorFiles[j])
		}
	}
	return &verdict{v, readings, file}, nil
}

// nameByFile replaces the library's names of sensors and of their readings by the
// name of the file, and its lines.
func nameByFile(c *posterior.Check, s *spec.SensorFile) {
	library := fmt.Sprintf("sensors %q", s.Name)
	if c.Kind == "reading" && strings.HasPrefix(c.Name, library+", reading ") {
		named := c.Name
		var k int
		fmt.Sscanf(strings.TrimPrefix(c.Name, library+", reading "), "%d", &k)
		if k >= 1 && k <= len(s.Lines) {
			name, line, sensor := s.Source(k - 1)
			if c.Name = fmt.Sprintf("%s, line %d", name, line); sensor != "" {
				c.Name += ", " + sensorName(sensor)
			}
			c.Message = strings.ReplaceAll(c.Message, named, c.Name)
		}
		return
	}
	c.Message = strings.ReplaceAll(c.Message, library, s.Name)
	c.Name = strings.ReplaceAll(c.Name, library, s.Name)
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
	if err := out.Write(header); err != nil {
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
		for _, x := range v.file.Problem.Sensors[r.Sensors].Points.Row(r.Reading) {
			record = append(record, formatCell(x))
		}
		for _, x := range []float64{r.Value, r.Sigma, r.Mean, r.SD, r.LeftOutMean, r.LeftOutSD, r.Standardised, r.Weight} {
			record = append(record, formatCell(x))
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
