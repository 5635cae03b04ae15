package system

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
)

func circle(t *testing.T, cx, cy, r float64) *Curve {
	t.Helper()
	c, err := ParametricCurve(
		func(t float64) float64 { return cx + r*math.Cos(t) },
		func(t float64) float64 { return cy + r*math.Sin(t) }, 0, 2*math.Pi, 2000)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCurveContainsItsInside(t *testing.T) {
	c := circle(t, 30, -7, 2)
	for i := range 400 {
		angle, radius := 0.1*float64(i), 2*math.Sqrt(float64(i)/200)
		x := []float64{30 + radius*math.Cos(angle), -7 + radius*math.Sin(angle), 99} // a third variable does not matter
		if math.Abs(radius-2) > 1e-4 && c.Contains(x) != (radius < 2) {
			t.Errorf("radius %g: Contains is %v", radius, c.Contains(x))
		}
	}
	if xmin, xmax, ymin, ymax := c.Bounds(); math.Abs(xmin-28)+math.Abs(xmax-32)+math.Abs(ymin+9)+math.Abs(ymax+5) > 1e-4 {
		t.Errorf("bounds %g %g %g %g", xmin, xmax, ymin, ymax)
	}
}

// TestCurveContainsByTheEvenOddRule compares with the rule applied to every
// side, on a hook with level sides.
func TestCurveContainsByTheEvenOddRule(t *testing.T) {
	x := []float64{0, 4, 4, 3, 3, 1, 1, 0}
	y := []float64{0, 0, 4, 4, 1, 1, 3, 3}
	c, err := NewCurve(x, y)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 101 {
		for j := range 101 {
			p := []float64{-0.5 + 0.05*float64(i) + 1e-3, -0.5 + 0.05*float64(j)}
			crossings := 0
			for a := range x {
				b := (a + 1) % len(x)
				if (y[a] > p[1]) != (y[b] > p[1]) && p[0] < x[a]+(p[1]-y[a])/(y[b]-y[a])*(x[b]-x[a]) {
					crossings++
				}
			}
			if c.Contains(p) != (crossings%2 == 1) {
				t.Fatalf("%v: Contains is %v with %d crossings", p, c.Contains(p), crossings)
			}
		}
	}
}

func TestBoundaryPointsAreEquidistant(t *testing.T) {
	c := circle(t, 0, 0, 3)
	if math.Abs(c.Length()-6*math.Pi) > 1e-4 {
		t.Errorf("length %g", c.Length())
	}
	p, normals := c.Boundary(12)
	if p.Cols() != 2 || normals.Cols() != 2 {
		t.Fatalf("points in %d, normals in %d dimensions", p.Cols(), normals.Cols())
	}
	for i := range 12 {
		j := (i + 1) % 12
		d := math.Hypot(p.At(i, 0)-p.At(j, 0), p.At(i, 1)-p.At(j, 1))
		if want := 6 * math.Sin(math.Pi/12); math.Abs(d-want) > 1e-4 {
			t.Errorf("points %d and %d are %g apart, want %g", i, j, d, want)
		}
	}
}

// TestTurnIsTheSameAnywhere: left is left of any way, in any direction, at any place.
func TestTurnIsTheSameAnywhere(t *testing.T) {
	for _, shift := range [][2]float64{{0, 0}, {5, 3}, {-7, 2}, {4, -9}, {-6, -8}} {
		for k := range 8 {
			s, c := math.Sincos(math.Pi / 4 * float64(k))
			at := func(along, left float64) (x, y float64) {
				return shift[0] + along*c - left*s, shift[1] + along*s + left*c
			}
			ax, ay := at(0, 0)
			bx, by := at(2, 0)
			for _, along := range []float64{-1, 0.5, 3} {
				lx, ly := at(along, 0.1)
				rx, ry := at(along, -0.1)
				if left, right := turn(ax, ay, bx, by, lx, ly), turn(ax, ay, bx, by, rx, ry); math.Abs(left-0.2) > 1e-12 || math.Abs(right+0.2) > 1e-12 {
					t.Errorf("shift %v, direction %d, %g along: %g and %g, want 0.2 and -0.2", shift, k, along, left, right)
				}
			}
		}
	}
}

func TestCurvesThatEncloseNothingAreRefused(t *testing.T) {
	for name, points := range map[string][2][]float64{
		"two points":  {{0, 1}, {0, 1}},
		"a line":      {{0, 1, 2, 3}, {0, 1, 2, 3}},
		"not finite":  {{0, 1, math.NaN()}, {0, 1, 0}},
		"one missing": {{0, 1, 2}, {0, 1}},
	} {
		var e *ProblemError
		if _, err := NewCurve(points[0], points[1]); !errors.As(err, &e) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	var e *ProblemError
	if _, err := NewCurve([]float64{0, 1, 2, 0}, []float64{0, 0, math.NaN(), 1}); !errors.As(err, &e) || !strings.Contains(e.Why, "point 3 of") {
		t.Errorf("the third point is NaN: error %v", err)
	}
	if _, err := ParametricCurve(func(t float64) float64 { return math.Cos(t) }, math.Sin, 0, 3, 100); !errors.As(err, &e) || !strings.Contains(e.Why, "closed") {
		t.Errorf("an open curve: error %v", err)
	}
}

var plane = []Variable{{Name: "x", Min: -2, Max: 2}, {Name: "y", Min: 10, Max: 14}}

func TestCollocationLiesInsideAndSpreads(t *testing.T) {
	c := circle(t, 0, 12, 2)
	points, err := Collocation(plane, c, 400, 5)
	if err != nil {
		t.Fatal(err)
	}
	quarter := [4]int{}
	for i := range 400 {
		x := points.Row(i)
		if !c.Contains(x) {
			t.Fatalf("point %v is outside", x)
		}
		q := 0
		if x[0] > 0 {
			q++
		}
		if x[1] > 12 {
			q += 2
		}
		quarter[q]++
	}
	for _, n := range quarter {
		if n < 85 || n > 115 {
			t.Errorf("quarters of the disk hold %v of 400 points", quarter)
		}
	}
	if points, err = Collocation(plane, nil, 400, 5); err != nil {
		t.Fatal(err)
	}
	for d, v := range plane { // a square of 20 by 20 points has 20 on a side, half a spacing apart from it or less
		lowest, highest := 0, 0
		for i := range 400 {
			x := (points.At(i, d) - v.Min) / (v.Max - v.Min)
			if x <= 0 || x >= 1 {
				t.Fatalf("point %v is on the box's side", points.Row(i))
			}
			if x < 0.5/20 {
				lowest++
			}
			if x > 1-0.5/20 {
				highest++
			}
		}
		if lowest < 15 || lowest > 25 || highest < 15 || highest > 25 {
			t.Errorf("%d and %d points are at the sides of %s, want about 20", lowest, highest, v.Name)
		}
	}
	points, _ = Collocation(plane, c, 400, 5)
	again, _ := Collocation(plane, c, 400, 5)
	for i, v := range points.Data() {
		if again.Data()[i] != v {
			t.Fatal("the same seed gives other points")
		}
	}
}

func TestEmptyDomainIsAnError(t *testing.T) {
	var e *ProblemError
	if _, err := Collocation(plane, Region(func([]float64) bool { return false }), 10, 1); !errors.As(err, &e) {
		t.Errorf("error %v", err)
	}
}

func TestGrid(t *testing.T) {
	g := Grid(plane, nil, []int{3, 1})
	want := []float64{-2, 12, 0, 12, 2, 12}
	if r, c := g.Dims(); r != 3 || c != 2 {
		t.Fatalf("%d x %d", r, c)
	}
	for i, v := range want {
		if g.Data()[i] != v {
			t.Fatalf("grid %v, want %v", g.Data(), want)
		}
	}
	if n := Grid(plane, Region(func(x []float64) bool { return x[0] > 0 }), []int{5, 5}).Rows(); n != 10 {
		t.Errorf("%d points of a half box, want 10", n)
	}
}

// TestRowsHoldWhatTheFunctionalSays evaluates an equation with two fields and
// two parameters for given weights both ways.
func TestRowsHoldWhatTheFunctionalSays(t *testing.T) {
	p := &Problem{Variables: plane, Fields: []string{"u", "v"}, Parameters: []Parameter{{Name: "a"}, {Name: "b"}}}
	layer, err := feature.New(p.Box(), feature.Config{Neurons: 6, Scale: []float64{2}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	x := Func(func(x []float64) float64 { return x[0] })
	f := Functional{
		Terms:      []Term{{Field: 0, Derivative: []int{1}, Coefficient: x}, {Field: 1, Derivative: []int{0, 2}}, {Field: 0, Coefficient: Constant(-2)}},
		Parameters: []ParameterTerm{{Parameter: 1, Coefficient: x}, {Parameter: 1}, {Parameter: 0, Coefficient: Constant(3)}},
		Known:      Func(func(x []float64) float64 { return x[1] }),
	}
	points := mat.NewDense(3, 2, []float64{-1, 11, 0.5, 12, 2, 14})
	b := p.Basis(layer)
	if b.Columns() != 14 {
		t.Fatalf("%d columns", b.Columns())
	}
	h, known := mat.NewDense(3, 14, nil), make([]float64, 3)
	b.RowsTo(h, known, &f, points)

	part := func(terms ...feature.Term) *mat.Dense {
		m := mat.NewDense(3, 6, nil)
		layer.RowsTo(m, points, terms)
		return m
	}
	ux, u, vyy := part(feature.Term{Derivative: []int{1}}), part(feature.Term{}), part(feature.Term{Derivative: []int{0, 2}})
	for i := range 3 {
		xi := points.At(i, 0)
		for j := range 6 {
			if want := xi*ux.At(i, j) - 2*u.At(i, j); math.Abs(h.At(i, j)-want) > 1e-14 {
				t.Errorf("u, row %d, neuron %d: %g, want %g", i, j, h.At(i, j), want)
			}
			if h.At(i, 6+j) != vyy.At(i, j) {
				t.Errorf("v, row %d, neuron %d: %g, want %g", i, j, h.At(i, 6+j), vyy.At(i, j))
			}
		}
		if h.At(i, 12) != 3 || h.At(i, 13) != xi+1 || known[i] != points.At(i, 1) {
			t.Errorf("row %d: parameters %g %g, known %g", i, h.At(i, 12), h.At(i, 13), known[i])
		}
	}
}

// A shifted term has its coefficient here and its field elsewhere.
func TestShiftedTerms(t *testing.T) {
	p := &Problem{Variables: plane, Fields: []string{"u", "v"}}
	layer, err := feature.New(p.Box(), feature.Config{Neurons: 5, Scale: []float64{2}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	x := Func(func(x []float64) float64 { return x[0] })
	shift := Shifted(1.5, -1)
	f := Functional{Terms: []Term{
		{Field: 0, Coefficient: x},
		{Field: 0, Derivative: []int{1}, Coefficient: Negative(x), Footprint: shift},
		{Field: 1, Coefficient: Negative(nil), Footprint: shift},
	}}
	points, moved := mat.NewDense(2, 2, []float64{-1, 12, 0.5, 13}), mat.NewDense(2, 2, []float64{0.5, 11, 2, 12})
	b := p.Basis(layer)
	h, here, there, other := mat.NewDense(2, 10, nil), mat.NewDense(2, 10, nil), mat.NewDense(2, 10, nil), mat.NewDense(2, 10, nil)
	b.RowsTo(h, nil, &f, points)
	u, ux, v := Field(0), Derivative(0, 1), Field(1)
	b.RowsTo(here, nil, &u, points)
	b.RowsTo(there, nil, &ux, moved)
	b.RowsTo(other, nil, &v, moved)
	for i := range 2 {
		for j := range 10 {
			c := points.At(i, 0)
			if want := c*here.At(i, j) - c*there.At(i, j) - other.At(i, j); math.Abs(h.At(i, j)-want) > 1e-14 {
				t.Errorf("row %d, column %d: %g, want %g", i, j, h.At(i, j), want)
			}
		}
	}
	q := good()
	q.Equations[0].Residual.Terms[0].Footprint = Shifted(0.5)
	if err := q.Validate(); err == nil || !strings.Contains(err.Error(), "equation 1, shifted, point 2: x = 1.3 is outside [0, 1]") {
		t.Errorf("a shift out of the box: error %v", err)
	}
	q = good()
	q.Sensors[0].Measures.Terms[0].Footprint = Shifted(-0.5)
	if err := q.Validate(); err == nil || !strings.Contains(err.Error(), `sensors "s.csv", shifted, point 1: x = -0.5 is outside`) {
		t.Errorf("a shifted sensor: error %v", err)
	}
	q.Sensors[0].Measures.Terms[0].Footprint = &Footprint{Offsets: mat.NewDense(1, 1, []float64{0.5}), Fixed: []bool{true}}
	if err := q.Validate(); err != nil {
		t.Errorf("a fixed place: error %v", err)
	}
	q.Sensors[0].Measures.Terms[0].Footprint.Fixed = []bool{true, false}
	if err := q.Validate(); err == nil || !strings.Contains(err.Error(), "marks 2 axes as fixed; the problem has 1") {
		t.Errorf("too many fixed: error %v", err)
	}
}

func good() *Problem {
	return &Problem{
		Variables:  []Variable{{Name: "x", Min: 0, Max: 1}},
		Fields:     []string{"u"},
		Parameters: []Parameter{{Name: "q"}},
		Equations:  []Demand{{Residual: Derivative(0, 2), Points: mat.NewDense(2, 1, []float64{0.2, 0.8})}},
		Sensors:    []Sensors{{Name: "s.csv", Measures: Field(0), Points: mat.NewDense(2, 1, []float64{0, 1}), Values: []float64{1, 2}, Sigma: []float64{0.1}}},
	}
}

func TestValidateNamesWhatIsWrong(t *testing.T) {
	if err := good().Validate(); err != nil {
		t.Fatalf("a good problem is refused: %v", err)
	}
	for what, extend := range map[string]func(p *Problem){
		"the highest derivative":      func(p *Problem) { p.Equations[0].Residual.Terms[0].Derivative = []int{MaxOrder} },
		"as many points as there are": func(p *Problem) { p.Equations[0].Refine, p.Equations[0].Candidates = 2, p.Equations[0].Points },
		"student noise of 4 degrees of freedom": func(p *Problem) {
			p.Sensors[0].Sigma, p.Sensors[0].Student, p.Sensors[0].Freedom = nil, true, 4
		},
	} {
		p := good()
		if extend(p); p.Validate() != nil {
			t.Errorf("%s is refused: %v", what, p.Validate())
		}
	}
	for _, test := range []struct {
		want  string
		spoil func(p *Problem)
	}{
		{"variables", func(p *Problem) { p.Variables = nil }},
		{`variable "x"`, func(p *Problem) { p.Variables[0].Max = 0 }},
		{`variable "x"`, func(p *Problem) { p.Variables[0].Max = math.Inf(1) }},
		{`variable "x"`, func(p *Problem) { p.Variables[0].Min = math.NaN() }},
		{"fields", func(p *Problem) { p.Fields = nil }},
		{`parameter "q"`, func(p *Problem) { p.Parameters[0].SD = -1 }},
		{`parameter "q"`, func(p *Problem) { p.Parameters[0].Mean = math.NaN() }},
		{"equations", func(p *Problem) { p.Equations = nil }},
		{"equation 1", func(p *Problem) { p.Equations[0].Residual = Functional{} }},
		{"equation 1", func(p *Problem) { p.Equations[0].Points = nil }},
		{"equation 1", func(p *Problem) { p.Equations[0].Residual.Terms[0].Field = 1 }},
		{"equation 1", func(p *Problem) { p.Equations[0].Residual.Terms[0].Derivative = []int{MaxOrder + 1} }},
		{"equation 1", func(p *Problem) { p.Equations[0].Residual.Terms[0].Derivative = []int{-1} }},
		{"equation 1", func(p *Problem) { p.Equations[0].Residual.Terms[0].Derivative = []int{1, 1} }},
		{"equation 1", func(p *Problem) { p.Equations[0].Residual.Parameters = []ParameterTerm{{Parameter: 3}} }},
		{"equation 1", func(p *Problem) { p.Equations[0].Tolerance = -1 }},
		{"equation 1", func(p *Problem) { p.Equations[0].SD = -1 }},
		{"equation 1", func(p *Problem) { p.Equations[0].SD = math.NaN() }},
		{"equation 1", func(p *Problem) { p.Equations[0].SD = math.Inf(1) }},
		{"equation 1, point 2", func(p *Problem) { p.Equations[0].Points.Set(1, 0, 1.1) }},
		{"condition 1", func(p *Problem) { p.Conditions = []Demand{{Residual: Field(0)}} }},
		{"sensors", func(p *Problem) { p.Sensors = nil }},
		{"sensors", func(p *Problem) { p.Sensors[0].Values, p.Sensors[0].Points = nil, mat.NewDense(0, 1, nil) }},
		{`sensors "s.csv"`, func(p *Problem) { p.Sensors[0].Values = []float64{1} }},
		{`sensors "s.csv", reading 2`, func(p *Problem) { p.Sensors[0].Values[1] = math.NaN() }},
		{`sensors "s.csv", reading 1`, func(p *Problem) { p.Sensors[0].Sigma[0] = 0 }},
		{`sensors "s.csv"`, func(p *Problem) { p.Sensors[0].Sigma = []float64{1, 1, 1} }},
		{`sensors "s.csv", point 1`, func(p *Problem) { p.Sensors[0].Points.Set(0, 0, -5) }},
		{`sensors "s.csv", point 1`, func(p *Problem) { p.Sensors[0].Points.Set(0, 0, math.NaN()) }},
		{`sensors "s.csv"`, func(p *Problem) { p.Sensors[0].Measures = Functional{Known: Constant(1)} }},
		{`sensors "s.csv"`, func(p *Problem) { p.Sensors[0].Student, p.Sensors[0].Freedom = true, -1 }},
		{`sensors "s.csv"`, func(p *Problem) { p.Sensors[0].Student, p.Sensors[0].Freedom = true, math.NaN() }},
		{`sensors "s.csv"`, func(p *Problem) { p.Sensors[0].Freedom = 4 }},
		{"equation 1", func(p *Problem) { p.Equations[0].Refine = -1 }},
		{"equation 1", func(p *Problem) { p.Equations[0].Refine = 1 }},
		{"equation 1", func(p *Problem) {
			p.Equations[0].Refine, p.Equations[0].Candidates = 3, mat.NewDense(2, 1, []float64{0.3, 0.4})
		}},
	} {
		p := good()
		test.spoil(p)
		var e *ProblemError
		if err := p.Validate(); !errors.As(err, &e) || e.Where != test.want {
			t.Errorf("want an error about %s, found %v", test.want, err)
		}
	}
}

func TestSizesOfFieldsMustMakeSense(t *testing.T) {
	p := &Problem{Variables: []Variable{{Name: "x", Max: 1}}, Fields: []string{"u", "v"},
		Equations: []Demand{{Residual: Derivative(0, 2), Points: mat.NewDense(2, 1, []float64{0.2, 0.7})}},
		Sensors:   []Sensors{{Measures: Field(0), Points: mat.NewDense(1, 1, []float64{0.5}), Values: []float64{1}}}}
	for _, sizes := range [][]float64{{1}, {1, 2, 3}, {-1, 1}, {1, math.NaN()}, {math.Inf(1), 1}} {
		p.Sizes = sizes
		var e *ProblemError
		if err := p.Validate(); !errors.As(err, &e) || !strings.HasPrefix(e.Where, "size") {
			t.Errorf("sizes %v: error %v", sizes, err)
		}
	}
	p.Sizes = []float64{0, 3}
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
}

// The ends of a closed curve may be a millionth of its length apart.
func TestCurvesMustBeClosed(t *testing.T) {
	for gap, closed := range map[float64]bool{0: true, 0.9e-6: true, 1.1e-6: false, 0.1: false} {
		x := func(u float64) float64 { return math.Cos(2*math.Pi*u) + gap*2*math.Pi*u }
		y := func(u float64) float64 { return math.Sin(2 * math.Pi * u) }
		if _, err := ParametricCurve(x, y, 0, 1, 4000); (err == nil) != closed {
			t.Errorf("ends %g of the length apart: error %v", gap, err)
		}
	}
}
