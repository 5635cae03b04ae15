package asm

import (
	"math/rand/v2"
	"testing"
)

func TestBidiagonalRows(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernel) {
		for _, f := range fillings {
			r := rand.New(rand.NewPCG(1, 10))
			for n := 1; n < 140; n++ {
				for rows := range 6 {
					lda, head := n+r.IntN(3), r.IntN(n)
					u, w, v, tau := values(r, f, rows), values(r, f, n), values(r, f, n), f.value(r)
					a, p := values(r, f, rows*lda+n), values(r, f, n+1)
					wantA, wantP := append([]float64(nil), a...), append([]float64(nil), p...)
					for i := range rows {
						row := wantA[i*lda:][:n]
						genericAxpy(-u[i], w, row)
						genericAxpy(-float64(tau*genericDot(v, row)), v, row)
						genericAxpy(row[head], row, wantP[:n])
					}
					k.BidiagonalRows(u, w, v, tau, head, a[:rows*lda+n], lda, p[:n])
					if i, j := firstDifference(a, wantA), firstDifference(p, wantP); i >= 0 || j >= 0 {
						t.Fatalf("%s, %d rows of %d, %d apart: a %d, p %d", f.name, rows, n, lda, i, j)
					}
				}
			}
		}
	})
}
