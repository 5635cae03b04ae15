package feature

import (
	"math"

	"github.com/bpielm/bpielm/mat"
)

// tanhPolynomials returns the coefficients, lowest power first, of the P_k in
//
//	d^k tanh(z) / dz^k = u P_k(u) for odd k, t u P_k(u) for even k,
//	t = tanh z,  u = sech² z = 1 - t²,
//
// starting from P_1 = 1. Because t' = u and u' = -2tu,
//
//	P_{k+1} = -2(P_k + u P_k')                   for odd k,
//	P_{k+1} = u P_k - 2(1-u)(P_k + u P_k')       for even k.
//
// u keeps its relative accuracy where 1 - t² loses it to cancellation, so derivatives
// decay correctly far from a neuron's centre. All coefficients are integers below 2^53.
func tanhPolynomials() (p [MaxOrder + 1][]float64) {
	p[1] = []float64{1}
	for k := 1; k < MaxOrder; k++ {
		slope := make([]float64, len(p[k])) // P_k + u P_k'
		for i, c := range p[k] {
			slope[i] = float64(i+1) * c
		}
		if k%2 == 1 {
			for i := range slope {
				slope[i] *= -2
			}
			p[k+1] = slope
			continue
		}
		next := make([]float64, len(p[k])+1)
		for i, c := range slope {
			next[i] -= float64(2 * c)
			next[i+1] += float64(2*c) + p[k][i]
		}
		p[k+1] = next
	}
	return p
}

// The factors that evaluateTanh computes: t, u, and the second and third derivatives.
const (
	tanhValue = iota
	tanhFirst
	tanhSecond
	tanhThird
)

// tanhDerivatives returns the derivatives of tanh. Up to the third they are factors; the
// higher ones are the second, -2tu, or the first, u, times a polynomial.
func tanhDerivatives() (d [MaxOrder + 1]derivative) {
	polynomials := tanhPolynomials()
	for k := range d {
		switch {
		case k <= tanhThird:
			d[k] = derivative{factor: k}
		case k%2 == 0:
			d[k] = derivative{tanhSecond, tanhFirst, reversed(polynomials[k], -0.5)}
		default:
			d[k] = derivative{tanhFirst, tanhFirst, reversed(polynomials[k], 1)}
		}
	}
	return d
}

// evaluateTanh computes the factors that derivatives up to order need.
func evaluateTanh(f *factors, z []float64, order int) {
	switch order {
	case 0:
		mat.TanhTo(f[tanhValue], z)
	case 1:
		mat.TanhSech2To(f[tanhValue], f[tanhFirst], z)
	default:
		mat.TanhJetTo(f[tanhValue], f[tanhFirst], f[tanhSecond], f[tanhThird], z)
	}
}

// logisticDerivatives returns the derivatives of (1 + tanh(z/2))/2. For k >= 1 they are
// those of tanh at z/2, divided by 2^(k+1).
func logisticDerivatives() [MaxOrder + 1]derivative {
	d := tanhDerivatives()
	for k := 1; k <= MaxOrder; k++ {
		scale := math.Ldexp(1, -k-1)
		if k <= tanhThird {
			d[k].coefficients = []float64{scale}
			continue
		}
		for i := range d[k].coefficients {
			d[k].coefficients[i] *= scale
		}
	}
	return d
}

// evaluateLogistic computes the factors of tanh at z/2, with the logistic function in
// place of the value.
func evaluateLogistic(f *factors, z []float64, order int) {
	t, u := f[tanhValue], f[tanhFirst]
	half := f[softplusValue]
	for i, v := range z {
		half[i] = 0.5 * v
	}
	evaluateTanh(f, half, max(order, 1))
	for i, v := range t {
		// For negative v, 1 + v cancels; (1 - v²)/(1 - v) = u/(1 + |v|) does not.
		s := 0.5 * (1 + math.Abs(v))
		if v < 0 {
			s = 0.25 * u[i] / s
		}
		t[i] = s
	}
}

// Two more factors behind those of evaluateLogistic: the value, and scratch.
const (
	softplusValue = tanhThird + 1 + iota
	softplusScratch
)

// softplusDerivatives returns the derivatives of ln(1 + exp z): from the first on, those of
// the logistic function, one order lower.
func softplusDerivatives() (d [MaxOrder + 1]derivative) {
	logistic := logisticDerivatives()
	copy(d[1:], logistic[:])
	d[0] = derivative{factor: softplusValue}
	return d
}

// evaluateSoftplus computes ln(1 + exp z) as max(z, 0) + ln(1 + e) with e = exp(-|z|), and
// corrects for the rounding of 1 + e.
func evaluateSoftplus(f *factors, z []float64, order int) {
	if order > 0 {
		evaluateLogistic(f, z, order-1)
	}
	value, logarithm := f[softplusValue], f[softplusScratch]
	for i, v := range z {
		value[i] = -math.Abs(v)
	}
	mat.ExpTo(value, value)
	for i, e := range value {
		s := 1 + e
		logarithm[i] = s
		value[i] = (e - (s - 1)) / s
	}
	mat.LogTo(logarithm, logarithm)
	for i, v := range z {
		value[i] = max(v, 0) + (logarithm[i] + value[i])
	}
}
