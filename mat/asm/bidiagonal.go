package asm

// BidiagonalRows applies two reflectors, one from the left and one from the right, to rows
// of A, and accumulates what the next left reflector needs. For every row, in order, where
// u is the element for that row,
//
//	row[j] = fma(-u, w[j], row[j])
//	row[j] = fma(-tau Dot(v, row), v[j], row[j])
//	p[j]   = fma(row[head], row[j], p[j])
//
// A has len(u) rows of len(p) elements, with leading dimension lda. w and v are as long as
// p, which must not be empty.
func (k *Kernel) BidiagonalRows(u, w, v []float64, tau float64, head int, a []float64, lda int, p []float64) {
	n := len(p)
	w, v = w[:n], v[:n]
	_ = p[head]
	if n > stretch {
		k.bidiagonalRowsByVectors(u, w, v, tau, head, a, lda, p)
		return
	}
	for rows := max(stretch/n, 1); len(u) > 0; {
		rows = min(rows, len(u))
		k.bidiagonalRows(u[:rows], w, v, tau, head, a[:(rows-1)*lda+n], lda, p)
		u, a = u[rows:], a[min(rows*lda, len(a)):]
	}
}

// bidiagonalRowsByVectors is BidiagonalRows by Axpy and Dot, for rows of any length.
func (k *Kernel) bidiagonalRowsByVectors(u, w, v []float64, tau float64, head int, a []float64, lda int, p []float64) {
	for i, x := range u {
		row := a[i*lda:][:len(p)]
		k.Axpy(-x, w, row)
		d := float64(tau * k.Dot(v, row))
		k.Axpy(-d, v, row)
		k.Axpy(row[head], row, p)
	}
}
