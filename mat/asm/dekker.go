package asm

// dekker is the kernel for processors without a fused multiply-add: the loops of generic
// with errorFreeFMA inlined. This saves the calls and, in matrix products, most of the
// splitting of operands.
var dekker = Kernel{
	name: "dekker",
	vectors: vectors{
		dot:      dekkerDot,
		axpy:     dekkerAxpy,
		axpyRows: dekkerAxpyRows,
	},
	functions: functions{mulPolynomial: dekkerMulPolynomial},
	factors:   factors{eliminateTiles: dekkerEliminateTiles},
}

// dekkerProducts adds sign times depth products of a column of 4 and a row of 4 to the 4 x 4
// elements of c, each of which is one accumulator. Consecutive columns, and rows, are step
// elements apart.
func dekkerProducts(depth int, sign float64, a, b []float64, step int, c *[4][4]float64) {
	var bHigh, bLow [4]float64
	for ; depth > 0; depth-- {
		column, row := (*[4]float64)(a), (*[4]float64)(b)
		for j, y := range row {
			bHigh[j], bLow[j] = split(y)
		}
		for i, x := range column {
			x = float64(sign * x)
			xHigh, xLow := split(x)
			sums := &c[i]
			for j, y := range row {
				p := float64(x * y)
				sum, rare := sumOfThree(p, productError(p, xHigh, xLow, bHigh[j], bLow[j]), sums[j])
				if rare {
					sum = fmaRare(x, y, sums[j])
				}
				sums[j] = sum
			}
		}
		a, b = a[min(step, len(a)):], b[min(step, len(b)):]
	}
}

// dekkerDot is Kernel.Dot.
func dekkerDot(x, y []float64) float64 {
	var lane [lanes]float64
	n := len(x)
	for len(x) > 0 {
		u := x[:min(lanes, len(x))]
		v := y[:len(u)]
		for i, a := range u {
			p, e := twoProduct(a, v[i])
			sum, rare := sumOfThree(p, e, lane[i])
			if rare {
				sum = fmaRare(a, v[i], lane[i])
			}
			lane[i] = sum
		}
		x, y = x[len(u):], y[len(u):]
	}
	return fold(&lane, n)
}

// dekkerAxpy is Kernel.Axpy.
func dekkerAxpy(alpha float64, x, y []float64) {
	y = y[:len(x)]
	high, low := split(alpha)
	for i, v := range x {
		p := float64(alpha * v)
		vHigh, vLow := split(v)
		sum, rare := sumOfThree(p, productError(p, high, low, vHigh, vLow), y[i])
		if rare {
			sum = fmaRare(alpha, v, y[i])
		}
		y[i] = sum
	}
}

// dekkerAxpyRows is Kernel.AxpyRows.
func dekkerAxpyRows(x, a []float64, lda int, y []float64) {
	for i, v := range x {
		dekkerAxpy(v, a[i*lda:][:len(y)], y)
	}
}

// dekkerMulPolynomial is Kernel.MulPolynomialTo.
func dekkerMulPolynomial(dst, p, w, v, c []float64, accumulate bool) {
	dst, w, v = dst[:len(p)], w[:len(p)], v[:len(p)]
	for i, x := range v {
		y := w[i]
		if len(c) > 0 {
			s := c[0]
			for _, a := range c[1:] {
				q, e := twoProduct(s, x)
				sum, rare := sumOfThree(q, e, a)
				if rare {
					sum = fmaRare(s, x, a)
				}
				s = sum
			}
			y = float64(y * s)
		}
		if accumulate {
			dst[i] = errorFreeFMA(p[i], y, dst[i])
		} else {
			dst[i] = p[i] * y
		}
	}
}

// dekkerEliminateTiles is Kernel.Eliminate.
func dekkerEliminateTiles(depth, panels int, a []float64, lda int, b, c []float64, ldc int, solve bool) {
	for p := range panels {
		tile := (*[Panel * Panel]float64)(c[p*ldc:])
		for j := 0; j < Panel; j += 4 {
			for r := 0; r < Panel; r += 4 {
				var sums [4][4]float64
				for i := range sums {
					sums[i] = [4]float64(tile[Panel*(j+i)+r:])
				}
				dekkerProducts(depth, -1, b[min(j, len(b)):], a[min(p*lda+r, len(a)):], Panel, &sums)
				for i := range sums {
					copy(tile[Panel*(j+i)+r:], sums[i][:])
				}
			}
		}
		if solve {
			solveTile(dekkerAxpy, tile, b[Panel*depth:])
		}
	}
}
