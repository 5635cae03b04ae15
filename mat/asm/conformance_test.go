package asm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"
)

// These tests compare every kernel that runs here, bit for bit, with plain implementations of
// the definitions in kernel.go.

func TestRequiredKernelsRun(t *testing.T) {
	names := os.Getenv("BPIELM_REQUIRE_KERNEL")
	if names == "" {
		t.Skip("BPIELM_REQUIRE_KERNEL is not set")
	}
	for _, name := range strings.Split(names, ",") {
		if kernelNamed(name) == nil {
			t.Errorf("kernel %q does not run here", name)
		}
	}
}

func kernelNamed(name string) *Kernel {
	for _, k := range All() {
		if k.Name() == name {
			return k
		}
	}
	return nil
}

func forEachKernel(t *testing.T, test func(t *testing.T, k *Kernel)) {
	for _, k := range All() {
		t.Run(k.Name(), func(t *testing.T) { test(t, k) })
	}
}

// sentinel is a NaN with a payload, in storage that nothing may touch.
var sentinel = math.Float64frombits(0x7ff8_dead_beef_0001)

func sentinels(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = sentinel
	}
	return x
}

func isSentinel(v float64) bool { return math.Float64bits(v) == math.Float64bits(sentinel) }

// same reports whether two results have the same bits or are both NaN.
func same(u, v float64) bool {
	return math.Float64bits(u) == math.Float64bits(v) || math.IsNaN(u) && math.IsNaN(v)
}

// firstDifference returns the first index at which got and want differ, or -1.
func firstDifference(got, want []float64) int {
	for i := range want {
		if !same(got[i], want[i]) {
			return i
		}
	}
	return -1
}

// A filling is a kind of operand.
type filling struct {
	name  string
	value func(r *rand.Rand) float64
}

var fillings = []filling{
	{"normal", func(r *rand.Rand) float64 { return r.NormFloat64() }},
	{"wide range", func(r *rand.Rand) float64 { return math.Ldexp(r.NormFloat64(), r.IntN(120)-60) }},
	{"near underflow", func(r *rand.Rand) float64 {
		switch r.IntN(6) {
		case 0:
			return math.Copysign(0, r.NormFloat64())
		case 1:
			return math.Ldexp(r.NormFloat64(), -1070) // subnormal
		}
		return math.Ldexp(r.NormFloat64(), -535)
	}},
	{"NaN and Inf", func(r *rand.Rand) float64 {
		switch r.IntN(40) {
		case 0:
			return math.NaN()
		case 1:
			return math.Inf(1)
		case 2:
			return math.Inf(-1)
		case 3:
			return 0
		}
		return r.NormFloat64()
	}},
}

func (f filling) vector(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = f.value(r)
	}
	return x
}

// product returns the mr x nr products of packed panels by the definition.
func product(depth int, a, b []float64, mr, nr int) []float64 {
	ab := make([]float64, mr*nr)
	for p := range depth {
		for i := range mr {
			for j := range nr {
				ab[i*nr+j] = math.FMA(a[p*mr+i], b[p*nr+j], ab[i*nr+j])
			}
		}
	}
	return ab
}

// packedStrip returns a tile from packed panels: A of MR rows and B of NR columns.
func packedStrip(k *Kernel, depth int, alpha float64, a, b []float64, accumulate bool, c []float64, ldc, rows, cols int) *Strip {
	return &Strip{
		Depth: depth, Alpha: alpha,
		A: a, LineA: 1, StepA: k.MR(), B: b, StepB: k.NR(),
		Accumulate: accumulate, C: c, LDC: ldc, Rows: rows, Cols: cols, Diagonal: cols,
	}
}

// tileCase is a call of Strip for a tile of packed panels, with the expected result.
type tileCase struct {
	depth            int
	alpha            float64
	accumulate       bool
	rows, cols       int
	lower            bool
	diagonal         int
	ldc              int
	a, b, ab, before []float64 // before: elements of C, MR*NR at least
}

