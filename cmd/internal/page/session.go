package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// Session is what one page has open. Its methods are safe for concurrent use: slices and previews of the last solve are
// answered while the next one runs.
type Session struct {
	engine *Engine
	limits Limits
	life   context.Context // until Close
	end    context.CancelFunc

	mu      sync.Mutex
	open    *opened // nil: nothing
	solved  *solved // the last solve, nil: none
	edits   []Edit  // of the last preview, on top of what is open
	opening int     // how often another problem has been opened
	stop    context.CancelFunc
	running int // number of the solve or judge that stop is of

	working chan struct{} // holds one where a solve, a judge or an export of everything works
}

// most is how many bytes a request may have: its files, in JSON, which writes some characters as six.
func (l *Limits) most() int64 { return 6*l.Bytes + 1<<20 }

// Call answers a request. Events come while it does; emit may be nil, and is not called after the return. A request that
// fails, in whatever way, is answered with a Fault; one that ctx, Close or a cancel request ends, with Canceled set.
func (s *Session) Call(ctx context.Context, request []byte, emit func(Event)) (reply Reply) {
	var r Request
	defer func() {
		reply.ID = r.ID
		if fault := recover(); fault != nil {
			reply.OK, reply.Error = nil, &Fault{Message: fmt.Sprintf("a fault of the program: %v; please report it with the problem", fault)}
		}
	}()
	if int64(len(request)) > s.limits.most() {
		return failed(fmt.Errorf("the request has %d bytes; at most %d are possible", len(request), s.limits.most()))
	}
	if err := json.Unmarshal(request, &r); err != nil {
		return failed(fmt.Errorf("the request is not understood: %w", err))
	}
	if emit == nil {
		emit = func(Event) {}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	if s.life.Err() != nil {
		return failed(context.Canceled)
	}
	answer, err := s.answer(ctx, &r, emit)
	if err != nil {
		return failed(err)
	}
	return Reply{OK: answer}
}

// answer does what a request asks for.
func (s *Session) answer(ctx context.Context, r *Request, emit func(Event)) (any, error) {
	switch r.Do {
	case "examples":
		return s.examples()
	case "example":
		return s.example(r.Name)
	case "open":
		return s.openFiles(r.Files, r.Main, nil)
	case "check":
		return s.check(r.Text)
	case "edit":
		return s.edit(r.Edits)
	case "solve":
		return s.solve(ctx, r.What == "again", emit)
	case "judge":
		return s.judge(ctx, emit)
	case "slice":
		return s.slice(ctx, r.Slice)
	case "outline":
		return s.outline(r.Slice)
	case "preview":
		return s.preview(ctx, r.Edits, r.Slice)
	case "place":
		return s.place(ctx, r.Slice, r.Kind, r.Count)
	case "export":
		return s.export(ctx, r.What)
	case "cancel":
		s.cancel()
		return struct{}{}, nil
	}
	return nil, fmt.Errorf("the request %q is not known", clip(r.Do))
}

// Close cancels what runs. Calls that follow are answered with Canceled.
func (s *Session) Close() { s.end() }

// cancel stops a solve or judge.
func (s *Session) cancel() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != nil {
		s.stop()
	}
}

// begin makes a context for long work, which a later begin or a cancel request ends, and waits until the former work is
// out of the way. The work calls end when it is done. It fails where the context ends before.
func (s *Session) begin(ctx context.Context) (own context.Context, end func(), err error) {
	own, stop := context.WithTimeout(ctx, s.limits.Time)
	s.mu.Lock()
	if s.stop != nil {
		s.stop()
	}
	s.running++
	number := s.running
	s.stop = stop
	s.mu.Unlock()
	forget := func() {
		stop()
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.running == number {
			s.stop = nil
		}
	}
	select {
	case s.working <- struct{}{}:
		return own, func() { <-s.working; forget() }, nil
	case <-own.Done():
		forget()
		return nil, nil, own.Err()
	}
}

func (s *Session) examples() (any, error) {
	if s.engine.Examples == nil {
		return []Example{}, nil
	}
	return s.engine.Examples()
}

func (s *Session) example(name string) (any, error) {
	if s.engine.Example == nil {
		return nil, errors.New("there are no examples here")
	}
	files, main, shipped, err := s.engine.Example(name)
	if err != nil {
		return nil, err
	}
	return s.openFiles(files, main, shipped)
}

// snapshot returns what is open and the last solve.
func (s *Session) snapshot() (*opened, *solved, []Edit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open, s.solved, s.edits
}

// readable returns what is open, or why it cannot be read.
func (s *Session) readable() (*opened, error) {
	open, _, _ := s.snapshot()
	switch {
	case open == nil:
		return nil, errors.New("no problem is open")
	case open.fault != nil:
		return nil, open.fault
	}
	return open, nil
}

// last returns the last solve.
func (s *Session) last() (*solved, error) {
	_, solved, _ := s.snapshot()
	if solved == nil {
		return nil, errors.New("nothing has been solved yet")
	}
	return solved, nil
}
