package mat

import (
	"testing"
)

func requireSameGram(t *testing.T, what string, got, want *Gram) {
	t.Helper()
	requireSameBits(t, what+": H'H", full(got.HH()), full(want.HH()))
	requireSameBits(t, what+": H'y", NewDense(want.cols, 1, got.Hy()), NewDense(want.cols, 1, want.Hy()))
	if !sameBits(got.YY(), want.YY()) || got.Count() != want.Count() {
		t.Fatalf("%s: y'y %v, count %d, want %v, %d", what, got.YY(), got.Count(), want.YY(), want.Count())
	}
}

func gramOf(seed uint64, rows, cols int) *Gram {
	r := newRandom(seed)
	g := NewGram(cols)
	g.Append(randomDense(r, rows, cols, 1), randomDense(r, 1, rows, 0).Data())
	return g
}

func TestGramMergesInAnyOrderOfTwo(t *testing.T) {
	for _, rows := range []int{0, 1, 255, 256, 700} {
		for _, more := range []int{0, 3, 256, 301} {
			a, b := gramOf(1, rows, 9), gramOf(1, rows, 9)
			c, d := gramOf(2, more, 9), gramOf(2, more, 9)
			a.Merge(c)
			d.Merge(b)
			requireSameGram(t, "a+c and c+a", a, d)
			empty := NewGram(9)
			empty.Merge(c)
			requireSameGram(t, "merged into nothing", empty, c)
			empty.Append(NewDense(1, 9, nil), []float64{2})
			c.Append(NewDense(1, 9, nil), []float64{2})
			requireSameGram(t, "and continued", empty, c)
		}
	}
}

func TestGramReset(t *testing.T) {
	r := newRandom(8)
	fresh, used := NewGram(5), NewGram(30)
	wide := NewDense(400, 30, nil)
	for i := range wide.Data() {
		wide.Data()[i] = r.NormFloat64()
	}
	used.Append(wide, make([]float64, 400))
	used.Reset(5)
	h, y := wide.Slice(0, 400, 3, 8), wide.Slice(0, 1, 0, 30).Data()
	y = append(append([]float64(nil), y...), make([]float64, 370)...)
	fresh.Append(h, y)
	used.Append(h, y)
	hh, hy := NewSym(5, nil), make([]float64, 5)
	yy := used.SumsTo(hh, hy)
	for i := range 5 {
		for j := range i + 1 {
			if hh.At(i, j) != fresh.HH().At(i, j) {
				t.Errorf("H'H(%d, %d) is %g, want %g", i, j, hh.At(i, j), fresh.HH().At(i, j))
			}
		}
		if hy[i] != fresh.Hy()[i] {
			t.Errorf("H'y[%d] is %g, want %g", i, hy[i], fresh.Hy()[i])
		}
	}
	if yy != fresh.YY() || used.Count() != 400 || used.Cols() != 5 {
		t.Errorf("y'y is %g, want %g; %d rows of %d", yy, fresh.YY(), used.Count(), used.Cols())
	}
}

func TestGramRefusesNegativeSizes(t *testing.T) {
	mustPanic(t, "NewGram", func() { NewGram(-1) })
	mustPanic(t, "Reset", func() { NewGram(2).Reset(-1) })
}
