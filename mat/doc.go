// Package mat is dense linear algebra in float64: products, triangular solves,
// Cholesky, Householder QR, singular values, symmetric eigenvalues, and least squares
// over more rows than fit in memory (Gram, TSQR).
//
//	h := mat.NewDense(3, 2, []float64{1, 0, 1, 1, 1, 2}) // row by row, used in place
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
// Matrices are row-major, and may have no rows or no columns. A shape mismatch is a
// programming error and panics with Error. A failure that depends on the data is
// returned as a typed error. Results must not overlap operands unless stated otherwise.
// With beta = 0, products and solves never read the result's old contents. Nothing skips
// zeros, so NaN and Inf propagate. Factorize must not run concurrently with any other
// method of the same value; the other methods only read and may run concurrently.
//
// Results are bit-for-bit the same on every machine and with every kernel, because the
// sizes alone determine the order of each sum. See package mat/asm.
//
// Begin reading at dense.go, then gemm.go: it holds the one loop nest on which the rest
// is built. pack.go packs operands, and share.go divides the work among processors.
// Each factorisation is a family of files: cholesky, qr, eigen and svd. Sizes that
// determine bits are in contract.go; sizes that only affect speed are in tuning.go.
package mat
