package export

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/cmd/internal/solution"
	"github.com/bpielm/bpielm/system"
)

// valueAt is what the field u is at a point: another number at every one.
func valueAt(x []float64) float64 {
	v := 0.0
	for d := range x {
		v += math.Pow(10, float64(d)) * x[d]
	}
	return v
}

// solved makes a solution in a domain, of a field u of all variables and a field q of the
// last.
func solved(domain system.Domain, counts []int, variables ...system.Variable) []Grid {
	s := &solution.Solution{Points: system.Grid(variables, domain, counts)}
	u := solution.Field{Name: "u", Points: s.Points, Variables: variables}
	for i := range s.Points.Rows() {
		u.Mean = append(u.Mean, valueAt(s.Points.Row(i)))
		u.SD = append(u.SD, 0.5)
	}
	last := variables[len(variables)-1:]
	q := solution.Field{Name: "q", Points: system.Grid(last, nil, counts[len(counts)-1:]), Variables: last}
	for i := range q.Points.Rows() {
		q.Mean = append(q.Mean, -q.Points.At(i, 0))
	}
	s.Fields = []solution.Field{u, q}
	return Grids(s, variables, counts)
}

var (
	x = system.Variable{Name: "x", Min: 0, Max: 2}
	y = system.Variable{Name: "y", Min: -1, Max: 1}
	z = system.Variable{Name: "z", Min: 0, Max: 1}
	r = system.Variable{Name: "r", Min: 1, Max: 100, Log: true}
	t = system.Variable{Name: "t", Min: 0, Max: 3}
)

// corner leaves out the place where x and y are largest.
var corner = system.Region(func(p []float64) bool { return p[0] < 2 || p[1] < 1 })

func TestGridsHoldEveryPointOnce(t *testing.T) {
	grids := solved(corner, []int{3, 2}, x, y)
	if len(grids) != 2 || grids[0].Field != "" || grids[1].Field != "q" {
		t.Fatalf("%d grids", len(grids))
	}
	names := []string{}
	for _, a := range grids[0].Arrays {
		names = append(names, a.Name)
	}
	if !slices.Equal(names, []string{"u_mean", "u_sd", "u_lower95", "u_upper95"}) {
		t.Errorf("arrays %v", names)
	}
	mean, lower := grids[0].Arrays[0].Values, grids[0].Arrays[2].Values
	for k, want := range []float64{-10, 10, -9, 11, -8, math.NaN()} {
		if got := mean[k]; got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("point %d: %g, want %g", k, got, want)
		}
		if d := mean[k] - lower[k]; !math.IsNaN(want) && math.Abs(d-0.98) > 1e-12 {
			t.Errorf("point %d: half a band is %g", k, d)
		}
	}
}

func TestCheckVTK(t *testing.T) {
	for _, c := range []struct {
		variables []string
		fits      bool
	}{{[]string{"x"}, true}, {[]string{"x", "y", "t"}, true}, {[]string{"x", "y", "z", "t"}, true}, {[]string{"a", "b", "c", "d"}, false}, {[]string{"a", "b", "c", "d", "t"}, false}} {
		if err := CheckVTK(c.variables); (err == nil) != c.fits {
			t.Errorf("%v: %v", c.variables, err)
		}
	}
}

