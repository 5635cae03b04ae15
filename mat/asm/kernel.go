package asm

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync/atomic"
)

// Kernel describes an instruction set: its functions, and the block sizes of products that
// suit them. It does not change after program start.
//
// complete fills in what a descriptor leaves out, so callers need not ask.
type Kernel struct {
	name string
	sizes
	vectors
	functions
	factors
}

// vectors are the functions on vectors and on the rows of a matrix.
type vectors struct {
	dot      func(x, y []float64) float64
	sum      func(x []float64) float64
	axpy     func(alpha float64, x, y []float64)
	axpyRows func(x, a []float64, lda int, y []float64)
	dotRows  func(dst, a []float64, lda int, x []float64)
	scale    func(alpha float64, x []float64)
	rotate   func(c, s float64, x, y []float64)
	peak     func(iterations int) (flops int)
}

// factors are the functions of factorisations.
type factors struct {
	eliminate      func(depth, panels int, a []float64, lda int, b, c []float64, ldc int, from, to Rows, solve, diagonal bool)
	eliminateTiles func(depth, panels int, a []float64, lda int, b, c []float64, ldc int, solve bool)
	factor         func(depth int, b, c, pivots []float64)
	transposeTiles func(tiles int, dst []float64, ldd, stepD int, src []float64, lds, stepS int)
	rotateChain    func(t, s, slab []float64, width, first, step int)
	rotateChains   func(t1, s1, t2, s2, slab []float64, width, first, step int)
	rotateRows     func(c, s, x, a []float64, lda int, v, y []float64)
	bidiagonalRows func(u, w, v []float64, tau float64, head int, a []float64, lda int, p []float64)
	symRow         func(vr, wr, xr float64, row, v, w, x, p []float64) float64
	symRowPair     func(r int, a []float64, lda int, v, w, x, p []float64) (first, second float64)
	secularSums    func(origin, shift float64, d, z []float64) (value, slope float64)
	secularVector  func(origin, shift float64, d, z, v []float64) float64
	loewnerRatios  func(origin, shift, pole float64, d, product []float64)
}

// complete fills in the functions that k leaves out: with those of generic or, where that is
// faster, with compositions of functions that k has. It returns k.
func (k *Kernel) complete() *Kernel {
	if k.mr == 0 {
		k.sizes = sizesOfTiles
	}
	fill(&k.dot, genericDot)
	fill(&k.sum, genericSum)
	fill(&k.axpy, genericAxpy)
	fill(&k.axpyRows, genericAxpyRows)
	fill(&k.dotRows, k.dotRowsByDot)
	fill(&k.scale, genericScale)
	fill(&k.rotate, genericRotate)
	fill(&k.peak, genericPeak)

	f, g := &k.functions, &genericFunctions
	fill(&f.exp, g.exp)
	fill(&f.log, g.log)
	fill(&f.sin, g.sin)
	fill(&f.cos, g.cos)
	fill(&f.tanh, g.tanh)
	fill(&f.sinCos, g.sinCos)
	fill(&f.tanhSech2, g.tanhSech2)
	fill(&f.tanhJet, g.tanhJet)
	fill(&f.mulPolynomial, g.mulPolynomial)

	fill(&k.eliminate, k.eliminateByTiles)
	fill(&k.eliminateTiles, genericEliminateTiles)
	fill(&k.factor, k.factorByAxpy)
	fill(&k.transposeTiles, genericTransposeTiles)
	fill(&k.rotateChain, k.rotateChainByAxpy)
	fill(&k.rotateChains, k.rotateChainsInTurn)
	fill(&k.rotateRows, k.rotateRowsByAxpy)
	fill(&k.bidiagonalRows, k.bidiagonalRowsByVectors)
	fill(&k.symRow, k.symRowByVectors)
	fill(&k.symRowPair, k.symRowPairByRow)
	fill(&k.secularSums, genericSecularSums)
	fill(&k.secularVector, k.secularVectorByDot)
	fill(&k.loewnerRatios, genericLoewnerRatios)
	return k
}

// fill sets *member to f unless it is set.
func fill[F any](member *F, f F) {
	if reflect.ValueOf(member).Elem().IsNil() {
		*member = f
	}
}

// Name returns the name of the kernel, as in BPIELM_KERNEL and Use.
func (k *Kernel) Name() string { return k.name }

