//go:build arm64 && !purego

package asm

// native returns the assembly kernels that this machine supports, fastest first. Every
// arm64 processor that Go supports has NEON.
func native() []*Kernel { return []*Kernel{&neon} }

var neon = Kernel{
	name: "neon",
	sizes: sizes{
		mr: 8, nr: 6,
		mc:     blockRows(8),
		nc:     blockCols(6),
		stay:   256,
		panelA: 8, panelB: 6,
	},

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

// Strip computes a strip of C. It calls the assembly by name, because an argument of a
// function value would escape to the heap.
func (k *Kernel) Strip(s *Strip) {
	switch k {
	case &neon:
		stripNEON(s)
	default:
		s.byTiles(arithmeticOf(k))
	}
}

//go:noescape
func stripNEON(s *Strip)

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
