package mat

import (
	"errors"
	"fmt"
	"testing"
)

var shapes = [][2]int{
	{0, 0}, {0, 3}, {3, 0}, {1, 1}, {1, 6}, {6, 1}, {2, 2}, {5, 3}, {3, 5}, {8, 8}, {12, 12}, {20, 7}, {7, 20},
	{31, 31}, {33, 32}, {40, 33}, {33, 40}, {60, 60}, {60, 25}, {25, 60}, {70, 65}, {150, 70},
}

// forEachMatrix calls test with matrices of all shapes and kinds.
func forEachMatrix(t *testing.T, test func(what string, a *Dense)) {
	for _, s := range shapes {
		for name, a := range matrices(newRandom(uint64(s[0]+1000*s[1])), s[0], s[1]) {
			if test(fmt.Sprintf("%s %d x %d", name, s[0], s[1]), a); t.Failed() {
				return
			}
		}
	}
}

func TestQRFactors(t *testing.T) {
	const residual, orthogonality = 4, 8 // times max(m, n) eps
	forEachKernel(t, func(t *testing.T) {
		var q QR
		forEachMatrix(t, func(what string, a *Dense) {
			m, n := a.Dims()
			size := float64(max(m, n) + 1)
			before := a.Clone()
			q.Factorize(a)
			requireSameBits(t, what+": A", a, before)
			// Scale out of the subnormal range, where numbers have fewer digits.
			r, scaled := q.R(), a.Clone()
			if tiny := frobenius(a); tiny > 0 && tiny < 0x1p-900 {
				scaled.Scale(0x1p1000)
				q.Factorize(scaled)
				r = q.R()
			}
			for i := range r.Rows() {
				for j := range min(i, n) {
					if r.At(i, j) != 0 {
						t.Fatalf("%s: R(%d, %d) = %v", what, i, j, r.At(i, j))
					}
				}
			}
			product := NewDense(m, n, nil)
			product.Slice(0, r.Rows(), 0, n).CopyFrom(r)
			q.MulQ(NoTrans, product)
			requireSmall(t, what+": QR - A", distance(product, scaled), residual, size*frobenius(scaled))
			q.MulQ(Trans, product)
			product.Slice(0, r.Rows(), 0, n).CopyFrom(difference(product.Slice(0, r.Rows(), 0, n), r))
			requireSmall(t, what+": Q'QR - R", frobenius(product), residual, size*frobenius(scaled))
			whole := identity(m)
			q.MulQ(NoTrans, whole)
			requireSmall(t, what+": Q'Q - I", distance(naive(Trans, NoTrans, whole, whole), identity(m)), orthogonality, size)
		})
	})
}

func difference(a, b *Dense) *Dense {
	d := a.Clone()
	for i := range d.Rows() {
		Axpy(-1, b.Row(i), d.Row(i))
	}
	return d
}

func TestQRMulQIsTheSameForFewAndManyColumns(t *testing.T) {
	const factor = 8 // times m eps
	a, b := randomDense(newRandom(1), 50, 40, 0), randomDense(newRandom(2), 50, 10, 3)
	var q QR
	q.Factorize(a)
	for _, tr := range []Transpose{NoTrans, Trans} {
		many := b.Clone()
		q.MulQ(tr, many)
		for j := range 9 {
			few := b.Slice(0, 50, j, j+2).Clone()
			q.MulQ(tr, few)
			requireSmall(t, "difference", distance(few, many.Slice(0, 50, j, j+2)), factor, 50)
		}
	}
}

func TestQRSolvesLeastSquares(t *testing.T) {
	const factor = 64 // times m eps
	for _, s := range [][2]int{{1, 1}, {5, 5}, {9, 4}, {40, 33}, {100, 40}} {
		m, n := s[0], s[1]
		r := newRandom(uint64(m))
		a, b := randomDense(r, m, n, 1), randomDense(r, m, 6, 1)
		var q QR
		q.Factorize(a)
		x := NewDense(n, 6, nil)
		if err := q.SolveTo(x, b); err != nil {
			t.Fatal(err)
		}
		residual := difference(b, naive(NoTrans, NoTrans, a, x))
		requireSmall(t, "A'(b - Ax)", frobenius(naive(Trans, NoTrans, a, residual)), factor, float64(m)*frobenius(a)*(frobenius(x)+1))
	}
	var q QR
	q.Factorize(NewDense(3, 2, []float64{1, 0, 1, 0, 1, 0}))
	var singular *SingularError
	if err := q.SolveTo(NewDense(2, 1, nil), NewDense(3, 1, nil)); !errors.As(err, &singular) || singular.Index != 1 {
		t.Errorf("singular: %v", err)
	}
	mustPanic(t, "wide", func() { q.Factorize(NewDense(2, 3, nil)); q.SolveTo(NewDense(3, 1, nil), NewDense(2, 1, nil)) })
	mustPanic(t, "MulQ", func() { q.MulQ(Trans, NewDense(3, 1, nil)) })
}

func TestQRDoesNotAllocate(t *testing.T) {
	a, b := randomDense(newRandom(1), 80, 70, 0), NewDense(80, 8, nil)
	var q QR
	allocations := testing.AllocsPerRun(5, func() {
		q.Factorize(a)
		q.MulQ(Trans, b)
	})
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}
