package spec

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

const logged = `[variables]
x = { range = [0, 3], unit = "m", label = "depth" }
t = { range = [0, 48], unit = "h", start = 2024-05-01 }

[[equation]]
pde = "u_t = u_xx"
points = 10

[[sensors]]
FILES
sigma = 0.1
`

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// readLogged reads a problem whose sensors block has these lines.
func readLogged(lines string, files map[string]string) (*File, error) {
	fsys := fstest.MapFS{"in/problem.toml": &fstest.MapFile{Data: []byte(strings.Replace(logged, "FILES", lines, 1))}}
	for name, content := range files {
		fsys["in/"+name] = &fstest.MapFile{Data: []byte(content)}
	}
	return ReadFS(fsys, "in/problem.toml", nil)
}

// told writes the readings of a block.
func told(f *File) string {
	s, of := &f.Problem.Sensors[0], &f.SensorFiles[0]
	var parts []string
	for i := range s.Values {
		name, line, sensor := of.Source(i)
		parts = append(parts, fmt.Sprintf("%s:%d %g %g %g%s", name, line, s.Points.At(i, 0), s.Points.At(i, 1), s.Values[i], sensor))
	}
	return strings.Join(parts, "; ")
}

func TestReadingsOfLoggers(t *testing.T) {
	files := map[string]string{
		"log.csv":     "Logger 7\n\ntime;T1;T2\n;degC;degC\n2024-04-30 23:00;1;2\n2024-05-01 01:00;1,5;\n2024-05-01 02:00;NaN;2,5\n",
		"places.csv":  "sensor;x\nT1;0,5\nT2;2\n",
		"W1.csv":      "t,value\n2024-05-01 01:00,1\n",
		"W2.csv":      "t,value\n2024-05-01 03:00,2\n2024-05-01 04:00,3\n",
		"wells.txt":   "x,sensor\n1,W1\n2,W2\n",
		"one.csv.gz":  zipped(t, "t,x,value\n3,1,7\n"),
		"old.csv":     "t,x,value\n2023-05-01,1,1\n",
		"unix.csv":    "t,x,value\n1714521600,1,1\n",
		"empty.csv":   "t,x,value\n",
		"sigma.csv":   "t,x,value,sigma\n1,1,1,1\n",
		"noplace.csv": "sensor,depth\nT1,1\n",
		"far.csv":     "sensor,x\nT1,9\n",
		"all.csv":     "sensor,x\nT1,0.5\nT2,2\nT3,1\nelsewhere,99\n",
		"spelt.csv":   "sensor,x\nT1,0.5\nt-2,2\n",
		"twice.csv":   "sensor,x\nT1,1\nT1,2\n",
		"heads.csv":   "Well;X\nT1;0,5\nT2;2\n",
		"xx.csv":      "sensor,x,x\nT1,1,2\n",
		"unnamed.csv": "sensor,x\n,1\n",
		"levels.csv":  "Bore;Level\nT1;1,5\nT2;2\n",
		"sd.jsonl":    `{"t":1,"x":1,"value":1,"sigma":1}` + "\n" + `{"t":2,"x":1,"value":1,"sigma":2}` + "\n",
		"some.jsonl":  `{"t":1,"x":1,"value":1,"sigma":1}` + "\n" + `{"t":2,"x":1,"value":1}` + "\n",
		"late.jsonl":  `{"t":1,"x":1,"value":1}` + "\n" + `{"t":2,"x":1,"value":1,"sigma":1}` + "\n",
		"units.csv":   "Wall 3\nZeit;T1 [°C];T2 (K);RH [%];Battery [V]\n2024-05-01 01:00;1,5;2;60;3,1\n",
		"mm.csv":      "x_mm,t,value\n100,1,1\n",
		"cm.csv":      "x [cm],t,value\n100,1,1\n",
		"m.csv":       "x_m,t,value\n100,1,1\n",
		"s.csv":       "x_s,t,value\n100,1,1\n",
		"wells.csv":   "sensor,depth (mm)\nT1,500\n",
		"widesd.csv":  "t,T1,sigma\n1,1,1\n",
	}
	for lines, want := range map[string]string{
		"file = \"log.csv\"\ncolumns = { t = \"time\" }\nplaces = \"places.csv\"":                               "log.csv:6 0.5 1 1.5T1; log.csv:7 2 2 2.5T2",
		"file = \"log.csv\"\ncolumns = { t = \"time\" }\nplaces = { T1 = { x = 0.5 }, T2 = { x = \"1 + 1\" } }": "log.csv:6 0.5 1 1.5T1; log.csv:7 2 2 2.5T2",
		"file = \"log.csv\"\ncolumns = { t = \"time\", value = \"T2\" }\nat = { x = 3 }":                        "log.csv:7 3 2 2.5",
		"file = \"W*.csv\"\nplaces = \"wells.txt\"":                                                             "W1.csv:2 1 1 1W1; W2.csv:2 2 3 2W2; W2.csv:3 2 4 3W2",
		"file = [\"W2.csv\", \"W1.csv\"]\nat = { x = 1 }":                                                       "W2.csv:2 1 3 2; W2.csv:3 1 4 3; W1.csv:2 1 1 1",
		"file = \"one.csv.gz\"":                           "one.csv.gz:2 1 3 7",
		"file = [\"one.csv.gz\", \"empty.csv\"]":          "one.csv.gz:2 1 3 7",
		"file = \"empty.csv\"":                            "in/problem.toml:10: sensors.file: empty.csv: the file has no rows after the first line",
		"file = \"old.csv\"":                              `in/problem.toml:10: sensors.file: old.csv: no reading lies in the range of the time; the first has t = -8784 h, which is 2023-05-01`,
		"file = \"unix.csv\"":                             `in/problem.toml:10: sensors.file: unix.csv: no reading lies in the range of the time; the first has t = 1714521600 h: if that is a Unix time, state time = "unix"`,
		"file = \"none*.csv\"":                            "in/problem.toml:10: sensors.file: none*.csv: no file matches",
		"file = []":                                       "in/problem.toml:10: sensors.file: the list is empty",
		"file = [1]":                                      "in/problem.toml:10: sensors.file: expected names of files in quotes, found 1",
		"file = [\"W1.csv\", \"W?.csv\"]\nat = { x = 1 }": "in/problem.toml:10: sensors.file: W1.csv is named twice",
		"file = [\"sd.jsonl\", \"sigma.csv\"]":            "sd.jsonl:1 1 1 1; sd.jsonl:2 1 2 1; sigma.csv:2 1 1 1",
		"file = \"some.jsonl\"":                           "in/some.jsonl:2: sigma: all readings of a block have it or none; that of line 1 is different",
		"file = \"late.jsonl\"":                           "in/late.jsonl:2: sigma: all readings of a block have it or none; that of line 1 is different",
		"file = \"levels.csv\"\nat = { t = 1 }\nplaces = \"places.csv\"\ncolumns = { sensor = \"Well\", value = \"Head\" }": "in/levels.csv:1: Head: there is no column Head; found Bore and Level",
		"file = \"one.csv.gz\"\ncolumns = { t = \"x\" }":                                                                    `in/one.csv.gz:1: x: there is no column x besides the one that holds something else; columns = { x = "..." } names it, at = { x = ... } replaces it`,
		"file = \"one.csv.gz\"\ncolumns = { t = \"x\" }\nat = { x = 2 }":                                                    "one.csv.gz:2 2 1 7",
		"file = \"one.csv.gz\"\nplaces = \"\"":                                                                              "in/problem.toml:11: sensors.places: the text is empty",
		"file = \"one.csv.gz\"\nplaces = { file = \"\" }":                                                                   "in/problem.toml:11: sensors.places.file: the text is empty",
		"file = \"widesd.csv\"\nplaces = { T1 = { x = 1 } }":                                                                "in/widesd.csv:1: sigma: there is a column for each sensor, and this one does not say of which it is: state sigma in the block, or read each sensor in a block of its own",
		"file = [\"one.csv.gz\", \"sigma.csv\"]":                                                                            "in/problem.toml:10: sensors.file: sigma.csv: the files of one block have a column sigma all or none; that of one.csv.gz is different",
		"file = \"log.csv\"\ncolumns = { t = \"time\" }\nplaces = { T1 = { x = 0.5 }, T9 = { x = 1 } }":                     "in/log.csv:3: T9: there is no column T9, which has a place",
		"file = \"units.csv\"\ncolumns = { t = \"Zeit\" }\nplaces = \"places.csv\"":                                         "units.csv:3 0.5 1 1.5T1; units.csv:3 2 1 2T2",
		"file = \"units.csv\"\ncolumns = { t = \"Zeit\" }\nplaces = { \"T1*\" = { x = 1 } }":                                "units.csv:3 1 1 1.5T1*",
		"file = \"units.csv\"\ncolumns = { t = \"Zeit\" }\nplaces = { T5 = { x = 1 } }":                                     `in/units.csv:2: places names T5, but no column is called so; found Zeit, "T1 [°C]", "T2 (K)", "RH [%]" and "Battery [V]"`,
		"file = \"levels.csv\"\nat = { t = 1 }\nplaces = \"places.csv\"":                                                    `in/levels.csv:1: sensor: there is no column sensor, by which to find the place of each reading; found Bore and Level; columns = { sensor = "Bore", value = "Level" } names them`,
		"file = \"levels.csv\"\nat = { t = 1 }\nplaces = \"places.csv\"\ncolumns = { value = \"Level\" }":                   `in/levels.csv:1: sensor: there is no column sensor, by which to find the place of each reading; found Bore and Level; columns = { sensor = "..." } names it`,
		"file = \"mm.csv\"\ncolumns = { x = \"x_mm\" }":                                                                     "in/mm.csv:2: x: 100 is outside [0, 3]; the file's column is in mm; the variable's unit is m",
		"file = \"cm.csv\"\ncolumns = { x = \"x [cm]\" }":                                                                   "in/cm.csv:2: x: 100 is outside [0, 3]; the file's column is in cm; the variable's unit is m",
		"file = \"m.csv\"\ncolumns = { x = \"x_m\" }":                                                                       "in/m.csv:2: x: 100 is outside [0, 3]",
		"file = \"s.csv\"\ncolumns = { x = \"x_s\" }":                                                                       "in/s.csv:2: x: 100 is outside [0, 3]",
		"file = \"log.csv\"\ncolumns = { t = \"time\" }\nplaces = { file = \"wells.csv\", columns = { x = \"depth*\" } }":   "in/wells.csv:2: x: 500 is outside [0, 3], and sensor T1 has readings; the file's column is in mm; the variable's unit is m",
		"file = \"log.csv\"\ncolumns = { t = \"tme\" }\nplaces = \"places.csv\"":                                            "in/log.csv:3: tme: there is no column tme; did you mean time?",
		"file = \"log.csv\"\ncolumns = { time = \"time\" }":                                                                 "in/problem.toml:11: sensors.columns.time: a column cannot hold that; possible are x, t, value, sigma, sensor and kind",
		"file = \"log.csv\"\ncolumns = \"time\"":                                                                            "in/problem.toml:11: sensors.columns: expected a table, found \"time\"",
		"file = \"log.csv\"\ntime = \"seconds\"":                                                                            `in/problem.toml:11: sensors.time: found "seconds"; expected unix, unix ms, excel, excel 1904, day first or month first`,
		"file = \"log.csv\"\ntime = \"unix\"":                                                                               `in/problem.toml:11: sensors.time: a Unix time has a time zone and the start of the time has none: write it as start = "2024-05-01T00:00Z", or with your own zone, +02:00`,
		"file = \"log.csv\"\nat = { x = 4 }":                                                                                "in/problem.toml:11: sensors.at.x: 4 is outside [0, 3]",
		"file = \"log.csv\"\nat = { x = 1 }\ncolumns = { x = \"X\" }":                                                       "in/problem.toml:11: sensors.at.x: columns names a column for x, too",
		"file = \"log.csv\"\nplaces = 3":                                                                                    "in/problem.toml:11: sensors.places: expected a file with a column sensor, or a table, { T1 = { x = 0.5 } }, found 3",
		"file = \"log.csv\"\nplaces = \"none.csv\"":                                                                         "in/problem.toml:11: sensors.places: none.csv: file does not exist",
		"file = \"log.csv\"\nplaces = \"noplace.csv\"":                                                                      "in/noplace.csv:1: there is no column with a coordinate, as x; found sensor and depth; places = { file = \"...\", columns = { x = \"...\" } } names it",
		"file = \"log.csv\"\ncolumns = { t = \"time\" }\nplaces = \"far.csv\"":                                              "in/far.csv:2: x: 9 is outside [0, 3], and sensor T1 has readings",
		// A list of wells may have some without readings, anywhere, but not under a name that is nearly that of a column.
		"file = \"log.csv\"\ncolumns = { t = \"time\" }\nplaces = \"all.csv\"":                                                          "log.csv:6 0.5 1 1.5T1; log.csv:7 2 2 2.5T2",
		"file = \"log.csv\"\ncolumns = { t = \"time\" }\nplaces = \"spelt.csv\"":                                                        "in/log.csv:3: t-2: there is no column t-2, which has a place; did you mean T2?",
		"file = \"levels.csv\"\nat = { t = 1 }\nplaces = \"spelt.csv\"\ncolumns = { sensor = \"Bore\", value = \"Level\" }":             "in/levels.csv:3: Bore: sensor \"T2\" has no place; did you mean t-2?",
		"file = \"log.csv\"\nplaces = \"twice.csv\"":                                                                                    "in/twice.csv:3: sensor: this sensor has a place already",
		"file = \"log.csv\"\ncolumns = { t = \"time\" }\nplaces = { file = \"heads.csv\", columns = { sensor = \"Well\", x = \"X\" } }": "log.csv:6 0.5 1 1.5T1; log.csv:7 2 2 2.5T2",
		"file = \"log.csv\"\ncolumns = { t = \"time\" }\nplaces = { file = { x = 1 }, T2 = { x = 2 } }":                                 "in/log.csv:3: file: there is no column file, which has a place",
		"file = \"log.csv\"\nplaces = { file = \"heads.csv\", columns = { sensor = \"Bore\" } }":                                        "in/heads.csv:1: Bore: there is no column Bore; found Well and X",
		"file = \"log.csv\"\nplaces = { file = \"heads.csv\", columns = { sensor = \"Well\", x = \"Y\" } }":                             "in/heads.csv:1: Y: there is no column Y; found Well and X",
		"file = \"log.csv\"\nplaces = { file = \"heads.csv\", columns = { sensor = \"Well\", value = \"X\" } }":                         "in/problem.toml:11: sensors.places.columns.value: a column cannot hold that; possible are x, t and sensor",
		"file = \"log.csv\"\nplaces = { file = \"heads.csv\", T1 = { x = 1 } }":                                                         "in/problem.toml:11: sensors.places.T1: places are in a file or here, not both",
		"file = \"log.csv\"\nplaces = { file = \"none.csv\" }":                                                                          "in/problem.toml:11: sensors.places.file: none.csv: file does not exist",
		"file = \"log.csv\"\nplaces = \"xx.csv\"":                                                                                       "in/xx.csv:1: x: there are two columns x",
		"file = \"log.csv\"\nplaces = \"unnamed.csv\"":                                                                                  "in/unnamed.csv:2: sensor: the cell is empty; the name of a sensor is expected",
		"file = \"log.csv\"\ncolumns = { t = \"time\", value = \"time\" }":                                                              "in/problem.toml:11: sensors.columns.value: time is the column for t, too",
		"file = \"log.csv\"\nplaces = \"W1.csv\"":                                                                                       "in/W1.csv:1: sensor: there is no column sensor; found t and value; places = { file = \"...\", columns = { sensor = \"...\" } } names it",
		"file = \"log.csv\"\nplaces = { T1 = { z = 1 } }":                                                                               "in/problem.toml:11: sensors.places.T1.z: no such variable; the variables are x and t",
		"file = \"W1.csv\"\nat = { x = 1 }\nmissing = [1.0, \"OVR\"]":                                                                   "in/problem.toml:10: sensors.file: W1.csv: it has no readings: 1 value is missing",
		"file = \"W1.csv\"\nmissing = true":                                                                                             `in/problem.toml:11: sensors.missing: expected numbers or texts that stand for no reading, as [-9999, "OVR"], found true`,
	} {
		f, err := readLogged(lines, files)
		got := ""
		var e *Error
		switch {
		case errors.As(err, &e):
			got = e.Error()
		case err != nil:
			t.Errorf("%q: error %v is no *Error", lines, err)
		default:
			got = told(f)
		}
		if got != want {
			t.Errorf("%s:\n got  %s\n want %s", lines, got, want)
		}
	}
	files["many.csv"] = "t"
	for i := range 30 {
		files["many.csv"] += fmt.Sprintf(";Sonde %d [°C]", 100+i)
	}
	files["many.csv"] += "\n" + strings.Repeat("1;", 30) + "1\n"
	if _, err := readLogged("file = \"many.csv\"\nplaces = { T5 = { x = 1 } }", files); err == nil || !strings.HasSuffix(err.Error(), `but no column is called so; found t, "Sonde 100 [°C]", "Sonde 101 [°C]", "Sonde 102 [°C]", "Sonde 103 [°C]", "Sonde 104 [°C]", "Sonde 105 [°C]", "Sonde 106 [°C]", "Sonde 107 [°C]", "Sonde 108 [°C]", "Sonde 109 [°C]" and 20 more`) {
		t.Error(err)
	}
	f, err := readLogged("file = \"log.csv\"\ncolumns = { t = \"time\" }\nplaces = \"places.csv\"", files)
	if err != nil {
		t.Fatal(err)
	}
	if p := f.SensorFiles[0].Passed; !reflect.DeepEqual(p, Passed{Gaps: 2, Outside: 2, From: -1, To: -1, Header: 3, Before: []int{1}, Units: []int{4}}) {
		t.Errorf("%+v", p)
	}
	if n := f.SensorFiles[0].GapsOf; n["T1"] != 1 || n["T2"] != 1 {
		t.Errorf("missing values: %v", n)
	}
	if v := f.Problem.Variables; v[0].Unit != "m" || v[0].Label != "depth" || v[1].Start != "2024-05-01" {
		t.Errorf("%+v", v)
	}
}

