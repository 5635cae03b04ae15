package mat

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

func roundUp(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }
