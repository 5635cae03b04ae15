package asm

// SymRow applies the pending rank-two update to the part of a row of a symmetric matrix left
// of the diagonal, adds the row to a product y = Ax in the making, and returns the row's own
// share of that:
//
//	row[j] = fma(-vr, w[j], row[j]), then fma(-wr, v[j], row[j])
//	p[j]   = fma(xr, row[j], p[j])
//	return Dot(row, x)
//
// v, w, x and p are as long as row. None may overlap row or each other.
func (k *Kernel) SymRow(vr, wr, xr float64, row, v, w, x, p []float64) float64 {
	n := len(row)
	v, w, x, p = v[:n], w[:n], x[:n], p[:n]
	if n > stretch {
		return k.symRowByVectors(vr, wr, xr, row, v, w, x, p)
	}
	return k.symRow(vr, wr, xr, row, v, w, x, p)
}

// symRowByVectors is SymRow by Axpy and Dot, for rows of any length.
func (k *Kernel) symRowByVectors(vr, wr, xr float64, row, v, w, x, p []float64) float64 {
	k.Axpy(-vr, w, row)
	k.Axpy(-wr, v, row)
	k.Axpy(xr, row, p)
	return k.Dot(row, x)
}

// SymRowPair is SymRow for rows r and r+1 of a symmetric matrix, whose parts left of the
// diagonal, of r and r+1 elements, start at a[0] and a[lda]:
//
//	first  = SymRow(v[r], w[r], x[r], row r, v, w, x, p)
//	second = SymRow(v[r+1], w[r+1], x[r+1], row r+1, v, w, x, p)
//
// except that the second leaves p[r] unchanged. v, w and x have at least r+2 elements.
func (k *Kernel) SymRowPair(r int, a []float64, lda int, v, w, x, p []float64) (first, second float64) {
	v, w, x, p, a = v[:r+2], w[:r+2], x[:r+2], p[:r+1], a[:lda+r+1]
	if r >= stretch {
		return k.symRowPairByRow(r, a, lda, v, w, x, p)
	}
	return k.symRowPair(r, a, lda, v, w, x, p)
}

// symRowPairByRow is SymRowPair by SymRow, for rows of any length.
func (k *Kernel) symRowPairByRow(r int, a []float64, lda int, v, w, x, p []float64) (first, second float64) {
	first = k.SymRow(v[r], w[r], x[r], a[:r], v, w, x, p)
	left := p[r]
	second = k.SymRow(v[r+1], w[r+1], x[r+1], a[lda:], v, w, x, p)
	p[r] = left
	return first, second
}
