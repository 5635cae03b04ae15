package mat

import (
	"fmt"
	"math"
	"slices"
)

// Error reports misuse by the caller, such as a shape mismatch. Functions panic with it.
type Error string

func (e Error) Error() string { return string(e) }

// check panics with Error unless ok holds.
func check(ok bool, why string) {
	if !ok {
		panic(Error("mat: " + why))
	}
}

// NotPositiveDefiniteError reports the pivot at which a Cholesky factorisation failed.
type NotPositiveDefiniteError struct {
	Index int     // row of the pivot
	Pivot float64 // the square of the diagonal element: zero, negative, infinite or NaN
}

func (e *NotPositiveDefiniteError) Error() string {
	return fmt.Sprintf("mat: matrix is not positive definite: pivot %d is %v", e.Index, e.Pivot)
}

// NotConvergedError reports an iteration that reached its limit.
type NotConvergedError struct {
	What       string
	Iterations int
}

func (e *NotConvergedError) Error() string {
	return fmt.Sprintf("mat: %s did not converge in %d iterations", e.What, e.Iterations)
}

// NotFiniteError reports an element of the input that is NaN or infinite.
type NotFiniteError struct {
	What     string
	Row, Col int
}

func (e *NotFiniteError) Error() string {
	return fmt.Sprintf("mat: %s: element (%d, %d) is not finite", e.What, e.Row, e.Col)
}

// SingularError reports a zero on the diagonal of a triangular factor.
type SingularError struct{ Index int }

func (e *SingularError) Error() string {
	return fmt.Sprintf("mat: matrix is singular: pivot %d is zero", e.Index)
}

// magnitude returns the largest absolute value in x and the index of the first NaN or
// infinity, or -1 if there is none.
func magnitude(x []float64) (largest float64, notFinite int) {
	const sign, infinity = 1 << 63, 0x7ff << 52 // the bits of absolute values sort like the values
	var a, b, c, d uint64
	rest := x
	for ; len(rest) >= 4; rest = rest[4:] {
		a = max(a, math.Float64bits(rest[0])&^sign)
		b = max(b, math.Float64bits(rest[1])&^sign)
		c = max(c, math.Float64bits(rest[2])&^sign)
		d = max(d, math.Float64bits(rest[3])&^sign)
	}
	for _, v := range rest {
		a = max(a, math.Float64bits(v)&^sign)
	}
	a = max(a, b, c, d)
	if a < infinity {
		return math.Float64frombits(a), -1
	}
	return math.Inf(1), slices.IndexFunc(x, func(v float64) bool { return math.Float64bits(v)&^sign >= infinity })
}
