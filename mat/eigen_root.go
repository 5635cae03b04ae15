package mat

import (
	"math"

	"github.com/bpielm/bpielm/mat/asm"
)

// secularRoot searches for one root of a secular equation, by the method of R.-C. Li,
// Solving secular equations stably and efficiently (LAPACK Working Note 89, 1993). Each
// step approximates f by a constant and two simple poles, at the neighbours of the root.
// With fixed weight, the nearer pole is exactly that term of f, and the rest matches the
// value and slope of f. With the middle way, each pole matches its half of the sum.
// All positions are relative to origin, an element of d.
// half of the sum. All positions are relative to origin, an element of d.
type secularRoot struct {
	*secular
	kernel       *asm.Kernel
	left         int     // index of the left of the two poles
	last         bool    // the root lies above both poles
	middle       bool    // use the middle way, not fixed weight
	origin       float64 // pole from which positions are measured
	x, low, high float64 // position, and its bounds

	f, slopeLeft, slopeRight, size float64 // at x: value, slopes of the two sums, sum of absolute values
}

// find finds root j of at least two, and reports whether it converged.
func (r *secularRoot) find(j int) bool {
	r.start(j)
	before := 0.0
	tolerance := 0x1p-53 * float64(8+len(r.d)/32)
	for steps := range secularIterations {
		r.evaluate()
		slope := r.slopeLeft + r.slopeRight
		if math.Abs(r.f) <= asm.FMA(tolerance, r.size, 0x1p-53*math.Abs(r.x)*slope) {
			return true
		}
		if r.f < 0 {
			r.low = r.x
		} else {
			r.high = r.x
		}
		if r.f*before > 0 && math.Abs(r.f) > 0.1*math.Abs(before) {
			r.middle = !r.middle // slow: try the other scheme
		}
		before = r.f
		next := r.x + r.step()
		if !(r.low < next && next < r.high) || steps%32 == 31 {
			next = middle(r.low, r.high)
		}
		if next == r.x || next <= r.low || next >= r.high {
			return true // no float64 lies between the bounds
		}
		r.x = next
	}
	return false
}

// evaluate computes f and its slopes at x.
func (r *secularRoot) evaluate() {
	cut := r.left + 1
	below, slopeBelow := r.kernel.SecularSums(r.origin, r.x, r.d[:cut], r.z[:cut])
	above, slopeAbove := r.kernel.SecularSums(r.origin, r.x, r.d[cut:], r.z[cut:])
	r.f = r.inverse + below + above
	r.slopeLeft, r.slopeRight = slopeBelow, slopeAbove
	r.size = r.inverse + math.Abs(below) + math.Abs(above)
}

// start chooses the poles, the bounds and an initial position: the root of f with all
// terms but the two neighbouring ones replaced by a constant.
func (r *secularRoot) start(j int) {
	r.last = j == len(r.d)-1
	r.left = j
	if r.last {
		r.left--
	}
	d, z := r.d[r.left:], r.z[r.left:]
	gap := d[1] - d[0]
	weightLeft, weightRight := float64(z[0]*z[0]), float64(z[1]*z[1])
	if r.last {
		r.origin, r.high = d[1], float64(r.rho*(1+0x1p-40))
		r.x = r.high / 2
	} else {
		r.origin, r.high = d[0], gap
		r.x = gap / 2
	}
	r.evaluate()
	toLeft, toRight := d[0]-r.origin-r.x, d[1]-r.origin-r.x
	rest := r.f - weightLeft/toLeft - weightRight/toRight
	switch {
	case r.last || r.f > 0:
		r.low = 0
		if r.f > 0 {
			r.high = r.x
		} else {
			r.low = r.x
		}
	default: // the root is nearer to the right pole
		r.origin, r.low, r.high = d[1], -r.x, 0
	}
	toLeft, toRight = d[0]-r.origin, d[1]-r.origin
	sum := weightLeft + weightRight
	r.x = r.between(asm.FMA(rest, toLeft+toRight, sum), asm.FMA(weightLeft, toRight, float64(weightRight*toLeft)), rest)
	if !(r.low < r.x && r.x < r.high) {
		r.x = middle(r.low, r.high)
	}
}

// step returns the distance from x to the root of the approximation of f.
func (r *secularRoot) step() float64 {
	toLeft, toRight := r.d[r.left]-r.origin-r.x, r.d[r.left+1]-r.origin-r.x
	slope, gap := r.slopeLeft+r.slopeRight, r.d[r.left+1]-r.d[r.left]
	var constant float64
	switch {
	case r.last || r.middle:
		constant = asm.FMA(-toRight, r.slopeRight, asm.FMA(-toLeft, r.slopeLeft, r.f))
	case r.origin == r.d[r.left]:
		q := r.z[r.left] / toLeft
		constant = asm.FMA(float64(gap*q), q, asm.FMA(-toRight, slope, r.f))
	default:
		q := r.z[r.left+1] / toRight
		constant = asm.FMA(float64(-gap*q), q, asm.FMA(-toLeft, slope, r.f))
	}
	product := float64(toLeft * toRight)
	a := asm.FMA(-product, slope, float64((toLeft+toRight)*r.f))
	return r.between(a, float64(product*r.f), constant)
}

// between returns the root of c x² - a x + b = 0 that lies between the poles, or above
// them for the last root.
func (r *secularRoot) between(a, b, c float64) float64 {
	root := math.Sqrt(math.Abs(asm.FMA(a, a, -4*b*c)))
	if r.last {
		if a >= 0 {
			return (a + root) / (2 * c)
		}
		return 2 * b / (a - root)
	}
	if a > 0 {
		return 2 * b / (a + root)
	}
	return (a - root) / (2 * c)
}

// middle returns the midpoint of an interval, or the geometric mean if its ends differ
// much in magnitude.
func middle(low, high float64) float64 {
	switch {
	case low == 0:
		return high * 0x1p-6
	case high == 0:
		return low * 0x1p-6
	case low > 0 && high > 4*low || high < 0 && low < 4*high:
		return math.Copysign(math.Sqrt(math.Abs(low))*math.Sqrt(math.Abs(high)), low)
	}
	return asm.FMA(high-low, 0.5, low)
}
