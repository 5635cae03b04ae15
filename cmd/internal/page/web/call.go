package web

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/bpielm/bpielm/cmd/internal/page"
)

// call hands a request to the engine.
func (s *Server) call(w http.ResponseWriter, r *http.Request) {
	one := s.find(w, r)
	if one == nil {
		return
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	defer context.AfterFunc(one.end, func() { cancel(errPageGone) })()
	this := &work{cancel: cancel}
	one.mu.Lock()
	full := len(one.calls) >= s.limits.calls
	if !full {
		one.calls[this] = true
	}
	one.mu.Unlock()
	if full {
		refuse(w, http.StatusTooManyRequests, "the page asks for too much at once")
		return
	}
	defer func() {
		one.mu.Lock()
		delete(one.calls, this)
		one.seen = time.Now()
		one.mu.Unlock()
	}()
	body, err := io.ReadAll(io.LimitReader(r.Body, s.limits.body+1))
	switch {
	case int64(len(body)) > s.limits.body:
		io.CopyN(io.Discard, r.Body, s.limits.body) // a browser that is still sending reads no answer
		refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the problem and its tables have more than %d MiB, which is too much for a page", s.limits.body>>20))
		return
	case err != nil:
		refuse(w, http.StatusBadRequest, "the request has been cut off")
		return
	}
	c := http.NewResponseController(w)
	c.SetReadDeadline(time.Time{}) // from here on, only the end of the connection ends the call
	answer := s.answer(ctx, one, this, body)
	c.SetWriteDeadline(time.Now().Add(s.limits.transfer))
	reply(w, answer)
}

// answer has the engine answer a request, when it is its turn.
func (s *Server) answer(ctx context.Context, one *session, this *work, body []byte) page.Reply {
	var request struct {
		ID int    `json:"id"`
		Do string `json:"do"`
	}
	json.Unmarshal(body, &request) // the engine says what is wrong with it
	switch request.Do {
	case "cancel":
		one.cancel(true, errCanceled) // the engine does not know of these
	case "solve", "judge", "export":
		leave, err := s.turn(ctx, one, this)
		if err != nil {
			return page.Reply{ID: request.ID, Error: &page.Fault{Message: context.Cause(ctx).Error(), Canceled: true}}
		}
		defer leave()
	}
	return calling(ctx, one, body, request.ID)
}

// calling is a call of the engine. A panic, which is a fault of the program, ends neither it nor the page.
func calling(ctx context.Context, one *session, body []byte, id int) (answer page.Reply) {
	defer func() {
		if fault := recover(); fault != nil {
			answer = page.Reply{ID: id, Error: &page.Fault{Message: fmt.Sprintf("internal error: %v", fault)}}
		}
	}()
	return one.engine.Call(ctx, body, one.emit)
}

// turn waits until fewer solves run than are allowed, and tells the page how many come before.
func (s *Server) turn(ctx context.Context, one *session, this *work) (leave func(), err error) {
	mark := func(waiting bool) {
		one.mu.Lock()
		this.waiting = waiting
		one.mu.Unlock()
	}
	mark(true)
	defer mark(false)
	return s.gate.enter(ctx, func(before int) { one.emit(page.Event{Event: "progress", Waits: before}) })
}
