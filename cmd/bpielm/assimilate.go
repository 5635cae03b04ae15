package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/bpielm/bpielm/cmd/internal/feed"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// assimilateCommand is `bpielm assimilate`.
type assimilateCommand struct {
	Model       string  `arg:"" help:"Compiled physics, as compile writes it."`
	Readings    string  `arg:"" help:"Readings as CSV or JSON lines; - is standard input, followed as it comes."`
	Points      string  `placeholder:"FILE" help:"CSV file of points: print mean and standard deviation there."`
	Every       int     `placeholder:"N" help:"Print after every N readings, not only at the end."`
	Window      int     `default:"1000" help:"How many readings are kept; the oldest leaves when a new one comes."`
	Threshold   float64 `default:"4" help:"Report readings whose standardised innovation is beyond this."`
	Reject      bool    `help:"Do not keep readings beyond the threshold."`
	Absurd      float64 `default:"20" help:"Do not keep readings whose standardised innovation is beyond this, until they are the majority; inf keeps all."`
	Drop        bool    `help:"Drop a sensor that is found stuck or drifting."`
	Columns     string  `placeholder:"NAMES" help:"Names of the columns, with commas between, of readings that do not begin with them."`
	StrictInput bool    `help:"End at a line that makes no sense, as in a file, instead of skipping it."`
	Out         string  `short:"o" placeholder:"FILE" help:"Write the posterior of the readings kept at the end, for predict and place."`
	JSON        bool    `name:"json" help:"Print JSON lines instead of CSV and text."`
	Quiet       bool    `short:"q" help:"Print no summary and no warnings."`
}

// Help adds to the verb's usage text.
func (*assimilateCommand) Help() string {
	return `Readings have a column for each variable and value; further columns may be sigma (the reading's own noise), sensor (its name, so that one that is stuck or drifts can be named) and kind (which group of sensors of the problem it belongs to; the first, if not given). JSON lines have the same keys.

A line that makes no sense ends the run with its number where readings come from a file; of standard input and devices it is reported and skipped, unless --strict-input is given. Ctrl-C and SIGTERM end a stream as its end would: what is known by then is printed and written.

A reading beyond --absurd standard deviations of what is expected is reported and left out. When such readings are the majority and agree with each other the level has shifted: they take the place of those kept.

With --points a CSV table is printed: how many readings have come, the point, and for each field the mean, standard deviation and the ends of the 95 % interval. Warnings and the summary then go to standard error.

Examples:
  bpielm assimilate physics.bpielm sensors.csv --points points.csv
  tail -f log.csv | bpielm assimilate physics.bpielm - --columns x,t,value --window 200 --every 1 --points points.csv`
}

// Run executes the verb.
func (c *assimilateCommand) Run(io *streams) error {
	if c.Every < 0 {
		return refuse("--every %d: a number of readings is expected", c.Every)
	}
	if !(c.Absurd > 0) {
		return refuse("--absurd %g: a positive number is expected; inf keeps all", c.Absurd)
	}
	prior, err := loadPrior(c.Model)
	if err != nil {
		return err
	}
	a := &assimilation{command: c, prior: prior, io: io, strict: c.StrictInput}
	if err := a.begin(); err != nil {
		return err
	}
	source, name := os.Stdin, "standard input"
	if c.Readings != "-" {
		if source, err = os.Open(c.Readings); err != nil {
			return &inputError{err: err}
		}
		defer source.Close()
		name = c.Readings
		info, err := source.Stat()
		a.strict = a.strict || err == nil && info.Mode().IsRegular()
	}
	stop := interrupted()
	if err := a.follow(feed.Until(source, stop), name); err != nil {
		return err
	}
	if c.Out != "" {
		if err := writeFile(c.Out, a.stream.Posterior().Save); err != nil {
			return err
		}
	}
	return a.finish()
}

// interrupted returns a channel that is closed by the first SIGINT or SIGTERM; the next
// one kills.
func interrupted() <-chan struct{} {
	stop, signals := make(chan struct{}), make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		signal.Stop(signals)
		close(stop)
	}()
	return stop
}

// loadPrior reads compiled physics.
func loadPrior(path string) (*posterior.Prior, error) {
	var p *posterior.Prior
	err := readModel(path, func(r io.Reader) (err error) {
		p, err = posterior.LoadPrior(r)
		return err
	})
	return p, err
}

// assimilation is one run of the verb.
type assimilation struct {
	command  *assimilateCommand
	prior    *posterior.Prior
	io       *streams
	stream   *posterior.Stream
	stations *feed.Stations
	points   *mat.Dense
	strict   bool // a line that makes no sense is the end
	count    int  // of readings
	skipped  int  // of lines
	printed  int  // of readings when estimates were last printed
}

