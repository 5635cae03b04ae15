package asm

// generic specifies every kernel: plain Go, built everywhere. FMA is exact on every
// architecture, so the bits of generic are the bits of the assembly. complete fills in its
// functions.
var generic = Kernel{name: "generic"}

// genericDot is Kernel.Dot. It processes eight lanes at a time over the whole vector, so that
// they stay in registers.
func genericDot(x, y []float64) float64 {
	var lane [lanes]float64
	whole := len(x) &^ (lanes - 1)
	if whole > 0 {
		for first := 0; first < lanes; first += 8 {
			var s0, s1, s2, s3, s4, s5, s6, s7 float64
			for i := first; i < whole; i += lanes {
				u, v := x[i:i+8:i+8], y[i:i+8:i+8]
				s0 = FMA(u[0], v[0], s0)
				s1 = FMA(u[1], v[1], s1)
				s2 = FMA(u[2], v[2], s2)
				s3 = FMA(u[3], v[3], s3)
				s4 = FMA(u[4], v[4], s4)
				s5 = FMA(u[5], v[5], s5)
				s6 = FMA(u[6], v[6], s6)
				s7 = FMA(u[7], v[7], s7)
			}
			*(*[8]float64)(lane[first:]) = [8]float64{s0, s1, s2, s3, s4, s5, s6, s7}
		}
	}
	y = y[whole:len(x)]
	for i, v := range x[whole:] {
		lane[i] = FMA(v, y[i], lane[i])
	}
	return fold(&lane, len(x))
}

// genericSum is Kernel.Sum.
func genericSum(x []float64) float64 {
	var lane [lanes]float64
	n := len(x)
	for len(x) >= lanes {
		for i, v := range x[:lanes] {
			lane[i] += v
		}
		x = x[lanes:]
	}
	for i, v := range x {
		lane[i] += v
	}
	return fold(&lane, n)
}

// fold adds the lanes pairwise, by halves. Lanes from n on hold +0. Adding that is not a
// no-op, because it turns -0 into +0, but once is enough.
func fold(lane *[lanes]float64, n int) float64 {
	for half := lanes / 2; half > 0; half /= 2 {
		if n <= half {
			for i := range n {
				lane[i] += 0
			}
			continue
		}
		for i := range half {
			lane[i] += lane[i+half]
		}
		n = half
	}
	return lane[0]
}

// genericAxpy is Kernel.Axpy.
func genericAxpy(alpha float64, x, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] = FMA(alpha, v, y[i])
	}
}

// genericAxpyRows is Kernel.AxpyRows, four rows in one pass over y.
func genericAxpyRows(x, a []float64, lda int, y []float64) {
	n := len(y)
	for ; len(x) >= 4; x = x[4:] {
		x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
		a0, a1, a2, a3 := a[:n], a[lda:][:n], a[2*lda:][:n], a[3*lda:][:n]
		for j, v := range y {
			v = FMA(x0, a0[j], v)
			v = FMA(x1, a1[j], v)
			v = FMA(x2, a2[j], v)
			y[j] = FMA(x3, a3[j], v)
		}
		a = a[min(4*lda, len(a)):]
	}
	for i, v := range x {
		genericAxpy(v, a[i*lda:][:n], y)
	}
}

// genericRotate is Kernel.Rotate.
func genericRotate(c, s float64, x, y []float64) {
	y = y[:len(x)]
	for i, u := range x {
		v := y[i]
		x[i] = float64(c*u) + float64(s*v)
		y[i] = float64(c*v) - float64(s*u)
	}
}
