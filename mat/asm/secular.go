package asm

import "math"

// SecularSums returns, for q[j] = z[j] / ((d[j]-origin)-shift), the sums of z[j]*q[j]
// and of q[j]², each summed as Dot sums. d and z have the same length.
func (k *Kernel) SecularSums(origin, shift float64, d, z []float64) (value, slope float64) {
	var values, slopes [lanes]float64
	z = z[:len(d)]
	for first := 0; first < len(d); first += lanes {
		last := min(first+lanes, len(d))
		for i, v := range d[first:last] {
			q := z[first+i] / ((v - origin) - shift)
			values[i] = math.FMA(z[first+i], q, values[i])
			slopes[i] = math.FMA(q, q, slopes[i])
		}
	}
	return fold(&values, len(d)), fold(&slopes, len(d))
}

// SecularVector sets v[j] = z[j] / ((d[j]-origin)-shift) and returns the sum of v[j]²,
// summed as Dot sums. d, z and v have the same length.
func (k *Kernel) SecularVector(origin, shift float64, d, z, v []float64) (square float64) {
	z, v = z[:len(d)], v[:len(d)]
	for i, x := range d {
		v[i] = z[i] / ((x - origin) - shift)
	}
	return k.Dot(v, v)
}

// LoewnerRatios sets product[j] = product[j] * (((d[j]-origin)-shift) / (d[j]-pole)).
// d and product have the same length.
func (k *Kernel) LoewnerRatios(origin, shift, pole float64, d, product []float64) {
	product = product[:len(d)]
	for i, x := range d {
		product[i] *= ((x - origin) - shift) / (x - pole)
	}
}
