package system

import (
	"math"
	"slices"
	"testing"
)

// flatOutline has n corners at heights of about 1e-6 and one at 1, each of them twice.
func flatOutline(n int) (x, y []float64) {
	for i := range n {
		x = append(x, float64(i)/float64(n), float64(i)/float64(n))
		height := 1e-6 * math.Sin(float64(7*i))
		y = append(y, height, height)
	}
	return append(x, 0.5, 0.5), append(y, 1, 1)
}

// Wherever corners lie, and however often they are repeated, few sides share a strip: else all of them would be looked at for
// every point.
func TestSidesAreSpreadOverTheStrips(t *testing.T) {
	const n = 5000
	x, y := flatOutline(n)
	c, err := NewCurve(x, y)
	if err != nil {
		t.Fatal(err)
	}
	for k, sides := range c.strip {
		if len(sides) > n/2 {
			t.Errorf("strip %d has %d of %d sides", k, len(sides), n)
		}
	}
}

// What is inside is decided as by a look at all sides.
func TestStripsHaveTheSidesThatCross(t *testing.T) {
	x, y := flatOutline(300)
	c, err := NewCurve(x, y)
	if err != nil {
		t.Fatal(err)
	}
	heights := append(slices.Clone(y), -1, -1e-6, -3e-7, 1e-7, 9e-7, 0.3, 0.999, 2)
	for _, h := range heights {
		for px := -0.1; px < 1.1; px += 0.037 {
			want := false
			for i := range x {
				j := (i + 1) % len(x)
				if (y[i] > h) != (y[j] > h) && px < x[i]+(h-y[i])/(y[j]-y[i])*(x[j]-x[i]) {
					want = !want
				}
			}
			if got := c.Contains([]float64{px, h}); got != want {
				t.Fatalf("(%g, %g) inside: %v, want %v", px, h, got, want)
			}
		}
	}
}

// An outline far from the origin has the area of its shape, and one without any is refused, wherever it is.
func TestOutlinesFarAway(t *testing.T) {
	square := [][2]float64{{0, 0}, {1, 0}, {1, 1}, {0, 1}}
	flat := [][2]float64{{0, 0}, {1, 0}, {2, 0}, {3, 0}}
	for _, far := range []float64{0, 1e6, 1e12, -1e15} {
		for i, corners := range [][][2]float64{square, flat} {
			var x, y []float64
			for _, c := range corners {
				x, y = append(x, far+c[0]), append(y, far+c[1])
			}
			if _, err := NewCurve(x, y); (err == nil) != (i == 0) {
				t.Errorf("%v at %g: error %v", corners, far, err)
			}
		}
	}
}
