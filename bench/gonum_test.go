package bench

import (
	"testing"

	gonum "gonum.org/v1/gonum/mat"

	"github.com/bpielm/bpielm/bench/suite"
	"github.com/bpielm/bpielm/mat"
)

// gonum is a peer in Go: the same work, in the same run and format. A program in another
// language can serve as a peer if it prints Go's benchmark format.

func BenchmarkGonumGemm(b *testing.B) {
	peer(b, "Gemm", "n=64;n=100;n=300;n=500", func(s suite.Shape) func() error {
		x, y := random(s.Get("n"), s.Get("n")), random(s.Get("n"), s.Get("n"))
		var c gonum.Dense
		return func() error { c.Mul(x, y); return nil }
	})
}

func BenchmarkGonumSyrk(b *testing.B) {
	peer(b, "Syrk", "k=419,n=100;k=1000,n=500", func(s suite.Shape) func() error {
		h := random(s.Get("k"), s.Get("n"))
		c := gonum.NewSymDense(s.Get("n"), nil)
		return func() error { c.SymOuterK(1, h.T()); return nil }
	})
}

// peer runs gonum's operation on the shapes of a family of the suite.
func peer(b *testing.B, family, shapes string, start func(s suite.Shape) func() error) {
	if *shapesFlag != "" {
		shapes = *shapesFlag
	}
	asked, err := suite.ParseShapes(shapes)
	if err != nil {
		b.Fatal(err)
	}
	cases, err := suite.Find(family).Cases(asked)
	if err != nil {
		b.Skip(err)
	}
	for i, c := range cases {
		c.Start = func() (func() error, error) { return start(asked[i]), nil }
		b.Run(c.Name[len(family)+1:], func(b *testing.B) { runCase(b, c) })
	}
}

func random(rows, cols int) *gonum.Dense {
	m := gonum.NewDense(rows, cols, nil)
	for i := range rows {
		for j := range cols {
			m.Set(i, j, mat.Sin(float64(1+i*cols+j)))
		}
	}
	return m
}
