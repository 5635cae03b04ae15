package system

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/bpielm/bpielm/mat"
)

// Domain is a part of the problem's bounding box. Contains must be safe for
// concurrent use. len(x) is the number of variables.
type Domain interface {
	Contains(x []float64) bool
}

// Curve is the inside of a closed plane curve, by the even-odd rule. It is stored as
// a polygon.
type Curve struct {
	x, y   []float64 // corners; the last is joined to the first
	length []float64 // arc length up to corner i, and the whole length

	clockwise bool
	smooth    bool // the corners are points of a smooth curve

	// The range of y from bottom to top is cut at edges into strips. strip[k] lists the sides
	// that touch strip k, so that Contains need not look at all of them.
	bottom, top float64
	edges       []float64
	strip       [][]int32
}

// strips is the number of strips that the sides are sorted into. Each holds about the same number of corners. Strips of
// the same height would not do: one far corner would leave nearly all sides in one strip.
const strips = 256

// NewCurve takes the corners of a closed polygon in order, without repeating
// the first. It fails with a *ProblemError if there are fewer than three, if a
// coordinate is not finite, if the outline has no area, or if it crosses itself.
func NewCurve(x, y []float64) (*Curve, error) {
	if len(x) != len(y) || len(x) < 3 {
		return nil, wrong("domain", "a closed curve needs at least three points with two coordinates, found %d and %d", len(x), len(y))
	}
	c := &Curve{x: append([]float64(nil), x...), y: append([]float64(nil), y...), length: make([]float64, len(x)+1)}
	area := 0.0
	for i := range x {
		if !finite(x[i]) || !finite(y[i]) {
			return nil, wrong("domain", "point %d of the curve is (%g, %g)", i+1, x[i], y[i])
		}
		j := (i + 1) % len(x)
		c.length[i+1] = c.length[i] + distance(x[j]-x[i], y[j]-y[i])
		// Relative to the first corner: far from the origin, rounding would swamp the products.
		area += float64((x[i]-x[0])*(y[j]-y[0])) - float64((x[j]-x[0])*(y[i]-y[0]))
	}
	if total := c.length[len(x)]; !(math.Abs(area) > 1e-12*float64(total*total)) {
		return nil, wrong("domain", "the curve encloses no area")
	}
	c.clockwise = area < 0
	c.sortSides()
	if i, j := c.crossing(); i >= 0 {
		return nil, wrong("domain", "the outline crosses itself: the sides from points %d and %d do", i+1, j+1)
	}
	return c, nil
}

// sortSides fills the strips; side i joins corner i to the next.
func (c *Curve) sortSides() {
	_, _, c.bottom, c.top = c.Bounds()
	heights := slices.Clone(c.y)
	sort.SliceStable(heights, func(i, j int) bool { return heights[i] < heights[j] })
	for k := 1; k < strips; k++ {
		c.edges = append(c.edges, heights[k*len(heights)/strips])
	}
	c.strip = make([][]int32, strips)
	for i := range c.y {
		j := (i + 1) % len(c.y)
		if c.x[i] == c.x[j] && c.y[i] == c.y[j] {
			continue // the corner is repeated
		}
		first, last := c.stripOf(math.Min(c.y[i], c.y[j])), c.stripOf(math.Max(c.y[i], c.y[j]))
		for k := first; k <= last; k++ {
			c.strip[k] = append(c.strip[k], int32(i))
		}
	}
}

// crossing returns two sides that cross each other, or -1, -1. Sides that only
// touch do not count.
func (c *Curve) crossing() (int, int) {
	n := len(c.x)
	for _, sides := range c.strip {
		for a, side := range sides {
			i := int(side)
			ix, iy := c.x[(i+1)%n], c.y[(i+1)%n]
			for _, other := range sides[a+1:] {
				j := int(other)
				jx, jy := c.x[(j+1)%n], c.y[(j+1)%n]
				if apart(c.x[i], ix, c.x[j], jx) || apart(c.y[i], iy, c.y[j], jy) {
					continue
				}
				if opposite(turn(c.x[i], c.y[i], ix, iy, c.x[j], c.y[j]), turn(c.x[i], c.y[i], ix, iy, jx, jy)) &&
					opposite(turn(c.x[j], c.y[j], jx, jy, c.x[i], c.y[i]), turn(c.x[j], c.y[j], jx, jy, ix, iy)) {
					return i, j
				}
			}
		}
	}
	return -1, -1
}

