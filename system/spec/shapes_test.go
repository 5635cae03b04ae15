package spec

import (
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

func readText(text string) (*File, error) {
	return ReadFS(fstest.MapFS{
		"problem.toml": {Data: []byte(text)},
		"s.csv":        {Data: []byte("x,y,value\n0.1,0.2,3\n")},
	}, "problem.toml", nil)
}

// plate has a hole, and what is filled in for on and equals.
func plate(on, equals string) string {
	return `
[variables]
x = [0, 2]
y = [0, 2]
[shapes]
plate = { box = { x = [0, 2], y = [0, 2] } }
corner = { box = { x = [1, 2], y = [1, 2] } }
hole = { disk = { center = [0.5, 0.5], radius = 0.25 } }
[domain]
shape = "plate - corner - hole"
[[equation]]
pde = "u_xx + u_yy = 0"
points = 20
[[condition]]
on = "` + on + `"
equals = "` + equals + `"
points = 12
[[sensors]]
file = "s.csv"
sigma = 1
`
}

// TestOutwardDerivative: the rows of a condition on u_n are those of the normal's
// coordinates times the derivatives.
func TestOutwardDerivative(t *testing.T) {
	f, err := readText(plate("hole", "2*u_n + n_x*u = n_y + x"))
	if err != nil {
		t.Fatal(err)
	}
	c := &f.Problem.Conditions[0]
	if len(c.Residual.Terms) != 3 || c.Points.Rows() != 12 {
		t.Fatalf("%d terms, %d points", len(c.Residual.Terms), c.Points.Rows())
	}
	value := func(f system.Function, i int) float64 {
		v := make([]float64, 1)
		f.EvalTo(v, c.Points.Slice(i, i+1, 0, 2))
		return v[0]
	}
	for i := range 12 {
		x, y := c.Points.At(i, 0), c.Points.At(i, 1)
		nx, ny := (0.5-x)/0.25, (0.5-y)/0.25 // out of the plate, into the hole
		for k, want := range []float64{2 * nx, 2 * ny, nx} {
			if got := value(c.Residual.Terms[k].Coefficient, i); math.Abs(got-want) > 1e-5 {
				t.Errorf("point %d, term %d: coefficient %g, want %g", i, k, got, want)
			}
		}
		if got := value(c.Residual.Known, i); math.Abs(got+ny+x) > 1e-5 {
			t.Errorf("point %d: known %g, want %g", i, got, -ny-x)
		}
	}
}

// TestOutwardDerivativeOnSides: on a side of the box it is a derivative, or minus one.
func TestOutwardDerivativeOnSides(t *testing.T) {
	for side, want := range map[string]struct {
		derivative  []int
		coefficient system.Function
	}{
		"x = 0": {[]int{1, 0}, system.Constant(-1)}, "x = 2": {[]int{1, 0}, nil},
		"y = 0": {[]int{0, 1}, system.Constant(-1)}, "y = 2": {[]int{0, 1}, nil},
	} {
		f, err := readText(plate(side, "u_n = 1"))
		if err != nil {
			t.Fatal(err)
		}
		terms := f.Problem.Conditions[0].Residual.Terms
		if len(terms) != 1 || terms[0].Derivative[0] != want.derivative[0] || terms[0].Derivative[1] != want.derivative[1] || terms[0].Coefficient != want.coefficient {
			t.Errorf("%s: %+v", side, terms)
		}
	}
}

// TestInequalitiesHaveABoundary: a half disk by inequalities, with a hole in it, and
// its outward derivative.
func TestInequalitiesHaveABoundary(t *testing.T) {
	text := strings.NewReplacer(
		`plate = { box = { x = [0, 2], y = [0, 2] } }`, `plate = { inside = "(x - 1)^2 + y^2 < 1 and y >= 0" }`,
		`corner = { box = { x = [1, 2], y = [1, 2] } }`, ``,
		`plate - corner - hole`, `plate - hole`,
		`center = [0.5, 0.5]`, `center = [1, 0.5]`,
	).Replace(plate("plate", "u_n = 0"))
	f, err := readText(text)
	if err != nil {
		t.Fatal(err)
	}
	c := &f.Problem.Conditions[0]
	flat := 0
	for i := range 12 {
		x, y := c.Points.At(i, 0), c.Points.At(i, 1)
		nx, ny := x-1, y
		if math.Abs(y) < 1e-9 {
			flat++
			nx, ny = 0, -1
		} else if r := math.Hypot(x-1, y); math.Abs(r-1) > 1e-9 {
			t.Errorf("point (%g, %g) is %g from the middle", x, y, r)
		}
		for k, want := range []float64{nx, ny} {
			got := make([]float64, 1)
			c.Residual.Terms[k].Coefficient.EvalTo(got, c.Points.Slice(i, i+1, 0, 2))
			if math.Abs(got[0]-want) > 1e-6 {
				t.Errorf("point (%g, %g), coefficient %d: %g, want %g", x, y, k, got[0], want)
			}
		}
	}
	if flat < 3 || flat > 7 { // of 12, in proportion to 2 : pi
		t.Errorf("%d points on the straight side", flat)
	}
}

// TestEndsOfAnInterval: a shape in one variable has its ends alone.
func TestEndsOfAnInterval(t *testing.T) {
	for _, domain := range []string{`inside = "x > 0.5 and x^2 < 2.25"`, `box = { x = [0.5, 1.5] }`, `ball = { center = [1], radius = 0.5 }`} {
		f, err := ReadFS(fstest.MapFS{
			"problem.toml": {Data: []byte("[variables]\nx = [0, 2]\n[domain]\n" + domain + `
[[equation]]
pde = "u_xx = 0"
points = 10
[[condition]]
on = "boundary"
equals = "u_n = 0"
[[sensors]]
file = "s.csv"
sigma = 1
`)},
			"s.csv": {Data: []byte("x,value\n1,3\n")},
		}, "problem.toml", nil)
		if err != nil {
			t.Fatal(domain, err)
		}
		points := f.Problem.Conditions[0].Points
		if points.Rows() != 2 || math.Abs(points.At(0, 0)-0.5) > 1e-12 || math.Abs(points.At(1, 0)-1.5) > 1e-12 {
			t.Errorf("%s: ends at %v", domain, points.Data())
		}
	}
}

// TestBallInTime: a ball in the first three of four variables, its surface through
// all times.
func TestBallInTime(t *testing.T) {
	f, err := ReadFS(fstest.MapFS{
		"problem.toml": {Data: []byte(`
[variables]
x = [-1, 1]
y = [-1, 1]
z = [-1, 1]
t = [0, 5]
[domain]
ball = { center = [0, 0, 0], radius = 1 }
[[equation]]
pde = "u_t = u_xx + u_yy + u_zz"
points = 50
[[condition]]
on = "boundary"
equals = "u_n + 2*u = 0"
points = 40
[[sensors]]
file = "s.csv"
sigma = 1
`)},
		"s.csv": {Data: []byte("x,y,z,t,value\n0,0,0,1,3\n")},
	}, "problem.toml", nil)
	if err != nil {
		t.Fatal(err)
	}
	points := f.Problem.Conditions[0].Points
	early, late := 0, 0
	for i := range points.Rows() {
		p := points.Row(i)
		if r := mat.Nrm2(p[:3]); math.Abs(r-1) > 1e-12 {
			t.Errorf("point %v is %g from the centre", p, r)
		}
		if p[3] < 2.5 {
			early++
		} else {
			late++
		}
	}
	if early < 15 || late < 15 {
		t.Errorf("%d points early, %d late", early, late)
	}
}

func TestBadShapes(t *testing.T) {
	for _, test := range []struct{ from, to, want string }{
		{`"plate - corner - hole"`, `"plate - slot"`, "problem.toml:10: domain.shape: unknown shape slot; the shapes are corner, hole and plate"},
		{`"plate - corner - hole"`, `"plate / hole"`, "domain.shape: shapes are combined by +, - and *, found /"},
		{`"plate - corner - hole"`, `"plate - 2"`, "domain.shape: a shape's name is expected, found a number or a function"},
		{`"plate - corner - hole"`, `"-plate"`, "domain.shape: shapes are combined by +, - and * alone"},
		{`"plate - corner - hole"`, `"hole - plate"`, "domain.shape: it has no boundary: it is empty, or everything"},
		{`"plate - corner - hole"`, `"plate < hole"`, `domain.shape: "plate < hole" is not an expression of shapes`},
		{`radius = 0.25`, `radius = -1`, "shapes.hole.disk.radius: found -1; a positive number is expected"},
		{`{ disk =`, `{ ring =`, "shapes.hole.ring: unknown key; shapes.hole has ball, box, curve, disk, inside and polygon"},
		{`{ x = [1, 2], y = [1, 2] }`, `{ y = [1, 2] }`, "shapes.corner.box: a box has the ranges of the first variables, { x = [0, 1], ... }; found y"},
		{`{ x = [1, 2], y = [1, 2] }`, `{ x = [1, 2], y = [2, 1] }`, "shapes.corner.box: side 2 of the box, [2, 1], is not an interval"},
		{`{ x = [1, 2], y = [1, 2] }`, `{ x = [1, 2] }`, "domain.shape: a shape in 2 and one in 1 variables cannot be combined"},
		{`corner =`, `boundary =`, "shapes.boundary: boundary is what a condition calls the whole boundary; name it otherwise"},
		{`corner =`, `x =`, "shapes.x: x is already a variable"},
		{"[domain]\nshape = \"plate - corner - hole\"", "", "shapes: nothing uses them: [domain] with shape = \"...\" is missing"},
		{`on = "hole"`, `on = "slot"`, `condition.on: expected "boundary", one of the shapes corner, hole and plate, or a variable = a constant, as "x = 0"; found "slot"`},
		{`on = "hole"`, `on = "x = 0.2"`, "condition.equals: u_n, the derivative along the outward normal, has a meaning on boundaries alone: in a [[condition]] on a side of the box or a boundary"},
		{`u_xx + u_yy`, `u_n`, "equation.pde: u_n, the derivative along the outward normal, has a meaning on boundaries alone"},
	} {
		text := plate("hole", "u_n = 0")
		if !strings.Contains(text, test.from) {
			t.Fatalf("%q is not in the file", test.from)
		}
		_, err := readText(strings.Replace(text, test.from, test.to, 1))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s instead of %s:\n\terror %v\n\twant  %s", test.to, test.from, err, test.want)
		}
	}
}

// Readings outside the domain's shape are remarked on; those on its boundary, rounded, are not.
func TestReadingsOutsideAreRemarkedOn(t *testing.T) {
	text := "[variables]\nx = [-1, 1]\ny = [-1, 1]\n[domain]\ninside = \"x^2 + y^2 < 0.25\"\n[[equation]]\npde = \"u_xx + u_yy = 0\"\n[[sensors]]\nfile = \"r.csv\"\nsigma = 0.1\n"
	for table, want := range map[string][]string{
		"x,y,value\n0.5,0,1\n0.354,0.354,2\n0,-0.5005,1\n": nil,
		"x,y,value\n0,0,1\n0.6,0,2\n-0.9,0.9,1\n":          {"r.csv:3: the place is outside the domain, where the equations say nothing of the reading, and so is another"},
	} {
		f, err := ReadFS(fstest.MapFS{"problem.toml": {Data: []byte(text)}, "r.csv": {Data: []byte(table)}}, "problem.toml", nil)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, r := range f.Remarks {
			said = append(said, r.Error())
		}
		if !slices.Equal(said, want) {
			t.Errorf("%q: %q, want %q", table, said, want)
		}
	}
}
