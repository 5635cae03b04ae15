package mat

import (
	"cmp"
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat/asm"
)

// SVD is the thin singular value decomposition A = U diag(values) V'. The zero
// value is ready for Factorize, which reuses its storage.
//
// The matrix is reduced to a triangle by QR, then by QR with column pivoting, and then
// by QR of the transpose. One-sided Jacobi on the result takes few sweeps and preserves
// the accuracy of the small singular values of a graded matrix (Drmac and Veselic, New
// fast and accurate Jacobi SVD algorithm, 2008). Rows are sorted by size beforehand, so
// that QR does not lose the small ones in rounding errors of the large (Cox and Higham,
// 1998). Values below 2^-480 of the largest are returned as zero.
type SVD struct {
	values  []float64
	u, v    Dense
	vectors bool

	tall, pivoted, lq QR
	jacobi            jacobi
	x, follow, sorted Dense
	rows              []int // order in which the rows of the longer side were loaded
	sizes             []int // binary exponents of the rows
	largest           []float64
	order, position   []int
	scratch           []float64
}

// Factorize computes the decomposition of a, an m x n matrix, which it does not modify,
// with or without singular vectors. If a has a NaN or an infinity it returns a
// *NotFiniteError; it may also return a *NotConvergedError. On error s is empty.
func (s *SVD) Factorize(a *Dense, vectors bool) error {
	m, n := a.Dims()
	s.clear()
	exponent, err := scaleExponent("SVD", m, a.Row)
	if err != nil {
		return err
	}
	k := min(m, n)
	s.values = resize(s.values, k)
	s.scratch = resize(s.scratch, 3*k)
	s.order, s.position = resize(s.order, k), resize(s.position, k)
	// From here on, a stands for its transpose if that has more rows.
	s.load(a, exponent)
	s.precondition(max(m, n) > k)
	j := &s.jacobi
	j.kernel, j.x, j.follow, j.order, j.squares, j.norms = asm.Active(), &s.x, nil, s.position, s.scratch[:k], s.scratch[k:2*k]
	if vectors {
		s.follow.Reset(k, k)
		for i := range k {
			s.follow.Set(i, i, 1)
		}
		j.follow = &s.follow
	}
	if err := j.run(); err != nil {
		s.clear()
		return err
	}
	s.sortValues()
	if vectors {
		s.vectors = true
		s.left(max(m, n))
		s.right(&s.v)
		if m < n {
			s.u, s.v = s.v, s.u
		}
	}
	for i, v := range s.values {
		s.values[i] = math.Ldexp(v, exponent)
	}
	return nil
}

// clear makes s empty.
func (s *SVD) clear() {
	s.values = s.values[:0]
	s.u.reshape(0, 0)
	s.v.reshape(0, 0)
	s.vectors = false
}

// scaleExponent returns the exponent e such that the largest element times 2^-e lies in
// [0.5, 1), or a *NotFiniteError.
func scaleExponent(what string, rows int, row func(int) []float64) (e int, err error) {
	largest := 0.0
	for i := range rows {
		v, col := magnitude(row(i))
		if col >= 0 {
			return 0, &NotFiniteError{What: what, Row: i, Col: col}
		}
		largest = max(largest, v)
	}
	_, e = math.Frexp(largest)
	return e, nil
}

// load stores the transpose of a (a itself if it is wide) in the first factorisation,
// with its rows sorted and scaled by 2^-exponent.
func (s *SVD) load(a *Dense, exponent int) {
	m, n := a.Dims()
	at := &s.tall.at
	if m == n {
		at = &s.pivoted.at
	}
	s.sortRows(a)
	at.reshape(min(m, n), max(m, n))
	if m < n {
		for i := range m {
			row, to := a.Row(i), at.Row(i)
			for r, from := range s.rows {
				to[r] = row[from]
			}
		}
	} else {
		transposeRows(at, a, s.rows)
	}
	scaleByPower(at.data, at.data, -exponent)
}

// sortRows sorts the rows of a (its columns if it is wide) by the binary exponent of their
// largest element, in descending order.
func (s *SVD) sortRows(a *Dense) {
	m, n := a.Dims()
	long := max(m, n)
	s.rows, s.sizes = resize(s.rows, long), resize(s.sizes, long)
	for i := range s.rows {
		s.rows[i], s.sizes[i] = i, math.MinInt
	}
	largest := resize(s.largest, long)
	clear(largest)
	s.largest = largest
	for i := range m {
		if m >= n {
			largest[i], _ = magnitude(a.Row(i))
			continue
		}
		for j, v := range a.Row(i) {
			largest[j] = max(largest[j], math.Abs(v))
		}
	}
	for i, v := range largest {
		if v != 0 {
			_, s.sizes[i] = math.Frexp(v)
		}
	}
	slices.SortStableFunc(s.rows, func(i, j int) int { return cmp.Compare(s.sizes[j], s.sizes[i]) })
}