func (c *tileCase) String() string {
	return fmt.Sprintf("depth %d, alpha %g, accumulate %v, %d x %d, lower %v, diagonal %d", c.depth, c.alpha, c.accumulate, c.rows, c.cols, c.lower, c.diagonal)
}

func (c *tileCase) check(t *testing.T, k *Kernel) {
	t.Helper()
	got := sentinels((c.rows-1)*c.ldc + c.cols)
	want := sentinels(len(got))
	for i := range c.rows {
		width := c.cols
		if c.lower {
			width = max(0, min(c.cols, c.diagonal+i+1))
		}
		for j := range width {
			at := i*c.ldc + j
			ab := c.ab[i*k.NR()+j]
			if c.accumulate {
				got[at] = c.before[i*k.NR()+j]
				want[at] = math.FMA(c.alpha, ab, got[at])
			} else {
				want[at] = c.alpha * ab
			}
		}
	}
	s := packedStrip(k, c.depth, c.alpha, c.a, c.b, c.accumulate, got, c.ldc, c.rows, c.cols)
	if c.lower {
		s.Diagonal = c.diagonal
	}
	k.Strip(s)
	for at, v := range want {
		if isSentinel(v) != isSentinel(got[at]) {
			t.Fatalf("%v: element (%d, %d) must not be touched", c, at/c.ldc, at%c.ldc)
		}
		if !same(got[at], v) {
			t.Fatalf("%v: element (%d, %d) is %v, not %v", c, at/c.ldc, at%c.ldc, got[at], v)
		}
	}
}

var alphas = []float64{1, -1, 0, 0.5, math.Inf(1)}

func depths() []int {
	var all []int
	for d := range 71 {
		all = append(all, d)
	}
	return append(all, 127, 128, 129, 251, 252, 253, 254, 255, 256, 257, 258, 259, 260)
}

func TestTileAtEveryDepth(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernel) {
		r := rand.New(rand.NewPCG(1, 1))
		for _, f := range fillings {
			for _, depth := range depths() {
				c := tileCase{depth: depth, a: f.vector(r, depth*k.MR()), b: f.vector(r, depth*k.NR()), before: f.vector(r, k.MR()*k.NR())}
				c.ab = product(depth, c.a, c.b, k.MR(), k.NR())
				for _, c.alpha = range alphas {
					for _, c.accumulate = range []bool{false, true} {
						for shape := range 3 { // a full tile and two partial ones
							c.rows, c.cols = k.MR(), k.NR()
							if shape > 0 {
								c.rows, c.cols = 1+r.IntN(k.MR()), 1+r.IntN(k.NR())
							}
							c.ldc = c.cols + r.IntN(4)
							c.check(t, k)
						}
					}
				}
			}
		}
	})
}

func TestTileAtEveryEdge(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernel) {
		r := rand.New(rand.NewPCG(2, 1))
		for _, depth := range []int{0, 1, 6, 33} {
			a, b := fillings[0].vector(r, depth*k.MR()), fillings[0].vector(r, depth*k.NR())
			ab := product(depth, a, b, k.MR(), k.NR())
			before := fillings[0].vector(r, k.MR()*k.NR())
			for rows := 1; rows <= k.MR(); rows++ {
				for cols := 1; cols <= k.NR(); cols++ {
					// What pads the panels does not matter.
					a, b := append([]float64(nil), a...), append([]float64(nil), b...)
					for p := range depth {
						for i := rows; i < k.MR(); i++ {
							a[p*k.MR()+i] = math.NaN()
						}
						for j := cols; j < k.NR(); j++ {
							b[p*k.NR()+j] = math.NaN()
						}
					}
					c := tileCase{depth: depth, rows: rows, cols: cols, a: a, b: b, ab: ab, before: before}
					for _, c.accumulate = range []bool{false, true} {
						c.alpha = alphas[r.IntN(len(alphas))]
						c.ldc = cols + r.IntN(3)
						c.lower = false
						c.check(t, k)
						c.lower = true
						for c.diagonal = -k.MR() - 1; c.diagonal <= k.NR(); c.diagonal++ {
							c.check(t, k)
						}
					}
				}
			}
		}
	})
}

