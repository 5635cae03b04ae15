package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx" // the runners, and local and Google's files

	"github.com/bpielm/bpielm/mat/asm"
)

// Exit statuses, as those of bpielm.
const (
	exitFailure  = 1
	exitBadInput = 2
)

const usage = `bpielm-beam solves with Apache Beam, on one machine or on many: many problems, or one with more readings than
fit into memory.

  bpielm-beam solve PROBLEM --readings 'GLOB' --out DIR   one problem, its readings in tables of any size
  bpielm-beam fleet PROBLEM --readings TABLE --out DIR    one problem file, the rows of many problems
  bpielm-beam fleet 'GLOB-OF-PROBLEMS' --out DIR          many problem files

With solve, DIR has the files of bpielm solve --out except pictures, with the same numbers. With fleet,
DIR/results.jsonl has one line of JSON for each problem, sorted by name: its answer, with the keys of
bpielm solve --json, or why there is none.

`

func main() {
	var o options
	own := o.flags()
	os.Exit(run(os.Args[1:], &o, own, os.Stdout, os.Stderr))
}

// run executes one command line, whose own flags are declared among Beam's. A worker of a runner is started by the runner's
// flags, and never returns.
func run(args []string, o *options, own *flag.FlagSet, stdout, stderr io.Writer) int {
	flag.CommandLine.Init("bpielm-beam", flag.ContinueOnError)
	flag.CommandLine.SetOutput(io.Discard)
	flag.Usage = func() {}
	arguments, err := parse(args)
	if err == flag.ErrHelp {
		fmt.Fprint(stdout, usage)
		own.SetOutput(stdout)
		own.PrintDefaults()
		fmt.Fprintf(stdout, "\nBeam's own flags are possible, too: --runner=prism (default; in this process), flink, spark, dataflow or universal, --endpoint, --environment_type, --parallelism and others.\n")
		return 0
	}
	if err == nil {
		err = initBeam()
	}
	if err == nil {
		err = asm.EnvironmentError()
	}
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		err = command(ctx, arguments, o, stdout)
	} else {
		err = refuse("%v", err)
	}
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "bpielm-beam: %s\n", strings.Join(strings.Fields(err.Error()), " "))
	if _, input := errors.AsType[*inputError](err); input {
		return exitBadInput
	}
	return exitFailure
}

// runnerNames are the runners that are built in, of those that run anything elsewhere or in parallel.
var runnerNames = []string{"prism", "flink", "spark", "dataflow", "universal"}

// initBeam begins to be a worker, if a runner asks for that by its flags. The runner in this process logs nothing: its errors
// come back, and are said once.
func initBeam() error {
	if *runners.Runner == "" {
		*runners.Runner = runnerNames[0]
	}
	if !slices.Contains(runnerNames, *runners.Runner) {
		return fmt.Errorf("--runner=%s: possible are %s", *runners.Runner, strings.Join(runnerNames, ", "))
	}

	log.LogLevel = "error"
	if !beam.Initialized() {
		beam.Init()
	}
	if *runners.Runner == runnerNames[0] {
		slog.SetDefault(slog.New(slog.DiscardHandler))
	}
	return nil
}

// parse reads the flags, which may stand before, between and after the arguments.
func parse(args []string) (arguments []string, err error) {
	for {
		if err := flag.CommandLine.Parse(args); err != nil {
			return nil, err
		}
		args = flag.Args()
		if len(args) == 0 {
			return arguments, nil
		}
		arguments, args = append(arguments, args[0]), args[1:]
	}
}

func command(ctx context.Context, arguments []string, o *options, stdout io.Writer) error {
	if len(arguments) == 2 {
		switch arguments[0] {
		case "fleet":
			return fleet(ctx, arguments[1], o, stdout)
		case "solve":
			return solve(ctx, arguments[1], o, stdout)
		}
	}
	return refuse("expected fleet or solve, and a problem file; --help explains the flags")
}
