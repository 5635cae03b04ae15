package asm

import (
	"fmt"
	"math"
	"testing"
)

func TestScale(t *testing.T) {
	values := []float64{1, -0.1, 1e308, 5e-324, 0, math.Copysign(0, -1), math.Inf(1), math.NaN(), math.Pi, -1e-200}
	for _, k := range All() {
		for _, n := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 65, 100, stretch, stretch + 1, 2*stretch + 5} {
			for _, alpha := range []float64{3, -0.3, 0, 1e-300, math.Inf(-1)} {
				x, want := make([]float64, n+1), make([]float64, n)
				for i := range want {
					x[i] = values[i%len(values)] * float64(i/len(values)+1)
					want[i] = alpha * x[i]
				}
				x[n] = 7
				k.Scale(alpha, x[:n])
				what := fmt.Sprintf("%s, %d elements, alpha %v", k.Name(), n, alpha)
				for i, w := range want {
					if math.Float64bits(x[i]) != math.Float64bits(w) && !(math.IsNaN(x[i]) && math.IsNaN(w)) {
						t.Fatalf("%s: element %d is %v, want %v", what, i, x[i], w)
					}
				}
				if x[n] != 7 {
					t.Fatalf("%s: wrote beyond the end", what)
				}
			}
		}
	}
}