// What a variable says for people is checked, too.
func TestUnitsAndStarts(t *testing.T) {
	for with, want := range map[string]string{
		`unit = "m s", start = "2024-05-01"`:  `in/problem.toml:3: variables.t.start: a start needs the unit of the time: us, ms, s, min, h, d, week or a; found "m s"`,
		`unit = "h", start = "1 May"`:         `in/problem.toml:3: variables.t.start: found "1 May"; a date is expected, as "2024-05-01" or "2024-05-01T00:00+02:00"`,
		`unit = "h", start = 01:00:00`:        `in/problem.toml:3: variables.t.start: found a time of day; a date is expected, as "2024-05-01"`,
		`label = "` + strings.Repeat("é", 81): `in/problem.toml:3: variables.t.label: expected a text of at most 60 characters that can be printed`,
		`label = "a\u0007`:                    `in/problem.toml:3: variables.t.label: expected a text of at most 60 characters that can be printed`,
	} {
		if strings.HasPrefix(with, "label") {
			with += `"`
		}
		text := strings.Replace(logged, `unit = "h", start = 2024-05-01`, with, 1)
		fsys := fstest.MapFS{"in/problem.toml": &fstest.MapFile{Data: []byte(strings.Replace(text, "FILES", "file = \"a.csv\"", 1))}}
		if _, err := ReadFS(fsys, "in/problem.toml", nil); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", with, err, want)
		}
	}
	for _, start := range []string{"2024-05-01T02:00:00Z", "2024-05-01T02:00:00+05:30", "2024-05-01 02:00:00.5"} {
		text := strings.Replace(logged, "2024-05-01", start, 1)
		fsys := fstest.MapFS{"problem.toml": &fstest.MapFile{Data: []byte(strings.Replace(text, "FILES", "file = \"a.csv\"", 1))}, "a.csv": &fstest.MapFile{Data: []byte("x,t,value\n1,2,3\n")}}
		if f, err := ReadFS(fsys, "problem.toml", nil); err != nil || f.Problem.Variables[1].Start != start {
			t.Errorf("%s: %v", start, err)
		}
	}
}

