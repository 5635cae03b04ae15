package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/alecthomas/kong"

	"github.com/bpielm/bpielm"
	"github.com/bpielm/bpielm/cmd/internal/handbook"
	"github.com/bpielm/bpielm/mat/asm"
)

// commands is the command line.
type commands struct {
	Solve      solveCommand      `cmd:"" help:"Infer the solution and the unknown parameters of a problem."`
	Check      checkCommand      `cmd:"" help:"Read a problem and say what was understood."`
	Predict    predictCommand    `cmd:"" help:"Evaluate a stored model, or any expression of its fields, at points or as time series."`
	Report     reportCommand     `cmd:"" help:"Make one HTML page of a results folder."`
	Compile    compileCommand    `cmd:"" help:"Compile the physics of a problem, for assimilate on any machine."`
	Assimilate assimilateCommand `cmd:"" help:"Add readings to compiled physics, as they come."`
	Place      placeCommand      `cmd:"" help:"Say where further sensors would help most."`
	Example    exampleCommand    `cmd:"" help:"Write an example problem with fresh simulated sensors."`
	Serve      serveCommand      `cmd:"" help:"Open a problem as a page in the browser, to see it and to try changes."`
	CPU        cpuCommand        `cmd:"" name:"cpu" help:"Say which kernels run on this machine."`
	Calibrate  calibrateCommand  `cmd:"" help:"Count how often the 95 % bands hold, on random problems with known solutions."`
	Bench      benchCommand      `cmd:"" help:"Measure how fast this machine is, and find regressions."`
	Paper      paperCommand      `cmd:"" help:"Repeat the numerical study of the paper: its tables and figures."`

	Completion completionCommand `cmd:"" help:"Print a script that completes command lines in bash, zsh or fish."`
	Manual     manualCommand     `cmd:"" help:"Print the manual page, for man."`
	Help       helpCommand       `cmd:"" name:"help" help:"Explain a verb, the keys of problem files, or what expressions may contain."`

	MaxMemory memorySize       `placeholder:"SIZE" help:"Refuse what would need more memory than this, for example 4GiB; default: nine tenths of the memory of the machine or its container."`
	Version   kong.VersionFlag `help:"Print the version and exit."`
}

// streams are the program's standard output and error, with the memory that it may
// use; 0 means any amount.
type streams struct {
	out, err  io.Writer
	maxMemory memorySize
	terminal  bool // out is read by a person
}

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr, watchProcess))
}

// run executes one command line and returns the exit status. While a verb runs,
// watch may end the process; nil watches nothing.
func run(args []string, stdout, stderr io.Writer, watch func(verb any, io *streams) (stop func())) (status int) {
	defer func() {
		if fault := recover(); fault != nil {
			status = reportFault(stderr, fault)
		}
	}()
	if len(args) == 0 {
		args = []string{"--help"}
	}
	exited := false // --help and --version end here
	var line commands
	parser, err := kong.New(&line,
		kong.Name("bpielm"),
		kong.Description("Infer the solution of differential equations, and unknown parameters, from noisy sensor readings, with honest uncertainty.\n\nTo begin:\n  bpielm example poisson butterfly\n  bpielm solve butterfly --out butterfly/out\n\nTo write a problem file: bpielm help problem.\n\n"+statuses),
		kong.Vars{"version": version()},
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exited, status = true, code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: handbook.Width}),
	)
	if err != nil {
		panic(err) // the grammar itself is wrong
	}
	parsed, err := parser.Parse(joined(args))
	if exited {
		return status
	}
	if err != nil {
		err = plainUsage(err)
	} else {
		err = checkKernel()
	}
	if err == nil {
		io := &streams{stdout, stderr, line.MaxMemory, isTerminal(stdout)}
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

// joined writes --measures EXPRESSION as --measures=EXPRESSION: an expression may begin
// with a minus, and is then no flag.
func joined(args []string) []string {
	const flag = "--measures"
	var list []string
	for i := 0; i < len(args); i++ {
		if args[i] == flag && i+1 < len(args) {
			i++
			list = append(list, flag+"="+args[i])
			continue
		}
		list = append(list, args[i])
	}
	return list
}

// checkKernel refuses a kernel that was asked for and that does not run here.
func checkKernel() error {
	if err := asm.EnvironmentError(); err != nil {
		return &inputError{what: "BPIELM_KERNEL", err: err}
	}
	return nil
}

// version says which version this is and, where the build knows it, of which commit.
func version() string {
	commit := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision" && len(s.Value) >= 12:
				commit = " " + s.Value[:12]
			case s.Key == "vcs.modified" && s.Value == "true":
				commit += " with changes"
			}
		}
	}
	return fmt.Sprintf("bpielm %s%s %s %s/%s", bpielm.Version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
