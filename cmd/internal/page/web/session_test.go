package web

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bpielm/bpielm/cmd/internal/page"
)

func TestPingSaysWhatIsServed(t *testing.T) {
	s := serve(t, Config{}, nil)
	if status, _, text := s.ask("GET", "/api/ping", ""); status != 200 || text != `{"bpielm":"1.2.3","live":false}` {
		t.Errorf("status %d, %q", status, text)
	}
	if status, _, _ := s.ask("GET", "/api/ping?session=absent", ""); status != http.StatusGone {
		t.Errorf("status %d", status)
	}
}

// A call is answered with what the engine says, and a fault of the engine costs that call alone.
func TestCallsReachTheEngine(t *testing.T) {
	s := serve(t, Config{}, nil)
	session := s.open()
	for request, want := range map[string]string{
		`{"id":4,"do":"check"}`: `{"id":4,"ok":"check"}`,
		`{"id":5,"do":"panic"}`: `{"id":5,"error":{"message":"internal error: a bug"}}`,
		`{"id":6,"do":"check"}`: `{"id":6,"ok":"check"}`,
		`not JSON`:              `"error":{"message":"invalid character`,
	} {
		status, h, got := s.ask("POST", "/api/call?session="+session, request)
		if status != 200 || !strings.Contains(got, want) || h.Get("Content-Type") != "application/json" {
			t.Errorf("%s: status %d, %s", request, status, got)
		}
	}
	if status, _, text := s.ask("POST", "/api/call?session=absent", "{}"); status != http.StatusGone || !strings.Contains(text, `{"message":"this page has been idle`) {
		t.Errorf("status %d, %s", status, text)
	}
	if status, _, _ := s.ask("POST", "/api/close?session="+session, ""); status != http.StatusNoContent {
		t.Errorf("status %d", status)
	}
	if status, _, _ := s.ask("POST", "/api/call?session="+session, "{}"); status != http.StatusGone || s.engine.closed.Load() != 1 {
		t.Errorf("after its end: status %d", status)
	}
}

func TestLargeBodiesAreRefused(t *testing.T) {
	s := serve(t, Config{}, nil)
	session := s.open()
	status, _, text := s.ask("POST", "/api/call?session="+session, strings.Repeat(" ", 32<<20+1))
	if status != http.StatusRequestEntityTooLarge || !strings.Contains(text, "more than 32 MiB") {
		t.Errorf("status %d, %s", status, text)
	}
	if status, _, _ := s.ask("POST", "/api/call?session="+session, strings.Repeat(" ", 1<<20)+`{"do":"check"}`); status != 200 {
		t.Errorf("status %d", status)
	}
	long, err := http.NewRequest("GET", s.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	long.Header.Set("X-Long", strings.Repeat("x", 1<<18))
	if answer, err := s.client.Do(long); err == nil { // otherwise the connection is closed while it is sent
		answer.Body.Close()
		if answer.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("a long header: status %d", answer.StatusCode)
		}
	}
}

// TestTwoPages solve at once, each with its own events; a third solve waits, and says so.
func TestTwoPages(t *testing.T) {
	s := serve(t, Config{}, func(l *limits) { l.solves = 2 })
	ctx := context.Background()
	first, second := s.open(), s.open()
	events1, leave1 := s.events(first)
	defer leave1()
	events2, leave2 := s.events(second)
	defer leave2()
	a := s.call(ctx, first, `{"id":1,"do":"solve"}`)
	b := s.call(ctx, second, `{"id":2,"do":"solve"}`)
	for _, events := range []<-chan page.Event{events1, events2} {
		if e := receive(t, events, "progress"); e.Event != "progress" || e.Share != 0.25 {
			t.Errorf("%+v", e)
		}
	}
	c := s.call(ctx, first, `{"id":3,"do":"solve"}`)
	if e := receive(t, events1, "progress of what waits"); e.Waits != 2 {
		t.Errorf("%+v", e)
	}
	if status, _, text := s.ask("POST", "/api/call?session="+first, `{"id":9,"do":"slice"}`); status != 200 || !strings.Contains(text, `"ok":"slice"`) {
		t.Errorf("while it solves: status %d, %s", status, text)
	}
	s.engine.let <- struct{}{}
	if e := receive(t, events1, "progress of the third"); e.Share != 0.25 && e.Waits != 1 {
		t.Errorf("%+v", e)
	}
	s.engine.let <- struct{}{}
	s.engine.let <- struct{}{}
	for _, answer := range []<-chan string{a, b, c} {
		if text := receive(t, answer, "answer"); !strings.Contains(text, `"neurons":7`) {
			t.Error(text)
		}
	}
	if most := s.engine.most.Load(); most != 2 {
		t.Errorf("%d solves ran at once", most)
	}
	select {
	case e := <-events2:
		t.Errorf("the second page gets %+v", e)
	default:
	}
}

