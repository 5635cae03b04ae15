package mat

import "github.com/bpielm/bpielm/mat/asm"

// Transpose says whether an operand is transposed.
type Transpose bool

// An operand as stored, and its transpose.
const (
	NoTrans Transpose = false
	Trans   Transpose = true
)

// Gemm sets C = alpha op(A) op(B) + beta C. C must not overlap A or B.
//
// C is scaled by beta first; with beta = 0 it is not read, and the first product is
// stored. Each element's sum over k is split into blocks of asm.KC terms. Each block is
// summed separately by fused multiply-adds, k ascending, and enters C as
// fma(alpha, sum, C). If k is large and C is small, the terms are first split into 2 to
// 16 parts: see depthParts. Only sizes decide, so the bits do not depend on the number of
// processors.
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
	kernel := asm.Active()
	if work := m * n * depth; 0 < work && work <= maxSmallWork && depth <= asm.KC && tB == NoTrans && (beta == 0 || beta == 1) && kernel.Stay() > 0 {
		smallGemm(kernel, tA, alpha, a, b, beta == 1, c)
		return
	}
	p := product{
		k:     kernel,
		alpha: alpha, beta: beta,
		a: operand{a.data, a.stride, tA == NoTrans}, b: operand{b.data, b.stride, tB == Trans},
		m: m, n: n, depth: depth,
		c: c.data, ldc: c.stride,
	}
	p.run()
}

// smallGemm is the inner loop of product.multiply alone, for products so small that
// planning would take longer than multiplying.
func smallGemm(k *asm.Kernel, tA Transpose, alpha float64, a, b *Dense, accumulate bool, c *Dense) {
	lineA, stepA := a.stride, 1
	if tA {
		lineA, stepA = 1, a.stride
	}
	for col := 0; col < c.cols; {
		width := stripWidth(c.cols-col, k.NR())
		k.Strip(&asm.Strip{
			Depth: b.rows, Alpha: alpha,
			A: a.data, LineA: lineA, StepA: stepA, B: b.data[col:], StepB: b.stride,
			Accumulate: accumulate, C: c.data[col:], LDC: c.stride, Rows: c.rows, Cols: width, Diagonal: width,
		})
		col += width
	}
}

// product is C = alpha AB + beta C, for all of C or its lower triangle.
type product struct {
	k           *asm.Kernel
	alpha, beta float64
	a, b        operand
	m, n, depth int
	c           []float64
	ldc         int
	lower       bool // only the lower triangle of C; A and B are the same operand
}

// run computes the product, on several processors where that pays.
func (p *product) run() {
	switch parts := p.depthParts(); {
	case p.m == 0 || p.n == 0:
	case parts > 1:
		p.shareDepth(parts)
	default:
		p.scaleC()
		if p.depth > 0 {
			p.share()
		}
	}
}

// scaleC multiplies C by beta before products are added. With beta = 0 it only clears C
// if there is nothing to add, as otherwise the first product overwrites it.
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

// multiply adds the products of AB to rows firstRow to lastRow-1 and columns firstCol to
// lastCol-1 of C. This is the loop nest: blocks of columns, of terms, and of rows.
func (p *product) multiply(firstRow, lastRow, firstCol, lastCol int) {
	how := p.blocking(lastRow-firstRow, lastCol-firstCol)
	var w *arena
	if !how.aInPlace || !how.bInPlace {
		w = borrow()
		defer w.giveBack()
	}
	var t block
	for t.firstCol = firstCol; t.firstCol < lastCol; t.firstCol += how.width {
		t.lastCol = min(t.firstCol+how.width, lastCol)
		for from := 0; from < p.depth; from += asm.KC {
			t.depth, t.accumulate = min(asm.KC, p.depth-from), p.beta != 0 || from > 0
			if how.bInPlace {
				p.b.inPlace(&t.b, from)
			} else {
				p.b.copyTo(&t.b, p.k, &w.b, t.firstCol, t.lastCol, from, t.depth, p.k.PanelB())
			}
			p.multiplyRows(&t, &how, w, from, firstRow, lastRow)
		}
	}
}

