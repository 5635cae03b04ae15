package feature

import "github.com/bpielm/bpielm/mat"

// sineDerivatives returns the derivatives of the sine. Factors 0 and 1 are the sine and the
// cosine.
func sineDerivatives() (d [MaxOrder + 1]derivative) {
	for k := range d {
		d[k].factor = k % 2
		if k%4 >= 2 {
			d[k].coefficients = []float64{-1}
		}
	}
	return d
}

func evaluateSine(f *factors, z []float64, order int) {
	if order == 0 {
		mat.SinTo(f[0], z)
		return
	}
	mat.SinCosTo(f[0], f[1], z)
}
