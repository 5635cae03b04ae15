//go:build amd64 && !purego

package asm

import "golang.org/x/sys/cpu"

// native returns the assembly kernels that this machine runs, the fastest first.
// The flags of package cpu are set only if the operating system saves the registers.
func native() []*Kernel {
	var run []*Kernel
	haveAVX2 := cpu.X86.HasAVX2 && cpu.X86.HasFMA
	if haveAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512CD && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL {
		run = append(run, &avx512)
	}
	return run
}

var avx512 = Kernel{
	name: "avx512",
	mr:   8, nr: 24,
	mc:       blockRows(8),
	nc:       blockCols(24),
	tile:     tileAVX512,
	edge:     edgeAVX512,
	dot:      dotAVX512,
	sum:      sumAVX512,
	axpy:     axpyAVX512,
	axpyRows: axpyRowsAVX512,
	rotate:   rotateAVX512,
	peak:     func(iterations int) int { peakAVX512(iterations); return iterations * 24 * 8 * 2 },
}

//go:noescape
func tileAVX512(depth int, alpha float64, a, b []float64, accumulate bool, c []float64, ldc int)

//go:noescape
func edgeAVX512(depth int, alpha float64, a, b []float64, accumulate bool, c []float64, ldc, rows, cols, diagonal int)

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
