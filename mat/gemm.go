package mat

import "github.com/bpielm/bpielm/mat/asm"

// Transpose says whether an operand is to be transposed.
type Transpose bool

// The operand as it is, and its transpose.
const (
	NoTrans Transpose = false
	Trans   Transpose = true
)

// Gemm sets C = alpha op(A) op(B) + beta C. C must not overlap A or B.
//
// C is scaled by beta first (beta = 0: not read, and the first product is stored).
// The sum over k is cut into blocks of asm.KC terms; each block is summed for
// itself, k ascending, by fused multiply-add, and enters C as fma(alpha, sum, C).
func Gemm(tA, tB Transpose, alpha float64, a, b *Dense, beta float64, c *Dense) {
	m, depth := a.rows, a.cols
	if tA {
		m, depth = depth, m
	}
	k, n := b.rows, b.cols
	if tB {
		k, n = n, k
	}
	check(depth == k, "Gemm: inner dimensions differ")
	check(c.rows == m && c.cols == n, "Gemm: C has the wrong shape")
	p := product{
		alpha: alpha, beta: beta,
		a: operand{a.data, a.stride, tA == NoTrans}, b: operand{b.data, b.stride, tB == Trans},
		m: m, n: n, depth: depth,
		c: c.data, ldc: c.stride,
	}
	p.run()
}

// operand is one side of a product as a set of lines: rows of op(A) or columns of
// op(B). Element p of line l is data[l*ld+p] if lines run along the rows of the
// storage, data[p*ld+l] otherwise.
type operand struct {
	data      []float64
	ld        int
	alongRows bool
}

// pack copies depth elements, from position from, of some lines into panels of
// width lines: panel after panel, in it element after element. The last panel is
// filled up with zeros.
func (o operand) pack(dst []float64, first, lines, from, depth, width int) {
	for ; lines > 0; first, lines = first+width, lines-width {
		panel := dst[:width*depth]
		dst = dst[width*depth:]
		w := min(width, lines)
		if w < width {
			clear(panel)
		}
		if o.alongRows {
			o.packRows(panel, first, from, depth, width, w)
		} else {
			o.packColumns(panel, first, from, depth, width, w)
		}
	}
}

func (o operand) packRows(panel []float64, first, from, depth, width, w int) {
	line := func(i int) []float64 { return o.data[(first+i)*o.ld+from:][:depth] }
	i := 0
	for ; i+4 <= w; i += 4 {
		l0, l1, l2, l3 := line(i), line(i+1), line(i+2), line(i+3)
		for p := range depth {
			to := panel[p*width+i:][:4]
			to[0], to[1], to[2], to[3] = l0[p], l1[p], l2[p], l3[p]
		}
	}
	for ; i < w; i++ {
		for p, v := range line(i) {
			panel[p*width+i] = v
		}
	}
}

func (o operand) packColumns(panel []float64, first, from, depth, width, w int) {
	for p := range depth {
		src := o.data[(from+p)*o.ld+first:][:w]
		to := panel[p*width:][:len(src)]
		for i, v := range src {
			to[i] = v
		}
	}
}

// product is C = alpha AB + beta C, all of C or its lower triangle.
type product struct {
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
	k := asm.Active()
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

func roundUp(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }
