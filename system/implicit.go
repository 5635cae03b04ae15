package system

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/bpielm/bpielm/mat"
)

// Implicit is the part of a box where functions, its levels, are not positive. Its
// boundary, the sides of the box included, is found where lines cross it: lines
// that are spread evenly over positions and directions meet a surface evenly (the
// Cauchy-Crofton formula; Santalo, Integral Geometry and Geometric Probability).
type Implicit struct {
	box      []Variable
	contains func(x []float64) bool
	levels   []func(x []float64) float64
	reach    float64 // half of the box's diagonal
	crossed  float64 // mean number of crossings of a line

	lock sync.Mutex
	last struct { // what along found when it was asked last
		n         int
		crossings []crossing
	}
}

// crossing is a place where a line leaves or enters.
type crossing struct {
	x, normal []float64
	key       uint64 // of its place, so that neighbours follow each other
}

const (
	lineSteps     = 128  // of a line, between which a crossing is looked for
	lineHalvings  = 48   // of a step, until it is found
	linesFirst    = 2048 // tell how many crossings a line has
	crossingsMost = 1 << 15
	// boxEdge, relative to its side, is how far beyond the box a point counts as in.
	boxEdge = 1e-9
)

// NewImplicit takes the box, in the first variables of a problem, what tells
// whether a point lies inside, and the levels, which are positive outside. Both get
// points of at least as many coordinates as the box has, and must be safe for
// concurrent use. It fails when no line meets the boundary.
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

// area is the number of crossings of a line, by the area of the cube's face through
// which lines go and the mean of |cos| between a direction and a normal, which falls
// by d/(d+1) from d to d+2 dimensions.
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

// crossings returns about n of them.
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

// cross returns where lines cross the boundary, neighbours near to each other.
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
	slices.SortStableFunc(found, func(a, b crossing) int { return cmp.Compare(a.key, b.key) })
	if d == 2 && s.crossed > 0 && len(found) > 0 {
		return s.chain(found)
	}
	return found
}

// towards makes a direction of numbers between 0 and 1: in the plane an angle, in
// more dimensions normal numbers by the Box-Muller transform.
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

// startOf sets start to the middle of a line: a place of the cube's face that is
// perpendicular to the direction, given by numbers between 0 and 1.
func (s *Implicit) startOf(start, direction, u []float64) {
	// The reflection that takes the last axis to the direction takes the others to
	// the face.
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

// crossLine adds the crossings of one line.
func (s *Implicit) crossLine(found []crossing, start, direction []float64) []crossing {
	x := make([]float64, len(start))
	at := func(t float64) bool {
		for i := range x {
			x[i] = start[i] + float64(t*direction[i])
		}
		return s.Contains(x)
	}
	// It lies in the box, a little enlarged, between from and to.
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

// normal returns the outward unit normal at a point of the boundary: the gradient
// of the level, or of the side of the box, that is nearest to zero there; nil where
// there is none.
func (s *Implicit) normal(x []float64) []float64 {
	const difference = 1e-5 // of the box's sides: its square is lost beside the points' error
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

// key interleaves the binary digits of the coordinates: a Morton curve.
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

// chain puts crossings in the plane in the order in which they follow each other
// along the boundary: to each the nearest one left within a few steps, or where
// there is none, the first one left.
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
