package feature

import "github.com/bpielm/bpielm/mat"

// factors are the functions of the arguments that the derivatives of an activation
// share. Each is as long as the arguments; the activation decides which is which. Factors
// that no derivative up to the requested order needs are undefined.
type factors [softplusScratch + 1][]float64

// derivative expresses a derivative by the factors f as
//
//	f[factor] C(f[argument])
//
// where C is the polynomial with the given coefficients, highest first, or 1 if there are
// none. All coefficients are exact.
type derivative struct {
	factor, argument int
	coefficients     []float64
}

// resize makes every factor n elements long.
func (f *factors) resize(n int) {
	for i := range f {
		f[i] = grow(f[i], n)
	}
}

// DerivativesTo sets row k of dst, orders x len(z), to the derivative of order k at each
// element of z; row 0 is the value. It panics with mat.Error if dst has another number of
// columns or more than MaxOrder+1 rows, or if a is not an activation.
func (a Activation) DerivativesTo(dst *mat.Dense, z []float64) {
	orders := dst.Rows()
	if dst.Cols() != len(z) || orders > MaxOrder+1 || !a.known() {
		panic(mat.Error("feature: DerivativesTo: dst must be orders x arguments, with at most MaxOrder+1 orders"))
	}
	if orders == 0 {
		return
	}
	w := borrow()
	defer w.giveBack()
	w.factors.resize(len(z))
	activation := &activations[a]
	activation.evaluate(&w.factors, z, orders-1)
	for k := range orders {
		d := &activation.derivatives[k]
		if d.coefficients == nil {
			copy(dst.Row(k), w.factors[d.factor])
			continue
		}
		w.ones = grow(w.ones, len(z))
		for i := range w.ones {
			w.ones[i] = 1
		}
		mat.MulPolynomialTo(dst.Row(k), w.ones, w.factors[d.factor], w.factors[d.argument], d.coefficients, false)
	}
}

// reversed returns scale times the coefficients of a polynomial, in reverse order.
func reversed(polynomial []float64, scale float64) []float64 {
	n := len(polynomial)
	c := make([]float64, n)
	for i, v := range polynomial {
		c[n-1-i] = scale * v
	}
	return c
}
