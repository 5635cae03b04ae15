package feed

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/bpielm/bpielm/system/readings"
)

// ErrStopped ends a stream that was asked to stop.
var ErrStopped = readings.ErrStopped

// Interrupted returns a channel that is closed by the first SIGINT or SIGTERM. The
// next one kills the process.
func Interrupted() <-chan struct{} {
	stop, signals := make(chan struct{}), make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		signal.Stop(signals)
		close(stop)
	}()
	return stop
}

// Until returns a reader of r that ends with ErrStopped once stop is closed and
// everything read before has been returned. It ends even while a read of r is waiting
// for data.
func Until(r io.Reader, stop <-chan struct{}) io.Reader {
	u := &until{stop: stop, chunks: make(chan chunk), over: make(chan struct{})}
	go u.read(r)
	return u
}

type until struct {
	stop   <-chan struct{}
	chunks chan chunk
	over   chan struct{} // closed when chunks are no longer received

	rest []byte
	err  error
}

type chunk struct {
	data []byte
	err  error
}

const (
	chunkSize = 1 << 12
	// lastChunk is how long to wait, after stop, for a chunk that has just been read.
	lastChunk = 100 * time.Millisecond
)

func (u *until) read(r io.Reader) {
	// One is being consumed while the other is filled.
	buffers := [2][]byte{make([]byte, chunkSize), make([]byte, chunkSize)}
	for i := 0; ; i = 1 - i {
		n, err := r.Read(buffers[i])
		select {
		case u.chunks <- chunk{buffers[i][:n], err}:
		case <-u.over:
			return
		}
		if err != nil {
			return
		}
	}
}

func (u *until) Read(p []byte) (int, error) {
	for len(u.rest) == 0 && u.err == nil {
		select {
		case <-u.stop:
			u.finish()
			continue
		default:
		}
		select {
		case c := <-u.chunks:
			u.rest, u.err = c.data, c.err
		case <-u.stop:
		}
	}
	if len(u.rest) == 0 {
		return 0, u.err
	}
	n := copy(p, u.rest)
	u.rest = u.rest[n:]
	return n, nil
}

// finish takes a chunk that has already been read.
func (u *until) finish() {
	u.err = ErrStopped
	select {
	case c := <-u.chunks:
		u.rest = c.data
	case <-time.After(lastChunk):
	}
	close(u.over)
}

// Line is a record, or why there is none. The record is valid until the next line.
type Line struct {
	Record
	Err error
}

// Lines reads r in a separate goroutine until quit is closed or reading fails, for
// callers that have other work while they wait. The last line has an error other than
// an *Error.
func Lines(r *readings.Reader, quit <-chan struct{}) <-chan Line {
	lines := make(chan Line)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				send(lines, Line{Err: &Crash{fmt.Sprintf("%v\n%s", p, debug.Stack())}}, quit)
			}
		}()
		var at [2][]float64 // one is in use while the other is filled
		for i := 0; ; i = 1 - i {
			record, err := r.Next()
			line := Line{*record, err}
			at[i] = append(at[i][:0], record.At...)
			line.At = at[i]
			if !send(lines, line, quit) {
				return
			}
			var bad *Error
			if err != nil && !errors.As(err, &bad) {
				return
			}
		}
	}()
	return lines
}

func send(lines chan<- Line, line Line, quit <-chan struct{}) bool {
	select {
	case lines <- line:
		return true
	case <-quit:
		return false
	}
}

// Crash is a panic while lines were read.
type Crash struct{ What string }

func (e *Crash) Error() string { return e.What }
