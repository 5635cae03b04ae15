package main

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"time"

	"github.com/bpielm/bpielm/cmd/internal/feed"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/readings"
)

// device is a stream of readings and what is logged about it.
type device struct {
	*options
	prior    *posterior.Prior
	sum      uint32 // checksum of the physics' file
	stations *feed.Stations
	asked    *mat.Dense      // the points of -points
	dates    []string        // of these points, as date writes them
	timed    int             // the variable that has a start
	clock    *readings.Clock // its clock, or nil
	out      *bufio.Writer
	counts   counts
	named    []string  // the columns, as last named
	heard    time.Time // when the last reading came
	noise    int       // lines skipped since the last alive line
	last     error     // why the last of these was skipped
	any      bool      // whether there was a valid reading since the start
	latest   []float64 // place of the last of these
	unsaved  bool

	mean, sd []float64
}

// counts are totals since the first start.
type counts struct{ Readings, Outliers, Skipped int }

// newDevice loads the physics.
func newDevice(o *options, log io.Writer) (*device, error) {
	d := &device{options: o, out: bufio.NewWriter(log), heard: time.Now()}
	if err := d.load(); err != nil {
		return nil, err
	}
	if o.points != "" {
		if err := d.askFor(o.points); err != nil {
			return nil, err
		}
	}
	if err := d.begin(); err != nil {
		return nil, err
	}
	if o.columns != nil {
		if err := d.checkColumns("-columns", o.columns); err != nil {
			return nil, err
		}
		d.named = o.columns
	}
	return d, nil
}

// askFor reads the points that estimates are asked for.
func (d *device) askFor(points string) error {
	file, err := os.Open(points)
	if err != nil {
		return err
	}
	defer file.Close()
	if d.asked, err = feed.ReadPoints(file, points, d.prior.Variables()); err != nil {
		return err
	}
	for i := range d.asked.Rows() {
		d.dates = append(d.dates, d.date(d.asked.Row(i)))
	}
	for i := range d.prior.Fields() {
		d.stream.Queries = append(d.stream.Queries, posterior.Query{Functional: system.Field(i), Points: d.asked})
	}
	n := d.asked.Rows() * len(d.prior.Fields())
	d.mean, d.sd = make([]float64, n), make([]float64, n)
	return nil
}

// load reads the physics.
func (d *device) load() error {
	file, err := os.Open(d.model)
	if err != nil {
		return err
	}
	defer file.Close()
	sum := crc32.NewIEEE() // not CRC-32C, with which the file ends: over a whole file that is always the same
	if d.prior, err = posterior.LoadPrior(bufio.NewReader(io.TeeReader(file, sum))); err != nil {
		return fmt.Errorf("%s: %w", d.model, err)
	}
	d.sum = sum.Sum32()
	d.timed, d.clock = readings.ClockOf(d.prior.Variables())
	return nil
}

// date ends a line of the log with the date of a place; it is empty if the time has no start.
func (d *device) date(at []float64) string {
	if d.clock == nil {
		return ""
	}
	return " date=" + d.clock.Stamp(at[d.timed])
}

// begin starts a stream without readings.
func (d *device) begin() error {
	config := d.stream
	config.NoSensors = true // stations come as they report
	stream, err := d.prior.Stream(config)
	if err != nil {
		return err
	}
	d.stations, d.counts = feed.NewStations(d.prior, stream), counts{}
	return nil
}

// checkColumns fails if a stream cannot have columns of these names.
func (d *device) checkColumns(from string, names []string) error {
	reader, err := feed.NewReader(nil, from, d.prior)
	if err != nil {
		return fmt.Errorf("%s: %w", d.model, err)
	}
	return reader.SetColumns(names)
}

// errHungUp says that a device is gone.
var errHungUp = errors.New("the device has hung up")

// follow reads to the end of the stream, then logs and saves what is left to.
func (d *device) follow(source io.Reader, name string, stop <-chan struct{}) error {
	err := d.listen(source, name, stop)
	if d.counts.Readings%d.every != 0 && err == nil {
		d.estimate()
	}
	if d.state != "" {
		err = also(err, d.save())
	}
	return also(err, d.out.Flush())
}

// listen handles lines, heartbeats and saves as they come, to the end of the stream.
func (d *device) listen(source io.Reader, name string, stop <-chan struct{}) error {
	reader, err := feed.NewReader(feed.Until(source, stop), name, d.prior)
	if err != nil {
		return fmt.Errorf("%s: %w", d.model, err)
	}
	mode := modeOf(source)
	reader.Live = !mode.IsRegular()
	if d.named != nil {
		if err := reader.SetColumns(d.named); err != nil {
			return err
		}
	}
	quit := make(chan struct{})
	defer close(quit)
	lines, heartbeat, save := feed.Lines(reader, quit), ticks(d.heartbeat), ticks(d.saveEvery)
	for {
		var err error
		select {
		case line := <-lines:
			switch err = d.take(&line, name); {
			case err == io.EOF:
				return d.ended(mode)
			case err == feed.ErrStopped:
				return nil
			}
		case <-heartbeat:
			d.alive()
		case <-save:
			d.trySave()
		}
		if err == nil && d.out.Buffered() > 0 {
			err = d.out.Flush()
		}
		if err != nil {
			return err
		}
	}
}

