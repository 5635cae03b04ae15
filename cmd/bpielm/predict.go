package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/cmd/internal/results"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/readings"
	"github.com/bpielm/bpielm/system/spec"
)

// predictCommand is `bpielm predict`.
type predictCommand struct {
	Model       string   `arg:"" help:"Model file, as solve --out writes it."`
	Points      string   `arg:"" optional:"" help:"CSV file with a column for each variable, in any order; further columns are ignored. - is standard input. With --times it has no column t, and may be left out if there is no other variable."`
	At          []string `sep:"none" placeholder:"PLACE" help:"Predict here instead, for example \"x=0.1, t=12\" or \"x=3mm, t=2 h\"; may be repeated."`
	Measures    []string `sep:"none" placeholder:"EXPRESSION" help:"Evaluate this instead of the fields: any expression of fields, derivatives, parameters, variables, and constants and tables of the problem file, for example \"-k*u_x\" or \"flux = -k*u_x\"; may be repeated."`
	Times       string   `placeholder:"FROM:TO:COUNT" help:"Predict a series at each point: at COUNT equidistant times t, both ends included. FROM and TO are numbers in the unit of t, or dates if t has a start."`
	Extrapolate bool     `help:"Answer outside the ranges of the variables, too, for example in the future. Nothing is known there but the equations; bands are often too narrow."`
	Out         string   `short:"o" placeholder:"FILE" help:"Write to this file instead of standard output; it appears when it is complete. A device or a named pipe is written to."`
	Predictive  bool     `help:"Add the sensors' noise: the uncertainty of a reading instead of the solution's."`

	taken    []string // in which units numbers of --at were taken
	anywhere bool     // all that is asked for is the same everywhere, and no place is given
}

// Help adds to the verb's usage text.
func (*predictCommand) Help() string {
	return `Prints a CSV table: the variables, then for each field its mean, standard deviation, and the ends of its 95 % interval. If a variable has a start, a last column has its date. Points, --at and --times may have dates, too. A number of --at may have a unit, which is converted to that of the variable; a line on standard error says in which unit a number without one was taken. The numbers describe the solution itself (latent); with --predictive they describe a reading of a sensor with the model's root mean square noise.

What is not linear in the unknowns, such as k*u_x with an inferred k, or u^2, is sampled: its columns are mean, standard deviation and quantiles of 2000 draws.

Of parameters alone, such as a/3600, the answer is the same everywhere: without points it is one row, without coordinates.

Cells of points outside the domain, or outside the ranges of the variables without --extrapolate, are empty; a warning counts them.

Examples:
  bpielm predict results/model.bpielm points.csv --out values.csv
  bpielm predict model.bpielm points.csv --measures "-0.6*T_x" --times 0:24:49
  bpielm predict results/model.bpielm points.csv --extrapolate
  bpielm predict model.bpielm --at "x=0.1, t=2024-05-02 06:00"
  bpielm predict model.bpielm --measures "a/3600"
  bpielm predict model.bpielm --at x=0.1 --times 2024-05-01:2024-05-08:8`
}

// Run executes the verb.
func (c *predictCommand) Run(io *streams) error {
	q, err := loadModel(c.Model)
	if err != nil {
		return err
	}
	definitions, err := spec.ReadDefinitions(q.Note(), q.Problem())
	if err != nil {
		return inFile(c.Model, &posterior.FileError{Why: err.Error()})
	}
	asked, err := c.questions(q, definitions)
	if err != nil {
		return err
	}
	c.anywhere = !c.placed() && len(asked) > 0 && !slices.ContainsFunc(asked, func(a question) bool { return !a.placeless })
	points, err := c.points(q.Variables())
	if err != nil {
		return err
	}
	if c.taken != nil {
		fmt.Fprintf(io.err, "bpielm: --at: %s\n", strings.Join(c.taken, ", "))
	}
	if err := io.checkMemory(c.source(), predictMemory(q, points, asked)); err != nil {
		return err
	}
	noise := 0.0
	if c.Predictive {
		summary := q.Summary()
		noise = summary.RootMeanSquareNoise()
		if !(noise >= 0) || math.IsInf(noise, 0) {
			return refuse("%s: --predictive: the model has no noise level (method %s)", c.Model, summary.Method)
		}
	}
	p := &prediction{q: q, definitions: definitions, points: points, extrapolate: c.Extrapolate, anywhere: c.anywhere}
	result, err := p.table(asked, noise)
	if err != nil {
		return inFile(c.source(), err)
	}
	for _, w := range p.warnings(asked) {
		fmt.Fprintf(io.err, "bpielm: warning: %s: %s\n", format.Printable(c.source()), w)
	}
	if c.Out == "" {
		return result.WriteCSV(io.out)
	}
	return results.WriteFile(c.Out, result.WriteCSV)
}

// source names where the points come from.
func (c *predictCommand) source() string {
	switch {
	case c.anywhere:
		return "--measures"
	case len(c.At) > 0:
		return "--at"
	case c.Points == "":
		return "--times"
	case c.Points == "-":
		return "standard input"
	}
	return c.Points
}

