package mat

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat/asm"
)

// SingularValues returns the singular values of B, in no particular order. With B = P S W', it replaces x, of n elements,
// by W'x if side is Right and by P'x if it is Left, without computing P and W; x may be nil. Component i of x belongs to
// value i; its sign is arbitrary. A small singular value is accurate to rounding error of the largest, not of itself. It
// may return a *NotConvergedError, which leaves x undefined.
//
// QR steps with implicit shifts chase a bulge along B (Golub and Kahan, 1965). Where the shift would change a small value
// by cancellation, the step has none (Demmel and Kahan, Accurate singular values of bidiagonal matrices, 1990).
func (b *Bidiagonal) SingularValues(side Side, x []float64) ([]float64, error) {
	n := len(b.d)
	check(x == nil || len(x) == n, "Bidiagonal.SingularValues: x has the wrong length")
	q := &implicitQR{d: slices.Clone(b.d), e: slices.Clone(b.e)}
	if side == Right {
		q.right = x
	} else {
		q.left = x
	}
	largest := 0.0
	for _, list := range [][]float64{q.d, q.e} {
		for _, v := range list {
			largest = math.Max(largest, math.Abs(v))
		}
	}
	if largest == 0 {
		return q.d, nil
	}
	_, exponent := math.Frexp(largest) // so that squares neither overflow nor matter where they underflow
	scaleByPower(q.d, q.d, -exponent)
	scaleByPower(q.e, q.e, -exponent)
	if err := q.run(); err != nil {
		return nil, err
	}
	for i, v := range q.d {
		q.d[i] = math.Ldexp(math.Abs(v), exponent)
	}
	return q.d, nil
}

// implicitQR makes a bidiagonal matrix, whose elements are at most 1, diagonal.
type implicitQR struct {
	d, e        []float64 // diagonal and superdiagonal
	left, right []float64 // vectors that take part in the rotations; nil: none
}

// singularIterations is the number of steps allowed for each singular value, negligibleOff the size of an off-diagonal
// element that is taken for zero.
const (
	singularIterations = 60
	negligibleOff      = 0x1p-54
)

func (q *implicitQR) run() error {
	n := len(q.d)
	steps := 0
	for last := n - 1; last > 0; {
		if math.Abs(q.e[last-1]) <= negligibleOff {
			q.e[last-1] = 0
			last--
			continue
		}
		first := last - 1
		for first > 0 && math.Abs(q.e[first-1]) > negligibleOff {
			first--
		}
		if first > 0 {
			q.e[first-1] = 0
		}
		if steps++; steps > singularIterations*n {
			return &NotConvergedError{What: "singular values", Iterations: steps - 1}
		}
		shift := smallerSingular(q.d[last-1], q.e[last-1], q.d[last])
		if head := math.Abs(q.d[first]); head > 0 && float64(shift/head)*float64(shift/head) > 0x1p-53 {
			q.shifted(first, last, shift)
		} else {
			q.plain(first, last)
		}
	}
	return nil
}

// smallerSingular is the smaller singular value of the upper triangle a, b; 0, c.
func smallerSingular(a, b, c float64) float64 {
	a, b, c = math.Abs(a), math.Abs(b), math.Abs(c)
	if a == 0 || c == 0 {
		return 0
	}
	// Half the sum and half the difference of the singular values are halves of the lengths of (a+c, b) and (a-c, b).
	larger := 0.5 * (hypot(a+c, b) + hypot(a-c, b))
	return float64(a*c) / larger
}

// shifted does one step with a shift on rows first to last.
func (q *implicitQR) shifted(first, last int, shift float64) {
	d, e := q.d, q.e
	f := (math.Abs(d[first]) - shift) * (math.Copysign(1, d[first]) + shift/d[first])
	g := e[first]
	for i := first; i < last; i++ {
		c, s, r := rotation(f, g)
		if i > first {
			e[i-1] = r
		}
		turn(q.right, i, c, s)
		f = asm.FMA(c, d[i], float64(s*e[i]))
		e[i] = asm.FMA(c, e[i], -float64(s*d[i]))
		g = s * d[i+1]
		d[i+1] *= c
		c, s, r = rotation(f, g)
		d[i] = r
		turn(q.left, i, c, s)
		f = asm.FMA(c, e[i], float64(s*d[i+1]))
		d[i+1] = asm.FMA(c, d[i+1], -float64(s*e[i]))
		if i < last-1 {
			g = s * e[i+1]
			e[i+1] *= c
		}
	}
	e[last-1] = f
}

// plain does one step without a shift, which keeps small values accurate, and pushes a zero on the diagonal to the end.
func (q *implicitQR) plain(first, last int) {
	d, e := q.d, q.e
	c, before, sBefore := 1.0, 1.0, 0.0
	for i := first; i < last; i++ {
		var s, r float64
		c, s, r = rotation(d[i]*c, e[i])
		if i > first {
			e[i-1] = sBefore * r
		}
		turn(q.right, i, c, s)
		before, sBefore, d[i] = rotation(before*r, d[i+1]*s)
		turn(q.left, i, before, sBefore)
	}
	h := d[last] * c
	d[last] = h * before
	e[last-1] = h * sBefore
}

// rotation returns the rotation that turns (f, g) into (r, 0).
func rotation(f, g float64) (c, s, r float64) {
	if g == 0 {
		return 1, 0, f
	}
	square := asm.FMA(f, f, float64(g*g))
	r = math.Sqrt(square)
	if !safeSquare(square) {
		r = hypot(f, g)
	}
	return f / r, g / r, r
}

// turn rotates elements i and i+1 of x.
func turn(x []float64, i int, c, s float64) {
	if x == nil {
		return
	}
	a, b := x[i], x[i+1]
	x[i], x[i+1] = asm.FMA(c, a, float64(s*b)), asm.FMA(c, b, -float64(s*a))
}
