package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/system/spec"
)

// monitored is an aquifer whose wells are in one file and whose readings in another.
const monitored = `
[variables]
x = { range = [0, 1000], unit = "m" }
t = { range = [0, 30], unit = "d", start = 2024-05-01 }
[fields]
h = { unit = "m" }
[parameters]
D = { min = 1, max = 1000, unit = "m2/s" }
[[equation]]
pde = "h_t = D*h_xx"
[[sensors]]
file = "heads.csv"
columns = { t = "Date" }
places = { file = "wells.csv", columns = { sensor = "Well", x = "Easting" } }
`

func writeWells(t *testing.T, wells int) (directory string) {
	directory = t.TempDir()
	places, heads := "Well,Easting,Owner\n", "Date,Rain"
	for i := range wells {
		places += fmt.Sprintf("MW-%d,%g,town\n", i+1, 1000*float64(i)/float64(wells))
		heads += fmt.Sprintf(",MW-%d", i+1)
	}
	places += "Old well,5000,town\n" // outside, and nobody reads it
	heads += "\n"
	for day := range 4 {
		heads += fmt.Sprintf("2024-05-0%d,0.5", 2*day+1)
		for i := range wells {
			if i == 1 && day == 2 {
				heads += ","
				continue
			}
			heads += fmt.Sprintf(",%g", float64(i)+0.1*float64(day))
		}
		heads += "\n"
	}
	write(t, directory, "problem.toml", monitored)
	write(t, directory, "wells.csv", places)
	write(t, directory, "heads.csv", heads)
	return directory
}

// check has a line for each sensor, and says what is not used and which units do not match.
func TestCheckListsEverySensor(t *testing.T) {
	said := spaced(succeed(t, "check", writeWells(t, 3)))
	for _, want := range []string{
		"sensor readings least (m) largest (m) missing longest gap",
		"MW-1, x = 0 m 4 0 0.3 0 2 d", "MW-2, x = 333.3 m 3 1 1.3 1 4 d", "MW-3, x = 666.7 m 4 2 2.3 0 2 d",
		"each from 2024-05-01 to 2024-05-07, every 2 d",
		"1 column not read: Rain", "1 place without a reading: Old well", "1 missing value left out",
		"D is in m2/s, but the equation needs m2/d: 1 m2/s = 86400 m2/d",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("check does not say %q:\n%s", want, said)
		}
	}
}

// Hundreds of sensors do not fill the screen, but a program gets them.
func TestCheckOfManySensors(t *testing.T) {
	directory := writeWells(t, 300)
	said := succeed(t, "check", directory)
	if n := strings.Count(said, "MW-"); n != mostSensors+firstReadings || !strings.Contains(said, "and 270 more") {
		t.Errorf("%d lines name a well:\n%s", n, said)
	}
	var r checkedReport
	if err := json.Unmarshal([]byte(succeed(t, "check", directory, "--json")), &r); err != nil {
		t.Fatal(err)
	}
	s := r.Problem.Sensors[0]
	if len(s.Each) != 300 || s.Each[1].Missing != 1 || s.Each[1].Readings != 3 || s.Each[1].Name != "MW-2" || *s.Each[1].Longest != 4 || s.Each[299].Largest != 299.3 {
		t.Errorf("%d sensors; the second is %+v", len(s.Each), s.Each[1])
	}
	if len(s.Unread) != 1 || len(s.Silent) != 1 || len(r.Problem.Remarks) != 1 {
		t.Errorf("columns %v, places %v, remarks %v", s.Unread, s.Silent, r.Problem.Remarks)
	}
}

// Readings without names belong to the place at which they were taken, and those of one moment together.
func TestSensorsWithoutNames(t *testing.T) {
	directory := t.TempDir()
	write(t, directory, "problem.toml", "[variables]\nx = [0, 1]\nt = [0, 10]\n[[equation]]\npde = \"u_t = u_xx\"\n[[sensors]]\nfile = \"a.csv\"\n[[sensors]]\nfile = \"b.csv\"\nat = { t = 0 }\n")
	write(t, directory, "a.csv", "t,x,value\n0,0.5,1\n1,0.5,2\n5,0.5,3\n0,0.75,7\n")
	write(t, directory, "b.csv", "x,value\n0.1,3\n0.2,1\n0.9,2\n")
	said := spaced(succeed(t, "check", directory))
	for _, want := range []string{"x = 0.5 3 1 3 4 from 0 to 5, every 1", "x = 0.75 1 7 7 at 0", "x = 0.1 to 0.9 3 1 3 at 0"} {
		if !strings.Contains(said, want) {
			t.Errorf("check does not say %q:\n%s", want, said)
		}
	}
}