// placed reports whether a place or a time is given.
func (c *predictCommand) placed() bool { return c.Points != "" || len(c.At) > 0 || c.Times != "" }

// timeOf returns the variable of --times: t, or else the one that has a start; -1 if there is none.
func timeOf(variables []system.Variable) int {
	if t := slices.IndexFunc(variables, func(v system.Variable) bool { return v.Name == "t" }); t >= 0 {
		return t
	}
	return slices.IndexFunc(variables, func(v system.Variable) bool { return v.Start != "" })
}

// points reads the points, and repeats each of them at the times of a series.
func (c *predictCommand) points(variables []system.Variable) (*mat.Dense, error) {
	if c.anywhere { // any point will do
		middle := mat.NewDense(1, len(variables), nil)
		for d, v := range variables {
			middle.Set(0, d, v.At(0.5))
		}
		return middle, nil
	}
	given := c.Points != "" || len(c.At) > 0
	if c.Points != "" && len(c.At) > 0 {
		return nil, refuse("--at replaces %s: only one of them is possible", c.Points)
	}
	if c.Times == "" {
		if !given {
			return nil, refuse("a file of points is missing, or --at")
		}
		return c.read(variables)
	}
	time := timeOf(variables)
	if time < 0 {
		return nil, refuse("--times: the model has no variable t")
	}
	times, err := timesOf(c.Times, variables[time])
	if err != nil {
		return nil, err
	}
	others := slices.Delete(slices.Clone(variables), time, time+1)
	places := mat.NewDense(1, 0, nil)
	switch {
	case !given && len(others) > 0:
		return nil, refuse("a file of points is missing, with the variable %s, or --at", others[0].Name)
	case len(others) > 0:
		if places, err = c.read(others); err != nil {
			return nil, err
		}
	}
	if total := float64(places.Rows()) * float64(len(times)); total > mostPredictions {
		return nil, refuse("--times %s: at %s these are %.0f points; at most %d are possible", c.Times, format.Count(places.Rows(), "place"), total, mostPredictions)
	}
	all := mat.NewDense(places.Rows()*len(times), len(variables), nil)
	for k := range all.Rows() {
		row := append(slices.Clone(places.Row(k/len(times))), 0)
		copy(row[time+1:], row[time:])
		row[time] = times[k%len(times)]
		copy(all.Row(k), row)
	}
	return all, nil
}

// mostPredictions is the largest number of points of series.
const mostPredictions = 10_000_000

// read reads points in the given variables.
func (c *predictCommand) read(variables []system.Variable) (*mat.Dense, error) {
	switch {
	case len(c.At) > 0:
		points, bare, err := placesAt(c.At, variables)
		for _, d := range bare {
			c.taken = append(c.taken, fmt.Sprintf("%s is in %s", variables[d].Name, variables[d].Unit))
		}
		return points, err
	case c.Points == "-":
		return spec.ReadPointsFrom(os.Stdin, c.source(), variables)
	}
	return spec.ReadPoints(c.Points, variables)
}

// placesAt reads places such as x=0.1, t=12, each with a value for every variable. bare are the variables that have a unit,
// in the places or some of them not stated.
func placesAt(texts []string, variables []system.Variable) (points *mat.Dense, bare []int, err error) {
	points = mat.NewDense(len(texts), len(variables), nil)
	for i, text := range texts {
		wrong := func(message string, args ...any) error {
			return refuse("--at %s: %s", format.Clipped(format.Printable(text), 60), fmt.Sprintf(message, args...))
		}
		given := make([]bool, len(variables))
		for _, part := range strings.Split(text, ",") {
			name, value, found := strings.Cut(part, "=")
			name = strings.TrimSpace(name)
			d := slices.IndexFunc(variables, func(v system.Variable) bool { return v.Name == name })
			switch {
			case !found:
				return nil, nil, wrong("NAME=VALUE is expected, for each of %s", namesOf(variables))
			case d < 0:
				return nil, nil, wrong("%s is none of %s", format.Clipped(format.Printable(name), 40), namesOf(variables))
			case given[d]:
				return nil, nil, wrong("%s is given twice", name)
			}
			if strings.Contains(value, "=") {
				return nil, nil, wrong("write a comma between coordinates, as x=0.1, t=12")
			}
			x, unitless, err := spec.ParseCoordinate(strings.TrimSpace(value), variables[d])
			if err != nil {
				return nil, nil, wrong("%s: %s", name, err)
			}
			if unitless && !slices.Contains(bare, d) {
				bare = append(bare, d)
			}
			given[d] = true
			points.Set(i, d, x)
		}
		if d := slices.Index(given, false); d >= 0 {
			return nil, nil, wrong("%s is missing", variables[d].Name)
		}
	}
	return points, bare, nil
}

