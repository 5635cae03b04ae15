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
	"github.com/bpielm/bpielm/system/spec"
)

// predictCommand is `bpielm predict`.
type predictCommand struct {
	Model       string   `arg:"" help:"Model file, as solve --out writes it."`
	Points      string   `arg:"" optional:"" help:"CSV file with a column for each variable, in any order; further columns are ignored. - is standard input. With --times it has no column t, and may be left out if there is no other variable."`
	Measures    []string `sep:"none" placeholder:"EXPRESSION" help:"Evaluate this instead of the fields: any expression of fields, derivatives, parameters, variables, and constants and tables of the problem file, for example \"-k*u_x\" or \"flux = -k*u_x\"; may be repeated."`
	Times       string   `placeholder:"FROM:TO:COUNT" help:"Predict a series at each point: at COUNT equidistant times t, both ends included. FROM and TO are numbers in the unit of t, also where t has a start."`
	Extrapolate bool     `help:"Answer outside the ranges of the variables, too, for example in the future. Nothing is known there but the equations; bands are often too narrow."`
	Out         string   `short:"o" placeholder:"FILE" help:"Write to this file instead of standard output; it appears when it is complete. A device or a named pipe is written to."`
	Predictive  bool     `help:"Add the sensors' noise: the uncertainty of a reading instead of the solution's."`
}

// Help adds to the verb's usage text.
func (*predictCommand) Help() string {
	return `Prints a CSV table: the variables, then for each field its mean, standard deviation, and the ends of its 95 % interval. These describe the solution itself (latent); with --predictive they describe a reading of a sensor with the model's root mean square noise.

What is not linear in the unknowns, such as k*u_x with an inferred k, or u^2, is sampled: its columns are mean, standard deviation and quantiles of 2000 draws.

Cells of points outside the domain, or outside the ranges of the variables without --extrapolate, are empty; a warning counts them.

Examples:
  bpielm predict results/model.bpielm points.csv --out values.csv
  bpielm predict model.bpielm points.csv --measures "-0.6*T_x" --times 0:24:49
  bpielm predict results/model.bpielm points.csv --extrapolate`
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
	points, err := c.points(q.Variables())
	if err != nil {
		return err
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
	p := &prediction{q: q, definitions: definitions, points: points, extrapolate: c.Extrapolate}
	result, err := p.table(asked, noise)
	if err != nil {
		return inFile(c.source(), err)
	}
	for _, w := range p.warnings(asked) {
		fmt.Fprintf(io.err, "bpielm: warning: %s: %s\n", printable(c.source()), w)
	}
	if c.Out == "" {
		return result.writeCSV(io.out)
	}
	return results.WriteFile(c.Out, result.writeCSV)
}

// source names where the points come from.
func (c *predictCommand) source() string {
	switch c.Points {
	case "":
		return "--times"
	case "-":
		return "standard input"
	}
	return c.Points
}

// timeVariable is the name of the variable of --times.
const timeVariable = "t"

// points reads the points, and repeats each of them at the times of a series.
func (c *predictCommand) points(variables []system.Variable) (*mat.Dense, error) {
	if c.Times == "" {
		if c.Points == "" {
			return nil, refuse("a file of points is missing")
		}
		return c.read(variables)
	}
	time := slices.IndexFunc(variables, func(v system.Variable) bool { return v.Name == timeVariable })
	if time < 0 {
		return nil, refuse("--times: the model has no variable %s", timeVariable)
	}
	times, err := timesOf(c.Times, variables[time])
	if err != nil {
		return nil, err
	}
	others := slices.Delete(slices.Clone(variables), time, time+1)
	places := mat.NewDense(1, 0, nil)
	switch {
	case c.Points == "" && len(others) > 0:
		return nil, refuse("a file of points is missing, with the variable %s", others[0].Name)
	case c.Points != "" && len(others) > 0:
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
	if c.Points == "-" {
		return spec.ReadPointsFrom(os.Stdin, c.source(), variables)
	}
	return spec.ReadPoints(c.Points, variables)
}

// timesOf reads FROM:TO:COUNT, times of a variable.
func timesOf(text string, of system.Variable) ([]float64, error) {
	parts := strings.Split(text, ":")
	unit := ""
	if of.Unit != "" {
		unit = " in " + of.Unit
	}
	if of.Start != "" {
		unit += " since " + of.Start // a date has colons, too
	}
	wrong := refuse("--times %s: FROM:TO:COUNT is expected, numbers%s, for example 0:24:49", clipped(text, 40), unit)
	if len(parts) != 3 {
		return nil, wrong
	}
	from, err1 := strconv.ParseFloat(parts[0], 64)
	to, err2 := strconv.ParseFloat(parts[1], 64)
	count, err3 := strconv.Atoi(parts[2])
	if err1 != nil || err2 != nil || err3 != nil || !(from <= to) || math.IsInf(to-from, 0) || count < 1 || count > mostPredictions {
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

// A question is a column of answers.
type question struct {
	name       string
	functional system.Functional
	field      int  // -1: an expression
	sampled    bool // it is not linear in the unknowns
}

// questions are the fields, or what --measures asks for.
func (c *predictCommand) questions(q *posterior.Posterior, definitions *spec.Definitions) ([]question, error) {
	var list []question
	if len(c.Measures) == 0 {
		for i, name := range q.Fields() {
			list = append(list, question{name, system.Field(i), i, false})
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
			return nil, refuse("--measures: %s is asked for twice", clipped(name, 60))
		}
		list = append(list, question{name, f, -1, !q.IsLinear(&f)})
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
	return rowsAre(rows) + " outside the model's box"
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
