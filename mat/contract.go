package mat

import "github.com/bpielm/bpielm/mat/asm"

// The sizes in this file decide bits: where a sum is cut in parts, and where one way to
// compute a result ends and another begins. They are the same on every machine. To change
// one is to change results, and with them the digests of golden_test.go. Those of the
// kernels are in asm/contract.go. What decides speed alone is in tuning.go.
const (
	// The terms of a product whose C is small are cut in parts: see product.depthParts.
	mostParts    = 16
	partTerms    = 2048
	partElements = 512 * 512 // of C, at most

	trsmBlock = 16 // rows of a triangle that are solved by substitution; the rest is Gemm

	// Reflectors of a QR factorisation.
	qrPanel    = asm.Panel     // applied one by one
	qrBlock    = 4 * qrPanel   // gathered into one compact WY block
	qrWide     = 2 * qrBlock   // the same, where there are many
	qrMany     = 256           // reflectors from which on blocks are wide
	qrTall     = 2 * partTerms // rows from which on the terms of products are cut in parts
	qrTogether = 192           // columns of A that a block is applied to at a time
	qrNarrow   = 4             // columns from which on Q is applied block by block
	pivotBlock = 32            // reflectors after which pivoted columns are brought up to date

	// Reflectors of a bidiagonal or tridiagonal matrix.
	reflectorBlock  = 32 // gathered into one compact WY block
	blockWorthwhile = 6  // rows from which on they are gathered
	lineElements    = 8  // rows begin and end with lines of the cache, filled up with zeros

	// Rows from which on the product with a symmetric matrix is cut in two and in four.
	twoParts  = 192
	fourParts = 512

	gramBlock = 2 * asm.KC // rows that a Gram adds at a time
	tsqrBlock = 1024       // rows that are reduced together at least, many beside the triangle

	divideLeaf  = 32 // rows of the largest tridiagonal matrix that is not torn
	jacobiBlock = 16 // rows visited together, for the cache
	jacobiGroup = 16 // rows that are worth a decomposition of their own
)
