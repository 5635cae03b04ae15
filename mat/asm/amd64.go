//go:build amd64 && !purego

package asm

import "golang.org/x/sys/cpu"

// native returns the assembly kernels that this machine supports, fastest first. Package
// cpu sets its flags only if the operating system saves the registers.
func native() []*Kernel {
	x := &cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasFMA:
		return nil
	case !x.HasAVX512F || !x.HasAVX512CD || !x.HasAVX512BW || !x.HasAVX512DQ || !x.HasAVX512VL:
		return []*Kernel{&avx2}
	default:
		return []*Kernel{&avx512, &avx2}
	}
}

var avx512 = Kernel{
	name: "avx512",
	sizes: sizes{
		mr: 8, nr: 24,
		mc:   blockRows(8),
		nc:   blockCols(24),
		stay: 4096,
	},

	vectors: vectors{
		dot:      dotAVX512,
		sum:      sumAVX512,
		axpy:     axpyAVX512,
		axpyRows: axpyRowsAVX512,
		dotRows:  dotRowsAVX512,
		scale:    scaleAVX512,
		rotate:   rotateAVX512,
		peak:     func(iterations int) int { peakAVX512(iterations); return iterations * 24 * 8 * 2 },
	},
	functions: functionsAVX512,
	factors: factors{
		eliminate:      eliminateAVX512,
		factor:         factorAVX512,
		transposeTiles: transposeTilesAVX512,
		rotateChain:    rotateChainAVX512,
		rotateChains:   rotateChainsAVX512,
		rotateRows:     rotateRowsAVX512,
		bidiagonalRows: bidiagonalRowsAVX512,
		symRow:         symRowAVX512,
		symRowPair:     symRowPairAVX512,
		secularSums:    secularSumsAVX512,
		secularVector:  secularVectorAVX512,
		loewnerRatios:  loewnerRatiosAVX512,
	},
}

var avx2 = Kernel{
	name: "avx2",
	sizes: sizes{
		mr: 4, nr: 12,
		mc:   blockRows(4),
		nc:   blockCols(12),
		stay: 4096,
	},

	vectors: vectors{
		dot:      dotAVX2,
		sum:      sumAVX2,
		axpy:     axpyAVX2,
		axpyRows: axpyRowsAVX2,
		scale:    scaleAVX2,
		rotate:   rotateAVX2,
		peak:     func(iterations int) int { peakAVX2(iterations); return iterations * 12 * 4 * 2 },
	},
	functions: functionsAVX2,
	factors: factors{
		eliminateTiles: eliminateTilesAVX2,
		transposeTiles: transposeTilesAVX2,
		rotateChain:    rotateChainAVX2,
		symRow:         symRowAVX2,
	},
}

// Strip computes a strip of C. It calls the assembly by name, because an argument of a
// function value would escape to the heap.
func (k *Kernel) Strip(s *Strip) {
	switch k {
	case &avx512:
		stripAVX512(s)
	case &avx2:
		stripAVX2(s)
	default:
		s.byTiles(arithmeticOf(k))
	}
}

//go:noescape
func stripAVX512(s *Strip)

//go:noescape
func dotAVX512(x, y []float64) float64

//go:noescape
func sumAVX512(x []float64) float64

//go:noescape
func axpyAVX512(alpha float64, x, y []float64)

//go:noescape
func axpyRowsAVX512(x, a []float64, lda int, y []float64)

//go:noescape
func rotateAVX512(c, s float64, x, y []float64)

//go:noescape
func peakAVX512(iterations int)

//go:noescape
func stripAVX2(s *Strip)

//go:noescape
func dotAVX2(x, y []float64) float64

//go:noescape
func sumAVX2(x []float64) float64

//go:noescape
func axpyAVX2(alpha float64, x, y []float64)

//go:noescape
func axpyRowsAVX2(x, a []float64, lda int, y []float64)

//go:noescape
func rotateAVX2(c, s float64, x, y []float64)

//go:noescape
func peakAVX2(iterations int)
