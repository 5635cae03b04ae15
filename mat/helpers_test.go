package mat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/mat/asm"
)

const eps = 0x1p-52

// forEachKernel runs a test on every kernel available on this machine.
func forEachKernel(t *testing.T, test func(t *testing.T)) {
	before := asm.Active().Name()
	defer asm.Use(before)
	for _, k := range asm.All() {
		useKernel(t, k.Name())
		t.Run(k.Name(), test)
	}
}

func useKernel(t *testing.T, name string) {
	t.Helper()
	if err := asm.Use(name); err != nil {
		t.Fatal(err)
	}
}

func newRandom(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// randomDense returns a matrix of elements in (-1, 1). Its rows are gap elements apart,
// and the gaps hold NaN.
func randomDense(r *rand.Rand, rows, cols, gap int) *Dense {
	whole := NewDense(rows, cols+gap, nil)
	fill(whole, math.NaN())
	m := whole.Slice(0, rows, 0, cols)
	for i := range rows {
		for j := range cols {
			m.Set(i, j, 2*r.Float64()-1)
		}
	}
	return m
}

func fill(m *Dense, v float64) {
	for i := range m.Rows() {
		for j := range m.Cols() {
			m.Set(i, j, v)
		}
	}
}

// gapsUntouched reports whether the storage between the rows of m still holds NaN.
func gapsUntouched(m *Dense) bool {
	data := m.Data()
	for i := 0; i+1 < m.Rows(); i++ {
		for _, v := range data[i*m.Stride()+m.Cols() : (i+1)*m.Stride()] {
			if !math.IsNaN(v) {
				return false
			}
		}
	}
	return true
}

// sameBits reports whether two numbers have the same bits. All NaN count as the same.
func sameBits(x, y float64) bool {
	return math.Float64bits(x) == math.Float64bits(y) || math.IsNaN(x) && math.IsNaN(y)
}

func requireSameBits(t *testing.T, what string, got, want *Dense) {
	t.Helper()
	if got.Rows() != want.Rows() || got.Cols() != want.Cols() {
		t.Fatalf("%s: %d x %d, want %d x %d", what, got.Rows(), got.Cols(), want.Rows(), want.Cols())
	}
	for i := range got.Rows() {
		for j := range got.Cols() {
			if !sameBits(got.At(i, j), want.At(i, j)) {
				t.Fatalf("%s: element (%d, %d) is %x, want %x", what, i, j, got.At(i, j), want.At(i, j))
			}
		}
	}
}

// requireSmall fails unless got <= factor * eps * scale.
func requireSmall(t *testing.T, what string, got, factor, scale float64) {
	t.Helper()
	if !(got <= factor*eps*scale) {
		t.Errorf("%s: %.3g, limit %.3g", what, got, factor*eps*scale)
	}
}

// naive returns the textbook product op(A) op(B), for residuals.
func naive(tA, tB Transpose, a, b *Dense) *Dense {
	if tA {
		a = a.Transpose()
	}
	if tB {
		b = b.Transpose()
	}
	c := NewDense(a.Rows(), b.Cols(), nil)
	for i := range c.Rows() {
		for p := range a.Cols() {
			for j := range c.Cols() {
				c.Set(i, j, math.FMA(a.At(i, p), b.At(p, j), c.At(i, j)))
			}
		}
	}
	return c
}

func frobenius(m *Dense) float64 { return Nrm2(m.Clone().Data()) }

// distance returns the Frobenius norm of A - B.
func distance(a, b *Dense) float64 {
	d := a.Clone()
	for i := range d.Rows() {
		for j := range d.Cols() {
			d.Set(i, j, d.At(i, j)-b.At(i, j))
		}
	}
	return frobenius(d)
}

func identity(n int) *Dense {
	m := NewDense(n, n, nil)
	for i := range n {
		m.Set(i, i, 1)
	}
	return m
}

// full returns a symmetric matrix with both triangles filled in.
func full(s *Sym) *Dense {
	m := NewDense(s.N(), s.N(), nil)
	for i := range s.N() {
		for j := range s.N() {
			m.Set(i, j, s.At(i, j))
		}
	}
	return m
}

// fullTri returns a triangular matrix with the other triangle zero.
func fullTri(t *Tri) *Dense {
	m := NewDense(t.N(), t.N(), nil)
	for i := range t.N() {
		for j := range t.N() {
			m.Set(i, j, t.At(i, j))
		}
	}
	return m
}

// symmetric returns the symmetric matrix with the lower triangle of m and NaN above it.
func symmetric(m *Dense) *Sym {
	s := NewSym(m.Rows(), nil)
	fill(&s.m, math.NaN())
	for i := range m.Rows() {
		for j := range i + 1 {
			s.Set(i, j, m.At(i, j))
		}
	}
	return s
}

// matrices returns matrices of one shape that are hard in different ways.
func matrices(r *rand.Rand, m, n int) map[string]*Dense {
	random := randomDense(r, m, n, 3)
	columns, rows, hilbert, rank := random.Clone(), random.Clone(), NewDense(m, n, nil), NewDense(m, n, nil)
	for i := range m {
		for j := range n {
			columns.Set(i, j, math.Ldexp(columns.At(i, j), -j))
			rows.Set(i, j, math.Ldexp(rows.At(i, j), -2*i))
			hilbert.Set(i, j, 1/float64(1+i+j))
			rank.Set(i, j, float64(i%3)-float64(j%2))
		}
	}
	constant, zero := NewDense(m, n, nil), NewDense(m, n, nil)
	fill(constant, 7)
	tiny, huge := random.Clone(), random.Clone()
	tiny.Scale(0x1p-1040)
	huge.Scale(0x1p+1000)
	diagonal := NewDense(m, n, nil)
	for i := range min(m, n) {
		diagonal.Set(i, i, float64(i%4))
	}
	return map[string]*Dense{
		"random": random, "graded columns": columns, "graded rows": rows, "Hilbert": hilbert,
		"rank 2": rank, "constant": constant, "zero": zero, "tiny": tiny, "huge": huge, "diagonal": diagonal,
	}
}

func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if _, ok := recover().(Error); !ok {
			t.Errorf("%s did not panic with mat.Error", what)
		}
	}()
	f()
}

// sizesUpTo returns the sizes, in short tests only those up to most. Short tests also run
// under emulation and under the race detector.
func sizesUpTo(most int, sizes []int) []int {
	if !testing.Short() {
		return sizes
	}
	return slices.DeleteFunc(slices.Clone(sizes), func(n int) bool { return n > most })
}

// HH, Hy and YY return what SumsTo computes, separately.
func (g *Gram) HH() *Sym {
	hh := NewSym(g.cols, nil)
	g.SumsTo(hh, make([]float64, g.cols))
	return hh
}

func (g *Gram) Hy() []float64 {
	hy := make([]float64, g.cols)
	g.SumsTo(NewSym(g.cols, nil), hy)
	return hy
}

func (g *Gram) YY() float64 { return g.SumsTo(NewSym(g.cols, nil), make([]float64, g.cols)) }
