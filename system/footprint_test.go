package system

import (
	"slices"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
)

// mixed is a functional of fields at points, at another place, and averaged, with coefficients of all kinds.
func mixed() Functional {
	x := Func(func(x []float64) float64 { return x[0] })
	over := &Footprint{
		Offsets: mat.NewDense(3, 2, []float64{0.1, 12, -0.2, 13, 0.3, 14}), Fixed: []bool{false, true}, Weights: []float64{0.2, 0.5, 0.3},
	}
	return Functional{
		Terms: []Term{
			{Field: 1, Coefficient: Constant(2)},
			{Field: 0, Derivative: []int{1}, Footprint: over}, {Field: 0, Coefficient: Constant(3), Footprint: over}, {Field: 1, Coefficient: x, Footprint: over},
			{Field: 0, Derivative: []int{2}, Coefficient: x},
			{Field: 1, Coefficient: x, Footprint: Shifted(1, -1)},
		},
		Parameters: []ParameterTerm{{Coefficient: x}},
		Known:      x,
	}
}

func mixedBasis(t *testing.T) Basis {
	p := &Problem{Variables: plane, Fields: []string{"u", "v"}, Parameters: []Parameter{{Name: "q"}}}
	layer, err := feature.New(p.Box(), feature.Config{Neurons: 5, Scale: []float64{2}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return p.Basis(layer)
}

// TestExpandedTermsMakeTheSameRows: bit for bit, so that a stored sensor reads what it read.
func TestExpandedTermsMakeTheSameRows(t *testing.T) {
	f, b := mixed(), mixedBasis(t)
	g := f.Expanded()
	if len(g.Terms) != 3+3*3 {
		t.Fatalf("%d terms", len(g.Terms))
	}
	points := mat.NewDense(2, 2, []float64{-1, 12, 0.5, 13})
	want, got := mat.NewDense(2, b.Columns(), nil), mat.NewDense(2, b.Columns(), nil)
	b.RowsTo(want, nil, &f, points)
	b.RowsTo(got, nil, &g, points)
	if !slices.Equal(got.Data(), want.Data()) {
		t.Errorf("%v, want %v", got.Data(), want.Data())
	}
}

// TestRowMakerMakesFewerRowsThanItMay: the same, without allocating.
func TestRowMakerMakesFewerRowsThanItMay(t *testing.T) {
	f, b := mixed(), mixedBasis(t)
	points := mat.NewDense(4, 2, []float64{-1, 12, 0.5, 13, 0, 11, 0.25, 12.5})
	all, known := mat.NewDense(4, b.Columns(), nil), make([]float64, 4)
	maker := b.Compile(&f, 4)
	maker.To(all, known, points)
	row, one := mat.NewDense(1, b.Columns(), nil), make([]float64, 1)
	for i := range 4 {
		at := points.Slice(i, i+1, 0, 2)
		maker.To(row, one, at)
		if !slices.Equal(row.Row(0), all.Row(i)) || one[0] != known[i] {
			t.Errorf("row %d on its own is another", i)
		}
		if n := testing.AllocsPerRun(20, func() { maker.To(row, one, at) }); n > 0 {
			t.Errorf("%g allocations", n)
		}
	}
	defer func() {
		if _, ok := recover().(mat.Error); !ok {
			t.Error("more points than was said are not refused")
		}
	}()
	b.Compile(&f, 3).To(all, known, points)
}

func TestFootprintsAreTold(t *testing.T) {
	p := &Problem{Variables: plane, Fields: []string{"u"}}
	names := make([]string, 2)
	for i, v := range plane {
		names[i] = v.Name
	}
	fixed := func(x, y float64, axes ...bool) *Footprint {
		return &Footprint{Offsets: mat.NewDense(1, 2, []float64{x, y}), Fixed: axes}
	}
	for want, over := range map[string]*Footprint{
		"u":                   nil,
		"u(X + 0.5)":          Shifted(0.5, 0),
		"u(X - 0.5, Y + 2)":   Shifted(-0.5, 2),
		"u(X = 0)":            fixed(0, 0, true, false),
		"u(X = 1, Y = -3)":    fixed(1, -3, true, true),
		"u(X + 1, Y = 0)":     fixed(1, 0, false, true),
		"u(mean of 3 places)": mixed().Terms[1].Footprint,
	} {
		want = strings.NewReplacer("X", names[0], "Y", names[1]).Replace(want)
		if got := p.DerivativeName(&Term{Footprint: over}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		clone := over.Clone()
		if !clone.Equal(over) || (over != nil && clone == over) {
			t.Errorf("%s: the copy is another", want)
		}
		if over == nil {
			continue
		}
		clone.Offsets.Set(0, 0, 9)
		if clone.Equal(over) || over.Equal(nil) {
			t.Errorf("%s: another place is the same", want)
		}
	}
}

func TestFootprintsThatDoNotBelongToTheProblemAreRefused(t *testing.T) {
	for want, over := range map[string]*Footprint{
		"a footprint needs places with offsets in each of the 2 variables": Shifted(1),
		"a footprint has 2 weights for 1 places":                           {Offsets: mat.NewDense(1, 2, nil), Weights: []float64{0.5, 0.5}},
		"a footprint marks 1 axes as fixed; the problem has 2 variables":   {Offsets: mat.NewDense(1, 2, nil), Fixed: []bool{true}},
	} {
		p := &Problem{Variables: plane, Fields: []string{"u"}}
		f := Functional{Terms: []Term{{Footprint: over}}}
		if err := p.ValidateFunctional("sensors", &f); err == nil || err.Error() != "sensors: "+want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
