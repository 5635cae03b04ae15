package mat

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/bpielm/bpielm/mat/asm"
)

// pending holds rows [h, y] until a block of fixed size is full, so that sums do
// not depend on how the rows were divided among calls.
type pending struct {
	rows  Dense // block x (cols+1)
	count int
}

// fill takes up rows of h and y from position from on, as many as there is room
// for, and returns the position after them.
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

// gramBlock is how many rows a Gram adds at a time. Files with pending rows depend on it.
const gramBlock = 2 * asm.KC

// Gram sums H'H, H'y and y'y over rows that arrive in chunks, from one source or
// many. How the rows of a source were cut into chunks changes no bit.
//
// Sources are brought together by Merge. Merging is commutative, and merging into a
// sum over no rows copies, to the last bit: give every source its own Gram,
// whatever computes it and wherever, and merge them in one order, and the bits are
// the same. Another grouping of three or more changes the last digits, as any
// other order of additions does.
type Gram struct {
	cols, count int
	sums        Sym // of [H y]: (cols+1) x (cols+1)
	pending     pending
}

// NewGram returns a sum over no rows, for matrices H of cols columns.
func NewGram(cols int) *Gram {
	check(cols >= 0, "NewGram: negative dimension")
	return &Gram{
		cols:    cols,
		sums:    *NewSym(cols+1, nil),
		pending: pending{rows: *NewDense(gramBlock, cols+1, nil)},
	}
}

// Reset makes g a sum over no rows, for matrices H of cols columns, in the memory
// that it has.
func (g *Gram) Reset(cols int) {
	check(cols >= 0, "Gram.Reset: negative dimension")
	g.cols, g.count, g.pending.count = cols, 0, 0
	g.sums.Reset(cols + 1)
	g.pending.rows.reshape(gramBlock, cols+1)
}

// Append adds the rows of h, rows x cols, and the values y that belong to them.
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

// Merge adds the sums of other, which stays as it is. Rows appended afterwards begin
// a block of their own.
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
	theirs := other.total()
	mine := g.total()
	for i := range mine.N() {
		Axpy(1, theirs.Row(i), mine.Row(i))
	}
	g.sums.CopyFrom(mine)
	g.pending.count = 0
	g.count += other.count
}

// total returns the sums with the rows still pending.
func (g *Gram) total() *Sym {
	total := NewSym(g.cols+1, nil)
	g.totalTo(total)
	return total
}

func (g *Gram) totalTo(total *Sym) {
	total.CopyFrom(&g.sums)
	rows := g.pending.rows.sub(0, g.pending.count, 0, g.cols+1)
	Syrk(Trans, 1, &rows, 1, total)
}

// SumsTo sets hh, cols x cols, to H'H and hy to H'y, and returns y'y: what HH, Hy and
// YY return, at once.
func (g *Gram) SumsTo(hh *Sym, hy []float64) (yy float64) {
	check(hh.N() == g.cols && len(hy) == g.cols, "Gram.SumsTo: wrong sizes")
	w := borrow()
	defer w.giveBack()
	w.v.reshape(g.cols+1, g.cols+1)
	total := &Sym{w.v}
	g.totalTo(total)
	for i := range g.cols {
		copy(hh.Row(i), total.Row(i))
	}
	copy(hy, total.Row(g.cols))
	return total.At(g.cols, g.cols)
}

// HH returns H'H, cols x cols, a copy.
func (g *Gram) HH() *Sym {
	hh := NewSym(g.cols, nil)
	g.SumsTo(hh, make([]float64, g.cols))
	return hh
}

// Hy returns H'y, a copy.
func (g *Gram) Hy() []float64 { return append([]float64(nil), g.total().Row(g.cols)[:g.cols]...) }

// YY returns y'y.
func (g *Gram) YY() float64 { return g.total().At(g.cols, g.cols) }

// Cols returns the number of columns of H.
func (g *Gram) Cols() int { return g.cols }

// Count returns the number of rows.
func (g *Gram) Count() int { return g.count }

// gramMagic begins the binary form of a Gram; its last byte is the version.
const gramMagic = "BPGRAM\x00\x01"

// FormatError says why bytes are not what they should be.
type FormatError struct{ What, Why string }

func (e *FormatError) Error() string { return fmt.Sprintf("mat: %s: %s", e.What, e.Why) }

// MarshalBinary returns g as bytes that are the same on every machine and from
// which UnmarshalBinary makes a Gram that goes on as g would, to the last bit:
//
//	magic, 8 bytes
//	columns, rows, rows pending: 64-bit integers
//	the lower triangle of the sums over [H y], row after row
//	the rows [h y] pending
//
// Numbers are little-endian, those of floating point in IEEE 754's binary64.
func (g *Gram) MarshalBinary() ([]byte, error) {
	n := g.cols + 1
	out := make([]byte, 0, gramSize(g.cols, g.pending.count))
	out = append(out, gramMagic...)
	for _, v := range []int{g.cols, g.count, g.pending.count} {
		out = binary.LittleEndian.AppendUint64(out, uint64(v))
	}
	for i := range n {
		out = appendFloats(out, g.sums.Row(i))
	}
	for i := range g.pending.count {
		out = appendFloats(out, g.pending.rows.Row(i))
	}
	return out, nil
}

// gramSize returns the number of bytes of the binary form.
func gramSize(cols, pending int) int {
	n := cols + 1
	return len(gramMagic) + 3*8 + 8*(n*(n+1)/2+pending*n)
}

func appendFloats(out []byte, x []float64) []byte {
	for _, v := range x {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return out
}

// UnmarshalBinary makes g what MarshalBinary was called on. It returns a
// *FormatError, and leaves g as it was, if the bytes are not of that form.
func (g *Gram) UnmarshalBinary(data []byte) error {
	fail := func(format string, values ...any) error {
		return &FormatError{What: "Gram", Why: fmt.Sprintf(format, values...)}
	}
	const header = len(gramMagic) + 3*8
	if len(data) < header || string(data[:len(gramMagic)-1]) != gramMagic[:len(gramMagic)-1] {
		return fail("not a sum of products")
	}
	if version := data[len(gramMagic)-1]; version != gramMagic[len(gramMagic)-1] {
		return fail("version %d is unknown", version)
	}
	var sizes [3]uint64
	for i := range sizes {
		sizes[i] = binary.LittleEndian.Uint64(data[len(gramMagic)+8*i:])
	}
	cols, count, pending := sizes[0], sizes[1], sizes[2]
	switch {
	case cols > 1<<15: // such a sum has 4 GiB, and larger ones would overflow below
		return fail("%d columns are too many", cols)
	case pending >= gramBlock || pending > count || count > math.MaxInt:
		return fail("%d rows, %d of them pending, cannot be", count, pending)
	case uint64(len(data)) != uint64(header)+8*((cols+1)*(cols+2)/2+pending*(cols+1)):
		return fail("%d bytes are not the right number for %d columns", len(data), cols)
	}
	read := NewGram(int(cols))
	read.count, read.pending.count = int(count), int(pending)
	data = data[header:]
	for i := range read.cols + 1 {
		data = readFloats(read.sums.Row(i), data)
	}
	for i := range read.pending.count {
		data = readFloats(read.pending.rows.Row(i), data)
	}
	*g = *read
	return nil
}

func readFloats(x []float64, data []byte) (rest []byte) {
	for i := range x {
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	}
	return data[8*len(x):]
}
