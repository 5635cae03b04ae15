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
	lower       bool // A and B are one operand
}

// run multiplies, on several processors where that pays.
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

// multiply adds to the rows and columns of C from the first up to the last what
// they get from AB.
func (p *product) multiply(firstRow, lastRow, firstCol, lastCol int) {
	a := p.a.mayStay(p.k, lastRow-firstRow)
	b := p.b.mayStay(p.k, lastCol-firstCol) && !p.b.alongRows
	if a && b {
		p.multiplyInPlace(firstRow, lastRow, firstCol, lastCol)
		return
	}
	w := borrow()
	if stay := p.k.Stay(); !p.b.alongRows && lastRow-firstRow <= stay && lastCol-firstCol <= stay {
		w.multiplyCopy(p, a, firstRow, lastRow, firstCol, lastCol)
	} else {
		w.multiplyPacked(p, a, b, firstRow, lastRow, firstCol, lastCol)
	}
	w.giveBack()
}

// mayStay reports whether so many lines are better read where they are. Those whose
// distance is a multiple of 4 KiB get into each other's way in cache.
func (o operand) mayStay(k *asm.Kernel, lines int) bool {
	const few, page = 32, 4096 / 8
	return lines <= k.Stay() && (o.ld%page != 0 || lines <= few)
}

// multiplyInPlace reads both operands where they are, by strips of columns as wide as
// their number allows.
func (p *product) multiplyInPlace(firstRow, lastRow, firstCol, lastCol int) {
	for from := 0; from < p.depth; from += asm.KC {
		p.multiplyTo(firstRow, lastRow, firstCol, lastCol, from, min(asm.KC, p.depth-from), p.beta != 0 || from > 0)
	}
}

// multiplyCopy is multiplyInPlace for operands whose lines, or those of B, may not stay
// where they are: of copies of each block of terms that have theirs at a better distance.
func (w *arena) multiplyCopy(p *product, aStays bool, firstRow, lastRow, firstCol, lastCol int) {
	q := *p
	rows, cols := lastRow-firstRow, lastCol-firstCol
	first := firstRow
	if !p.lower {
		q.c, first = p.c[firstRow*p.ldc+firstCol:], 0
	}
	for from := 0; from < p.depth; from += asm.KC {
		depth := min(asm.KC, p.depth-from)
		q.b = p.b.copyOf(&w.b, firstCol, cols, from, depth)
		switch {
		case p.lower:
			q.a = q.b
		case aStays:
			q.a = p.a.part(firstRow, from)
		default:
			q.a = p.a.copyOf(&w.a, firstRow, rows, from, depth)
		}
		q.multiplyTo(first, first+rows, 0, cols, 0, depth, p.beta != 0 || from > 0)
	}
}

// multiplyTo multiplies a block of terms.
func (p *product) multiplyTo(firstRow, lastRow, firstCol, lastCol, from, depth int, accumulate bool) {
	height := p.k.MC()
	if p.lower {
		height += height / 6 // with these rows, B is in cache as well
	}
	height = evenBlock(lastRow-firstRow, height)
	for row := firstRow; row < lastRow; row += height {
		p.multiplyStrips(row, min(row+height, lastRow), firstCol, lastCol, from, depth, accumulate)
	}
}

// evenBlock is into what blocks so many rows are cut, a multiple of 8: equal ones of at
// most a fifth more than rows of a block, for the last should not be a low one.
func evenBlock(rows, block int) int {
	blocks := max(1, (rows+block*4/5-1)/block)
	return roundUp((rows+blocks-1)/blocks, 8)
}

// inCache is how many elements of a product are likely to be in cache, 384 KiB.
const inCache = 3 << 14

