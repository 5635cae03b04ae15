package web

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/bpielm/bpielm/cmd/internal/page"
)

// fake is an engine whose solves last until they are let go or cancelled.
type fake struct {
	let               chan struct{} // a value lets one solve go
	running, most     atomic.Int32
	opened, closed    atomic.Int32
	canceled, started atomic.Int32
}

type fakeSession struct{ of *fake }

func (f *fake) open() Session {
	f.opened.Add(1)
	return &fakeSession{f}
}

func (s *fakeSession) Close() { s.of.closed.Add(1) }

func (s *fakeSession) Call(ctx context.Context, text []byte, emit func(page.Event)) page.Reply {
	var r page.Request
	if err := json.Unmarshal(text, &r); err != nil {
		return page.Reply{Error: &page.Fault{Message: err.Error()}}
	}
	switch r.Do {
	case "solve":
		n := s.of.running.Add(1)
		defer s.of.running.Add(-1)
		for m := s.of.most.Load(); n > m && !s.of.most.CompareAndSwap(m, n); m = s.of.most.Load() {
		}
		s.of.started.Add(1)
		emit(page.Event{Event: "progress", Share: 0.25})
		select {
		case <-s.of.let:
			return page.Reply{ID: r.ID, OK: page.Answer{Neurons: 7}}
		case <-ctx.Done():
			s.of.canceled.Add(1)
			return page.Reply{ID: r.ID, Error: &page.Fault{Message: context.Cause(ctx).Error(), Canceled: true}}
		}
	case "panic":
		panic("a bug")
	case "flood":
		for i := range 100_000 {
			emit(page.Event{Event: "progress", Share: float64(i)})
		}
	}
	return page.Reply{ID: r.ID, OK: r.Do}
}

var files = fstest.MapFS{
	"index.html":    {Data: []byte("<!doctype html><title>page</title>" + strings.Repeat("<p>text</p>", 500))},
	"app.js":        {Data: []byte("export {}")},
	"sub/deep.wasm": {Data: []byte("\x00asm")},
}

// site is a server on this machine, with its clients.
type site struct {
	t      *testing.T
	server *Server
	engine *fake
	url    string
	client *http.Client
	stop   func() error // ends the server
}

// serve starts a server; change may shorten its limits.
func serve(t *testing.T, c Config, change func(*limits)) *site {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	engine := &fake{let: make(chan struct{}, 100)}
	c.Open, c.Static, c.Version, c.Address = engine.open, files, "1.2.3", l.Addr().String()
	server, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&server.limits)
		server.gate.places = server.limits.solves
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, l) }()
	s := &site{t: t, server: server, engine: engine, url: "http://" + l.Addr().String(), client: &http.Client{Transport: &http.Transport{}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	s.stop = sync.OnceValue(func() error {
		cancel()
		defer s.client.CloseIdleConnections()
		return <-ended
	})
	t.Cleanup(func() { s.stop() })
	return s
}

// ask makes a request with some header fields, "Name: value".
func (s *site) ask(method, path string, body string, fields ...string) (status int, header http.Header, text string) {
	s.t.Helper()
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, f := range fields {
		name, value, _ := strings.Cut(f, ": ")
		if name == "Host" {
			r.Host = value
			continue
		}
		r.Header.Set(name, value)
	}
	answer, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, string(content)
}

// open opens a session.
func (s *site) open() string {
	s.t.Helper()
	status, _, text := s.ask("POST", "/api/open", "")
	var opened struct{ Session string }
	if err := json.Unmarshal([]byte(text), &opened); err != nil || status != http.StatusOK || opened.Session == "" {
		s.t.Fatalf("status %d, %q", status, text)
	}
	return opened.Session
}

// call calls the engine in the background; the channel gets the body of the answer, or an error.
func (s *site) call(ctx context.Context, session, request string) <-chan string {
	answers := make(chan string, 1)
	go func() {
		r, err := http.NewRequestWithContext(ctx, "POST", s.url+"/api/call?session="+session, strings.NewReader(request))
		if err != nil {
			answers <- "error: " + err.Error()
			return
		}
		answer, err := s.client.Do(r)
		if err != nil {
			answers <- "error: " + err.Error()
			return
		}
		defer answer.Body.Close()
		text, _ := io.ReadAll(answer.Body)
		answers <- string(text)
	}()
	return answers
}

// events reads the events of a session until the returned function is called or the stream ends; then the channel is closed.
func (s *site) events(session string) (events <-chan page.Event, leave func()) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, "GET", s.url+"/api/events?session="+session, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	answer, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	if kind := answer.Header.Get("Content-Type"); answer.StatusCode != http.StatusOK || kind != "text/event-stream" {
		s.t.Fatalf("status %d, %s", answer.StatusCode, kind)
	}
	out := make(chan page.Event, 1000)
	go func() {
		defer close(out)
		defer answer.Body.Close()
		lines := bufio.NewScanner(answer.Body)
		lines.Buffer(nil, 1<<22)
		for lines.Scan() {
			text, found := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
			if !found {
				continue
			}
			var e page.Event
			if err := json.Unmarshal(text, &e); err != nil {
				e.Event = "not JSON: " + err.Error()
			}
			select {
			case out <- e:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out, cancel
}

// within waits until something is so.
func within(t *testing.T, most time.Duration, what string, so func() bool) {
	t.Helper()
	for begin := time.Now(); !so(); time.Sleep(time.Millisecond) {
		if time.Since(begin) > most {
			t.Fatalf("after %v: not %s", most, what)
		}
	}
}

// receive returns the next value of a channel.
func receive[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(10 * time.Second):
		buffer := make([]byte, 1<<16)
		t.Fatalf("no %s\n%s", what, buffer[:runtime.Stack(buffer, true)])
		panic(fmt.Sprint("unreachable"))
	}
}
