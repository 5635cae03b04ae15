package problems

import (
	"math"

	"github.com/bpielm/bpielm/system"
)

// orbit returns one component of the solution of y' = rates(y), which is initial at 0, as a function of one variable. It is
// integrated by the classical Runge-Kutta method in steps of at most step, to each point from 0.
func orbit(initial []float64, step float64, component int, rates func(dy, y []float64)) system.Function {
	n := len(initial)
	return system.Func(func(x []float64) float64 {
		steps := 1 + int(math.Abs(x[0])/step)
		h := x[0] / float64(steps)
		y, at := append([]float64(nil), initial...), make([]float64, n)
		var slopes [4][]float64
		for k := range slopes {
			slopes[k] = make([]float64, n)
		}
		for range steps {
			copy(at, y)
			for k, next := range []float64{0.5, 0.5, 1, 0} {
				rates(slopes[k], at)
				for i := range at {
					at[i] = y[i] + float64(float64(next*h)*slopes[k][i])
				}
			}
			for i := range y {
				y[i] += float64(h / 6 * float64(slopes[0][i]+float64(2*float64(slopes[1][i]+slopes[2][i]))+slopes[3][i]))
			}
		}
		return y[component]
	})
}
