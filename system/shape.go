package system

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// Shape is a domain whose boundary is known. It restricts the first Dimensions
// variables of a problem. The others, such as time, keep their whole range.
type Shape interface {
	Domain
	Dimensions() int

	// area returns the length or area of the boundary, or more. along calls f for about
	// n >= 1 points spread evenly over the boundary, with the outward unit normal and
	// the name of the part. f must not retain its arguments.
	area() float64
	along(n int, f func(x, normal []float64, part string))
}

// Ball is the inside of a sphere: an interval, a disk, a ball.
type Ball struct {
	center []float64
	radius float64
}

// NewBall returns the ball with the given center and radius. It fails with a
// *ProblemError if there is no coordinate, if a number is not finite, or if the radius
// is not positive.
func NewBall(center []float64, radius float64) (*Ball, error) {
	for _, v := range append([]float64{radius}, center...) {
		if !finite(v) {
			return nil, wrong("domain", "a ball with a number that is %g", v)
		}
	}
	if len(center) == 0 || !(radius > 0) {
		return nil, wrong("domain", "a ball needs a center and a positive radius, found %d coordinates and %g", len(center), radius)
	}
	return &Ball{slices.Clone(center), radius}, nil
}

// Contains implements Domain.
func (b *Ball) Contains(x []float64) bool {
	sum := 0.0
	for i, c := range b.center {
		d := (x[i] - c) / b.radius
		sum += float64(d * d)
	}
	return sum < 1
}

// Dimensions implements Shape.
func (b *Ball) Dimensions() int { return len(b.center) }

// area returns 2 r^(d-1) pi^(d/2) / Gamma(d/2), by recursion from d-2 to d dimensions.
func (b *Ball) area() float64 {
	d := len(b.center)
	area, k := 2.0, 1
	if d%2 == 0 {
		area, k = 2*math.Pi*b.radius, 2
	}
	for k += 2; k <= d; k += 2 {
		area *= 2 * math.Pi * float64(b.radius*b.radius) / float64(k-2)
	}
	return area
}

func (b *Ball) along(n int, f func(x, normal []float64, part string)) {
	d := len(b.center)
	x, normal := make([]float64, d), make([]float64, d)
	at := func() {
		for i, c := range b.center {
			x[i] = c + float64(b.radius*normal[i])
		}
		f(x, normal, "")
	}
	switch d {
	case 1:
		for _, side := range []float64{-1, 1} {
			normal[0] = side
			at()
		}
	case 2:
		for i := range n {
			normal[1], normal[0] = mat.SinCos(2 * math.Pi * (float64(i) / float64(n)))
			at()
		}
	case 3: // a spiral of equal areas
		const golden = 0.6180339887498949
		for i := range n {
			z := 1 - (float64(2*i)+1)/float64(n)
			turns := float64(float64(i) * golden)
			s, c := mat.SinCos(2 * math.Pi * (turns - math.Floor(turns)))
			r := math.Sqrt(1 - float64(z*z))
			normal[0], normal[1], normal[2] = r*c, r*s, z
			at()
		}
	default: // a vector of normal numbers has no preferred direction
		sequence := newDirections(d)
		for range n {
			sequence.next(normal)
			at()
		}
	}
}

// Block is a box in the first variables. Its sides belong to it, so that it may reach
// the ends of the variables' ranges.
type Block struct{ min, max []float64 }

// NewBlock returns the box from min to max, one number for each variable. It fails with a
// *ProblemError if max is not above min everywhere, or a number is not finite.
func NewBlock(min, max []float64) (*Block, error) {
	if len(min) == 0 || len(min) != len(max) {
		return nil, wrong("domain", "a box needs as many lower as upper ends, found %d and %d", len(min), len(max))
	}
	for i := range min {
		if !(min[i] < max[i]) || !finite(max[i]-min[i]) {
			return nil, wrong("domain", "side %d of the box, [%g, %g], is not an interval", i+1, min[i], max[i])
		}
	}
	return &Block{slices.Clone(min), slices.Clone(max)}, nil
}

// Contains implements Domain.
func (b *Block) Contains(x []float64) bool {
	for i := range b.min {
		if !(x[i] >= b.min[i] && x[i] <= b.max[i]) {
			return false
		}
	}
	return true
}

// Dimensions implements Shape.
func (b *Block) Dimensions() int { return len(b.min) }

// face returns the area of each of the two faces that are perpendicular to axis i.
func (b *Block) face(i int) float64 {
	a := 1.0
	for j := range b.min {
		if j != i {
			a *= b.max[j] - b.min[j]
		}
	}
	return a
}

func (b *Block) area() float64 {
	a := 0.0
	for i := range b.min {
		a += 2 * b.face(i)
	}
	return a
}

