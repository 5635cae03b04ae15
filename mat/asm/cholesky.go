package asm

import "math"

// Panel is the number of rows of a packed panel, the layout of Cholesky factorisations: 8
// rows stored column by column, so that element (r, k) of a panel is at 8k + r. A tile is 8
// columns of a panel. All instruction sets share this layout; they differ only in how many
// panels they process together.
const Panel = 8

// Eliminate computes one tile in each of several adjacent panels of a matrix C:
//
//	C = C - AB'             solve false
//	C = (C - AB') T^-T      solve true
//
// A has the rows of C, with lda elements from panel to panel; B is one panel; both have
// depth columns. T is a lower triangular tile that follows B in memory, with reciprocals on
// its diagonal. Tiles of C are ldc elements apart.
//
// Each element of C is one accumulator. It takes fma(-a, b, c) for ascending columns of A,
// then of T, and is finally multiplied by the reciprocal.
func (k *Kernel) Eliminate(depth, panels int, a []float64, lda int, b, c []float64, ldc int, solve bool) {
	k.EliminateRows(depth, panels, a, lda, b, c, ldc, Rows{}, Rows{}, solve, false)
}

// Rows is a part of a matrix stored by rows: eight columns, with Stride elements from row
// to row. The zero value stands for no rows.
type Rows struct {
	Data   []float64
	Stride int
}

// check panics unless the rows of that many panels exist.
func (r Rows) check(panels int) {
	if r.Data != nil {
		_ = r.Data[(Panel*panels-1)*r.Stride+Panel-1]
	}
}

// EliminateRows is Eliminate with C read from rows, or written to rows as well as to C, or
// both. With diagonal, the first tile lies on the diagonal and only its lower triangle is
// read.
func (k *Kernel) EliminateRows(depth, panels int, a []float64, lda int, b, c []float64, ldc int, from, to Rows, solve, diagonal bool) {
	if panels == 0 {
		return
	}
	// Assembly does not check bounds: make sure that the last elements exist.
	if depth > 0 {
		_ = a[(panels-1)*lda+Panel*depth-1]
	}
	length := Panel * depth
	if solve {
		length += Panel * Panel
	}
	_ = b[:length]
	_ = c[(panels-1)*ldc+Panel*Panel-1]
	from.check(panels)
	to.check(panels)
	k.eliminate(depth, panels, a, lda, b, c, ldc, from, to, solve, diagonal)
}

// eliminateByTiles is EliminateRows in three passes: load the tiles, eliminate, and store
// them.
func (k *Kernel) eliminateByTiles(depth, panels int, a []float64, lda int, b, c []float64, ldc int, from, to Rows, solve, diagonal bool) {
	if from.Data != nil {
		k.loadTiles(panels, c, ldc, from, diagonal)
	}
	k.eliminateTiles(depth, panels, a, lda, b, c, ldc, solve)
	if to.Data != nil {
		k.transposeTiles(panels, to.Data, to.Stride, Panel*to.Stride, c, Panel, ldc)
	}
}

// loadTiles loads tiles from rows, with diagonal only the lower triangle of the first.
func (k *Kernel) loadTiles(panels int, c []float64, ldc int, from Rows, diagonal bool) {
	if diagonal {
		for r := range Panel {
			for j, v := range from.Data[r*from.Stride:][:r+1] {
				c[Panel*j+r] = v
			}
		}
		if panels == 1 {
			return
		}
		from.Data = from.Data[Panel*from.Stride:]
		c, panels = c[ldc:], panels-1
	}
	k.transposeTiles(panels, c, Panel, ldc, from.Data, from.Stride, Panel*from.Stride)
}

// Factor factorises a tile on the diagonal: the lower triangle of C becomes T, with
// TT' = C - BB' and reciprocals on the diagonal. Above its diagonal, C is undefined before
// and after. B is a panel of depth columns. The squares of T's diagonal are stored in
// pivots, of 8 elements; from the first that is not positive on, T is undefined. The order
// of operations is that of Eliminate.
func (k *Kernel) Factor(depth int, b, c, pivots []float64) {
	_, _, _ = b[:Panel*depth], c[:Panel*Panel], pivots[:Panel]
	k.factor(depth, b, c, pivots)
}

// factorByAxpy is Factor column by column.
func (k *Kernel) factorByAxpy(depth int, b, c, pivots []float64) {
	k.eliminateTiles(depth, 1, b, 0, b, c, 0, false)
	for j := range Panel {
		column := c[(Panel+1)*j : Panel*(j+1)]
		pivots[j] = column[0]
		scale := 1 / math.Sqrt(column[0])
		column[0] = scale
		below := column[1:]
		for i := range below {
			below[i] *= scale
		}
		for i, v := range below {
			k.axpy(-v, below[i:], c[(Panel+1)*(j+1+i):][:len(below)-i])
		}
	}
}

