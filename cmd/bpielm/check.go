package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/bpielm/bpielm"
	"github.com/bpielm/bpielm/cmd/internal/describe"
	"github.com/bpielm/bpielm/cmd/internal/findings"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// checkCommand is `bpielm check`.
type checkCommand struct {
	problemFlags
	JSON bool `name:"json" help:"Print one JSON object instead: the problem as in summary.json of solve."`
}

// Help adds to the verb's usage text.
func (*checkCommand) Help() string {
	return `Prints what was understood: variables, domain, equations as linear terms, every sensor with the number, the range and the times of its readings, the first readings of each file, what of the files is not used, features. It solves nothing.

It remarks on terms of an equation that are in different units, if the file states the units of all that stands in them, and on readings that are far from those of the same sensor just before and after.

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
	file.Remarks = append(file.Remarks, spikes(file)...)
	if c.JSON {
		return findings.WriteJSON(io.out, checkedReport{file.Title, describeProblem(file)}, "  ")
	}
	p := &page{}
	p.section(title(file), placeLines(file)...)
	p.section("Equations", describe.Equations(file.Problem)...)
	widths, err := posterior.WidePriors(file.Problem)
	if err != nil {
		return inProblem(file, err)
	}
	p.section("Parameters", priorLines(file, widths)...)
	p.section("Sensors", sensorLines(file)...)
	for i := range file.SensorFiles {
		heading, lines := sensorTable(file, i)
		p.section(heading, lines...)
	}
	p.section("First readings, as understood", readingLines(file)...)
	p.section("Not used", unusedLines(file)...)
	p.section("Fit", settingLines(file)...)
	p.section("Remarks", append(remarks(file), unitLines(file)...)...)
	return p.writeTo(io.out)
}

// checkedReport is what --json prints.
type checkedReport struct {
	Title   string        `json:"title,omitempty"`
	Problem problemReport `json:"problem"`
}

// remarks are what looks wrong in the file and may be right.
func remarks(file *spec.File) (lines []string) {
	for _, r := range file.Remarks {
		lines = append(lines, r.Error())
	}
	return lines
}

// unitLines say of which equations the units agree, and which could not be compared, and why. Those of which there is a
// remark are in neither.
func unitLines(file *spec.File) (lines []string) {
	var agree []string
	for _, c := range file.Units {
		switch {
		case c.Agree:
			agree = append(agree, c.Where)
		case len(c.Missing) > 0:
			lines = append(lines, fmt.Sprintf("units: %s is not compared, since %s", c.Where, unitless(c.Missing)))
		}
	}
	if len(agree) > 0 {
		lines = append([]string{"units: the terms of " + someOf(agree) + " agree"}, lines...)
	}
	if more := len(lines) - mostNames; more > 1 {
		lines = append(lines[:mostNames], fmt.Sprintf("units: %d more are not compared", more))
	}
	return lines
}

// unitless says why the units of what has these names are not known.
func unitless(missing []string) string {
	var names, numbers, texts []string
	function := ""
	for _, name := range missing {
		switch {
		case name == "a function":
			function = "the unit of a function is not known"
		case name[0] == '"':
			texts = append(texts, name)
		case name[0] >= '0' && name[0] <= '9' || name[0] == '-' || name[0] == '(':
			numbers = append(numbers, name)
		default:
			names = append(names, name)
		}
	}
	var parts []string
	add := func(list []string, one, several string) {
		if len(list) == 1 {
			parts = append(parts, list[0]+one)
		} else if len(list) > 1 {
			last := len(list) - 1
			parts = append(parts, strings.Join(list[:last], ", ")+" and "+list[last]+several)
		}
	}
	add(names, " has no unit", " have none")
	add(texts, " is no unit that is known", " are no units that are known")
	add(numbers, " may have a unit", " may have units")
	if function != "" {
		parts = append(parts, function)
	}
	return strings.Join(parts, ", and ")
}

func placeLines(file *spec.File) []string {
	p := file.Problem
	var lines []string
	for i, v := range p.Variables {
		label := ""
		if i == 0 {
			label = "variables"
		}
		period := until(v)
		v.Start = since(v)
		lines = append(lines, label+"\t"+v.String()+period)
	}
	return append(lines, "domain\t"+domainText(file), "fields\t"+strings.Join(fieldTexts(file), ", "))
}

// since is the start of a variable as all other dates are written, or as it stands if none follow from it.
func since(v system.Variable) string {
	if d := format.DatesOf([]system.Variable{v}); d != nil {
		return d.Clock.Date(0)
	}
	return v.Start
}

// until ends the description of a variable with the date at which its range ends; it is empty if it has none.
func until(v system.Variable) string {
	d := format.DatesOf([]system.Variable{v})
	switch {
	case d == nil:
		return ""
	case v.Min != 0: // then it does not begin at its start
		return ", from " + d.Between(v.Min, v.Max)
	}
	return ", until " + d.Clock.Date(v.Max)
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

// priorLines shows the priors of parameters. widths are the standard deviations of wide ones.
func priorLines(file *spec.File, widths []float64) []string {
	var lines []string
	p := file.Problem
	name := func(name string) string { return name + describedBy(file.Quantities[name]) }
	for i := range p.Parameters {
		prior := "prior "
		if p.Parameters[i].SD == 0 {
			prior = "wide prior, "
		}
		prior += describe.LinearPrior(&p.Parameters[i], widths[i])
		if p.Parameters[i].SD == 0 && len(p.Coefficients) == 0 && !math.IsNaN(widths[i]) {
			prior += " before a first solution tells the sizes of terms"
		}
		lines = append(lines, name(p.Parameters[i].Name)+"\t"+prior)
	}
	for i := range p.Coefficients {
		prior := describe.Prior(&p.Coefficients[i])
		if !strings.HasPrefix(prior, "from ") {
			prior = ", prior " + prior
		} else {
			prior = " " + prior
		}
		lines = append(lines, name(p.Coefficients[i].Name)+"\tcoefficient"+prior)
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
		lines = append(lines, fmt.Sprintf("%s\t%s of %s\t%s", file.SensorFiles[i].Name, format.Count(len(s.Values), "reading"), describe.Measures(file, i), sigma))
	}
	return lines
}

// periodOf is that of the readings of group i, as dates; it is empty if the time has no start.
func periodOf(p *system.Problem, i int) string {
	d, points := format.DatesOf(p.Variables), p.Sensors[i].Points
	if d == nil || points.Rows() == 0 {
		return ""
	}
	first, last := points.At(0, d.Of), points.At(0, d.Of)
	for k := range points.Rows() {
		first, last = math.Min(first, points.At(k, d.Of)), math.Max(last, points.At(k, d.Of))
	}
	return d.Between(first, last)
}

func settingLines(file *spec.File) []string {
	orAuto := func(v float64) string {
		if v == 0 {
			return "auto"
		}
		return format.Short(v)
	}
	lines := []string{
		fmt.Sprintf("features\t%s, scale %s, %s draw, seed %d", neuronsText(file), scaleText(file), file.Features.Draw, file.Features.Seed),
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

// neuronsText says how large the layers are, and into how many patches the domain is cut.
func neuronsText(file *spec.File) string {
	f := &file.Features
	if f.Patches == nil {
		return neuronsOrAuto(f.Neurons)
	}
	n := f.Neurons
	if n == 0 {
		n = system.NeuronsOfPatch(len(file.Problem.Variables))
	}
	return fmt.Sprintf("%s patches of %s", format.Grid(f.Patches), format.Count(n, "neuron"))
}

// neuronsOrAuto says how large the layers are. 0 means that the fit chooses.
func neuronsOrAuto(n int) string {
	if n == 0 {
		return "as many neurons as needed"
	}
	return format.Count(n, "neuron")
}
