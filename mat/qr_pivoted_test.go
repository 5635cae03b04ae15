package mat

import (
	"errors"
	"math"
	"testing"
)

func TestPivotedQRRevealsTheOrder(t *testing.T) {
	const residual = 4 // times max(m, n) eps
	forEachMatrix(t, func(what string, a *Dense) {
		m, n := a.Dims()
		a = a.Clone()
		if largest, _ := magnitude(a.Data()); largest > 0 { // R of the smallest matrices is subnormal
			_, e := math.Frexp(largest)
			scaleByPower(a.Data(), a.Data(), -e)
		}
		var q PivotedQR
		if err := q.Factorize(a); err != nil {
			t.Fatal(err)
		}
		r, order := q.R(), q.Order()
		for i := 1; i < r.Rows(); i++ {
			if math.Abs(r.At(i, i)) > math.Abs(r.At(i-1, i-1))*(1+1e-6)+eps*frobenius(a) {
				t.Errorf("%s: diagonal grows at %d", what, i)
			}
		}
		product, permuted := NewDense(m, n, nil), NewDense(m, n, nil)
		product.Slice(0, r.Rows(), 0, n).CopyFrom(r)
		q.MulQ(NoTrans, product)
		seen := make([]bool, n)
		for j, from := range order {
			seen[from] = true
			for i := range m {
				permuted.Set(i, j, a.At(i, from))
			}
		}
		for j := range n {
			if !seen[j] {
				t.Fatalf("%s: order is not a permutation", what)
			}
		}
		requireSmall(t, what+": QR - AP", distance(product, permuted), residual, float64(max(m, n)+1)*frobenius(a))
	})
}

func TestPivotedQRFindsTheRank(t *testing.T) {
	r := newRandom(7)
	for _, shape := range [][3]int{{1, 1, 1}, {40, 20, 7}, {20, 40, 7}, {30, 30, 29}, {150, 130, 64}, {300, 100, 100}, {9, 5, 0}} {
		m, n, rank := shape[0], shape[1], shape[2]
		a := NewDense(m, n, nil)
		if rank > 0 {
			Gemm(NoTrans, NoTrans, 0x1p600, randomDense(r, m, rank, 0), randomDense(r, rank, n, 0), 0, a)
		}
		var q PivotedQR
		if err := q.Factorize(a); err != nil {
			t.Fatal(err)
		}
		if got := q.Rank(1e-12); got != rank {
			t.Fatalf("%d x %d: rank %d, want %d", m, n, got, rank)
		}
		// A right-hand side in the range of A is matched by rank columns.
		want, x := randomDense(r, n, 3, 0), NewDense(n, 3, nil)
		b := naive(NoTrans, NoTrans, a, want)
		if got := solveByRank(&q, x, b, 1e-12); got != rank {
			t.Fatalf("%d x %d: solved with rank %d, want %d", m, n, got, rank)
		}
		scale := 0x1p-600
		residual := difference(b, naive(NoTrans, NoTrans, a, x))
		residual.Scale(scale)
		a.Scale(scale)
		requireSmall(t, "b - Ax", frobenius(residual), 4, float64(max(m, n))*frobenius(a)*(frobenius(x)+1))
		zeros := 0
		for i := range n {
			if x.At(i, 0) == 0 {
				zeros++
			}
		}
		if zeros != n-rank {
			t.Errorf("%d x %d: %d zeros, want %d", m, n, zeros, n-rank)
		}
	}
}

// solveByRank sets dst to a least-squares solution of A dst = b with at most rank nonzero
// rows, where rank is Rank(rcond), and returns rank.
func solveByRank(p *PivotedQR, dst, b *Dense, rcond float64) (rank int) {
	rank = p.Rank(rcond)
	qb := b.Clone()
	p.MulQ(Trans, qb)
	x := qb.Slice(0, rank, 0, b.cols)
	Trsm(Left, NoTrans, 1, p.R().Slice(0, rank, 0, rank).Tri(Upper), x)
	for j, to := range p.Order() {
		clear(dst.Row(to))
		if j < rank {
			copy(dst.Row(to), x.Row(j))
		}
	}
	return rank
}

func TestPivotedQRRefuses(t *testing.T) {
	var q PivotedQR
	var notFinite *NotFiniteError
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		if err := q.Factorize(NewDense(2, 2, []float64{1, 2, bad, 3})); !errors.As(err, &notFinite) || notFinite.Row != 1 || notFinite.Col != 0 {
			t.Errorf("%v: %v", bad, err)
		}
		if rank := q.Rank(0); rank != 0 {
			t.Errorf("rank %d after an error", rank)
		}
	}
	a := randomDense(newRandom(1), 90, 70, 0)
	if n := testing.AllocsPerRun(5, func() { _ = q.Factorize(a) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
