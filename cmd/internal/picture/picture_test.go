package picture

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/cmd/internal/figure"
	"github.com/bpielm/bpielm/cmd/internal/solution"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// known is a predictor whose mean is the sum of the coordinates, and whose standard
// deviation is constant. If that is 0, it has no uncertainty.
type known struct {
	sd float64
}

func (k known) Predict(_ system.Functional, points *mat.Dense) (mean, sd []float64, err error) {
	mean = make([]float64, points.Rows())
	if k.sd > 0 {
		sd = make([]float64, points.Rows())
	}
	for i := range mean {
		for _, x := range points.Row(i) {
			mean[i] += x
		}
		if k.sd > 0 {
			sd[i] = k.sd
		}
	}
	return mean, sd, nil
}

// problemIn makes a file with variables of the given names, each in [0, 2].
func problemIn(fields []string, variables ...string) *spec.File {
	p := &system.Problem{Fields: fields}
	f := &spec.File{Title: "title", Problem: p}
	for _, name := range variables {
		p.Variables = append(p.Variables, system.Variable{Name: name, Min: 0, Max: 2})
		f.Output.Grid = append(f.Output.Grid, 5)
	}
	f.Output.Exact = make([]system.Function, len(fields))
	return f
}

func figuresOf(t *testing.T, file *spec.File, q solution.Predictor, noise []posterior.NoiseEstimate) map[string]*figure.Figure {
	t.Helper()
	pictures, err := ofFields(file, q, noise)
	if err != nil {
		t.Fatal(err)
	}
	figures := map[string]*figure.Figure{}
	for _, p := range pictures {
		figures[p.File(figure.PNG)] = p.Figure
		render(t, p.Figure)
	}
	return figures
}

// render draws the figure.
func render(t *testing.T, f *figure.Figure) {
	t.Helper()
	if err := f.Write(io.Discard, figure.PNG); err != nil {
		t.Fatal(err)
	}
}

func TestWhichPicturesAreDrawn(t *testing.T) {
	for _, c := range []struct {
		fields, variables, want string
	}{
		{"u", "x", "solution.png"},
		{"u", "x t", "solution.png slices.png"},
		{"u", "x y z", "solution.png slices.png"},
		{"u", "a b c d", "solution.png slices.png"},
		{"u v", "x", "solution-u.png solution-v.png"},
		{"u v", "x y", "solution-u.png slices-u.png solution-v.png slices-v.png"},
	} {
		figures := figuresOf(t, problemIn(strings.Fields(c.fields), strings.Fields(c.variables)...), known{0.1}, nil)
		want := strings.Fields(c.want)
		for _, name := range want {
			if figures[name] == nil {
				t.Errorf("%s of %s: there is no %s", c.fields, c.variables, name)
			}
		}
		if len(figures) != len(want) {
			t.Errorf("%s of %s: %d pictures", c.fields, c.variables, len(figures))
		}
	}
}

func TestTimeGoesUpwards(t *testing.T) {
	for _, variables := range [][]string{{"x", "t"}, {"t", "x"}} {
		figures := figuresOf(t, problemIn([]string{"u"}, variables...), known{0.1}, nil)
		m := figures["solution.png"].Rows[0][0].(*figure.Map)
		if m.XLabel != "x" || m.YLabel != "t" {
			t.Errorf("%v: map has %s to the right and %s upwards", variables, m.XLabel, m.YLabel)
		}
		titles := ""
		for _, row := range figures["slices.png"].Rows {
			titles += row[0].(*figure.Curve).Title + "; "
		}
		if titles != "t = 0; t = 1; t = 2; " {
			t.Errorf("%v: slices at %s", variables, titles)
		}
	}
}

