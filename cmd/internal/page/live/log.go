package live

import (
	"bufio"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/bpielm/bpielm/cmd/internal/page"
)

// logged is the state of a stream that is the log of bpielm-edge: what it says.
type logged struct {
	readings, kept, outliers int
	variables                []string
	fields                   []string
	points                   []page.Spot // of the last estimates, in their order
	turn                     int         // the number of readings that they belong to
	at                       int         // how many of them have come
	parameters               []page.Estimated
	last                     ring
	sensors                  []page.Health // those that something was logged about
	number                   map[string]int
	when                     string // date of the last reading that one is known of
}

// Bounds of what is kept of a log, which may be anything.
const (
	mostPoints     = 4096
	mostParameters = 256
	mostLogged     = 4096 // sensors
	longestLine    = 1 << 12
)

// events are the words that the lines of a log begin with, and what follows each.
var events = map[string]string{
	"estimate": "reading=", "parameter": "reading=", "outlier": "line=", "recalled": "line=", "shift": "line=", "fault": "line=", "dropped": "line=", "forgotten": "line=",
	"skipped": "", "state": "", "alive": "readings=",
}

// isLogged reports whether a line is one of a log.
func isLogged(line string) bool {
	word, rest, _ := strings.Cut(line, " ")
	begin, known := events[word]
	return known && strings.HasPrefix(rest, begin) && (begin != "" || strings.Contains(rest, ": "))
}

// followLog reads a log to its end.
func (f *Follower) followLog(in *bufio.Reader) error {
	l := &logged{number: map[string]int{}}
	f.mu.Lock()
	f.state = l
	f.mu.Unlock()
	for {
		line, err := nextLine(in)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		f.mu.Lock()
		known := l.take(line)
		f.mu.Unlock()
		if !known {
			f.skip(errors.New("no line of a log of bpielm-edge: " + line))
			continue
		}
		f.notify()
	}
}

// nextLine reads a line, and cuts it if it is too long. What is incomplete at the end is no line.
func nextLine(in *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if room := longestLine - len(line); room > 0 {
			line = append(line, part[:min(room, len(part))]...)
		}
		switch {
		case err == nil:
			return strings.TrimRight(string(line), "\r\n"), nil
		case err != bufio.ErrBufferFull:
			return "", err
		}
	}
}

// take learns what a line says; false if nothing.
func (l *logged) take(line string) bool {
	word, rest, _ := strings.Cut(line, " ")
	date := ""
	switch word {
	case "outlier", "shift", "fault", "parameter", "estimate": // where there are dates, these lines end with one
		rest, date = dated(rest)
	}
	if date != "" && word != "estimate" { // that of an estimate is the point's
		l.when = short(date)
	}
	switch word {
	case "":
		return true
	case "estimate":
		return l.estimate(rest)
	case "parameter":
		v, ok := values(rest, "reading", "name", "mean", "sd")
		mean, sd := number(v, 2), number(v, 3)
		if ok = ok && mean != nil && sd != nil; ok {
			l.parameter(short(v[1]), *mean, *sd)
			l.count(v[0])
		}
		return ok
	case "outlier":
		v, ok := values(rest, "line", "sensor", "value", "expected", "sd", "innovation", "kept")
		value, expected, sd := number(v, 2), number(v, 3), number(v, 4)
		if ok = ok && value != nil && expected != nil && sd != nil; ok {
			l.outliers++
			l.last.add(page.Innovated{Sensor: short(v[1]), Value: *value, Predicted: *expected, SD: *sd, At: short(date), Rejected: v[6] == "false"})
			if h := l.sensor(v[1]); h != nil {
				h.Rejected++
			}
		}
		return ok
	case "fault", "dropped":
		names := []string{"line", "sensor", "condition"}
		if word == "dropped" {
			names = names[:2]
		}
		v, ok := values(rest, names...)
		if !ok {
			return false
		}
		if h := l.sensor(v[1]); h != nil {
			if h.State = word; word == "fault" {
				h.State = short(v[2])
			}
		}
		return true
	case "alive":
		v, ok := values(rest, "readings", "kept", "outliers", "skipped", "sensors", "silent")
		if ok {
			l.count(v[0])
			l.kept, _ = strconv.Atoi(v[1])
		}
		return ok
	case "recalled", "shift", "forgotten", "skipped", "state":
		return true
	}
	return false
}

