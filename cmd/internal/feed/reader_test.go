package feed

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/system"
)

var plane = []system.Variable{{Name: "x", Min: 0, Max: 1}, {Name: "t", Min: 0, Max: 5}}

// all reads a stream to its end, and counts the lines that are refused.
func all(t *testing.T, text string) (records []Record, refused int) {
	t.Helper()
	r := NewReader(strings.NewReader(text), "test", plane)
	for {
		record, err := r.Next()
		var bad *Error
		switch {
		case err == io.EOF:
			return records, refused
		case err == nil:
			kept := *record
			kept.At = append([]float64(nil), record.At...)
			records = append(records, kept)
		case errors.As(err, &bad):
			refused++
		default:
			t.Fatalf("error %v is no *Error", err)
		}
	}
}

func TestCSVAndJSONLinesSayTheSame(t *testing.T) {
	tables := []string{
		"\ufefft, value ,x,note,sigma,sensor,kind\n# a remark\n\n0.5,1.25,0.25,\"a, b\",0.1,north,gauges\n1,-2,0.75,,0.2,\"so\"\"uth\",\n",
		"{\"t\":0.5,\"x\":0.25,\"value\":1.25,\"sigma\":0.1,\"sensor\":\"north\",\"kind\":\"gauges\",\"note\":7}\r\n# a remark\n{\"t\":1,\"x\":0.75,\"value\":-2,\"sigma\":0.2,\"sensor\":\"so\\\"uth\"}",
	}
	for _, text := range tables {
		records, refused := all(t, text)
		if refused != 0 || len(records) != 2 {
			t.Fatalf("%d records and %d refused of %q", len(records), refused, text)
		}
		a, b := records[0], records[1]
		if a.At[0] != 0.25 || a.At[1] != 0.5 || a.Value != 1.25 || a.Sigma != 0.1 || a.Sensor != "north" || a.Kind != "gauges" {
			t.Errorf("%+v", a)
		}
		if b.At[0] != 0.75 || b.At[1] != 1 || b.Value != -2 || b.Sigma != 0.2 || b.Sensor != `so"uth` || b.Kind != "" {
			t.Errorf("%+v", b)
		}
	}
}

func TestBadLinesAreRefusedAndReadingGoesOn(t *testing.T) {
	text := "x,t,value,sigma\n0,0,1,1\n0,0,1\n0,0,,1\n0,0,NaN,1\n0,0,1e999,1\n0,0,1,-1\n0,0,1,0\n0,\"0,1\n{\"x\":0}\n{\"x\":0,\"t\":\"1\",\"value\":1}\n{\"x\"\n{\"x\":1,\"t\":1,\"value\":1,\"sensor\":\"" + strings.Repeat("n", maxName+1) + "\"}\n0,0,2,1\n"
	records, refused := all(t, text)
	if len(records) != 2 || refused != 11 || records[1].Value != 2 || records[1].Line != 14 {
		t.Errorf("%d refused, %+v", refused, records)
	}
}

// TestReadingResumesAfterNoise: lines before a header are skipped, however long they are, and a later header
// applies.
func TestReadingResumesAfterNoise(t *testing.T) {
	noise := "\x00\xff\x17,,\"\n1,2,three\nx,value\nx,t,value,x\n" + strings.Repeat("\x1b", 3*maxLine) + "\n"
	records, refused := all(t, noise+"x,t,value\n0.25,1,2\n"+noise+"0.5,1,3\nt,value,x\n4,6,0.75\n"+strings.Repeat("9", maxLine))
	if len(records) != 3 || refused != 5+5+1 {
		t.Fatalf("%d refused, %+v", refused, records)
	}
	if a, b := records[1], records[2]; a.At[0] != 0.5 || a.Line != 13 || b.At[0] != 0.75 || b.At[1] != 4 || b.Value != 6 {
		t.Errorf("%+v", records)
	}
	row := "0,1,2,b\n"
	records, refused = all(t, "x,t,value,sensor\n0,1,2,a\nx,t,value\n0,1,7\n"+row+row+"0,1,7\n"+row+row+row+"0,1,7\n"+row)
	if len(records) != 5 || refused != 5 || records[3].Sensor != "b" || records[4].Sensor != "b" {
		t.Errorf("a header that was cut: %d refused, %+v", refused, records)
	}
	// It takes three such rows again for that to have been cut in its turn.
	again := "0,1,7\n"
	records, refused = all(t, "x,t,value,sensor\n"+row+"x,t,value\n"+row+row+row+again+again+row+row)
	if len(records) != 4 || refused != 4 || records[2].Sensor != "b" || records[3].Sensor != "b" {
		t.Errorf("a header that was cut, and two rows: %d refused, %+v", refused, records)
	}
	long := "x,t,value\n" + strings.Repeat(" ", maxLine-8) + "0,1,2\n"
	if records, refused := all(t, long); len(records) != 1 || refused != 0 {
		t.Errorf("a line of %d bytes: %d records, %d refused", maxLine-2, len(records), refused)
	}
}

// TestStreamIsJoinedMidway: if the columns are known, all lines count except those that may be truncated.
func TestStreamIsJoinedMidway(t *testing.T) {
	for _, test := range []struct {
		live    bool
		text    string
		records int
	}{
		{true, "5,1,7\n0.5,1,3\n0.5,1,4", 1},
		{false, "0.5,1,7\n0.5,1,3\n0.5,1,4", 3},
		{true, "{\"x\":1,\"t\":2,\"value\":3}\n0.5,1,3\n", 2},
		{true, "x,t,value\n0.5,1,3\n0.5,1,4\n", 2},
	} {
		r := NewReader(strings.NewReader(test.text), "test", plane)
		r.Live = test.live
		if err := r.SetColumns([]string{"x", "t", "value"}); err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, err := r.Next(); err != io.EOF; _, err = r.Next() {
			if err == nil {
				count++
			}
		}
		if count != test.records {
			t.Errorf("live %v, %q: %d records, want %d", test.live, test.text, count, test.records)
		}
	}
	var bad *Error
	if err := NewReader(strings.NewReader(""), "test", plane).SetColumns([]string{"x", "value"}); !errors.As(err, &bad) {
		t.Errorf("error %v", err)
	}
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
	for line := range NewReader(Until(source, stop), "test", plane).Lines(quit) {
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
	if line := <-NewReader(crashing{}, "test", plane).Lines(nil); !errors.As(line.Err, &crash) || !strings.Contains(crash.What, "a bug") {
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

func FuzzReader(f *testing.F) {
	f.Add("x,t,value,sensor\n0.5,1,2,a\n")
	f.Add("{\"x\":1,\"t\":2,\"value\":3}\n\"\n,,,\n")
	f.Fuzz(func(t *testing.T, text string) {
		records, _ := all(t, text)
		for _, r := range records {
			if len(r.At) != 2 || r.Sigma < 0 || r.Line < 1 {
				t.Errorf("%+v", r)
			}
		}
	})
}