// Axes and titles show labels and units.
func TestUnitsAreShown(t *testing.T) {
	file := problemIn([]string{"T"}, "x", "t")
	file.Problem.Variables[0].Unit, file.Problem.Variables[0].Label = "m", "depth"
	file.Problem.Variables[1].Unit = "h"
	file.Quantities = map[string]spec.Quantity{"T": {Unit: "°C", Label: "temperature"}}
	figures := figuresOf(t, file, known{}, nil)
	m := figures["solution.png"].Rows[0][0].(*figure.Map)
	if m.XLabel != "depth (m)" || m.YLabel != "t (h)" || m.Title != "temperature (°C): mean" {
		t.Errorf("%q, %q, %q", m.XLabel, m.YLabel, m.Title)
	}
	upper, lower := figures["slices.png"].Rows[0][0].(*figure.Curve), figures["slices.png"].Rows[0][1].(*figure.Curve)
	if upper.XLabel != "depth (m)" || upper.YLabel != "temperature (°C)" || !strings.HasSuffix(upper.Title, " h") || lower.YLabel != "minus mean (°C)" {
		t.Errorf("%q, %q, %q, %q", upper.XLabel, upper.YLabel, upper.Title, lower.YLabel)
	}
	file.Problem.Variables[0].Label = strings.Repeat("long ", 40)
	file.Quantities["T"] = spec.Quantity{Unit: "°C", Label: "temperature of the inner leaf"}
	long := figuresOf(t, file, known{}, nil)["solution.png"]
	render(t, long)
	if m := long.Rows[0][0].(*figure.Map); m.Title != "T (°C): mean" { // or there is no room for "mean"
		t.Errorf("%q", m.Title)
	}
}

func TestSectionsOfMoreThanTwoVariables(t *testing.T) {
	for _, c := range []struct{ variables, titles, axes string }{
		{"x y z", "z = 0.5; z = 1; z = 1.5; ", "x y"},
		{"t x y", "t = 0; t = 1; t = 2; ", "x y"},
		{"x t y", "t = 0; t = 1; t = 2; ", "x y"},
		{"x y z t", "t = 0; t = 1; t = 2; ", "x y"},
	} {
		names := strings.Fields(c.variables)
		file := problemIn([]string{"u"}, names...)
		// at 0, 1 and 2 in every variable
		file.Problem.Sensors = []system.Sensors{{Measures: system.Field(0), Points: mat.NewDense(3, len(names), nil), Values: make([]float64, 3)}}
		for i := range 3 {
			for j := range names {
				file.Problem.Sensors[0].Points.Set(i, j, float64(i))
			}
		}
		titles, scales := "", map[[2]float64]bool{}
		for k, row := range figuresOf(t, file, known{0.1}, nil)["solution.png"].Rows {
			m := row[0].(*figure.Map)
			_, title, _ := strings.Cut(m.Title, ", ")
			titles += title + "; "
			if got := m.XLabel + " " + m.YLabel; got != c.axes {
				t.Errorf("%s: axes %s", c.variables, got)
			}
			if len(m.Sensors) != 1 || m.Sensors[0] != (figure.Mark{X: float64(k), Y: float64(k)}) {
				t.Errorf("%s: section %d has sensors %v", c.variables, k, m.Sensors)
			}
			lo, hi := m.Scale()
			scales[[2]float64{lo, hi}] = true
		}
		if titles != c.titles || len(scales) != 1 {
			t.Errorf("%s: sections %s with %d scales", c.variables, titles, len(scales))
		}
	}
}

func TestFieldsAreShownWhereTheyAre(t *testing.T) {
	file := problemIn([]string{"u", "v"}, "x", "y")
	file.Output.Where = []system.Domain{system.Region(func(x []float64) bool { return x[0] < 0.7 }), nil}
	figures := figuresOf(t, file, known{0.1}, nil)
	for name, partly := range map[string]bool{"u": true, "v": false} {
		m := figures["solution-"+name+".png"].Rows[0][0].(*figure.Map)
		for k, v := range m.Values {
			x, y := m.Raster.Node(k/m.Raster.Rows, k%m.Raster.Rows)
			if away := partly && x >= 0.7; math.IsNaN(v) != away || m.Raster.Inside(x, y) == away {
				t.Fatalf("%s at (%g, %g): %g, inside %v", name, x, y, v, m.Raster.Inside(x, y))
			}
		}
	}
}

