package mat

import (
	"math"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/bpielm/bpielm/mat/asm"
)

// The factorisation is left-looking: it computes blocks of rows from the top down. Each
// tile starts as a tile of A. The products of all columns to its left are subtracted in
// registers, and the final triangular solve, or the factorisation of a diagonal tile,
// happens there too.

// factor computes the lower triangle L with LL' = a, storing reciprocals on the
// diagonal, and copies everything but the diagonal to l. It stores the squares of the
// diagonal in pivots, of length p.width. It returns -1, or the index of the first pivot
// that is not positive and finite.
//
// A block of rows is sized to stay in cache. It depends on all rows above it, one block
// of columns at a time, so processors work on successive blocks of rows in a pipeline.
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

// factoring is a factorisation in progress.
type factoring struct {
	p      *panels
	k      *asm.Kernel
	a      *Sym
	l      *Dense
	pivots []float64
	height int // rows in a block
	cols   int // columns in a block
}

// parallel computes the blocks of rows on all processors.
func (f factoring) parallel() int {
	var claimed, failed atomic.Int64
	var done progress
	failed.Store(-1)
	Parallel((f.p.width+f.height-1)/f.height, func(int) {
		// Rows are claimed in order, so the rows that a worker waits for have been claimed.
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

// rows computes rows first to last-1. It waits on done for the rows above; if done is
// nil, all of them are ready. Within a block of columns the last columns are eliminated
// and solved for in one call, while the tile is in registers.
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

// whole returns the end of those rows of the block first to last-1 that EliminateRows
// can read from a and write to l itself: full panels, three at a time.
func (p *panels) whole(first, last int) int {
	const together = 3 * asm.Panel
	if last > p.n {
		return first + (last-1-first)/together*together
	}
	return last
}

// eliminate subtracts the products of columns from to to-1 from the tiles at column j of
// rows row to last-1. first is the first row of the block. If from is 0, the tiles
// start as those of a; with solve, they end as those of L.
func (f *factoring) eliminate(first, row, last, from, to, j int, solve bool) {
	p, k, ld := f.p, f.k, f.p.stride()
	if p.shift != 0 && from == 0 && row == j && row < last { // the diagonal is not that of a
		p.load(k, f.a, row, row+asm.Panel, j, j+asm.Panel)
		k.Eliminate(to-from, 1, p.at(row, from), ld, p.at(j, from), p.at(row, j), ld, solve)
		row += asm.Panel
	}
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

// progress publishes how many rows are finished.
type progress struct{ rows atomic.Int64 }

const stopped = math.MaxInt64

func (p *progress) advance(rows int) { p.rows.Store(int64(rows)) }
func (p *progress) stop()            { p.rows.Store(stopped) }
func (p *progress) stopped() bool    { return p.rows.Load() == stopped }

// wait blocks until at least rows rows are finished. It returns false if the
// factorisation has stopped.
func (p *progress) wait(rows int) bool {
	for tries := 0; p.rows.Load() < int64(rows); tries++ {
		if tries < 1000 {
			runtime.Gosched()
		} else {
			time.Sleep(10 * time.Microsecond) // the goroutine that computes them was descheduled
		}
	}
	return !p.stopped()
}
