package readings

import (
	"encoding/csv"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/system"
)

var plane = []system.Variable{{Name: "x", Min: 0, Max: 1}, {Name: "t", Min: 0, Max: 5}}

func open(t testing.TB, text string, c Config) *Reader {
	t.Helper()
	r, err := NewReader(strings.NewReader(text), "test", c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func stream(t testing.TB, text string) *Reader { return open(t, text, Config{Variables: plane}) }

// all reads a stream to its end, and counts the lines that are refused.
func all(t *testing.T, text string) (records []Record, refused int) {
	t.Helper()
	r := stream(t, text)
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
	if len(records) != 2 || refused != 9 || records[1].Value != 2 || records[1].Line != 14 {
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
		r := stream(t, test.text)
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
	if err := stream(t, "").SetColumns([]string{"x", "value"}); !errors.As(err, &bad) {
		t.Errorf("error %v", err)
	}
}

func FuzzReader(f *testing.F) {
	for _, text := range []string{
		"x,t,value,sensor\n0.5,1,2,a\n", "{\"x\":1,\"t\":2,\"value\":3}\n\"\n,,,\n", "\"TOA5\",\"x\"\n\"t\",\"A\",\"B\"\n\"TS\",\"C\",\"C\"\n\"2024-05-01 00:10:00\",1,\"NAN\"\n",
		"t;x;value\n01.05.2024 00:00;0,5;1,5\n", "{\"t\":\"2024-05-01T00:00Z\",\"A\":3,\"B\":null}\n", "#,x,t,value\n1,2,3,4\n", "x,t,value\n1,2,\"3\n4\"\n", "\xff\xfex\x00,\x00t\x00,\x00v\x00\n\x001\x00",
	} {
		f.Add(text, byte(0))
		f.Add(text, byte(255))
	}
	dated := []system.Variable{{Name: "x", Min: 0, Max: 1}, {Name: "t", Min: 0, Max: 5, Unit: "h", Start: "2024-05-01"}}
	f.Fuzz(func(t *testing.T, text string, mode byte) {
		c := Config{Variables: plane, Whole: mode&1 > 0, PointsOnly: mode&2 > 0, Live: mode&4 > 0, Complete: mode&8 > 0}
		if mode&16 > 0 {
			c.Variables = dated
		}
		if mode&32 > 0 {
			c.Layouts = []Layout{{Layout: system.Layout{Places: []system.Place{{Sensor: "A", At: map[string]float64{"x": 0.5}}, {Sensor: "B", At: map[string]float64{"x": 0.75}}}}}, {}}
		}
		if mode&64 > 0 {
			c.Places = true
		}
		r := open(t, text, c)
		for n := 0; ; n++ {
			record, err := r.Next()
			var bad *Error
			switch {
			case err == io.EOF:
				return
			case errors.As(err, &bad):
				if bad.File != "test" || bad.Why == "" || bad.Line < 0 {
					t.Errorf("error %#v", bad)
				}
				if c.Whole {
					return
				}
				continue
			case err != nil:
				t.Fatalf("error %v is no *Error", err)
			}
			if n > len(text) {
				t.Fatalf("more records than %d bytes", len(text))
			}
			for i := range r.Columns() {
				if c.Complete {
					r.Number(i)
				}
			}
			if len(record.At) != 2 || record.Sigma < 0 || record.Line < 1 {
				t.Errorf("%+v", record)
			}
			for _, x := range append(record.At, record.Value) {
				if math.IsNaN(x) && !c.Places || math.IsInf(x, 0) {
					t.Errorf("%+v", record)
				}
			}
		}
	})
}

// FuzzSplit: what encoding/csv understands is understood in the same way.
func FuzzSplit(f *testing.F) {
	for _, line := range []string{"a,b", "\"a\"\"b\", c ,", " \"x,\" ,1", "", ",", "1;\"2,5\";3", "\"a\nb\",c"} {
		f.Add(line, byte(','))
		f.Add(line, byte(';'))
		f.Add(line, byte('\t'))
	}
	f.Fuzz(func(t *testing.T, line string, separator byte) {
		if strings.IndexByte(Separators, separator) < 0 || strings.ContainsAny(line, "\r") || strings.TrimSpace(line) == "" {
			return
		}
		r := csv.NewReader(strings.NewReader(line))
		r.Comma, r.FieldsPerRecord, r.TrimLeadingSpace = rune(separator), -1, separator != '\t'
		want, err := r.Read()
		if err != nil {
			return
		}
		if _, err := r.Read(); err != io.EOF { // several lines
			return
		}
		for i := range want {
			want[i] = strings.TrimSpace(want[i])
		}
		got, err := Split(nil, strings.Trim(line, "\n"), separator)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v; want %q", line, got, err, want)
		}
	})
}

func FuzzDate(f *testing.F) {
	for _, text := range []string{"2024-05-01", "2024-05-01T00:00:00.5+02:00", "01.05.24 1:02", "1-May-2024, 12:00 AM", "5/1/2024 11:59:59 pm", "20240501", "2024-02-30"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, first := range []string{"", DayFirst, MonthFirst} {
			m, err := parseMoment(text, first)
			if err == nil && (m.nanoseconds < 0 || m.nanoseconds > 999999999 || m.seconds < -1e11 || m.seconds > 1e12) {
				t.Errorf("%q: %+v", text, m)
			}
		}
	})
}
