package problems

import (
	"math"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// burgers is the solution of Burgers' equation with viscosity nu that is -sin(pi x) at t = 0. By the transform of Cole and Hopf
// it is the mean of -sin(pi (x - z)) under the density exp(-cos(pi (x - z))/(2 pi nu) - z^2/(4 nu t)), up to a factor
// (Basdevant et al., Spectral and finite difference solutions of the Burgers equation, Comput. Fluids 14, 1986). The density
// is largest where the value at x comes from, which is at most t away. Both integrals are sums over equidistant points, which converge
// faster than any power where an integrand vanishes at the ends.
func burgers(nu float64) system.Function {
	const points, tails = 4001, 9 // standard deviations
	return system.Func(func(at []float64) float64 {
		x, t := at[0], at[1]
		if t <= 0 {
			return -mat.Sin(math.Pi * x)
		}
		sd := math.Sqrt(2 * nu * t)
		logs, values := make([]float64, points), make([]float64, points)
		top := math.Inf(-1)
		for i := range points {
			z := (t + float64(tails*sd)) * (float64(2*i)/(points-1) - 1)
			s, y := z/sd, x-z
			logs[i] = -float64(0.5*float64(s*s)) - mat.Cos(math.Pi*y)/(2*math.Pi*nu)
			values[i] = -mat.Sin(math.Pi * y)
			top = math.Max(top, logs[i])
		}
		sum, weights := 0.0, 0.0
		for i, l := range logs {
			w := mat.Exp(l - top)
			sum += float64(w * values[i])
			weights += w
		}
		return sum / weights
	})
}