// multiplyRows multiplies rows firstRow to lastRow-1 of A and a block of terms and columns,
// one block of rows after another.
func (p *product) multiplyRows(t *block, how *blocking, w *arena, from, firstRow, lastRow int) {
	row := firstRow
	if p.lower {
		row = max(row, t.firstCol) // no row above is in these columns
	}
	for ; row < lastRow; row += how.height {
		last := min(row+how.height, lastRow)
		switch {
		case how.aInPlace:
			p.a.inPlace(&t.a, from)
		case how.oneCopy && last <= t.lastCol:
			t.a = t.b
		default:
			p.a.copyTo(&t.a, p.k, &w.a, row, last, from, t.depth, p.k.PanelA())
		}
		p.multiplyBlock(t, row, last)
	}
}

// blocking says how a product is cut into blocks, and which operands are packed.
type blocking struct {
	aInPlace, bInPlace bool // read in place, not packed
	oneCopy            bool // the packed B serves as A too
	height, width      int  // rows and columns of a block
}

// blocking decides for a product of that many rows and columns of C.
func (p *product) blocking(rows, cols int) blocking {
	k := p.k
	how := blocking{
		aInPlace: p.a.bestInPlace(k, rows),
		bInPlace: p.b.bestInPlace(k, cols) && !p.b.alongRows,
		height:   k.MC(), width: k.NC(),
	}
	if p.lower {
		how.height += how.height / 6 // with these rows, B is in cache as well
	}
	how.height = evenBlock(rows, how.height)
	if how.bInPlace {
		how.width = cols
	}
	how.oneCopy = p.lower && !how.bInPlace && (k.PanelB() == 0 || k.PanelB()%k.MR() == 0)
	return how
}

// bestInPlace reports whether this many lines are best read in place. Lines a multiple of
// 4 KiB apart compete for the same cache sets.
func (o *operand) bestInPlace(k *asm.Kernel, lines int) bool {
	return lines <= k.Stay() && (o.ld%pageElements != 0 || lines <= fewLines)
}

// evenBlock returns the height of the blocks that rows are divided into, a multiple of 8.
// Blocks are equal and at most a fifth higher than block, so that the last is not low.
func evenBlock(rows, block int) int {
	if rows <= block {
		return block
	}
	blocks := max(1, (rows+block*4/5-1)/block)
	return roundUp((rows+blocks-1)/blocks, 8)
}

// block is a block of columns and of terms, with the operands of a block of rows.
type block struct {
	a, b              lines
	firstCol, lastCol int
	depth             int
	accumulate        bool
}

// multiplyBlock multiplies a block, strip by strip, and says what each strip is to prefetch. Of the lower triangle, a
// strip begins at the diagonal.
func (p *product) multiplyBlock(t *block, firstRow, lastRow int) {
	lastCol := t.lastCol
	if p.lower {
		lastCol = min(lastCol, lastRow)
	}
	s := asm.Strip{
		Depth: t.depth, Alpha: p.alpha, Accumulate: t.accumulate,
		LineA: t.a.line, StepA: t.a.step, StepB: t.b.step, LDC: p.ldc,
	}
	next := p.k.MR() * t.a.line // the first strip prefetches the next block of terms, the others the next tile
	s.AheadA = t.depth * t.a.step
	if rows, cols := lastRow-firstRow, lastCol-t.firstCol; t.a.width > 0 || t.depth == p.depth && rows*cols+(rows+cols)*t.depth <= cacheElements {
		s.AheadA, next = 0, 0
	}
	for col := t.firstCol; col < lastCol; col += s.Cols {
		s.B = t.b.at(col)
		s.Cols = stripWidth(min(lastCol-col, t.b.left(col)), p.k.NR())
		row := firstRow
		if p.lower {
			row = max(row, t.a.panelStart(col))
		}
		s.AheadB = s.Cols
		if col+s.Cols == lastCol {
			s.AheadB = t.depth*t.b.step - (col - t.firstCol)
		} else if p.lower && col+s.Cols >= firstRow {
			s.AheadB = 0 // it has just been A
		}
		for ; row < lastRow; row += s.Rows {
			s.Rows = min(lastRow-row, t.a.left(row))
			s.Diagonal = s.Cols
			if p.lower {
				s.Diagonal = row - col
			}
			s.A, s.C = t.a.at(row), p.c[row*p.ldc+col:]
			p.k.Strip(&s)
		}
		s.AheadA = next
	}
}

// stripWidth returns the width of the next strip when cols columns are left. Two-thirds
// of the registers twice are better than all of them once and almost none after that.
func stripWidth(cols, nr int) int {
	if cols <= nr || cols > nr+nr/3 {
		return min(cols, nr)
	}
	return nr / 3 * 2
}
