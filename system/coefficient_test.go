package system

import (
	"math"
	"testing"

	"github.com/bpielm/bpielm/mat"
)

func TestCoefficientPriors(t *testing.T) {
	for _, c := range []Coefficient{
		{Name: "order", Min: 0.01, Max: 10}, {Name: "range", Min: -2, Max: 3}, {Name: "normal", Mean: 5, SD: 2}, {Name: "lognormal", Median: 3, Factor: 2},
		{Name: "either sign", Min: -50, Max: 20, Fine: 0.01},
	} {
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
		// The share of the density below a value is the normal probability below its number.
		sum, before := 0.0, c.Value(-6)
		for z := -6.0; z < 6; z += 0.001 {
			next := c.Value(z + 0.001)
			sum += c.Density(0.5*(before+next)) * (next - before)
			if want := 0.5 * math.Erfc(-(z+0.001)/math.Sqrt2); math.Abs(sum-want) > 1e-3 {
				t.Fatalf("%s: %g of the density is below %g, want %g", c.Name, sum, next, want)
			}
			before = next
		}
		for _, z := range []float64{-3, -0.5, 0, 1, 2.5} {
			if got := c.Number(c.Value(z)); math.Abs(got-z) > 1e-9 {
				t.Errorf("%s: %g became %g", c.Name, z, got)
			}
		}
	}
	bounded := Coefficient{Name: "order", Min: 0.01, Max: 10}
	for _, z := range []float64{-50, 50} {
		if v := bounded.Value(z); v < 0.01 || v > 10 {
			t.Errorf("%g is beyond the bounds", v)
		}
	}
	if open := (Coefficient{Name: "open"}); open.Validate() != nil || !open.Open() || open.Value(3) != 1 || bounded.Open() {
		t.Error("a coefficient of which nothing is stated is open, and 1 until a range is found")
	}
	if d := bounded.Density(11); d != 0 {
		t.Errorf("density %g beyond the bounds", d)
	}
	for _, c := range []Coefficient{{Fine: 1}, {Min: -1, Max: 1, Fine: -1}, {Mean: 1, SD: 1, Fine: 1}, {Min: -1e300, Max: 1e300, Fine: 1e-300}, {Min: 1, Max: 1}, {Min: 2, Max: 1}, {Mean: 1}, {Median: 1}, {Median: -1, Factor: 2}, {Median: 1, Factor: 1}, {Min: 1, Max: 2, SD: 1}, {Min: math.NaN(), Max: 1}, {Min: -1e308, Max: 1e308}} {
		if c.Validate() == nil {
			t.Errorf("%+v is taken", c)
		}
	}
}

func TestProblemWithCoefficients(t *testing.T) {
	at := mat.NewDense(2, 1, []float64{1, 2})
	p := &Problem{
		Variables: []Variable{{Name: "x", Max: 3}}, Fields: []string{"u"},
		Coefficients: []Coefficient{{Name: "a", Min: 1, Max: 2}, {Name: "b", Mean: 0, SD: 1}},
		Equations: []Demand{{Points: at, Residual: Functional{
			Terms: []Term{{Derivative: []int{1}}, {Coefficient: DependentFunc(func(x, c []float64) float64 { return c[0]*x[0] + c[1] })}},
			Known: Scaled(DependentFunc(func(_, c []float64) float64 { return c[1] }), 3),
		}}},
		Sensors: []Sensors{{Measures: Functional{Terms: []Term{{Coefficient: DependentFunc(func(_, c []float64) float64 { return c[0] })}}}, Points: at, Values: []float64{1, 2}, Sigma: []float64{1}}},
	}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	q := p.With([]float64{1.5, -0.5})
	values := make([]float64, 2)
	e := &q.Equations[0].Residual
	e.Terms[1].Coefficient.EvalTo(values, at)
	if values[0] != 1 || values[1] != 2.5 {
		t.Errorf("coefficients %v, want 1 and 2.5", values)
	}
	e.Known.EvalTo(values, at)
	if values[0] != -1.5 {
		t.Errorf("known part %g, want -1.5", values[0])
	}
	q.Sensors[0].Measures.Terms[0].Coefficient.EvalTo(values, at)
	if values[0] != 1.5 {
		t.Errorf("what is measured has the coefficient %g, want 1.5", values[0])
	}
	p.Equations[0].Residual.Terms[1].Coefficient.EvalTo(values, at)
	if !math.IsNaN(values[0]) {
		t.Error("the problem itself has changed")
	}
	defer func() {
		if _, ok := recover().(mat.Error); !ok {
			t.Error("one value of two coefficients does not panic")
		}
	}()
	p.With([]float64{1})
}