func (a *assimilation) begin() (err error) {
	config := posterior.StreamConfig{Window: a.command.Window, Threshold: a.command.Threshold, Reject: a.command.Reject, Absurd: a.command.Absurd}
	if a.command.Points != "" {
		if a.points, err = spec.ReadPoints(a.command.Points, a.prior.Variables()); err != nil {
			return err
		}
		if n := outsideBox(a.prior.Variables(), a.points); n > 0 {
			fmt.Fprintf(a.io.err, "bpielm: warning: %s: %s outside the model's box; there the solution is extrapolated\n", a.command.Points, count(n, "point"))
		}
		for i := range a.prior.Fields() {
			config.Queries = append(config.Queries, posterior.Query{Functional: system.Field(i), Points: a.points})
		}
	}
	if a.stream, err = a.prior.Stream(config); err != nil {
		return inFile(a.command.Points, err)
	}
	a.stations = feed.NewStations(a.prior, a.stream)
	a.printed = -1
	return nil
}

// follow assimilates readings to the end of the stream.
func (a *assimilation) follow(source io.Reader, name string) error {
	lines := feed.NewReader(source, name, a.prior.Variables())
	if a.command.Columns != "" {
		if err := lines.SetColumns(strings.Split(strings.ReplaceAll(a.command.Columns, " ", ""), ",")); err != nil {
			return refuse("--columns: %v", err)
		}
	}
	var last error // why a line was skipped
	for {
		record, err := lines.Next()
		if err == feed.ErrStopped && !a.command.Quiet {
			fmt.Fprintf(a.io.err, "bpielm: interrupted after %s\n", count(a.count, "reading"))
		}
		if err == io.EOF || err == feed.ErrStopped {
			break
		}
		var event feed.Event
		if err == nil {
			if event, err = a.stations.Add(record); err != nil {
				err = &feed.Error{File: name, Line: record.Line, Why: err.Error()}
			}
		}
		if err != nil {
			var bad *feed.Error
			if a.strict || !errors.As(err, &bad) {
				return err
			}
			last = err
			a.skip(err)
			continue
		}
		a.count++
		if err := a.remark(record, event); err != nil {
			return err
		}
		if a.command.Every > 0 && a.count%a.command.Every == 0 {
			if err := a.print(); err != nil {
				return err
			}
		}
	}
	if a.count == 0 && last != nil {
		return fmt.Errorf("no line makes sense: %w", last)
	}
	if a.count == 0 {
		return refuse("%s: there are no readings", name)
	}
	return nil
}

// skip reports a line that makes no sense.
func (a *assimilation) skip(why error) {
	a.skipped++
	if !a.command.Quiet {
		fmt.Fprintf(a.io.err, "bpielm: %s; skipped\n", oneLine(why))
	}
}

// remark warns of outliers and faulty sensors, and drops these if asked to.
func (a *assimilation) remark(r *feed.Record, e feed.Event) error {
	warn := func(format string, args ...any) {
		if !a.command.Quiet {
			fmt.Fprintf(a.io.err, "bpielm: line %d: sensor %s: %s\n", r.Line, printable(a.stream.Health(e.Sensor).Name), fmt.Sprintf(format, args...))
		}
	}
	if in := e.Innovation; in.Flagged {
		fate := ""
		if !in.Kept {
			fate = "; not kept"
		}
		warn("%s is unlikely: %s was expected (standardised innovation %.1f)%s", formatShort(r.Value), formatEstimate(in.Mean, in.SD), in.Standardised, fate)
	}
	if n := e.Innovation.Recalled; n > 0 {
		warn("it and others show that %s kept before must be wrong; not kept any more", count(n, "reading"))
	}
	if e.Innovation.Shifted {
		warn("the level has shifted: %s that agree with it take the place of those kept before", count(a.stream.Len(), "reading"))
	}
	if e.Forgotten != "" && !a.command.Quiet {
		fmt.Fprintf(a.io.err, "bpielm: line %d: sensor %s, not heard of for longest, is forgotten\n", r.Line, printable(e.Forgotten))
	}
	if e.Fault != posterior.Sound {
		warn("it seems to be %s", e.Fault)
		if a.command.Drop {
			warn("dropped")
			return a.stream.Drop(e.Sensor)
		}
	}
	return nil
}

func (a *assimilation) finish() error {
	if a.count != a.printed {
		if err := a.print(); err != nil {
			return err
		}
	}
	if a.command.Quiet || a.command.JSON {
		return nil
	}
	w := a.io.out
	if a.points != nil || a.command.Every > 0 {
		w = a.io.err
	}
	return a.summary(w)
}

