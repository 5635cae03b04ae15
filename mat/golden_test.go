package mat

import (
	"hash/fnv"
	"math"
	"testing"
)

// digest hashes the bits of numbers.
func digest(parts ...[]float64) uint64 {
	h := fnv.New64a()
	for _, part := range parts {
		for _, v := range part {
			b := math.Float64bits(v)
			for shift := 0; shift < 64; shift += 8 {
				h.Write([]byte{byte(b >> shift)})
			}
		}
	}
	return h.Sum64()
}

// Every machine and kernel gives these bits. They change only when an algorithm does.
var goldenDigests = map[string]uint64{
	"Gemm":       0xb0f01ea0e2ab2e0e,
	"Syrk":       0x9bf88c02a249a886,
	"Gemv":       0x6d9e9b800f568a2b,
	"Cholesky":   0x45f8d5174c8588b0,
	"QR":         0x23c2c801ceca3369,
	"SVD":        0x05e33060004de8e8,
	"SymEigen":   0xc288ac67c6c4d926,
	"Bidiagonal": 0x7a0bcdd6214ebb48,
	"streams":    0x1ed2ba5a80133ad3,
}

func goldenResults(t *testing.T) map[string]uint64 {
	r := newRandom(2026)
	a, b := randomDense(r, 90, 70, 0).Clone(), randomDense(r, 70, 33, 0).Clone()
	results := map[string]uint64{}
	c := NewDense(90, 33, nil)
	Gemm(NoTrans, NoTrans, 0.7, a, b, 0, c)
	results["Gemm"] = digest(c.Data())
	hh := NewSym(70, nil)
	Syrk(Trans, 1, a, 0, hh)
	results["Syrk"] = digest(hh.Data())
	x, y := a.Row(0), make([]float64, 90)
	Gemv(NoTrans, 1.5, a, x, 0, y)
	Gemv(Trans, 0.5, a, y, 1, x)
	results["Gemv"] = digest(x, y, []float64{Dot(x, x), Sum(y), Nrm2(y)})
	for i := range 70 {
		hh.Set(i, i, hh.At(i, i)+1)
	}
	var chol Cholesky
	if err := chol.Factorize(hh); err != nil {
		t.Fatal(err)
	}
	inverse := NewSym(70, nil)
	chol.InverseTo(inverse)
	chol.SolveTo(b, b)
	results["Cholesky"] = digest(fullTri(chol.L()).Data(), inverse.Data(), b.Data(), []float64{chol.LogDet()})
	var q QR
	q.Factorize(a)
	q.MulQ(Trans, c)
	results["QR"] = digest(q.R().Data(), c.Data())
	var svd SVD
	if err := svd.Factorize(a, true); err != nil {
		t.Fatal(err)
	}
	results["SVD"] = digest(svd.Values(), svd.U().Data(), svd.V().Data())
	var e SymEigen
	if err := e.Factorize(hh, true); err != nil {
		t.Fatal(err)
	}
	results["SymEigen"] = digest(e.Values(), e.Vectors().Data())
	var bi Bidiagonal
	if err := bi.Factorize(a); err != nil {
		t.Fatal(err)
	}
	var ridge Ridge
	solution := make([]float64, 70)
	ridge.Factorize(bi.Diagonal(), bi.Super(), 1e-3, x)
	ridge.SolveTo(solution)
	results["Bidiagonal"] = digest(bi.Diagonal(), bi.Super(), bi.VTrans().Data(), solution, []float64{ridge.Rest()})
	g, ts := NewGram(70), NewTSQR(70)
	for range 5 {
		g.Append(a, y)
		ts.Append(a, y)
	}
	results["streams"] = digest(g.HH().Data(), g.Hy(), ts.R().Data(), ts.QTy())
	return results
}

func TestSameBitsEverywhere(t *testing.T) {
	forEachKernel(t, func(t *testing.T) {
		for name, got := range goldenResults(t) {
			if want := goldenDigests[name]; got != want {
				t.Errorf("%q: %#016x,", name, got)
			}
		}
	})
}
