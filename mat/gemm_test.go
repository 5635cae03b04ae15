package mat

import (
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/bpielm/bpielm/mat/asm"
)

// gemmReference computes the sums of Gemm in the documented order, element by element.
func gemmReference(tA, tB Transpose, alpha float64, a, b *Dense, beta float64, c *Dense) {
	at := func(t Transpose, m *Dense, i, j int) float64 {
		if t {
			i, j = j, i
		}
		return m.data[i*m.stride+j]
	}
	depth := a.Cols()
	if tA {
		depth = a.Rows()
	}
	for i := range c.Rows() {
		for j := range c.Cols() {
			v := 0.0
			if beta != 0 {
				v = beta * c.At(i, j)
			}
			terms := func(from, to int, alpha, beta, v float64) float64 {
				for first := from; first < to; first += asm.KC {
					sum := 0.0
					for p := first; p < min(first+asm.KC, to); p++ {
						sum = math.FMA(at(tA, a, i, p), at(tB, b, p, j), sum)
					}
					if beta == 0 && first == from {
						v = alpha * sum
					} else {
						v = math.FMA(alpha, sum, v)
					}
				}
				return v
			}
			if parts := min(16, 1<<max(bits.Len(uint(depth/2048))-1, 0)); parts > 1 {
				sums := make([]float64, parts)
				for i := range sums {
					sums[i] = terms(depth*i/parts, depth*(i+1)/parts, 1, 0, 0)
				}
				for ; len(sums) > 1; sums = sums[:len(sums)/2] {
					for i := range len(sums) / 2 {
						sums[i] += sums[i+len(sums)/2]
					}
				}
				if beta == 0 {
					v = alpha * sums[0]
				} else {
					v = math.FMA(alpha, sums[0], v)
				}
			} else {
				v = terms(0, depth, alpha, beta, v)
			}
			c.Set(i, j, v)
		}
	}
}

func testGemm(t *testing.T, seed uint64, tA, tB Transpose, m, n, depth, gap int, alpha, beta float64) {
	t.Helper()
	r := newRandom(seed)
	operand := func(t Transpose, rows, cols int) *Dense {
		if t {
			rows, cols = cols, rows
		}
		return randomDense(r, rows, cols, gap)
	}
	a, b, c := operand(tA, m, depth), operand(tB, depth, n), randomDense(r, m, n, gap)
	want := c.Clone()
	if beta == 0 {
		fill(c, math.NaN())
	}
	gemmReference(tA, tB, alpha, a, b, beta, want)
	Gemm(tA, tB, alpha, a, b, beta, c)
	what := fmt.Sprintf("%d x %d x %d, gap %d, %v %v, alpha %v, beta %v", m, n, depth, gap, tA, tB, alpha, beta)
	requireSameBits(t, what, c, want)
	if !gapsUntouched(c) {
		t.Fatalf("%s: wrote between the rows", what)
	}
}

func TestGemmIsItsDefinitionForAllEdges(t *testing.T) {
	forEachKernel(t, func(t *testing.T) {
		k := asm.Active()
		for m := range 2*k.MR() + 2 {
			for n := range 2*k.NR() + 2 {
				for _, depth := range []int{0, 1, 2, 3, 4, 5, 7, 8, 11} {
					s := uint64(m + 100*n + 10000*depth)
					testGemm(t, s, s&1 == 1, s&2 == 2, m, n, depth, int(s%5), []float64{1, -1, 0.3}[s%3], []float64{0, 1, -0.7}[s/3%3])
				}
			}
		}
	})
}

func TestGemmIsItsDefinitionForAllOptions(t *testing.T) {
	forEachKernel(t, func(t *testing.T) {
		for _, tA := range []Transpose{NoTrans, Trans} {
			for _, tB := range []Transpose{NoTrans, Trans} {
				for _, alpha := range []float64{0, 1, -1, 0.1, math.Inf(1), math.NaN()} {
					for _, beta := range []float64{0, 1, -1, 0.1, math.NaN()} {
						for _, gap := range []int{0, 1, 6} {
							testGemm(t, 1, tA, tB, 9, 13, 21, gap, alpha, beta)
						}
					}
				}
			}
		}
	})
}

