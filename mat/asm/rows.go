package asm

// DotRows sets dst[i] = Dot(row i of A, x), where A has len(dst) rows of len(x) elements and
// leading dimension lda.
func (k *Kernel) DotRows(dst, a []float64, lda int, x []float64) {
	if len(x) == 0 || len(x) > stretch {
		k.dotRowsByDot(dst, a, lda, x)
		return
	}
	rows := max(4*stretch/len(x)&^3, 4)
	for ; len(dst) > rows; dst, a = dst[rows:], a[rows*lda:] {
		k.dotRows(dst[:rows], a[:(rows-1)*lda+len(x)], lda, x)
	}
	if len(dst) > 0 {
		k.dotRows(dst, a[:(len(dst)-1)*lda+len(x)], lda, x)
	}
}

// dotRowsByDot is DotRows row by row, for rows of any length.
func (k *Kernel) dotRowsByDot(dst, a []float64, lda int, x []float64) {
	for i := range dst {
		dst[i] = k.Dot(a[i*lda:][:len(x)], x)
	}
}

// RotateRows rotates a row v into, or out of, the rows of A: it applies plane rotations of v
// and each row in turn, and adds x[i] times the rotated row to y. For ascending i
//
//	t       = fma(c[i], A[i][j], s[i] v[j])
//	v[j]    = fma(c[i], v[j], -s[i] A[i][j])
//	A[i][j] = t
//	y[j]    = fma(x[i], t, y[j])
//
// where the products with s[i] are rounded. A has len(c) rows of len(y) elements and leading
// dimension lda. c, s and x have equal lengths, and so have v and y, of at most 8192.
func (k *Kernel) RotateRows(c, s, x, a []float64, lda int, v, y []float64) {
	if len(c) == 0 || len(y) == 0 {
		return
	}
	s, x, v, a = s[:len(c)], x[:len(c)], v[:len(y)], a[:(len(c)-1)*lda+len(y)]
	if len(c)*len(y) > 4*stretch {
		k.rotateRowsByAxpy(c, s, x, a, lda, v, y)
		return
	}
	k.rotateRows(c, s, x, a, lda, v, y)
}

// rotateRowsByAxpy is RotateRows row by row, for any number of rows.
func (k *Kernel) rotateRowsByAxpy(c, s, x, a []float64, lda int, v, y []float64) {
	for i, ci := range c {
		si, row := s[i], a[i*lda:][:len(y)]
		for j, r := range row {
			t := FMA(ci, r, si*v[j])
			v[j] = FMA(ci, v[j], -(si * r))
			row[j] = t
		}
		k.axpy(x[i], row, y)
	}
}
