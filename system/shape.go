package system

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// Shape is a domain whose boundary is known. It lives in the first Dimensions
// variables of a problem; in the others, such as time, it is as long as they are.
type Shape interface {
	Domain
	Dimensions() int

	// area is the length or area of the boundary, at least. along calls f for about
	// n points that are spread evenly over it, n >= 1, with the outward unit normal
	// and the name of the part; f must not retain its arguments.
	area() float64
	along(n int, f func(x, normal []float64, part string))
}

// Ball is the inside of a sphere: an interval, a disk, a ball.
type Ball struct {
	center []float64
	radius float64
}

// NewBall fails when there is no coordinate, or a number is not finite, or the radius
// not positive.
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

// area is 2 r^(d-1) pi^(d/2) / Gamma(d/2), by its recursion over two dimensions.
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
	default: // normal numbers have no preferred direction
		sequence := newDirections(d)
		for range n {
			sequence.next(normal)
			at()
		}
	}
}

// Block is a box in the first variables, its sides included, so that it has points
// in common with the ends of their ranges.
type Block struct{ min, max []float64 }

// NewBlock fails when the ends do not make sides.
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

// face is the area of the two faces perpendicular to a direction, each.
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

// lattice spreads points over the unit cube: the first direction in equal steps,
// the others by the powers of a generalised golden ratio (Roberts, 2018), which is
// the root of r^(d+1) = r + 1.
type lattice struct {
	step, u []float64
}

func newLattice(d int) *lattice {
	l := &lattice{step: make([]float64, d), u: make([]float64, d)}
	if d < 2 {
		return l
	}
	ratio := 1.5
	for range 64 { // fixed point of r = (1 + r)^(1/d), by Newton's method on r^d = 1 + r
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

// at returns point k of n, valid until the next call.
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

// directions are spread over the unit sphere of d > 3 dimensions: pairs of normal
// numbers from a lattice, by the Box-Muller transform.
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

// gaussian makes a unit vector of normal numbers, by the Box-Muller transform of
// pairs of numbers between 0 and 1.
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

// Named is a shape whose boundary has a name, as a part of others.
type Named struct {
	Name string
	Shape
}

func (s Named) along(n int, f func(x, normal []float64, part string)) {
	s.Shape.along(n, func(x, normal []float64, _ string) { f(x, normal, s.Name) })
}

// Union is all that lies in one shape or the other. It fails when they do not have
// the same dimensions.
func Union(a, b Shape) (Shape, error) { return combine(a, b, false, false) }

// Intersection is what lies in both.
func Intersection(a, b Shape) (Shape, error) { return combine(a, b, true, false) }

// Difference is what lies in the first and not in the second.
func Difference(a, b Shape) (Shape, error) { return combine(a, b, true, true) }

// combination is a, or b, or both, b turned inside out or not.
type combination struct {
	a, b    Shape
	both    bool
	flipped bool // b
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
