package system

import (
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/bpielm/bpielm/mat"
)

// Implicit is the part of a box where functions, its levels, are not positive. The
// sides of the box are part of its boundary. Points on the boundary are found where
// lines cross it. Lines with evenly spread positions and directions meet a surface
// evenly (the Cauchy-Crofton formula; Santaló, Integral Geometry and Geometric
// Probability, 1976).
type Implicit struct {
	box      []Variable
	contains func(x []float64) bool
	levels   []func(x []float64) float64
	reach    float64 // half of the box's diagonal
	crossed  float64 // mean number of crossings of a line

	lock sync.Mutex
	last struct { // result of the last call of along
		n         int
		crossings []crossing
	}
}

// crossing is a point where a line enters or leaves the domain.
type crossing struct {
	x, normal []float64
	key       uint64 // order that puts neighbours next to each other
}

const (
	lineSteps     = 128  // steps along a line, each searched for a crossing
	lineHalvings  = 48   // bisections of a step with a crossing
	linesFirst    = 2048 // lines that tell the mean number of crossings
	crossingsMost = 1 << 15
	// boxEdge is how far outside the box a point still counts as inside, as a fraction of the side.
	boxEdge = 1e-9
)

// NewImplicit takes the box in the first variables of a problem, a function that
// reports whether a point is inside, and the levels, which are positive outside. The
// functions get points with at least as many coordinates as the box, and must be safe
// for concurrent use. It fails with a *ProblemError if no line meets the boundary.
func NewImplicit(box []Variable, contains func(x []float64) bool, levels ...func(x []float64) float64) (*Implicit, error) {
	s := &Implicit{box: slices.Clone(box), contains: contains, levels: slices.Clone(levels)}
	if len(box) == 0 {
		return nil, wrong("domain", "inequalities need a variable")
	}
	sum := 0.0
	for _, v := range box {
		half := 0.5 * (v.Max - v.Min)
		sum += float64(half * half)
	}
	s.reach = math.Sqrt(sum)
	lines := linesFirst
	if len(box) == 1 {
		lines = 1
	}
	found := s.cross(lines)
	if len(found) == 0 {
		return nil, wrong("domain", "the inequalities hold nowhere in the box")
	}
	s.crossed = float64(len(found)) / float64(lines)
	return s, nil
}

// Contains implements Domain.
func (s *Implicit) Contains(x []float64) bool {
	for i, v := range s.box {
		if edge := float64(boxEdge * (v.Max - v.Min)); !(x[i] >= v.Min-edge && x[i] <= v.Max+edge) {
			return false
		}
	}
	return s.contains(x)
}

// Dimensions implements Shape.
func (s *Implicit) Dimensions() int { return len(s.box) }

// area returns the mean number of crossings of a line, times the area of the face of
// the cube through which the lines pass, over the mean of |cos| of the angle between a
// line and the normal. That mean falls by d/(d+1) from d to d+2 dimensions.
func (s *Implicit) area() float64 {
	d := len(s.box)
	cosine, k := 1.0, 1
	if d%2 == 0 {
		cosine, k = 2/math.Pi, 2
	}
	area := 1.0
	for ; k+2 <= d; k += 2 {
		cosine *= float64(k) / float64(k+1)
	}
	for range d - 1 {
		area *= 2 * s.reach
	}
	return s.crossed * area / cosine
}

func (s *Implicit) along(n int, f func(x, normal []float64, part string)) {
	for _, c := range s.crossings(n) {
		f(c.x, c.normal, "")
	}
}

// crossings returns about n points on the boundary.
func (s *Implicit) crossings(n int) []crossing {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.last.n != n || s.last.crossings == nil {
		lines := math.Ceil(float64(min(n, crossingsMost)) / s.crossed)
		if len(s.box) == 1 {
			lines = 1
		}
		s.last.n, s.last.crossings = n, s.cross(int(lines))
	}
	return s.last.crossings
}

// cross returns the crossings of so many lines with the boundary, neighbours next to each other.
func (s *Implicit) cross(lines int) []crossing {
	d := len(s.box)
	var found []crossing
	direction, start := make([]float64, d), make([]float64, d)
	sequence := newLattice(1 + 2*((d+1)/2) + d - 1)
	for k := range lines {
		u := sequence.at(k, lines)[1:]
		towards(direction, u)
		s.startOf(start, direction, u[2*((d+1)/2):])
		found = s.crossLine(found, start, direction)
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].key < found[j].key })
	if d == 2 && s.crossed > 0 && len(found) > 0 {
		return s.chain(found)
	}
	return found
}

// towards sets a direction from uniform numbers u: by its angle in the plane, by normal
// numbers in more dimensions.
func towards(direction, u []float64) {
	switch len(direction) {
	case 1:
		direction[0] = 1
		return
	case 2:
		direction[1], direction[0] = mat.SinCos(math.Pi * u[0])
		return
	}
	gaussian(direction, u)
}

