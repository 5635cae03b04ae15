package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/bpielm/bpielm/cmd/internal/figure"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/cmd/internal/picture"
	"github.com/bpielm/bpielm/cmd/internal/results"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// placeCommand is `bpielm place`.
type placeCommand struct {
	Model      string  `arg:"" help:"Compiled physics, or a model as solve --out and assimilate --out write it."`
	Candidates string  `arg:"" help:"CSV file of possible places, with a column for each variable."`
	Count      int     `default:"1" help:"How many sensors to place."`
	Kind       string  `placeholder:"NAME" help:"Kind of sensor, one of those in the compiled physics; default: the first."`
	Field      string  `placeholder:"NAME" help:"Field that the sensors measure, and whose variance they are to lower; default: the first."`
	Sigma      float64 `help:"Noise of the sensors; default: that of the model."`
	Parameter  string  `placeholder:"NAME" help:"Lower the variance of this parameter instead of the solution's."`
	Over       string  `placeholder:"FILE" help:"CSV file of points over which the solution's variance is averaged; default: the domain (compiled physics) or the whole box."`
	Out        string  `short:"o" placeholder:"FILE" help:"Draw the uncertainty before and after into this file: .png, .svg or .pdf."`
	JSON       bool    `name:"json" help:"Print one JSON object instead of the table."`
}

// Help adds to the verb's usage text.
func (*placeCommand) Help() string {
	return `Each sensor goes where, given those before it, it lowers the mean variance of the solution most (or, with --parameter, that of a parameter). This needs no readings: the variances follow in closed form.

Example:
  bpielm place physics.bpielm candidates.csv --count 4 --out places.png`
}

// Run executes the verb.
func (c *placeCommand) Run(io *streams) error {
	p, err := c.read()
	if err != nil {
		return err
	}
	if err := io.checkMemory(c.Candidates, p.memory()); err != nil {
		return err
	}
	if p.Placements, err = p.Posterior.Place(p.Sensor, p.Candidates, c.Count, p.goal); err != nil {
		var data *posterior.DataError
		if errors.As(err, &data) && strings.HasSuffix(data.Where, "goal") {
			return inFile(cmp.Or(c.Over, c.Model), err)
		}
		return inFile(c.Candidates, err)
	}
	if c.Out != "" {
		drawn, err := p.Figure()
		if err != nil {
			return err
		}
		if err := results.WriteFile(c.Out, drawn.Writer(c.format())); err != nil {
			return err
		}
	}
	if c.JSON {
		return answerOf(c.Model, writeJSON(io.out, p.report(), "  "))
	}
	return p.page().writeTo(io.out)
}

// format is that of the picture: PNG, unless its name says otherwise.
func (c *placeCommand) format() figure.Format {
	if f, ok := figure.FormatOf(c.Out); ok {
		return f
	}
	return figure.PNG
}

// places is one run of the verb.
type places struct {
	picture.Places
	prior   *posterior.Prior // nil where the model is a posterior
	command *placeCommand
	goal    posterior.Query
}

func (c *placeCommand) read() (*places, error) {
	p := &places{command: c}
	err := readModel(c.Model, func(r io.Reader) (err error) {
		p.Posterior, p.prior, err = posterior.LoadAny(r)
		return err
	})
	if err != nil {
		return nil, err
	}
	definitions, err := spec.ReadDefinitions(p.Posterior.Note(), p.Posterior.Problem())
	if err != nil {
		return nil, inFile(c.Model, &posterior.FileError{Why: err.Error()})
	}
	p.Inside = func(x []float64) bool { return definitions.Holds(p.Field, x) }
	if p.Candidates, err = spec.ReadPoints(c.Candidates, p.Posterior.Variables()); err != nil {
		return nil, err
	}
	if outside := outsideBox(p.Posterior.Variables(), p.Candidates); outside != "" {
		return nil, refuse("%s: %s", c.Candidates, outside)
	}
	if c.Count < 1 || c.Count > p.Candidates.Rows() {
		return nil, refuse("--count %d: %s has %s", c.Count, c.Candidates, format.Count(p.Candidates.Rows(), "candidate"))
	}
	if c.Field != "" {
		if p.Field = slices.Index(p.Posterior.Fields(), c.Field); p.Field < 0 {
			return nil, refuse("--field %s: the model has %s", c.Field, strings.Join(p.Posterior.Fields(), ", "))
		}
	}
	if err := p.chooseSensor(); err != nil {
		return nil, err
	}
	return p, p.chooseGoal()
}

