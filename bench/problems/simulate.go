package problems

import (
	"math"
	"math/rand/v2"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// onBoundary places n sensors on the closed curve that bounds the domain, equidistant
// in arc length. The domain must be a system.Curve.
func onBoundary(p *system.Problem, n int) *mat.Dense {
	return p.Domain.(*system.Curve).BoundaryPoints(n)
}

// alongPath places n >= 2 sensors on an open path through the box, ends included.
// Corners are fractions of the box's sides. Sensors are equidistant in these fractions,
// so that every side of the box has the same number.
func alongPath(corners ...[]float64) func(p *system.Problem, n int) *mat.Dense {
	return func(p *system.Problem, n int) *mat.Dense {
		points := mat.NewDense(n, len(p.Variables), nil)
		segments := len(corners) - 1
		for k := range n {
			// Place k*segments/(n-1) on the path, split without rounding.
			i, rest := k*segments/(n-1), k*segments%(n-1)
			if i == segments {
				i, rest = segments-1, n-1
			}
			t := float64(rest) / float64(n-1)
			for d, v := range p.Variables {
				s := corners[i][d] + float64(t*(corners[i+1][d]-corners[i][d]))
				points.Set(k, d, v.Min+float64(s*(v.Max-v.Min)))
			}
		}
		return points
	}
}

// Simulate returns readings of the exact solution at points, with Gaussian noise of
// standard deviation sigma. The same seed gives the same readings on every machine.
func Simulate(exact system.Function, points *mat.Dense, sigma float64, seed uint64) []float64 {
	values := make([]float64, points.Rows())
	exact.EvalTo(values, points)
	random := rand.New(rand.NewPCG(seed, 0x73656e736f7273))
	for i := range values {
		values[i] += float64(sigma * normal(random))
	}
	return values
}

// normal draws a standard normal number by the Box-Muller transform.
func normal(random *rand.Rand) float64 {
	radius := math.Sqrt(-2 * mat.Log(1-random.Float64()))
	return float64(radius * mat.Cos(2*math.Pi*random.Float64()))
}
