package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bpielm/bpielm/cmd/internal/figure"
	"github.com/bpielm/bpielm/cmd/internal/findings"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/cmd/internal/picture"
	"github.com/bpielm/bpielm/cmd/internal/results"
	"github.com/bpielm/bpielm/cmd/internal/solution"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// placeCommand is `bpielm place`.
type placeCommand struct {
	Model      string   `arg:"" help:"Compiled physics, or a model as solve --out and assimilate --out write it."`
	Candidates string   `arg:"" help:"CSV file of possible places, with a column for each variable."`
	Count      int      `default:"1" help:"How many sensors to place."`
	Kind       string   `placeholder:"NAME" help:"Kind of sensor, one of those in the compiled physics; default: the first."`
	Field      string   `placeholder:"NAME" help:"Field that the sensors measure, and whose variance they are to lower; default: the first."`
	Sigma      *float64 `help:"Noise of the sensors; default: that of the model."`
	Parameter  string   `placeholder:"NAME" help:"Lower the variance of this parameter instead of the solution's."`
	Over       string   `placeholder:"FILE" help:"CSV file of points over which the solution's variance is averaged; default: the domain."`
	Out        string   `short:"o" placeholder:"FILE" help:"Write into this file: the gain of every candidate if it is a .csv, else a picture (.png, .svg or .pdf). In a folder that exists, or if it ends with /: places.csv and places.png."`
	JSON       bool     `name:"json" help:"Print one JSON object instead of the table, with the gain of every candidate."`
}

// Help adds to the verb's usage text.
func (*placeCommand) Help() string {
	return `Each sensor goes where, given those before it, it lowers the mean variance of the solution most (or, with --parameter, that of a parameter). This needs no readings: the variances follow in closed form.

The gain of a candidate is by how much the standard deviation (sd) would fall if one sensor were put there and nowhere else: the sd today less the sd then, in the unit of the solution (or of the parameter). The sd of a solution is its root mean square over the domain. If today's is 0.30 K, a gain of 0.10 means 0.20 K with that sensor. A gain far below the sd everywhere means that one more sensor hardly helps. Two good candidates next to each other see the same thing: once one is chosen, the other gains little. So the second sensor is often not the candidate of the second largest gain.

Candidates outside the domain's shape are left out.

Columns of the .csv: the variables; sd_before, today; sd_alone, with one sensor there; gain, their difference; rank, 1 for the first sensor chosen, empty for candidates that were not; sd_together, with the sensors up to that rank.

Example:
  bpielm place out/model.bpielm candidates.csv --count 4 --out out/`
}

// Run executes the verb.
func (c *placeCommand) Run(io *streams) error {
	if err := c.keepInputs(); err != nil {
		return err
	}
	p, err := c.read()
	if err != nil {
		return err
	}
	if err := io.checkMemory(c.Candidates, p.memory()); err != nil {
		return err
	}
	if p.Placements, p.Alone, err = p.Posterior.PlaceAndCompare(p.Sensor, p.Candidates, c.Count, p.goal); err != nil {
		var data *posterior.DataError
		if errors.As(err, &data) && strings.HasSuffix(data.Where, "goal") {
			return inFile(cmp.Or(c.Over, c.Model), err)
		}
		return inFile(c.Candidates, err)
	}
	if len(p.outside) > 0 {
		fmt.Fprintf(io.err, "bpielm: warning: %s: %s outside the domain; no sensor is put there\n", format.Printable(c.Candidates), rowsAre(p.outside))
	}
	written, err := p.write()
	if err != nil {
		return err
	}
	if c.JSON {
		return answerOf(c.Model, findings.WriteJSON(io.out, p.report(), "  "))
	}
	return p.page(written).writeTo(io.out)
}

// The files in a folder of --out. The first is not called candidates.csv, as the file that is
// read may be.
const (
	placesTable   = "places.csv"
	placesPicture = "places.png"
)

