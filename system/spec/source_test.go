package spec

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

// A problem reads the same from a file system as from a directory, the files
// that it names among the rest, and says where a refusal stands.
func TestReadFS(t *testing.T) {
	directory := filepath.Join("..", "..", "bench", "problems")
	const name = "poisson/problem.toml"
	want, err := Read(filepath.Join(directory, name), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadFS(os.DirFS(directory), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Problem.Sensors, want.Problem.Sensors) || len(got.Problem.Sensors) == 0 {
		t.Error("the sensors differ")
	}

	text, err := fs.ReadFile(os.DirFS(directory), name)
	if err != nil {
		t.Fatal(err)
	}
	alone := fstest.MapFS{"inner/problem.toml": {Data: text}}
	if _, err := ReadFS(alone, "inner/problem.toml", nil); err == nil || !strings.Contains(err.Error(), "inner/problem.toml:18: sensors.file: boundary.csv: file does not exist") {
		t.Errorf("without its sensors' file: %v", err)
	}
}

// The readings of a file that is read later, in parts that begin with its header, are those of the file.
func TestReadMore(t *testing.T) {
	const problem = `[variables]
t = { range = [0, 9], unit = "h", start = 2024-03-01T00:00:00Z }
x = [0, 1]
[[equation]]
pde = "u_t = u_xx"
[[sensors]]
file = "log.csv"
places = { A = { x = 0 }, B = { x = 1 } }
missing = [-99]
[[sensors]]
file = "few.csv"
sigma = 0.1
`
	const head = "a logger\nt,A,B\n"
	rows := []string{"2024-03-01T01:00:00Z,1.5,2\n", "2024-03-01T02:00:00Z,-99,3\n", "2024-03-01T20:00:00Z,5,6\n", "2024-03-01T03:00:00Z,4,-99\n"}
	whole := fstest.MapFS{"p.toml": {Data: []byte(problem)}, "few.csv": {Data: []byte("t,x,value\n1,0.5,2\n")}, "log.csv": {Data: []byte(head + strings.Join(rows, ""))}}
	want, err := ReadFS(whole, "p.toml", nil)
	if err != nil {
		t.Fatal(err)
	}
	delete(whole, "log.csv")
	f, err := ReadFSLater(whole, "p.toml", nil, Limits{}, func(name string) bool { return name == "log.csv" })
	if err != nil {
		t.Fatal(err)
	}
	if p := f.Problem; len(p.Sensors[0].Values) != 0 || len(p.Sensors[1].Values) != 1 || p.Sensors[0].Points.Cols() != 2 {
		t.Errorf("%+v", p.Sensors)
	}
	var values []float64
	var points []float64
	var sensors []string
	gaps, outside := 0, 0
	for _, part := range []string{rows[0] + rows[1], rows[2], "", rows[3]} {
		group, file, err := f.ReadMore(0, strings.NewReader(head+part), "part")
		if err != nil {
			t.Fatal(err)
		}
		values, points, sensors = append(values, group.Values...), append(points, group.Points.Data()...), append(sensors, file.Sensors...)
		gaps, outside = gaps+file.Passed.Gaps, outside+file.Passed.Outside
	}
	s, of := &want.Problem.Sensors[0], &want.SensorFiles[0]
	if !reflect.DeepEqual(values, s.Values) || !reflect.DeepEqual(points, s.Points.Data()) || !reflect.DeepEqual(sensors, of.Sensors) || gaps != of.Passed.Gaps || outside != of.Passed.Outside || outside == 0 {
		t.Errorf("%v at %v of %v, %d gaps, %d outside; want %v at %v of %v, %+v", values, points, sensors, gaps, outside, s.Values, s.Points.Data(), of.Sensors, of.Passed)
	}
	if _, _, err := f.ReadMore(0, strings.NewReader(head+rows[0]+"2024-03-01T03:00:00Z,high,1\n"), "part"); err == nil || err.(*Error).File != "part" || err.(*Error).Line != 4 {
		t.Error(err)
	}
	if _, _, err := f.ReadMore(1, strings.NewReader("t,x,value\n1,7,2\n"), "part"); err == nil || !strings.Contains(err.Error(), "part:2: x: 7 is outside") {
		t.Error(err)
	}
}
