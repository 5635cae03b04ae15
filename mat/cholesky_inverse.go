package mat

import "github.com/bpielm/bpielm/mat/asm"

// InverseTo sets dst, an N x N matrix, to the inverse of A. To solve a system, SolveTo
// is faster and more accurate; for the diagonal alone, use InverseDiagonalTo.
//
// With M = L^-T, the inverse is MM'. Both products skip the zeros of M.
func (c *Cholesky) InverseTo(dst *Sym) {
	n := c.l.rows
	check(dst.N() == n, "Cholesky.InverseTo: dst has the wrong size")
	k := asm.Active()
	l := &c.panels
	w := borrow()
	defer w.giveBack()
	m := panels{data: w.vector(l.width * l.width), n: n, width: l.width}
	if n >= inverseParallel {
		l.inverseParallel(k, m, dst)
		return
	}
	for first := 0; first < l.width; first += inverseRows {
		l.invert(k, first, min(first+inverseRows, l.width), m.at(first, first))
		m.squareRows(k, first, dst)
	}
}

// inverseParallel computes the inverse on all processors.
func (p *panels) inverseParallel(k *asm.Kernel, m panels, dst *Sym) {
	parts := (p.width + inverseRows - 1) / inverseRows
	Parallel(parts, func(part int) {
		first := (parts - 1 - part) * inverseRows // the longest first: Parallel starts with the last part
		p.invert(k, first, min(first+inverseRows, p.width), m.at(first, first))
	})
	Parallel(parts, func(part int) { m.squareRows(k, part*inverseRows, dst) })
}

// squareRows sets inverseRows rows of dst, from row first on, to those of MM'. m holds
// the upper triangle of M.
func (m *panels) squareRows(k *asm.Kernel, first int, dst *Sym) {
	n, width, ld := m.n, m.width, m.stride()
	last := min(first+inverseRows, width)
	w := borrow()
	defer w.giveBack()
	strip := panels{data: w.vector(inverseRows * width), n: n, width: width} // rows of -MM'
	clear(strip.data)
	for j := 0; j < last; j += asm.Panel {
		i := max(first, j)
		k.Eliminate(width-i, (last-i)/asm.Panel, m.at(i, i), ld, m.at(j, i), strip.at(i-first, j), ld, false)
	}
	for i := first; i < last; i += asm.Panel {
		whole := 0
		if i+asm.Panel <= n {
			whole = i
			k.TransposeTiles(i/asm.Panel, dst.m.data[i*dst.m.stride:], dst.m.stride, asm.Panel, strip.at(i-first, 0), asm.Panel, asm.Panel*asm.Panel)
		}
		for r := i; r < min(i+asm.Panel, n); r++ {
			row, panel := dst.Row(r), strip.at(i-first, 0)[r-i:]
			for j, v := range row[:whole] {
				row[j] = -v
			}
			for j := whole; j < len(row); j++ {
				row[j] = -panel[asm.Panel*j]
			}
		}
	}
}

// InverseDiagonalTo sets dst, of N elements, to the diagonal of the inverse of A. It
// costs half as much as InverseTo.
func (c *Cholesky) InverseDiagonalTo(dst []float64) {
	n := c.l.rows
	check(len(dst) == n, "Cholesky.InverseDiagonalTo: dst has the wrong length")
	k := asm.Active()
	l := &c.panels
	w := borrow()
	defer w.giveBack()
	width, ld := l.width, l.stride()
	m := w.vector(inverseRows * width)
	for first := 0; first < width; first += inverseRows {
		last := min(first+inverseRows, width)
		l.invert(k, first, last, m)
		for i := first; i < last; i += asm.Panel {
			var tile [asm.Panel * asm.Panel]float64
			rows := m[(i-first)/asm.Panel*ld:][:asm.Panel*(width-first)]
			k.Eliminate(width-first, 1, rows, 0, rows, tile[:], 0, false)
			for r := i; r < min(i+asm.Panel, n); r++ {
				dst[r] = -tile[(asm.Panel+1)*(r-i)]
			}
		}
	}
}

// InverseTrace returns the trace of the inverse of A.
func (c *Cholesky) InverseTrace() float64 {
	w := borrow()
	defer w.giveBack()
	diagonal := w.vector(c.l.rows)
	c.InverseDiagonalTo(diagonal)
	return Sum(diagonal)
}

// invert computes rows first to last-1 of L^-T, from column first on. m receives them as
// packed panels with the stride of p.
func (p *panels) invert(k *asm.Kernel, first, last int, m []float64) {
	ld := p.stride()
	for i := first; i < last; i += asm.Panel {
		panel := m[(i-first)/asm.Panel*ld:][:asm.Panel*(p.width-first)]
		clear(panel)
		for r := range asm.Panel {
			panel[asm.Panel*(i-first)+(asm.Panel+1)*r] = 1
		}
	}
	for j := first; j < p.width; j += asm.Panel {
		k.Eliminate(j-first, (last-first)/asm.Panel, m, ld, p.at(j, first), m[asm.Panel*(j-first):], ld, true)
	}
}
