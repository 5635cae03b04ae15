package score

import (
	"math"
	"testing"
)

// TestCRPS compares with the score's definition, the integral over x of
// (Phi(x) - [x >= d])^2, by the midpoint rule.
func TestCRPS(t *testing.T) {
	for _, test := range []struct{ d, sd float64 }{{0, 1}, {0.5, 1}, {0.7, 0.5}, {3, 0.7}, {3, 2}, {0.02, 0.3}} {
		const steps = 400_000
		low, high := -12*test.sd, 12*test.sd+test.d
		h := (high - low) / steps
		sum := 0.0
		for i := range steps {
			x := low + (float64(i)+0.5)*h
			p := 0.5 * math.Erfc(-x/test.sd/math.Sqrt2)
			if x >= test.d {
				p--
			}
			sum += p * p * h
		}
		if got := CRPS(test.d, test.sd); math.Abs(got-sum) > h { // the rule is off by up to h/2 at the step
			t.Errorf("d %g, sd %g: %g, want %g", test.d, test.sd, got, sum)
		}
	}
	if CRPS(0.3, 0) != 0.3 {
		t.Error("without uncertainty the score is not the distance")
	}
}

func TestQuantile(t *testing.T) {
	x := []float64{4, 1, 3, 2}
	for _, c := range [][2]float64{{0, 1}, {0.5, 2.5}, {1, 4}, {0.9, 3.7}} {
		if got := Quantile(x, c[0]); math.Abs(got-c[1]) > 1e-12 {
			t.Errorf("quantile %g is %g, expected %g", c[0], got, c[1])
		}
	}
	if got := Quantile([]float64{math.Inf(1), 1, math.Inf(1)}, 0.75); !math.IsInf(got, 1) {
		t.Errorf("between infinities it is %g", got)
	}
	if Quantile(nil, 0.5) != 0 {
		t.Error("the quantile of no numbers is not 0")
	}
}
