package feature

import "github.com/bpielm/bpielm/mat"

// gaussianDerivatives returns the derivatives of exp(-z²/2): (-1)^k He_k(z) times the
// value g, with the Hermite polynomials He_0 = 1, He_1 = z, He_{k+1} = z He_k - k He_{k-1}.
// Every second coefficient of these is zero, so they are polynomials in z², times z for
// odd k. The factors are 0: g, 1: z g, 2: z².
func gaussianDerivatives() (d [MaxOrder + 1]derivative) {
	previous, hermite := []float64(nil), []float64{1}
	for k := range d {
		var c []float64 // in z²
		for i := k % 2; i < len(hermite); i += 2 {
			c = append(c, hermite[i])
		}
		d[k] = derivative{factor: k % 2, argument: 2}
		if k > 0 {
			d[k].coefficients = reversed(c, float64(1-2*(k%2)))
		}
		next := append([]float64{0}, hermite...)
		for i, v := range previous {
			next[i] -= float64(float64(k) * v)
		}
		previous, hermite = hermite, next
	}
	return d
}

// gaussianEnd is a value of z² beyond which exp(-z²/2) is zero.
const gaussianEnd = 1500

// evaluateGaussian computes g, z g and z², with z² at most gaussianEnd.
func evaluateGaussian(f *factors, z []float64, order int) {
	g, zg, square := f[0], f[1], f[2]
	for i, v := range z {
		square[i] = min(float64(v*v), gaussianEnd)
		g[i] = -0.5 * square[i]
	}
	mat.ExpTo(g, g)
	for i, v := range z {
		// exp(-(s+l)/2) = exp(-s/2)(1 - l/2), where l is the rounding error of s = v².
		if square[i] < gaussianEnd {
			low := mat.FMA(v, v, -square[i])
			g[i] = mat.FMA(-0.5*low, g[i], g[i])
		}
		zg[i] = float64(v * g[i])
	}
}
