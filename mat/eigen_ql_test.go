package mat

import (
	"slices"
	"testing"

	"github.com/bpielm/bpielm/mat/asm"
)

func TestQLTurnsRowsIntoEigenvectors(t *testing.T) {
	r := newRandom(3)
	for _, n := range []int{1, 2, 7, 33, 90} {
		var turned rotations
		turned.loadIdentity(n)
		d, off, order := make([]float64, n), make([]float64, n), make([]int, n)
		whole := NewDense(n, n, nil)
		for i := range n {
			d[i], off[i] = r.NormFloat64(), r.NormFloat64()
			whole.Set(i, i, d[i])
			if i > 0 {
				whole.Set(i, i-1, off[i-1])
				whole.Set(i-1, i, off[i-1])
			}
		}
		q := implicitQL{values: slices.Clone(d), off: off, order: order, turned: &turned}
		if err := q.run(asm.Active()); err != nil {
			t.Fatal(err)
		}
		turned.apply(asm.Active())
		rows := NewDense(n, n, nil)
		turned.copyTo(rows, order)
		requireSmall(t, "ZZ' - I", distance(naive(NoTrans, Trans, rows, rows), identity(n)), 4, float64(n+1))
		scaled := rows.Clone()
		for i := range n {
			for j := range n {
				scaled.Set(i, j, q.values[i]*rows.At(i, j))
			}
		}
		requireSmall(t, "ZT - DZ", distance(naive(NoTrans, NoTrans, rows, whole), scaled), 4, float64(n+1)*frobenius(whole))
	}
}
