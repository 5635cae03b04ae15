package suite

import (
	"github.com/bpielm/bpielm/mat"
)

var cholesky = shaped("Cholesky", "A = L L'", "n=64;n=100;n=180;n=300;n=500;n=1000;n=4000",
	func(s Shape) Work { n := float64(s.Get("n")); return Work{Flops: n * n * n / 3, Bytes: 8 * n * n} },
	func(s Shape) func() error {
		a := positiveDefinite(s.Get("n"))
		var c mat.Cholesky
		return func() error { return c.Factorize(a) }
	})

// Only the inversion is timed, which takes twice the operations of the factorisation.
var inverse = shaped("Inverse", "A^-1 from L", "n=100;n=180;n=300;n=500;n=1000",
	func(s Shape) Work { n := float64(s.Get("n")); return Work{Flops: 2 * n * n * n / 3, Bytes: 8 * n * n} },
	func(s Shape) func() error {
		a := positiveDefinite(s.Get("n"))
		var c mat.Cholesky
		dst := mat.NewSym(s.Get("n"), nil)
		err := c.Factorize(a)
		return func() error {
			c.InverseTo(dst)
			return err
		}
	})

var qr = shaped("QR", "A = Q R", "m=419,n=100;m=1000,n=500;m=4000,n=1000",
	func(s Shape) Work {
		m, n := float64(s.Get("m")), float64(s.Get("n"))
		return Work{Flops: 2*m*n*n - 2*n*n*n/3, Bytes: 8 * m * n}
	},
	func(s Shape) func() error {
		a := random(s.Get("m"), s.Get("n"))
		var q mat.QR
		return func() error {
			q.Factorize(a)
			return nil
		}
	})

// The count of operations is that of the reduction to bidiagonal form, of the iteration with
// vectors by the usual estimate, and of the back-transformation of the vectors.
var svd = shaped("SVD", "A = U diag(s) V', with vectors", "m=419,n=100;m=1000,n=500",
	func(s Shape) Work {
		m, n := float64(s.Get("m")), float64(s.Get("n"))
		return Work{Flops: 6*m*n*n + 20*n*n*n/3, Bytes: 8 * m * n}
	},
	func(s Shape) func() error {
		a := random(s.Get("m"), s.Get("n"))
		var f mat.SVD
		return func() error { return f.Factorize(a, true) }
	})

// The count of operations is that of the reduction to tridiagonal form only.
var symEigen = shaped("SymEigen", "A = Z diag(v) Z', with vectors", "n=100;n=180;n=300;n=500;n=1000",
	func(s Shape) Work { n := float64(s.Get("n")); return Work{Flops: 4 * n * n * n / 3, Bytes: 8 * n * n} },
	func(s Shape) func() error {
		a := positiveDefinite(s.Get("n"))
		var e mat.SymEigen
		return func() error { return e.Factorize(a, true) }
	})

// streamed returns a family in which rows arrive in chunks, as from a generator or a file;
// the chunk is the same each time.
func streamed(name, about, shapes string, flops func(m, n float64) float64, start func(cols int) func(h *mat.Dense, y []float64)) *Family {
	return shaped(name, about, shapes,
		func(s Shape) Work {
			m, n := float64(s.Get("m")), float64(s.Get("n"))
			return Work{Flops: flops(m, n), Bytes: 8 * m * n}
		},
		func(s Shape) func() error {
			const rows = 512
			m, n := s.Get("m"), s.Get("n")
			h, y := random(rows, n), random(1, rows).Data()
			return func() error {
				add := start(n)
				for done := 0; done < m; done += rows {
					part := min(rows, m-done)
					add(h.Slice(0, part, 0, n), y[:part])
				}
				return nil
			}
		})
}

const streamShapes = "m=10000,n=100;m=20000,n=500;m=20000,n=1000"

var streamGram = streamed("StreamGram", "H'H, H'y, y'y from chunks of 512 rows", streamShapes,
	func(m, n float64) float64 { return m * n * (n + 1) },
	func(cols int) func(h *mat.Dense, y []float64) { return mat.NewGram(cols).Append })

var streamTSQR = streamed("StreamTSQR", "R of [H y] from chunks of 512 rows", streamShapes,
	func(m, n float64) float64 { return 2 * m * n * n },
	func(cols int) func(h *mat.Dense, y []float64) { return mat.NewTSQR(cols).Append })

// positiveDefinite returns BB' + nI for a random B.
func positiveDefinite(n int) *mat.Sym {
	a := mat.NewSym(n, nil)
	for i := range n {
		a.Set(i, i, float64(n))
	}
	mat.Syrk(mat.NoTrans, 1, random(n, n), 1, a)
	return a
}
