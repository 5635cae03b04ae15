package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"image/png"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/bpielm/bpielm/cmd/internal/figure"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/cmd/internal/results"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// reportCommand is `bpielm report`.
type reportCommand struct {
	Dir string `arg:"" help:"Folder that solve --out has written."`
	Out string `short:"o" placeholder:"FILE" help:"Write to this file instead of report.html in the folder; - is standard output."`
}

// Help adds to the verb's usage text.
func (*reportCommand) Help() string {
	return `Makes one HTML page of a results folder: the verdict, the parameters, the problem, all figures, that of bpielm place among them, the readings that agree least with the others, and every check. The page needs no other file and no network; it can be mailed, printed, and read on a telephone.

Example:
  bpielm solve problem.toml --out results && bpielm report results`
}

//go:embed report.html
var reportPage string

var reportTemplate = template.Must(template.New("report").Parse(reportPage))

// Run executes the verb.
func (c *reportCommand) Run(to *streams) error {
	page, err := newReportPage(c.Dir)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := reportTemplate.Execute(&text, page); err != nil {
		return inFile(c.Dir, err)
	}
	if c.Out == "-" {
		_, err := to.out.Write(text.Bytes())
		return err
	}
	path := c.Out
	if path == "" {
		path = filepath.Join(c.Dir, "report.html")
	}
	if err := results.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(text.Bytes())
		return err
	}); err != nil {
		return err
	}
	_, err = fmt.Fprintln(to.out, path)
	return err
}

// htmlPage is what the template shows. Text is escaped by the template.
type htmlPage struct {
	report
	Title, Readings      string
	LogEvidence          string
	EvidenceUse          string // which log evidences may be compared
	Failures, Notes      []string
	Parameters, Together []htmlParameter // and combinations of them
	Sensors              []htmlSensors
	Figures              []htmlFigure
	NotShown             []string
	Residuals            *htmlTable
	PerSensorTable       *htmlTable
	Errors               []htmlError
	Checked              string
	Checks               []htmlCheck
}

type htmlParameter struct {
	Name, Estimate, Median, Interval, Prior string
	Correlation                             []string // with those before it, in order
}

type htmlSensors struct {
	sensorsReport
	Remarks []string
	Noise   string
}

type htmlFigure struct {
	Name string
	Data template.URL // a data URL of an image, whose content has been checked
}

type htmlTable struct {
	Caption string
	Header  []string
	Rows    [][]string
}

type htmlError struct{ Name, MAE, MaxAE, Coverage string }

type htmlCheck struct{ Kind, Name, Status, Value, Limit, Message string }

// Sizes of what a report reads, in bytes, and of what it shows.
const (
	mostSummary  = 64 << 20
	mostPicture  = 32 << 20
	mostPictures = 128 << 20
	mostTable    = 256 << 20
	worstRows    = 12
)

// newReportPage gathers the page from the files of a results folder.
func newReportPage(dir string) (*htmlPage, error) {
	if filepath.Base(dir) == summaryFile {
		return nil, refuse("%s: the folder is expected, %s", dir, filepath.Dir(dir))
	}
	path := filepath.Join(dir, summaryFile)
	text, err := readWhole(path, mostSummary)
	if err != nil {
		return nil, refuse("%s: %s; bpielm solve --out writes such a folder", path, systemReason(err))
	}
	p := &htmlPage{}
	if err := json.Unmarshal(text, &p.report); err != nil {
		return nil, refuse("%s: not a summary of bpielm solve: %s", path, err)
	}
	if p.Problem.File == "" {
		return nil, refuse("%s: not a summary of bpielm solve: it names no problem", path)
	}
	if p.Title = p.report.Title; p.Title == "" {
		p.Title = p.Problem.File
	}
	p.LogEvidence, p.EvidenceUse = orDash(p.Evidence), evidenceUse(posterior.Method(p.Solver.Method))
	p.tellVerdict()
	p.tellParameters(dir)
	p.tellCombinations()
	p.tellSensors()
	p.tellSensorFits()
	for _, name := range slices.Sorted(maps.Keys(p.Error)) {
		e := p.Error[name]
		p.Errors = append(p.Errors, htmlError{name, format.Short(e.MAE), format.Short(e.MaxAE), percent(e.Coverage95)})
	}
	if err := p.addFigures(dir); err != nil {
		return nil, err
	}
	return p, p.addResiduals(dir)
}

