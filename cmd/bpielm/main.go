package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"unicode"

	"github.com/alecthomas/kong"

	"github.com/bpielm/bpielm/bench/regress"
	"github.com/bpielm/bpielm/cmd/internal/feed"
	"github.com/bpielm/bpielm/mat/asm"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// commands is the command line.
type commands struct {
	Solve      solveCommand      `cmd:"" help:"Infer the solution and the unknown parameters of a problem."`
	Check      checkCommand      `cmd:"" help:"Read a problem and say what was understood."`
	Predict    predictCommand    `cmd:"" help:"Evaluate a stored model at the points of a CSV file."`
	Compile    compileCommand    `cmd:"" help:"Compile the physics of a problem, for assimilate on any machine."`
	Assimilate assimilateCommand `cmd:"" help:"Add readings to compiled physics, as they come."`
	Place      placeCommand      `cmd:"" help:"Say where further sensors would help most."`
	Example    exampleCommand    `cmd:"" help:"Write an example problem with fresh simulated sensors."`
	CPU        cpuCommand        `cmd:"" name:"cpu" help:"Say which kernels run on this machine."`
	Calibrate  calibrateCommand  `cmd:"" help:"Count how often the bands hold, on random problems with known solutions."`
	Bench      benchCommand      `cmd:"" help:"Measure how fast this machine is, and find regressions."`
	Paper      paperCommand      `cmd:"" help:"Repeat the numerical study of the paper: its tables and figures."`

	Version kong.VersionFlag `help:"Print the version and exit."`
}

// streams are the program's standard output and error.
type streams struct {
	out, err io.Writer
}

// Exit statuses.
const (
	exitFailure  = 1 // of the computation, or of writing results
	exitBadInput = 2
	exitVerdict  = 3 // with --strict
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run executes one command line and returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	exited, status := false, 0 // --help and --version end the program here
	parser, err := kong.New(&commands{},
		kong.Name("bpielm"),
		kong.Description("Solve linear PDEs from noisy sensor readings: the solution and unknown parameters, with honest uncertainty.\n\nTo begin: bpielm example poisson butterfly && bpielm solve butterfly/problem.toml --out butterfly/out"),
		kong.Vars{"version": version()},
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exited, status = true, code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
	)
	if err != nil {
		panic(err) // the grammar itself is wrong
	}
	parsed, err := parser.Parse(args)
	if exited {
		return status
	}
	if err == nil {
		err = checkKernel()
	}
	if err == nil {
		err = parsed.Run(&streams{stdout, stderr})
	}
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "bpielm: %s\n", oneLine(err))
	return exitStatus(err)
}

// exitStatus tells wrong input from other failures.
func exitStatus(err error) int {
	var (
		usage   *kong.ParseError
		input   *inputError
		file    *spec.Error
		problem *system.ProblemError
		data    *posterior.DataError
		config  *posterior.ConfigError
		model   *posterior.FileError
		results *regress.FileError
		stream  *feed.Error
	)
	if errors.Is(err, errVerdict) {
		return exitVerdict
	}
	for _, target := range []any{&usage, &input, &file, &problem, &data, &config, &model, &results, &stream} {
		if errors.As(err, target) {
			return exitBadInput
		}
	}
	return exitFailure
}

// inputError is a refusal of what the user gave: a file that cannot be opened,
// arguments that do not go together. It may be the cause of another error, or
// have a message of its own.
type inputError struct {
	what string
	err  error
}

func (e *inputError) Error() string {
	switch {
	case e.err == nil:
		return e.what
	case e.what == "":
		return e.err.Error()
	}
	return e.what + ": " + e.err.Error()
}

func (e *inputError) Unwrap() error { return e.err }

// checkKernel refuses a kernel that was asked for and does not run here.
func checkKernel() error {
	if err := asm.EnvironmentError(); err != nil {
		return &inputError{what: "BPIELM_KERNEL", err: err}
	}
	return nil
}

func refuse(format string, args ...any) error {
	return &inputError{what: fmt.Sprintf(format, args...)}
}

// inFile puts the name of a file before an error that does not name it.
func inFile(path string, err error) error {
	var named *spec.Error
	if err == nil || errors.As(err, &named) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// oneLine is the error's message fit for a terminal: what a user's file put
// into it can neither break the line nor steer the terminal.
func oneLine(err error) string {
	return printable(strings.Join(strings.Fields(err.Error()), " "))
}

// printable replaces what is no printable character; tabs stay.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

func version() string {
	number := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		number = info.Main.Version
	}
	return fmt.Sprintf("bpielm %s %s %s/%s", number, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
