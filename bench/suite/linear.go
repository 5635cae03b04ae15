package suite

import (
	"math/rand/v2"

	"github.com/bpielm/bpielm/mat"
)

// shaped returns a family with one case for each shape. work counts the operations, and the
// bytes of the operands if each is passed once. start prepares the operands and returns the
// operation.
func shaped(name, about, shapes string, work func(s Shape) Work, start func(s Shape) func() error) *Family {
	f := &Family{Name: name, About: about, Shapes: shapes}
	f.cases = func(shapes []Shape) (cases []Case) {
		for _, s := range shapes {
			cases = append(cases, Case{
				Name:  name + "/" + s.String(),
				Work:  work(s),
				Start: func() (func() error, error) { return start(s), nil },
			})
		}
		return cases
	}
	return f
}

var gemm = shaped("Gemm", "C = A B, square", "n=16;n=32;n=64;n=100;n=300;n=500;n=1000;n=2000",
	func(s Shape) Work { n := float64(s.Get("n")); return Work{Flops: 2 * n * n * n, Bytes: 8 * 3 * n * n} },
	func(s Shape) func() error {
		n := s.Get("n")
		a, b, c := random(n, n), random(n, n), mat.NewDense(n, n, nil)
		return func() error {
			mat.Gemm(mat.NoTrans, mat.NoTrans, 1, a, b, 0, c)
			return nil
		}
	})

// Only the lower triangle is computed and counted.
var syrk = shaped("Syrk", "H'H, H of k rows and n columns", "k=419,n=100;k=428,n=180;k=5000,n=137;k=1000,n=500;k=10000,n=100;k=10000,n=500;k=4000,n=2000;k=100000,n=100",
	func(s Shape) Work {
		k, n := float64(s.Get("k")), float64(s.Get("n"))
		return Work{Flops: k * n * (n + 1), Bytes: 8 * (k*n + n*n/2)}
	},
	func(s Shape) func() error {
		h, c := random(s.Get("k"), s.Get("n")), mat.NewSym(s.Get("n"), nil)
		return func() error {
			mat.Syrk(mat.Trans, 1, h, 0, c)
			return nil
		}
	})

var trsm = shaped("Trsm", "X = L^-1 B, square", "n=64;n=100;n=300;n=500;n=1000",
	func(s Shape) Work { n := float64(s.Get("n")); return Work{Flops: n * n * n, Bytes: 8 * 2.5 * n * n} },
	func(s Shape) func() error {
		n := s.Get("n")
		l, b := mat.NewTri(n, mat.Lower, nil), random(n, n)
		for i := range n {
			for j := range i {
				l.Set(i, j, rand.NormFloat64()/float64(n))
			}
			l.Set(i, i, 1) // so that repeated solves neither grow nor vanish
		}
		return func() error {
			mat.Trsm(mat.Left, mat.NoTrans, 1, l, b)
			return nil
		}
	})

// random returns a matrix of independent standard normal numbers, the same each time.
func random(rows, cols int) *mat.Dense {
	source := rand.New(rand.NewPCG(uint64(rows), uint64(cols)))
	m := mat.NewDense(rows, cols, nil)
	for i := range rows {
		for j := range cols {
			m.Set(i, j, source.NormFloat64())
		}
	}
	return m
}
