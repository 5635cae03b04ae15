package mat

import (
	"testing"

	"github.com/bpielm/bpielm/mat/asm"
)

func TestQLRotatesCoordinatesAsItRotatesRows(t *testing.T) {
	r := newRandom(3)
	for _, n := range []int{1, 2, 7, 33, 90} {
		var turned rotations
		turned.loadIdentity(n)
		x, order := make([]float64, n), make([]int, n)
		d, off := make([]float64, n), make([]float64, n)
		for i := range n {
			x[i], d[i], off[i] = r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		}
		before := append([]float64(nil), x...)
		q := implicitQL{values: d, off: off, order: order, turned: &turned, x: x}
		if err := q.run(asm.Active()); err != nil {
			t.Fatal(err)
		}
		turned.apply(asm.Active())
		rows := NewDense(n, n, nil)
		turned.copyTo(rows, order)
		requireSmall(t, "ZZ' - I", distance(naive(NoTrans, Trans, rows, rows), identity(n)), 4, float64(n+1))
		for i, row := range order {
			requireSmall(t, "coordinate", Dot(rows.Row(i), before)-x[row], 4, float64(n+1)*Nrm2(before))
		}
	}
}
