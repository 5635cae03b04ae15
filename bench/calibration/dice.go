package calibration

import (
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/bpielm/bpielm/mat"
)

// dice draws random numbers, the same for the same seed on every machine.
type dice struct{ *rand.Rand }

// newDice returns the dice for one purpose and one problem.
func newDice(seed uint64, number int, purpose uint64) dice {
	const golden = 0x9e3779b97f4a7c15
	return dice{rand.New(rand.NewPCG(seed^purpose, golden*(uint64(number)+1)))}
}

// between returns a number uniform in [a, b).
func (d dice) between(a, b float64) float64 { return a + float64((b-a)*d.Float64()) }

// logBetween returns a number log-uniform in [a, b), 0 < a <= b.
func (d dice) logBetween(a, b float64) float64 {
	return mat.Exp(d.between(mat.Log(a), mat.Log(b)))
}

// count returns an integer uniform in [a, b].
func (d dice) count(a, b int) int { return a + d.IntN(b-a+1) }

// chance returns true with probability p.
func (d dice) chance(p float64) bool { return d.Float64() < p }

// sign returns -1 or 1.
func (d dice) sign() float64 {
	if d.chance(0.5) {
		return -1
	}
	return 1
}

// normal returns a standard normal number, by the Box-Muller transform.
func (d dice) normal() float64 {
	radius := math.Sqrt(-2 * mat.Log(1-float64(d.Float64())))
	return float64(radius * mat.Cos(2*math.Pi*d.Float64()))
}

// pick returns one of the values, all equally likely.
func pick[T any](d dice, of ...T) T { return of[d.IntN(len(of))] }

// rounded returns x rounded to significant decimal digits, as a person writes numbers.
func rounded(x float64, digits int) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	return r
}

// squared returns the square of x, rounded as a person writes numbers, and its root.
func squared(x float64) (root, square float64) {
	square = rounded(x*x, 4)
	return math.Sqrt(square), square
}

// number writes x with the fewest digits that give x again.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// cosSin returns the point at an angle on the unit circle.
func cosSin(x float64) (cos, sin float64) {
	sin, cos = mat.SinCos(x)
	return cos, sin
}
