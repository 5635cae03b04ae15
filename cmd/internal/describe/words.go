package describe

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// Prior describes the prior of a coefficient.
func Prior(c *system.Coefficient) string {
	switch {
	case c.SD > 0:
		return fmt.Sprintf("%s ± %s", format.Short(c.Mean), format.Short(c.SD))
	case c.Median > 0:
		return fmt.Sprintf("median %s, two thirds of it from %s to %s", format.Short(c.Median), format.Short(c.Median/c.Factor), format.Short(c.Median*c.Factor))
	case c.Fine > 0:
		return fmt.Sprintf("from %s to %s, log-uniform above %s", format.Short(c.Min), format.Short(c.Max), format.Short(c.Fine))
	case c.Min > 0:
		return fmt.Sprintf("from %s to %s, log-uniform", format.Short(c.Min), format.Short(c.Max))
	}
	return fmt.Sprintf("from %s to %s, uniform", format.Short(c.Min), format.Short(c.Max))
}

// LinearPrior describes the prior of a parameter that is no coefficient. width is the standard deviation of a wide one,
// NaN if it is not known.
func LinearPrior(q *system.Parameter, width float64) string {
	mean, sd := q.Mean, q.SD
	if sd == 0 {
		mean, sd = 0, width
	}
	if math.IsNaN(sd) {
		return "found from a first solution"
	}
	if q.SD == 0 {
		return fmt.Sprintf("0 ± %.2g", sd) // its order of magnitude is what matters
	}
	return fmt.Sprintf("%s ± %s", format.Short(mean), format.Short(sd))
}

// Part returns the part of a problem that an error of a fit names, as spec.File.LineOf knows it; "" if it names none.
func Part(err error) string {
	var data *posterior.DataError
	var problem *system.ProblemError
	var setting *posterior.ConfigError
	switch {
	case errors.As(err, &data):
		return data.Where
	case errors.As(err, &problem):
		return problem.Where
	case errors.As(err, &setting):
		return setting.Setting
	}
	return ""
}

// Measures says what the sensors of group i measure.
func Measures(file *spec.File, i int) string {
	if text := file.SensorFiles[i].Measures; text != "" {
		return text
	}
	return Functional(file.Problem, &file.Problem.Sensors[i].Measures)
}

// NameReadings names the readings in the checks of a verdict by their files, lines and dates, instead of by the library's
// names of sensors.
func NameReadings(v *posterior.Verdict, file *spec.File) {
	for i := range v.Checks {
		for j := range file.SensorFiles {
			nameByFile(&v.Checks[i], file, j)
		}
		dateRegion(&v.Checks[i], file.Problem.Variables)
	}
}

// nameByFile replaces the library's names of sensors and of their readings by the
// name of the file, and its lines, with the dates of these.
func nameByFile(c *posterior.Check, file *spec.File, sensors int) {
	s := &file.SensorFiles[sensors]
	library := fmt.Sprintf("sensors %q", s.Name)
	if c.Kind == "reading" && strings.HasPrefix(c.Name, library+", reading ") {
		named := c.Name
		k, _ := strconv.Atoi(strings.TrimPrefix(c.Name, library+", reading "))
		if k >= 1 && k <= len(s.Lines) {
			name, line, sensor := s.Source(k - 1)
			if c.Name = fmt.Sprintf("%s, line %d", name, line); sensor != "" {
				c.Name += ", " + format.Sensor(sensor)
			}
			if dated := format.DatesOf(file.Problem.Variables); dated != nil {
				c.Name += " (" + dated.Clock.Date(file.Problem.Sensors[sensors].Points.At(k-1, dated.Of)) + ")"
			}
			c.Message = strings.ReplaceAll(c.Message, named, c.Name)
			if cure := MissingWould(file.Problem.Sensors[sensors].Values, k-1); cure != "" {
				c.Message = strings.Replace(c.Message, "? Leave it out, or", "? Leave it out, as "+cure+" does, or", 1)
			}
		}
		return
	}
	c.Message = strings.ReplaceAll(c.Message, library, s.Name)
	c.Name = strings.ReplaceAll(c.Name, library, s.Name)
}

// MissingWould says how a problem file leaves out reading k; "" where that may leave out good readings,
// too: its value is within the range of the other values.
func MissingWould(values []float64, k int) string {
	least, largest := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if v != values[k] {
			least, largest = math.Min(least, v), math.Max(largest, v)
		}
	}
	if v := values[k]; v < least || v > largest {
		return fmt.Sprintf("missing = [%.15g]", v)
	}
	return ""
}

// dateRegion puts the dates beside the times of a region that a check names.
func dateRegion(c *posterior.Check, variables []system.Variable) {
	dated := format.DatesOf(variables)
	if c.Kind != "region" && c.Kind != "layers" || dated == nil {
		return
	}
	before, rest, found := strings.Cut(c.Message, " "+variables[dated.Of].Name+" = ")
	ends, after, _ := strings.Cut(rest, ",")
	first, last, ranged := strings.Cut(ends, " to ")
	from, err1 := strconv.ParseFloat(first, 64)
	to, err2 := strconv.ParseFloat(last, 64)
	if !found || !ranged || err1 != nil || err2 != nil {
		return
	}
	if after != "" {
		after = "," + after
	}
	c.Message = fmt.Sprintf("%s %s = %s (%s)%s", before, variables[dated.Of].Name, ends, dated.Between(from, to), after)
}

// PriorOf returns the prior of parameter i, nil for a wide one.
func PriorOf(p *system.Problem, i int) *system.Coefficient {
	if i < len(p.Parameters) {
		if q := &p.Parameters[i]; q.SD > 0 {
			return &system.Coefficient{Name: q.Name, Mean: q.Mean, SD: q.SD}
		}
		return nil
	}
	if i -= len(p.Parameters); i < len(p.Coefficients) {
		return &p.Coefficients[i]
	}
	return nil
}
