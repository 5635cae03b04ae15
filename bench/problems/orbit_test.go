package problems

import (
	"math"
	"testing"

	"github.com/bpielm/bpielm/mat"
)

// The errors of the Runge-Kutta method are of fourth order.
func TestOrbitsAreOfFourthOrder(t *testing.T) {
	points := mat.NewDense(3, 1, []float64{0, 1.3, 4})
	off := func(step float64) float64 {
		y, most := make([]float64, 3), 0.0
		orbit([]float64{1, 0}, step, 0, func(dy, y []float64) { dy[0], dy[1] = y[1], -y[0] }).EvalTo(y, points)
		for i, v := range y {
			most = math.Max(most, math.Abs(v-math.Cos(points.At(i, 0))))
		}
		return most
	}
	if coarse, fine := off(0.1), off(0.01); coarse > 1e-5 || fine > 2e-4*coarse {
		t.Errorf("steps of 0.1 are off by %g, of 0.01 by %g", coarse, fine)
	}
}
