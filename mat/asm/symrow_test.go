package asm

import (
	"math/rand/v2"
	"testing"
)

func TestSymRow(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernel) {
		for _, f := range fillings {
			r := rand.New(rand.NewPCG(1, 6))
			for n := range 140 {
				row, v, w, x, p := values(r, f, n+1), values(r, f, n), values(r, f, n), values(r, f, n), values(r, f, n+1)
				vr, wr, xr := f.value(r), f.value(r), f.value(r)
				wantRow, wantP := append([]float64(nil), row...), append([]float64(nil), p...)
				genericAxpy(-vr, w, wantRow[:n])
				genericAxpy(-wr, v, wantRow[:n])
				genericAxpy(xr, wantRow[:n], wantP[:n])
				want := genericDot(wantRow[:n], x)
				got := k.SymRow(vr, wr, xr, row[:n], v, w, x, p[:n])
				if !same(got, want) || firstDifference(row, wantRow) >= 0 || firstDifference(p, wantP) >= 0 {
					t.Fatalf("%s, n %d: %x, want %x; row %d, p %d", f.name, n, got, want, firstDifference(row, wantRow), firstDifference(p, wantP))
				}
			}
		}
	})
}

func TestSymRowPair(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernel) {
		for _, f := range fillings {
			r := rand.New(rand.NewPCG(1, 8))
			for n := range 140 {
				lda := n + 2 + n%3
				a, v, w, x, p := values(r, f, lda+n+3), values(r, f, n+2), values(r, f, n+2), values(r, f, n+2), values(r, f, n+2)
				wantA, wantP := append([]float64(nil), a...), append([]float64(nil), p...)
				want := func(row int) float64 {
					part := wantA[row*lda:][:n+row]
					genericAxpy(-v[n+row], w[:n+row], part)
					genericAxpy(-w[n+row], v[:n+row], part)
					genericAxpy(x[n+row], part[:n], wantP[:n])
					return genericDot(part, x[:n+row])
				}
				wantFirst, wantSecond := want(0), want(1)
				first, second := k.SymRowPair(n, a, lda, v, w, x, p)
				if !same(first, wantFirst) || !same(second, wantSecond) || firstDifference(a, wantA) >= 0 || firstDifference(p, wantP) >= 0 {
					t.Fatalf("%s, n %d: %x, %x, want %x, %x; rows %d, p %d", f.name, n, first, second, wantFirst, wantSecond, firstDifference(a, wantA), firstDifference(p, wantP))
				}
			}
		}
	})
}
