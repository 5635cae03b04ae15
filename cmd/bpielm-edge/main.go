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
	exitFailure  = 1 // a restart may help
	exitBadInput = 2 // a restart does not help
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

// wrongUse is an error that a restart does not mend.
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

// parse reads the command line. It returns nil if help was asked for.
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
	flags.StringVar(&o.state, "state", "", "`file` that holds the state, to continue from after a restart")
	flags.DurationVar(&o.saveEvery, "save", time.Minute, "how often the state is written; 0: after every reading")
	flags.DurationVar(&o.heartbeat, "heartbeat", time.Minute, "how often a line says that the program is alive; 0: never")
	columns := flags.String("columns", "", "`names` of the columns, separated by commas, if the stream may not begin with them")
	flags.IntVar(&o.every, "every", 1, "log estimates after every `n` readings, and at the end")
	flags.IntVar(&o.stream.Window, "window", 200, "how many readings are kept")
	flags.BoolVar(&o.drop, "drop", false, "drop a sensor that is found stuck or drifting")
	flags.BoolVar(&o.stream.Reject, "reject", false, "do not keep outliers")
	flags.Float64Var(&o.stream.Absurd, "absurd", 20, "do not keep readings beyond so many standard deviations; inf keeps all")
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

// also joins two errors, unless they are the same.
func also(err, further error) error {
	if further == nil || errors.Is(err, further) {
		return err
	}
	return errors.Join(err, further)
}

// printable replaces control characters, so that text from a stream can neither break
// a line nor control a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) {
			return '?'
		}
		return r
	}, text)
}
