package posterior

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// abscissa is a point at which a density in one dimension has been evaluated.
type abscissa struct{ x, log, logStep float64 }

// quadrature integrates exp(f) over [low, high] by the trapezoidal rule around every mode that a
// coarse grid finds. It leaves the abscissae in u.places, ascending.
func (u *underPhysics) quadrature(low, high float64, f func(x float64) float64) float64 {
	u.places, u.coarse, u.covered = u.places[:0], u.coarse[:0], u.covered[:0]
	for x := low; x <= high; x += coarseLogA {
		u.coarse = append(u.coarse, abscissa{x: x, log: f(x)})
	}
	best := math.Inf(-1)
	for {
		top := abscissa{log: best - negligibleNode}
		for _, c := range u.coarse {
			if c.log > top.log && !u.isCovered(c.x) {
				top = c
			}
		}
		if !(top.log > best-negligibleNode) || !finite(top.log) {
			break
		}
		best = math.Max(best, u.around(top, low, high, f))
		u.covered = append(u.covered, [2]float64{top.x, top.x}) // even where climbing led elsewhere
	}
	sortPlaces(u.places)
	sum := 0.0
	for _, p := range u.places {
		sum += mat.Exp(p.log + p.logStep - best)
	}
	return best + mat.Log(sum)
}

func (u *underPhysics) isCovered(x float64) bool {
	return slices.ContainsFunc(u.covered, func(c [2]float64) bool { return x >= c[0] && x <= c[1] })
}

// around adds the abscissae around the mode near start to u.places and returns the largest value;
// -Inf where that mode has been integrated already.
func (u *underPhysics) around(start abscissa, low, high float64, f func(x float64) float64) (best float64) {
	x, top := start.x, start.log
	// Climb; then three points about the top give its width.
	up, down := f(x+coarseLogA), f(x-coarseLogA)
	for up > top && x+coarseLogA <= high {
		x, down, top = x+coarseLogA, top, up
		up = f(x + coarseLogA)
	}
	for down > top && x-coarseLogA >= low {
		x, up, top = x-coarseLogA, top, down
		down = f(x - coarseLogA)
	}
	curvature := (float64(2*top) - up - down) / (coarseLogA * coarseLogA)
	step := coarseLogA
	if curvature > 0 {
		x += math.Max(-coarseLogA, math.Min(float64(0.5*((up-down)/(coarseLogA*curvature))), coarseLogA))
		step = math.Max(math.Min(step, finePart/math.Sqrt(curvature)), finest)
		// The parabola through distant points misses the curvature at the top.
		top, up, down = f(x), f(x+step), f(x-step)
		if c := (float64(2*top) - up - down) / float64(step*step); c > 0 {
			step = math.Max(math.Min(step, finePart/math.Sqrt(c)), finest)
		}
	}
	if u.isCovered(x) {
		return math.Inf(-1)
	}
	logStep := mat.Log(step)
	u.places = append(u.places, abscissa{x, f(x), logStep})
	best = u.places[len(u.places)-1].log
	reach := [2]float64{x, x}
	for side, direction := range []float64{-1, 1} {
		for k := 1.0; ; k++ {
			t := x + float64(float64(direction*k)*step)
			if t < low || t > high || u.isCovered(t) {
				break
			}
			v := f(t)
			best = math.Max(best, v)
			reach[side] = t
			if !(v > best-negligibleNode) {
				break
			}
			u.places = append(u.places, abscissa{t, v, logStep})
		}
	}
	u.covered = append(u.covered, reach)
	return best
}

// logSumExp returns log sum exp(x).
func logSumExp(x []float64) float64 {
	top := math.Inf(-1)
	for _, v := range x {
		top = math.Max(top, v)
	}
	if math.IsInf(top, -1) {
		return top
	}
	sum := 0.0
	for _, v := range x {
		sum += mat.Exp(v - top)
	}
	return top + mat.Log(sum)
}

// sortPlaces sorts abscissas that are nearly in order, by insertion.
func sortPlaces(places []abscissa) {
	for i := 1; i < len(places); i++ {
		for k := i; k > 0 && places[k].x < places[k-1].x; k-- {
			places[k], places[k-1] = places[k-1], places[k]
		}
	}
}