// How many maps stand side by side depends on how wide they are.
func TestMapsStandAsTheDomainAllows(t *testing.T) {
	for _, c := range []struct {
		variables string
		height    float64 // of the domain; it is 2 wide
		want      string  // how many maps each row has
	}{
		{"x y", 0.3, "1 1 1"}, {"x y", 0.8, "1 1 1"}, {"x y", 2, "2 1"}, {"x y", 4, "3"},
		{"x y t", 0.3, "1 1 1 1 1 1 1 1 1"}, {"x y t", 0.8, "2 2 2 2 1"}, {"x y t", 4, "3 3 3"}, {"x t", 0.3, "2 1"},
	} {
		file := problemIn([]string{"u"}, strings.Fields(c.variables)...)
		file.Problem.Variables[1].Max = c.height
		file.Output.Exact[0] = system.Constant(1)
		f := figuresOf(t, file, known{0.1}, nil)["solution.png"]
		var rows []string
		for _, row := range f.Rows {
			rows = append(rows, fmt.Sprint(len(row)))
		}
		if got := strings.Join(rows, " "); got != c.want || f.Width != 0 {
			t.Errorf("%s, %g high: rows of %s in a width of %g; want %s", c.variables, c.height, got, f.Width, c.want)
		}
	}
}

func TestMapsHaveOnlyWhatIsKnown(t *testing.T) {
	file := problemIn([]string{"u"}, "x", "y")
	if got := len(figuresOf(t, file, known{}, nil)["solution.png"].Rows[0]); got != 1 {
		t.Errorf("mean alone makes %d panels", got)
	}
	file.Output.Exact[0] = system.Func(func(x []float64) float64 { return math.Sqrt(x[0] - 1) }) // half of it NaN
	rows := figuresOf(t, file, known{0.1}, nil)["solution.png"].Rows
	if len(rows) != 2 || len(rows[0]) != 2 || len(rows[1]) != 1 {
		t.Errorf("mean, sd and error make %d rows", len(rows))
	}
}

func TestMapValuesStandWhereTheyBelong(t *testing.T) {
	file := problemIn([]string{"u"}, "t", "x")
	m := figuresOf(t, file, known{0.1}, nil)["solution.png"].Rows[0][0].(*figure.Map)
	for k, v := range m.Values {
		x, y := m.Raster.Node(k/m.Raster.Rows, k%m.Raster.Rows)
		if math.Abs(v-(x+y)) > 1e-12 {
			t.Fatalf("node %d at (%g, %g) has %g", k, x, y, v)
		}
	}
}

func TestSlicesLeaveGapsOutsideTheDomain(t *testing.T) {
	file := problemIn([]string{"u"}, "x", "y")
	file.Problem.Domain = system.Region(func(x []float64) bool { return x[0] < 0.5 || x[0] > 1.5 })
	p := figuresOf(t, file, known{0.1}, nil)["slices.png"].Rows[0][0].(*figure.Curve)
	for i, x := range p.X {
		if outside := x >= 0.5 && x <= 1.5; math.IsNaN(p.Mean[i]) != outside {
			t.Fatalf("at %g the mean is %g", x, p.Mean[i])
		}
	}
}

func TestReadingsAppearOnTheirSlice(t *testing.T) {
	file := problemIn([]string{"u", "v"}, "x", "t")
	points := mat.NewDense(3, 2, []float64{0.5, 0, 1, 0, 1, 0.7})
	values := []float64{0.6, 0.9, 5}
	file.Problem.Sensors = []system.Sensors{
		{Measures: system.Field(0), Points: points, Values: values},
		{Measures: system.Derivative(0, 1), Points: points, Values: values, Sigma: []float64{1}},
		{Measures: system.Field(1), Points: points, Values: values, Sigma: []float64{0.1, 0.2, 0.3}},
	}
	noise := []posterior.NoiseEstimate{{Sigma: 0.05, Learned: true}, {Sigma: 1}, {Sigma: 0.2}}
	figures := figuresOf(t, file, known{0.1}, noise)

	first := figures["slices-u.png"].Rows[0][0].(*figure.Curve)
	if want := []figure.Reading{{X: 0.5, Value: 0.6, Sigma: 0.05}, {X: 1, Value: 0.9, Sigma: 0.05}}; fmt.Sprint(first.Sensors) != fmt.Sprint(want) {
		t.Errorf("u at t = 0 has readings %v, want %v", first.Sensors, want)
	}
	below := figures["slices-u.png"].Rows[0][1].(*figure.Curve)
	if got := below.Sensors[1].Value; math.Abs(got-(-0.1)) > 1e-12 {
		t.Errorf("a reading of 0.9 where the mean is 1 deviates by %g", got)
	}
	second := figures["slices-v.png"].Rows[0][0].(*figure.Curve)
	if len(second.Sensors) != 2 || second.Sensors[1].Sigma != 0.2 {
		t.Errorf("v at t = 0 has readings %v", second.Sensors)
	}
	if got := len(figures["solution-u.png"].Rows[0][0].(*figure.Map).Sensors); got != 9 {
		t.Errorf("the map shows %d sensors of 9", got)
	}
}