func TestGemmIsItsDefinitionAcrossBlocks(t *testing.T) {
	forEachKernel(t, func(t *testing.T) {
		k := asm.Active()
		for _, depth := range []int{asm.KC - 1, asm.KC, asm.KC + 1, 2*asm.KC + 3} {
			for _, beta := range []float64{0, 1, 0.5} {
				testGemm(t, 2, NoTrans, NoTrans, k.MR()+1, k.NR()+1, depth, 2, 0.3, beta)
				testGemm(t, 3, Trans, Trans, k.MR()+1, k.NR()+1, depth, 2, -1, beta)
			}
		}
		testGemm(t, 4, NoTrans, Trans, k.MC()+3, 5, 9, 1, 1, 1)
		testGemm(t, 5, Trans, NoTrans, 5, k.NC()+3, 9, 1, 1, 0)
		testGemm(t, 6, NoTrans, NoTrans, k.MC()+k.MR()+1, k.NC()+k.NR()+1, asm.KC+2, 0, -1, 1)
	})
}

// Operands packed, read in place or shared among processors all give the bits of the
// generic kernel, which packs everything.
func TestProductsAreTheSameOnAnyKernelAndNumberOfProcessors(t *testing.T) {
	before := asm.Active().Name()
	defer func() { useKernel(t, before) }()
	type shape struct{ m, n, depth, gap int }
	shapes := []shape{{150, 170, 131, 0}, {513, 100, 70, 1}, {100, 520, 70, 3}, {37, 41, 9001, 2}, {70, 50, 512, 462}, {529, 531, 300, 0}, {100, 100, 300, 412}, {520, 60, 140, 504}}
	if testing.Short() {
		shapes = shapes[:1]
	}
	for i, s := range shapes {
		for _, tA := range []Transpose{NoTrans, Trans} {
			r := newRandom(uint64(i))
			a, b := randomDense(r, s.m, s.depth, s.gap), randomDense(r, s.depth, s.n, s.gap)
			first, square := randomDense(r, s.m, s.n, 0), randomDense(r, s.m, s.m, 0)
			if tA {
				a = randomDense(r, s.depth, s.m, s.gap)
			} else {
				b = randomDense(r, s.n, s.depth, s.gap)
			}
			products := func() (c, ata *Dense) {
				c = first.Clone()
				Gemm(tA, !tA, -0.7, a, b, 0.5, c)
				sym := symmetric(square)
				Syrk(tA, 1.5, a, 1, sym)
				return c, &sym.m
			}
			var want, wantSym *Dense
			for _, k := range slices.Backward(asm.All()) { // the generic kernel is the last
				useKernel(t, k.Name())
				withProcessors(t, func(processors int) {
					got, gotSym := products()
					if want == nil {
						want, wantSym = got, gotSym
					}
					what := fmt.Sprintf("%s, %d processors, %+v, %v: ", k.Name(), processors, s, tA)
					requireSameBits(t, what+"Gemm", got, want)
					requireSameBits(t, what+"Syrk", gotSym, wantSym)
				})
			}
		}
	}
}

func TestLongSumsAreSplitIntoParts(t *testing.T) {
	forEachKernel(t, func(t *testing.T) {
		for _, depth := range []int{4095, 4096, 4097, 8191, 8200, 70000} {
			for _, beta := range []float64{0, 1, 0.5} {
				testGemm(t, 7, NoTrans, NoTrans, 3, 2, depth, 1, -0.3, beta)
				testGemm(t, 8, Trans, Trans, 1, 3, depth, 0, 1, beta)
			}
		}
	})
}

func TestGemmPropagatesNaNAndInf(t *testing.T) {
	forEachKernel(t, func(t *testing.T) {
		a, b, c := NewDense(6, 5, nil), NewDense(5, 7, nil), NewDense(6, 7, nil)
		a.Set(2, 3, math.NaN())
		b.Set(1, 4, math.Inf(1))
		Gemm(NoTrans, NoTrans, 1, a, b, 0, c)
		for i := range 6 {
			for j := range 7 {
				if math.IsNaN(c.At(i, j)) != (i == 2 || j == 4) {
					t.Errorf("element (%d, %d) is %v", i, j, c.At(i, j))
				}
			}
		}
	})
}