func (b *Block) along(n int, f func(x, normal []float64, part string)) {
	d, total := len(b.min), b.area()
	x, normal := make([]float64, d), make([]float64, d)
	for i := range d {
		count := max(1, int(math.Round(float64(float64(n)*b.face(i))/total)))
		for _, side := range []float64{-1, 1} {
			sequence := newLattice(d - 1)
			for k := range count {
				clear(normal)
				normal[i] = side
				x[i] = b.max[i]
				if side < 0 {
					x[i] = b.min[i]
				}
				u := sequence.at(k, count)
				for j, m := 0, 0; j < d; j++ {
					if j != i {
						x[j] = b.min[j] + float64(u[m]*(b.max[j]-b.min[j]))
						m++
					}
				}
				f(x, normal, "")
			}
		}
	}
}

// lattice spreads points over the unit cube: along the first axis in equal steps,
// along the others by powers of the generalised golden ratio, the root of
// r^d = r + 1 in d dimensions (Roberts, 2018, "The unreasonable effectiveness of quasirandom
// sequences").
type lattice struct {
	step, u []float64
}

func newLattice(d int) *lattice {
	l := &lattice{step: make([]float64, d), u: make([]float64, d)}
	if d < 2 {
		return l
	}
	ratio := 1.5
	for range 64 { // Newton's method on r^d = 1 + r
		power := 1.0
		for range d - 1 {
			power *= ratio
		}
		ratio -= (float64(power*ratio) - ratio - 1) / (float64(float64(d)*power) - 1)
	}
	l.step[0] = 1
	for i := 1; i < d; i++ {
		l.step[i] = l.step[i-1] / ratio
	}
	return l
}

// at returns point k of n. It is valid until the next call.
func (l *lattice) at(k, n int) []float64 {
	for i := range l.u {
		if i == 0 {
			l.u[i] = (float64(k) + 0.5) / float64(n)
			continue
		}
		t := float64((float64(k) + 0.5) * l.step[i])
		l.u[i] = t - math.Floor(t)
	}
	return l.u
}

// directions spreads unit vectors over the sphere in d > 3 dimensions.
type directions struct {
	lattice *lattice
	k       int
}

func newDirections(d int) *directions { return &directions{lattice: newLattice(2*((d+1)/2) + 1)} }

func (s *directions) next(normal []float64) {
	u := s.lattice.at(s.k, 1)[1:]
	s.k++
	gaussian(normal, u)
}

// gaussian sets normal to a unit vector of uniform direction: the Box-Muller transform
// makes normal numbers from pairs of uniform numbers u.
func gaussian(normal, u []float64) {
	sum := 0.0
	for i := range normal {
		pair := u[i/2*2:]
		sin, cos := mat.SinCos(2 * math.Pi * pair[1])
		r := math.Sqrt(-2 * mat.Log(1-pair[0]))
		normal[i] = r * cos
		if i%2 == 1 {
			normal[i] = r * sin
		}
		sum += float64(normal[i] * normal[i])
	}
	length := math.Sqrt(sum)
	for i := range normal {
		normal[i] /= length
	}
}

// Named is a shape with a name, by which its part of a larger boundary is known.
type Named struct {
	Name string
	Shape
}

func (s Named) along(n int, f func(x, normal []float64, part string)) {
	s.Shape.along(n, func(x, normal []float64, _ string) { f(x, normal, s.Name) })
}

// Union returns what lies in either shape. It fails with a *ProblemError if their
// dimensions differ.
func Union(a, b Shape) (Shape, error) { return combine(a, b, false, false) }

// Intersection returns what lies in both shapes. It fails with a *ProblemError if their
// dimensions differ.
func Intersection(a, b Shape) (Shape, error) { return combine(a, b, true, false) }

// Difference returns what lies in the first shape and not in the second. It fails with a
// *ProblemError if their dimensions differ.
func Difference(a, b Shape) (Shape, error) { return combine(a, b, true, true) }

// combination is what lies in a or b, or in both. If flipped, b stands for what is outside of it.
type combination struct {
	a, b    Shape
	both    bool
	flipped bool
}

func combine(a, b Shape, both, flipped bool) (Shape, error) {
	if a.Dimensions() != b.Dimensions() {
		return nil, wrong("domain", "a shape in %d and one in %d variables cannot be combined", a.Dimensions(), b.Dimensions())
	}
	return &combination{a, b, both, flipped}, nil
}

// Contains implements Domain.
func (c *combination) Contains(x []float64) bool {
	in := c.b.Contains(x) != c.flipped
	if c.both {
		return in && c.a.Contains(x)
	}
	return in || c.a.Contains(x)
}

// Dimensions implements Shape.
func (c *combination) Dimensions() int { return c.a.Dimensions() }

func (c *combination) area() float64 { return c.a.area() + c.b.area() }

func (c *combination) along(n int, f func(x, normal []float64, part string)) {
	share := float64(float64(n) * (c.a.area() / c.area()))
	c.a.along(max(1, int(math.Round(share))), f)
	c.b.along(max(1, int(math.Round(float64(n)-share))), f)
}
