package feed

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/system"
)

var plane = []system.Variable{{Name: "x", Min: 0, Max: 1}, {Name: "t", Min: 0, Max: 5}}

// all reads a stream to its end; lines that are refused are counted.
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
			if r.Broken() {
				return records, refused
			}
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
	text := "x,t,value,sigma\n0,0,1,1\n0,0,1\n0,0,,1\n0,0,NaN,1\n0,0,1e999,1\n0,0,1,-1\n0,0,1,0\n0,\"0,1\n{\"x\":0}\n{\"x\":0,\"t\":\"1\",\"value\":1}\n{\"x\"\n0,0,2,1\n"
	records, refused := all(t, text)
	if len(records) != 2 || refused != 10 || records[1].Value != 2 || records[1].Line != 13 {
		t.Errorf("%d refused, %+v", refused, records)
	}
}

func TestStreamWithoutUsableHeaderEnds(t *testing.T) {
	for _, text := range []string{"x,value\n1,2\n1,2\n", "x,t,value,x\n1,2,3,4\n", "1,2,3\n1,2,3\n", strings.Repeat("x", maxLine+10)} {
		if records, refused := all(t, text); len(records) != 0 || refused != 1 {
			t.Errorf("%.20q: %d records, %d refused", text, len(records), refused)
		}
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
