package mat

import "github.com/bpielm/bpielm/mat/asm"

// panels is a matrix packed into panels of asm.Panel rows: see asm.Kernel.Eliminate. It
// is padded to a multiple of asm.Panel rows and columns.
type panels struct {
	data  []float64
	n     int // rows and columns of the matrix, 0 if there is none
	width int // the same, padded

	shift float64 // is added to the diagonal of what is loaded
}

func (p *panels) reshape(n int) {
	p.n, p.width = n, roundUp(n, asm.Panel)
	p.data = resize(p.data, p.width*p.width)
}

// stride is the distance between two panels in data.
func (p *panels) stride() int { return asm.Panel * p.width }

// at returns the storage from element (row, col) on; both are multiples of asm.Panel.
func (p *panels) at(row, col int) []float64 { return p.data[row*p.width+asm.Panel*col:] }

// load packs columns col to end-1 of rows first to last-1 of the lower triangle of a.
// Padding gets ones on the diagonal. Above the diagonal the panels stay undefined.
func (p *panels) load(k *asm.Kernel, a *Sym, first, last, col, end int) {
	for ; first < last; first += asm.Panel {
		rows, below := min(asm.Panel, p.n-first), min(end, first)
		if rows == asm.Panel && col < below {
			k.TransposeTiles((below-col)/asm.Panel, p.at(first, col), asm.Panel, asm.Panel*asm.Panel, a.m.data[first*a.m.stride+col:], a.m.stride, asm.Panel)
		} else if col < below {
			panel := p.at(first, col)[:asm.Panel*(below-col)]
			clear(panel)
			for i := range rows {
				for j, v := range a.Row(first + i)[col:below] {
					panel[asm.Panel*j+i] = v
				}
			}
		}
		if col <= first && first < end {
			p.loadDiagonal(a, first, rows)
		}
	}
}

// loadDiagonal packs the diagonal tile at row first, of which rows rows exist in a.
func (p *panels) loadDiagonal(a *Sym, first, rows int) {
	tile := (*[asm.Panel * asm.Panel]float64)(p.at(first, first))
	clear(tile[:])
	for i := range rows {
		at := i
		for _, v := range a.m.data[(first+i)*a.m.stride+first:][:i+1] {
			tile[at%len(tile)] = v
			at += asm.Panel
		}
	}
	if p.shift != 0 {
		for i := range rows {
			tile[(asm.Panel+1)*i] += p.shift
		}
	}
	for i := rows; i < asm.Panel; i++ {
		tile[(asm.Panel+1)*i] = 1
	}
}

// unload copies the tiles at column j of rows first to last-1 to m.
func (p *panels) unload(k *asm.Kernel, m *Dense, first, last, j int) {
	whole := min(p.n, last) &^ (asm.Panel - 1)
	if first < whole {
		k.TransposeTiles((whole-first)/asm.Panel, m.data[first*m.stride+j:], m.stride, asm.Panel*m.stride, p.at(first, j), asm.Panel, p.stride())
	}
	for i := max(first, whole); i < min(p.n, last); i++ {
		tile := p.at(whole, j)[i-whole:]
		for c, row := 0, m.Row(i)[j:min(j+asm.Panel, p.n)]; c < len(row); c++ {
			row[c] = tile[asm.Panel*c]
		}
	}
}