// dated cuts the date off the end of a line.
func dated(rest string) (before, date string) {
	const mark = " date="
	if at := strings.LastIndex(rest, mark); at >= 0 && !strings.Contains(rest[at+len(mark):], " ") {
		return rest[:at], rest[at+len(mark):]
	}
	return rest, ""
}

// count learns how many readings there have been.
func (l *logged) count(text string) {
	if n, err := strconv.Atoi(text); err == nil && n >= 0 {
		l.readings = n
	}
}

// estimate learns a field at a point: "reading=40 x=0.5 t=1 u=0.4123 sd=0.0132".
func (l *logged) estimate(rest string) bool {
	pairs := strings.Fields(rest)
	if len(pairs) < 4 {
		return false
	}
	var names []string
	var numbers []float64
	for _, p := range pairs {
		name, text, ok := strings.Cut(p, "=")
		x, err := strconv.ParseFloat(text, 64)
		if !ok || err != nil || !finite(x) {
			return false
		}
		names, numbers = append(names, short(name)), append(numbers, x)
	}
	n := len(names)
	if names[0] != "reading" || names[n-1] != "sd" {
		return false
	}
	if reading := int(numbers[0]); reading != l.turn {
		l.points = l.points[:min(l.at, len(l.points))] // there may have been more points before a restart
		l.turn, l.at = reading, 0
	}
	l.count(strconv.Itoa(l.turn))
	l.variables = names[1 : n-2]
	spot := page.Spot{Field: names[n-2], X: numbers[1 : n-2], Mean: numbers[n-2], SD: numbers[n-1]}
	if l.at < len(l.points) {
		l.points[l.at] = spot
	} else if len(l.points) < mostPoints {
		l.points = append(l.points, spot)
	}
	l.at++
	return true
}

func (l *logged) parameter(name string, mean, sd float64) {
	half := float64(1.96 * sd)
	p := page.Estimated{Name: name, Mean: mean, SD: sd, Median: mean, Lower95: mean - half, Upper95: mean + half, X: []float64{}, Posterior: []float64{}}
	for i := range l.parameters {
		if l.parameters[i].Name == name {
			l.parameters[i] = p
			return
		}
	}
	if len(l.parameters) < mostParameters {
		l.parameters = append(l.parameters, p)
	}
}

// sensor returns that of a name; nil if there are too many.
func (l *logged) sensor(name string) *page.Health {
	name = short(name)
	i, known := l.number[name]
	if !known {
		if i = len(l.sensors); i >= mostLogged {
			return nil
		}
		l.number[name] = i
		l.sensors = append(l.sensors, page.Health{Sensor: name, State: "sound"})
	}
	return &l.sensors[i]
}

func (l *logged) show(e *page.Estimate, _ *sync.Mutex) {
	e.Readings, e.Kept, e.At, e.Last = l.readings, l.kept, l.when, l.last.list()
	e.Parameters = append(e.Parameters, l.parameters...)
	e.Points = append(e.Points, l.points...)
	for _, name := range l.variables {
		e.Variables = append(e.Variables, page.Axis{Name: name, Label: name})
	}
	seen := map[string]bool{}
	for _, p := range l.points {
		if !seen[p.Field] {
			seen[p.Field] = true
			e.Fields = append(e.Fields, page.Axis{Name: p.Field, Label: p.Field})
		}
	}
	shown(l.sensors, e)
}

// values returns those of the pairs "name=value" in a text that has exactly these names in this order. A value may have
// spaces: it ends at the last place where the next name begins.
func values(text string, names ...string) ([]string, bool) {
	all := make([]string, len(names))
	for i := len(names) - 1; i >= 0; i-- {
		mark := " " + names[i] + "="
		at := strings.LastIndex(" "+text, mark)
		if at < 0 || i == 0 && at != 0 {
			return nil, false
		}
		all[i] = (" " + text)[at+len(mark):]
		text = (" " + text)[:at]
		text = strings.TrimPrefix(text, " ")
	}
	return all, true
}

// number returns a value as a number, nil if it is none.
func number(values []string, i int) *float64 {
	if i >= len(values) {
		return nil
	}
	x, err := strconv.ParseFloat(values[i], 64)
	if err != nil || !finite(x) {
		return nil
	}
	return &x
}

func finite(x float64) bool { return x-x == 0 }
