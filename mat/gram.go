package mat

// pending buffers rows [h, y] until a block of fixed size is full, so that sums do not
// depend on how the rows were split among calls.
type pending struct {
	rows  Dense // block x (cols+1)
	count int
}

// fill copies rows of h and y, from row from on, until the block is full or the rows are
// used up. It returns the next row.
func (b *pending) fill(h *Dense, y []float64, from int) int {
	n := h.cols
	for from < h.rows && b.count < b.rows.rows {
		row := b.rows.Row(b.count)
		copy(row, h.Row(from))
		row[n] = y[from]
		from++
		b.count++
	}
	return from
}

func (b *pending) full() bool { return b.count == b.rows.rows }

func (b *pending) copyFrom(other *pending) {
	b.count = other.count
	rows, from := b.rows.sub(0, b.count, 0, b.rows.cols), other.rows.sub(0, b.count, 0, b.rows.cols)
	rows.CopyFrom(&from)
}

// Gram accumulates H'H, H'y and y'y over rows that arrive in chunks, from one source or
// several. Bits do not depend on the chunks that a source's rows arrive in.
//
// Merge combines sources. It is commutative to the last bit, and merging into an empty
// sum copies. So if every source has its own Gram and these are merged in a fixed order,
// the bits do not depend on where each of them was computed. Merging three or more in
// another order changes the last digits, because addition is not associative.
type Gram struct {
	cols, count int
	sums        Sym // of [H y]: (cols+1) x (cols+1)
	pending     pending
}

// NewGram returns an empty sum, for matrices H of cols columns.
func NewGram(cols int) *Gram {
	check(cols >= 0, "NewGram: negative dimension")
	return &Gram{
		cols:    cols,
		sums:    *NewSym(cols+1, nil),
		pending: pending{rows: *NewDense(gramBlock, cols+1, nil)},
	}
}

// Reset empties g, for matrices H of cols columns, and reuses its storage.
func (g *Gram) Reset(cols int) {
	check(cols >= 0, "Gram.Reset: negative dimension")
	g.cols, g.count, g.pending.count = cols, 0, 0
	g.sums.Reset(cols + 1)
	g.pending.rows.reshape(gramBlock, cols+1)
}

// Append adds the rows of h, rows x cols, and their values y, of rows elements.
func (g *Gram) Append(h *Dense, y []float64) {
	checkChunk("Gram", g.cols, h, y)
	g.count += h.rows
	for from := 0; from < h.rows; {
		from = g.pending.fill(h, y, from)
		if g.pending.full() {
			Syrk(Trans, 1, &g.pending.rows, 1, &g.sums)
			g.pending.count = 0
		}
	}
}

// Merge adds the sums of other, which it does not modify. Rows appended afterwards start
// a new block.
func (g *Gram) Merge(other *Gram) {
	check(g.cols == other.cols, "Gram.Merge: numbers of columns differ")
	if other.count == 0 {
		return
	}
	if g.count == 0 {
		g.count = other.count
		g.sums.CopyFrom(&other.sums)
		g.pending.copyFrom(&other.pending)
		return
	}
	g.flush()
	theirs := &other.sums
	if other.pending.count > 0 {
		theirs = other.total()
	}
	for i := range g.sums.N() {
		Axpy(1, theirs.Row(i), g.sums.Row(i))
	}
	g.count += other.count
}

// flush adds the pending rows to the sums.
func (g *Gram) flush() {
	if rows := g.rows(g.cols + 1); rows.rows > 0 {
		Syrk(Trans, 1, &rows, 1, &g.sums)
		g.pending.count = 0
	}
}

// rows are the first columns of the pending rows.
func (g *Gram) rows(cols int) Dense { return g.pending.rows.sub(0, g.pending.count, 0, cols) }

// total returns the sums including pending rows.
func (g *Gram) total() *Sym {
	total := NewSym(g.cols+1, nil)
	total.CopyFrom(&g.sums)
	rows := g.rows(g.cols + 1)
	Syrk(Trans, 1, &rows, 1, total)
	return total
}

// SumsTo sets hh, cols x cols, to H'H and hy to H'y, and returns y'y.
func (g *Gram) SumsTo(hh *Sym, hy []float64) (yy float64) {
	check(hh.N() == g.cols && len(hy) == g.cols, "Gram.SumsTo: wrong sizes")
	for i := range g.cols {
		copy(hh.Row(i), g.sums.Row(i))
	}
	w := borrow()
	defer w.giveBack()
	w.v.reshape(1, g.cols+1)
	last := w.v.Row(0)
	copy(last, g.sums.Row(g.cols))
	if h, all := g.rows(g.cols), g.rows(g.cols+1); h.rows > 0 {
		// The elements of a product do not depend on its size, so these are those of one product.
		Syrk(Trans, 1, &h, 1, hh)
		y := all.sub(0, all.rows, g.cols, g.cols+1)
		Gemm(Trans, NoTrans, 1, &y, &all, 1, &w.v)
	}
	copy(hy, last)
	return last[g.cols]
}

// Cols returns the number of columns of H.
func (g *Gram) Cols() int { return g.cols }

// Count returns the number of rows added.
func (g *Gram) Count() int { return g.count }