// write writes what --out asks for, and returns the paths.
func (p *places) write() (written []string, err error) {
	c := p.command
	switch {
	case c.Out == "":
		return nil, nil
	case isFolder(c.Out):
		return p.writeFolder()
	}
	fill := p.table().WriteCSV
	if !strings.EqualFold(filepath.Ext(c.Out), ".csv") {
		drawn, err := p.Figure()
		if err != nil {
			return nil, err
		}
		fill = drawn.Writer(c.format())
	}
	return []string{c.Out}, results.WriteFile(c.Out, fill)
}

// writeFolder writes table and picture.
func (p *places) writeFolder() ([]string, error) {
	drawn, err := p.Figure()
	if err != nil {
		return nil, err
	}
	folder, err := results.Open(p.command.Out)
	if err != nil {
		return nil, err
	}
	defer folder.Discard()
	if err := folder.Write(placesTable, p.table().WriteCSV); err != nil {
		return nil, err
	}
	if err := folder.Write(placesPicture, drawn.Writer(figure.PNG)); err != nil {
		return nil, err
	}
	return folder.Commit()
}

// keepInputs refuses to write over a file that is read.
func (c *placeCommand) keepInputs() error {
	written := []string{c.Out}
	switch {
	case c.Out == "":
		return nil
	case isFolder(c.Out):
		written = []string{filepath.Join(c.Out, placesTable), filepath.Join(c.Out, placesPicture)}
	}
	for _, path := range written {
		for _, input := range []string{c.Model, c.Candidates, c.Over} {
			if input != "" && sameFile(path, input) {
				return refuse("--out %s: %s is one of the files that are read", c.Out, path)
			}
		}
	}
	return nil
}

