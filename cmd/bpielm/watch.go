package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/bpielm/bpielm/cmd/internal/results"
)

// An interruptible verb handles SIGINT and SIGTERM itself: they end what it follows,
// not the program.
type interruptible interface{ takesInterruptions() bool }

// watchProcess ends the process when a signal asks for it, or when the verb takes
// more time or memory than is allowed.
func watchProcess(verb any, io *streams) (stop func()) {
	stops := []func(){endOnSignals(verb, io.err), watchTime(verb, io.err), watchMemory(io.maxMemory, io.err)}
	return func() {
		for _, stop := range stops {
			stop()
		}
	}
}

// ending is set once the process is about to end.
var ending atomic.Bool

// end ends the process with a line that says why, and what has been written. A result
// that is being committed is completed; any other is discarded.
func end(stderr io.Writer, why string, status int) {
	if ending.Swap(true) {
		select {} // another goroutine is ending it
	}
	fmt.Fprintf(stderr, "bpielm: %s; %s\n", why, whatIsKept(results.Abandon()))
	os.Exit(status)
}

func whatIsKept(paths []string) string {
	if len(paths) == 0 {
		return "nothing has been written; existing files are unchanged"
	}
	return "these files are complete: " + strings.Join(paths, ", ")
}

// waitIfEnding lets the goroutine that ends the process write the last line.
func waitIfEnding() {
	if ending.Load() {
		select {}
	}
}

// endOnSignals makes SIGINT and SIGTERM end the process with status 1.
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
			end(stderr, s.String(), exitFailure)
		}
	}()
	return func() {
		signal.Stop(signals)
		close(stopped)
	}
}

// watchTime ends the process when it takes longer than is allowed.
func watchTime(verb any, stderr io.Writer) (stop func()) {
	limited, ok := verb.(interface{ timeLimit() time.Duration })
	if !ok || limited.timeLimit() == 0 {
		return func() {}
	}
	timer := time.AfterFunc(limited.timeLimit(), func() {
		end(stderr, fmt.Sprintf("it takes longer than the %s that are allowed (see --max-time)", limited.timeLimit()), exitLimit)
	})
	return func() { timer.Stop() }
}

// watchMemory ends the process when it uses more memory than is allowed, even if the
// estimate said that it would not. The system would kill it without a message.
func watchMemory(most memorySize, stderr io.Writer) (stop func()) {
	if most <= 0 {
		return func() {}
	}
	before := debug.SetMemoryLimit(-1)
	if before == math.MaxInt64 { // GOMEMLIMIT has not been set
		debug.SetMemoryLimit(int64(0.9 * float64(most))) // collect garbage first
	}
	const interval = 20 * time.Millisecond
	ticker, stopped := time.NewTicker(interval), make(chan struct{})
	taken := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	go func() {
		for {
			select {
			case <-stopped:
				return
			case <-ticker.C:
			}
			metrics.Read(taken)
			if now := memorySize(taken[0].Value.Uint64() - taken[1].Value.Uint64()); now > most {
				end(stderr, fmt.Sprintf("it takes %s of memory; %s are allowed (see --max-memory)", now, most), exitLimit)
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(stopped)
		debug.SetMemoryLimit(before)
	}
}
