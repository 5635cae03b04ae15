package page

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// rodText is a small problem in one variable, with a parameter; %s is further text of the block of sensors.
const rodText = `title = "a rod"
[variables]
x = { range = [0, 2], label = "place", unit = "m" }
[parameters]
q = { mean = 1, sd = 2 }
[[equation]]
pde = "u_xx = q"
points = 30
[[sensors]]
file = "u.csv"
SENSORS
[features]
neurons = 20
seed = 1
[output]
grid = [21]
`

// rodTable is readings of 0.5 x² - x.
const rodTable = "x,value\n0,0.01\n0.5,-0.36\n1,-0.51\n1.5,-0.37\n2,-0.01\n"

// rod is the problem with these lines in its block of sensors and this table.
func rod(sensors, table string) map[string]string {
	return map[string]string{problemFile: strings.Replace(rodText, "SENSORS", sensors, 1), "u.csv": table}
}

// kind is a kind of problem that a page must cope with.
type kind struct {
	files map[string]string
	slow  bool
	holes bool // some cells of a whole slice are outside
	// unmoved says that no reading can be moved, and why.
	unmoved string
}

func kinds(t *testing.T) map[string]kind {
	list := map[string]kind{
		"one variable":   {files: rod("sigma = 0.02", rodTable)},
		"learned noise":  {files: rod("", rodTable)},
		"own noise":      {files: rod("", "x,value,sigma\n0,0.01,0.02\n0.5,-0.36,0.03\n1,-0.51,0.02\n1.5,-0.37,0.1\n2,-0.01,0.02\n")},
		"student":        {files: rod("sigma = 0.02\nnoise = \"student\"", rodTable+"0.75,3\n")},
		"paper's method": {files: map[string]string{problemFile: strings.Replace(rodText, "SENSORS", "sigma = 0.02", 1) + "[fit]\nmethod = \"paper\"\n", "u.csv": rodTable}},
		"no uncertainty": {files: map[string]string{problemFile: strings.Replace(rodText, "SENSORS", "sigma = 0.02", 1) + "[fit]\nmethod = \"pielm\"\n", "u.csv": rodTable}, unmoved: "no uncertainty"},
		"nonlinear sensors": {files: map[string]string{
			problemFile: strings.Replace(rodText, "SENSORS", "sigma = 0.02\nmeasures = \"u + u^2\"", 1), "u.csv": rodTable}, unmoved: "not linear"},
		"a coefficient": {files: map[string]string{problemFile: `
[variables]
t = [0, 3]
[parameters]
k = { min = 0.1, max = 5 }
[[equation]]
pde = "u_t = -k*u"
points = 40
[[sensors]]
file = "u.csv"
sigma = 0.02
[features]
neurons = 15
`, "u.csv": "t,value\n0,1.01\n0.5,0.6\n1,0.37\n1.5,0.21\n2.5,0.09\n"}},
		"a logarithmic axis": {files: map[string]string{problemFile: `
[variables]
r = { range = [0.1, 100], axis = "log" }
[[equation]]
pde = "r^2*u_rr + r*u_r = 0"
points = 40
[[sensors]]
file = "u.csv"
sigma = 0.05
[features]
neurons = 20
`, "u.csv": "r,value\n0.1,-2.3\n1,0.02\n10,2.28\n100,4.6\n"}},
	}
	for name, k := range map[string]kind{
		"poisson": {holes: true}, "beam": {}, "wall": {holes: true}, "seepage": {}, "ring": {holes: true}, "yeast": {slow: true},
		"l-plate": {holes: true, slow: true}, "stokes": {slow: true}, "half-known": {slow: true}, "ball": {holes: true, slow: true},
		"conductivity": {slow: true}, "heat-2d": {slow: true}, "reaction-diffusion": {slow: true},
	} {
		k.files = example(t, name)
		list[name] = k
	}
	return list
}

// Problems of all kinds are read, solved, drawn, dragged, judged and exported.
func TestKindsOfProblems(t *testing.T) {
	for name, k := range kinds(t) {
		t.Run(name, func(t *testing.T) {
			if k.slow && testing.Short() {
				t.Skip("takes a while")
			}
			k.check(t)
		})
	}
}

