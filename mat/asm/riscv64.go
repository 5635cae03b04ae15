//go:build riscv64 && !purego

package asm

import "golang.org/x/sys/cpu"

// native returns the assembly kernels that this machine supports, fastest first.
func native() []*Kernel {
	if cpu.RISCV64.HasV {
		return []*Kernel{&rvv}
	}
	return nil
}

// rvv works with registers of 128 bits or more, of which it uses the same elements.
var rvv = Kernel{
	name: "rvv",
	sizes: sizes{
		mr: 4, nr: 8,
		mc:     blockRows(4),
		nc:     blockCols(8),
		stay:   256,
		panelA: 8, panelB: 8,
	},

	vectors: vectors{
		dot:      dotRVV,
		sum:      sumRVV,
		axpy:     axpyRVV,
		axpyRows: axpyRowsRVV,
		scale:    scaleRVV,
		rotate:   rotateRVV,
	},
}

// Strip computes a strip of C. It calls the assembly by name, because an argument of a
// function value would escape to the heap.
func (k *Kernel) Strip(s *Strip) {
	switch k {
	case &rvv:
		stripRVV(s)
	default:
		s.byTiles(arithmeticOf(k))
	}
}

//go:noescape
func stripRVV(s *Strip)

//go:noescape
func dotRVV(x, y []float64) float64

//go:noescape
func sumRVV(x []float64) float64

//go:noescape
func axpyRVV(alpha float64, x, y []float64)

//go:noescape
func axpyRowsRVV(x, a []float64, lda int, y []float64)

//go:noescape
func scaleRVV(alpha float64, x []float64)

//go:noescape
func rotateRVV(c, s float64, x, y []float64)
