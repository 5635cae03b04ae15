package asm

// SecularSums returns, for q[j] = z[j] / ((d[j]-origin)-shift), the sums of z[j]*q[j] and of
// q[j]², in the order of Dot. d and z have the same length.
func (k *Kernel) SecularSums(origin, shift float64, d, z []float64) (value, slope float64) {
	z = z[:len(d)]
	n := min(len(d), stretch)
	value, slope = k.secularSums(origin, shift, d[:n], z[:n])
	for len(d) > stretch {
		d, z = d[stretch:], z[stretch:]
		n = min(len(d), stretch)
		v, s := k.secularSums(origin, shift, d[:n], z[:n])
		value, slope = value+v, slope+s
	}
	return value, slope
}

// SecularVector sets v[j] = z[j] / ((d[j]-origin)-shift) and returns the sum of v[j]², in the
// order of Dot. d, z and v have the same length.
func (k *Kernel) SecularVector(origin, shift float64, d, z, v []float64) (square float64) {
	z, v = z[:len(d)], v[:len(d)]
	if len(d) > stretch {
		return k.secularVectorByDot(origin, shift, d, z, v)
	}
	return k.secularVector(origin, shift, d, z, v)
}

// secularVectorByDot is SecularVector for vectors of any length.
func (k *Kernel) secularVectorByDot(origin, shift float64, d, z, v []float64) (square float64) {
	for i, x := range d {
		v[i] = z[i] / ((x - origin) - shift)
	}
	return k.Dot(v, v)
}

// LoewnerRatios sets product[j] = product[j] * (((d[j]-origin)-shift) / (d[j]-pole)).
// d and product have the same length.
func (k *Kernel) LoewnerRatios(origin, shift, pole float64, d, product []float64) {
	product = product[:len(d)]
	for ; len(d) > stretch; d, product = d[stretch:], product[stretch:] {
		k.loewnerRatios(origin, shift, pole, d[:stretch], product[:stretch])
	}
	k.loewnerRatios(origin, shift, pole, d, product)
}

// genericLoewnerRatios is Kernel.LoewnerRatios.
func genericLoewnerRatios(origin, shift, pole float64, d, product []float64) {
	product = product[:len(d)]
	for i, x := range d {
		product[i] *= ((x - origin) - shift) / (x - pole)
	}
}

// genericSecularSums is Kernel.SecularSums. It processes four lanes at a time over the whole
// vectors, so that they stay in registers.
func genericSecularSums(origin, shift float64, d, z []float64) (value, slope float64) {
	var values, slopes [lanes]float64
	whole := len(d) &^ (lanes - 1)
	if whole > 0 {
		for first := 0; first < lanes; first += 4 {
			var v0, v1, v2, v3, s0, s1, s2, s3 float64
			for i := first; i < whole; i += lanes {
				d, z := d[i:i+4:i+4], z[i:i+4:i+4]
				q0 := z[0] / ((d[0] - origin) - shift)
				q1 := z[1] / ((d[1] - origin) - shift)
				q2 := z[2] / ((d[2] - origin) - shift)
				q3 := z[3] / ((d[3] - origin) - shift)
				v0, s0 = FMA(z[0], q0, v0), FMA(q0, q0, s0)
				v1, s1 = FMA(z[1], q1, v1), FMA(q1, q1, s1)
				v2, s2 = FMA(z[2], q2, v2), FMA(q2, q2, s2)
				v3, s3 = FMA(z[3], q3, v3), FMA(q3, q3, s3)
			}
			*(*[4]float64)(values[first:]) = [4]float64{v0, v1, v2, v3}
			*(*[4]float64)(slopes[first:]) = [4]float64{s0, s1, s2, s3}
		}
	}
	z = z[whole:len(d)]
	for i, x := range d[whole:] {
		q := z[i] / ((x - origin) - shift)
		values[i], slopes[i] = FMA(z[i], q, values[i]), FMA(q, q, slopes[i])
	}
	return fold(&values, len(d)), fold(&slopes, len(d))
}