func TestSyrkIsTheLowerTriangleOfGemm(t *testing.T) {
	forEachKernel(t, func(t *testing.T) {
		k := asm.Active()
		sizes := []int{asm.KC, k.MC() + 1, k.MC() + k.NR() + 2}
		for n := range 2*max(k.MR(), k.NR()) + 3 {
			sizes = append(sizes, n)
		}
		for _, n := range sizes {
			for _, depth := range []int{0, 1, 5, asm.KC + 1} {
				for _, beta := range []float64{0, 1, 0.5} {
					for _, tr := range []Transpose{NoTrans, Trans} {
						testSyrk(t, tr, n, depth, beta)
					}
				}
			}
		}
		testSyrk(t, Trans, k.NC()+5, 3, 1)
	})
}

func testSyrk(t *testing.T, tr Transpose, n, depth int, beta float64) {
	t.Helper()
	r := newRandom(uint64(n + 1000*depth))
	rows, cols := n, depth
	if tr {
		rows, cols = cols, rows
	}
	a, want := randomDense(r, rows, cols, 3), randomDense(r, n, n, 0)
	c := symmetric(want)
	if beta == 0 {
		fill(&c.m, math.NaN())
	}
	Gemm(tr, !tr, -0.3, a, a, beta, want)
	Syrk(tr, -0.3, a, beta, c)
	for i := range n {
		for j := range n {
			if j <= i && !sameBits(c.At(i, j), want.At(i, j)) {
				t.Fatalf("n %d, depth %d, beta %v: element (%d, %d) is %x, want %x", n, depth, beta, i, j, c.At(i, j), want.At(i, j))
			}
			if j > i && !math.IsNaN(c.m.At(i, j)) {
				t.Fatalf("n %d, depth %d, beta %v: wrote above the diagonal at (%d, %d)", n, depth, beta, i, j)
			}
		}
	}
}

func TestGemv(t *testing.T) {
	forEachKernel(t, func(t *testing.T) {
		const growth = 4 // of the error, in units of sqrt(n)+1 eps
		for _, m := range []int{0, 1, 2, 5, 9, 33, 70} {
			for _, n := range []int{0, 1, 3, 4, 31, 32, 65, 130} {
				for _, tr := range []Transpose{NoTrans, Trans} {
					r := newRandom(uint64(m + 100*n))
					a := randomDense(r, m, n, 2)
					rows, cols := m, n
					if tr {
						rows, cols = n, m
					}
					x, y := randomDense(r, cols, 1, 0), randomDense(r, rows, 1, 0)
					want := naive(tr, NoTrans, a, x)
					for i := range rows {
						want.Set(i, 0, -1.5*want.At(i, 0)+0.5*y.At(i, 0))
					}
					Gemv(tr, -1.5, a, x.Data(), 0.5, y.Data())
					requireSmall(t, "beta = 0.5", distance(y, want), growth, float64(m+n+1))
					first := y.Clone()
					Gemv(tr, 2, a, x.Data(), 1, y.Data())
					z := NewDense(rows, 1, nil)
					fill(z, math.NaN())
					Gemv(tr, 2, a, x.Data(), 0, z.Data())
					Axpy(1, first.Data(), z.Data())
					requireSmall(t, "beta = 0 and 1", distance(y, z), growth, float64(m+n+1))
				}
			}
		}
	})
}

func TestDotAndSumAreAccurate(t *testing.T) {
	forEachKernel(t, func(t *testing.T) {
		for n := range 200 {
			r := newRandom(uint64(n))
			x, y := randomDense(r, n, 1, 0).Data(), randomDense(r, n, 1, 0).Data()
			dot, sum, scale := 0.0, 0.0, 1.0
			for i := range x {
				dot += x[i] * y[i]
				sum += x[i]
				scale++
			}
			requireSmall(t, "Dot", math.Abs(Dot(x, y)-dot), 1, scale)
			requireSmall(t, "Sum", math.Abs(Sum(x)-sum), 1, scale)
		}
	})
}

func TestNrm2SurvivesTheRange(t *testing.T) {
	for _, e := range []int{-1070, -1000, -540, -400, 0, 400, 510, 1000, 1020} {
		x := []float64{math.Ldexp(3, e), 0, math.Ldexp(-4, e)}
		if got, want := Nrm2(x), math.Ldexp(5, e); got != want {
			t.Errorf("2^%d: %v, want %v", e, got, want)
		}
		if got, want := hypot(x[0], x[2]), math.Ldexp(5, e); got != want {
			t.Errorf("hypot at 2^%d: %v, want %v", e, got, want)
		}
	}
	inf, nan := math.Inf(-1), math.NaN()
	if Nrm2(nil) != 0 || Nrm2([]float64{0, 0}) != 0 || !math.IsInf(Nrm2([]float64{1, inf}), 1) || !math.IsNaN(Nrm2([]float64{inf, nan})) {
		t.Error("special values")
	}
	if hypot(0, 0) != 0 || !math.IsInf(hypot(1, inf), 1) || !math.IsNaN(hypot(1, nan)) {
		t.Error("special values of hypot")
	}
}

