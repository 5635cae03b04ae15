package mat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bpielm/bpielm/mat/asm"
)

// tridiagonals returns matrices of size n that are hard in different ways, each as its
// diagonal and off-diagonal.
func tridiagonals(r *rand.Rand, n int) map[string][2][]float64 {
	make2 := func(f func(i int) (d, off float64)) [2][]float64 {
		m := [2][]float64{make([]float64, n), make([]float64, n)}
		for i := range n {
			m[0][i], m[1][i] = f(i)
		}
		return m
	}
	uncoupled := func(i int) float64 {
		if i%5 == 4 {
			return 0
		}
		return r.NormFloat64() / 8
	}
	return map[string][2][]float64{
		"random":    make2(func(i int) (d, off float64) { return r.NormFloat64() / 8, r.NormFloat64() / 8 }),
		"small":     make2(func(i int) (d, off float64) { return r.NormFloat64() * 0x1p-60, r.NormFloat64() * 0x1p-60 }),
		"laplacian": make2(func(i int) (d, off float64) { return 0.5, -0.25 }),
		"identity":  make2(func(i int) (d, off float64) { return 1, 0 }),
		"zero":      make2(func(i int) (d, off float64) { return 0, 0 }),
		"uncoupled": make2(func(i int) (d, off float64) { return r.NormFloat64() / 8, uncoupled(i) }),
		"graded":    make2(func(i int) (d, off float64) { return math.Ldexp(1, -i), math.Ldexp(0.5, -i) }),
		"ascending": make2(func(i int) (d, off float64) { return math.Ldexp(1, i-n), math.Ldexp(0.5, i-n) }),
		"tiny off":  make2(func(i int) (d, off float64) { return 0.5, 0x1p-600 }),
		"weak":      make2(func(i int) (d, off float64) { return float64(i) / float64(n), 0x1p-30 }),
		"no diagonal": make2(func(i int) (d, off float64) {
			return 0, 0.5
		}),
		// Wilkinson's W21+, repeated and weakly coupled: clusters of as many values.
		"glued": make2(func(i int) (d, off float64) {
			if i%21 == 20 {
				return 0.625, 0x1p-40
			}
			return math.Abs(float64(i%21-10)) / 16, 1.0 / 16
		}),
	}
}

// requireTridiagonalVectors decomposes a tridiagonal matrix and checks the order of the
// values, the residual and the orthogonality.
func requireTridiagonalVectors(t *testing.T, c *divideAndConquer, what string, m [2][]float64) {
	t.Helper()
	const residual, orthogonality = 4, 4
	n := len(m[0])
	d, off := append([]float64(nil), m[0]...), append([]float64(nil), m[1]...)
	values, rows, err := c.run(asm.Active(), d, off)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	size, norm, worst := float64(n+1), 0.0, 0.0
	for i := range n {
		norm = max(norm, math.Abs(m[0][i])+2*math.Abs(m[1][i]))
	}
	for i, row := range c.order {
		if i > 0 && !(values[c.order[i-1]] <= values[row]) {
			t.Fatalf("%s: value %d, %v, is not in order", what, i, values[row])
		}
		z := rows.Row(row)
		for j := range n {
			sum := (m[0][j] - values[row]) * z[j]
			if j > 0 {
				sum += m[1][j-1] * z[j-1]
			}
			if j+1 < n {
				sum += m[1][j] * z[j+1]
			}
			worst = max(worst, math.Abs(sum))
		}
	}
	requireSmall(t, what+": TZ - ZD", worst, residual, size*norm)
	inner := NewSym(n, nil)
	Syrk(NoTrans, 1, rows, 0, inner)
	worst = 0
	for i := range n {
		for j := range i {
			worst = max(worst, math.Abs(inner.At(i, j)))
		}
		worst = max(worst, math.Abs(inner.At(i, i)-1))
	}
	requireSmall(t, what+": Z'Z - I", worst, orthogonality, size)
}

func TestDivideAndConquer(t *testing.T) {
	sizes := []int{0, 1, 2, 31, 32, 33, 34, 63, 64, 65, 66, 97, 127, 128, 129, 130, 255, 256, 257, 300}
	if !testing.Short() {
		for n := 3; n < 300; n += 7 {
			sizes = append(sizes, n)
		}
	}
	var c divideAndConquer
	for _, n := range sizes {
		for name, m := range tridiagonals(newRandom(uint64(n)), n) {
			requireTridiagonalVectors(t, &c, fmt.Sprintf("%s, n %d", name, n), m)
		}
	}
}
