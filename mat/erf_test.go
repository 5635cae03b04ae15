package mat

import (
	"math"
	"testing"
)

// Erf and Erfc agree with the standard library, whose error is below one ulp. Where Erfc is
// tiny, the tolerance is relative to it.
func TestErfIsAccurate(t *testing.T) {
	const most = 6 * 0x1p-53
	for x := -7.0; x <= 7; x += 0x1p-8 {
		if got, want := Erf(x), math.Erf(x); math.Abs(got-want) > most*math.Abs(want) {
			t.Fatalf("Erf(%g) = %g, want %g", x, got, want)
		}
	}
	for x := -7.0; x <= 26.5; x += 0x1p-8 {
		if got, want := Erfc(x), math.Erfc(x); math.Abs(got-want) > most*want {
			t.Fatalf("Erfc(%g) = %g, want %g: off by %.3g eps", x, got, want, math.Abs(got-want)/(0x1p-53*want))
		}
	}
}

func TestErfAtTheEnds(t *testing.T) {
	for _, c := range [][3]float64{{0, 0, 1}, {math.Inf(1), 1, 0}, {math.Inf(-1), -1, 2}, {40, 1, 0}, {-40, -1, 2}} {
		if erf, erfc := Erf(c[0]), Erfc(c[0]); erf != c[1] || erfc != c[2] {
			t.Errorf("Erf(%g) = %g, Erfc %g; want %g and %g", c[0], erf, erfc, c[1], c[2])
		}
	}
	if !math.Signbit(Erf(math.Copysign(0, -1))) || !math.IsNaN(Erf(math.NaN())) || !math.IsNaN(Erfc(math.NaN())) {
		t.Errorf("Erf(-0) = %g, Erf(NaN) = %g, Erfc(NaN) = %g", Erf(math.Copysign(0, -1)), Erf(math.NaN()), Erfc(math.NaN()))
	}
}