// A small file that becomes large when it is decompressed costs no memory, and no more of it is read than is allowed.
func TestBombsAreRefused(t *testing.T) {
	bomb := zipped(t, "t,x,value\n"+strings.Repeat("1,1,1\n", 1<<20))
	comments := zipped(t, "t,x,value\n"+strings.Repeat("#\n", 1<<21))
	path := directory(t, map[string]string{"p.toml": strings.Replace(logged, "FILES", "file = [\"b.csv\"]", 1), "b.csv": bomb, "c.csv": comments}) + "/p.toml"
	for _, c := range []struct {
		set    []string
		limits Limits
		want   string
	}{
		{nil, Limits{Points: 1000}, "these are 1001 points and rows; at most 1000 are allowed"},
		{nil, Limits{Bytes: 1 << 20}, "these are more than 1048576 bytes, decompressed"},
		{[]string{"sensors.file=c.csv"}, Limits{Bytes: 1 << 20}, "these are more than 1048576 bytes, decompressed"},
	} {
		_, err := ReadLimited(path, c.set, c.limits)
		var e *Error
		if !errors.As(err, &e) || !e.Limit || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v", c.limits, err)
		}
	}
	broken := bomb[:len(bomb)/2]
	if _, err := readLogged("file = \"b.csv\"", map[string]string{"b.csv": broken}); err == nil || !strings.Contains(err.Error(), "b.csv: unexpected EOF") {
		t.Errorf("error %v", err)
	}
	if _, err := readLogged("file = \"b.csv\"", map[string]string{"b.csv": "\x1f\x8bxxxx"}); err == nil || !strings.Contains(err.Error(), "b.csv: ") {
		t.Errorf("error %v", err)
	}
}