// modeOf returns the mode of a file, and takes any other reader for a pipe.
func modeOf(source io.Reader) os.FileMode {
	if file, ok := source.(*os.File); ok {
		if info, err := file.Stat(); err == nil {
			return info.Mode()
		}
	}
	return os.ModeNamedPipe
}

// ended says whether the end of a stream is an error.
func (d *device) ended(mode os.FileMode) error {
	switch {
	case mode&os.ModeCharDevice != 0:
		return errHungUp
	case !d.any && d.last != nil:
		return fmt.Errorf("no line is valid: %w", d.last)
	}
	return nil
}

// ticks returns a ticker, which never ticks if every is 0.
func ticks(every time.Duration) <-chan time.Time {
	if every == 0 {
		return nil
	}
	return time.Tick(every)
}

// take assimilates a line. It returns an error if the stream has ended.
func (d *device) take(line *feed.Line, name string) error {
	var bad *feed.Error
	var crash *feed.Crash
	switch {
	case line.Err == nil:
	case errors.As(line.Err, &bad):
		d.skip(bad)
		return nil
	case errors.As(line.Err, &crash):
		panic(crash)
	default:
		return line.Err
	}
	event, err := d.stations.Add(&line.Record)
	if err != nil {
		d.skip(&feed.Error{File: name, Line: line.Line, Why: err.Error() + d.date(line.Record.At)})
		return nil
	}
	d.counts.Readings++
	d.named, d.heard, d.any, d.unsaved = line.Columns, time.Now(), true, true
	d.latest = append(d.latest[:0], line.Record.At...)
	d.report(&line.Record, event)
	if d.counts.Readings%d.every == 0 {
		d.estimate()
	}
	if d.saveEvery == 0 {
		d.trySave()
	}
	return nil
}

// loudest is how many skipped lines are logged between two alive lines.
const loudest = 10

func (d *device) skip(why *feed.Error) {
	d.counts.Skipped++
	d.last = why
	if d.noise++; d.noise <= loudest || d.heartbeat == 0 {
		fmt.Fprintln(d.out, "skipped", printable(why.Error()))
	}
}

// report logs the events of a reading.
func (d *device) report(r *feed.Record, e feed.Event) {
	name := printable(d.stations.Stream.Health(e.Sensor).Name)
	if e.Forgotten != "" {
		fmt.Fprintf(d.out, "forgotten line=%d sensor=%s\n", r.Line, printable(e.Forgotten))
	}
	if in := e.Innovation; in.Flagged {
		d.counts.Outliers++
		fmt.Fprintf(d.out, "outlier line=%d sensor=%s value=%.9g expected=%.9g sd=%.9g innovation=%.4g kept=%t%s\n", r.Line, name, r.Value, in.Mean, in.SD, in.Standardised, in.Kept, d.date(r.At))
	}
	if n := e.Innovation.Recalled; n > 0 {
		fmt.Fprintf(d.out, "recalled line=%d readings=%d\n", r.Line, n)
	}
	if e.Innovation.Shifted {
		fmt.Fprintf(d.out, "shift line=%d kept=%d%s\n", r.Line, d.stations.Stream.Len(), d.date(r.At))
	}
	if e.Fault != posterior.Sound {
		fmt.Fprintf(d.out, "fault line=%d sensor=%s condition=%s%s\n", r.Line, name, e.Fault, d.date(r.At))
		if d.drop {
			if err := d.stations.Stream.Drop(e.Sensor); err != nil {
				panic(err) // the sensor has just reported
			}
			fmt.Fprintf(d.out, "dropped line=%d sensor=%s\n", r.Line, name)
		}
	}
}

// alive logs that the program is alive.
func (d *device) alive() {
	fmt.Fprintf(d.out, "alive readings=%d kept=%d outliers=%d skipped=%d sensors=%d silent=%.1fs\n",
		d.counts.Readings, d.stations.Stream.Len(), d.counts.Outliers, d.counts.Skipped, d.stations.Stream.Sensors(), time.Since(d.heard).Seconds())
	d.noise = 0
}

// estimate logs the estimates so far.
func (d *device) estimate() {
	stream, count := d.stations.Stream, d.counts.Readings
	latest := ""
	if d.any {
		latest = d.date(d.latest)
	}
	for _, p := range stream.Parameters() {
		fmt.Fprintf(d.out, "parameter reading=%d name=%s mean=%.9g sd=%.9g%s\n", count, p.Name, p.Mean, p.SD, latest)
	}
	if d.asked == nil {
		return
	}
	stream.EstimateTo(d.mean, d.sd)
	variables, k := d.prior.Variables(), 0
	for _, field := range d.prior.Fields() {
		for i := range d.asked.Rows() {
			fmt.Fprintf(d.out, "estimate reading=%d", count)
			for j, v := range variables {
				fmt.Fprintf(d.out, " %s=%.9g", v.Name, d.asked.At(i, j))
			}
			fmt.Fprintf(d.out, " %s=%.9g sd=%.9g%s\n", field, d.mean[k], d.sd[k], d.dates[i])
			k++
		}
	}
}