func (p *htmlPage) tellVerdict() {
	p.Notes = slices.Clone(p.Problem.Remarks)
	if p.Verdict == nil {
		p.Notes = append(p.Notes, p.Warnings...)
		return
	}
	count := map[string]int{}
	for _, c := range p.Verdict.Checks {
		count[c.Status]++
		switch c.Status {
		case "failed":
			p.Failures = append(p.Failures, c.Message)
		case "note":
			p.Notes = append(p.Notes, c.Message)
		}
		p.Checks = append(p.Checks, htmlCheck{c.Kind, c.Name, c.Status, orDash(c.Value), orDash(c.Limit), c.Message})
	}
	for _, w := range p.Warnings {
		if !slices.Contains(p.Failures, w) {
			p.Notes = append(p.Notes, w)
		}
	}
	p.Checked = fmt.Sprintf("%s: %d passed, %d with a note, %d failed", format.Count(len(p.Checks), "check"), count["passed"], count["note"], count["failed"])
}

// tellParameters lists the parameters in the order of their table.
func (p *htmlPage) tellParameters(dir string) {
	names := slices.Sorted(maps.Keys(p.report.Parameters))
	if records, err := readTableFile(filepath.Join(dir, "parameters.csv")); err == nil {
		place := map[string]int{}
		for i, r := range records {
			place[r[0]] = i
		}
		slices.SortStableFunc(names, func(a, b string) int { return place[a] - place[b] })
	}
	for i, name := range names {
		e := p.report.Parameters[name]
		h := htmlParameter{Name: name, Estimate: format.Short(e.Mean), Median: orDash(e.Median), Interval: "–", Prior: cmp.Or(e.Prior, "–")}
		if e.SD != nil && *e.SD > 0 {
			h.Estimate = format.Estimate(e.Mean, *e.SD)
			if e.Lower95 != nil && e.Upper95 != nil {
				low, high := format.Pair(*e.Lower95, *e.Upper95, *e.SD)
				h.Interval = "[" + low + ", " + high + "]"
			}
		}
		if e.Label != "" {
			h.Name += ", " + e.Label
		}
		if e.Unit != "" {
			h.Name += " (" + e.Unit + ")"
		}
		for _, other := range names[:i] {
			text := "–"
			if c, known := e.Correlation[other]; known {
				text = fmt.Sprintf("%.3f", c)
			}
			h.Correlation = append(h.Correlation, text)
		}
		p.Parameters = append(p.Parameters, h)
	}
}

// tellCombinations lists what parameters mean together.
func (p *htmlPage) tellCombinations() {
	for _, c := range p.Combinations {
		h := htmlParameter{Name: c.Expression, Estimate: orDash(c.Mean), Median: orDash(c.Median), Interval: "–"}
		if c.Mean != nil && c.SD != nil && *c.SD > 0 {
			h.Estimate = format.Estimate(*c.Mean, *c.SD)
			if c.Lower95 != nil && c.Upper95 != nil {
				low, high := format.Pair(*c.Lower95, *c.Upper95, *c.SD)
				h.Interval = "[" + low + ", " + high + "]"
			}
		}
		p.Together = append(p.Together, h)
	}
}

func (p *htmlPage) tellSensors() {
	total := 0
	for i, s := range p.Problem.Sensors {
		noise := "–"
		if i < len(p.NoiseGroups) && p.NoiseGroups[i].Sigma != nil {
			noise = fmt.Sprintf("sd %s, %s", format.Short(*p.NoiseGroups[i].Sigma), origin(p.NoiseGroups[i].Learned))
		}
		remarks := leftOut(s.Missing, s.Listed, s.ListedAt, s.Outside, s.OutsidePeriod)
		if s.Period != "" {
			remarks = append([]string{"readings from " + s.Period}, remarks...)
		}
		p.Sensors = append(p.Sensors, htmlSensors{s, remarks, noise})
		total += s.Readings
	}
	p.Readings = format.Count(total, "reading")
}

