package spec

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/system"
)

var plane = []system.Variable{{Name: "x", Min: 0, Max: 1}, {Name: "y", Min: -5, Max: 5}}

func csvFile(t testing.TB, text string) string {
	t.Helper()
	return filepath.Join(directory(t, map[string]string{"data.csv": text}), "data.csv")
}

func TestReadReadings(t *testing.T) {
	for name, text := range map[string]string{
		"plain":               "x,y,value\n0.5,1,2\n1,-5,3e0\n",
		"another order":       "value,y,x\n2,1,0.5\n3,-5,1\n",
		"further columns":     "id,x,y,value,who\na,0.5,1,2,me\nb,1,-5,3,\"you, \"\"too\"\"\"\n",
		"spaces":              " x , y , value \n 0.5 , 1 , 2 \n 1 , -5 , 3 \n",
		"byte order mark":     "\ufeffx,y,value\n0.5,1,2\n1,-5,3\n",
		"Windows":             "\ufeffx,y,value\r\n0.5,1,2\r\n1,-5,3\r\n",
		"no last line end":    "x,y,value\n0.5,1,2\n1,-5,3",
		"comments and blanks": "# a\n\n#b\nx,y,value\n\n0.5,1,2\n   \n# c\n1,-5,3\n\n\n",
		"rounded at the box":  "x,y,value\n0.5,1,2\n1,-5.00000000001,3\n",
	} {
		points, values, sigma, err := ReadReadings(csvFile(t, text), plane)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := []float64{0.5, 1, 1, -5}
		if name == "rounded at the box" {
			want[3] = -5.00000000001
		}
		if !slices.Equal(points.Data(), want) || !slices.Equal(values, []float64{2, 3}) || sigma != nil {
			t.Errorf("%s: %v %v %v", name, points.Data(), values, sigma)
		}
	}
	_, _, sigma, err := ReadReadings(csvFile(t, "sigma,x,y,value\n0.1,0,0,0\n0.2,0,0,0\n"), plane)
	if err != nil || !slices.Equal(sigma, []float64{0.1, 0.2}) {
		t.Errorf("sigma %v, %v", sigma, err)
	}
}

func TestReadPointsMayBeAnywhere(t *testing.T) {
	points, err := ReadPoints(csvFile(t, "y,x\n70,2\n-1,0\n"), plane)
	if err != nil || !slices.Equal(points.Data(), []float64{2, 70, 0, -1}) {
		t.Errorf("%v, %v", points, err)
	}
}

func TestBadReadings(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "data.csv: the file is empty"},
		{"\n\n# nothing\n", "the file is empty"},
		{"x,y,value\n", "data.csv: the file has no rows after the first line"},
		{"x,y\n1,2\n", "data.csv:1: value: there is no column value; found x and y"},
		{"# c\nx,Y,value\n", "data.csv:2: y: there is no column y; did you mean Y?"},
		{"x,y,vaule\n1,2,3\n", "data.csv:1: value: there is no column value; did you mean vaule?"},
		{"x y value\n1 2 3\n", "columns must be separated by commas, semicolons or tabs"},
		{"1,2,3\n4,5,6\n", "data.csv:1: the first line must name the columns; it has only numbers"},
		{"x,y,x,value\n1,2,3,4\n", "data.csv:1: x: there are two columns x"},
		{"x,y,value,sigma,sigma\n1,2,3,4,5\n", "there are two columns sigma"},
		{"x,y,value,Sigma\n1,2,3,4\n", "data.csv:1: Sigma: a column of standard deviations is named sigma"},
		{"x,y,value\n0,1,2\n0,1\n", "data.csv:3: found 2 columns; the first line names 3"},
		{"x,y,value\n0,1,2\n\n# c\n0,1,2,3\n", "data.csv:5: found 4 columns; the first line names 3"},
		{"x,y,value\n0,1,abc\n", `data.csv:2: value: found "abc"; a number is expected`},
		{"x,y,value\n0,,2\n", "data.csv:2: y: the cell is empty"},
		{"x,y,value\n0,1,NaN\n", "data.csv: it has no readings: 1 value is missing"},
		{"x,y,value\n0,-inf,1\n", "data.csv:2: y: found -Inf; a finite number is expected"},
		{"x,y,value\n0,1,1e999\n", "data.csv:2: value: the number 1e999 is too large"},
		{"x,y,value\n0,1,\"1,5\"\n", `found "1,5"; a number is expected`},
		{"x,y,value\r\n0,1,2\r\n2,1,2\r\n", "data.csv:3: x: 2 is outside [0, 1]"},
		{"x,y,value\n0,5.1,2\n", "data.csv:2: y: 5.1 is outside [-5, 5]"},
		{"x,y,value,sigma\n0,1,2,0\n", "data.csv:2: sigma: found 0; a standard deviation must be positive"},
		{"x,y,value,sigma\n0,1,2,-1\n", "data.csv:2: sigma: found -1"},
		{"x,y,value,sigma\n0,1,2,\n", "data.csv:2: sigma: the cell is empty"},
		{"x,y,value\n0,1,\"2\n", "data.csv:"},
		{"x,y,value\n0,1,2\"3\n", `data.csv:2: value: found "2\"3"; a number is expected`},
		{"\x00\x01\x02", "data.csv:1: the first line is not text"},
		{strings.Repeat("x", 1<<20), "data.csv:1: a line of more than 1048575 bytes"},
	} {
		_, _, _, err := ReadReadings(csvFile(t, test.text), plane)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: error %v, want %s", shorten(test.text), err, test.want)
		}
	}
	for _, path := range []string{filepath.Join(t.TempDir(), "none.csv"), t.TempDir()} {
		var e *Error
		if _, err := ReadPoints(path, plane); !errors.As(err, &e) || e.File != path {
			t.Errorf("error %v", err)
		}
		if _, _, _, err := ReadReadings(path, plane); !errors.As(err, &e) || e.File != path {
			t.Errorf("error %v", err)
		}
	}
}

func FuzzCSV(f *testing.F) {
	for _, text := range []string{
		"x,y,value\n0.5,1,2\n1,-5,3e0\n", "\ufeffx,y,value,sigma\r\n0,1,2,0.1\r\n", "# c\n\nx,y,value\n\"0\",1,2\n", "x,y,value\n0,1\n", "", ",,,\n", "x,y,value\n0,1,\"",
	} {
		f.Add([]byte(text))
	}
	path := filepath.Join(f.TempDir(), "data.csv")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		points, values, sigma, err := ReadReadings(path, plane)
		var e *Error
		if err != nil {
			if !errors.As(err, &e) || e.File != path || e.Why == "" {
				t.Errorf("error %#v", err)
			}
		} else if points.Rows() == 0 || len(values) != points.Rows() || sigma != nil && len(sigma) != len(values) {
			t.Errorf("%d points, %d values, %d sigmas", points.Rows(), len(values), len(sigma))
		}
		if _, err := ReadPoints(path, plane); err != nil && !errors.As(err, &e) {
			t.Errorf("error %#v", err)
		}
	})
}
