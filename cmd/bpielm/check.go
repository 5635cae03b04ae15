package main

import (
	"fmt"
	"strings"

	"github.com/bpielm/bpielm"
	"github.com/bpielm/bpielm/cmd/internal/describe"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// checkCommand is `bpielm check`.
type checkCommand struct {
	problemFlags
}

// Help adds to the verb's usage text.
func (*checkCommand) Help() string {
	return `Prints what was understood: variables, domain, equations as linear terms, sensors with their first readings, features. It solves nothing.

Example:
  bpielm check problem.toml`
}

// Run executes the verb.
func (c *checkCommand) Run(io *streams) error {
	file, err := c.read(io)
	if err != nil {
		return err
	}
	if _, err := bpielm.Config(file); err != nil {
		return err
	}
	if err := file.Problem.Validate(); err != nil {
		return inProblem(file, err)
	}
	if file.Problem, err = posterior.Ranged(file.Problem); err != nil {
		return inProblem(file, err)
	}
	p := &page{}
	p.section(title(file), placeLines(file)...)
	p.section("Equations", describe.Equations(file.Problem)...)
	p.section("Parameters", priorLines(file)...)
	p.section("Sensors", sensorLines(file)...)
	p.section("First readings, as understood", readingLines(file)...)
	p.section("Fit", settingLines(file)...)
	return p.writeTo(io.out)
}

func placeLines(file *spec.File) []string {
	p := file.Problem
	var lines []string
	for i, v := range p.Variables {
		label := ""
		if i == 0 {
			label = "variables"
		}
		lines = append(lines, label+"\t"+v.String())
	}
	return append(lines, "domain\t"+domainText(file), "fields\t"+strings.Join(fieldTexts(file), ", "))
}

// domainText describes the domain.
func domainText(file *spec.File) string {
	switch d := file.Problem.Domain.(type) {
	case nil:
		return "the whole box"
	case *system.Curve:
		return fmt.Sprintf("inside a closed curve of length %s", format.Short(d.Length()))
	case *system.Ball:
		return "inside a sphere"
	case *system.Implicit:
		return "part of the box, given by inequalities"
	case system.Shape:
		if file.Shape != "" {
			return file.Shape
		}
		return "a composed shape"
	}
	return "part of the box, which changes in time"
}

// fieldTexts names the fields, those of fewer variables with these: q(t).
func fieldTexts(file *spec.File) []string {
	p := file.Problem
	fields := make([]string, len(p.Fields))
	for i, name := range p.Fields {
		var of []string
		for d, v := range p.Variables {
			if p.DependsOn(i, d) {
				of = append(of, v.Name)
			}
		}
		if fields[i] = name; len(of) < len(p.Variables) {
			fields[i] += "(" + strings.Join(of, ", ") + ")"
		}
		fields[i] += describedBy(file.Quantities[name])
	}
	return fields
}

func priorLines(file *spec.File) []string {
	var lines []string
	p := file.Problem
	name := func(name string) string { return name + describedBy(file.Quantities[name]) }
	for _, q := range p.Parameters {
		prior := "wide prior"
		if q.SD > 0 {
			prior = fmt.Sprintf("prior %s ± %s", format.Short(q.Mean), format.Short(q.SD))
		}
		lines = append(lines, name(q.Name)+"\t"+prior)
	}
	for i := range p.Coefficients {
		lines = append(lines, name(p.Coefficients[i].Name)+"\t"+coefficientPrior(&p.Coefficients[i]))
	}
	return lines
}

// describedBy writes the label and the unit of a quantity after its name.
func describedBy(q spec.Quantity) string {
	switch {
	case q.Label != "" && q.Unit != "":
		return ", " + q.Label + " (" + q.Unit + ")"
	case q.Label != "":
		return ", " + q.Label
	}
	return q.InParentheses()
}

// coefficientPrior describes the prior of a coefficient.
func coefficientPrior(c *system.Coefficient) string {
	switch {
	case c.SD > 0:
		return fmt.Sprintf("coefficient, prior %s ± %s", format.Short(c.Mean), format.Short(c.SD))
	case c.Median > 0:
		return fmt.Sprintf("coefficient, prior median %s, two thirds of it from %s to %s", format.Short(c.Median), format.Short(c.Median/c.Factor), format.Short(c.Median*c.Factor))
	case c.Fine > 0:
		return fmt.Sprintf("coefficient from %s to %s, log-uniform above %s", format.Short(c.Min), format.Short(c.Max), format.Short(c.Fine))
	case c.Min > 0:
		return fmt.Sprintf("coefficient from %s to %s, log-uniform", format.Short(c.Min), format.Short(c.Max))
	}
	return fmt.Sprintf("coefficient from %s to %s, uniform", format.Short(c.Min), format.Short(c.Max))
}

func sensorLines(file *spec.File) []string {
	var lines []string
	for i := range file.Problem.Sensors {
		s := &file.Problem.Sensors[i]
		sigma := "sigma is learned"
		switch len(s.Sigma) {
		case 0:
		case 1:
			sigma = "sigma " + format.Short(s.Sigma[0])
		default:
			sigma = "sigma of each reading"
		}
		if s.Student {
			sigma += ", Student's t noise"
		}
		if s.Group != "" {
			sigma += ", noise of group " + s.Group
		}
		lines = append(lines, fmt.Sprintf("%s\t%s of %s\t%s", file.SensorFiles[i].Name, format.Count(len(s.Values), "reading"), measures(file, i), sigma))
	}
	return lines
}

// measures says what the sensors of group i measure.
func measures(file *spec.File, i int) string {
	if text := file.SensorFiles[i].Measures; text != "" {
		return text
	}
	return describe.Functional(file.Problem, &file.Problem.Sensors[i].Measures)
}

func settingLines(file *spec.File) []string {
	orAuto := func(v float64) string {
		if v == 0 {
			return "auto"
		}
		return format.Short(v)
	}
	lines := []string{
		fmt.Sprintf("features\t%s, scale %s, %s draw, seed %d", neuronsOrAuto(file.Features.Neurons), scaleText(file), file.Features.Draw, file.Features.Seed),
		fmt.Sprintf("method\t%s, path %s, tolerance %s", file.Fit.Method, file.Fit.Path, orAuto(file.Fit.Tolerance)),
		"output\tgrid " + format.Grid(file.Output.Grid),
	}
	for i, exact := range file.Output.Exact {
		if exact != nil {
			lines = append(lines, "\texact solution of "+file.Problem.Fields[i]+" is given")
		}
	}
	return lines
}

// scaleText describes the neurons' scale.
func scaleText(file *spec.File) string {
	switch scale := file.Features.Scale; len(scale) {
	case 0:
		return "auto"
	case 1:
		return format.Short(scale[0])
	default:
		var each []string
		for i, v := range file.Problem.Variables {
			each = append(each, format.Short(scale[i])+" in "+v.Name)
		}
		return strings.Join(each, " and ")
	}
}

// neuronsOrAuto says how large the layers are. 0 means that the fit chooses.
func neuronsOrAuto(n int) string {
	if n == 0 {
		return "as many neurons as needed"
	}
	return format.Count(n, "neuron")
}
