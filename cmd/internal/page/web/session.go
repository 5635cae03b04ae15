package web

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"sync"
	"time"
)

// A session is one page, from its point of view on the network: the calls that are being answered and the streams of
// its events.
type session struct {
	id     string
	engine Session
	end    context.Context // done when the session has ended
	stop   context.CancelFunc

	mu      sync.Mutex
	seen    time.Time // when the page was last heard of
	calls   map[*work]bool
	streams map[*mailbox]bool
}

// work is a call that is being answered.
type work struct {
	cancel  context.CancelCauseFunc
	waiting bool // for its turn
}

// Why the work of a page is cancelled.
var (
	errPageGone = errors.New("the page has been closed")
	errCanceled = errors.New("canceled")
)

// open begins a session.
func (s *Server) open(w http.ResponseWriter, _ *http.Request) {
	if ended := s.makeRoom(); ended != nil {
		ended.finish()
	}
	one := s.begin()
	if one == nil {
		w.Header().Set("Retry-After", "60")
		refuse(w, http.StatusServiceUnavailable, "too many pages are open: close one of them")
		return
	}
	reply(w, map[string]string{"session": one.id})
}

// begin adds a session; nil if there is no room for one.
func (s *Server) begin() *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || len(s.sessions) >= s.limits.sessions {
		return nil
	}
	one := &session{id: rand.Text(), engine: s.Open(), seen: time.Now(), calls: map[*work]bool{}, streams: map[*mailbox]bool{}}
	one.end, one.stop = context.WithCancel(context.Background())
	s.sessions[one.id] = one
	return one
}

// makeRoom takes the session that has been idle for the longest time off the list, if there is room for no other. Its page
// opens another one when it is used again.
func (s *Server) makeRoom() *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sessions) < s.limits.sessions {
		return nil
	}
	var oldest *session
	var since time.Time
	for _, one := range s.sessions {
		if seen, idle := one.idle(); idle && time.Since(seen) > s.limits.grace && (oldest == nil || seen.Before(since)) {
			oldest, since = one, seen
		}
	}
	if oldest != nil {
		delete(s.sessions, oldest.id)
	}
	return oldest
}

// find returns the session that a request names. If there is none it answers the request, and returns nil.
func (s *Server) find(w http.ResponseWriter, r *http.Request) *session {
	s.mu.Lock()
	one := s.sessions[r.URL.Query().Get("session")]
	s.mu.Unlock()
	if one == nil {
		refuse(w, http.StatusGone, "this page has been idle for too long, or the program has been started again: reload the page")
		return nil
	}
	one.mu.Lock()
	one.seen = time.Now()
	one.mu.Unlock()
	return one
}

// close ends a session.
func (s *Server) close(w http.ResponseWriter, r *http.Request) {
	one := s.find(w, r)
	if one == nil {
		return
	}
	s.remove(one)
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) remove(one *session) {
	s.mu.Lock()
	delete(s.sessions, one.id)
	s.mu.Unlock()
	one.finish()
}

// endAll ends all sessions, and lets no other begin.
func (s *Server) endAll() {
	s.mu.Lock()
	s.ended = true
	all := s.sessions
	s.sessions = map[string]*session{}
	s.mu.Unlock()
	for _, one := range all {
		one.finish()
	}
}

// tidy ends sessions that have been idle for too long.
func (s *Server) tidy(ctx context.Context) {
	ticker := time.NewTicker(s.limits.idle/8 + time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		var over []*session
		s.mu.Lock()
		for _, one := range s.sessions {
			if seen, idle := one.idle(); idle && time.Since(seen) > s.limits.idle {
				over = append(over, one)
			}
		}
		s.mu.Unlock()
		for _, one := range over {
			s.remove(one)
		}
	}
}

// idle reports whether nothing goes on, and since when.
func (one *session) idle() (seen time.Time, idle bool) {
	one.mu.Lock()
	defer one.mu.Unlock()
	return one.seen, len(one.calls) == 0 && len(one.streams) == 0
}

// finish cancels all that goes on in a session.
func (one *session) finish() {
	one.stop()
	one.engine.Close()
}

// cancel cancels calls: all, or those that wait for their turn.
func (one *session) cancel(waiting bool, cause error) {
	one.mu.Lock()
	defer one.mu.Unlock()
	for w := range one.calls {
		if w.waiting || !waiting {
			w.cancel(cause)
		}
	}
}

// attach adds a stream of events; nil if there are too many.
func (one *session) attach(most int) *mailbox {
	one.mu.Lock()
	defer one.mu.Unlock()
	if len(one.streams) >= most {
		return nil
	}
	m := newMailbox()
	one.streams[m] = true
	return m
}

// detach ends a stream of events. If it was the last one, and nothing is heard of the page for a while, it has been closed,
// and nobody waits for what is being computed.
func (one *session) detach(m *mailbox, grace time.Duration) {
	one.mu.Lock()
	defer one.mu.Unlock()
	delete(one.streams, m)
	if len(one.streams) > 0 {
		return
	}
	left := time.Now()
	one.seen = left
	time.AfterFunc(grace, func() {
		one.mu.Lock()
		gone := len(one.streams) == 0 && !one.seen.After(left)
		one.mu.Unlock()
		if gone {
			one.cancel(false, errPageGone)
		}
	})
}
