// Command bpielm-edge is what runs beside the sensors: it loads compiled physics
// (made anywhere by `bpielm compile`), reads what the sensors report line by line
// from a file, a serial port or standard input, and logs what is then known.
//
//	stty -F /dev/ttyS1 115200 raw && bpielm-edge -readings /dev/ttyS1 -points asked.csv -state edge.state physics.bpielm
//
// It serves nothing, keeps a bounded number of readings, and is made to run for years.
// Each line of its log is an event, written as soon as it happens:
//
//	estimate reading=40 x=0.5 t=1 u=0.4123 sd=0.0132
//	parameter reading=40 name=lambda mean=1.02 sd=0.05
//	outlier line=17 sensor=north value=9.1 expected=0.52 sd=0.05 innovation=171.6 kept=false
//	recalled line=23 readings=1
//	shift line=52 kept=12
//	fault line=60 sensor=south condition=drifting
//	dropped line=60 sensor=south
//	forgotten line=71 sensor=west
//	skipped standard input:18: x: found ""; a number is expected
//	state resumed: edge.state: 5214 readings, 200 kept
//	alive readings=5214 kept=200 outliers=3 skipped=12 sensors=4 silent=0.3s
//
// # What it reads
//
// CSV whose first line names the columns, or JSON lines: one column for each variable,
// value, and optionally sigma, sensor and kind. A line that makes no sense is skipped, and
// so is one of more than 64 KiB, up to its end; ten of them are logged between two alive
// lines, the others are counted. Before a line that names the columns no CSV can be
// understood: to join a stream after it, name them with -columns or have a state, which
// knows them. The first line of a stream that is joined so may have lost its beginning, and
// the last one, if nothing ends it, its end: they do not count, but in a regular file. Of
// more than 4096 sensors that which has not been heard of for longest is forgotten, with its
// readings.
//
// # What it keeps
//
// Readings beyond -absurd standard deviations of what is expected are logged as outliers and
// left out. One that was kept while little was known is recalled when others have shown
// that it is absurd. When readings left out are the majority and agree with each other the
// level has shifted, and they take the place of those kept. With -drop a sensor that
// disagrees for some readings is dropped for good, even if it is the only one.
//
// With -state FILE what is known is written to a file, at the start, every -save and at the
// end, and a program that is started anew goes on from there: readings and sensors, what is
// said of them, the names of the columns. After SIGTERM it goes on as if it had never
// stopped; after a kill or a power cut without the readings since the last -save. The file
// is replaced as a whole, on the disk itself. One that is damaged, or of other physics, is
// replaced, which is logged; anything else that stands under its name is refused.
//
// # How it ends
//
// SIGTERM and SIGINT end it after what has already been read; a reader of the log that has
// stopped reading does not keep it from ending for more than two seconds. Statuses:
//
//	0  it was asked to end, or the file or pipe has ended
//	1  it could not go on, and a new start may help: the device has hung up, nothing of what
//	   has ended made sense, the log or the state could not be written
//	2  flags, physics, points or what stands under the name of the state are wrong
//	4  an internal error
//
// Begin reading at device.go.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/bpielm/bpielm/cmd/internal/feed"
	"github.com/bpielm/bpielm/posterior"
)

// Exit statuses.
const (
	exitFailure  = 1 // to go on; a new start may help
	exitBadInput = 2 // it does not
	exitInternal = 4
)

func main() {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(os.Stderr, "bpielm-edge: internal error: %v\n%s", p, debug.Stack())
			os.Exit(exitInternal)
		}
	}()
	outliveLog()
	if err := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, feed.Interrupted()); err != nil {
		fmt.Fprintln(os.Stderr, "bpielm-edge:", printable(strings.ReplaceAll(err.Error(), "\n", "; ")))
		os.Exit(status(err))
	}
}

// wrongUse is an error that a new start does not mend.
type wrongUse struct{ error }

func (e wrongUse) Unwrap() error { return e.error }

func status(err error) int {
	var wrong wrongUse
	switch {
	case err == nil:
		return 0
	case errors.As(err, &wrong):
		return exitBadInput
	}
	return exitFailure
}

// options are the command line.
type options struct {
	model, readings, points, state string
	columns                        []string
	every                          int
	drop                           bool
	saveEvery, heartbeat           time.Duration
	stream                         posterior.StreamConfig
}

// parse returns nil where help was asked for.
func parse(args []string, stderr io.Writer) (*options, error) {
	o := new(options)
	flags := flag.NewFlagSet("bpielm-edge", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: bpielm-edge [flags] physics.bpielm")
		flags.PrintDefaults()
	}
	flags.StringVar(&o.readings, "readings", "-", "`file` or device to read from; - is standard input")
	flags.StringVar(&o.points, "points", "", "CSV `file` of the points to estimate, one column for each variable")
	flags.StringVar(&o.state, "state", "", "`file` to go on from after a restart, and to write what is known to")
	flags.DurationVar(&o.saveEvery, "save", time.Minute, "how often the state is written; 0 is after every reading")
	flags.DurationVar(&o.heartbeat, "heartbeat", time.Minute, "how often a line says that the program is alive; 0 is never")
	columns := flags.String("columns", "", "`names` of the columns, with commas between, of a stream that may not begin with them")
	flags.IntVar(&o.every, "every", 1, "log estimates after every `n` readings, and at the end")
	flags.IntVar(&o.stream.Window, "window", 200, "how many readings are kept")
	flags.BoolVar(&o.drop, "drop", false, "drop a sensor that is found stuck or drifting")
	flags.BoolVar(&o.stream.Reject, "reject", false, "do not keep outliers")
	flags.Float64Var(&o.stream.Absurd, "absurd", 20, "do not keep what is beyond so many standard deviations; inf keeps all")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil, nil
	case err != nil:
		return nil, err
	case flags.NArg() != 1 || o.every < 1 || o.stream.Window < 1 || !(o.stream.Absurd > 0) || o.saveEvery < 0 || o.heartbeat < 0:
		flags.Usage()
		return nil, errors.New("one model file is needed, -every and -window of at least 1, and no negative number")
	}
	o.model = flags.Arg(0)
	if *columns != "" {
		for _, name := range strings.Split(*columns, ",") {
			o.columns = append(o.columns, strings.TrimSpace(name))
		}
	}
	return o, nil
}

// run executes one command line until the readings end or stop is closed.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer, stop <-chan struct{}) error {
	o, err := parse(args, stderr)
	if err != nil {
		return wrongUse{err}
	}
	if o == nil {
		return nil
	}
	log := newOutlet(stdout, after(stop, patience))
	d, err := newDevice(o, log)
	if err != nil {
		return wrongUse{err}
	}
	if err := d.resume(); err != nil {
		return err
	}
	source, name := stdin, "standard input"
	if o.readings != "-" {
		file, err := os.Open(o.readings)
		if err != nil {
			return err
		}
		defer file.Close()
		source, name = file, o.readings
	}
	err = d.follow(source, name, stop)
	return also(err, log.Close())
}

// also joins a further error, unless it is the same.
func also(err, further error) error {
	if further == nil || errors.Is(err, further) {
		return err
	}
	return errors.Join(err, further)
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
