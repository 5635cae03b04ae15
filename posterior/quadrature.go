package posterior

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// abscissa is a point at which a density in one dimension has been evaluated.
type abscissa struct {
	x, log, logStep float64
	exp             float64 // exp(x), where that is needed
}

// expCoarse is exp(coarseLogA).
const expCoarse = 2.117000016612674669

// quadrature integrates exp(f) over [low, high] by the trapezoidal rule around every mode that a
// coarse grid finds. It leaves the abscissae in u.places, ascending. f is called with exp(x), too, which costs hardly anything
// on a grid.
func (u *underPhysics) quadrature(low, high float64, f func(x, exp float64) float64) float64 {
	u.places, u.coarse, u.covered = u.places[:0], u.coarse[:0], u.covered[:0]
	for x, e := low, mat.Exp(low); x <= high; x, e = x+coarseLogA, e*expCoarse {
		u.coarse = append(u.coarse, abscissa{x: x, exp: e, log: f(x, e)})
	}
	best := math.Inf(-1)
	for {
		start, top := 0, best-negligibleNode
		for i, c := range u.coarse {
			if c.log > top && !u.isCovered(c.x) {
				start, top = i, c.log
			}
		}
		if !(top > best-negligibleNode) || !finite(top) {
			break
		}
		x := u.coarse[start].x
		best = math.Max(best, u.around(start, low, high, f))
		u.covered = append(u.covered, [2]float64{x, x}) // even where climbing led elsewhere
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

// around adds the abscissae around the mode near a point of the coarse grid to u.places and returns the largest value;
// -Inf where that mode has been integrated already.
func (u *underPhysics) around(start int, low, high float64, f func(x, exp float64) float64) (best float64) {
	last := len(u.coarse) - 1
	at := func(i int) float64 {
		switch {
		case i < 0:
			return f(low-coarseLogA, u.coarse[0].exp/expCoarse)
		case i > last:
			return f(u.coarse[last].x+coarseLogA, u.coarse[last].exp*expCoarse)
		}
		return u.coarse[i].log
	}
	// Climb; then three points about the top give its width.
	for start < last && at(start+1) > at(start) {
		start++
	}
	for start > 0 && at(start-1) > at(start) {
		start--
	}
	top, up, down := at(start), at(start+1), at(start-1)
	x, e := u.coarse[start].x, u.coarse[start].exp
	curvature := (float64(2*top) - up - down) / (coarseLogA * coarseLogA)
	step, expStep := coarseLogA, expCoarse
	if curvature > 0 {
		x += math.Max(-coarseLogA, math.Min(float64(0.5*((up-down)/(coarseLogA*curvature))), coarseLogA))
		step = math.Max(math.Min(step, finePart/math.Sqrt(curvature)), finest)
		// The parabola through distant points misses the curvature at the top.
		e, expStep = mat.Exp(x), mat.Exp(step)
		top, up, down = f(x, e), f(x+step, e*expStep), f(x-step, e/expStep)
		if c := (float64(2*top) - up - down) / float64(step*step); c > 0 {
			step = math.Max(math.Min(step, finePart/math.Sqrt(c)), finest)
			expStep = mat.Exp(step)
		}
	}
	if u.isCovered(x) {
		return math.Inf(-1)
	}
	logStep := mat.Log(step)
	u.places = append(u.places, abscissa{x, top, logStep, e})
	best = top
	reach := [2]float64{x, x}
	for side, direction := range []float64{-1, 1} {
		t, exp, times := x, e, expStep
		if direction < 0 {
			times = 1 / expStep
		}
		for k := 1.0; ; k++ {
			t, exp = x+float64(float64(direction*k)*step), exp*times
			if t < low || t > high || u.isCovered(t) {
				break
			}
			v := f(t, exp)
			best = math.Max(best, v)
			reach[side] = t
			if !(v > best-negligibleNode) {
				break
			}
			u.places = append(u.places, abscissa{t, v, logStep, exp})
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
