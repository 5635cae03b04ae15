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

// Values of -u_x(0, t) at its maximum and of u are those of Basdevant et al., 1986.
func TestBurgersIsThatOfTheLiterature(t *testing.T) {
	u, at := burgers(0.01/math.Pi), mat.NewDense(4, 2, []float64{-1e-6, 1.6037 / math.Pi, 1e-6, 1.6037 / math.Pi, 0.5, 0, 0.25, 1})
	v := make([]float64, 4)
	u.EvalTo(v, at)
	if slope := (v[1] - v[0]) / 2e-6; math.Abs(slope+152.00516) > 1e-2 {
		t.Errorf("the steepest slope is %g", slope)
	}
	if math.Abs(v[2]+1) > 1e-15 {
		t.Errorf("the initial state is %g", v[2])
	}
	const gaussHermite = -0.559196293102723 // by 120 points of another rule
	if math.Abs(v[3]-gaussHermite) > 1e-12 {
		t.Errorf("u(1/4, 1) is %.15g", v[3])
	}
}
