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
	"github.com/bpielm/bpielm/cmd/internal/solution"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/readings"
	"github.com/bpielm/bpielm/system/spec"
)

// assimilateCommand is `bpielm assimilate`.
type assimilateCommand struct {
	Model       string  `arg:"" help:"Compiled physics, as compile writes it."`
	Readings    string  `arg:"" help:"Readings as CSV or JSON lines; - is standard input, read as it arrives."`
	Points      string  `placeholder:"FILE" help:"CSV file of points: print mean and standard deviation there."`
	Every       int     `placeholder:"N" help:"Print after every N readings, not only at the end."`
	Window      int     `default:"1000" help:"How many readings are kept; a new one replaces the oldest."`
	Threshold   float64 `default:"4" help:"Report readings whose standardised innovation exceeds this."`
	Reject      bool    `help:"Do not keep readings beyond the threshold."`
	Absurd      float64 `default:"20" help:"Do not keep readings whose standardised innovation exceeds this, until they are the majority; inf keeps all."`
	Drop        bool    `help:"Drop a sensor that is found stuck or drifting."`
	Columns     string  `placeholder:"NAMES" help:"Names of the columns, separated by commas, if the readings do not begin with them."`
	StrictInput bool    `help:"Stop at an invalid line, as in a file, instead of skipping it."`
	Out         string  `short:"o" placeholder:"FILE" help:"Write the posterior of the readings kept at the end, for predict and place."`
	JSON        bool    `name:"json" help:"Print JSON lines instead of CSV and text."`
	Quiet       bool    `short:"q" help:"Print no summary and no warnings."`
}

// Help adds to the verb's usage text.
func (*assimilateCommand) Help() string {
	return `Readings have a column for each variable, and value. Optional columns are sigma (the reading's own noise), sensor (its name, used to report one that is stuck or drifts) and kind (the group of sensors of the problem that it belongs to; default: the first). JSON lines have the same keys. Readings may also be laid out as the files of the problem's sensors, with their columns, dates and places: the compiled physics knows how. Missing values are left out and counted. A file may be compressed with gzip.

In a file, an invalid line ends the run, and the error gives its number. On standard input it is reported and skipped, unless --strict-input is given. Ctrl-C and SIGTERM act as the end of the stream: the results so far are printed and written.

A reading that is more than --absurd standard deviations from what is expected is reported and left out. When such readings are the majority and agree with each other, the level has shifted: they replace those kept.

With --points a CSV table is printed: the number of readings so far, the point, and for each field the mean, standard deviation and the ends of the 95 % interval. Warnings and the summary then go to standard error.

Examples:
  bpielm assimilate physics.bpielm sensors.csv --points points.csv
  tail -f log.csv | bpielm assimilate physics.bpielm - --points points.csv`
}

// takesInterruptions: one ends the stream of readings.
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
	source, err := a.open()
	if err != nil {
		return &inputError{err: err}
	}
	defer source.Close()
	if err := a.follow(feed.Until(source, feed.Interrupted())); err != nil {
		return err
	}
	if err := a.save(); err != nil {
		return err
	}
	return a.finish()
}

// assimilation is one run of the verb.
type assimilation struct {
	command  *assimilateCommand
	prior    *posterior.Prior
	io       *streams
	stream   *posterior.Stream
	stations *feed.Stations
	points   *mat.Dense
	dates    *format.Dates // nil if the time has no start
	name     string        // of what is read
	strict   bool          // an invalid line is the end
	count    int           // of readings
	latest   float64       // time of the last of them, if the time has a start
	skipped  int           // number of invalid lines
	gaps     int           // number of missing values
	last     error         // why the last one was skipped
	printed  int           // number of readings when estimates were last printed
}

func (a *assimilation) begin() (err error) {
	config := posterior.StreamConfig{Window: a.command.Window, Threshold: a.command.Threshold, Reject: a.command.Reject, Absurd: a.command.Absurd, NoSensors: true}
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
	a.stations, a.dates = feed.NewStations(a.prior, a.stream), format.DatesOf(a.prior.Variables())
	a.printed = -1
	return nil
}

// open opens what is to be read. In a file, an invalid line is the end.
func (a *assimilation) open() (io.ReadCloser, error) {
	if a.command.Readings == "-" {
		a.name = "standard input"
		return io.NopCloser(os.Stdin), nil
	}
	a.name, a.strict = a.command.Readings, true
	return spec.OpenTable(a.name)
}