// dotByDefinition implements the comment of Kernel.Dot, or with one vector that of Sum.
func dotByDefinition(x, y []float64) float64 {
	total := 0.0
	for first := 0; first == 0 || first < len(x); first += 8192 {
		var lane [32]float64
		for i := first; i < min(first+8192, len(x)); i++ {
			if y == nil {
				lane[i%32] += x[i]
			} else {
				lane[i%32] = math.FMA(x[i], y[i], lane[i%32])
			}
		}
		for half := 16; half > 0; half /= 2 {
			for l := range half {
				lane[l] += lane[l+half]
			}
		}
		if first == 0 {
			total = lane[0]
		} else {
			total += lane[0]
		}
	}
	return total
}

// lengths are the lengths at which the vector functions are tested.
func lengths() []int {
	var all []int
	for n := range 201 {
		all = append(all, n)
	}
	return append(all, 255, 256, 257, 1000, 8191, 8192, 8193, 20000)
}

// framed returns a copy of x at the given offset from approximately a 64-byte boundary, with
// sentinels around it, and a function that checks these.
func framed(x []float64, offset int) (inner []float64, untouched func() bool) {
	const margin = 40
	outer := sentinels(len(x) + 2*margin + offset)
	inner = outer[margin+offset:][:len(x):len(x)]
	copy(inner, x)
	return inner, func() bool {
		for i, v := range outer {
			if (i < margin+offset || i >= margin+offset+len(x)) && !isSentinel(v) {
				return false
			}
		}
		return true
	}
}

func forEachVector(t *testing.T, test func(t *testing.T, k *Kernel, r *rand.Rand, f filling, n, offset int)) {
	forEachKernel(t, func(t *testing.T, k *Kernel) {
		r := rand.New(rand.NewPCG(3, 1))
		for _, f := range fillings {
			for _, n := range lengths() {
				test(t, k, r, f, n, r.IntN(8))
				if t.Failed() {
					t.Fatalf("%s, length %d", f.name, n)
				}
			}
		}
	})
}

func TestDot(t *testing.T) {
	forEachVector(t, func(t *testing.T, k *Kernel, r *rand.Rand, f filling, n, offset int) {
		x, _ := framed(f.vector(r, n), offset)
		y, _ := framed(f.vector(r, n), r.IntN(8))
		if got, want := k.Dot(x, y), dotByDefinition(x, y); !same(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

func TestSum(t *testing.T) {
	forEachVector(t, func(t *testing.T, k *Kernel, r *rand.Rand, f filling, n, offset int) {
		x, _ := framed(f.vector(r, n), offset)
		if got, want := k.Sum(x), dotByDefinition(x, nil); !same(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

// If all terms underflow, or are all -0, the sum is a zero whose sign the unused lanes must
// not change.
func TestDotOfUnderflowingTerms(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernel) {
		for n := range 100 {
			x, y := make([]float64, n), make([]float64, n)
			for i := range x {
				x[i], y[i] = -math.SmallestNonzeroFloat64, math.SmallestNonzeroFloat64
			}
			if got, want := k.Dot(x, y), dotByDefinition(x, y); !same(got, want) {
				t.Errorf("length %d: got %v, want %v", n, got, want)
			}
		}
	})
}

func TestAxpy(t *testing.T) {
	forEachVector(t, func(t *testing.T, k *Kernel, r *rand.Rand, f filling, n, offset int) {
		alpha := f.value(r)
		x, y := f.vector(r, n), f.vector(r, n)
		want := make([]float64, n)
		for i := range want {
			want[i] = math.FMA(alpha, x[i], y[i])
		}
		x, _ = framed(x, r.IntN(8))
		y, untouched := framed(y, offset)
		k.Axpy(alpha, x, y)
		if i := firstDifference(y, want); i >= 0 {
			t.Errorf("element %d is %v, not %v", i, y[i], want[i])
		}
		if !untouched() {
			t.Error("wrote outside y")
		}
	})
}

func TestAxpyRows(t *testing.T) {
	check := func(t *testing.T, k *Kernel, r *rand.Rand, f filling, rows, n, offset int) {
		lda := n + r.IntN(5)
		a := sentinels(rows * lda)
		for i := range rows {
			copy(a[i*lda:], f.vector(r, n))
		}
		x, y := f.vector(r, rows), f.vector(r, n)
		want := append([]float64(nil), y...)
		for i, v := range x {
			for j := range want {
				want[j] = math.FMA(v, a[i*lda+j], want[j])
			}
		}
		a, _ = framed(a, r.IntN(8))
		y, untouched := framed(y, offset)
		k.AxpyRows(x, a, lda, y)
		if j := firstDifference(y, want); j >= 0 {
			t.Errorf("%d rows: element %d is %v, not %v", rows, j, y[j], want[j])
		}
		if !untouched() {
			t.Error("wrote outside y")
		}
	}
	forEachVector(t, func(t *testing.T, k *Kernel, r *rand.Rand, f filling, n, offset int) {
		check(t, k, r, f, r.IntN(20), n, offset)
	})
	forEachKernel(t, func(t *testing.T, k *Kernel) { // more rows than fit in a stretch
		r := rand.New(rand.NewPCG(4, 1))
		check(t, k, r, fillings[0], 4*stretch/100+3, 100, 1)
		check(t, k, r, fillings[0], 21, stretch+5, 3)
	})
}

func TestRotate(t *testing.T) {
	forEachVector(t, func(t *testing.T, k *Kernel, r *rand.Rand, f filling, n, offset int) {
		c, s := f.value(r), f.value(r)
		x, y := f.vector(r, n), f.vector(r, n)
		wantX, wantY := make([]float64, n), make([]float64, n)
		for i := range x {
			wantX[i] = float64(c*x[i]) + float64(s*y[i])
			wantY[i] = float64(c*y[i]) - float64(s*x[i])
		}
		x, xUntouched := framed(x, r.IntN(8))
		y, yUntouched := framed(y, offset)
		k.Rotate(c, s, x, y)
		if i := firstDifference(x, wantX); i >= 0 {
			t.Errorf("x[%d] is %v, not %v", i, x[i], wantX[i])
		}
		if i := firstDifference(y, wantY); i >= 0 {
			t.Errorf("y[%d] is %v, not %v", i, y[i], wantY[i])
		}
		if !xUntouched() || !yUntouched() {
			t.Error("wrote outside x or y")
		}
	})
}

func TestDescriptors(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernel) {
		value := reflect.ValueOf(*k)
		for i := range value.NumField() {
			if group := value.Field(i); group.Kind() == reflect.Struct {
				for j := range group.NumField() {
					if f := group.Field(j); f.Kind() == reflect.Func && f.IsNil() {
						t.Errorf("%s is missing", group.Type().Field(j).Name)
					}
				}
			}
		}
		if k.MC() <= 0 || k.MC()%k.MR() != 0 {
			t.Errorf("MC = %d is not a multiple of MR = %d", k.MC(), k.MR())
		}
		if k.NC() <= 0 || k.NC()%k.NR() != 0 {
			t.Errorf("NC = %d is not a multiple of NR = %d", k.NC(), k.NR())
		}
		one := k.PeakLoop(1)
		if one <= 0 || k.PeakLoop(0) != 0 || k.PeakLoop(20000) != 20000*one {
			t.Errorf("PeakLoop counts %d, %d and %d operations for 0, 1 and 20000 iterations", k.PeakLoop(0), one, k.PeakLoop(20000))
		}
	})
}
