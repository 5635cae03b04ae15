package asm

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"testing"
)

func TestFunctionsStayInsideTheOperands(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	forEachKernel(t, func(t *testing.T, k *Kernel) {
		r := rand.New(rand.NewPCG(5, 2))
		var g [5]*guarded
		for i := range g {
			g[i] = newGuarded(t)
		}
		for _, atEnd := range []bool{true, false} {
			for n := range 101 {
				what := fmt.Sprintf("length %d, at the end %v: ", n, atEnd)
				x := g[4].flush(r, n, atEnd)
				var dst [][]float64
				for _, o := range g[:4] {
					dst = append(dst, o.flush(r, n, atEnd))
				}
				for _, f := range vectorFunctions {
					try(t, what+f.name, func() { f.vector(k, dst, x) })
				}
				try(t, what+"MulPolynomial", func() { k.MulPolynomialTo(dst[0], dst[1], dst[2], dst[3], x[:n%4], n%2 == 0) })
			}
		}
	})
}