// isFolder tells whether a path is a folder, or is meant to become one.
func isFolder(path string) bool {
	if strings.HasSuffix(path, "/") || os.IsPathSeparator(path[len(path)-1]) {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// sameFile tells whether two paths are one file.
func sameFile(a, b string) bool {
	of, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(of, other)
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
	picture.Places                  // of the candidates in the domain
	all            *mat.Dense       // candidates of the file
	rows           []int            // of those in the domain, from 0
	outside        []int            // of the others
	prior          *posterior.Prior // nil where the model is a posterior
	command        *placeCommand
	goal           posterior.Query
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
	if p.Known, err = spec.ReadDefinitions(p.Posterior.Note(), p.Posterior.Problem()); err != nil {
		return nil, inFile(c.Model, &posterior.FileError{Why: err.Error()})
	}
	if p.prior != nil {
		p.Known.Sensors = nil // their readings are not in it
	}
	if p.all, err = spec.ReadPoints(c.Candidates, p.Posterior.Variables()); err != nil {
		return nil, err
	}
	if outside := outsideBox(p.Posterior.Variables(), p.all); outside != "" {
		return nil, refuse("%s: %s", c.Candidates, outside)
	}
	if p.leaveOutside(); c.Count < 1 || c.Count > p.Candidates.Rows() {
		where := ""
		if len(p.outside) > 0 {
			where = " in the domain"
		}
		return nil, refuse("--count %d: %s has %s%s", c.Count, c.Candidates, format.Count(p.Candidates.Rows(), "candidate"), where)
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
	if c.Sigma != nil {
		p.Sensor.Sigma = *c.Sigma
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
		p.goal.Points, err = p.domain()
	}
	return err
}

// domain returns points that fill the part of the box in which the field is defined.
func (p *places) domain() (*mat.Dense, error) {
	const count, fewest = 512, 64
	points, err := system.Collocation(p.Posterior.Variables(), p.Known.Domain, count, 1)
	if err != nil {
		return nil, err
	}
	inside := mat.NewDense(points.Rows(), points.Cols(), nil)
	n := 0
	for i := range points.Rows() {
		if x := points.Row(i); p.Known.Holds(p.Field, x) {
			copy(inside.Row(n), x)
			n++
		}
	}
	if n < fewest { // the field is defined in a sliver
		return points, nil
	}
	return inside.Slice(0, n, 0, points.Cols()), nil
}

// leaveOutside leaves out candidates that are outside the domain's shape.
func (p *places) leaveOutside() {
	for i := range p.all.Rows() {
		if system.Near(p.Known.Domain, p.Posterior.Variables(), p.all.Row(i)) {
			p.rows = append(p.rows, i)
		} else {
			p.outside = append(p.outside, i)
		}
	}
	p.Candidates = mat.NewDense(len(p.rows), p.all.Cols(), nil)
	for k, i := range p.rows {
		copy(p.Candidates.Row(k), p.all.Row(i))
	}
}

// memory estimates what Place needs: the covariances of candidates with the goal, and
// the factors of both.
func (p *places) memory() memorySize {
	s := p.Posterior.Summary()
	candidates, goal, columns := float64(p.Candidates.Rows()), float64(p.goal.Points.Rows()), float64(s.Ensemble*(s.Columns+1))
	return memorySize(8 * (float64(candidates*goal) + float64(3*columns*(candidates+goal))))
}

func (p *places) page(written []string) *page {
	text := &page{}
	variables, write := p.Posterior.Variables(), p.coordinates()
	header, row := "sensor", "none"
	for _, v := range variables {
		header += "\t" + v.Name
		row += "\t"
	}
	dated := format.DatesOf(variables)
	if dated != nil {
		header += "\t" + dated.Name
		row += "\t"
	}
	lines := []string{header + "\tsd of " + p.Goal + "\tvariance left", fmt.Sprintf("%s\t%s\t100 %%", row, format.Short(p.SD(0)))}
	for i, e := range p.Placements {
		row := fmt.Sprint(i + 1)
		for d, x := range p.Candidates.Row(e.Candidate) {
			row += "\t" + write[d](x)
		}
		if dated != nil {
			row += "\t" + dated.Clock.Date(p.Candidates.At(e.Candidate, dated.Of))
		}
		lines = append(lines, fmt.Sprintf("%s\t%s\t%.3g %%", row, format.Short(p.SD(i+1)), 100*e.After/p.Placements[0].Before))
	}
	what := "root mean square over the domain"
	if p.command.Parameter != "" {
		what = "the parameter's"
	}
	if unit := p.Known.Quantities[p.Goal].Unit; unit != "" {
		what += ", in " + unit
	}
	text.section(fmt.Sprintf("Places of %s (%s, sigma %s); sd: %s", format.Count(len(p.Placements), "sensor"), p.Sensor.Name, format.Short(p.Sensor.Sigma), what), lines...)
	text.section(fmt.Sprintf("Gain of one sensor alone: sd today less sd with it, of %s", format.Count(p.Candidates.Rows(), "candidate")), p.gainLines()...)
	if p.prior == nil && p.Known.Sensors == nil && len(written) > 0 {
		text.section("Notes", "the model does not say where its sensors are, so pictures do not show them")
	}
	text.section("Written", written...)
	return text
}

// coordinates returns for each variable how its values are written, so that they tell the candidates apart.
func (p *places) coordinates() (write []func(float64) string) {
	for d := range p.Candidates.Cols() {
		values := make([]float64, p.Candidates.Rows())
		for i := range values {
			values[i] = p.Candidates.At(i, d)
		}
		write = append(write, format.Separating(values))
	}
	return write
}

// mostGains is how many candidates have a line.
const mostGains = 12

// gainLines list candidates by their gain, the best first, and of many the best, with the median and the worst of all.
func (p *places) gainLines() []string {
	order := make([]int, p.Candidates.Rows())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p.Gain(j), p.Gain(i)) })
	n, write := len(order), p.coordinates()
	shown := order[:min(n, mostGains)]
	dated := format.DatesOf(p.Posterior.Variables())
	header := "row"
	for _, v := range p.Posterior.Variables() {
		header += "\t" + v.Name
	}
	if dated != nil {
		header += "\t" + dated.Name
	}
	lines := []string{header + "\tgain\trank"}
	for _, i := range shown {
		line := fmt.Sprint(p.rows[i] + 1)
		for d, x := range p.Candidates.Row(i) {
			line += "\t" + write[d](x)
		}
		if dated != nil {
			line += "\t" + dated.Clock.Date(p.Candidates.At(i, dated.Of))
		}
		line += "\t" + format.Short(p.Gain(i)) + "\t"
		if rank := p.Rank(i); rank > 0 {
			line += fmt.Sprint(rank)
		}
		lines = append(lines, strings.TrimRight(line, "\t"))
	}
	if n > len(shown) {
		lines = append(lines, fmt.Sprintf("and %d more: the median of all is %s, the worst %s", n-len(shown), format.Short(p.Gain(order[(n-1)/2])), format.Short(p.Gain(order[n-1]))))
	}
	return lines
}

