package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/bpielm/bpielm/cmd/internal/feed"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/cmd/internal/results"
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

// takesInterruptions: one ends the readings that come in.
func (c *assimilateCommand) takesInterruptions() bool { return c.Readings == "-" }

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
		if source, err = spec.OpenFile(c.Readings); err != nil {
			return &inputError{err: err}
		}
		defer source.Close()
		name = c.Readings
		info, err := source.Stat()
		a.strict = a.strict || err == nil && info.Mode().IsRegular()
	}
	if err := a.follow(feed.Until(source, feed.Interrupted()), name); err != nil {
		return err
	}
	if c.Out != "" {
		err := results.WriteFile(c.Out, a.stream.Posterior().Save)
		var unfit *posterior.FileError
		if errors.As(err, &unfit) { // the fault of what was read
			return fmt.Errorf("%s: with the readings of %s: %w", c.Model, name, err)
		}
		if err != nil {
			return err
		}
	}
	return a.finish()
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
		if outside := outsideBox(a.prior.Variables(), a.points); outside != "" {
			fmt.Fprintf(a.io.err, "bpielm: warning: %s: %s; there the solution is extrapolated\n", a.command.Points, outside)
		}
		for i := range a.prior.Fields() {
			config.Queries = append(config.Queries, posterior.Query{Functional: system.Field(i), Points: a.points})
		}
	}
	if a.stream, err = a.prior.Stream(config); err != nil {
		var data *posterior.DataError
		if errors.As(err, &data) && strings.HasPrefix(data.Where, "query") {
			return inFile(a.command.Points, err)
		}
		return inFile(a.command.Model, err)
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
			fmt.Fprintf(a.io.err, "bpielm: interrupted after %s\n", format.Count(a.count, "reading"))
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
			fmt.Fprintf(a.io.err, "bpielm: line %d: sensor %s: %s\n", r.Line, sensorName(a.stream.Health(e.Sensor).Name), fmt.Sprintf(format, args...))
		}
	}
	if in := e.Innovation; in.Flagged {
		fate := ""
		if !in.Kept {
			fate = "; not kept"
		}
		warn("%s is unlikely: %s was expected (standardised innovation %.1f)%s", format.Short(r.Value), format.Estimate(in.Mean, in.SD), in.Standardised, fate)
	}
	if n := e.Innovation.Recalled; n > 0 {
		warn("it and others show that %s kept before must be wrong; not kept any more", format.Count(n, "reading"))
	}
	if e.Innovation.Shifted {
		warn("the level has shifted: %s that agree with it take the place of those kept before", format.Count(a.stream.Len(), "reading"))
	}
	if e.Forgotten != "" && !a.command.Quiet {
		fmt.Fprintf(a.io.err, "bpielm: line %d: sensor %s, not heard of for longest, is forgotten\n", r.Line, sensorName(e.Forgotten))
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

// sensorName is the name of a sensor, or of a kind of sensors, as a line can take it.
func sensorName(name string) string { return clipped(printable(name), 128) }
