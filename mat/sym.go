package mat

import "fmt"

// Sym is an n x n symmetric matrix. Only its lower triangle is stored: the elements of
// Data above the diagonal are neither read nor written.
type Sym struct{ m Dense }

// NewSym returns an n x n symmetric matrix. data holds n rows of n elements, of which
// only the lower triangle counts, and is used in place. If data is nil, the matrix is zero.
func NewSym(n int, data []float64) *Sym { return &Sym{*NewDense(n, n, data)} }

// N returns the number of rows.
func (s *Sym) N() int { return s.m.rows }

// Data returns the storage, which begins with element (0, 0).
func (s *Sym) Data() []float64 { return s.m.data }

// At returns element (i, j), which is also element (j, i).
func (s *Sym) At(i, j int) float64 { return s.m.At(max(i, j), min(i, j)) }

// Set sets element (i, j), which is also element (j, i).
func (s *Sym) Set(i, j int, v float64) { s.m.Set(max(i, j), min(i, j), v) }

// Row returns the stored part of row i, its first i+1 elements, without copying.
func (s *Sym) Row(i int) []float64 { return s.m.Row(i)[: i+1 : i+1] }

// Reset makes s an n x n matrix of zeros and reuses the storage if it is large enough.
func (s *Sym) Reset(n int) { s.m.Reset(n, n) }

// Clone returns a copy with storage of its own.
func (s *Sym) Clone() *Sym {
	c := NewSym(s.N(), nil)
	c.CopyFrom(s)
	return c
}

// CopyFrom copies the elements of src, which has the same size.
func (s *Sym) CopyFrom(src *Sym) {
	check(s.N() == src.N(), "CopyFrom: sizes differ")
	for i := range s.N() {
		copy(s.Row(i), src.Row(i))
	}
}

// Uplo selects a triangle of a matrix.
type Uplo int

// The triangle on and below the diagonal, and that on and above it.
const (
	Lower Uplo = iota
	Upper
)

// Tri is an n x n triangular matrix, one triangle of its storage. The rest of the storage
// is neither read nor written.
type Tri struct {
	m    Dense
	uplo Uplo
}

// NewTri returns an n x n triangular matrix. data holds n rows of n elements and is used
// in place. If data is nil, the matrix is zero.
func NewTri(n int, uplo Uplo, data []float64) *Tri {
	return &Tri{m: *NewDense(n, n, data), uplo: uplo}
}

// Tri returns one triangle of a square matrix as a view of m.
func (m *Dense) Tri(uplo Uplo) *Tri {
	t := m.tri(uplo)
	return &t
}

func (m *Dense) tri(uplo Uplo) Tri {
	check(m.rows == m.cols, "Tri: matrix is not square")
	return Tri{m: *m, uplo: uplo}
}

// N returns the number of rows.
func (t *Tri) N() int { return t.m.rows }

// At returns element (i, j), which is zero in the other triangle.
func (t *Tri) At(i, j int) float64 {
	t.m.checkIndex(i, j)
	if t.holds(i, j) {
		return t.m.At(i, j)
	}
	return 0
}

// Set sets element (i, j), which must lie in the triangle.
func (t *Tri) Set(i, j int, v float64) {
	if !t.holds(i, j) {
		panic(Error(fmt.Sprintf("mat: element (%d, %d) is outside the triangle", i, j)))
	}
	t.m.Set(i, j, v)
}

func (t *Tri) holds(i, j int) bool { return i == j || (i > j) == (t.uplo == Lower) }
