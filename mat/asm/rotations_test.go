package asm

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestRotateChain(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernel) {
		for _, f := range fillings {
			r := rand.New(rand.NewPCG(1, 5))
			for _, width := range []int{Slab, Panel} {
				for _, step := range []int{1, -1, 3} {
					for _, n := range []int{0, 1, 2, 5, 40} {
						span := n * max(step, -step)
						first := 2
						if step < 0 {
							first += span
						}
						slab, c, s := values(r, f, (span+4)*width), values(r, f, n), values(r, f, n)
						want := append([]float64(nil), slab...)
						for i := range n {
							x, y := want[(first+i*step)*width:], want[(first+(i+1)*step)*width:]
							for j := range width {
								x[j], y[j] = math.FMA(c[i], x[j], float64(s[i]*y[j])), math.FMA(-s[i], x[j], float64(c[i]*y[j]))
							}
						}
						k.RotateChain(c, s, slab, width, first, step)
						if i := firstDifference(slab, want); i >= 0 {
							t.Fatalf("%s, width %d, step %d, %d rotations: element %d is %x, want %x", f.name, width, step, n, i, slab[i], want[i])
						}
					}
				}
			}
		}
	})
}