// Dot returns the inner product of x and y, which have the same length.
//
// Term i goes to lane i mod 32. Each lane is one accumulator that starts at +0 and takes its
// terms in ascending order by fused multiply-add. The lanes are then added by halves: lane
// l+16 to lane l, then l+8, l+4, l+2, l+1. Longer vectors are split into stretches of 8192
// elements, whose results are added in order.
func (k *Kernel) Dot(x, y []float64) float64 {
	n := min(len(x), stretch)
	s := k.dot(x[:n], y[:n])
	for len(x) > stretch {
		x, y = x[stretch:], y[stretch:]
		n = min(len(x), stretch)
		s += k.dot(x[:n], y[:n])
	}
	return s
}

// Sum returns the sum of x, with the lanes, halves and stretches of Dot and plain additions.
func (k *Kernel) Sum(x []float64) float64 {
	s := k.sum(x[:min(len(x), stretch)])
	for len(x) > stretch {
		x = x[stretch:]
		s += k.sum(x[:min(len(x), stretch)])
	}
	return s
}

// Axpy sets y[i] = fma(alpha, x[i], y[i]). x and y have the same length.
func (k *Kernel) Axpy(alpha float64, x, y []float64) {
	y = y[:len(x)]
	for ; len(x) > stretch; x, y = x[stretch:], y[stretch:] {
		k.axpy(alpha, x[:stretch], y[:stretch])
	}
	k.axpy(alpha, x, y)
}

// AxpyRows sets y = y + x'A, where A has len(x) rows of len(y) elements and leading dimension
// lda: y[j] = fma(x[i], A[i][j], y[j]) for ascending i.
func (k *Kernel) AxpyRows(x, a []float64, lda int, y []float64) {
	if len(x) == 0 || len(y) == 0 {
		return
	}
	for ; len(y) > stretch; a, y = a[stretch:], y[stretch:] {
		k.axpyColumns(x, a, lda, y[:stretch])
	}
	k.axpyColumns(x, a, lda, y)
}

// axpyColumns is AxpyRows for at most a stretch of columns. It only reads the rows, in order,
// which is fast: four stretches of elements take no longer than one of a function that also
// writes.
func (k *Kernel) axpyColumns(x, a []float64, lda int, y []float64) {
	rows := max(4*stretch/len(y)&^7, 8)
	for ; len(x) > rows; x, a = x[rows:], a[rows*lda:] {
		k.axpyRows(x[:rows], a[:(rows-1)*lda+len(y)], lda, y)
	}
	k.axpyRows(x, a[:(len(x)-1)*lda+len(y)], lda, y)
}

// Rotate applies a plane rotation: x[i], y[i] become c*x[i] + s*y[i] and c*y[i] - s*x[i],
// where both products are rounded before they are added.
func (k *Kernel) Rotate(c, s float64, x, y []float64) {
	y = y[:len(x)]
	for ; len(x) > stretch; x, y = x[stretch:], y[stretch:] {
		k.rotate(c, s, x[:stretch], y[:stretch])
	}
	k.rotate(c, s, x, y)
}

// UnknownKernelError reports a request for a kernel that does not run here.
type UnknownKernelError struct {
	Name string   // the requested name
	Have []string // kernels that run here, fastest first
}

func (e *UnknownKernelError) Error() string {
	return fmt.Sprintf("kernel %q does not run here: have %s", e.Name, strings.Join(e.Have, ", "))
}

var (
	kernels          = complete(append(native(), &generic)) // fastest first
	active           atomic.Pointer[Kernel]
	environmentError error
)

func complete(kernels []*Kernel) []*Kernel {
	for _, k := range kernels {
		k.complete()
	}
	return kernels
}

func init() {
	active.Store(kernels[0])
	if name := os.Getenv("BPIELM_KERNEL"); name != "" {
		environmentError = Use(name)
	}
}

// Active returns the kernel in use. A public operation loads it once, so that it uses the same
// kernel throughout.
func Active() *Kernel { return active.Load() }

// All returns the kernels that run on this machine, fastest first.
func All() []*Kernel { return append([]*Kernel(nil), kernels...) }

// Use makes the named kernel the active one, or returns an *UnknownKernelError.
func Use(name string) error {
	var have []string
	for _, k := range kernels {
		if k.name == name {
			active.Store(k)
			return nil
		}
		have = append(have, k.name)
	}
	return &UnknownKernelError{Name: name, Have: have}
}

// EnvironmentError returns an error if the variable BPIELM_KERNEL names a kernel that does not
// run here, in which case the fastest is in use. Otherwise it returns nil.
func EnvironmentError() error { return environmentError }
