package readings

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/system"
)

// told writes records as t,x,value and the sensor.
func told(t *testing.T, r *Reader) string {
	t.Helper()
	var b strings.Builder
	for {
		record, err := r.Next()
		if err == io.EOF {
			return b.String()
		}
		if err != nil {
			return b.String() + err.Error()
		}
		fmt.Fprintf(&b, "%d:", record.Line)
		for _, x := range record.At {
			fmt.Fprintf(&b, "%.10g,", x)
		}
		fmt.Fprintf(&b, "%g,%s%s ", record.Value, record.Sensor, record.Kind)
	}
}

var hours = system.Variable{Name: "t", Min: 0, Max: 48, Unit: "h", Start: "2024-05-01"}

// What loggers and spreadsheets write is understood.
func TestFilesOfLoggers(t *testing.T) {
	days := hours
	days.Unit, days.Start = "d", "2024-05-01T00:00+02:00"
	x := system.Variable{Name: "x", Max: 10}
	two := []system.Place{{Sensor: "T1", At: map[string]float64{"x": 1}}, {Sensor: "T2", At: map[string]float64{"x": 2}}}
	beginnings := []system.Place{{Sensor: "T1*", At: map[string]float64{"x": 1}}, {Sensor: "T2 in*", At: map[string]float64{"x": 2}}}
	everywhere := []system.Place{{Sensor: "T1", At: map[string]float64{"t": 7, "x": 1}}, {Sensor: "T2", At: map[string]float64{"t": 7, "x": 2}}}
	for name, c := range map[string]struct {
		time   system.Variable
		layout system.Layout
		text   string
		want   string
	}{
		"plain":                {hours, system.Layout{}, "t,x,value\n1,2,3\n", "2:1,2,3, "},
		"dates":                {hours, system.Layout{}, "t,x,value\n2024-05-01 01:00,2,3\n2024-05-02,2,3\n2024-05-01T00:00:36.000,2,3\n2024-04-30 23:00,2,3\n", "2:1,2,3, 3:24,2,3, 4:0.01,2,3, 5:-1,2,3, "},
		"dates with zones":     {days, system.Layout{}, "t,x,value\n2024-05-01T00:00:00+02:00,2,3\n2024-05-01T10:00Z,2,3\n2024-05-02 00:00,2,3\n", "2:0,2,3, 3:0.5,2,3, 4:1,2,3, "},
		"a zone too much":      {hours, system.Layout{}, "t,x,value\n2024-05-01T00:00Z,2,3\n", `test:2: t: found "2024-05-01T00:00Z"; the date has a time zone and the start of the time has none: write it as start = "2024-05-01T00:00Z", or with your own zone, +02:00`},
		"Unix":                 {days, system.Layout{Time: Unix}, "t,x,value\n1714514400,2,3\n1714514400.5,2,3\n", "2:0,2,3, 3:5.787037037e-06,2,3, "},
		"Unix milliseconds":    {days, system.Layout{Time: UnixMilli}, "t,x,value\n1714557600000,2,3\n", "2:0.5,2,3, "},
		"a spreadsheet's":      {hours, system.Layout{Time: Excel}, "t;x;value\n45413,0416666667;2;3,5\n", "2:1,2,3.5, "},
		"of 1904":              {hours, system.Layout{Time: Excel1904}, "t;x;value\n43951,5;2;3,5\n", "2:12,2,3.5, "},
		"German":               {hours, system.Layout{}, "\ufefft;x;value\r\n01.05.2024 00:30;2,5;-1,5e-1\r\n1.5.24 1:00;2;\r\n;;\r\n02.05.2024 00:00:00,5;2;3;\r\n", "2:0.5,2.5,-0.15, 5:24.00013889,2,3, "},
		"American":             {hours, system.Layout{Time: MonthFirst}, "t,x,value\n05/01/24 12:30:00 AM,2,3\n5/1/2024 1:00 PM,2,3\n", "2:0.5,2,3, 3:13,2,3, "},
		"either":               {hours, system.Layout{}, "t,x,value\n05/01/24 00:30,2,3\n", `test:2: t: found "05/01/24 00:30"; a date whose day or whose month comes first: say which with time = "day first" or "month first"`},
		"day first":            {hours, system.Layout{Time: DayFirst}, "t,x,value\n1/5/2024 00:30,2,3\n1-May-2024 1:00,2,3\n", "2:0.5,2,3, 3:1,2,3, "},
		"no such day":          {hours, system.Layout{}, "t,x,value\n2024-02-30,2,3\n", `test:2: t: found "2024-02-30"; there is no day 30 of month 2 in 2024`},
		"hour 24":              {hours, system.Layout{}, "t,x,value\n2024-05-01 24:00:00,2,3\n", "2:24,2,3, "},
		"gaps":                 {hours, system.Layout{Missing: []string{"-9999", "OVR"}}, "t,x,value\n1,2,NAN\n1,2,\n1,2,-9999.0\n1,2,OVR\n1,2,#N/A\n1,2,7\n", "7:1,2,7, "},
		"tabs":                 {hours, system.Layout{}, "t\tx\tvalue\n1\t2\t3,5\n", "2:1,2,3.5, "},
		"TOA5":                 {hours, system.Layout{Columns: map[string]string{"t": "TIMESTAMP", "value": "T_Avg"}, At: map[string]float64{"x": 4}}, "\"TOA5\",\"a\",\"b\"\n\"TIMESTAMP\",\"RECORD\",\"T_Avg\"\n\"TS\",\"RN\",\"Deg C\"\n\"\",\"\",\"Avg\"\n\"2024-05-01 01:00:00\",0,21.5\n\"2024-05-01 02:00:00\",1,\"NAN\"\n", "5:1,4,21.5, "},
		"a preamble":           {hours, system.Layout{Columns: map[string]string{"t": "Date Time*", "value": "Temp*"}, At: map[string]float64{"x": 4}}, "\"Plot Title: Wall\"\n\"#\",\"Date Time, GMT+02:00\",\"Temp, \xb0C (LGR S/N: 1)\"\n1,2024-05-01 01:00,21.5\n", "3:1,4,21.5, "},
		"# before names":       {hours, system.Layout{}, "# t, x, value\n1,2,3\n", "2:1,2,3, "},
		"# is a name":          {hours, system.Layout{}, "#,t,x,value\n1,1,2,3\n", "2:1,2,3, "},
		"wide":                 {hours, system.Layout{Places: two}, "t;T2;T1\n1;2,5;1,5\n2;;1,75\n", "2:1,1,1.5,T1 2:1,2,2.5,T2 3:2,1,1.75,T1 "},
		"named":                {hours, system.Layout{Places: two}, "t,sensor,value\n1,T2,2.5\n2,T1,1.75\n3,T3,1\n", `2:1,2,2.5,T2 3:2,1,1.75,T1 test:4: sensor: sensor "T3" has no place`},
		"a file of a sensor":   {hours, system.Layout{Places: two, Columns: map[string]string{"value": "T"}}, "t,T\n1,2.5\n", "2:1,1,2.5,T1 "},
		"JSON lines":           {days, system.Layout{Time: Unix, Columns: map[string]string{"t": "ts"}, Places: two}, "{\"ts\":1714514400,\"T1\":1,\"T2\":null}\n{\"ts\":1714600800,\"T1\":\"NaN\",\"T2\":4}\n", "1:0,1,1,T1 2:1,2,4,T2 "},
		"several lines":        {hours, system.Layout{}, "t,x,note,value\n1,2,\"a\n\"\"b\",3\n2,2,c,3\n", "2:1,2,3, 4:2,2,3, "},
		"names once more":      {hours, system.Layout{}, "t,x,value\n1,2,3\nvalue,x,t\n6,5,4\n", "2:1,2,3, 4:4,5,6, "},
		"no column":            {hours, system.Layout{Places: two}, "t;T3;T4\n1;2,5;1,5\n", "test:1: value: there is no column value, and none is named as a sensor that has a place"},
		"units in heads":       {hours, system.Layout{Places: two}, "t [h];T2 (K);T1 [K]\n1;2,5;1,5\n2;;1,75\n", "test:1: t: there is no column t"},
		"with units":           {hours, system.Layout{Places: two}, "t;T2 (K);T1 [K]\n1;2,5;1,5\n2;;1,75\n", "2:1,1,1.5,T1 2:1,2,2.5,T2 3:2,1,1.75,T1 "},
		"the same name first":  {hours, system.Layout{Places: two}, "t;T2 (K);T1 [K];T2\n1;9;1,5;2,5\n", "2:1,1,1.5,T1 2:1,2,2.5,T2 "},
		"two units":            {hours, system.Layout{Places: two}, "t;T2 (K);T2 [V]\n1;9;1,5\n", "test:1: T2: there are two columns T2"},
		"beginnings":           {hours, system.Layout{Places: beginnings}, "t,T2 in the north,T1 in the south,T\n1,2.5,1.5,7\n", "2:1,1,1.5,T1* 2:1,2,2.5,T2 in* "},
		"two beginnings":       {hours, system.Layout{Places: beginnings}, "t,T2 in the north,T2 in the south\n1,2.5,1.5\n", "test:1: T2 in*: there are two columns T2 in*"},
		"one of two":           {hours, system.Layout{Places: append(slices.Clone(two), system.Place{Sensor: "T1*", At: map[string]float64{"x": 3}})}, "t,T1 (K)\n1,2.5\n", "test:1: T1: the column is that of two places, T1 and T1*"},
		"names in rows":        {hours, system.Layout{Places: everywhere}, "day,well,h\n1,T1,2.5\n1,T2,3.5\n", "test:1: sensor: there is no column sensor, by which to find the place of each reading"},
		"one row":              {hours, system.Layout{Places: everywhere}, "day,well,h\n1,T1,2.5\n", "test:1: sensor: there is no column sensor, by which to find the place of each reading"},
		"names in rows, known": {hours, system.Layout{Places: everywhere}, "day,sensor,h\n1,T1,2.5\n", "test:1: value: there is no column value"},
		"a number is a name":   {hours, system.Layout{Places: everywhere}, "by,all,stations\n17,T1,4711\n1,2.5,3\n", "3:7,1,2.5,T1 "},
		"two columns":          {hours, system.Layout{Columns: map[string]string{"value": "T*"}}, "t,x,T1,T2\n1,2,3,4\n", "test:1: T*: there are two columns T*"},
		"words before the row": {hours, system.Layout{}, "t,x,value\nh,m,K\nbad,2,3\n", `test:3: t: found "bad"; a number or a date is expected`},
		"words only":           {hours, system.Layout{}, "t,x,value\nh,m,K\n", "test:2: t: a number or a date is expected"},
	} {
		r := open(t, c.text, Config{Variables: []system.Variable{c.time, x}, Layouts: []Layout{{Layout: c.layout}}, Whole: true, Sensor: "T1"})
		if got := told(t, r); got != c.want {
			t.Errorf("%s:\n got  %s\n want %s", name, got, c.want)
		}
	}
}

