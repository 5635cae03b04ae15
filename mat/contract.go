package mat

import "github.com/bpielm/bpielm/mat/asm"

// The sizes in this file determine the bits of results: where a sum is split, and where
// one algorithm takes over from another. They are the same on every machine. Changing one
// changes results, and with them the digests in golden_test.go. The kernels' own are in
// asm/contract.go. Sizes that only affect speed are in tuning.go.
const (
	// A product with a small C splits its terms into parts: see product.depthParts.
	maxParts     = 16
	partTerms    = 2048
	partElements = 512 * 512 // largest C, in elements

	trsmBlock = 16 // rows of a triangle solved by substitution; Gemm does the rest

	// Reflectors of a QR factorisation.
	qrPanel    = asm.Panel     // reflectors applied one by one
	qrBlock    = 4 * qrPanel   // reflectors in a compact WY block
	qrWide     = 2 * qrBlock   // the same in large factorisations
	qrMany     = 256           // reflectors that make a factorisation large
	qrTall     = 2 * partTerms // rows from which products may split their terms
	qrTogether = 192           // columns of A that a block is applied to at a time
	qrNarrow   = 4             // columns from which Q is applied block by block
	pivotBlock = 32            // reflectors between updates of the trailing columns

	// Reflectors of a bidiagonal or tridiagonal reduction.
	reflectorBlock  = 32 // reflectors in a compact WY block
	blockWorthwhile = 6  // rows from which blocks are used
	lineElements    = 8  // rows are zero-padded to multiples of a cache line

	// Rows from which a product with a symmetric matrix is split into two and four parts.
	twoParts  = 192
	fourParts = 512

	gramBlock = 2 * asm.KC // rows that a Gram adds at a time
	tsqrBlock = 1024       // least number of rows that a TSQR reduces at a time

	divideLeaf  = 32 // rows of the largest tridiagonal matrix that is not divided
	jacobiBlock = 16 // rows visited together, to stay in cache
	jacobiGroup = 16 // least number of rows to precondition by an eigendecomposition
)
