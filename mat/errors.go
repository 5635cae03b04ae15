package mat

import (
	"fmt"
	"math"
)

// Error is the programmer's misuse of shapes; functions panic with it.
type Error string

func (e Error) Error() string { return string(e) }

// check panics with Error unless ok holds.
func check(ok bool, why string) {
	if !ok {
		panic(Error("mat: " + why))
	}
}

// NotPositiveDefiniteError says at which pivot a Cholesky factorisation stopped.
type NotPositiveDefiniteError struct {
	Index int     // row of the pivot
	Pivot float64 // its square: zero, negative, infinite or NaN
}

func (e *NotPositiveDefiniteError) Error() string {
	return fmt.Sprintf("mat: matrix is not positive definite: pivot %d is %v", e.Index, e.Pivot)
}

// NotConvergedError says which iteration was given up.
type NotConvergedError struct {
	What       string
	Iterations int
}

func (e *NotConvergedError) Error() string {
	return fmt.Sprintf("mat: %s did not converge in %d iterations", e.What, e.Iterations)
}

// NotFiniteError says where an input has a NaN or an infinity.
type NotFiniteError struct {
	What     string
	Row, Col int
}

func (e *NotFiniteError) Error() string {
	return fmt.Sprintf("mat: %s: element (%d, %d) is not finite", e.What, e.Row, e.Col)
}

// SingularError says which diagonal element of a triangular factor is zero.
type SingularError struct{ Index int }

func (e *SingularError) Error() string {
	return fmt.Sprintf("mat: matrix is singular: pivot %d is zero", e.Index)
}

// magnitude returns the largest absolute value in x, and the first index that
// holds a NaN or an infinity, or -1.
func magnitude(x []float64) (largest float64, notFinite int) {
	for i, v := range x {
		v = math.Abs(v)
		if !(v <= math.MaxFloat64) {
			return largest, i
		}
		largest = max(largest, v)
	}
	return largest, -1
}