// multiplyStrips multiplies a block of rows and of terms.
func (p *product) multiplyStrips(firstRow, lastRow, firstCol, lastCol, from, depth int, accumulate bool) {
	lineA, stepA := 1, p.a.ld
	if p.a.alongRows {
		lineA, stepA = p.a.ld, 1
	}
	if p.lower {
		lastCol = min(lastCol, lastRow)
	}
	aheadA, next := depth*stepA, p.k.MR()*lineA // the first strip fetches the next block of terms, the others the next tile
	if rows, cols := lastRow-firstRow, lastCol-firstCol; depth == p.depth && rows*cols+(rows+cols)*depth <= inCache {
		aheadA, next = 0, 0
	}
	for col := firstCol; col < lastCol; {
		width := stripWidth(lastCol-col, p.k.NR())
		row, diagonal := firstRow, width
		if p.lower {
			row = max(row, col)
			diagonal = row - col
		}
		aheadB := width
		if col+width == lastCol {
			aheadB = depth*p.b.ld - (col - firstCol)
		} else if p.lower && col+width >= firstRow {
			aheadB = 0 // it has just been A
		}
		p.k.Strip(depth, p.alpha, p.a.data[row*lineA+from*stepA:], lineA, stepA, p.b.data[from*p.b.ld+col:], p.b.ld, accumulate, p.c[row*p.ldc+col:], p.ldc, lastRow-row, width, diagonal, aheadA, aheadB)
		col += width
		aheadA = next
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

// multiplyPacked is the loop nest for large operands: blocks of columns, of depth and
// of rows, so that packed panels stay in cache. What may stay where it is, does.
func (w *arena) multiplyPacked(p *product, aStays, bStays bool, firstRow, lastRow, firstCol, lastCol int) {
	k := p.k
	widthA, widthB := k.PanelA(), k.PanelB()
	t := block{product: *p, scratch: w.tile[:]}
	for col := firstCol; col < lastCol; col += k.NC() {
		t.col, t.cols = col, min(k.NC(), lastCol-col)
		for from := 0; from < p.depth; from += asm.KC {
			t.depth, t.accumulate = min(asm.KC, p.depth-from), p.beta != 0 || from > 0
			if bStays {
				t.b = p.b.inPlace(col, from)
			} else {
				t.b = p.b.pack(k, &w.b, col, t.cols, from, t.depth, widthB)
			}
			row := firstRow
			if p.lower {
				row = max(row, col) // no row above touches these columns
			}
			for ; row < lastRow; row += k.MC() {
				t.row, t.rows = row, min(k.MC(), lastRow-row)
				switch packedAlready := p.lower && !bStays && widthB%widthA == 0 && row+t.rows <= col+t.cols; {
				case aStays:
					t.a, t.firstA = p.a.inPlace(row, from), 0
				case packedAlready && (row-col)%widthA == 0:
					t.a, t.firstA = t.b, row-col
				default:
					t.a, t.firstA = p.a.pack(k, &w.a, row, t.rows, from, t.depth, widthA), 0
				}
				t.multiply()
			}
		}
	}
}

// block is a block of C and what it is made of: row i of it from line firstA+i of a,
// column j from line j of b.
type block struct {
	product
	row, rows, col, cols int
	depth                int
	accumulate           bool
	a, b                 lines
	firstA               int
	scratch              []float64
}

func (t *block) multiply() {
	k := t.k
	atOnce := k.PanelA() // rows of a panel, or all if there are no panels
	if t.a.width == 1 {
		atOnce = t.rows
	}
	for j := 0; j < t.cols; j += k.NR() {
		width := min(k.NR(), t.cols-j)
		i := 0
		if t.lower {
			i = max(0, (t.col+j-t.row)/atOnce*atOnce)
		}
		b := t.b.at(j)
		for ; i < t.rows; i += atOnce {
			rows := min(atOnce, t.rows-i)
			diagonal := width
			if t.lower {
				diagonal = t.row + i - (t.col + j)
			}
			whole := diagonal+1 >= width && t.a.step == k.MR() && t.b.step == k.NR() // a tile of packed panels
			a, c := t.a.at(t.firstA+i), t.c[(t.row+i)*t.ldc+t.col+j:]
			switch {
			case k.HasStrip() && !(whole && rows == k.MR() && width == k.NR()):
				k.Strip(t.depth, t.alpha, a, t.a.line, t.a.step, b, t.b.step, t.accumulate, c, t.ldc, rows, width, diagonal, 0, 0)
			case diagonal+1 < width:
				k.TileLower(t.depth, t.alpha, a, b, t.accumulate, c, t.ldc, rows, width, diagonal, t.scratch)
			default:
				k.Tile(t.depth, t.alpha, a, b, t.accumulate, c, t.ldc, rows, width, t.scratch)
			}
		}
	}
}
