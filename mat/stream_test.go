package mat

import (
	"math"
	"testing"
)

// chunked calls add with the rows of h and y in chunks of the given sizes, in turn.
func chunked(h *Dense, y []float64, sizes []int, add func(h *Dense, y []float64)) {
	for from, i := 0, 0; from < h.Rows(); i++ {
		to := min(from+sizes[i%len(sizes)], h.Rows())
		add(h.Slice(from, to, 0, h.Cols()), y[from:to])
		from = to
	}
}

var chunkings = [][]int{{1 << 20}, {1}, {0, 3, 100}, {256}, {300, 7}}

func TestGramDoesNotDependOnTheChunks(t *testing.T) {
	const factor = 4 // times rows eps
	for _, s := range [][2]int{{0, 3}, {1, 0}, {5, 7}, {256, 10}, {257, 10}, {1000, 20}} {
		rows, cols := s[0], s[1]
		r := newRandom(uint64(rows))
		h, y := randomDense(r, rows, cols, 2), randomDense(r, rows, 1, 0)
		var first *Gram
		for _, sizes := range chunkings {
			g := NewGram(cols)
			chunked(h, y.Data(), sizes, g.Append)
			if first == nil {
				first = g
			}
			requireSameBits(t, "H'H", full(g.HH()), full(first.HH()))
			requireSameBits(t, "H'y", NewDense(cols, 1, g.Hy()), NewDense(cols, 1, first.Hy()))
			if g.YY() != first.YY() || g.Count() != rows {
				t.Error("y'y or count")
			}
		}
		scale := float64(rows + 1)
		check := func(what string, g *Gram, h, y *Dense) {
			requireSmall(t, what+": H'H", distance(full(g.HH()), naive(Trans, NoTrans, h, h)), factor, scale*float64(cols+1))
			requireSmall(t, what+": H'y", distance(NewDense(cols, 1, g.Hy()), naive(Trans, NoTrans, h, y)), factor, scale*float64(cols+1))
			requireSmall(t, what+": y'y", math.Abs(g.YY()-naive(Trans, NoTrans, y, y).At(0, 0)), factor, scale)
		}
		check("sum", first, h, y)
		half := rows / 2
		a, b := NewGram(cols), NewGram(cols)
		a.Append(h.Slice(0, half, 0, cols), y.Data()[:half])
		b.Append(h.Slice(half, rows, 0, cols), y.Data()[half:])
		a.Merge(b)
		if a.Count() != rows || b.Count() != rows-half {
			t.Error("count after Merge")
		}
		check("Merge", a, h, y)
		a.Append(h, y.Data())
		if a.Count() != 2*rows {
			t.Error("Append after Merge")
		}
	}
	g := NewGram(3)
	mustPanic(t, "columns", func() { g.Append(NewDense(2, 4, nil), make([]float64, 2)) })
	mustPanic(t, "values", func() { g.Append(NewDense(2, 3, nil), make([]float64, 1)) })
	mustPanic(t, "Merge", func() { g.Merge(NewGram(4)) })
}

func TestTSQRDoesNotDependOnTheChunks(t *testing.T) {
	const factor = 16 // times rows eps
	for _, s := range [][2]int{{0, 3}, {1, 0}, {2, 5}, {30, 7}, {256, 10}, {300, 100}, {1000, 20}} {
		rows, cols := s[0], s[1]
		r := newRandom(uint64(rows))
		h, y := randomDense(r, rows, cols, 2), randomDense(r, rows, 1, 0)
		var first *TSQR
		for _, sizes := range chunkings {
			q := NewTSQR(cols)
			chunked(h, y.Data(), sizes, q.Append)
			if first == nil {
				first = q
			}
			requireSameBits(t, "R", q.R(), first.R())
			requireSameBits(t, "Q'y", NewDense(cols, 1, q.QTy()), NewDense(cols, 1, first.QTy()))
			if q.Residual() != first.Residual() || q.Count() != rows {
				t.Error("residual or count")
			}
		}
		half := rows / 2
		a, b := NewTSQR(cols), NewTSQR(cols)
		a.Append(h.Slice(0, half, 0, cols), y.Data()[:half])
		b.Append(h.Slice(half, rows, 0, cols), y.Data()[half:])
		a.Merge(b)
		for what, q := range map[string]*TSQR{"sum": first, "Merge": a} {
			if q.Count() != rows {
				t.Error("count")
			}
			factor, scale := float64(factor), float64(rows+cols+1)*float64(cols+1)
			triangle, qty := q.R(), NewDense(cols, 1, q.QTy())
			for i := range cols {
				for j := range i {
					if triangle.At(i, j) != 0 {
						t.Fatalf("%s: R(%d, %d) = %v", what, i, j, triangle.At(i, j))
					}
				}
			}
			requireSmall(t, what+": R'R", distance(naive(Trans, NoTrans, triangle, triangle), naive(Trans, NoTrans, h, h)), factor, scale)
			requireSmall(t, what+": R'Q'y", distance(naive(Trans, NoTrans, triangle, qty), naive(Trans, NoTrans, h, y)), factor, scale)
			whole := naive(Trans, NoTrans, y, y).At(0, 0)
			requireSmall(t, what+": norms", math.Abs(Dot(qty.Data(), qty.Data())+q.Residual()*q.Residual()-whole), factor, scale)
		}
	}
	q := NewTSQR(3)
	mustPanic(t, "columns", func() { q.Append(NewDense(2, 4, nil), make([]float64, 2)) })
	mustPanic(t, "Merge", func() { q.Merge(NewTSQR(4)) })
}

// Columns that differ by 1e-10 are indistinguishable in H'H, but not in R.
func TestTSQRKeepsWhatGramLoses(t *testing.T) {
	const rows, delta = 600, 1e-10
	h, y := NewDense(rows, 2, nil), make([]float64, rows)
	for i := range rows {
		h.Set(i, 0, 1)
		h.Set(i, 1, 1)
		if i%2 == 1 {
			h.Set(i, 1, 1+delta)
		}
		y[i] = h.At(i, 0) + 2*h.At(i, 1)
	}
	q := NewTSQR(2)
	chunked(h, y, []int{100}, q.Append)
	want := delta / 2 * math.Sqrt(rows)
	if got := math.Abs(q.R().At(1, 1)); math.Abs(got-want) > 1e-4*want {
		t.Errorf("R(1, 1) = %v, want %v", got, want)
	}
	x := q.QTy()
	Trsv(NoTrans, q.R().Tri(Upper), x)
	if math.Abs(x[0]-1) > 1e-3 || math.Abs(x[1]-2) > 1e-3 {
		t.Errorf("solution %v", x)
	}
}

func TestAppendDoesNotAllocate(t *testing.T) {
	h, y := randomDense(newRandom(1), 500, 30, 0), make([]float64, 500)
	g, q := NewGram(30), NewTSQR(30)
	for q.top == 0 { // until the storage has reached its final size
		q.Append(h, y)
	}
	if n := testing.AllocsPerRun(5, func() { g.Append(h, y); q.Append(h, y) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
