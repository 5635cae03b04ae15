package mat

import (
	"fmt"
	"math"
	"testing"
)

// randomTri returns a well-conditioned triangle, with NaN in the other one.
func randomTri(seed uint64, n int, uplo Uplo) *Tri {
	r := newRandom(seed)
	m := randomDense(r, n, n, 2)
	t := m.Tri(uplo)
	for i := range n {
		for j := range n {
			switch {
			case !t.holds(i, j):
				m.Set(i, j, math.NaN())
			case i == j:
				m.Set(i, i, 1.5+m.At(i, i))
			default:
				m.Set(i, j, m.At(i, j)/float64(n))
			}
		}
	}
	return t
}

func forEachTriangle(test func(what string, tT Transpose, t *Tri)) {
	for _, n := range []int{0, 1, 2, 3, 5, 31, 32, 33, 64, 65, 100} {
		for _, uplo := range []Uplo{Lower, Upper} {
			for _, tT := range []Transpose{NoTrans, Trans} {
				test(fmt.Sprintf("n %d, uplo %v, transpose %v", n, uplo, tT), tT, randomTri(uint64(n), n, uplo))
			}
		}
	}
}

func TestTrsmSolves(t *testing.T) {
	const factor = 4 // times n eps |T| |X|
	forEachKernel(t, func(t *testing.T) {
		forEachTriangle(func(what string, tT Transpose, tri *Tri) {
			n, whole := tri.N(), fullTri(tri)
			for _, other := range []int{0, 1, 7, 30} {
				r := newRandom(uint64(other))
				x := randomDense(r, n, other, 3)
				b := x.Clone()
				Trsm(Left, tT, -2, tri, x)
				b.Scale(-2)
				scale := float64(n+1) * frobenius(whole) * frobenius(x)
				requireSmall(t, "left: "+what, distance(naive(tT, NoTrans, whole, x), b), factor, scale)
				if !gapsUntouched(x) {
					t.Errorf("left: %s: wrote between the rows", what)
				}
				x = randomDense(r, other, n, 3)
				b = x.Clone()
				Trsm(Right, tT, 1, tri, x)
				scale = float64(n+1) * frobenius(whole) * frobenius(x)
				requireSmall(t, "right: "+what, distance(naive(NoTrans, tT, x, whole), b), factor, scale)
				if !gapsUntouched(x) {
					t.Errorf("right: %s: wrote between the rows", what)
				}
			}
		})
	})
}

func TestTrsvSolves(t *testing.T) {
	const factor = 4 // times n eps |T| |x|
	forEachTriangle(func(what string, tT Transpose, tri *Tri) {
		x := randomDense(newRandom(1), tri.N(), 1, 0)
		b, whole := x.Clone(), fullTri(tri)
		Trsv(tT, tri, x.Data())
		requireSmall(t, what, distance(naive(tT, NoTrans, whole, x), b), factor, float64(tri.N()+1)*frobenius(whole)*frobenius(x))
	})
}

func TestTriangles(t *testing.T) {
	l := NewTri(3, Lower, []float64{1, 9, 9, 2, 3, 9, 4, 5, 6})
	if l.At(2, 0) != 4 || l.At(0, 2) != 0 || l.At(1, 1) != 3 {
		t.Error("At")
	}
	l.Set(2, 1, 7)
	if l.At(2, 1) != 7 {
		t.Error("Set")
	}
	mustPanic(t, "Set above", func() { l.Set(0, 1, 1) })
	mustPanic(t, "At outside", func() { l.At(3, 0) })
	mustPanic(t, "Trsm left", func() { Trsm(Left, NoTrans, 1, l, NewDense(2, 3, nil)) })
	mustPanic(t, "Trsm right", func() { Trsm(Right, NoTrans, 1, l, NewDense(3, 2, nil)) })
	mustPanic(t, "Trsv", func() { Trsv(NoTrans, l, make([]float64, 2)) })
}
