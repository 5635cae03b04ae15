package feature

import (
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// On a logarithmic axis neurons are functions of s = ln x. With D = d/ds
//
//	x^k d^k/dx^k = D (D-1) ... (D-k+1),
//
// whose coefficients are the Stirling numbers of the first kind.

// stirling returns the coefficients of D, D^2, ..., D^k in the product above.
func stirling(k int) []float64 {
	c := make([]float64, k+1)
	c[0] = 1
	for j := range k { // times D - j
		for i := j + 1; i > 0; i-- {
			c[i] = c[i-1] - float64(float64(j)*c[i])
		}
		c[0] *= -float64(j)
	}
	return c[1:]
}

// logarithmic rewrites points and operators in terms of the logarithms of the variables on
// logarithmic axes.
func (l *Layer) logarithmic(points *mat.Dense, operators [][]Term) (*mat.Dense, [][]Term) {
	own, expanded := points.Clone(), make([][]Term, len(operators))
	for i := range own.Rows() {
		for v, x := range own.Row(i) {
			if l.log[v] {
				own.Set(i, v, mat.Log(x))
			}
		}
	}
	for i, terms := range operators {
		for _, t := range terms {
			expanded[i] = append(expanded[i], l.expand(t, points)...)
		}
	}
	return own, expanded
}

// expand rewrites a term as a sum of terms in the logarithms: one variable after another,
// x^-k times the polynomial above for a derivative of order k.
func (l *Layer) expand(t Term, points *mat.Dense) []Term {
	sum := []Term{t}
	for v, order := range t.Derivative {
		if !l.log[v] || order == 0 {
			continue
		}
		var next []Term
		for _, t := range sum {
			scaled := dividedByPower(t.Coefficient, points, v, order)
			for j, s := range stirling(order) {
				if s == 0 {
					continue
				}
				d := Term{slices.Clone(t.Derivative), slices.Clone(scaled)}
				d.Derivative[v] = j + 1
				for r := range d.Coefficient {
					d.Coefficient[r] *= s
				}
				next = append(next, d)
			}
		}
		sum = next
	}
	return sum
}

// dividedByPower returns a coefficient divided by x^order at every point, where x is the
// variable v.
func dividedByPower(coefficient []float64, points *mat.Dense, v, order int) []float64 {
	scaled := make([]float64, points.Rows())
	for r := range scaled {
		c := 1.0
		if n := len(coefficient); n > 0 {
			c = coefficient[min(r, n-1)]
		}
		for range order {
			c /= points.At(r, v)
		}
		scaled[r] = c
	}
	return scaled
}
