//go:build hostkernel && !purego

package asm

import "unsafe"

// native returns the kernel that the host of this WebAssembly program provides, if it does and its bits are those of the
// definition, and dekker. Package host says how a host provides it.
func native() []*Kernel {
	if !hostFuses {
		return []*Kernel{&dekker}
	}
	return []*Kernel{&relaxed, &dekker}
}

// hostFuses says that the host provides the kernel.
var hostFuses = hostReady() != 0

// relaxed works with vectors of two elements and the fused multiply-add of relaxed instructions.
var relaxed = Kernel{
	name: "relaxed",
	vectors: vectors{
		dot:      dotRelaxed,
		axpy:     axpyRelaxed,
		axpyRows: axpyRowsRelaxed,
	},
	functions: functions{
		exp:           unaryRelaxed(hostExp),
		log:           unaryRelaxed(hostLog),
		tanh:          unaryRelaxed(hostTanh),
		tanhSech2:     tanhSech2Relaxed,
		tanhJet:       tanhJetRelaxed,
		sin:           nearOrFar(angleRelaxed(hostSin), Sin),
		cos:           nearOrFar(angleRelaxed(hostCos), Cos),
		sinCos:        nearOrFarPair(sinCosRelaxed),
		mulPolynomial: mulPolynomialRelaxed,
	},
	factors: factors{
		eliminateTiles: eliminateTilesRelaxed,
		transposeTiles: transposeTilesRelaxed,
	},
}

// at returns the address of the first element.
func at(x []float64) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(x)) }

// bytes returns a distance of n elements in bytes.
func bytes(n int) int32 { return int32(8 * n) }