// precondition reduces the loaded matrix to the triangle on which Jacobi runs.
func (s *SVD) precondition(tall bool) {
	if tall {
		s.tall.factorizeTransposed()
		k := s.tall.at.rows
		s.pivoted.at.Reset(k, k)
		for i := range k {
			copy(s.pivoted.at.Row(i)[:i+1], s.tall.at.Row(i))
		}
	}
	k := s.pivoted.at.rows
	s.pivoted.factorizePivoted(s.order, s.scratch)
	s.lq.at.reshape(k, k)
	s.pivoted.triangleTo(&s.lq.at)
	s.lq.factorizeTransposed()
	s.x.reshape(k, k)
	s.lq.triangleTo(&s.x)
}

// sortValues computes the singular values from the final rows, and the row of each, in
// descending order.
func (s *SVD) sortValues() {
	norms := s.scratch[:len(s.values)]
	for i := range norms {
		norms[i] = Nrm2(s.x.Row(i))
		s.position[i] = i
	}
	slices.SortStableFunc(s.position, func(i, j int) int { return cmp.Compare(norms[j], norms[i]) })
	for i, row := range s.position {
		s.values[i] = norms[row]
	}
}

// left computes the singular vectors of the longer side, a rows x k matrix.
func (s *SVD) left(rows int) {
	k := len(s.values)
	u := &s.sorted
	u.Reset(rows, k)
	rank := 0
	for j, row := range s.position {
		if s.values[j] == 0 {
			break
		}
		rank++
		inverse := 1 / s.values[j]
		scaleVector(inverse, s.x.Row(row))
	}
	transposeRows(u, &s.x, s.position[:rank])
	top := u.sub(0, k, 0, k)
	if rank < k {
		complete(&top, rank)
	}
	s.pivoted.MulQ(NoTrans, &top)
	if rows > k {
		s.tall.MulQ(NoTrans, u)
	}
	s.u.reshape(rows, k)
	for r, to := range s.rows {
		copy(s.u.Row(to), u.Row(r))
	}
}

// complete fills the columns of a square matrix from rank on with an orthonormal basis of
// the complement of the columns before, which are orthonormal.
func complete(u *Dense, rank int) {
	known, rest := u.sub(0, u.rows, 0, rank), u.sub(0, u.rows, rank, u.cols)
	var q QR
	q.Factorize(&known)
	rest.Zero()
	for j := range rest.cols {
		rest.Set(rank+j, j, 1)
	}
	q.MulQ(NoTrans, &rest)
}

// right computes the singular vectors of the shorter side, a k x k matrix.
func (s *SVD) right(v *Dense) {
	k := len(s.values)
	s.x.reshape(k, k) // its rows are no longer needed
	transposeRows(&s.x, &s.follow, s.position)
	s.lq.MulQ(NoTrans, &s.x)
	v.reshape(k, k)
	for i, to := range s.order {
		copy(v.Row(to), s.x.Row(i))
	}
}

// Values returns the min(m, n) singular values in descending order, without copying.
func (s *SVD) Values() []float64 { return s.values }

// U returns the m x min(m, n) matrix of left singular vectors, without copying.
func (s *SVD) U() *Dense {
	s.checkVectors()
	return &s.u
}

// V returns the n x min(m, n) matrix of right singular vectors, without copying.
func (s *SVD) V() *Dense {
	s.checkVectors()
	return &s.v
}

func (s *SVD) checkVectors() { check(s.vectors, "SVD: Factorize computed no vectors") }

// Rank returns the number of singular values above rcond times the largest.
func (s *SVD) Rank(rcond float64) int {
	rank := 0
	for _, v := range s.values {
		if v > rcond*s.values[0] {
			rank++
		}
	}
	return rank
}

// SolveTo sets dst, n x p, to the least-squares solution of A dst = b of minimum norm,
// where b is m x p. It treats singular values of at most rcond times the largest as zero
// and returns the number of the others.
func (s *SVD) SolveTo(dst, b *Dense, rcond float64) (rank int) {
	s.checkVectors()
	check(b.rows == s.u.rows && dst.rows == s.v.rows && dst.cols == b.cols, "SVD.SolveTo: wrong shape")
	rank = s.Rank(rcond)
	u, v := s.u.sub(0, s.u.rows, 0, rank), s.v.sub(0, s.v.rows, 0, rank)
	w := borrow()
	w.w.reshape(rank, b.cols)
	Gemm(Trans, NoTrans, 1, &u, b, 0, &w.w)
	for i, value := range s.values[:rank] {
		row := w.w.Row(i)
		for j := range row {
			row[j] /= value
		}
	}
	Gemm(NoTrans, NoTrans, 1, &v, &w.w, 0, dst)
	w.giveBack()
	return rank
}
