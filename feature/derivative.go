package feature

import "github.com/bpielm/bpielm/mat"

// factors are what the derivatives of an activation at the same arguments have in
// common, each as long as the arguments; which is which depends on the
// activation. Those that no derivative up to the wanted order needs are undefined.
type factors [softplusScratch + 1][]float64

// derivative says how a derivative follows from the factors f:
//
//	f[factor] C(f[argument])
//
// where C is the polynomial with the given coefficients, the highest first; 1 if
// there are none. All coefficients are exact.
type derivative struct {
	factor, argument int
	coefficients     []float64
}

// resize gives every factor n elements.
func (f *factors) resize(n int) {
	for i := range f {
		f[i] = grow(f[i], n)
	}
}

// DerivativesTo sets row k of dst to the derivative of order k at each of z; row 0
// is the value. It panics with mat.Error when dst has not as many columns as z
// has elements, or more than MaxOrder+1 rows.
func (a Activation) DerivativesTo(dst *mat.Dense, z []float64) {
	orders := dst.Rows()
	if dst.Cols() != len(z) || orders > MaxOrder+1 || !a.known() {
		panic(mat.Error("feature: DerivativesTo: dst must be orders x arguments, of orders up to MaxOrder"))
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

// reversed returns the coefficients of a polynomial, which come the lowest first,
// times scale, the highest first.
func reversed(polynomial []float64, scale float64) []float64 {
	n := len(polynomial)
	c := make([]float64, n)
	for i, v := range polynomial {
		c[n-1-i] = scale * v
	}
	return c
}
