package mat

import (
	"math"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/bpielm/bpielm/mat/asm"
)

// Rows are computed from the first to the last (a left-looking factorisation), some
// together: each tile is what is left of A after the products of all columns before, which
// are taken out in registers, as is the tile on the diagonal that ends it.

// factor computes the lower triangle L with LL' = a, with the reciprocals of its
// diagonal, and copies it to l, but for the diagonal. It returns -1 or the index of
// the first pivot that is not a positive number. Squares of the diagonal go to pivots,
// width elements.
//
// Some rows at a time are computed while they are in cache. They need all rows above,
// block of columns by block of columns: on several processors they follow each other at
// that distance.
func (p *panels) factor(k *asm.Kernel, a *Sym, l *Dense, pivots []float64) int {
	p.reshape(a.N())
	alone := p.width < panelParallel || processors() == 1
	f := factoring{p: p, k: k, a: a, l: l, pivots: pivots}
	f.height, f.cols = panelBlock(p.width, alone)
	if !alone {
		return f.parallel()
	}
	for first := 0; first < p.width; first += f.height {
		if i := f.rows(first, min(first+f.height, p.width), nil); i >= 0 {
			return i
		}
	}
	return -1
}

// factoring is a factorisation that is being computed.
type factoring struct {
	p      *panels
	k      *asm.Kernel
	a      *Sym
	l      *Dense
	pivots []float64
	height int // rows computed together
	cols   int // columns of these computed together
}

// parallel computes all rows on all processors.
func (f factoring) parallel() int {
	var claimed, failed atomic.Int64
	var done progress
	failed.Store(-1)
	Parallel((f.p.width+f.height-1)/f.height, func(int) {
		// Rows are claimed in order, so that those that others wait for are computed.
		first := int(claimed.Add(int64(f.height))) - f.height
		last := min(first+f.height, f.p.width)
		switch i := f.rows(first, last, &done); {
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

// rows computes the rows first to last-1 from those above, which are known as far as
// done says, or all if it is nil. The columns taken out last are followed at once by
// those of the same block.
func (f *factoring) rows(first, last int, done *progress) int {
	const step = asm.Panel
	p, k := f.p, f.k
	for col := 0; col < last; col += f.cols {
		end := min(col+f.cols, last)
		if done != nil && !done.wait(min(end, first)) {
			return -1
		}
		p.load(k, f.a, p.whole(first, last), last, col, end)
		from := 0
		for ; from+panelDepth < col; from += panelDepth {
			for j := col; j < end; j += step {
				f.eliminate(first, max(first, j), last, from, from+panelDepth, j, false)
			}
		}
		for j := col; j < end; j += step {
			below := first
			if j >= first {
				if from == 0 {
					p.load(k, f.a, j, j+step, j, j+step)
				}
				k.Factor(j-from, p.at(j, from), p.at(j, j), f.pivots[j:])
				for i, pivot := range f.pivots[j : j+step] {
					if !(pivot > 0 && pivot <= math.MaxFloat64) {
						return j + i
					}
				}
				below = j + step
				p.unload(k, f.l, j, below, j)
			}
			f.eliminate(first, below, last, from, j, j, true)
		}
	}
	return -1
}

// whole returns the row up to which rows of the block first to last-1 are taken from a
// and put to l in whole panels, three at a time, as they are computed.
func (p *panels) whole(first, last int) int {
	const together = 3 * asm.Panel
	if last > p.n {
		return first + (last-1-first)/together*together
	}
	return last
}

// eliminate takes the columns from to to-1 out of the tiles at column j of the rows row
// to last-1, in the block that begins with first. They begin as those of a if from is
// 0, and end as those of L with solve.
func (f *factoring) eliminate(first, row, last, from, to, j int, solve bool) {
	p, k, ld := f.p, f.k, f.p.stride()
	if whole := p.whole(first, last); row < whole {
		var begin, end asm.Rows
		if from == 0 {
			begin = asm.Rows{Data: f.a.m.data[row*f.a.m.stride+j:], Stride: f.a.m.stride}
		}
		if solve {
			end = asm.Rows{Data: f.l.data[row*f.l.stride+j:], Stride: f.l.stride}
		}
		k.EliminateRows(to-from, (whole-row)/asm.Panel, p.at(row, from), ld, p.at(j, from), p.at(row, j), ld, begin, end, solve, row == j)
		row = whole
	}
	if row < last {
		k.Eliminate(to-from, (last-row)/asm.Panel, p.at(row, from), ld, p.at(j, from), p.at(row, j), ld, solve)
		if solve {
			p.unload(k, f.l, row, last, j)
		}
	}
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