// addFigures embeds the pictures that the summary lists: the SVG of a picture, or its
// PNG. Names that lead elsewhere, and files that are something else, are refused.
func (p *htmlPage) addFigures(dir string) error {
	total := 0
	for _, name := range p.Files {
		kind, ok := figure.FormatOf(name)
		stem := strings.TrimSuffix(name, filepath.Ext(name))
		switch {
		case !ok:
			continue
		case name != filepath.Base(name) || !filepath.IsLocal(name):
			return refuse("%s: %q is not a file of the folder", filepath.Join(dir, summaryFile), format.Clipped(name, 80))
		case kind == figure.PDF && !slices.Contains(p.Files, stem+".svg") && !slices.Contains(p.Files, stem+".png"):
			p.NotShown = append(p.NotShown, name)
			continue
		case kind == figure.PDF || kind == figure.PNG && slices.Contains(p.Files, stem+".svg"):
			continue
		}
		path := filepath.Join(dir, name)
		content, err := readWhole(path, mostPicture)
		if err != nil {
			return refuse("%s: %s; %s lists it", path, systemReason(err), summaryFile)
		}
		if total += len(content); total > mostPictures {
			return &limitError{fmt.Sprintf("%s: with the pictures before it these are more than %d MiB", path, mostPictures>>20)}
		}
		if err := p.addFigure(stem, path, kind, content); err != nil {
			return err
		}
	}
	return p.addPlaces(dir)
}

// addFigure embeds a picture.
func (p *htmlPage) addFigure(stem, path string, kind figure.Format, content []byte) (err error) {
	mime := "image/svg+xml"
	if kind == figure.PNG {
		mime = "image/png"
		_, err = png.DecodeConfig(bytes.NewReader(content))
	} else if !bytes.HasPrefix(content, []byte("<?xml")) {
		err = errors.New("it does not begin with <?xml")
	}
	if err != nil {
		return refuse("%s: not a picture: %s", path, err)
	}
	data := "data:" + mime + ";base64," + base64.StdEncoding.EncodeToString(content)
	p.Figures = append(p.Figures, htmlFigure{stem, template.URL(data)})
	return nil
}

// addPlaces embeds what bpielm place has written into the folder: where further sensors would help. If the problem has
// been solved again since, it is of another answer.
func (p *htmlPage) addPlaces(dir string) error {
	path := filepath.Join(dir, placesPicture)
	picture, err := os.Lstat(path)
	if err != nil || !picture.Mode().IsRegular() {
		return nil
	}
	if summary, err := os.Stat(filepath.Join(dir, summaryFile)); err != nil || picture.ModTime().Before(summary.ModTime()) {
		p.NotShown = append(p.NotShown, placesPicture+", which is older than the answer")
		return nil
	}
	content, err := readWhole(path, mostPicture)
	if err != nil {
		return refuse("%s: %s", path, systemReason(err))
	}
	return p.addFigure("places of further sensors", path, figure.PNG, content)
}

// tellSensorFits shows how each sensor agrees with the others.
func (p *htmlPage) tellSensorFits() {
	if len(p.PerSensor) == 0 {
		return
	}
	shown := worstSensors(p.PerSensor, mostWorst)
	t := &htmlTable{Caption: "Residuals are readings less what the others predict; rms is their root mean square, in standard deviations of a prediction with noise: about 1 is expected.", Header: sensorFitHead()}
	for i := range shown {
		t.Rows = append(t.Rows, shown[i].cells())
	}
	if more := len(p.PerSensor) - len(shown); more > 0 {
		t.Caption += fmt.Sprintf(" Not shown are %d more, whose rms is smaller.", more)
	}
	p.PerSensorTable = t
}

