package mat

import (
	"math"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/bpielm/bpielm/mat/asm"
)

const (
	panelCols  = 128 // columns computed together
	panelDepth = 256 // columns taken out of these at a time: with them they stay in L2

	panelParallel = 384  // rows from which on parts of a factorisation are worth handing over
	panelLarge    = 2048 // rows from which on rows of the factor exceed L2
)

// panelRows is how many of so many rows are factorised together. More of them ask less
// of memory, fewer make several processors wait less for each other.
func panelRows(width int) int {
	switch {
	case width <= panelCols:
		return width
	case width < panelParallel:
		return 96
	case width < panelLarge:
		return 48
	default:
		return 192
	}
}

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

// load takes of the lower triangle of a the rows first to last-1 in the columns col
// to end-1, with ones on the diagonal beyond its end. What panels hold above the
// diagonal stays undefined.
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

// loadDiagonal takes a tile on the diagonal.
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
	for i := rows; i < asm.Panel; i++ {
		tile[(asm.Panel+1)*i] = 1
	}
}

// unload copies the tiles at column j of the rows first to last-1 to m.
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

// invertDiagonal puts reciprocals in the place of the diagonal.
func (p *panels) invertDiagonal() {
	for i := range p.width {
		at := &p.data[i/asm.Panel*p.stride()+asm.Panel*i+i%asm.Panel]
		*at = 1 / *at
	}
}

// factor computes the lower triangle L with LL' = a, with the reciprocals of its
// diagonal, and copies it to l, but for the diagonal. It returns -1 or the index of
// the first pivot that is not a positive number. Squares of the diagonal go to pivots,
// width elements.
//
// Some rows at a time are read, computed and copied while they are in cache. They need
// all rows above, block of columns by block of columns: on several processors they
// follow each other at that distance.
func (p *panels) factor(k *asm.Kernel, a *Sym, l *Dense, pivots []float64) int {
	p.reshape(a.N())
	rows := panelRows(p.width)
	if p.width < panelParallel {
		for first := 0; first < p.width; first += rows {
			last := min(first+rows, p.width)
			if i := p.factorRows(k, a, l, first, last, pivots, nil); i >= 0 {
				return i
			}
		}
		return -1
	}
	return p.factorParallel(k, a, l, pivots, rows)
}

// factorParallel is factor on all processors.
func (p *panels) factorParallel(k *asm.Kernel, a *Sym, l *Dense, pivots []float64, rows int) int {
	var claimed, failed atomic.Int64
	var done progress
	failed.Store(-1)
	Parallel((p.width+rows-1)/rows, func(int) {
		// Rows are claimed in order, so that those that others wait for are computed.
		first := int(claimed.Add(int64(rows))) - rows
		last := min(first+rows, p.width)
		switch i := p.factorRows(k, a, l, first, last, pivots, &done); {
		case i >= 0:
			failed.Store(int64(i))
			done.stop()
		case done.stopped():
		default:
			done.advance(last)
		}
	})
	return int(failed.Load())
}

// factorRows computes the rows first to last-1 from those above, which are known as
// far as done says, or all if it is nil.
func (p *panels) factorRows(k *asm.Kernel, a *Sym, l *Dense, first, last int, pivots []float64, done *progress) int {
	const step = asm.Panel
	for col := 0; col < last; col += panelCols {
		end := min(col+panelCols, last)
		if done != nil && !done.wait(min(end, first)) {
			return -1
		}
		p.load(k, a, first, last, col, end)
		for from := 0; from < col; from += panelDepth {
			for j := col; j < end; j += step {
				p.eliminate(k, max(first, j), last, from, min(from+panelDepth, col), j, false)
			}
		}
		for j := col; j < end; j += step {
			below := first
			if j >= first {
				k.Factor(j-col, p.at(j, col), p.at(j, j), pivots[j:])
				for i, pivot := range pivots[j : j+step] {
					if !(pivot > 0 && pivot <= math.MaxFloat64) {
						return j + i
					}
				}
				below = j + step
			}
			p.eliminate(k, below, last, col, j, j, true)
			p.unload(k, l, max(first, j), last, j)
		}
	}
	return -1
}

// progress says how many rows are finished, to those who need them.
type progress struct{ rows atomic.Int64 }

const stopped = math.MaxInt64

func (p *progress) advance(rows int) { p.rows.Store(int64(rows)) }
func (p *progress) stop()            { p.rows.Store(stopped) }
func (p *progress) stopped() bool    { return p.rows.Load() == stopped }

// wait returns when so many rows are finished, or with false when no more will be.
func (p *progress) wait(rows int) bool {
	for tries := 0; p.rows.Load() < int64(rows); tries++ {
		if tries < 1000 {
			runtime.Gosched()
		} else {
			time.Sleep(10 * time.Microsecond) // whoever computes them has lost its processor
		}
	}
	return !p.stopped()
}

// eliminate takes the columns from to to-1 out of the tiles at column j of the rows
// first to last-1.
func (p *panels) eliminate(k *asm.Kernel, first, last, from, to, j int, solve bool) {
	if first < last {
		ld := p.stride()
		k.Eliminate(to-from, (last-first)/asm.Panel, p.at(first, from), ld, p.at(j, from), p.at(first, j), ld, solve)
	}
}
