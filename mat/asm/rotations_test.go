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
						slab, tangents, s := values(r, f, (span+4)*width), values(r, f, n), values(r, f, n)
						want := append([]float64(nil), slab...)
						for i := range n {
							x, y := want[(first+i*step)*width:], want[(first+(i+1)*step)*width:]
							for j := range width {
								x[j] = math.FMA(tangents[i], y[j], x[j])
								y[j] = math.FMA(-s[i], x[j], y[j])
								x[j] = math.FMA(tangents[i], y[j], x[j])
							}
						}
						k.RotateChain(tangents, s, slab, width, first, step)
						if i := firstDifference(slab, want); i >= 0 {
							t.Fatalf("%s, width %d, step %d, %d rotations: element %d is %x, want %x", f.name, width, step, n, i, slab[i], want[i])
						}
					}
				}
			}
		}
	})
}

func TestRotateChainsIsTwoChains(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernel) {
		r := rand.New(rand.NewPCG(1, 7))
		for _, width := range []int{Slab, Panel} {
			for _, step := range []int{1, -1} {
				for _, n1 := range []int{0, 1, 2, 3, 9, 30} {
					for _, n2 := range []int{0, 1, 2, 3, 8, 9, 10, 30} {
						slab := values(r, fillings[0], 40*width)
						t1, s1 := values(r, fillings[0], n1), values(r, fillings[0], n1)
						t2, s2 := values(r, fillings[0], n2), values(r, fillings[0], n2)
						first := 1
						if step < 0 {
							first = 37
						}
						want := append([]float64(nil), slab...)
						generic.RotateChain(t1, s1, want, width, first, step)
						generic.RotateChain(t2, s2, want, width, first, step)
						k.RotateChains(t1, s1, t2, s2, slab, width, first, step)
						if i := firstDifference(slab, want); i >= 0 {
							t.Fatalf("width %d, step %d, %d and %d rotations: element %d is %x, want %x", width, step, n1, n2, i, slab[i], want[i])
						}
					}
				}
			}
		}
	})
}
