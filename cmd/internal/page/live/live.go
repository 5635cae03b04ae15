package live

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"sync"
	"unicode"

	"github.com/bpielm/bpielm/cmd/internal/feed"
	"github.com/bpielm/bpielm/cmd/internal/page"
	"github.com/bpielm/bpielm/posterior"
)

// Config configures a Follower.
type Config struct {
	// Physics returns what readings are assimilated into. It is called when the first line has come, unless that is one of
	// the log of bpielm-edge. Nil: there is none, and only such a log can be followed.
	Physics func() (*posterior.Prior, error)
	// Columns names the columns of readings, if the stream may not begin with their names.
	Columns []string
	// Window is how many readings count; 0 is 200. A new one replaces the oldest.
	Window int
}

const (
	defaultWindow = 200
	lastReadings  = 200 // that are shown
	mostSensors   = 200 // that are shown
	longest       = 200 // characters of a name or a message that are shown
)

// A Follower follows one stream of readings. Its methods are safe for concurrent use.
type Follower struct {
	config  Config
	changed chan struct{}

	mu      sync.Mutex
	state   state // nil before the first line
	skipped int
	why     string
	ended   string
}

// A state is what is known of a stream. It is used under the follower's lock, which show unlocks while it computes what
// does not need it.
type state interface {
	// show sets what an estimate shows.
	show(e *page.Estimate, lock *sync.Mutex)
}

// New returns a follower that has read nothing.
func New(c Config) *Follower {
	if c.Window == 0 {
		c.Window = defaultWindow
	}
	return &Follower{config: c, changed: make(chan struct{}, 1)}
}

// Changed has a value after something has changed since it was last read.
func (f *Follower) Changed() <-chan struct{} { return f.changed }

func (f *Follower) notify() {
	select {
	case f.changed <- struct{}{}:
	default:
	}
}

// Estimate returns the state of the stream.
func (f *Follower) Estimate() *page.Estimate {
	f.mu.Lock()
	defer f.mu.Unlock()
	e := &page.Estimate{Skipped: f.skipped, Why: f.why, Ended: f.ended, Last: []page.Innovated{}, Sensors: []page.Health{}, Variables: []page.Axis{}, Fields: []page.Axis{}}
	if f.state != nil {
		f.state.show(e, &f.mu)
	}
	return e
}

// Follow reads a stream until it ends or stop is closed, and returns why it ended: nil in these cases. Lines that are no
// readings are counted. It fails if the physics cannot be had, or the stream not be read. Name is for messages.
func (f *Follower) Follow(source io.Reader, name string, stop <-chan struct{}) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("internal error: %v\n%s", fault, debug.Stack())
		}
		f.mu.Lock()
		if f.ended = "the stream has ended"; err != nil {
			f.ended = short(err.Error())
		}
		f.mu.Unlock()
		f.notify()
	}()
	in := bufio.NewReaderSize(feed.Until(source, stop), 1<<12)
	first, err := firstLine(in)
	switch {
	case err == io.EOF || errors.Is(err, feed.ErrStopped):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	case isLogged(first):
		err = f.followLog(in)
	default:
		err = f.followReadings(in, name, stop)
	}
	if errors.Is(err, feed.ErrStopped) {
		return nil
	}
	return err
}

// firstLine returns the beginning of the first line that is not empty, without reading it.
func firstLine(in *bufio.Reader) (string, error) {
	for {
		for n := 1; n <= in.Size(); n++ {
			text, err := in.Peek(n)
			end := n > 0 && len(text) == n && text[n-1] == '\n'
			if !end && err == nil && n < in.Size() {
				continue
			}
			line := strings.TrimSpace(string(text))
			if line == "" && end {
				in.Discard(n)
				break
			}
			if line == "" {
				return "", err
			}
			return line, nil
		}
	}
}

// skip counts a line that is no reading.
func (f *Follower) skip(why error) {
	f.mu.Lock()
	f.skipped++
	f.why = short(why.Error())
	f.mu.Unlock()
	f.notify()
}

// short makes a text of a stream fit for a page: neither long nor with control characters.
func short(text string) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "..."
	}
	return strings.Clone(text)
}

// ring holds the last readings.
type ring struct {
	all  []page.Innovated
	next int
}

func (r *ring) add(in page.Innovated) {
	if len(r.all) < lastReadings {
		r.all = append(r.all, in)
		return
	}
	r.all[r.next] = in
	r.next = (r.next + 1) % lastReadings
}

// list returns them, the oldest first.
func (r *ring) list() []page.Innovated {
	return append(append(make([]page.Innovated, 0, len(r.all)), r.all[r.next:]...), r.all[:r.next]...)
}

// shown cuts the sensors to those that a page shows: first those with something wrong.
func shown(all []page.Health, e *page.Estimate) {
	const sound = "sound"
	if len(all) <= mostSensors {
		e.Sensors = append(e.Sensors, all...)
		return
	}
	for _, wrong := range []bool{true, false} {
		for _, h := range all {
			if (h.State != sound) == wrong && len(e.Sensors) < mostSensors {
				e.Sensors = append(e.Sensors, h)
			}
		}
	}
	e.Others = len(all) - len(e.Sensors)
}
