package asm

// SymRow takes the rank-two update that is due out of part of a row of a symmetric
// matrix, adds the row to a product for the next one, and returns its other part:
//
//	row[j] = fma(-vr, w[j], row[j]), then fma(-wr, v[j], row[j])
//	p[j]   = fma(xr, row[j], p[j])
//	return Dot(row, x)
//
// v, w, x and p are as long as row. None of them may overlap row or each other.
func (k *Kernel) SymRow(vr, wr, xr float64, row, v, w, x, p []float64) float64 {
	n := len(row)
	v, w, x, p = v[:n], w[:n], x[:n], p[:n]
	if k.symRow != nil && n <= stretch {
		return k.symRow(vr, wr, xr, row, v, w, x, p)
	}
	k.Axpy(-vr, w, row)
	k.Axpy(-wr, v, row)
	k.Axpy(xr, row, p)
	return k.Dot(row, x)
}