// TestSolvesComeInTheirTurn, and one that is given up while it waits holds nobody up.
func TestSolvesComeInTheirTurn(t *testing.T) {
	s := serve(t, Config{}, func(l *limits) { l.solves = 1 })
	ctx := context.Background()
	one, two, three := s.open(), s.open(), s.open()
	a := s.call(ctx, one, `{"id":1,"do":"solve"}`)
	within(t, 5*time.Second, "running", func() bool { return s.engine.running.Load() == 1 })
	waiting := func(n int) {
		within(t, 5*time.Second, fmt.Sprintf("%d waiting", n), func() bool {
			s.server.gate.mu.Lock()
			defer s.server.gate.mu.Unlock()
			return len(s.server.gate.queue) == n
		})
	}
	b := s.call(ctx, two, `{"id":2,"do":"judge"}`)
	waiting(1)
	patient, giveUp := context.WithCancel(ctx)
	c := s.call(patient, three, `{"id":3,"do":"solve"}`)
	waiting(2)
	giveUp()
	receive(t, c, "end")
	waiting(1)
	if _, _, text := s.ask("POST", "/api/call?session="+two, `{"id":4,"do":"cancel"}`); !strings.Contains(text, `"ok"`) {
		t.Error(text)
	}
	if text := receive(t, b, "answer"); !strings.Contains(text, `{"id":2,"error":{"message":"canceled","canceled":true}}`) {
		t.Error(text)
	}
	waiting(0)
	s.engine.let <- struct{}{}
	receive(t, a, "answer")
	d := s.call(ctx, two, `{"id":5,"do":"judge"}`)
	if text := receive(t, d, "answer"); !strings.Contains(text, "judge") {
		t.Error(text)
	}
}

// TestClosingAPageCancelsItsWork: at once when the connection of the call ends, and otherwise soon after that of the
// events has, unless the page is heard of.
func TestClosingAPageCancelsItsWork(t *testing.T) {
	s := serve(t, Config{}, nil)
	from, before := time.Now(), s.engine.canceled.Load()
	gone := func() {
		t.Helper()
		from = time.Now()
		const loaded = 10 * time.Second // it takes half a second; a machine may have much else to do
		within(t, loaded, "cancelled", func() bool { return s.engine.canceled.Load() > before })
	}
	begin := func(ctx context.Context, session string) <-chan string {
		t.Helper()
		n := s.engine.started.Load()
		before = s.engine.canceled.Load() // a connection that ends may be noticed before anyone asks
		answer := s.call(ctx, session, `{"do":"solve"}`)
		within(t, 5*time.Second, "running", func() bool { return s.engine.started.Load() > n })
		return answer
	}
	one := s.open()
	ctx, leave := context.WithCancel(context.Background())
	begin(ctx, one)
	leave()
	gone() // the connection of the call
	_, leaveEvents := s.events(one)
	answer := begin(context.Background(), one)
	leaveEvents()
	gone() // that of the events
	if text := receive(t, answer, "answer"); !strings.Contains(text, "the page has been closed") {
		t.Error(text)
	}
	t.Logf("cancelled %v after the events ended", time.Since(from))
	answer = begin(context.Background(), one)
	go s.ask("POST", "/api/close?session="+one, "")
	gone() // it says so
	receive(t, answer, "answer")

	// A page that comes back within a moment, or that says that it is there, goes on.
	two := s.open()
	_, leaveEvents = s.events(two)
	answer = begin(context.Background(), two)
	leaveEvents()
	_, leaveEvents = s.events(two)
	time.Sleep(s.server.limits.grace + 200*time.Millisecond)
	leaveEvents()
	for range 4 {
		time.Sleep(s.server.limits.grace / 3)
		s.ask("GET", "/api/ping?session="+two, "")
	}
	s.engine.let <- struct{}{}
	if text := receive(t, answer, "answer"); !strings.Contains(text, `"neurons":7`) {
		t.Error(text)
	}
}

// TestManyPages: there is room for so many. A further one takes the place of the one that has been idle for the longest
// time, but of none that is open.
func TestManyPages(t *testing.T) {
	s := serve(t, Config{}, func(l *limits) { l.sessions, l.grace = 3, time.Millisecond })
	open := s.open()
	_, leave := s.events(open)
	defer leave()
	idle := s.open()
	time.Sleep(20 * time.Millisecond)
	recent := s.open()
	time.Sleep(20 * time.Millisecond)
	s.open()
	for session, want := range map[string]int{open: 200, idle: http.StatusGone, recent: 200} {
		if status, _, _ := s.ask("GET", "/api/ping?session="+session, ""); status != want {
			t.Errorf("status %d, want %d", status, want)
		}
	}
	if s.engine.closed.Load() != 1 {
		t.Errorf("%d sessions are closed", s.engine.closed.Load())
	}
	s.server.mu.Lock()
	var all []string
	for id := range s.server.sessions {
		all = append(all, id)
	}
	s.server.mu.Unlock()
	for _, id := range all {
		if id != open {
			_, leave := s.events(id)
			defer leave()
		}
	}
	if status, h, text := s.ask("POST", "/api/open", ""); status != http.StatusServiceUnavailable || h.Get("Retry-After") == "" || !strings.Contains(text, "too many pages") {
		t.Errorf("status %d, %s", status, text)
	}
}

