package feature

import "math"

// MaxOrder is the highest total order of a derivative.
const MaxOrder = 8

// tanhPolynomial[k] holds the coefficients, lowest power first, of q_k in
//
//	d^k tanh(z) / dz^k = u q_k(t),   t = tanh z,  u = sech^2 z = 1 - t^2,
//
// from q_1 = 1 and q_{k+1} = -2 t q_k + (1 - t^2) q_k'. The factor u is carried
// apart because it keeps its relative accuracy where 1 - t^2 has lost it, so
// that derivatives fall off correctly far from a neuron's centre. All
// coefficients are integers below 2^53, hence exact.
var tanhPolynomial = func() (q [MaxOrder + 1][]float64) {
	q[1] = []float64{1}
	for k := 1; k < MaxOrder; k++ {
		next := make([]float64, len(q[k])+1)
		for i, c := range q[k] {
			next[i+1] -= 2 * c
			if i > 0 {
				d := float64(float64(i) * c)
				next[i-1] += d
				next[i+1] -= d
			}
		}
		q[k+1] = next
	}
	return q
}()

// tanhDerivative returns the derivative of order k >= 0 of tanh, given
// t = tanh z and u = sech^2 z.
func tanhDerivative(k int, t, u float64) float64 {
	if k == 0 {
		return t
	}
	q := tanhPolynomial[k]
	// q_k has the parity of k-1: Horner in t^2 over every second coefficient.
	t2 := t * t
	top := len(q) - 1
	s := q[top]
	for i := top - 2; i >= 0; i -= 2 {
		s = math.FMA(s, t2, q[i])
	}
	if top%2 == 1 {
		s *= t
	}
	return s * u
}