// apart reports whether the intervals between a and b and between c and d are
// disjoint.
func apart(a, b, c, d float64) bool {
	return math.Max(a, b) < math.Min(c, d) || math.Max(c, d) < math.Min(a, b)
}

// turn is positive if (x, y) lies to the left of the line from a to b, negative if
// to the right, and zero if rounding does not let us tell.
func turn(ax, ay, bx, by, x, y float64) float64 {
	left, right := float64((bx-ax)*(y-ay)), float64((by-ay)*(x-ax))
	if math.Abs(left-right) <= 0x1p-48*(math.Abs(left)+math.Abs(right)) {
		return 0
	}
	return left - right
}

func opposite(a, b float64) bool { return a < 0 && b > 0 || a > 0 && b < 0 }

// stripOf returns the strip of a height in [bottom, top]. It never decreases
// with y, so the strip of y lists every side that crosses y.
func (c *Curve) stripOf(y float64) int {
	return sort.Search(len(c.edges), func(k int) bool { return c.edges[k] > y })
}

// ParametricCurve returns the inside of the closed curve (x(t), y(t)), t0 <= t < t1,
// sampled at the given number of corners. It fails with a *ProblemError if the curve is
// not closed, or as NewCurve does.
func ParametricCurve(x, y func(t float64) float64, t0, t1 float64, corners int) (*Curve, error) {
	xs, ys := make([]float64, corners), make([]float64, corners)
	for i := range xs {
		t := t0 + float64((t1-t0)*(float64(i)/float64(corners)))
		xs[i], ys[i] = x(t), y(t)
	}
	gap := distance(x(t1)-x(t0), y(t1)-y(t0))
	c, err := NewCurve(xs, ys)
	if err != nil {
		return nil, err
	}
	c.smooth = true
	if total := c.Length(); !(gap <= 1e-6*total) {
		return nil, wrong("domain", "the curve is not closed: its ends are %g apart", gap)
	}
	return c, nil
}

// Contains reports whether the first two coordinates of p are inside.
func (c *Curve) Contains(p []float64) bool {
	if !(p[1] >= c.bottom && p[1] <= c.top) {
		return false
	}
	inside := false
	for _, side := range c.strip[c.stripOf(p[1])] {
		i := int(side)
		j := (i + 1) % len(c.x)
		if (c.y[i] > p[1]) != (c.y[j] > p[1]) {
			t := (p[1] - c.y[i]) / (c.y[j] - c.y[i])
			if p[0] < c.x[i]+float64(t*(c.x[j]-c.x[i])) {
				inside = !inside
			}
		}
	}
	return inside
}

// Length returns the arc length of the outline.
func (c *Curve) Length() float64 { return c.length[len(c.x)] }

// Bounds returns the smallest box that contains the curve.
func (c *Curve) Bounds() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = c.x[0], c.x[0], c.y[0], c.y[0]
	for i := range c.x {
		xmin, xmax = math.Min(xmin, c.x[i]), math.Max(xmax, c.x[i])
		ymin, ymax = math.Min(ymin, c.y[i]), math.Max(ymax, c.y[i])
	}
	return xmin, xmax, ymin, ymax
}

// BoundaryPoints returns n points (n x 2) on the outline, equidistant in arc
// length. The first is the first corner.
func (c *Curve) BoundaryPoints(n int) *mat.Dense {
	points, _ := c.Boundary(n)
	return points
}

// Boundary returns BoundaryPoints and the outward unit normals there (n x 2).
func (c *Curve) Boundary(n int) (points, normals *mat.Dense) {
	points, normals = mat.NewDense(n, 2, nil), mat.NewDense(n, 2, nil)
	k := 0
	c.along(n, func(x, normal []float64, _ string) {
		copy(points.Row(k), x)
		copy(normals.Row(k), normal)
		k++
	})
	return points, normals
}

// Dimensions implements Shape.
func (c *Curve) Dimensions() int { return 2 }