func TestManySensorsAreThinned(t *testing.T) {
	const n, most = 2500, 1000
	file := problemIn([]string{"u"}, "x", "y")
	file.Problem.Sensors = []system.Sensors{{Measures: system.Field(0), Points: mat.NewDense(n, 2, nil), Values: make([]float64, n)}}
	f := figuresOf(t, file, known{0.1}, nil)["solution.png"]
	if got := len(f.Rows[0][0].(*figure.Map).Sensors); got > most || got < most/2 {
		t.Errorf("%d marks for %d sensors", got, n)
	}
	if got := f.Legend[0].Label; !strings.Contains(got, "one in 3") {
		t.Errorf("the legend says %q", got)
	}
}

// gaussians are independent parameters.
type gaussians []posterior.ParameterEstimate

func gaussian(name string, mean, sd float64) posterior.ParameterEstimate {
	return posterior.ParameterEstimate{Name: name, Mean: mean, SD: sd, Median: mean, Lower95: mean - 1.96*sd, Upper95: mean + 1.96*sd}
}

func (g gaussians) Parameters() []posterior.ParameterEstimate { return g }

func (g gaussians) ParameterDensity(i int, x float64) float64 {
	z := (x - g[i].Mean) / g[i].SD
	return math.Exp(-0.5*z*z) / (g[i].SD * math.Sqrt(2*math.Pi))
}

func (g gaussians) SampleParameters(count int, seed uint64) *mat.Dense {
	random, m := rand.New(rand.NewPCG(seed, 1)), mat.NewDense(count, len(g), nil)
	for k := range count {
		for i, e := range g {
			m.Set(k, i, e.Mean+e.SD*random.NormFloat64())
		}
	}
	return m
}

// With coefficients, there is a panel for each parameter and for every two, with the priors.
func TestCornerPicture(t *testing.T) {
	file := problemIn([]string{"u"}, "x")
	estimates := gaussians{gaussian("q", 3, 0.5), gaussian("D", 0.3, 0.02), gaussian("k", 2, 1)}
	if corner(file, estimates) != nil {
		t.Error("parameters that are linear have a corner plot")
	}
	file.Problem.Parameters = []system.Parameter{{Name: "q"}}
	file.Problem.Coefficients = []system.Coefficient{{Name: "D", Min: 0.1, Max: 1}, {Name: "k", Mean: 2, SD: 3}}
	p := corner(file, estimates)
	for i, row := range p.Figure.Rows {
		if len(row) != i+1 {
			t.Errorf("row %d has %d panels", i, len(row))
		}
		if d := row[i].(*figure.Density); (d.Prior != nil) != (i > 0) {
			t.Errorf("panel %d: prior %v", i, d.Prior != nil)
		}
	}
	render(t, p.Figure)
	for n, rows := range map[int]int{1: 0, 2: 2, 3: 3} {
		p := corner(file, estimates[:n])
		if drawn := p != nil; drawn != (rows > 0) || drawn && len(p.Figure.Rows) != rows {
			t.Errorf("%d parameters: a corner plot %v", n, drawn)
		}
	}
}

func TestParameterPicture(t *testing.T) {
	file := problemIn([]string{"u"}, "x")
	if densities(file, gaussians(nil)) != nil || densities(file, gaussians{{Name: "a", Mean: 1, SD: math.NaN()}}) != nil {
		t.Error("densities are drawn that do not exist")
	}
	for n := 1; n <= 7; n++ {
		p := densities(file, make(gaussians, n))
		if p != nil {
			t.Fatal("a density without width is drawn")
		}
		estimates := make(gaussians, n)
		for i := range estimates {
			estimates[i] = gaussian(fmt.Sprint("p", i), float64(i), 0.1)
		}
		p = densities(file, estimates)
		panels := 0
		for _, row := range p.Figure.Rows {
			panels += len(row)
		}
		if panels != n {
			t.Errorf("%d parameters make %d panels", n, panels)
		}
		render(t, p.Figure)
	}
}
