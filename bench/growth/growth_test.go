package growth

import (
	"math"
	"testing"
)

// The slope of an exact power law is its exponent, along either axis.
func TestSlope(t *testing.T) {
	neurons := &Series{Axis: Neurons}
	rows := &Series{Axis: Rows}
	for _, n := range []int{100, 300, 1000} {
		neurons.Points = append(neurons.Points, Point{Neurons: n, Rows: 7, Seconds: 3 * math.Pow(float64(n), 2.5)})
		rows.Points = append(rows.Points, Point{Neurons: 7, Rows: n, Seconds: float64(n) / 1e9})
	}
	if e := neurons.Exponent(); math.Abs(e-2.5) > 1e-12 {
		t.Errorf("exponent %g, want 2.5", e)
	}
	if e := rows.Exponent(); math.Abs(e-1) > 1e-12 {
		t.Errorf("exponent %g, want 1", e)
	}
}

// The count of operations has the theoretical limits: N* N^2 for many rows, and N^3 for as
// many rows as neurons.
func TestCostLimits(t *testing.T) {
	if got, want := newCost(1e8, 1000).Total(), 2e14; math.Abs(got/want-1) > 0.05 {
		t.Errorf("many rows: %g operations, want about %g", got, want)
	}
	if got, want := newCost(1e5, 1e5).Total(), (2-2./3+8./3)*1e15; math.Abs(got/want-1) > 0.01 {
		t.Errorf("square: %g operations, want about %g", got, want)
	}
}

// The measured fits have the requested sizes, and larger ones take longer.
func TestMeasure(t *testing.T) {
	var shown []int
	s, err := Axis{"neurons", []int{20, 200}, []int{500}}.Measure(func(done, total int) { shown = append(shown, done*10+total) })
	if err != nil {
		t.Fatal(err)
	}
	small, large := s.Points[0], s.Points[1]
	if small.Neurons != 20 || large.Neurons != 200 || small.Rows != 519 || large.Rows != 519 {
		t.Errorf("measured %+v and %+v", small, large)
	}
	if !(large.Seconds > 2*small.Seconds) || !(small.Assembly > 0) || !(small.Assembly < small.Seconds) {
		t.Errorf("times %+v and %+v", small, large)
	}
	if len(shown) != 3 || shown[0] != 2 || shown[2] != 22 {
		t.Errorf("progress %v", shown)
	}
}