// TransposeTiles transposes 8 x 8 tiles. In src, the leading dimension is lds and tiles are
// stepS apart; in dst, these are ldd and stepD.
func (k *Kernel) TransposeTiles(tiles int, dst []float64, ldd, stepD int, src []float64, lds, stepS int) {
	if tiles == 0 {
		return
	}
	_ = dst[(tiles-1)*stepD+(Panel-1)*(ldd+1)]
	_ = src[(tiles-1)*stepS+(Panel-1)*(lds+1)]
	k.transposeTiles(tiles, dst, ldd, stepD, src, lds, stepS)
}

// genericEliminateTiles is Kernel.Eliminate.
func genericEliminateTiles(depth, panels int, a []float64, lda int, b, c []float64, ldc int, solve bool) {
	for p := range panels {
		tile := (*[Panel * Panel]float64)(c[p*ldc:])
		for j := 0; j < Panel; j += 4 {
			for r := 0; r < Panel; r += 4 {
				genericEliminateQuarter(depth, a[min(p*lda+r, len(a)):], b[min(j, len(b)):], tile[Panel*j+r:])
			}
		}
		if solve {
			solveTile(genericAxpy, tile, b[Panel*depth:])
		}
	}
}

// solveTile is the triangular solve of Eliminate, C T^-T for one tile, with the Axpy of a
// kernel.
func solveTile(axpy func(alpha float64, x, y []float64), tile *[Panel * Panel]float64, t []float64) {
	t = t[:Panel*Panel]
	for j := range Panel {
		column, scale := tile[Panel*j:][:Panel], t[(Panel+1)*j]
		for r := range column {
			column[r] *= scale
		}
		for i := j + 1; i < Panel; i++ {
			axpy(-t[Panel*j+i], column, tile[Panel*i:][:Panel])
		}
	}
}

// genericEliminateQuarter is the product of Eliminate for 4 x 4 elements.
func genericEliminateQuarter(depth int, a, b, c []float64) {
	c0, c1, c2, c3 := c[:4], c[Panel:][:4], c[2*Panel:][:4], c[3*Panel:][:4]
	c00, c10, c20, c30 := c0[0], c0[1], c0[2], c0[3]
	c01, c11, c21, c31 := c1[0], c1[1], c1[2], c1[3]
	c02, c12, c22, c32 := c2[0], c2[1], c2[2], c2[3]
	c03, c13, c23, c33 := c3[0], c3[1], c3[2], c3[3]
	for k := range depth {
		x, y := a[Panel*k:][:4], b[Panel*k:][:4]
		a0, a1, a2, a3 := -x[0], -x[1], -x[2], -x[3]
		b0, b1, b2, b3 := y[0], y[1], y[2], y[3]
		c00 = FMA(a0, b0, c00)
		c10 = FMA(a1, b0, c10)
		c20 = FMA(a2, b0, c20)
		c30 = FMA(a3, b0, c30)
		c01 = FMA(a0, b1, c01)
		c11 = FMA(a1, b1, c11)
		c21 = FMA(a2, b1, c21)
		c31 = FMA(a3, b1, c31)
		c02 = FMA(a0, b2, c02)
		c12 = FMA(a1, b2, c12)
		c22 = FMA(a2, b2, c22)
		c32 = FMA(a3, b2, c32)
		c03 = FMA(a0, b3, c03)
		c13 = FMA(a1, b3, c13)
		c23 = FMA(a2, b3, c23)
		c33 = FMA(a3, b3, c33)
	}
	c0[0], c0[1], c0[2], c0[3] = c00, c10, c20, c30
	c1[0], c1[1], c1[2], c1[3] = c01, c11, c21, c31
	c2[0], c2[1], c2[2], c2[3] = c02, c12, c22, c32
	c3[0], c3[1], c3[2], c3[3] = c03, c13, c23, c33
}

// genericTransposeTiles is Kernel.TransposeTiles.
func genericTransposeTiles(tiles int, dst []float64, ldd, stepD int, src []float64, lds, stepS int) {
	for t := range tiles {
		to, from := dst[t*stepD:], src[t*stepS:]
		for i := range Panel {
			for j, v := range from[i*lds:][:Panel] {
				to[j*ldd+i] = v
			}
		}
	}
}
