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

	"github.com/bpielm/bpielm/mat/asm"
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

	MaxMemory memorySize       `placeholder:"SIZE" help:"Refuse what would take more memory, as 4GiB; default: nine tenths of what the machine or its container has."`
	Version   kong.VersionFlag `help:"Print the version and exit."`
}

// streams are the program's standard output and error, and how much memory it may take, 0 for any.
type streams struct {
	out, err  io.Writer
	maxMemory memorySize
}

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr, watchProcess))
}

// run executes one command line and returns the exit status. While a verb runs, watch may end the process.
func run(args []string, stdout, stderr io.Writer, watch func(verb any, io *streams) (stop func())) (status int) {
	defer func() {
		if fault := recover(); fault != nil {
			status = reportFault(stderr, fault)
		}
	}()
	exited := false // --help and --version end the program here
	var line commands
	parser, err := kong.New(&line,
		kong.Name("bpielm"),
		kong.Description("Solve linear PDEs from noisy sensor readings: the solution and unknown parameters, with honest uncertainty.\n\nTo begin: bpielm example poisson butterfly && bpielm solve butterfly/problem.toml --out butterfly/out\n\n"+statuses),
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
		io := &streams{stdout, stderr, line.MaxMemory}
		if io.maxMemory == 0 {
			io.maxMemory = mostMemory()
		}
		if watch != nil {
			defer watch(parsed.Selected().Target.Addr().Interface(), io)()
		}
		err = parsed.Run(io)
	}
	if err == nil {
		return 0
	}
	waitIfEnding()
	fmt.Fprintf(stderr, "bpielm: %s\n", oneLine(err))
	return exitStatus(err)
}

// checkKernel refuses a kernel that was asked for and does not run here.
func checkKernel() error {
	if err := asm.EnvironmentError(); err != nil {
		return &inputError{what: "BPIELM_KERNEL", err: err}
	}
	return nil
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
// into it can neither break the line, nor fill the screen, nor steer the terminal.
func oneLine(err error) string {
	return clipped(printable(strings.Join(strings.Fields(err.Error()), " ")), 1000)
}

// clipped is the beginning of a text, of at most so many characters.
func clipped(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
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
