package mat

import "github.com/bpielm/bpielm/mat/asm"

// product is C = alpha AB + beta C, all of C or its lower triangle.
type product struct {
	k           *asm.Kernel
	alpha, beta float64
	a, b        operand
	m, n, depth int
	c           []float64
	ldc         int
	lower       bool
}

// run is the loop nest of every matrix product: blocks of columns, of depth and
// of rows, so that packed panels stay in cache.
func (p *product) run() {
	if p.m == 0 || p.n == 0 {
		return
	}
	p.scaleC()
	if p.depth == 0 {
		return
	}
	if p.inPlace() {
		p.multiplyInPlace()
		return
	}
	k := p.k
	w := borrow()
	for col := 0; col < p.n; col += k.NC() {
		cols := min(k.NC(), p.n-col)
		for from := 0; from < p.depth; from += asm.KC {
			depth := min(asm.KC, p.depth-from)
			accumulate := p.beta != 0 || from > 0
			w.b = resize(w.b, roundUp(cols, k.NR())*depth)
			p.b.pack(w.b, col, cols, from, depth, k.NR())
			row := 0
			if p.lower {
				row = col // no row above touches these columns
			}
			for ; row < p.m; row += k.MC() {
				rows := min(k.MC(), p.m-row)
				w.a = resize(w.a, roundUp(rows, k.MR())*depth)
				p.a.pack(w.a, row, rows, from, depth, k.MR())
				p.macroKernel(k, w, row, rows, col, cols, depth, accumulate)
			}
		}
	}
	w.giveBack()
}

// Up to so many rows and columns, operands stay in cache as they are.
const inPlaceMost = 160

// inPlace reports whether the product needs no packing: op(B) lies in memory by rows,
// one block of depth is enough, and both operands are so small that they stay in cache.
func (p *product) inPlace() bool {
	return p.k.HasStrip() && !p.b.alongRows && p.m <= inPlaceMost && p.n <= inPlaceMost && p.depth <= asm.KC
}

// multiplyInPlace multiplies by strips of columns, as wide as their number allows.
func (p *product) multiplyInPlace() {
	lineA, stepA := 1, p.a.ld
	if p.a.alongRows {
		lineA, stepA = p.a.ld, 1
	}
	for col := 0; col < p.n; {
		width := stripWidth(p.n-col, p.k.NR())
		row, diagonal := 0, width
		if p.lower {
			row, diagonal = col, 0
		}
		p.k.Strip(p.depth, p.alpha, p.a.data[row*lineA:], lineA, stepA, p.b.data[col:], p.b.ld, p.beta != 0, p.c[row*p.ldc+col:], p.ldc, p.m-row, width, diagonal)
		col += width
	}
}

// stripWidth is the width of the next strip of cols columns, for which an even number
// of registers is better than one that is full and one with little in it.
func stripWidth(cols, nr int) int {
	if cols <= nr || cols > nr+nr/3 {
		return min(cols, nr)
	}
	return nr / 3 * 2
}

// macroKernel multiplies a packed block of A by a packed block of B, tile by tile.
func (p *product) macroKernel(k *asm.Kernel, w *arena, row, rows, col, cols, depth int, accumulate bool) {
	mr, nr := k.MR(), k.NR()
	for j := 0; j < cols; j += nr {
		b := w.b[j*depth:][:nr*depth]
		width := min(nr, cols-j)
		for i := 0; i < rows; i += mr {
			a := w.a[i*depth:][:mr*depth]
			height := min(mr, rows-i)
			diagonal := row + i - (col + j) // columns of the tile left of the diagonal in its first row
			if p.lower && diagonal+height <= 0 {
				continue
			}
			c := p.c[(row+i)*p.ldc+col+j:]
			if p.lower && diagonal+1 < width {
				k.TileLower(depth, p.alpha, a, b, accumulate, c, p.ldc, height, width, diagonal, w.tile[:])
			} else {
				k.Tile(depth, p.alpha, a, b, accumulate, c, p.ldc, height, width, w.tile[:])
			}
		}
	}
}

// scaleC multiplies C by beta, where the products will be added. For beta = 0 it
// only has to fill C if there are no products.
func (p *product) scaleC() {
	if p.beta == 1 || p.beta == 0 && p.depth > 0 {
		return
	}
	for i := range p.m {
		n := p.n
		if p.lower {
			n = i + 1
		}
		row := p.c[i*p.ldc:][:n]
		if p.beta == 0 {
			clear(row)
		} else {
			scaleVector(p.beta, row)
		}
	}
}
