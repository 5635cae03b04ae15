package mat

import (
	"math"

	"github.com/bpielm/bpielm/mat/asm"
)

const (
	panelBlock = 128 // columns factorised before the rest is updated
	panelRows  = 96  // rows of the rest updated together: with the columns they stay in L2

	// From so many rows on, parts of a factorisation are worth handing over.
	panelParallel = 4 * panelRows
)

// panels holds a matrix as panels of asm.Panel rows: see asm.Kernel.Eliminate. The
// numbers of rows and columns are rounded up to a multiple of asm.Panel.
type panels struct {
	data  []float64
	n     int // rows and columns wanted, 0 if there is nothing
	width int // rows and columns held
}

func (p *panels) reshape(n int) {
	p.n, p.width = n, roundUp(n, asm.Panel)
	p.data = resize(p.data, p.width*p.width)
}

// stride is the distance from panel to panel.
func (p *panels) stride() int { return asm.Panel * p.width }

// at returns the storage from row row and column col on, multiples of asm.Panel.
func (p *panels) at(row, col int) []float64 { return p.data[row*p.width+asm.Panel*col:] }

// load takes the lower triangle of a, with ones on the diagonal beyond its end.
// What panels hold above the diagonal stays undefined.
func (p *panels) load(k *asm.Kernel, a *Sym) {
	p.reshape(a.N())
	for first := 0; first < p.n; first += asm.Panel {
		rows, panel := min(asm.Panel, p.n-first), p.at(first, 0)
		if rows == asm.Panel {
			k.TransposeTiles(first/asm.Panel, panel, asm.Panel, asm.Panel*asm.Panel, a.m.data[first*a.m.stride:], a.m.stride, asm.Panel)
		} else {
			clear(panel[:p.stride()])
			for i := range rows {
				for j, v := range a.Row(first + i)[:first] {
					panel[asm.Panel*j+i] = v
				}
			}
		}
		tile := (*[asm.Panel * asm.Panel]float64)(panel[asm.Panel*first:])
		clear(tile[:])
		for i := range rows {
			at := i
			for _, v := range a.m.data[(first+i)*a.m.stride+first:][:i+1] {
				tile[at%len(tile)] = v
				at += asm.Panel
			}
		}
		for i := rows; i < asm.Panel; i++ {
			tile[(asm.Panel+1)*i] = 1
		}
	}
}

// unload copies the lower triangle, and some of what is above, to m.
func (p *panels) unload(k *asm.Kernel, m *Dense) {
	for first := 0; first < p.n; first += asm.Panel {
		rows, panel := min(asm.Panel, p.n-first), p.at(first, 0)
		if rows == asm.Panel {
			k.TransposeTiles(first/asm.Panel+1, m.data[first*m.stride:], m.stride, asm.Panel, panel, asm.Panel, asm.Panel*asm.Panel)
			continue
		}
		for i := range rows {
			row := m.data[(first+i)*m.stride:][:first+i+1]
			for j := range row {
				row[j] = panel[asm.Panel*j+i]
			}
		}
	}
}

// invertDiagonal puts reciprocals in the place of the diagonal.
func (p *panels) invertDiagonal() {
	for i := range p.width {
		at := &p.data[i/asm.Panel*p.stride()+asm.Panel*i+i%asm.Panel]
		*at = 1 / *at
	}
}

// factor computes the lower triangle L with LL' = p in place, with the reciprocals
// of its diagonal. It returns -1 or the index of the first pivot that is not a
// positive number. Squares of the diagonal go to pivots, width elements.
func (p *panels) factor(k *asm.Kernel, pivots []float64) int {
	const step = asm.Panel
	for first := 0; first < p.width; first += panelBlock {
		last := min(first+panelBlock, p.width)
		for j := first; j < last; j += step {
			k.Factor(j-first, p.at(j, first), p.at(j, j), pivots[j:])
			for i, pivot := range pivots[j : j+step] {
				if !(pivot > 0 && pivot <= math.MaxFloat64) {
					return j + i
				}
			}
			p.eliminate(k, j+step, last, first, j, j, true)
		}
		if p.width-last >= panelParallel {
			p.updateParallel(k, first, last)
			continue
		}
		for i := last; i < p.width; i += panelRows {
			p.solveRows(k, i, first, last)
		}
		for i := last; i < p.width; i += panelRows {
			p.updateRows(k, i, first, last)
		}
	}
	return -1
}

// updateParallel does what is left to do with the columns first to last-1 when they
// are factorised, on all processors.
func (p *panels) updateParallel(k *asm.Kernel, first, last int) {
	parts := (p.width - last + panelRows - 1) / panelRows
	Parallel(parts, func(part int) { p.solveRows(k, last+part*panelRows, first, last) })
	Parallel(parts, func(part int) { p.updateRows(k, last+part*panelRows, first, last) })
}

// solveRows computes the columns first to last-1 of panelRows rows below, from row i
// on. A few panels at a time pass through all columns, in cache.
func (p *panels) solveRows(k *asm.Kernel, i, first, last int) {
	const few = 3 * asm.Panel
	for end := min(i+panelRows, p.width); i < end; i += few {
		for j := first; j < last; j += asm.Panel {
			p.eliminate(k, i, min(i+few, end), first, j, j, true)
		}
	}
}

// updateRows takes the columns first to last-1 out of panelRows rows, from row i on,
// in the columns behind.
func (p *panels) updateRows(k *asm.Kernel, i, first, last int) {
	end := min(i+panelRows, p.width)
	for j := last; j < end; j += asm.Panel {
		p.eliminate(k, max(i, j), end, first, last, j, false)
	}
}

// eliminate takes the columns from to to-1 out of the tiles at column j of the rows
// first to last-1.
func (p *panels) eliminate(k *asm.Kernel, first, last, from, to, j int, solve bool) {
	if first < last {
		ld := p.stride()
		k.Eliminate(to-from, (last-first)/asm.Panel, p.at(first, from), ld, p.at(j, from), p.at(first, j), ld, solve)
	}
}
