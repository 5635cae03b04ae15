package posterior

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// overshot is the last step of Gauss and Newton's method, whole, and the share that was taken of it. They leave out the curvature of
// the terms. Where the fields are uncertain enough for that to matter, each step undoes a part of the last, or more than all.
type overshot struct {
	by    []float64 // in standard deviations
	share float64
}

// leastRelaxed is the least share of a step.
const leastRelaxed = 1.0 / 8

// relaxed is the share of a step after which the next would be nothing, if both are along a line and linear [Irons and Tuck, A
// version of the Aitken accelerator for computer iteration, Int. J. Numer. Methods Eng. 1, 1969]. It is at most the whole step.
func (o *overshot) relaxed(by []float64) float64 {
	if o == nil {
		return 1
	}
	change := slices.Clone(by)
	mat.Axpy(-1, o.by, change)
	share := -float64(o.share*mat.Dot(o.by, change)) / squares(change)
	if !(share > 0) { // steps grow in the same direction
		return 1
	}
	return math.Max(leastRelaxed, math.Min(share, 1))
}
