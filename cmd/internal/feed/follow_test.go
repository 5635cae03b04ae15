package feed

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/readings"
)

var plane = []system.Variable{{Name: "x", Min: 0, Max: 1}, {Name: "t", Min: 0, Max: 5}}

func reader(t *testing.T, r io.Reader) *readings.Reader {
	t.Helper()
	lines, err := readings.NewReader(r, "test", readings.Config{Variables: plane})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// slow returns a stream in pieces of a few bytes, then waits for ever.
type slow struct {
	text string
	wait chan struct{}
}

func (s *slow) Read(p []byte) (int, error) {
	if s.text == "" {
		<-s.wait
		return 0, io.EOF
	}
	n := copy(p[:min(7, len(p))], s.text)
	s.text = s.text[n:]
	return n, nil
}

// TestStreamThatIsStoppedEnds after what has been read, although its source waits for more. An incomplete
// line does not count.
func TestStreamThatIsStoppedEnds(t *testing.T) {
	stop, quit := make(chan struct{}), make(chan struct{})
	source := &slow{"x,t,value\n0,1,2\nbad\n0.5,1,3\n0.75,1", make(chan struct{})}
	defer close(source.wait)
	var values []float64
	refused := 0
	for line := range Lines(reader(t, Until(source, stop)), quit) {
		var bad *Error
		switch {
		case line.Err == nil:
			if values = append(values, line.Value); len(values) == 2 {
				close(stop)
			}
			continue
		case errors.As(line.Err, &bad):
			refused++
			continue
		}
		if line.Err != ErrStopped || refused != 1 || len(values) != 2 || values[1] != 3 {
			t.Errorf("error %v, values %v, %d refused", line.Err, values, refused)
		}
		close(quit)
		return
	}
}

// crashing is a source that panics.
type crashing struct{}

func (crashing) Read([]byte) (int, error) { panic("a bug") }

func TestPanicOfReadingIsHandedOn(t *testing.T) {
	var crash *Crash
	if line := <-Lines(reader(t, crashing{}), nil); !errors.As(line.Err, &crash) || !strings.Contains(crash.What, "a bug") {
		t.Errorf("error %v", line.Err)
	}
}

func TestPointsNeedNoValues(t *testing.T) {
	points, err := ReadPoints(strings.NewReader("t,x\n1,0.5\n{\"x\":0.25,\"t\":2}\n"), "points", plane)
	if err != nil || points.Rows() != 2 || points.At(0, 0) != 0.5 || points.At(1, 1) != 2 {
		t.Errorf("%v, %v", points, err)
	}
	for _, text := range []string{"", "x,t\n", "x\n1\n", "x,t\n1,a\n"} {
		var bad *Error
		if _, err := ReadPoints(strings.NewReader(text), "points", plane); !errors.As(err, &bad) {
			t.Errorf("%q: error %v", text, err)
		}
	}
}
