package mat

import (
	"encoding/binary"
	"math"
	"testing"
)

// FuzzNothingPanics runs every factorisation on matrices of arbitrary bits. They may
// return errors or NaN, but must not panic or hang.
func FuzzNothingPanics(f *testing.F) {
	values := []float64{0, 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, 0x1p-1074, 0x1p-1022, -0x1p-537, 0x1p+512, 0x1p-52}
	r := newRandom(1)
	for i := range 400 {
		var seed []byte
		for range i % 50 {
			kind := len(values) // NaN and Inf only in half of the seeds
			v := values[r.IntN(kind)]
			if i%2 == 0 && (math.IsNaN(v) || math.IsInf(v, 0)) {
				v = r.Float64()
			}
			seed = binary.LittleEndian.AppendUint64(seed, math.Float64bits(v))
		}
		f.Add(seed, uint8(i%7))
	}
	f.Fuzz(func(t *testing.T, data []byte, width uint8) {
		cols := int(width % 16)
		rows := 0
		if cols > 0 {
			rows = min(len(data)/8/cols, 40)
		}
		a := NewDense(rows, cols, nil)
		finite := true
		for i := range a.data {
			a.data[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
			finite = finite && !math.IsNaN(a.data[i]) && !math.IsInf(a.data[i], 0)
		}
		var q QR
		q.Factorize(a)
		q.MulQ(Trans, a.Clone())
		if rows >= cols {
			_ = q.SolveTo(NewDense(cols, 1, nil), NewDense(rows, 1, nil))
		}
		var svd SVD
		if err := svd.Factorize(a, true); (err == nil) != finite {
			t.Errorf("SVD of finite %v: %v", finite, err)
		} else if err == nil {
			requireSmall(t, "U'U - I", distance(naive(Trans, NoTrans, svd.U(), svd.U()), identity(svd.U().Cols())), 4, float64(rows+cols+1))
			requireSmall(t, "V'V - I", distance(naive(Trans, NoTrans, svd.V(), svd.V()), identity(svd.V().Cols())), 4, float64(rows+cols+1))
		}
		g, ts := NewGram(cols), NewTSQR(cols)
		g.Append(a, make([]float64, rows))
		ts.Append(a, make([]float64, rows))
		ts.R()
		var c Cholesky
		if c.Factorize(g.HH()) == nil {
			c.InverseTo(NewSym(cols, nil))
			c.LogDet()
		}
		n := min(rows, cols)
		s := symmetric(a.Slice(0, n, 0, n))
		finite = true
		for i := range n {
			for _, v := range s.Row(i) {
				finite = finite && !math.IsNaN(v) && !math.IsInf(v, 0)
			}
		}
		var e SymEigen
		if err := e.Factorize(s, true); (err == nil) != finite {
			t.Errorf("SymEigen of finite %v: %v", finite, err)
		} else if err == nil {
			requireSmall(t, "Z'Z - I", distance(naive(Trans, NoTrans, e.Vectors(), e.Vectors()), identity(n)), 4, float64(n+1))
		}
	})
}