func TestProductsDoNotAllocate(t *testing.T) {
	r := newRandom(1)
	a, b, c, s := randomDense(r, 50, 40, 0), randomDense(r, 40, 30, 0), NewDense(50, 30, nil), NewSym(40, nil)
	x, y := make([]float64, 50), make([]float64, 40)
	allocations := testing.AllocsPerRun(10, func() {
		Gemm(NoTrans, NoTrans, 1, a, b, 0, c)
		Syrk(Trans, 1, a, 0, s)
		Gemv(Trans, 2, a, x, 1, y)
		y[0] = Nrm2(x) + Dot(y, y) + Sum(x)
	})
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}

// testing.AllocsPerRun would set GOMAXPROCS to 1, so this test counts for itself.
func TestSharedProductsDoNotAllocate(t *testing.T) {
	if testing.Short() {
		t.Skip("slow on emulated processors")
	}
	r := newRandom(1)
	large, tall, square, small := randomDense(r, 150, 150, 0), randomDense(r, 5000, 30, 0), NewDense(150, 150, nil), NewSym(30, nil)
	run := func(times int) (allocations uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range times {
			Gemm(NoTrans, Trans, 1, large, large, 0, square)
			Syrk(Trans, 1, tall, 0, small)
		}
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs
	}
	withProcessors(t, func(processors int) {
		const times = 10
		run(times) // start the workers and fill the arenas
		n := run(times)
		for range 3 { // the runtime allocates for waiting goroutines, in batches
			n = min(n, run(times))
		}
		if n >= times {
			t.Errorf("%d processors: %d allocations in %d runs", processors, n, times)
		}
	})
}

func TestProductsMayRunTogether(t *testing.T) {
	r := newRandom(1)
	a, b := randomDense(r, 60, 70, 0), randomDense(r, 70, 50, 0)
	want := NewDense(60, 50, nil)
	Gemm(NoTrans, NoTrans, 1, a, b, 0, want)
	results := make([]*Dense, 8)
	var group sync.WaitGroup
	for i := range results {
		results[i] = NewDense(60, 50, nil)
		group.Go(func() {
			for range 20 {
				Gemm(NoTrans, NoTrans, 1, a, b, 0, results[i])
			}
		})
	}
	group.Wait()
	for _, c := range results {
		requireSameBits(t, "concurrent Gemm", c, want)
	}
}

func TestProductsRefuseWrongShapes(t *testing.T) {
	a, s := NewDense(3, 4, nil), NewSym(3, nil)
	mustPanic(t, "Gemm inner", func() { Gemm(NoTrans, NoTrans, 1, a, a, 0, NewDense(3, 4, nil)) })
	mustPanic(t, "Gemm C", func() { Gemm(NoTrans, Trans, 1, a, a, 0, NewDense(3, 4, nil)) })
	mustPanic(t, "Syrk", func() { Syrk(Trans, 1, a, 0, s) })
	mustPanic(t, "Gemv x", func() { Gemv(NoTrans, 1, a, make([]float64, 3), 0, make([]float64, 3)) })
	mustPanic(t, "Gemv y", func() { Gemv(Trans, 1, a, make([]float64, 3), 0, make([]float64, 3)) })
	mustPanic(t, "Dot", func() { Dot(make([]float64, 3), make([]float64, 2)) })
	mustPanic(t, "Axpy", func() { Axpy(1, make([]float64, 3), make([]float64, 2)) })
	mustPanic(t, "NewDense", func() { NewDense(2, 2, make([]float64, 3)) })
	mustPanic(t, "At", func() { a.At(0, 4) })
	mustPanic(t, "Set", func() { a.Set(-1, 0, 1) })
	mustPanic(t, "Row", func() { a.Row(3) })
	mustPanic(t, "Slice", func() { a.Slice(0, 2, 3, 5) })
	mustPanic(t, "Tri", func() { a.Tri(Lower) })
	mustPanic(t, "CopyFrom", func() { a.CopyFrom(NewDense(4, 3, nil)) })
}
