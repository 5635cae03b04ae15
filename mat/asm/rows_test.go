package asm

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestDotRows(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernel) {
		for _, f := range fillings {
			r := rand.New(rand.NewPCG(1, 7))
			for n := range 100 {
				for rows := range 10 {
					lda := n + r.IntN(3)
					a, x, dst := values(r, f, rows*lda+n), values(r, f, n), values(r, f, rows+1)
					last := dst[rows]
					k.DotRows(dst[:rows], a, lda, x)
					for i, got := range dst[:rows] {
						if want := genericDot(a[i*lda:][:n], x); !same(got, want) {
							t.Fatalf("%s, n %d, row %d of %d: %x, want %x", f.name, n, i, rows, got, want)
						}
					}
					if !same(dst[rows], last) {
						t.Fatalf("n %d, %d rows: wrote beyond the end", n, rows)
					}
				}
			}
		}
	})
}

func TestDotRowsOfManyElements(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernel) {
		r := rand.New(rand.NewPCG(1, 8))
		for _, shape := range [][2]int{{70, 1000}, {3, stretch + 5}, {5, 2 * stretch}} {
			a, x, dst := values(r, fillings[0], shape[0]*shape[1]), values(r, fillings[0], shape[1]), make([]float64, shape[0])
			k.DotRows(dst, a, shape[1], x)
			for i, got := range dst {
				if want := k.Dot(a[i*shape[1]:][:shape[1]], x); !same(got, want) {
					t.Fatalf("%v, row %d: %x, want %x", shape, i, got, want)
				}
			}
		}
	})
}

func TestRotateRows(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernel) {
		for _, f := range fillings {
			r := rand.New(rand.NewPCG(1, 9))
			for n := range 60 {
				for rows := range 10 {
					lda := n + 3
					c, s, x := values(r, f, rows), values(r, f, rows), values(r, f, rows)
					a, v, y := values(r, f, rows*lda+n), values(r, f, n+1), values(r, f, n+1)
					wantA, wantV, wantY := append([]float64(nil), a...), append([]float64(nil), v...), append([]float64(nil), y...)
					for i := range rows {
						for j := range n {
							old, carried := wantA[i*lda+j], wantV[j]
							turned := math.FMA(c[i], old, s[i]*carried)
							wantA[i*lda+j] = turned
							wantV[j] = math.FMA(c[i], carried, -(s[i] * old))
							wantY[j] = math.FMA(x[i], turned, wantY[j])
						}
					}
					k.RotateRows(c, s, x, a, lda, v[:n], y[:n])
					if i, j, l := firstDifference(a, wantA), firstDifference(v, wantV), firstDifference(y, wantY); i >= 0 || j >= 0 || l >= 0 {
						t.Fatalf("%s, n %d, %d rows: a %d, v %d, y %d", f.name, n, rows, i, j, l)
					}
				}
			}
		}
	})
}