func (k kind) check(t *testing.T) {
	c := newClient(t, &Engine{})
	p := ask[Problem](c, Request{Do: "open", Files: k.files, Main: problemFile})
	if p.Fault != nil {
		t.Fatal(p.Fault)
	}
	a := ask[Answer](c, Request{Do: "solve"})
	if len(a.Parameters) != len(p.Parameters) || len(a.Digest) != 32 {
		t.Errorf("%d parameters, digest %q", len(a.Parameters), a.Digest)
	}
	for _, e := range a.Parameters {
		k.density(t, e)
	}
	uncertain := k.unmoved != "no uncertainty"
	for field := range p.Fields {
		for _, s := range slicesOf(&p, field) {
			drawn := ask[Slice](c, Request{Do: "slice", Slice: s})
			mean := decode(t, drawn.Mean)
			if (drawn.SD != "") != uncertain || len(mean) != product(s.Size) {
				t.Errorf("field %d: %d numbers, sd %.10q", field, len(mean), drawn.SD)
			}
			if missing := slices.ContainsFunc(mean, math.IsNaN); missing && !k.holes {
				t.Errorf("field %d, axes %v: numbers are missing", field, s.Axes)
			}
			if len(s.Axes) == len(p.Variables) && !(drawn.Low < drawn.High) {
				t.Errorf("field %d: from %g to %g", field, drawn.Low, drawn.High)
			}
		}
	}
	s := slicesOf(&p, 0)[0]
	before := decode(t, ask[Slice](c, Request{Do: "slice", Slice: s}).Mean)
	edits := []Edit{{Group: 0, Reading: 1, Value: value(p.Sensors[0].Readings[1].Value + 0.1)}}
	v, fault := try[Preview](c, Request{Do: "preview", Edits: edits, Slice: s})
	switch {
	case k.unmoved == "":
		if fault != nil {
			t.Fatalf("preview: %v", fault)
		}
		if !(furthest(decode(t, v.Mean), before) > 0) || len(v.Predicted) != 1 || len(v.Parameters) != len(a.Parameters) {
			t.Errorf("a changed value changes nothing: %+v", v.Predicted)
		}
		same := ask[Preview](c, Request{Do: "preview", Slice: s})
		if d := furthest(decode(t, same.Mean), before); !(d < 1e-5*(same.High-same.Low)) {
			t.Errorf("without changes, the preview is %g off", d)
		}
	case fault == nil || !strings.Contains(fault.Message, k.unmoved):
		t.Errorf("preview: %v, want %q", fault, k.unmoved)
	}
	places, fault := try[Placements](c, Request{Do: "place", Slice: s, Count: 2})
	if fault == nil {
		if len(places.Places) != 2 || !(places.Places[1].After <= places.Places[0].After) || len(decode(t, places.Gain)) != product(s.Size) {
			t.Errorf("%+v", places.Places)
		}
	} else if k.unmoved == "" {
		t.Errorf("place: %v", fault)
	}
	if f := ask[File](c, Request{Do: "export", What: "csv"}); f.Data == "" {
		t.Error("an empty table")
	}
	p = ask[Problem](c, Request{Do: "edit", Edits: edits})
	if got := p.Sensors[0].Readings[1].Value; got != *edits[0].Value {
		t.Errorf("the edited value is %g, want %g", got, *edits[0].Value)
	}
	if !uncertain {
		refused(c, Request{Do: "judge"})
		return
	}
	if j := ask[Judgement](c, Request{Do: "judge"}); len(j.Readings) == 0 {
		t.Error("no readings are judged")
	}
}

// density checks that what is drawn of a parameter is most of its posterior.
func (k kind) density(t *testing.T, e Estimated) {
	t.Helper()
	if k.unmoved == "no uncertainty" {
		return
	}
	sum := 0.0
	for i := 1; i < len(e.X); i++ {
		sum += (e.X[i] - e.X[i-1]) * (e.Posterior[i] + e.Posterior[i-1]) / 2
	}
	if !(math.Abs(sum-1) < 0.01) || !(e.Lower95 < e.Median && e.Median < e.Upper95) || !(e.X[0] < e.Lower95 && e.X[len(e.X)-1] > e.Upper95) {
		t.Errorf("%s: %g of the density is drawn, from %g to %g, of [%g, %g]", e.Name, sum, e.X[0], e.X[len(e.X)-1], e.Lower95, e.Upper95)
	}
}

func product(sizes []int) int {
	n := 1
	for _, s := range sizes {
		n *= s
	}
	return n
}

// furthest is the largest distance of numbers; those that are missing must be missing in both.
func furthest(a, b []float64) float64 {
	far := 0.0
	for i := range a {
		if math.IsNaN(a[i]) != math.IsNaN(b[i]) {
			return math.Inf(1)
		}
		if d := math.Abs(a[i] - b[i]); d > far {
			far = d
		}
	}
	return far
}

// slicesOf returns a slice of a field along all variables, as far as a slice can, and along one.
func slicesOf(p *Problem, field int) []*SliceOf {
	one := &SliceOf{Field: field, Axes: []int{len(p.Variables) - 1}, Size: []int{33}}
	if len(p.Variables) == 1 {
		return []*SliceOf{one}
	}
	return []*SliceOf{{Field: field, Axes: []int{0, 1}, Size: []int{17, 13}}, one}
}