func flag(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// Strip computes a strip of C.
func (k *Kernel) Strip(s *Strip) {
	if k != &relaxed {
		s.byTiles(arithmeticOf(k))
		return
	}
	// Whole tiles begin where the diagonal is past the last column.
	first, last := s.Rows, s.Rows
	if s.Cols == 4 {
		first = min((max(3-s.Diagonal, 0)+3)&^3, s.Rows)
		last = first + (s.Rows-first)&^3
	}
	edge := *s
	edge.Rows = first
	edge.byTiles(byHost)
	if first < last {
		a, c := s.A[min(first*s.LineA, len(s.A)):], s.C[first*s.LDC:]
		if s.Depth > 0 { // the host does not check bounds
			_ = a[(last-first-1)*s.LineA+(s.Depth-1)*s.StepA]
			_ = s.B[(s.Depth-1)*s.StepB+3]
		}
		_ = c[(last-first-1)*s.LDC+3]
		hostStrip(int32(s.Depth), at(a), bytes(s.LineA), bytes(s.StepA), at(s.B), bytes(s.StepB),
			s.Alpha, flag(s.Accumulate), at(c), bytes(s.LDC), int32((last-first)/4))
	}
	if last < s.Rows {
		edge.Rows, edge.Diagonal = s.Rows-last, s.Diagonal+last
		edge.A, edge.C = s.A[min(last*s.LineA, len(s.A)):], s.C[last*s.LDC:]
		edge.byTiles(byHost)
	}
}

// hostedProducts is arithmetic.products by the host.
func hostedProducts(depth int, a, b []float64, ab *[4][4]float64) {
	_, _ = a[:4*depth], b[:4*depth]
	hostProducts(int32(depth), at(a), at(b), unsafe.Pointer(ab))
}

func dotRelaxed(x, y []float64) float64 {
	var lane [lanes]float64
	y = y[:len(x)]
	hostDot(int32(len(x)), at(x), at(y), unsafe.Pointer(&lane))
	return fold(&lane, len(x))
}

func axpyRelaxed(alpha float64, x, y []float64) {
	y = y[:len(x)]
	hostAxpy(alpha, int32(len(x)), at(x), at(y))
}

func axpyRowsRelaxed(x, a []float64, lda int, y []float64) {
	if len(x) == 0 {
		return
	}
	_ = a[(len(x)-1)*lda:][:len(y)]
	hostAxpyRows(int32(len(x)), at(x), at(a), bytes(lda), int32(len(y)), at(y))
}

func unaryRelaxed(f func(n int32, dst, x, constants unsafe.Pointer)) func(dst, x []float64) {
	return func(dst, x []float64) {
		dst = dst[:len(x)]
		f(int32(len(x)), at(dst), at(x), unsafe.Pointer(&constantValues))
	}
}

func tanhSech2Relaxed(t, u, x []float64) {
	t, u = t[:len(x)], u[:len(x)]
	hostTanhSech2(int32(len(x)), at(t), at(u), at(x), unsafe.Pointer(&constantValues))
}

func tanhJetRelaxed(t, u, v, w, x []float64) {
	t, u, v, w = t[:len(x)], u[:len(x)], v[:len(x)], w[:len(x)]
	hostTanhJet(int32(len(x)), at(t), at(u), at(v), at(w), at(x), unsafe.Pointer(&constantValues))
}

func angleRelaxed(f func(n int32, dst, x, constants unsafe.Pointer) int32) func(dst, x []float64) bool {
	return func(dst, x []float64) bool {
		dst = dst[:len(x)]
		return f(int32(len(x)), at(dst), at(x), unsafe.Pointer(&constantValues)) != 0
	}
}

func sinCosRelaxed(s, c, x []float64) bool {
	s, c = s[:len(x)], c[:len(x)]
	return hostSinCos(int32(len(x)), at(s), at(c), at(x), unsafe.Pointer(&constantValues)) != 0
}

func mulPolynomialRelaxed(dst, p, w, v, c []float64, accumulate bool) {
	dst, w, v = dst[:len(p)], w[:len(p)], v[:len(p)]
	hostMulPolynomial(int32(len(p)), at(dst), at(p), at(w), at(v), int32(len(c)), at(c), flag(accumulate))
}

func eliminateTilesRelaxed(depth, panels int, a []float64, lda int, b, c []float64, ldc int, solve bool) {
	hostEliminate(int32(depth), int32(panels), at(a), bytes(lda), at(b), at(c), bytes(ldc), flag(solve))
}

func transposeTilesRelaxed(tiles int, dst []float64, ldd, stepD int, src []float64, lds, stepS int) {
	hostTranspose(int32(tiles), at(dst), bytes(ldd), bytes(stepD), at(src), bytes(lds), bytes(stepS))
}

//go:wasmimport bpielm ready
func hostReady() int32

//go:wasmimport bpielm strip
//go:noescape
func hostStrip(depth int32, a unsafe.Pointer, lineA, stepA int32, b unsafe.Pointer, stepB int32, alpha float64, accumulate int32, c unsafe.Pointer, ldc, tiles int32)

//go:wasmimport bpielm products
//go:noescape
func hostProducts(depth int32, a, b, sums unsafe.Pointer)

//go:wasmimport bpielm eliminate
//go:noescape
func hostEliminate(depth, panels int32, a unsafe.Pointer, lda int32, b, c unsafe.Pointer, ldc, solve int32)

//go:wasmimport bpielm dot
//go:noescape
func hostDot(n int32, x, y, lanes unsafe.Pointer)

//go:wasmimport bpielm axpy
//go:noescape
func hostAxpy(alpha float64, n int32, x, y unsafe.Pointer)

//go:wasmimport bpielm axpyRows
//go:noescape
func hostAxpyRows(rows int32, x, a unsafe.Pointer, lda, n int32, y unsafe.Pointer)

//go:wasmimport bpielm mulPolynomial
//go:noescape
func hostMulPolynomial(n int32, dst, p, w, v unsafe.Pointer, coefficients int32, c unsafe.Pointer, accumulate int32)

//go:wasmimport bpielm transpose
//go:noescape
func hostTranspose(tiles int32, dst unsafe.Pointer, ldd, stepD int32, src unsafe.Pointer, lds, stepS int32)

//go:wasmimport bpielm fma
func hostFMA(x, y, z float64) float64

//go:wasmimport bpielm exp
//go:noescape
func hostExp(n int32, dst, x, constants unsafe.Pointer)

//go:wasmimport bpielm log
//go:noescape
func hostLog(n int32, dst, x, constants unsafe.Pointer)

//go:wasmimport bpielm tanh
//go:noescape
func hostTanh(n int32, dst, x, constants unsafe.Pointer)

//go:wasmimport bpielm tanhSech2
//go:noescape
func hostTanhSech2(n int32, t, u, x, constants unsafe.Pointer)

//go:wasmimport bpielm tanhJet
//go:noescape
func hostTanhJet(n int32, t, u, v, w, x, constants unsafe.Pointer)

//go:wasmimport bpielm sin
//go:noescape
func hostSin(n int32, dst, x, constants unsafe.Pointer) int32

//go:wasmimport bpielm cos
//go:noescape
func hostCos(n int32, dst, x, constants unsafe.Pointer) int32

//go:wasmimport bpielm sinCos
//go:noescape
func hostSinCos(n int32, s, c, x, constants unsafe.Pointer) int32