func TestIdlePagesEnd(t *testing.T) {
	s := serve(t, Config{}, func(l *limits) { l.idle = 150 * time.Millisecond })
	watching, working, idle := s.open(), s.open(), s.open()
	_, leave := s.events(watching)
	defer leave()
	answer := s.call(context.Background(), working, `{"do":"solve"}`)
	within(t, 5*time.Second, "ended", func() bool { return s.engine.closed.Load() == 1 })
	time.Sleep(300 * time.Millisecond)
	for session, want := range map[string]int{watching: 200, working: 200, idle: http.StatusGone} {
		if status, _, _ := s.ask("GET", "/api/ping?session="+session, ""); status != want {
			t.Errorf("status %d, want %d", status, want)
		}
	}
	s.engine.let <- struct{}{}
	receive(t, answer, "answer")
}

// TestAPageCannotAskForTooMuchAtOnce: neither calls nor streams of events.
func TestAPageCannotAskForTooMuchAtOnce(t *testing.T) {
	s := serve(t, Config{}, func(l *limits) { l.calls, l.streams, l.solves = 2, 2, 1 })
	one := s.open()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.call(ctx, one, `{"do":"solve"}`)
	s.call(ctx, one, `{"do":"solve"}`)
	within(t, 5*time.Second, "two calls", func() bool { return s.server.sessionCalls(one) == 2 })
	if status, _, text := s.ask("POST", "/api/call?session="+one, `{"do":"slice"}`); status != http.StatusTooManyRequests || !strings.Contains(text, "too much at once") {
		t.Errorf("status %d, %s", status, text)
	}
	for range 2 {
		_, leave := s.events(one)
		defer leave()
	}
	if status, _, _ := s.ask("GET", "/api/events?session="+one, ""); status != http.StatusTooManyRequests {
		t.Errorf("status %d", status)
	}
}

func (s *Server) sessionCalls(id string) int {
	s.mu.Lock()
	one := s.sessions[id]
	s.mu.Unlock()
	one.mu.Lock()
	defer one.mu.Unlock()
	return len(one.calls)
}

// TestFloodsOfEventsAreThinned: a page gets the last one, and few of the others.
func TestFloodsOfEventsAreThinned(t *testing.T) {
	s := serve(t, Config{}, nil)
	one := s.open()
	events, leave := s.events(one)
	defer leave()
	receive(t, s.call(context.Background(), one, `{"do":"flood"}`), "answer")
	n := 0
	for {
		n++
		if e := receive(t, events, "event"); e.Share == 99_999 {
			break
		}
	}
	if n > 200 {
		t.Errorf("%d events are sent", n)
	}
}

// TestTheServerEndsAtOnce, whatever pages do, and leaves nothing running.
func TestTheServerEndsAtOnce(t *testing.T) {
	before := runtime.NumGoroutine()
	s := serve(t, Config{}, nil)
	var answers []<-chan string
	for range 3 {
		one := s.open()
		s.events(one)
		answers = append(answers, s.call(context.Background(), one, `{"do":"solve"}`))
	}
	within(t, 5*time.Second, "running", func() bool { return s.engine.started.Load() > 0 })
	from := time.Now()
	if err := s.stop(); err != nil || time.Since(from) > time.Second {
		t.Errorf("error %v after %v", err, time.Since(from))
	}
	for _, a := range answers {
		receive(t, a, "end of the call")
	}
	if s.engine.closed.Load() != 3 {
		t.Errorf("%d sessions are closed", s.engine.closed.Load())
	}
	within(t, 5*time.Second, fmt.Sprintf("%d goroutines, as before", before), func() bool { return runtime.NumGoroutine() <= before+1 })
}

// TestPagesComeAndGo: nothing of them stays.
func TestPagesComeAndGo(t *testing.T) {
	s := serve(t, Config{}, func(l *limits) { l.grace = time.Millisecond })
	s.open()
	before := 0
	for round := range 30 {
		var pages sync.WaitGroup
		for range 8 {
			pages.Go(func() {
				one := s.open()
				_, leave := s.events(one)
				ctx, cancel := context.WithCancel(context.Background())
				answer := s.call(ctx, one, `{"do":"solve"}`)
				time.Sleep(2 * time.Millisecond)
				cancel()
				<-answer
				leave()
				s.ask("POST", "/api/close?session="+one, "")
			})
		}
		pages.Wait()
		if round == 5 {
			s.client.CloseIdleConnections()
			time.Sleep(50 * time.Millisecond)
			before = runtime.NumGoroutine()
		}
	}
	s.client.CloseIdleConnections()
	within(t, 5*time.Second, "as few goroutines as before", func() bool { return runtime.NumGoroutine() <= before+2 })
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if n := len(s.server.sessions); n != 1 {
		t.Errorf("%d sessions are left", n)
	}
}
