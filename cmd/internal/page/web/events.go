package web

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/bpielm/bpielm/cmd/internal/page"
)

// A mailbox holds the last event of each kind that a stream has not sent yet. A page that is slow misses events between,
// and one that does not read at all costs no more memory than that.
type mailbox struct {
	mu     sync.Mutex
	latest map[string][]byte
	order  []string // the kinds in latest
	ready  chan struct{}
}

// mostKinds is more than there are.
const mostKinds = 16

func newMailbox() *mailbox {
	return &mailbox{latest: map[string][]byte{}, ready: make(chan struct{}, 1)}
}

// put replaces the event of a kind.
func (m *mailbox) put(kind string, text []byte) {
	m.mu.Lock()
	if _, there := m.latest[kind]; !there && len(m.order) < mostKinds {
		m.order = append(m.order, kind)
	}
	m.latest[kind] = text
	m.mu.Unlock()
	select {
	case m.ready <- struct{}{}:
	default:
	}
}

// take empties the mailbox.
func (m *mailbox) take() (texts [][]byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, kind := range m.order {
		texts = append(texts, m.latest[kind])
	}
	m.order = m.order[:0]
	clear(m.latest)
	return texts
}

// emit gives an event to all streams of a session.
func (one *session) emit(e page.Event) {
	text, err := json.Marshal(e)
	if err != nil {
		return // a number that is not finite; the next event will do
	}
	one.deliver(e.Event, text)
}

func (one *session) deliver(kind string, text []byte) {
	one.mu.Lock()
	defer one.mu.Unlock()
	for m := range one.streams {
		m.put(kind, text)
	}
}

// events sends the events of a session as they happen.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet { // the pattern admits HEAD, too
		refuse(w, http.StatusMethodNotAllowed, "events can only be read")
		return
	}
	one := s.find(w, r)
	if one == nil {
		return
	}
	box := one.attach(s.limits.streams)
	if box == nil {
		refuse(w, http.StatusTooManyRequests, "the page reads its events too often at once")
		return
	}
	defer one.detach(box, s.limits.grace)
	s.greet(box)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // a proxy must not hold events back
	out := &stream{w, http.NewResponseController(w), s.limits.transfer}
	if out.send([]byte("retry: 1000\n\n")) != nil {
		return
	}
	sign := time.NewTicker(s.limits.heartbeat)
	defer sign.Stop()
	for {
		var err error
		select {
		case <-r.Context().Done():
			return
		case <-one.end.Done():
			return
		case <-sign.C: // without it, nobody would notice that the page has gone
			err = out.send([]byte(": alive\n\n"))
		case <-box.ready:
			var text []byte
			for _, event := range box.take() {
				text = append(append(append(text, "data: "...), event...), "\n\n"...)
			}
			if err = out.send(text); err == nil {
				err = pause(r.Context(), s.limits.pace)
			}
		}
		if err != nil {
			return
		}
	}
}

// pause waits, or fails when ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// stream is the answer that events are sent with.
type stream struct {
	http.ResponseWriter
	control *http.ResponseController
	most    time.Duration // that a page may take to read what is sent
}

func (o *stream) send(text []byte) error {
	o.control.SetReadDeadline(time.Time{})
	o.control.SetWriteDeadline(time.Now().Add(o.most))
	if _, err := o.Write(text); err != nil {
		return err
	}
	return o.control.Flush()
}

// greet gives a new page the present estimate, or has it made.
func (s *Server) greet(box *mailbox) {
	if s.Live == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.present != nil {
		box.put("estimate", s.present)
		return
	}
	select {
	case s.poke <- struct{}{}:
	default:
	}
}

// pump sends the state of the stream of readings to all pages, not too often, and not while there are none.
func (s *Server) pump(ctx context.Context) {
	if s.Live == nil {
		return
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.Live.Changed():
		case <-s.poke:
		}
		if !s.watched() {
			s.mu.Lock()
			s.present = nil
			s.mu.Unlock()
			continue
		}
		s.publish(s.Live.Estimate())
		if pause(ctx, s.limits.livePace) != nil {
			return
		}
	}
}

func (s *Server) watched() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.sessions {
		one.mu.Lock()
		n := len(one.streams)
		one.mu.Unlock()
		if n > 0 {
			return true
		}
	}
	return false
}

func (s *Server) publish(e *page.Estimate) {
	text, err := json.Marshal(page.Event{Event: "estimate", Estimate: e})
	if err != nil {
		return // a number that is not finite; the next estimate will do
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.present = text
	for _, one := range s.sessions {
		one.deliver("estimate", text)
	}
}