// chooseSensor decides what the new sensors measure, and how accurately.
func (p *places) chooseSensor() error {
	c := p.command
	summary := p.Posterior.Summary()
	p.Sensor = posterior.Sensor{Name: p.Posterior.Fields()[p.Field], Measures: system.Field(p.Field), Sigma: summary.RootMeanSquareNoise()}
	if p.prior != nil && c.Field == "" {
		if err := p.chooseKind(p.prior.Sensors()); err != nil {
			return err
		}
	} else if c.Kind != "" {
		return refuse("--kind is for compiled physics, without --field")
	}
	if c.Sigma != 0 {
		p.Sensor.Sigma = c.Sigma
	}
	if !(p.Sensor.Sigma > 0) || math.IsInf(p.Sensor.Sigma, 0) {
		return refuse("--sigma: a positive standard deviation is needed, found %g", p.Sensor.Sigma)
	}
	return nil
}

// chooseKind takes the kind of sensor that --kind names, or the first.
func (p *places) chooseKind(kinds []posterior.Sensor) error {
	if p.command.Kind == "" {
		if len(kinds) > 0 {
			p.Sensor = kinds[0]
		}
		return nil
	}
	var names []string
	found := false
	for _, k := range kinds {
		names = append(names, k.Name)
		if k.Name == p.command.Kind {
			p.Sensor, found = k, true
		}
	}
	if !found {
		return refuse("--kind %s: the model has %s", p.command.Kind, strings.Join(names, ", "))
	}
	return nil
}

// chooseGoal decides whose variance is to be lowered.
func (p *places) chooseGoal() (err error) {
	c := p.command
	if c.Parameter != "" {
		for i, e := range p.Posterior.Parameters() {
			if e.Name == c.Parameter {
				p.Goal = e.Name
				p.goal = posterior.Query{Functional: system.ParameterValue(i), Points: mat.NewDense(1, len(p.Posterior.Variables()), nil)}
				return nil
			}
		}
		return refuse("--parameter %s: the model has no such parameter", c.Parameter)
	}
	p.Goal = p.Posterior.Fields()[p.Field]
	p.goal.Functional = system.Field(p.Field)
	switch {
	case c.Over != "":
		p.goal.Points, err = spec.ReadPoints(c.Over, p.Posterior.Variables())
	case p.prior != nil:
		p.goal.Points = p.prior.Domain()
	default:
		p.goal.Points, err = system.Collocation(p.Posterior.Variables(), nil, 512, 1)
	}
	return err
}

// memory estimates what Place needs: the covariances of candidates with the goal, and
// the factors of both.
func (p *places) memory() memorySize {
	s := p.Posterior.Summary()
	candidates, goal, columns := float64(p.Candidates.Rows()), float64(p.goal.Points.Rows()), float64(s.Ensemble*(s.Columns+1))
	return memorySize(8 * (float64(candidates*goal) + float64(3*columns*(candidates+goal))))
}

func (p *places) page() *page {
	text := &page{}
	variables := p.Posterior.Variables()
	header := "sensor"
	for _, v := range variables {
		header += "\t" + v.Name
	}
	lines := []string{header + "\tsd of " + p.Goal + "\tvariance left"}
	row := "none"
	for range variables {
		row += "\t"
	}
	lines = append(lines, fmt.Sprintf("%s\t%s\t100 %%", row, format.Short(p.SD(0))))
	for i, e := range p.Placements {
		row := fmt.Sprint(i + 1)
		for _, x := range p.Candidates.Row(e.Candidate) {
			row += "\t" + format.Short(x)
		}
		lines = append(lines, fmt.Sprintf("%s\t%s\t%.3g %%", row, format.Short(p.SD(i+1)), 100*e.After/p.Placements[0].Before))
	}
	what := "root mean square over the domain"
	if p.command.Parameter != "" {
		what = "the parameter's"
	}
	text.section(fmt.Sprintf("Places of %s (%s, sigma %s); sd: %s", format.Count(len(p.Placements), "sensor"), p.Sensor.Name, format.Short(p.Sensor.Sigma), what), lines...)
	if p.command.Out != "" {
		text.section("Written", p.command.Out)
	}
	return text
}

// placesReport is what --json prints.
type placesReport struct {
	Goal    string        `json:"goal"`
	Sigma   float64       `json:"sigma"`
	Sensors []placeReport `json:"sensors"`
}

type placeReport struct {
	Candidate int                `json:"candidate"` // data row of the file, from 1
	At        map[string]float64 `json:"at"`
	Before    float64            `json:"variance_before"`
	After     float64            `json:"variance_after"`
}

func (p *places) report() placesReport {
	r := placesReport{Goal: p.Goal, Sigma: p.Sensor.Sigma}
	for _, e := range p.Placements {
		at := map[string]float64{}
		for d, v := range p.Posterior.Variables() {
			at[v.Name] = p.Candidates.At(e.Candidate, d)
		}
		r.Sensors = append(r.Sensors, placeReport{e.Candidate + 1, at, e.Before, e.After})
	}
	return r
}