// A pattern finds nothing outside a sandbox.
func TestPatternsStayInTheSandbox(t *testing.T) {
	outside := directory(t, map[string]string{"a.csv": "t,x,value\n1,1,1\n"})
	inside := directory(t, map[string]string{"a.csv": "t,x,value\n1,1,1\n", "[1].csv": "t,x,value\n1,1,2\n"})
	for pattern, want := range map[string]string{
		"*a.csv": "a.csv", inside + "/a*.csv": "a.csv", "./*a.csv": "a.csv", "[1].csv": "[1].csv",
		outside + "/*.csv": "", "../*/a.csv": "", "*/a.csv": "", "[": "",
	} {
		path := inside + "/p.toml"
		if err := os.WriteFile(path, []byte(strings.Replace(logged, "FILES", "file = \""+pattern+"\"", 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := ReadSandboxed(path, nil, Limits{})
		if want == "" {
			var e *Error
			if !errors.As(err, &e) || e.Line != 10 {
				t.Errorf("%s: error %v", pattern, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		if got := f.SensorFiles[0].Name; f.Problem.Sensors[0].Points.Rows() != 1 || got != pattern && got != want {
			t.Errorf("%s: %s", pattern, got)
		}
	}
}

// The range of a variable with a start may be stated in dates, or as before.
func TestRangesOfDates(t *testing.T) {
	for line, want := range map[string]string{
		`range = [2024-05-01, 2024-05-03], unit = "h", start = 2024-05-01`:                                  "[0, 48]",
		`range = ["2024-05-02", "03.05.2024 12:00"], unit = "h", start = 2024-05-01`:                        "[24, 60]",
		`range = [2024-05-01T06:00:00, 48], unit = "h", start = 2024-05-01`:                                 "[6, 48]",
		`range = [2024-05-01T02:00:00+02:00, "2024-05-01 01:00"], unit = "h", start = 2024-05-01T00:00:00Z`: "[0, 1]",
		`range = [0, "2*24"], unit = "h", start = 2024-05-01`:                                               "[0, 48]",
		`range = ["2020 - 2019", "48"], unit = "h", start = 2024-05-01`:                                     "[1, 48]",
		`range = [2024-05-01, "2024-13-03"], unit = "h", start = 2024-05-01`:                                `in/problem.toml:3: variables.t.range: found "2024-13-03"; there is no day 3 of month 13 in 2024`,
		`range = [2024-05-01, 2024-05-03T00:00:00Z], unit = "h", start = 2024-05-01`:                        `in/problem.toml:3: variables.t.range: found "2024-05-03T00:00:00Z"; the date has a time zone and the start of the time has none: write it as start = "2024-05-01T00:00Z", or with your own zone, +02:00`,
		`range = [2024-05-01, 12:00:00], unit = "h", start = 2024-05-01`:                                    `in/problem.toml:3: variables.t.range: found a time of day; a date is expected, as "2024-05-01"`,
		`range = [2024-05-03, 2024-05-01], unit = "h", start = 2024-05-01`:                                  `in/problem.toml:3: variables.t: [48, 0] is not a range; the first end must be below the second`,
		`range = ["01/05/2024", 48], unit = "h", start = 2024-05-01`:                                        `in/problem.toml:3: variables.t.range: found "01/05/2024"; a date whose day or whose month comes first: write the year first, as 2024-12-31`,
		`range = [2024-05-01, true], unit = "h", start = 2024-05-01`:                                        `in/problem.toml:3: variables.t.range: expected a number, or an expression of constants in quotes, found true`,
		`range = [2024-05-01, 2024-05-03], unit = "h"`:                                                      `in/problem.toml:3: variables.t.range: found a date; dates need a start, as t = { range = ["2024-05-01", "2024-05-08"], unit = "h", start = "2024-05-01" }`,
		`range = ["2024-05-01", 7], unit = "h"`:                                                             `in/problem.toml:3: variables.t.range: found a date; dates need a start, as t = { range = ["2024-05-01", "2024-05-08"], unit = "h", start = "2024-05-01" }`,
	} {
		fsys := fstest.MapFS{"in/problem.toml": &fstest.MapFile{Data: []byte("[variables]\nx = [0, 1]\nt = { " + line + " }\n[[equation]]\npde = \"u_t = u_xx\"\n[[sensors]]\nfile = \"a.csv\"\n")}, "in/a.csv": &fstest.MapFile{Data: []byte("x,t,value\n0.5,1,1\n0.5,24,1\n")}}
		f, err := ReadFS(fsys, "in/problem.toml", nil)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			v := f.Problem.Variables[1]
			got = fmt.Sprintf("[%g, %g]", v.Min, v.Max)
		}
		if got != want {
			t.Errorf("%s:\n got  %s\n want %s", line, got, want)
		}
	}
}
