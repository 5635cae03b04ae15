package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/bpielm/bpielm/bench/paired"
	"github.com/bpielm/bpielm/bench/regress"
	"github.com/bpielm/bpielm/cmd/internal/feed"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// Exit statuses.
const (
	exitFailure  = 1 // the program could not finish (a full disk, an interruption), or bench found something slower
	exitBadInput = 2
	exitVerdict  = 3 // with --strict
	exitFault    = 4 // a bug
	exitLimit    = 5 // memory, points, sizes or time
)

// statuses says the same in --help.
const statuses = "Exit status: 0 success; 1 the program could not finish (a full disk, an interruption), or bench found something slower; 2 bad input; 3 with solve --strict, the answer is not to be trusted; 4 a fault of the program; 5 over a limit (--max-memory, --sandbox)."

// exitStatus returns the exit status for an error: it separates wrong input and
// limits from other failures.
func exitStatus(err error) int {
	var (
		usage   *kong.ParseError
		input   *inputError
		file    *spec.Error
		problem *system.ProblemError
		data    *posterior.DataError
		config  *posterior.ConfigError
		astray  *posterior.ConvergenceError
		model   *posterior.FileError
		results *regress.FileError
		stream  *feed.Error
		version *paired.Error
	)
	var (
		limit  *limitError
		memory *posterior.MemoryError
	)
	isFile := errors.As(err, &file)
	switch {
	case errors.Is(err, errVerdict):
		return exitVerdict
	case errors.As(err, &limit) || errors.As(err, &memory) || isFile && file.Limit:
		return exitLimit
	}
	for _, target := range []any{&usage, &input, &file, &problem, &data, &config, &astray, &model, &results, &stream, &version} {
		if errors.As(err, target) {
			return exitBadInput
		}
	}
	return exitFailure
}

// inputError refuses what the user gave: a file that cannot be opened, or arguments
// that do not go together. It has a message of its own, wraps another error, or both.
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

func refuse(format string, args ...any) error {
	return &inputError{what: fmt.Sprintf(format, args...)}
}

// reportsTo is where users report bugs.
const reportsTo = "https://github.com/bpielm/bpielm/issues"

// reportFault says in one line what the program panicked with, and where.
func reportFault(w io.Writer, fault any) int {
	what := strings.Join(strings.Fields(format.Printable(fmt.Sprint(fault))), " ")
	fmt.Fprintf(w, "bpielm: internal error%s: %s; this is a fault of the program, not of your files: please report this line, the command and its files to %s\n", faultPlace(), what, reportsTo)
	return exitFault
}

// faultPlace returns the innermost line of this module that panicked. It must be
// called by the deferred function.
func faultPlace() string {
	const module = "github.com/bpielm/bpielm/"
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	panicked := false
	for {
		frame, more := frames.Next()
		if panicked && strings.HasPrefix(frame.Function, module) {
			name := frame.File[strings.LastIndexByte(frame.File, '/')+1:]
			function := strings.TrimPrefix(frame.Function, module)
			return fmt.Sprintf(" in %s (%s:%d)", function, name, frame.Line)
		}
		panicked = panicked || frame.Function == "runtime.gopanic"
		if !more {
			return ""
		}
	}
}
