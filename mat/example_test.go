package mat_test

import (
	"fmt"
	"log"

	"github.com/bpielm/bpielm/mat"
)

// Least squares through the normal equations: a line through (0, 1), (1, 3), (2, 5).
func Example() {
	h := mat.NewDense(3, 2, []float64{1, 0, 1, 1, 1, 2})
	y := mat.NewDense(3, 1, []float64{1, 3, 5})
	hh := mat.NewSym(2, nil)
	mat.Syrk(mat.Trans, 1, h, 0, hh) // H'H
	var chol mat.Cholesky
	if err := chol.Factorize(hh); err != nil {
		log.Fatal(err)
	}
	x := mat.NewDense(2, 1, nil)
	mat.Gemm(mat.Trans, mat.NoTrans, 1, h, y, 0, x) // H'y
	chol.SolveTo(x, x)
	fmt.Printf("%.3f + %.3f t\n", x.At(0, 0), x.At(1, 0))
	// Output: 1.000 + 2.000 t
}

// Rows arrive in chunks, from files or goroutines, and are merged. However many they
// are, all that is kept is one triangle.
func ExampleTSQR() {
	first, second := mat.NewTSQR(2), mat.NewTSQR(2)
	first.Append(mat.NewDense(2, 2, []float64{1, 0, 1, 1}), []float64{1, 3})
	second.Append(mat.NewDense(2, 2, []float64{1, 2, 1, 3}), []float64{5, 7.5})
	first.Merge(second)
	x := first.QTy()
	mat.Trsv(mat.NoTrans, first.R().Tri(mat.Upper), x)
	fmt.Printf("%d rows: %.2f + %.2f t, residual %.3f\n", first.Count(), x[0], x[1], first.Residual())
	// Output: 4 rows: 0.90 + 2.15 t, residual 0.274
}