func (c *Curve) area() float64 { return c.Length() }

func (c *Curve) along(n int, f func(x, normal []float64, part string)) {
	x, normal := make([]float64, 2), make([]float64, 2)
	for k := range n {
		s := float64(c.Length() * (float64(k) / float64(n)))
		i := sort.SearchFloat64s(c.length, s)
		if i == len(c.length) || c.length[i] > s {
			i--
		}
		i = min(i, len(c.x)-1)
		j := (i + 1) % len(c.x)
		t := 0.0
		if side := c.length[i+1] - c.length[i]; side > 0 {
			t = (s - c.length[i]) / side
		}
		x[0] = c.x[i] + float64(t*(c.x[j]-c.x[i]))
		x[1] = c.y[i] + float64(t*(c.y[j]-c.y[i]))
		c.normal(i, t, normal)
		f(x, normal, "")
	}
}

// normal sets the outward unit normal at the fraction t of side i. For a smooth curve it is
// interpolated between the normals of this side and the nearer neighbour.
func (c *Curve) normal(i int, t float64, normal []float64) {
	nx, ny := c.sideNormal(i)
	if c.smooth {
		n := len(c.x)
		near, share := (i+1)%n, t-0.5
		if share < 0 {
			near, share = (i+n-1)%n, -share
		}
		mx, my := c.sideNormal(near)
		nx, ny = nx+float64(share*(mx-nx)), ny+float64(share*(my-ny))
		length := distance(nx, ny)
		nx, ny = nx/length, ny/length
	}
	normal[0], normal[1] = nx, ny
}

func (c *Curve) sideNormal(i int) (x, y float64) {
	j := (i + 1) % len(c.x)
	dx, dy := c.x[j]-c.x[i], c.y[j]-c.y[i]
	length := distance(dx, dy)
	if length == 0 { // the corner is repeated: take the side before
		return c.sideNormal((i + len(c.x) - 1) % len(c.x))
	}
	if c.clockwise {
		length = -length
	}
	return dy / length, -dx / length
}

// Region is the domain where a predicate holds.
type Region func(x []float64) bool

// Contains implements Domain.
func (r Region) Contains(x []float64) bool { return r(x) }

// nearDomain is how far from a domain a place may be for Near, relative to the ranges of the variables.
const nearDomain = 1e-3

// Near tells whether a place, one number for each variable, is in a domain, or along one variable no farther from it than
// a thousandth of the variable's range: places are rounded in files, and a sensor may be on the boundary. Without a
// domain every place is near.
func Near(d Domain, variables []Variable, x []float64) bool {
	if d == nil || d.Contains(x) {
		return true
	}
	at := slices.Clone(x)
	for i, v := range variables {
		for _, step := range []float64{-nearDomain, nearDomain} {
			at[i] = x[i] + float64(step*(v.Max-v.Min))
			if d.Contains(at) {
				return true
			}
		}
		at[i] = x[i]
	}
	return false
}

// distance returns the Euclidean length of (a, b), with the same bits on every CPU.
// math.Hypot is written in assembly on some.
func distance(a, b float64) float64 {
	m := math.Max(math.Abs(a), math.Abs(b))
	if m == 0 || math.IsInf(m, 0) {
		return m
	}
	a, b = a/m, b/m
	return float64(m * math.Sqrt(float64(a*a)+float64(b*b)))
}

// Inside returns the indices of the rows of points (n x variables) that lie in the
// problem's domain.
func (p *Problem) Inside(points *mat.Dense) []int {
	rows := make([]int, 0, points.Rows())
	for i := range points.Rows() {
		if p.Domain == nil || p.Domain.Contains(points.Row(i)) {
			rows = append(rows, i)
		}
	}
	return rows
}

func (v Variable) String() string {
	text := fmt.Sprintf("%s in [%.10g, %.10g]", v.Name, v.Min, v.Max)
	if v.Unit != "" {
		text += " " + v.Unit
	}
	if v.Log {
		text += ", logarithmic"
	}
	if v.Start != "" {
		text += ", since " + v.Start
	}
	if v.Label != "" {
		text += ", " + v.Label
	}
	return text
}
