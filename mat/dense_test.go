package mat

import (
	"math"
	"testing"
)

func TestDenseViewsAndCopies(t *testing.T) {
	m := NewDense(3, 4, []float64{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23})
	view := m.Slice(1, 3, 1, 3)
	if rows, cols := view.Dims(); rows != 2 || cols != 2 || view.Stride() != 4 {
		t.Fatal("Slice: shape")
	}
	view.Set(0, 0, -11)
	if m.At(1, 1) != -11 {
		t.Error("Slice is a copy")
	}
	view.Zero()
	if m.At(2, 2) != 0 || m.At(2, 3) != 23 || m.At(1, 0) != 10 {
		t.Error("Zero of a view")
	}
	view.Reset(2, 2)
	view.Set(0, 0, 5)
	if m.At(1, 1) != 0 {
		t.Error("Reset of a view kept the storage of the other matrix")
	}
	if row := m.Row(1); cap(row) != 4 {
		t.Error("Row can grow into the next row")
	}
	tr := m.Transpose()
	for i := range 3 {
		for j := range 4 {
			if tr.At(j, i) != m.At(i, j) {
				t.Errorf("Transpose (%d, %d)", j, i)
			}
		}
	}
	for _, s := range [][4]int{{0, 0, 0, 0}, {3, 3, 4, 4}, {1, 1, 0, 4}, {0, 3, 2, 2}} {
		if e := m.Slice(s[0], s[1], s[2], s[3]); len(e.Data()) != 0 {
			t.Errorf("empty slice %v", s)
		}
	}
}

func TestResetReusesStorage(t *testing.T) {
	m := NewDense(4, 5, nil)
	fill(m, 3)
	before := &m.Data()[0]
	m.Reset(2, 6)
	if &m.Data()[0] != before || frobenius(m) != 0 || m.Stride() != 6 {
		t.Error("smaller")
	}
	m.Reset(5, 5)
	if frobenius(m) != 0 || len(m.Data()) != 25 {
		t.Error("larger")
	}
}

func TestSymHasOneTriangle(t *testing.T) {
	s := NewSym(3, nil)
	s.Set(0, 2, 4)
	s.Set(1, 1, 5)
	if s.At(2, 0) != 4 || s.At(0, 2) != 4 || s.Data()[6] != 4 || s.Data()[2] != 0 || len(s.Row(1)) != 2 {
		t.Error("storage")
	}
	c := s.Clone()
	s.Set(2, 0, 0)
	if c.At(0, 2) != 4 || s.At(0, 2) != 0 {
		t.Error("Clone")
	}
	s.Reset(2)
	if s.N() != 2 || len(s.Data()) != 4 {
		t.Error("Reset")
	}
	mustPanic(t, "CopyFrom", func() { s.CopyFrom(c) })
	mustPanic(t, "At", func() { s.At(0, 2) })
}

func TestEqual(t *testing.T) {
	a := NewDense(2, 2, []float64{1, 2, 3, 4})
	wide := NewDense(2, 3, []float64{1, 2, 9, 3, 4, 9})
	if !a.Equal(a.Clone()) || !a.Equal(wide.Slice(0, 2, 0, 2)) {
		t.Error("equal matrices differ")
	}
	other := a.Clone()
	other.Set(1, 1, 5)
	nan := a.Clone()
	nan.Set(0, 0, math.NaN())
	for name, b := range map[string]*Dense{"element": other, "shape": wide, "NaN": nan} {
		if a.Equal(b) {
			t.Errorf("%s: different matrices are equal", name)
		}
	}
	if nan.Equal(nan) {
		t.Error("NaN equals itself")
	}
}
