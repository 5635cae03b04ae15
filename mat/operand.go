package mat

import "github.com/bpielm/bpielm/mat/asm"

// operand is one side of a product as a set of lines: rows of op(A) or columns of
// op(B). Element p of line l is data[l*ld+p] if lines run along the rows of the
// storage, data[p*ld+l] otherwise.
type operand struct {
	data      []float64
	ld        int
	alongRows bool
}

// from returns the operand without its first elements.
func (o operand) from(first int) operand { return o.part(0, first) }

// part returns the operand without its first lines, and without the first elements of
// the others.
func (o operand) part(line, from int) operand {
	if o.alongRows {
		o.data = o.data[line*o.ld+from:]
	} else {
		o.data = o.data[from*o.ld+line:]
	}
	return o
}

// copyOf returns a copy of depth elements, from position from, of count lines, whose
// rows are no multiple of 4 KiB apart. buffer holds the copy, and grows if need be.
func (o operand) copyOf(buffer *[]float64, first, count, from, depth int) operand {
	rows, cols := depth, count
	if o.alongRows {
		rows, cols = count, depth
	}
	src, ld := o.part(first, from), roundUp(cols, 16)+8
	*buffer = resizePacked(*buffer, rows*ld)
	for i := range rows {
		copy((*buffer)[i*ld:][:cols], src.data[i*src.ld:])
	}
	return operand{*buffer, ld, o.alongRows}
}

// lines are where a strip finds them: those from line l on begin at
// data[l/width*panel + l%width*line], and the elements of each are step apart.
type lines struct {
	data                     []float64
	width, panel, line, step int
}

func (x *lines) at(l int) []float64 { return x.data[l/x.width*x.panel+l%x.width*x.line:] }

// inPlace returns lines from first on, elements from position from on, where they are.
func (o operand) inPlace(first, from int) lines {
	if o.alongRows {
		return lines{o.data[first*o.ld+from:], 1, o.ld, o.ld, 1}
	}
	return lines{o.data[from*o.ld+first:], 1, 1, 1, o.ld}
}

// pack copies depth elements, from position from, of count lines into panels of width
// lines: panel after panel, in it element after element. The last panel is filled up
// with zeros. buffer holds the result, and grows if need be.
func (o operand) pack(k *asm.Kernel, buffer *[]float64, first, count, from, depth, width int) lines {
	*buffer = resizePacked(*buffer, roundUp(count, width)*depth)
	if w := count % width; w != 0 {
		clear((*buffer)[(count-w)*depth:])
	}
	if !o.alongRows {
		packColumns(*buffer, o.data[from*o.ld+first:], o.ld, depth, width, count)
	}
	for i := 0; o.alongRows && i < count; i += width {
		packRows(k, (*buffer)[i*depth:][:width*depth], o.data[(first+i)*o.ld+from:], o.ld, depth, width, min(width, count-i))
	}
	return lines{*buffer, width, width * depth, 1, width}
}

// packRows fills a panel from w rows of depth elements: 8 x 8 tiles, then what is
// left below and on the right of them.
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

// packColumns fills panels from depth rows of count elements: some panels at a time, so
// that what is read lies together.
func packColumns(panels, data []float64, ld, depth, width, count int) {
	const together = 8
	for first := 0; first < count; first += together * width {
		last := min(first+together*width, count)
		for p := range depth {
			row := data[p*ld:][:last]
			for i := first; i < last; i += width {
				packRow(panels[i*depth+p*width:], row[i:min(i+width, last)])
			}
		}
	}
}

func packRow(dst, src []float64) {
	for len(src) >= 8 && len(dst) >= 8 {
		*(*[8]float64)(dst) = *(*[8]float64)(src)
		dst, src = dst[8:], src[8:]
	}
	copy(dst, src)
}

// resizePacked is resize for packed panels. Go begins storage of more than 32 KiB
// at a page, and so at a cache line.
func resizePacked(x []float64, n int) []float64 {
	const page = 1 << 13
	if cap(x) < n {
		return make([]float64, n, max(n, page))
	}
	return x[:n]
}

func roundUp(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }
