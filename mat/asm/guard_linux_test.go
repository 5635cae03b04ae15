package asm

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"syscall"
	"testing"
	"unsafe"
)

// guarded is memory between two pages that must not be accessed.
type guarded struct{ data []float64 }

func newGuarded(t *testing.T) *guarded {
	page := syscall.Getpagesize()
	const pages = 48
	all, err := syscall.Mmap(-1, 0, (pages+2)*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip("cannot map memory:", err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(all) })
	for _, guard := range [][]byte{all[:page], all[(pages+1)*page:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Skip("cannot protect memory:", err)
		}
	}
	return &guarded{unsafe.Slice((*float64)(unsafe.Pointer(&all[page])), pages*page/8)}
}

// flush returns n random elements at the end of the memory, or at its start.
func (g *guarded) flush(r *rand.Rand, n int, atEnd bool) []float64 {
	x := g.data[:n:n]
	if atEnd {
		x = g.data[len(g.data)-n:]
	}
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

// try calls f and reports an access to a guard page as a test failure.
func try(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if fault := recover(); fault != nil {
			t.Fatalf("%s: %v", what, fault)
		}
	}()
	f()
}

func TestNoAccessOutsideTheOperands(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	forEachKernel(t, func(t *testing.T, k *Kernel) {
		r := rand.New(rand.NewPCG(5, 1))
		one, two, three, four := newGuarded(t), newGuarded(t), newGuarded(t), newGuarded(t)
		for _, atEnd := range []bool{true, false} {
			for n := range 201 {
				what := fmt.Sprintf("length %d, at the end %v: ", n, atEnd)
				x, y := one.flush(r, n, atEnd), two.flush(r, n, atEnd)
				try(t, what+"Dot", func() { k.Dot(x, y) })
				try(t, what+"Sum", func() { k.Sum(x) })
				try(t, what+"Axpy", func() { k.Axpy(0.5, x, y) })
				try(t, what+"Scale", func() { k.Scale(0.5, x) })
				try(t, what+"Rotate", func() { k.Rotate(0.5, 0.5, x, y) })
				if n >= 2 {
					a, p := three.flush(r, 2*n-2, atEnd), four.flush(r, n-1, atEnd)
					try(t, what+"SymRowPair", func() { k.SymRowPair(n-2, a, n-1, x, y, x, p) })
				}
				try(t, what+"SecularSums", func() { k.SecularSums(0.5, 0.5, x, y) })
				try(t, what+"SecularVector", func() { k.SecularVector(0.5, 0.5, x, y, three.flush(r, n, atEnd)) })
				try(t, what+"LoewnerRatios", func() { k.LoewnerRatios(0.5, 0.5, 0.5, x, y) })
				for rows := range 18 {
					x, a := one.flush(r, rows, atEnd), three.flush(r, max(0, (rows-1)*(n+1)+n), atEnd)
					try(t, what+"AxpyRows", func() { k.AxpyRows(x, a, n+1, y) })
					try(t, what+"DotRows", func() { k.DotRows(x, a, n+1, y) })
					if n > 0 {
						p := four.flush(r, n, atEnd)
						try(t, what+"BidiagonalRows", func() { k.BidiagonalRows(x, y, y, 0.5, n-1, a, n+1, p) })
					}
					try(t, what+"RotateRows", func() { k.RotateRows(x, x, x, a, n+1, four.flush(r, n, atEnd), y) })
				}
			}
			for _, depth := range []int{0, 1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 65, 71, 255, 256, 257} {
				a, b := one.flush(r, depth*k.MR(), atEnd), two.flush(r, depth*k.NR(), atEnd)
				for rows := 1; rows <= k.MR(); rows++ {
					for cols := 1; cols <= k.NR(); cols++ {
						ldc := cols + r.IntN(2)
						c := three.flush(r, (rows-1)*ldc+cols, atEnd)
						what := fmt.Sprintf("depth %d, %d x %d, at the end %v: ", depth, rows, cols, atEnd)
						for _, accumulate := range []bool{false, true} {
							try(t, what+"Tile", func() { k.Strip(packedStrip(k, depth, 0.5, a, b, accumulate, c, ldc, rows, cols)) })
							s := packedStrip(k, depth, 0.5, a, b, accumulate, c, ldc, rows, cols)
							s.Diagonal = r.IntN(k.MR()+k.NR()) - k.MR()
							try(t, what+"lower Tile", func() { k.Strip(s) })
						}
					}
				}
			}
			for range 5000 {
				s := randomStrip(r, k)
				a, b, c := one.flush(r, s.sizeA, atEnd), two.flush(r, s.sizeB, atEnd), three.flush(r, s.sizeC, atEnd)
				try(t, s.String(), func() { s.run(k, a, b, c) })
			}
		}
	})
}

// The guard pages catch what the test above looks for.
func TestGuardPagesFault(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	g := newGuarded(t)
	beyond := unsafe.Slice(&g.data[0], len(g.data)+1)
	defer func() {
		if recover() == nil {
			t.Error("reading beyond the memory does not fault")
		}
	}()
	generic.Sum(beyond[len(g.data)-1:])
}
