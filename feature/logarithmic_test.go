package feature

import (
	"math"
	"testing"

	"github.com/bpielm/bpielm/mat"
)

func TestStirling(t *testing.T) {
	want := [][]float64{nil, {1}, {-1, 1}, {2, -3, 1}, {-6, 11, -6, 1}, {24, -50, 35, -10, 1}}
	for k := 1; k < len(want); k++ {
		got := stirling(k)
		for i, v := range want[k] {
			if len(got) != k || got[i] != v {
				t.Errorf("order %d: %v, want %v", k, got, want[k])
				break
			}
		}
	}
}

// On a logarithmic axis, derivatives are still with respect to the variable itself: they
// match central differences of the derivative one order lower.
func TestDerivativesOnALogarithmicAxis(t *testing.T) {
	const h, relative = 1e-4, 2e-6
	l, err := New(Box{Min: []float64{0.01, -1}, Max: []float64{100, 2}, Log: []bool{true, false}},
		Config{Neurons: 40, Scale: []float64{2, 3}, Seed: 7, Constant: true})
	if err != nil {
		t.Fatal(err)
	}
	at := func(x, y float64, terms ...Term) []float64 {
		dst := mat.NewDense(1, l.Neurons(), nil)
		l.RowsTo(dst, mat.NewDense(1, 2, []float64{x, y}), terms)
		return dst.Row(0)
	}
	for _, x := range []float64{0.013, 0.4, 7, 88} {
		const y = 0.3
		for order := 1; order <= 5; order++ {
			for other := range 2 {
				got := at(x, y, Term{Derivative: []int{order, other}, Coefficient: []float64{1.5}})
				lower := Term{Derivative: []int{order - 1, other}, Coefficient: []float64{1.5}}
				up, down := at(x*(1+h), y, lower), at(x*(1-h), y, lower)
				largest, off := 0.0, 0.0
				for j, v := range got {
					largest = math.Max(largest, math.Abs(v))
					off = math.Max(off, math.Abs(v-(up[j]-down[j])/(2*h*x)))
				}
				if off > relative*largest {
					t.Errorf("at %g, order %d, %d: off by %.2g of %.2g", x, order, other, off, largest)
				}
			}
		}
	}
}

// A sum of terms at many points equals the sum of the terms, with constant and varying
// coefficients.
func TestSumsOfTermsOnALogarithmicAxis(t *testing.T) {
	const rounding = 1e-12
	l, err := New(Box{Min: []float64{0.1}, Max: []float64{1000}, Log: []bool{true}}, Config{Neurons: 20, Scale: []float64{3}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	points := mat.NewDense(3, 1, []float64{0.2, 5, 800})
	inverse := []float64{5, 0.2, 1.0 / 800}
	sum, second, first := mat.NewDense(3, 20, nil), mat.NewDense(3, 20, nil), mat.NewDense(3, 20, nil)
	l.RowsTo(sum, points, []Term{{Derivative: []int{2}}, {Derivative: []int{1}, Coefficient: inverse}})
	l.OperatorsTo([]*mat.Dense{second, first}, points, [][]Term{{{Derivative: []int{2}}}, {{Derivative: []int{1}}}})
	for i := range 3 {
		for j := range 20 {
			want := second.At(i, j) + inverse[i]*first.At(i, j)
			if math.Abs(sum.At(i, j)-want) > rounding*(1+math.Abs(second.At(i, j))) {
				t.Errorf("row %d, neuron %d: %g, want %g", i, j, sum.At(i, j), want)
			}
		}
	}
	l.RowsTo(sum, points, []Term{{Derivative: []int{2}, Coefficient: []float64{3}}}) // one coefficient for all points
	for i, v := range sum.Data() {
		if want := 3 * second.Data()[i]; math.Abs(v-want) > rounding*math.Abs(want) {
			t.Errorf("element %d with a coefficient of 3: %g, want %g", i, v, want)
		}
	}
	again, err := Restore(l.Store())
	if err != nil {
		t.Fatal(err)
	}
	again.RowsTo(first, points, []Term{{Derivative: []int{2}}})
	for i, v := range first.Data() {
		if v != second.Data()[i] {
			t.Fatal("a restored layer has different rows")
		}
	}
}

func TestBadLogarithmicAxesAreRefused(t *testing.T) {
	c := Config{Neurons: 3, Scale: []float64{1}}
	for _, b := range []Box{
		{Min: []float64{0}, Max: []float64{1}, Log: []bool{true}},
		{Min: []float64{-1}, Max: []float64{1}, Log: []bool{true}},
		{Min: []float64{1}, Max: []float64{2}, Log: []bool{false, true}},
	} {
		if _, err := New(b, c); err == nil {
			t.Errorf("%v is accepted", b)
		}
	}
	c.Draw = Published
	if _, err := New(Box{Min: []float64{1}, Max: []float64{2}, Log: []bool{true}}, c); err == nil {
		t.Error("a published draw accepts a logarithmic axis")
	}
}