// print writes what is known now.
func (a *assimilation) print() error {
	first := a.printed < 0
	a.printed = a.count
	switch {
	case a.command.JSON:
		return a.printJSON()
	case a.points != nil:
		return a.printPoints(first)
	case a.command.Every > 0:
		return a.printParameters(first)
	}
	return nil
}

// estimates returns mean and sd of every field at every point, field by field.
func (a *assimilation) estimates() (mean, sd [][]float64) {
	n, fields := a.points.Rows(), len(a.prior.Fields())
	m, s := make([]float64, n*fields), make([]float64, n*fields)
	a.stream.EstimateTo(m, s)
	for i := range fields {
		mean, sd = append(mean, m[i*n:(i+1)*n]), append(sd, s[i*n:(i+1)*n])
	}
	return mean, sd
}

func (a *assimilation) printPoints(header bool) error {
	n := a.points.Rows()
	t := &table{header: []string{"readings"}, points: mat.NewDense(n, 1+a.points.Cols(), nil), bare: !header}
	for _, v := range a.prior.Variables() {
		t.header = append(t.header, v.Name)
	}
	for i := range n {
		t.points.Set(i, 0, float64(a.count))
		copy(t.points.Row(i)[1:], a.points.Row(i))
	}
	mean, sd := a.estimates()
	for i, name := range a.prior.Fields() {
		t.addEstimate(name, mean[i], sd[i])
	}
	return t.writeCSV(a.io.out)
}

func (a *assimilation) printParameters(header bool) error {
	t := &table{header: []string{"readings"}, points: mat.NewDense(1, 1, []float64{float64(a.count)}), bare: !header}
	for _, p := range a.stream.Parameters() {
		t.addEstimate(p.Name, []float64{p.Mean}, []float64{p.SD})
	}
	return t.writeCSV(a.io.out)
}

// assimilationReport is one line of --json.
type assimilationReport struct {
	Readings   int                        `json:"readings"`
	Kept       int                        `json:"kept"`
	Skipped    int                        `json:"skipped"` // lines that make no sense
	Parameters map[string]parameterReport `json:"parameters,omitempty"`
	Estimates  []map[string]float64       `json:"estimates,omitempty"`
	Sensors    []sensorReport             `json:"sensors"`
}

type sensorReport struct {
	Name       string  `json:"name"`
	Readings   int     `json:"readings"`
	Flagged    int     `json:"flagged"`
	Condition  string  `json:"condition"`
	Dropped    bool    `json:"dropped"`
	Innovation float64 `json:"innovation"` // standardised, of the last reading
}

func (a *assimilation) printJSON() error {
	r := assimilationReport{Readings: a.count, Kept: a.stream.Len(), Skipped: a.skipped}
	for _, p := range a.stream.Parameters() {
		if r.Parameters == nil {
			r.Parameters = map[string]parameterReport{}
		}
		r.Parameters[p.Name] = parameterReport{Mean: p.Mean, SD: number(p.SD)}
	}
	if a.points != nil {
		mean, sd := a.estimates()
		for k := range a.points.Rows() {
			e := map[string]float64{}
			for i, v := range a.prior.Variables() {
				e[v.Name] = a.points.At(k, i)
			}
			for i, name := range a.prior.Fields() {
				e[name+"_mean"], e[name+"_sd"] = mean[i][k], sd[i][k]
			}
			r.Estimates = append(r.Estimates, e)
		}
	}
	for i := range a.stream.Sensors() {
		h := a.stream.Health(i)
		innovation := h.Last.Standardised
		if math.IsNaN(innovation) || math.IsInf(innovation, 0) {
			innovation = 0
		}
		r.Sensors = append(r.Sensors, sensorReport{h.Name, h.Readings, h.Flagged, h.Condition.String(), h.Dropped, innovation})
	}
	return writeJSON(a.io.out, &r, "")
}

func (a *assimilation) summary(w io.Writer) error {
	p := &page{}
	readings := fmt.Sprintf("readings\t%d, %d kept", a.count, a.stream.Len())
	if a.skipped > 0 {
		readings += fmt.Sprintf("; %s skipped", count(a.skipped, "line"))
	}
	p.section(a.command.Readings, readings)
	p.section("Parameters", estimateLines(a.stream.Parameters())...)
	var lines []string
	for i := range a.stream.Sensors() {
		h := a.stream.Health(i)
		state := h.Condition.String()
		if h.Dropped {
			state += ", dropped"
		}
		lines = append(lines, fmt.Sprintf("%s\t%s\t%d flagged\t%s", h.Name, count(h.Readings, "reading"), h.Flagged, state))
	}
	p.section("Sensors", lines...)
	if a.command.Out != "" {
		p.section("Written", a.command.Out)
	}
	return p.writeTo(w)
}