// Where no column has the name of a sensor, both are told.
func TestNoColumnOfASensor(t *testing.T) {
	var places []system.Place
	for i := range 6 {
		places = append(places, system.Place{Sensor: fmt.Sprintf("TC%d", i), At: map[string]float64{"x": 1}})
	}
	for n, want := range map[int]string{1: "TC0", 2: "TC0 and TC1", 4: "TC0, TC1, TC2 and TC3", 6: "TC0, TC1, TC2 and 3 more"} {
		layouts := []Layout{{Layout: system.Layout{Places: places[:n]}}}
		variables := []system.Variable{hours, {Name: "x", Max: 10}}
		want = "places names " + want + ", but no column is called so"
		if got := told(t, open(t, "t,T-0,T-1\n1,2,3\n", Config{Variables: variables, Layouts: layouts, Whole: true})); got != "test:1: "+want {
			t.Error(got)
		}
		for stream, at := range map[string]string{"t,T-0,T-1\n": "; the first line names the columns", "{\"t\":1,\"T-0\":2}\n": ""} {
			if got := told(t, open(t, stream, Config{Variables: variables, Layouts: layouts})); got != "test:1: "+want+at {
				t.Error(got)
			}
		}
		if got := told(t, open(t, "{\"t\":1,\"TC0 [K]\":2}\n", Config{Variables: variables, Layouts: layouts})); got != "1:1,1,2,TC0 " {
			t.Error(got)
		}
	}
}

