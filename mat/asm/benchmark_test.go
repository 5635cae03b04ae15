package asm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"
)

// pace measures a function with a known number of operations. It runs the function often
// enough for the cost of reading the clock not to matter: for about 50 microseconds.
type pace struct {
	f       func()
	flops   int
	repeats int
	best    float64 // operations per nanosecond
}

func newPace(flops int, f func()) *pace {
	p := &pace{f: f, flops: flops, repeats: 1}
	for p.run() < 50*time.Microsecond {
		p.repeats *= 2
	}
	p.best = 0
	return p
}

func (p *pace) run() time.Duration {
	begin := time.Now()
	for range p.repeats {
		p.f()
	}
	took := time.Since(begin)
	p.best = math.Max(p.best, float64(p.flops*p.repeats)/float64(took.Nanoseconds()))
	return took
}

// comparePeak reports the best rates of f and of the kernel's peak loop. They take turns, so
// that both see the same clock rate and the same neighbours.
func comparePeak(b *testing.B, k *Kernel, flops int, f func()) {
	peak, work := newPace(k.PeakLoop(5000), func() { k.PeakLoop(5000) }), newPace(flops, f)
	for b.Loop() {
		peak.run()
		work.run()
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(work.best, "GFLOP/s")
	b.ReportMetric(100*work.best/peak.best, "%peak")
}

// aligned returns n random elements that start at a 64-byte boundary.
func aligned(n int) []float64 {
	x := make([]float64, n+8)
	for i := range x {
		x[i] = rand.NormFloat64()
	}
	skip := int(-uintptr(unsafe.Pointer(&x[0]))%64) / 8
	return x[skip:][:n]
}

// BenchmarkTile measures full tiles and some partial ones on packed panels.
func BenchmarkTile(b *testing.B) {
	for _, k := range All() {
		shapes := [][2]int{{k.MR(), k.NR()}, {k.MR(), k.NR() / 3 * 2}, {k.MR(), k.NR() / 3}, {k.MR() / 2, k.NR()}}
		for _, shape := range shapes {
			for _, depth := range []int{32, KC} {
				rows, cols := shape[0], shape[1]
				b.Run(fmt.Sprintf("%s/%dx%d/depth=%d", k.Name(), rows, cols, depth), func(b *testing.B) {
					x, y, c := aligned(depth*k.MR()), aligned(depth*k.NR()), aligned(k.MR()*k.NR())
					comparePeak(b, k, 2*rows*cols*depth, func() {
						k.Strip(packedStrip(k, depth, -1, x, y, true, c, k.NR(), rows, cols))
					})
				})
			}
		}
	}
}

// BenchmarkBlock measures a block of A times a panel of B, as in a product.
func BenchmarkBlock(b *testing.B) {
	for _, k := range All() {
		b.Run(k.Name(), func(b *testing.B) {
			cols := 480 / k.NR() * k.NR()
			x, y, c := aligned(k.MC()*KC), aligned(cols*KC), aligned(k.MC()*cols)
			j := 0
			comparePeak(b, k, 2*k.MC()*k.NR()*KC, func() {
				for i := 0; i < k.MC(); i += k.MR() {
					k.Strip(packedStrip(k, KC, -1, x[i*KC:], y[j*KC:], true, c[i*cols+j:], cols, k.MR(), k.NR()))
				}
				j = (j + k.NR()) % cols
			})
		})
	}
}

func BenchmarkVector(b *testing.B) {
	for _, k := range All() {
		for _, n := range []int{10, 100, 1000} {
			x, y, a := aligned(n), aligned(n), aligned(16*n)
			functions := []struct {
				name  string
				flops int
				call  func()
			}{
				{"dot", 2 * n, func() { k.Dot(x, y) }},
				{"sum", n, func() { k.Sum(x) }},
				{"axpy", 2 * n, func() { k.Axpy(1e-9, x, y) }},
				{"axpyRows", 32 * n, func() { k.AxpyRows(x[:min(16, n)], a, n, y) }},
				{"rotate", 6 * n, func() { k.Rotate(0.6, 0.8, x, y) }},
			}
			for _, f := range functions {
				b.Run(fmt.Sprintf("%s/%s/n=%d", k.Name(), f.name, n), func(b *testing.B) {
					p := newPace(f.flops, f.call)
					for b.Loop() {
						p.run()
					}
					b.ReportMetric(float64(f.flops)/p.best, "ns/op")
					b.ReportMetric(p.best, "GFLOP/s")
				})
			}
		}
	}
}
