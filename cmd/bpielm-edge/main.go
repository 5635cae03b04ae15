// Command bpielm-edge is what runs beside the sensors: it loads compiled physics
// (made anywhere by `bpielm compile`), reads what the sensors report line by line
// from a file, a serial port or standard input, and logs what is then known.
//
//	stty -F /dev/ttyS1 115200 raw && bpielm-edge -readings /dev/ttyS1 -points asked.csv physics.bpielm
//
// It serves nothing, keeps a bounded number of readings, and survives lines that
// make no sense: they are logged and skipped. Each line of its log is a kind of
// event with key=value pairs:
//
//	estimate reading=40 x=0.5 t=1 u=0.4123 sd=0.0132
//	parameter reading=40 name=lambda mean=1.02 sd=0.05
//	outlier line=17 sensor=north value=9.1 expected=0.52 sd=0.05 innovation=171.6 kept=true
//	fault line=60 sensor=south condition=drifting
//	skipped standard input:18: x: found ""; a number is expected
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/bpielm/bpielm/cmd/internal/feed"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "bpielm-edge:", err)
		os.Exit(1)
	}
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("bpielm-edge", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: bpielm-edge [flags] physics.bpielm")
		flags.PrintDefaults()
	}
	readings := flags.String("readings", "-", "`file` or device to read from; - is standard input")
	points := flags.String("points", "", "CSV `file` of the points to estimate, one column for each variable")
	every := flags.Int("every", 1, "log estimates after every `n` readings, and at the end")
	window := flags.Int("window", 200, "how many readings are kept")
	drop := flags.Bool("drop", false, "drop a sensor that is found stuck or drifting")
	reject := flags.Bool("reject", false, "do not keep outliers")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	case flags.NArg() != 1 || *every < 1 || *window < 1:
		flags.Usage()
		return errors.New("one model file is needed, and -every and -window of at least 1")
	}
	d, err := newDevice(flags.Arg(0), *points, posterior.StreamConfig{Window: *window, Reject: *reject}, stdout)
	if err != nil {
		return err
	}
	d.every, d.drop = *every, *drop
	source, name := stdin, "standard input"
	if *readings != "-" {
		file, err := os.Open(*readings)
		if err != nil {
			return err
		}
		defer file.Close()
		source, name = file, *readings
	}
	return d.follow(source, name)
}

// device is a stream of readings and what is logged about it.
type device struct {
	prior    *posterior.Prior
	stations *feed.Stations
	points   *mat.Dense
	every    int
	drop     bool
	out      *bufio.Writer

	mean, sd []float64
}

func newDevice(model, points string, c posterior.StreamConfig, stdout io.Writer) (*device, error) {
	file, err := os.Open(model)
	if err != nil {
		return nil, err
	}
	prior, err := posterior.LoadPrior(bufio.NewReader(file))
	file.Close()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", model, err)
	}
	d := &device{prior: prior, out: bufio.NewWriter(stdout)}
	if points != "" {
		if d.points, err = readPoints(points, prior.Variables()); err != nil {
			return nil, err
		}
		for i := range prior.Fields() {
			c.Queries = append(c.Queries, posterior.Query{Functional: system.Field(i), Points: d.points})
		}
	}
	stream, err := prior.Stream(c)
	if err != nil {
		return nil, err
	}
	d.stations = feed.NewStations(prior, stream)
	if d.points != nil {
		n := d.points.Rows() * len(prior.Fields())
		d.mean, d.sd = make([]float64, n), make([]float64, n)
	}
	return d, nil
}

func readPoints(path string, variables []system.Variable) (*mat.Dense, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return feed.ReadPoints(file, path, variables)
}

// follow reads to the end of the stream.
func (d *device) follow(source io.Reader, name string) error {
	defer d.out.Flush()
	lines := feed.NewReader(source, name, d.prior.Variables())
	count := 0
	for {
		record, err := lines.Next()
		if err == io.EOF {
			break
		}
		var event feed.Event
		if err == nil {
			event, err = d.stations.Add(record)
			if err != nil {
				err = &feed.Error{File: name, Line: record.Line, Why: err.Error()}
			}
		}
		if err != nil {
			if lines.Broken() {
				return err
			}
			fmt.Fprintln(d.out, "skipped", printable(err.Error()))
			continue
		}
		count++
		d.report(record, event)
		if count%d.every == 0 {
			d.estimate(count)
			if err := d.out.Flush(); err != nil {
				return err
			}
		}
	}
	if count%d.every != 0 {
		d.estimate(count)
	}
	return d.out.Flush()
}

// report logs what is remarkable about a reading.
func (d *device) report(r *feed.Record, e feed.Event) {
	name := printable(d.stations.Stream.Health(e.Sensor).Name)
	if in := e.Innovation; in.Flagged {
		fmt.Fprintf(d.out, "outlier line=%d sensor=%s value=%.9g expected=%.9g sd=%.9g innovation=%.4g kept=%t\n", r.Line, name, r.Value, in.Mean, in.SD, in.Standardised, in.Kept)
	}
	if e.Fault != posterior.Sound {
		fmt.Fprintf(d.out, "fault line=%d sensor=%s condition=%s\n", r.Line, name, e.Fault)
		if d.drop {
			if err := d.stations.Stream.Drop(e.Sensor); err != nil {
				panic(err) // the sensor has just reported
			}
			fmt.Fprintf(d.out, "dropped line=%d sensor=%s\n", r.Line, name)
		}
	}
}

// estimate logs what is known after so many readings.
func (d *device) estimate(count int) {
	stream := d.stations.Stream
	for _, p := range stream.Parameters() {
		fmt.Fprintf(d.out, "parameter reading=%d name=%s mean=%.9g sd=%.9g\n", count, p.Name, p.Mean, p.SD)
	}
	if d.points == nil {
		return
	}
	stream.EstimateTo(d.mean, d.sd)
	variables, k := d.prior.Variables(), 0
	for _, field := range d.prior.Fields() {
		for i := range d.points.Rows() {
			fmt.Fprintf(d.out, "estimate reading=%d", count)
			for j, v := range variables {
				fmt.Fprintf(d.out, " %s=%.9g", v.Name, d.points.At(i, j))
			}
			fmt.Fprintf(d.out, " %s=%.9g sd=%.9g\n", field, d.mean[k], d.sd[k])
			k++
		}
	}
}

// printable keeps what a stream says from breaking a line or steering a
// terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) {
			return '?'
		}
		return r
	}, text)
}