// A stream may be laid out as the files of any of the kinds of sensors.
func TestStreamsOfSeveralKinds(t *testing.T) {
	layouts := Layouts([]string{"walls", "air"}, []system.Layout{{Columns: map[string]string{"value": "T"}}, {Columns: map[string]string{"value": "A"}, At: map[string]float64{"x": 9}}})
	c := Config{Variables: []system.Variable{hours, {Name: "x", Max: 10}}, Layouts: layouts}
	text := "{\"t\":1,\"x\":2,\"T\":3}\n{\"t\":1,\"A\":4}\n{\"t\":1,\"x\":5,\"value\":6}\n"
	if got := told(t, open(t, text, c)); got != "1:1,2,3,walls 2:1,9,4,air 3:1,5,6, " {
		t.Error(got)
	}
	c.Layouts = Layouts([]string{"walls"}, []system.Layout{{Columns: map[string]string{"value": "T"}}})
	if got := told(t, open(t, text, c)); got != "1:1,2,3, test:2: there is no x" {
		t.Error(got)
	}
}

// A time is written back as the date that it was, for people and for programs.
func TestDatesOfTimes(t *testing.T) {
	for _, c := range []struct {
		start, unit string
		time        float64
		date, stamp string
	}{
		{"2024-05-01", "h", 1.5, "2024-05-01 01:30", "2024-05-01T01:30:00"},
		{"2024-05-01", "h", -24, "2024-04-30", "2024-04-30T00:00:00"},
		{"2024-05-01", "d", 1. / 3, "2024-05-01 08:00", "2024-05-01T08:00:00"},
		{"2024-05-01T00:00Z", "h", 0, "2024-05-01 00:00Z", "2024-05-01T00:00:00Z"},
		{"2024-05-01T00:00+02:00", "h", 1.5, "2024-05-01 01:30+02:00", "2024-05-01T01:30:00+02:00"},
		{"2024-05-01 00:00:00.250 -03:30", "h", 1.5, "2024-05-01 01:30:00.250-03:30", "2024-05-01T01:30:00.250-03:30"},
		{"2024-05-01", "ms", 0.5, "2024-05-01 00:00:00.000500", "2024-05-01T00:00:00.000500"},
		{"2024-05-01", "us", 0.25, "2024-05-01 00:00:00.000000250", "2024-05-01T00:00:00.000000250"},
		{"2024-05-01", "a", 1, "2025-05-01 06:00", "2025-05-01T06:00:00"},
	} {
		v := system.Variable{Name: "t", Unit: c.unit, Start: c.start}
		clock, err := NewClock(v, "")
		if err != nil {
			t.Fatal(err)
		}
		date, stamp := clock.Date(c.time), clock.Stamp(c.time)
		if date != c.date || stamp != c.stamp {
			t.Errorf("%g %s after %s is %s and %s, not %s and %s", c.time, c.unit, c.start, date, stamp, c.date, c.stamp)
		}
		for _, text := range []string{date, stamp} {
			if back, err := Parse(text, v); err != nil || back != c.time {
				t.Errorf("%s is %g, %v", text, back, err)
			}
		}
		if at, ok := clock.At(c.time); !ok || clock.Since(at) != c.time {
			t.Errorf("%s is %v, which is %g", stamp, at, clock.Since(at))
		}
	}
	clock, err := NewClock(hours, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, far := range []float64{math.NaN(), math.Inf(1), 1e300, -1e9, 1e8} {
		if date, stamp := clock.Date(far), clock.Stamp(far); date != "" || stamp != "" {
			t.Errorf("%g h has the date %s, %s", far, date, stamp)
		}
	}
	undated := hours
	undated.Start = ""
	for text, of := range map[string]system.Variable{"": hours, "nan": hours, "inf": hours, "tomorrow": hours, "2024-05-01T00:00Z": hours, "2024-05-01": undated, "NaN": undated} {
		if at, err := Parse(text, of); err == nil {
			t.Errorf("%q is %g", text, at)
		}
	}
	if at, err := Parse("1.5", undated); err != nil || at != 1.5 {
		t.Error(at, err)
	}
}

func TestClockOfVariables(t *testing.T) {
	x := system.Variable{Name: "x", Unit: "m"}
	if i, clock := ClockOf([]system.Variable{x, hours}); i != 1 || clock == nil || clock.Zone() != "" {
		t.Errorf("found %d, %v", i, clock)
	}
	undated := hours
	undated.Unit = "m"
	for _, of := range [][]system.Variable{nil, {x}, {x, undated}} {
		if i, clock := ClockOf(of); i != -1 || clock != nil {
			t.Errorf("%v: found %d, %v", of, i, clock)
		}
	}
	for start, zone := range map[string]string{"2024-05-01Z": "", "2024-05-01 00:00Z": "UTC", "2024-05-01 00:00+05:30": "+05:30"} {
		v := hours
		v.Start = start
		if _, clock := ClockOf([]system.Variable{v}); clock != nil && clock.Zone() != zone {
			t.Errorf("%s has the zone %q, not %q", start, clock.Zone(), zone)
		}
	}
	date, more := system.Variable{Name: "date"}, system.Variable{Name: "date_"}
	if a, b, c := DateColumn([]system.Variable{x, hours}), DateColumn([]system.Variable{date, x}), DateColumn([]system.Variable{more, date}); a != "date" || b != "date_" || c != "date__" {
		t.Errorf("found %s, %s, %s", a, b, c)
	}
}

func TestWhatHasNoClock(t *testing.T) {
	for _, v := range []system.Variable{{Unit: "m", Start: "2024-05-01"}, {Unit: "h", Start: "yesterday"}} {
		if _, err := NewClock(v, ""); err == nil {
			t.Errorf("%+v is accepted", v)
		}
	}
	if _, err := NewClock(hours, Unix); err == nil {
		t.Error("Unix times without a zone are accepted")
	}
}
