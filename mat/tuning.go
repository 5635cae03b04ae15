package mat

import (
	"time"

	"github.com/bpielm/bpielm/mat/asm"
)

// The sizes in this file decide speed and no bit, as do those in the descriptors of
// package asm.
const (
	// worthwhile is the least number of multiply-adds of a part of a product: some 6
	// microseconds, a few times what it takes to hand one over to a worker that is awake,
	// and what it takes to send for one that is not.
	worthwhile = 3 << 17

	// small is how many multiply-adds smallGemm is for: too few to share.
	small = 2*worthwhile - 1

	// long is the least number of multiply-adds of a part, a millisecond, where a processor
	// gets several, up to four: so that nobody has to wait long for one that is interrupted,
	// and that C of a part is still in cache when its next terms come, which is good for one
	// processor, too. Otherwise the fewest are the quickest, because each reads for itself
	// what they have in common.
	long = 1 << 27

	inCache      = 3 << 14  // elements of a product that are likely to be in cache, 384 KiB
	page         = 4096 / 8 // lines at a multiple of this distance are copied,
	fewLines     = 32       // unless they are no more than these
	packTogether = 8        // panels that are filled at a time
	leastPacked  = 1 << 13  // elements of storage for panels

	panelDepth      = 256           // columns taken out of others at a time: with these they stay in L2
	panelParallel   = 128           // rows from which on parts of a Cholesky factorisation are worth handing over
	inverseRows     = 3 * asm.Panel // rows of an inverse computed together
	inverseParallel = 96            // rows from which on parts of an inverse are worth handing over

	reflectTogether   = 16             // rows that a reflector is applied to at a time, for the cache
	qrAhead           = 1 << 14        // elements from which on the next block is computed while the last one is applied,
	qrAheadParts      = 8              // in at most so many parts
	transposeParallel = 1 << 18        // elements from which on a matrix is transposed by several processors,
	transposePart     = 16 * asm.Panel // so many rows at a time
	keptElements      = 1 << 18        // elements up to which storage to factorise rows in is kept, 2 MiB

	divideParallel = 96 // rows of the smallest tridiagonal matrix whose halves are worth handing over
	rootsParallel  = 64 // roots from which on they are worth handing over,
	rootsTogether  = 16 // so many at a time

	// chainsPerRow is how many rotations are collected for each row of a matrix before
	// they are applied: enough for the passes over the matrix not to matter, few enough
	// for the rotations to stay in cache beside a slab.
	chainsPerRow = 16

	// patience is how long somebody who waits stays awake: as long as most operations of
	// one thread between two of many, and twice as long as it may take to be woken up.
	patience = 200 * time.Microsecond
	looks    = 32 // between two looks at the clock and at who else wants to run
)

// panelBlock returns how many rows of a Cholesky factorisation are computed together, and
// how many of their columns. More of them ask less of memory, fewer make several
// processors wait less for each other.
func panelBlock(width int, alone bool) (rows, cols int) {
	const third = 3 * asm.Panel
	switch {
	case alone:
		return 6 * third, 128
	case width < 384:
		return third, third
	case width < 1536:
		return 2 * third, 2 * third
	default:
		return 4 * third, 128
	}
}