// startOf sets start to the middle of a line: a point, given by uniform numbers u, of the
// plane through the box's center that is perpendicular to the direction.
func (s *Implicit) startOf(start, direction, u []float64) {
	// The reflection that maps the last axis to the direction maps the other axes to
	// that plane.
	d := len(direction)
	across := slices.Clone(direction)
	across[d-1] -= 1
	norm := 0.0
	for _, v := range across {
		norm += float64(v * v)
	}
	dot := 0.0
	clear(start)
	for i := range d - 1 {
		start[i] = float64(s.reach * (2*u[i] - 1))
		dot += float64(start[i] * across[i])
	}
	for i, v := range s.box {
		if norm > 0 {
			start[i] -= float64(2 * dot / norm * across[i])
		}
		start[i] += float64(0.5 * (v.Min + v.Max))
	}
}

// crossLine appends the crossings of one line.
func (s *Implicit) crossLine(found []crossing, start, direction []float64) []crossing {
	x := make([]float64, len(start))
	at := func(t float64) bool {
		for i := range x {
			x[i] = start[i] + float64(t*direction[i])
		}
		return s.Contains(x)
	}
	// From from to to the line lies in the box, slightly enlarged.
	from, to := -2*s.reach, 2*s.reach
	for i, v := range s.box {
		if direction[i] == 0 {
			continue
		}
		edge := float64(1e-3 * (v.Max - v.Min))
		a, b := (v.Min-edge-start[i])/direction[i], (v.Max+edge-start[i])/direction[i]
		from, to = math.Max(from, math.Min(a, b)), math.Min(to, math.Max(a, b))
	}
	if !(from < to) {
		return found
	}
	before, inBefore := from, at(from)
	for k := range lineSteps {
		here := from + float64((to-from)*(float64(k+1)/lineSteps))
		in := at(here)
		if in != inBefore {
			lo, hi := before, here
			for range lineHalvings {
				if middle := 0.5 * (lo + hi); at(middle) == inBefore {
					lo = middle
				} else {
					hi = middle
				}
			}
			at(0.5 * (lo + hi))
			if normal := s.normal(x); normal != nil {
				found = append(found, crossing{slices.Clone(x), normal, s.key(x)})
			}
		}
		before, inBefore = here, in
	}
	return found
}

// normal returns the outward unit normal at a point of the boundary: that of the nearest
// level or side of the box. It is nil if none is near enough.
func (s *Implicit) normal(x []float64) []float64 {
	const difference = 1e-5 // of the box's sides; a central difference errs by its square, less than the points do
	best, nearest := []float64(nil), math.Inf(1)
	for i, v := range s.box {
		for side, gap := range []float64{x[i] - v.Min, v.Max - x[i]} {
			if gap = math.Abs(gap); gap < nearest {
				best, nearest = make([]float64, len(x)), gap
				best[i] = float64(2*side - 1)
			}
		}
	}
	moved := slices.Clone(x)
	for _, level := range s.levels {
		gradient, sum := make([]float64, len(x)), 0.0
		for i, v := range s.box {
			h := float64(difference * (v.Max - v.Min))
			moved[i] = x[i] + h
			above := level(moved)
			moved[i] = x[i] - h
			gradient[i] = (above - level(moved)) / (2 * h)
			moved[i] = x[i]
			sum += float64(gradient[i] * gradient[i])
		}
		size := math.Sqrt(sum)
		if !(size > 0) || !finite(size) {
			continue
		}
		if gap := math.Abs(level(x)) / size; gap < nearest {
			for i := range gradient {
				gradient[i] /= size
			}
			best, nearest = gradient, gap
		}
	}
	if nearest > float64(1e-6*s.reach) {
		return nil
	}
	return best
}

// key returns the place of a point on a Morton curve: it interleaves the bits of the coordinates.
func (s *Implicit) key(x []float64) uint64 {
	digits := min(16, 64/len(x))
	key := uint64(0)
	for b := range digits {
		for i, v := range s.box {
			share := math.Min(math.Max((x[i]-v.Min)/(v.Max-v.Min), 0), 1)
			cell := uint64(float64(share * float64(uint64(1)<<digits-1)))
			key = key<<1 | cell>>(digits-1-b)&1
		}
	}
	return key
}

// chain orders crossings in the plane along the boundary: each is followed by the nearest
// one left, or, if none is within a few steps, by the first one left.
func (s *Implicit) chain(found []crossing) []crossing {
	const steps = 8
	cell := steps * s.area() / float64(len(found))
	type place struct{ i, j int }
	at := func(c *crossing) place { return place{int(math.Floor(c.x[0] / cell)), int(math.Floor(c.x[1] / cell))} }
	left := map[place][]int{}
	for k := range found {
		p := at(&found[k])
		left[p] = append(left[p], k)
	}
	take := func(p place, k int) {
		left[p] = slices.DeleteFunc(left[p], func(i int) bool { return i == k })
	}
	taken, chained := make([]bool, len(found)), make([]crossing, 0, len(found))
	for first := range found {
		for k := first; k >= 0 && !taken[k]; {
			here := &found[k]
			p := at(here)
			take(p, k)
			taken[k], chained = true, append(chained, *here)
			k = -1
			nearest := math.Inf(1)
			for i := p.i - 1; i <= p.i+1; i++ {
				for j := p.j - 1; j <= p.j+1; j++ {
					for _, other := range left[place{i, j}] {
						if d := distance(found[other].x[0]-here.x[0], found[other].x[1]-here.x[1]); d < nearest {
							k, nearest = other, d
						}
					}
				}
			}
		}
	}
	return chained
}