// check says of which equations units agree, and why others could not be compared.
func TestCheckSaysWhetherUnitsWereCompared(t *testing.T) {
	directory := writeWells(t, 3)
	for _, test := range []struct{ old, new, more, want string }{
		{"m2/s", "m2/d", "", "units: the terms of equation 1 agree"},
		{", unit = \"m2/s\"", "", "", "units: equation 1 is not compared, since D has no unit"},
		{"D*h_xx\"", "3600*D*h_xx + R\"\n[[equation]]\npde = \"h_t = h_x*R\"", "R = {}\n", "since R has no unit, and 3600 may have a unit"},
	} {
		write(t, directory, "problem.toml", strings.Replace(strings.Replace(monitored, test.old, test.new, 1), "[[equation]]", test.more+"[[equation]]", 1))
		if said := spaced(succeed(t, "check", directory)); !strings.Contains(said, test.want) {
			t.Errorf("check does not say %q:\n%s", test.want, said)
		}
	}
}

// What the key missing leaves out is counted, and its first line is named, beside gaps that any file may have.
func TestValuesListedAsMissingAreNamed(t *testing.T) {
	directory := t.TempDir()
	write(t, directory, "problem.toml", "[variables]\nx = [0, 4]\n[[equation]]\npde = \"u_xx = 0\"\n[[sensors]]\nfile = \"log.csv\"\nmissing = [85]\nsigma = 0.1\n[features]\nneurons = 20\n[output]\ngrid = [5]\n")
	write(t, directory, "log.csv", "x,value\n0,0.1\n1,NaN\n1,85.0\n2,2.1\n3,85\n3,2.9\n4,4.2\n")
	const want = "3 missing values left out, 2 as the key missing says, the first at log.csv:4"
	if said := spaced(succeed(t, "check", directory)); !strings.Contains(said, "log.csv "+want) {
		t.Errorf("check does not say %q:\n%s", want, said)
	}
	out := filepath.Join(directory, "out")
	succeed(t, "solve", directory, "--quiet", "--out", out)
	if page := succeed(t, "report", out, "-o", "-"); !strings.Contains(page, "<li>log.csv: "+want+"<") {
		t.Errorf("the report does not say %q", want)
	}
}

// The file that the help of places shows is read as it says.
func TestWideFileOfTheHelpIsRead(t *testing.T) {
	directory := t.TempDir()
	write(t, directory, "problem.toml", "[variables]\nx = [0, 0.1]\nt = { range = [0, 24], unit = \"h\", start = 2024-11-04 }\n[[equation]]\npde = \"T_t = 0.002*T_xx\"\n[[sensors]]\nfile = \"log.csv\"\ncolumns = { t = \"Datum\" }\nplaces = { T1 = { x = 0 }, T2 = { x = 0.1 } }\n")
	write(t, directory, "log.csv", "Logger 7\nSN 123\nDatum;T1;T2\n;°C;°C\n04.11.2024 06:00;20,31;---\n04.11.2024 07:00;20,4;19,2\n")
	said := spaced(succeed(t, "check", directory))
	for _, want := range []string{"3 readings of T", "T1, x = 0 2 20.31 20.4 0 from 2024-11-04 06:00", "1 missing value left out",
		"lines 1 and 2 before the names of the columns (preamble), line 4 after the names (no numbers, such as units)"} {
		if !strings.Contains(said, want) {
			t.Errorf("check does not say %q:\n%s", want, said)
		}
	}
}

// The wide prior is a number: that of the file for check, and the one that was used in the report of solve.
func TestWidePriorIsTold(t *testing.T) {
	if said := spaced(succeed(t, "check", "../../bench/problems/inverse-poisson/problem.toml")); !strings.Contains(said, "lambda1 wide prior, 0 ± 59 before") {
		t.Errorf("check says:\n%s", said)
	}
	var r report
	if err := json.Unmarshal([]byte(succeed(t, "solve", "../../bench/problems/inverse-poisson/problem.toml", "--json")), &r); err != nil {
		t.Fatal(err)
	}
	if prior := r.Parameters["lambda1"].Prior; !strings.HasPrefix(prior, "wide, 0 ± ") {
		t.Errorf("the prior is %q", prior)
	}
}

// Nothing is remarked on in the examples and recipes.
func TestExamplesHaveNoRemarks(t *testing.T) {
	files := 0
	for _, pattern := range []string{"../../bench/problems/*/problem.toml", "../../docs/recipes/*/problem.toml", "testdata/loggers/*/problem.toml"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			f, err := spec.Read(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if files++; len(f.Remarks) > 0 {
				t.Errorf("%s: %v", path, f.Remarks)
			}
		}
	}
	if files < 40 {
		t.Errorf("only %d files", files)
	}
}
