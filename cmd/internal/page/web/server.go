package web

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"runtime"
	"sync"
	"time"

	"github.com/bpielm/bpielm/cmd/internal/page"
)

// Session answers the requests of one page, as *page.Session does. Call may run several times at once, and ends soon
// after its context. Close ends what runs.
type Session interface {
	Call(ctx context.Context, request []byte, emit func(page.Event)) page.Reply
	Close()
}

// Live is a stream of readings that is being followed, as package live does.
type Live interface {
	// Changed has a value after something has changed.
	Changed() <-chan struct{}
	// Estimate returns the state of the stream.
	Estimate() *page.Estimate
}

// Config configures a Server.
type Config struct {
	Open    func() Session
	Static  fs.FS
	Version string
	// Address is that listened on, HOST:PORT. Requests that name another host are refused.
	Address string
	// Token, unless it is empty, is needed by every page: the server listens to other machines.
	Token string
	Live  Live // nil: no stream
}

// limits bound what pages may use. Tests shorten them.
type limits struct {
	body        int64         // bytes of a request
	sessions    int           // at a time
	calls       int           // of a session at a time
	streams     int           // of events of a session
	solves      int           // at a time
	connections int           // at a time
	header      time.Duration // to send the header of a request
	transfer    time.Duration // to send its body, or to take the answer
	keep        time.Duration // an idle connection
	grace       time.Duration // after the page of a session has gone, until its work is cancelled
	idle        time.Duration // until a session without events and requests ends
	heartbeat   time.Duration // between signs of life among events
	pace        time.Duration // least time between two events of one kind
	livePace    time.Duration // least time between two estimates
}

func usual() limits {
	return limits{
		body: 32 << 20, sessions: 32, calls: 32, streams: 4, solves: runtime.GOMAXPROCS(0), connections: 256,
		header: 5 * time.Second, transfer: time.Minute, keep: 2 * time.Minute,
		grace: 1500 * time.Millisecond, idle: 10 * time.Minute, heartbeat: 15 * time.Second,
		pace: 50 * time.Millisecond, livePace: 200 * time.Millisecond,
	}
}

// Server serves the page.
type Server struct {
	Config
	limits  limits
	guard   guard
	assets  map[string]*asset
	gate    gate
	handler http.Handler

	mu       sync.Mutex
	sessions map[string]*session
	ended    bool

	poke    chan struct{} // a page has come that wants the present estimate
	present []byte        // the estimate sent last, under mu; nil when it is no longer the present one
}

// New returns a server. It fails if Static or Address cannot be read.
func New(c Config) (*Server, error) {
	s := &Server{Config: c, limits: usual(), sessions: map[string]*session{}, poke: make(chan struct{}, 1)}
	s.gate.places = s.limits.solves
	var err error
	if s.guard, err = newGuard(c.Address, c.Token); err != nil {
		return nil, err
	}
	if s.assets, err = readAssets(c.Static); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/ping", s.ping)
	mux.HandleFunc("POST /api/open", s.open)
	mux.HandleFunc("POST /api/call", s.call)
	mux.HandleFunc("POST /api/close", s.close)
	mux.HandleFunc("GET /api/events", s.events)
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, http.StatusNotFound, "there is no such request")
	})
	mux.HandleFunc("/", s.static)
	s.handler = s.guard.protect(s.bounded(mux))
	return s, nil
}

// ServeHTTP answers one request. Sessions end, and estimates are sent, only while Serve runs.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// bounded limits the time that the header's sender takes to send the rest, and to take the answer.
func (s *Server) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w) // its errors: where there are no deadlines, as in tests, there are none
		c.SetReadDeadline(time.Now().Add(s.limits.transfer))
		c.SetWriteDeadline(time.Now().Add(s.limits.transfer))
		next.ServeHTTP(w, r)
	})
}

// parting is how long answers may take to end when the server does.
const parting = 300 * time.Millisecond

// Serve serves until ctx ends, then returns nil within about half a second. Otherwise it returns why the listener failed.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	server := &http.Server{Handler: s, ReadHeaderTimeout: s.limits.header, IdleTimeout: s.limits.keep, MaxHeaderBytes: 1 << 16, ErrorLog: quiet}
	var work sync.WaitGroup
	work.Go(func() { s.tidy(ctx) })
	work.Go(func() { s.pump(ctx) })
	work.Go(func() {
		<-ctx.Done()
		s.endAll()
		late, done := context.WithTimeout(context.Background(), parting)
		defer done()
		if server.Shutdown(late) != nil {
			server.Close()
		}
	})
	err := server.Serve(limitListener(l, s.limits.connections))
	stop()
	work.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// ping says that this is the program's own server, and, with a session, that its page is there.
func (s *Server) ping(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Has("session") {
		if s.find(w, r) == nil {
			return
		}
	}
	reply(w, map[string]any{"bpielm": s.Version, "live": s.Live != nil})
}

// reply sends JSON.
func reply(w http.ResponseWriter, content any) {
	text, err := json.Marshal(content)
	if err != nil {
		refuse(w, http.StatusInternalServerError, "the answer cannot be written: "+err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(text)
}

// refuse sends an error. Its body is like that of a page.Reply.
func refuse(w http.ResponseWriter, status int, message string) {
	text, err := json.Marshal(page.Reply{Error: &page.Fault{Message: message}})
	if err != nil {
		panic(err) // of two strings
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(text)
}
