package mat

import (
	"time"

	"github.com/bpielm/bpielm/mat/asm"
)

// The sizes in this file affect speed but no bits, as do those in the descriptors of
// package asm.
const (
	// minPartWork is the least number of multiply-adds in a part of a product: about 6
	// microseconds, a few times what it takes to hand a part to a worker that is awake, and
	// about what it takes to wake one.
	minPartWork = 3 << 17

	// maxSmallWork is the largest number of multiply-adds for smallGemm: too few to share.
	maxSmallWork = 2*minPartWork - 1

	// longPartWork is the least number of multiply-adds in a part when processors get several,
	// up to four, of a millisecond each. Several parts shorten the wait for a processor that
	// is interrupted, and keep C of a part in cache until its next terms come, which helps
	// a single processor too. Otherwise fewer parts are faster, as each part reads all of
	// what they share.
	longPartWork = 1 << 27

	cacheElements = 3 << 14  // elements of a product that probably fit in cache, 384 KiB
	pageElements  = 4096 / 8 // lines at a multiple of this distance are packed,
	fewLines      = 32       // unless there are at most this many
	packTogether  = 8        // panels that are filled at a time
	minPacked     = 1 << 13  // least capacity of packed panels, in elements

	panelDepth      = 256           // columns eliminated at a time, so that they stay in L2
	panelParallel   = 128           // rows from which a Cholesky factorisation is shared
	inverseRows     = 3 * asm.Panel // rows of an inverse computed together
	inverseParallel = 96            // rows from which an inverse is shared

	reflectTogether   = 16             // rows that a reflector is applied to at a time, to stay in cache
	qrAhead           = 1 << 14        // elements from which QR uses lookahead,
	qrAheadParts      = 8              // in at most this many parts
	transposeParallel = 1 << 18        // elements from which a transpose is shared,
	transposePart     = 16 * asm.Panel // this many rows at a time
	keptElements      = 1 << 18        // elements up to which TSQR.Triangle keeps its storage, 2 MiB

	divideParallel = 96 // rows from which the halves of a tridiagonal matrix are shared
	rootsParallel  = 64 // roots from which a secular equation is shared,
	rootsTogether  = 16 // this many roots at a time

	// chainsPerRow is how many rotations per row of a matrix are collected before they are
	// applied: enough to make the cost of passes over the matrix negligible, but few enough
	// for the rotations to stay in cache beside a slab.
	chainsPerRow = 16

	// pollTime is how long a waiting goroutine polls before it sleeps: as long as most
	// single-threaded operations between two parallel ones last, and twice as long as
	// waking up may take.
	pollTime = 200 * time.Microsecond
	polls    = 32 // polls before it yields and reads the clock
)

// panelBlock returns the numbers of rows and columns in a block of a Cholesky
// factorisation. Large blocks take less memory bandwidth; with small ones processors
// wait less for each other.
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