// Every file is well-formed, and the same bytes twice.
func TestFilesAreReproducible(t *testing.T) {
	write := func(f File) []byte {
		var b bytes.Buffer
		if err := f.Fill(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	files := func() []File {
		grids := solved(corner, []int{3, 2, 4}, x, y, z)
		return append(VTK(grids), File{"solution.npz", func(w io.Writer) error { return NumPy(w, grids) }})
	}
	names := []string{}
	for i, f := range files() {
		names = append(names, f.Name)
		text := write(f)
		if !bytes.Equal(text, write(files()[i])) {
			t.Errorf("%s: two files differ", f.Name)
		}
		if filepath.Ext(f.Name) == ".npz" {
			z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
			if err != nil || len(z.File) != 8 { // x, y, z, four of u and q_mean
				t.Errorf("%s: %v", f.Name, err)
			}
			continue
		}
		decoder := xml.NewDecoder(bytes.NewReader(text))
		for {
			if _, err := decoder.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
		}
	}
	if !slices.Equal(names, []string{"solution.vti", "solution-q.vti", "solution.npz"}) {
		t.Errorf("files %v", names)
	}
}

// python runs a script that prints JSON, with Debian's Python: its packages vtk and
// numpy must be there.
func python(t *testing.T, script, argument string, to any) {
	t.Helper()
	interpreter := "/usr/bin/python3"
	if _, err := os.Stat(interpreter); err != nil {
		interpreter = "python3"
	}
	if err := exec.Command(interpreter, "-c", "import numpy, vtk").Run(); err != nil && os.Getenv("BPIELM_REQUIRE_READERS") == "" {
		t.Skip("without Python, NumPy and VTK")
	}
	command := exec.Command(interpreter, "-c", script, argument)
	var complaints bytes.Buffer
	command.Stderr = &complaints
	text, err := command.Output()
	if err != nil || complaints.Len() > 0 {
		t.Fatalf("%v: %s", err, complaints.String())
	}
	if err := json.Unmarshal(text, to); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

// point is what a reader finds at one point: coordinates, the time, the field's mean, and
// whether the point is shown.
type point struct {
	At    []float64
	Mean  float64 // -999 for NaN
	Shown bool
}

// readVTK reads u_mean, or what there is, at every point and time step.
const readVTK = `
import sys, json, math, vtk
path = sys.argv[1]
r = vtk.vtkXMLRectilinearGridReader() if path.endswith('.vtr') else vtk.vtkXMLImageDataReader()
r.SetFileName(path)
r.UpdateInformation()
steps = max(1, r.GetNumberOfTimeSteps())
points = []
for step in range(steps):
    r.SetTimeStep(step)
    r.Update()
    o = r.GetOutput()
    data, ghost = o.GetPointData().GetArray(0), o.GetPointData().GetArray('vtkGhostType')
    times = o.GetFieldData().GetArray('t')
    for i in range(o.GetNumberOfPoints()):
        at, v = list(o.GetPoint(i)), data.GetValue(i)
        if times:
            at.append(times.GetValue(step))
        points.append({'At': at, 'Mean': -999 if math.isnan(v) else v, 'Shown': not ghost or ghost.GetValue(i) == 0})
print(json.dumps(points))
`

func TestVTKReadsTheFiles(test *testing.T) {
	for name, c := range map[string]struct {
		variables []system.Variable
		counts    []int
		domain    system.Domain
		extension string
		order     []int // variables in space, then the time
	}{
		"plane":       {[]system.Variable{x, y}, []int{5, 3}, corner, ".vti", []int{0, 1}},
		"space":       {[]system.Variable{x, y, z}, []int{3, 4, 2}, corner, ".vti", []int{0, 1, 2}},
		"line":        {[]system.Variable{x}, []int{7}, nil, ".vti", []int{0}},
		"history":     {[]system.Variable{x, t}, []int{3, 4}, nil, ".vti", []int{0, 1}},
		"animation":   {[]system.Variable{x, t, y}, []int{3, 4, 2}, nil, ".vtr", []int{0, 2, 1}},
		"in time":     {[]system.Variable{t, x, y, z}, []int{4, 3, 2, 2}, nil, ".vtr", []int{1, 2, 3, 0}},
		"logarithmic": {[]system.Variable{r, z}, []int{5, 3}, nil, ".vtr", []int{0, 1}},
	} {
		test.Run(name, func(test *testing.T) {
			grids := solved(c.domain, c.counts, c.variables...)
			if len(c.variables) == 1 {
				grids = grids[:1]
			}
			f := VTK(grids)[0]
			if f.Name != "solution"+c.extension {
				test.Fatalf("the file is named %s", f.Name)
			}
			path := filepath.Join(test.TempDir(), f.Name)
			file, err := os.Create(path)
			if err != nil {
				test.Fatal(err)
			}
			if err := errors.Join(f.Fill(file), file.Close()); err != nil {
				test.Fatal(err)
			}
			var points []point
			python(test, readVTK, path, &points)
			all := system.Grid(c.variables, nil, c.counts)
			if len(points) != all.Rows() {
				test.Fatalf("%d points are read of %d", len(points), all.Rows())
			}
			seen := map[float64]bool{}
			for _, p := range points {
				place := make([]float64, len(c.variables))
				animated := len(c.variables) >= 3 && slices.ContainsFunc(c.variables, func(v system.Variable) bool { return v.Name == "t" })
				for i, d := range c.order {
					if place[d] = p.At[i]; animated && i == len(c.order)-1 {
						place[d] = p.At[len(p.At)-1]
					}
				}
				want, inside := valueAt(place), c.domain == nil || c.domain.Contains(place)
				if p.Shown != inside || inside && math.Abs(p.Mean-want) > 1e-9 || !inside && p.Mean != -999 {
					test.Errorf("at %v: %g, shown %v; want %g, shown %v", place, p.Mean, p.Shown, want, inside)
				}
				seen[want] = true
			}
			if len(seen) < all.Rows()*3/4 {
				test.Errorf("only %d different values", len(seen))
			}
		})
	}
}

func TestNumPyReadsTheFile(test *testing.T) {
	path := filepath.Join(test.TempDir(), "solution.npz")
	file, err := os.Create(path)
	if err != nil {
		test.Fatal(err)
	}
	if err := errors.Join(NumPy(file, solved(corner, []int{3, 2}, x, y)), file.Close()); err != nil {
		test.Fatal(err)
	}
	var got map[string]struct {
		Shape  []int
		Values []float64
	}
	python(test, `
import sys, json, numpy
z = numpy.load(sys.argv[1], allow_pickle=False)
print(json.dumps({k: {'Shape': z[k].shape, 'Values': numpy.nan_to_num(z[k], nan=-999).ravel().tolist()} for k in z}))
`, path, &got)
	for name, want := range map[string]struct {
		shape  []int
		values []float64
	}{
		"x": {[]int{3}, []float64{0, 1, 2}}, "y": {[]int{2}, []float64{-1, 1}},
		"u_mean": {[]int{3, 2}, []float64{-10, 10, -9, 11, -8, -999}},
		"u_sd":   {[]int{3, 2}, []float64{0.5, 0.5, 0.5, 0.5, 0.5, -999}},
		"q_mean": {[]int{2}, []float64{1, -1}},
	} {
		if a := got[name]; !slices.Equal(a.Shape, want.shape) || !slices.Equal(a.Values, want.values) {
			test.Errorf("%s is %v", name, a)
		}
	}
}
