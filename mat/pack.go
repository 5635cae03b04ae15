package mat

import (
	"math"

	"github.com/bpielm/bpielm/mat/asm"
)

// operand is one side of a product as a set of lines: rows of op(A) or columns of
// op(B). Element p of line l is data[l*ld+p] if lines run along the rows of the
// storage, data[p*ld+l] otherwise. ld is the leading dimension.
type operand struct {
	data      []float64
	ld        int
	alongRows bool
}

// from returns the operand with the first elements of each line cut off.
func (o operand) from(first int) operand {
	if !o.alongRows {
		first *= o.ld
	}
	o.data = o.data[first:]
	return o
}

// lines locates the lines of an operand for a strip, in place or packed. In place, they
// are line elements apart; packed, they are in panels of width lines. Consecutive
// elements of a line are step apart.
type lines struct {
	data       []float64
	first      int // index of the first line in data
	line, step int
	width      int // lines in a panel, 0 without panels
	panel      int // distance between panels
}

// at returns the data from line l on.
func (x *lines) at(l int) []float64 {
	l -= x.first
	if x.width == 0 {
		return x.data[l*x.line:]
	}
	return x.data[l/x.width*x.panel+l%x.width*x.line:]
}

// left returns how many lines remain in the panel from line l on.
func (x *lines) left(l int) int {
	if x.width == 0 {
		return math.MaxInt
	}
	return x.width - (l-x.first)%x.width
}

// panelStart returns the first line of the panel that holds line l.
func (x *lines) panelStart(l int) int {
	if x.width == 0 || l < x.first {
		return l
	}
	return l - (l-x.first)%x.width
}

// inPlace sets x to the lines of o in place, from element from on.
func (o *operand) inPlace(x *lines, from int) {
	x.first, x.width = 0, 0
	if o.alongRows {
		x.data, x.line, x.step = o.data[from:], o.ld, 1
	} else {
		x.data, x.line, x.step = o.data[from*o.ld:], 1, o.ld
	}
}

// copyTo packs lines first to last-1, depth elements each from element from on, and sets
// x to the copy. It packs panels of width lines; with width 0 it packs a single panel
// whose rows are not a multiple of 4 KiB apart. The copy lives in buffer, which grows if
// necessary.
func (o *operand) copyTo(x *lines, k *asm.Kernel, buffer *[]float64, first, last, from, depth, width int) {
	count := last - first
	x.first, x.line, x.step, x.width, x.panel = first, 1, width, width, width*depth
	if width == 0 {
		width = roundUp(count, 16) + 8
		x.step = width
	}
	*buffer = resizePacked(*buffer, roundUp(count, width)*depth)
	x.data = *buffer
	src := o.from(from)
	if !o.alongRows {
		packColumns(x.data, src.data[first:], o.ld, depth, width, count)
		return
	}
	for i := 0; i < count; i += width {
		packRows(k, x.data[i*depth:][:width*depth], src.data[(first+i)*o.ld:], o.ld, depth, width, min(width, count-i))
	}
}

// packRows fills a panel from w rows of depth elements: 8 x 8 tiles first, then the
// remainders below and to the right of them.
func packRows(k *asm.Kernel, panel, data []float64, ld, depth, width, w int) {
	i, whole := 0, depth&^7
	for ; i+8 <= w; i += 8 {
		k.TransposeTiles(whole/8, panel[i:], width, 8*width, data[i*ld:], ld, 8)
		for r := i; r < i+8; r++ {
			for p := whole; p < depth; p++ {
				panel[p*width+r] = data[r*ld+p]
			}
		}
	}
	for ; i < w; i++ {
		for p, v := range data[i*ld:][:depth] {
			panel[p*width+i] = v
		}
	}
}

// packColumns fills panels from depth rows of count elements. It fills several panels at
// a time, so that it reads contiguous memory.
func packColumns(panels, data []float64, ld, depth, width, count int) {
	for first := 0; first < count; first += packTogether * width {
		last := min(first+packTogether*width, count)
		for p := range depth {
			row := data[p*ld:][:last]
			for i := first; i < last; i += width {
				packRow(panels[i*depth+p*width:], row[i:min(i+width, last)])
			}
		}
	}
}

// packRow copies src to dst: short rows by eights, which is faster than copy.
func packRow(dst, src []float64) {
	if len(src) > 64 {
		copy(dst, src)
		return
	}
	for len(src) >= 8 && len(dst) >= 8 {
		*(*[8]float64)(dst) = *(*[8]float64)(src)
		dst, src = dst[8:], src[8:]
	}
	copy(dst, src)
}

// resizePacked is resize for packed panels. It allocates more than 32 KiB, which Go
// aligns to a page and so to a cache line.
func resizePacked(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n, max(n, minPacked))
	}
	return x[:n]
}

func roundUp(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }
