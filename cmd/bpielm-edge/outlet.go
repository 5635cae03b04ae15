package main

import (
	"errors"
	"io"
	"slices"
	"time"
)

// patience is how long the program, once asked to end, waits for the reader of its log.
const patience = 2 * time.Second

var errNobodyReads = errors.New("nobody reads the log; its last lines are lost")

// outlet writes in a separate goroutine. A slow reader slows the program down, but a
// reader that has stopped reading cannot keep it from ending.
type outlet struct {
	queue  chan []byte
	ended  chan struct{} // when all has been written, or writing has failed
	err    error         // of writing; to be read after that
	giveUp <-chan struct{}
}

// queued is how many pieces of a log may wait to be written.
const queued = 16

func newOutlet(w io.Writer, giveUp <-chan struct{}) *outlet {
	o := &outlet{queue: make(chan []byte, queued), ended: make(chan struct{}), giveUp: giveUp}
	go func() {
		defer close(o.ended)
		for piece := range o.queue {
			if _, o.err = w.Write(piece); o.err != nil {
				return
			}
		}
	}()
	return o
}

func (o *outlet) Write(p []byte) (int, error) {
	select {
	case <-o.ended: // what is queued now would never be written
		return 0, o.err
	default:
	}
	select {
	case o.queue <- slices.Clone(p):
		return len(p), nil
	case <-o.ended:
		return 0, o.err
	case <-o.giveUp:
		return 0, errNobodyReads
	}
}

// Close waits until all has been written.
func (o *outlet) Close() error {
	close(o.queue)
	select {
	case <-o.ended:
		return o.err
	case <-o.giveUp:
		return errNobodyReads
	}
}

// after returns a channel that is closed a while after another one.
func after(c <-chan struct{}, wait time.Duration) <-chan struct{} {
	later := make(chan struct{})
	go func() {
		<-c
		time.Sleep(wait)
		close(later)
	}()
	return later
}
