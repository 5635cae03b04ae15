package asm

import (
	"math/rand/v2"
	"testing"
)

// endsTooSoon checks that call accepts operands that are just long enough, of the given
// lengths, and panics if one lacks its last element, which assembly would read regardless.
func endsTooSoon(t *testing.T, what string, lengths []int, call func(operands [][]float64)) {
	t.Helper()
	for cut := -1; cut < len(lengths); cut++ {
		r := rand.New(rand.NewPCG(1, 9))
		operands := make([][]float64, len(lengths))
		for i, n := range lengths {
			if i == cut {
				n--
			}
			operands[i] = values(r, fillings[0], n)[:n:n]
		}
		panics := func() (panicked bool) {
			defer func() { panicked = recover() != nil }()
			call(operands)
			return false
		}()
		if panics != (cut >= 0) {
			t.Errorf("%s, operand %d one short (-1: none): panics is %v", what, cut, panics)
		}
	}
}

func TestOperandsMayNotEndTooSoon(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernel) {
		const depth, ldc, stride = 5, Panel*Panel + 3, 11
		for _, panels := range []int{1, 2, 5} {
			lda := Panel*depth + 8
			a, b, c := (panels-1)*lda+Panel*depth, Panel*depth+Panel*Panel, (panels-1)*ldc+Panel*Panel
			rows := (Panel*panels-1)*stride + Panel
			endsTooSoon(t, "Eliminate", []int{a, b, c}, func(x [][]float64) {
				k.Eliminate(depth, panels, x[0], lda, x[1], x[2], ldc, true)
			})
			endsTooSoon(t, "EliminateRows", []int{a, b, c, rows, rows}, func(x [][]float64) {
				k.EliminateRows(depth, panels, x[0], lda, x[1], x[2], ldc, Rows{x[3], stride}, Rows{x[4], stride}, true, false)
			})
			endsTooSoon(t, "EliminateRows from the diagonal on", []int{a, b, c, rows, rows}, func(x [][]float64) {
				k.EliminateRows(depth, panels, x[0], lda, x[1], x[2], ldc, Rows{x[3], stride}, Rows{x[4], stride}, true, true)
			})
		}
		for _, n := range []int{2, 3, 9} { // as many rotations as there are tangents
			t1, t2 := values(rand.New(rand.NewPCG(1, 10)), fillings[0], n), values(rand.New(rand.NewPCG(1, 11)), fillings[0], n-1)
			endsTooSoon(t, "RotateChains", []int{n, n - 1, Panel * (n + 3)}, func(x [][]float64) {
				k.RotateChains(t1, x[0], t2, x[1], x[2], Panel, 2, 1)
			})
			endsTooSoon(t, "RotateChains backwards", []int{n, n - 1, Panel * (n + 1)}, func(x [][]float64) {
				k.RotateChains(t1, x[0], t2, x[1], x[2], Panel, n, -1)
			})
		}
	})
}