// namesOf joins the names of variables.
func namesOf(variables []system.Variable) string {
	var names []string
	for _, v := range variables {
		names = append(names, v.Name)
	}
	return strings.Join(names, ", ")
}

// timesOf reads FROM:TO:COUNT, times of a variable.
func timesOf(text string, of system.Variable) ([]float64, error) {
	expected, example := "numbers", "0:24:49"
	if of.Unit != "" {
		expected += " in " + of.Unit
	}
	if _, clock := readings.ClockOf([]system.Variable{of}); clock != nil {
		expected, example = expected+" since "+clock.Date(0)+", or dates", fmt.Sprintf("%s:%s:25", clock.Date(of.Min), clock.Date(of.Max))
	}
	wrong := refuse("--times %s: FROM:TO:COUNT is expected, %s, for example %s", format.Clipped(text, 40), expected, example)
	last := strings.LastIndexByte(text, ':')
	if last < 0 {
		return nil, wrong
	}
	from, to, ok := rangeOf(text[:last], of)
	count, err := strconv.Atoi(text[last+1:])
	if !ok || err != nil || !(from <= to) || math.IsInf(to-from, 0) || count < 1 || count > mostPredictions {
		return nil, wrong
	}
	times := make([]float64, count)
	for i := range times {
		times[i] = from
		if i > 0 {
			times[i] = from + float64((to-from)*(float64(i)/float64(count-1)))
		}
	}
	return times, nil
}

// rangeOf reads FROM:TO. A date has colons, too: of all colons, only one has a time on each side.
func rangeOf(text string, of system.Variable) (from, to float64, ok bool) {
	for i, c := range text {
		if c != ':' {
			continue
		}
		a, err1 := readings.Parse(text[:i], of)
		b, err2 := readings.Parse(text[i+1:], of)
		if err1 == nil && err2 == nil {
			if ok {
				return 0, 0, false
			}
			from, to, ok = a, b, true
		}
	}
	return from, to, ok
}

// A question is a column of answers.
type question struct {
	name       string
	functional system.Functional
	field      int  // -1: an expression
	sampled    bool // it is not linear in the unknowns
	placeless  bool // it is the same everywhere
}

// questions are the fields, or what --measures asks for.
func (c *predictCommand) questions(q *posterior.Posterior, definitions *spec.Definitions) ([]question, error) {
	var list []question
	if len(c.Measures) == 0 {
		for i, name := range q.Fields() {
			list = append(list, question{name, system.Field(i), i, false, false})
		}
		return list, nil
	}
	if c.Predictive {
		return nil, refuse("--predictive goes with fields, not with --measures: the model does not know the noise of such a sensor")
	}
	for _, text := range c.Measures {
		name, expression := strings.Join(strings.Fields(text), ""), text
		if before, after, found := strings.Cut(text, "="); found && isColumnName(strings.TrimSpace(before)) {
			name, expression = strings.TrimSpace(before), after
		}
		f, err := definitions.Measure(expression)
		if err != nil {
			hint := ""
			if q.Note() == "" {
				hint = " (this model does not hold the constants and tables of its problem file)"
			}
			return nil, refuse("%s: --measures: %s%s", c.Model, err, hint)
		}
		if slices.ContainsFunc(list, func(other question) bool { return other.name == name }) {
			return nil, refuse("--measures: %s is asked for twice", format.Clipped(name, 60))
		}
		list = append(list, question{name, f, -1, !q.IsLinear(&f), definitions.IsPlaceless(expression)})
	}
	return list, nil
}

// isColumnName reports whether a text is a name as in problem files.
func isColumnName(text string) bool {
	for i, r := range text {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return text != ""
}

// outsideBox says which of the points are outside the variables' ranges; "" if none.
func outsideBox(variables []system.Variable, points *mat.Dense) string {
	var rows []int
	for i := range points.Rows() {
		if beyondRanges(variables, points.Row(i)) {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return ""
	}
	return boxLeft(variables, points, rows)
}

// boxLeft says that rows are outside the model's box, and from when to when that is if dates are.
func boxLeft(variables []system.Variable, points *mat.Dense, rows []int) string {
	text := rowsAre(rows) + " outside the model's box"
	if d := format.DatesOf(variables); d != nil {
		of := variables[d.Of]
		if slices.ContainsFunc(rows, func(i int) bool { return of.Outside(points.At(i, d.Of)) }) {
			text += fmt.Sprintf(" (%s from %s)", of.Name, d.Between(of.Min, of.Max))
		}
	}
	return text
}

func beyondRanges(variables []system.Variable, x []float64) bool {
	for d, v := range variables {
		if v.Outside(x[d]) {
			return true
		}
	}
	return false
}

// rowsAre begins a sentence about rows of a table, of which it names the first.
func rowsAre(rows []int) string {
	if len(rows) == 1 {
		return fmt.Sprintf("row %d is", rows[0]+1)
	}
	return fmt.Sprintf("row %d and %s are", rows[0]+1, format.Count(len(rows)-1, "other"))
}