// addResiduals shows the readings that are farthest from what the others predict.
func (p *htmlPage) addResiduals(dir string) error {
	const name = "readings.csv"
	if !slices.Contains(p.Files, name) {
		return nil
	}
	path := filepath.Join(dir, name)
	records, err := readTableFile(path)
	if err != nil {
		return refuse("%s: %s", path, systemReason(err))
	}
	header, rows := records[0], records[1:]
	column := slices.Index(header, "standardised")
	if column < 0 {
		return refuse("%s: there is no column standardised", path)
	}
	far := func(r []string) float64 {
		v, err := strconv.ParseFloat(r[column], 64)
		if err != nil {
			return -1
		}
		return math.Abs(v)
	}
	beyond := 0
	for _, r := range rows {
		if far(r) > 2 {
			beyond++
		}
	}
	slices.SortStableFunc(rows, func(a, b []string) int {
		switch x, y := far(a), far(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	t := &htmlTable{}
	t.Caption = fmt.Sprintf("The %d of %s that are farthest from what the others predict, in standard deviations (standardised); %d of all are farther than 2, where one in 20 is expected.",
		min(worstRows, len(rows)), format.Count(len(rows), "reading"), beyond)
	dated, time, date := p.datesAmong(header)
	without := func(cells []string) []string { // the column of dates, as the time is a date
		if date < 0 {
			return cells
		}
		return slices.Delete(slices.Clone(cells), date, date+1)
	}
	t.Header = without(header)
	shown := rows[:min(worstRows, len(rows))]
	write := p.coordinates(header, shown)
	for _, r := range shown {
		cells := slices.Clone(r)
		for i, cell := range cells {
			v, err := strconv.ParseFloat(cell, 64)
			switch {
			case err != nil || header[i] == "line":
			case i == time:
				cells[i] = dated.Clock.Date(v)
			case write[i] != nil:
				cells[i] = write[i](v)
			default:
				cells[i] = format.Short(v)
			}
		}
		t.Rows = append(t.Rows, without(cells))
	}
	p.Residuals = t
	return nil
}

// coordinates returns for each column of a variable how its numbers are written, so that they tell the rows apart; nil
// for the others.
func (p *htmlPage) coordinates(columns []string, rows [][]string) []func(float64) string {
	write := make([]func(float64) string, len(columns))
	for _, v := range p.Problem.Variables {
		i := slices.Index(columns, v.Name)
		if i < 0 {
			continue
		}
		var values []float64
		for _, r := range rows {
			if x, err := strconv.ParseFloat(r[i], 64); err == nil {
				values = append(values, x)
			}
		}
		write[i] = format.Separating(values)
	}
	return write
}

// datesAmong returns the columns of the time that has a start and of its dates, -1 where there is none.
func (p *htmlPage) datesAmong(columns []string) (of *format.Dates, time, date int) {
	var variables []system.Variable
	for _, v := range p.Problem.Variables {
		variables = append(variables, v.variable())
	}
	if of = format.DatesOf(variables); of == nil {
		return nil, -1, -1
	}
	if time = slices.Index(columns, variables[of.Of].Name); time < 0 {
		return nil, -1, -1
	}
	return of, time, slices.Index(columns, of.Name)
}

// readWhole reads a regular file of at most so many bytes.
func readWhole(path string, most int64) ([]byte, error) {
	file, err := spec.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(content)) > most {
		err = fmt.Errorf("it has more than %d MiB", most>>20)
	}
	return content, err
}

// readTableFile reads a CSV file, which has at least a header.
func readTableFile(path string) ([][]string, error) {
	content, err := readWhole(path, mostTable)
	if err != nil {
		return nil, err
	}
	records, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	if err == nil && len(records) == 0 {
		err = errors.New("it is empty")
	}
	return records, err
}

func orDash(v *float64) string {
	if v == nil {
		return "–"
	}
	return format.Short(*v)
}

func percent(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100**v)
}
