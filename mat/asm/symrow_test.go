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
