// Package mat is dense linear algebra in float64: products, triangular solves,
// Cholesky, Householder QR, singular values, symmetric eigenvalues, and sums over
// more rows than fit in memory (Gram, TSQR).
//
//	h := mat.NewDense(3, 2, []float64{1, 0, 1, 1, 1, 2}) // rows in order, used in place
//	y := mat.NewDense(3, 1, []float64{1, 3, 5})
//	hh := mat.NewSym(2, nil)
//	mat.Syrk(mat.Trans, 1, h, 0, hh) // H'H
//	var chol mat.Cholesky            // the zero value is ready; storage is reused
//	if err := chol.Factorize(hh); err != nil {
//		return err // *NotPositiveDefiniteError names the pivot
//	}
//	x := mat.NewDense(2, 1, nil)
//	mat.Gemm(mat.Trans, mat.NoTrans, 1, h, y, 0, x) // H'y
//	chol.SolveTo(x, x)                              // 1, 2
//
// Matrices are row-major. Shapes may be zero. A shape that does not fit is the
// programmer's error and panics with Error; what data can cause is a returned,
// typed error. Results may not overlap the inputs unless it is said. Products and
// solves with beta = 0 never read their result, and nothing skips zeros, so that
// NaN and Inf propagate. A factorisation is not safe for concurrent Factorize;
// its other methods only read and may run at the same time.
//
// Every result is the same to the last bit on every machine and kernel: the
// order of each sum depends on the sizes alone. See package mat/asm.
//
// Begin reading at dense.go, then gemm.go, the one loop nest on which the rest is
// built, with pack.go, which copies operands, and share.go, which divides the work among
// processors. Factorisations are families of files: cholesky, qr, eigen and svd. The sizes
// that decide bits are in contract.go, those that only decide speed in tuning.go.
package mat