// table has a row for every candidate. Cells of those outside the domain are empty.
func (p *places) table() *solution.Table {
	t := solution.NewTable(p.Posterior.Variables(), p.all)
	n := p.all.Rows()
	columns := make([][]float64, 5)
	for k := range columns {
		columns[k] = slices.Repeat([]float64{math.NaN()}, n) // an empty cell
	}
	for k, i := range p.rows {
		columns[0][i], columns[1][i], columns[2][i] = p.SD(0), math.Sqrt(p.Alone[k]), p.Gain(k)
	}
	for rank, e := range p.Placements {
		i := p.rows[e.Candidate]
		columns[3][i], columns[4][i] = float64(rank+1), p.SD(rank+1)
	}
	for k, name := range []string{"sd_before", "sd_alone", "gain", "rank", "sd_together"} {
		t.Add(name, columns[k])
	}
	return t
}

// placesReport is what --json prints.
type placesReport struct {
	Goal       string            `json:"goal"`
	Unit       string            `json:"unit,omitempty"` // of sd and gain
	Sigma      float64           `json:"sigma"`
	SDBefore   float64           `json:"sd_before"`
	Sensors    []placeReport     `json:"sensors"`
	Candidates []candidateReport `json:"candidates"` // in the order of the file, those in the domain
}

type placeReport struct {
	Candidate int                `json:"candidate"` // data row of the file, from 1
	At        map[string]float64 `json:"at"`
	Date      string             `json:"date,omitempty"` // of the variable that has a start
	Before    float64            `json:"variance_before"`
	After     float64            `json:"variance_after"`
}

type candidateReport struct {
	Candidate int                `json:"candidate"`
	At        map[string]float64 `json:"at"`
	Date      string             `json:"date,omitempty"`
	SDAlone   float64            `json:"sd_alone"`
	Gain      float64            `json:"gain"`
	Rank      int                `json:"rank,omitempty"` // from 1; 0: not chosen
}

func (p *places) report() placesReport {
	r := placesReport{Goal: p.Goal, Unit: p.Known.Quantities[p.Goal].Unit, Sigma: p.Sensor.Sigma, SDBefore: p.SD(0)}
	dated := format.DatesOf(p.Posterior.Variables())
	at := func(i int) map[string]float64 {
		at := map[string]float64{}
		for d, v := range p.Posterior.Variables() {
			at[v.Name] = p.Candidates.At(i, d)
		}
		return at
	}
	date := func(i int) string {
		if dated == nil {
			return ""
		}
		return dated.Clock.Stamp(p.Candidates.At(i, dated.Of))
	}
	for i := range p.Candidates.Rows() {
		r.Candidates = append(r.Candidates, candidateReport{p.rows[i] + 1, at(i), date(i), math.Sqrt(p.Alone[i]), p.Gain(i), 0})
	}
	for k, e := range p.Placements {
		r.Sensors = append(r.Sensors, placeReport{p.rows[e.Candidate] + 1, at(e.Candidate), date(e.Candidate), e.Before, e.After})
		r.Candidates[e.Candidate].Rank = k + 1
	}
	return r
}
