package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/bpielm/bpielm/cmd/internal/results"
)

// A verb that takes interruptions itself says so: they end what it follows, not the program.
type interruptible interface{ takesInterruptions() bool }

// ending is set once the program is about to end by a signal.
var ending atomic.Bool

// endOnSignals lets SIGINT and SIGTERM end the program with status 1 and a line that says what is
// kept: a result that is being put in place is completed, any other is discarded.
func endOnSignals(verb any, stderr io.Writer) (stop func()) {
	if v, ok := verb.(interruptible); ok && v.takesInterruptions() {
		return func() {}
	}
	signals, stopped := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-stopped:
		case s := <-signals:
			ending.Store(true)
			fmt.Fprintf(stderr, "bpielm: %s; %s\n", s, whatIsKept(results.Abandon()))
			os.Exit(exitFailure)
		}
	}()
	return func() {
		signal.Stop(signals)
		close(stopped)
	}
}

func whatIsKept(paths []string) string {
	if len(paths) == 0 {
		return "nothing has been written, and files that were there are as they were"
	}
	return "these files are whole: " + strings.Join(paths, ", ")
}

// waitIfEnding leaves the last word to the signal.
func waitIfEnding() {
	if ending.Load() {
		select {}
	}
}