// follow assimilates readings to the end of the stream.
func (a *assimilation) follow(source io.Reader) error {
	config := feed.Config(a.prior)
	config.Whole = a.command.Readings != "-" && a.command.Columns == ""
	lines, err := readings.NewReader(source, a.name, config)
	if err != nil {
		return inFile(a.command.Model, err)
	}
	if a.command.Columns != "" {
		if err := lines.SetColumns(strings.Split(strings.ReplaceAll(a.command.Columns, " ", ""), ",")); err != nil {
			return refuse("--columns: %v", err)
		}
	}
	defer func() { a.gaps = lines.Counts.Gaps }()
	for {
		record, err := lines.Next()
		if err == feed.ErrStopped && !a.command.Quiet {
			fmt.Fprintf(a.io.err, "bpielm: interrupted after %s\n", format.Count(a.count, "reading"))
		}
		if err == io.EOF || err == feed.ErrStopped {
			break
		}
		if err == nil {
			err = a.add(record)
		}
		if err = a.skip(err); err != nil {
			return err
		}
	}
	if a.count == 0 && a.last != nil {
		return fmt.Errorf("no line is valid: %w", a.last)
	}
	if a.count == 0 {
		return refuse("%s: there are no readings", a.name)
	}
	return nil
}

// add assimilates a reading, reports it if it is remarkable, and prints estimates if
// it is time to. A reading that cannot be used is a feed.Error.
func (a *assimilation) add(record *feed.Record) error {
	event, err := a.stations.Add(record)
	if err != nil {
		return &feed.Error{File: a.name, Line: record.Line, Why: err.Error() + a.date(record.At)}
	}
	if a.count++; a.dates != nil {
		a.latest = record.At[a.dates.Of]
	}
	if err := a.remark(record, event); err != nil {
		return err
	}
	if a.command.Every > 0 && a.count%a.command.Every == 0 {
		return a.print()
	}
	return nil
}

// skip reports an invalid line, unless the run is strict. It returns all other errors.
func (a *assimilation) skip(err error) error {
	var bad *feed.Error
	if a.strict || !errors.As(err, &bad) {
		return err
	}
	a.last = err
	a.skipped++
	if !a.command.Quiet {
		fmt.Fprintf(a.io.err, "bpielm: %s; skipped\n", oneLine(err))
	}
	return nil
}

// save writes the posterior, if --out asks for it.
func (a *assimilation) save() error {
	if a.command.Out == "" {
		return nil
	}
	sensors := solution.KnownStations(a.stream.State().Readings, len(a.prior.Variables()), a.stations.Sensor)
	note := spec.WithSensors(a.prior.Posterior().Note(), sensors)
	err := results.WriteFile(a.command.Out, a.stream.Posterior().WithNote(note).Save)
	var unfit *posterior.FileError
	if errors.As(err, &unfit) { // the readings are to blame, not the disk
		return fmt.Errorf("%s: with the readings of %s: %w", a.command.Model, a.name, err)
	}
	return err
}

// remark warns of outliers and faulty sensors. It drops such a sensor if asked to.
func (a *assimilation) remark(r *feed.Record, e feed.Event) error {
	warn := func(message string, args ...any) {
		if !a.command.Quiet {
			fmt.Fprintf(a.io.err, "bpielm: line %d%s: sensor %s: %s\n", r.Line, a.date(r.At), format.Sensor(a.stream.Health(e.Sensor).Name), fmt.Sprintf(message, args...))
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
		warn("it and others show that %s kept before must be wrong; no longer kept", format.Count(n, "reading"))
	}
	if e.Innovation.Shifted {
		warn("the level has shifted: %s that agree with it replace those kept before", format.Count(a.stream.Len(), "reading"))
	}
	if e.Forgotten != "" && !a.command.Quiet {
		fmt.Fprintf(a.io.err, "bpielm: line %d: sensor %s, silent for the longest time, is forgotten\n", r.Line, format.Sensor(e.Forgotten))
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

// date is that of a reading, in parentheses; it is empty if the time has no start.
func (a *assimilation) date(at []float64) string {
	if a.dates == nil {
		return ""
	}
	return " (" + a.dates.Clock.Date(at[a.dates.Of]) + ")"
}
