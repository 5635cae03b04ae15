//go:build arm64 && !purego

package asm

// native returns the assembly kernels that this machine runs, the fastest first.
// Every arm64 processor that Go runs on has NEON.
func native() []*Kernel { return []*Kernel{&neon} }

var neon = Kernel{
	name: "neon",
	mr:   8, nr: 6,
	mc:    blockRows(8),
	nc:    blockCols(6),
	stay:  256,
	tile:  tileNEON,
	strip: stripNEON,

	vectors: vectors{
		dot:      dotNEON,
		sum:      sumNEON,
		axpy:     axpyNEON,
		axpyRows: axpyRowsNEON,
		rotate:   rotateNEON,
		peak:     func(iterations int) int { peakNEON(iterations); return iterations * 24 * 2 * 2 },
	},
	functions: functionsNEON,
	factors: factors{
		eliminateTiles: eliminateTilesNEON,
		rotateChain:    rotateChainNEON,
	},
}

//go:noescape
func tileNEON(depth int, alpha float64, a, b []float64, accumulate bool, c []float64, ldc int)

//go:noescape
func stripNEON(depth int, alpha float64, a []float64, lineA, stepA int, b []float64, stepB int, accumulate bool, c []float64, ldc, rows, cols, diagonal, aheadA, aheadB int)

//go:noescape
func dotNEON(x, y []float64) float64

//go:noescape
func sumNEON(x []float64) float64

//go:noescape
func axpyNEON(alpha float64, x, y []float64)

//go:noescape
func axpyRowsNEON(x, a []float64, lda int, y []float64)

//go:noescape
func rotateNEON(c, s float64, x, y []float64)

//go:noescape
func peakNEON(iterations int)
