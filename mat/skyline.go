package mat

import "slices"

// Skyline is a symmetric matrix of square blocks of one size. Row i of blocks is stored from block
// First(i) to the diagonal; to the left of that it is zero. Only the lower triangle of a diagonal
// block is used.
type Skyline struct {
	size  int
	first []int
	rows  []Dense // size x blocks of size columns each
}

// NewSkyline returns a matrix of zeros with blocks of size x size elements; first holds the first
// block of each row. It panics with Error if a row begins to the right of its diagonal.
func NewSkyline(size int, first []int) *Skyline {
	s := new(Skyline)
	s.Reset(size, first)
	return s
}

// Reset makes s a matrix of zeros, as NewSkyline does, and reuses its storage.
func (s *Skyline) Reset(size int, first []int) {
	check(size >= 0, "Skyline: negative size")
	s.size, s.first = size, append(s.first[:0], first...)
	for len(s.rows) < len(first) {
		s.rows = append(s.rows, Dense{})
	}
	s.rows = s.rows[:len(first)]
	for i, f := range first {
		check(0 <= f && f <= i, "Skyline: a row must begin at or before its diagonal")
		s.rows[i].reshape(size, (i-f+1)*size)
		s.rows[i].Zero()
	}
}

// N returns the number of rows.
func (s *Skyline) N() int { return len(s.first) * s.size }

// Blocks returns the number of rows of blocks.
func (s *Skyline) Blocks() int { return len(s.first) }

// Size returns the number of rows of a block.
func (s *Skyline) Size() int { return s.size }

// First returns the first block of row i that is stored.
func (s *Skyline) First(i int) int { return s.first[i] }

// Block returns block (i, j), not a copy. It panics with Error if that is not stored.
func (s *Skyline) Block(i, j int) *Dense {
	check(0 <= i && i < len(s.first) && s.first[i] <= j && j <= i, "Skyline.Block: the block is not stored")
	b := s.blocks(i, j, j+1)
	return &b
}

// BlockRow returns the stored blocks of row i side by side, not a copy.
func (s *Skyline) BlockRow(i int) *Dense { return &s.rows[i] }

// blocks returns blocks from to to-1 of row i.
func (s *Skyline) blocks(i, from, to int) Dense {
	f := s.first[i]
	return s.rows[i].sub(0, s.size, (from-f)*s.size, (to-f)*s.size)
}

// part returns the rows of x that belong to blocks from to to-1.
func (s *Skyline) part(x *Dense, from, to int) Dense {
	return x.sub(from*s.size, to*s.size, 0, x.cols)
}

// Diagonal returns element (i, i).
func (s *Skyline) Diagonal(i int) float64 {
	b := i / s.size
	return s.rows[b].At(i%s.size, (b-s.first[b])*s.size+i%s.size)
}

// MulTo sets dst = A x. Both are N x p.
func (s *Skyline) MulTo(dst, x *Dense) {
	check(x.rows == s.N() && dst.rows == x.rows && dst.cols == x.cols, "Skyline.MulTo: wrong shapes")
	dst.Zero()
	whole := NewDense(s.size, s.size, nil)
	for i, f := range s.first {
		xi, to := s.part(x, i, i+1), s.part(dst, i, i+1)
		diagonal := s.blocks(i, i, i+1)
		for r := range s.size {
			for c := range r + 1 {
				whole.Set(r, c, diagonal.At(r, c))
				whole.Set(c, r, diagonal.At(r, c))
			}
		}
		Gemm(NoTrans, NoTrans, 1, whole, &xi, 1, &to)
		if f == i {
			continue
		}
		left, before, above := s.blocks(i, f, i), s.part(x, f, i), s.part(dst, f, i)
		Gemm(NoTrans, NoTrans, 1, &left, &before, 1, &to)
		Gemm(Trans, NoTrans, 1, &left, &xi, 1, &above)
	}
}

// Scale multiplies s by alpha.
func (s *Skyline) Scale(alpha float64) {
	for i := range s.rows {
		s.rows[i].Scale(alpha)
	}
}

// Add sets s = s + alpha A. Both have the same blocks.
func (s *Skyline) Add(alpha float64, a *Skyline) {
	check(s.size == a.size && slices.Equal(s.first, a.first), "Skyline.Add: other blocks are stored")
	for i := range s.rows {
		for r := range s.size {
			Axpy(alpha, a.rows[i].Row(r), s.rows[i].Row(r))
		}
	}
}

// AddOuter adds the blocks of alpha A B' that s stores. A and B are N x p, and AB' is symmetric.
func (s *Skyline) AddOuter(alpha float64, a, b *Dense) {
	check(a.rows == s.N() && b.rows == a.rows && a.cols == b.cols, "Skyline.AddOuter: wrong shapes")
	Parallel(len(s.first), func(i int) {
		left, below := s.part(a, i, i+1), s.part(b, s.first[i], i+1)
		Gemm(NoTrans, Trans, alpha, &left, &below, 1, &s.rows[i])
	})
}

// SkylineCholesky is the factorisation A = LL' of a symmetric positive definite Skyline. L has the
// same blocks [George & Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981]. The
// zero value is ready for Factorize, which reuses its storage.
//
// Columns of blocks follow each other, and the blocks of a column share the processors. A block is
// computed by Gemm, Trsm and Cholesky; so only sizes determine bits.
type SkylineCholesky struct {
	l Skyline
}

// Factorize computes the factorisation of A + shift I. It does not modify a. If that is not
// positive definite it returns a *NotPositiveDefiniteError and leaves c empty.
func (c *SkylineCholesky) Factorize(a *Skyline, shift float64) error {
	l, size := &c.l, a.size
	l.Reset(size, a.first)
	for i := range a.rows {
		l.rows[i].CopyFrom(&a.rows[i])
	}
	last := make([]int, len(a.first)) // the last row that reaches each column
	for i, f := range a.first {
		for j := f; j <= i; j++ {
			last[j] = i
		}
	}
	var chol Cholesky
	pivot := NewSym(size, nil)
	for j := range a.first {
		diagonal := l.blocks(j, j, j+1)
		for r := range size {
			copy(pivot.Row(r), diagonal.Row(r)[:r+1])
			pivot.Set(r, r, pivot.At(r, r)+shift)
		}
		if f := l.first[j]; f < j {
			left := l.blocks(j, f, j)
			Syrk(NoTrans, -1, &left, 1, pivot)
		}
		if err := chol.Factorize(pivot); err != nil {
			bad := err.(*NotPositiveDefiniteError)
			l.Reset(0, nil)
			return &NotPositiveDefiniteError{Index: j*size + bad.Index, Pivot: bad.Pivot}
		}
		for r := range size {
			row := diagonal.Row(r)
			copy(row[:r+1], chol.l.Row(r)[:r+1])
			clear(row[r+1:])
		}
		t := diagonal.Tri(Lower)
		Parallel(last[j]-j, func(part int) {
			i := j + 1 + part
			if l.first[i] > j {
				return
			}
			to := l.blocks(i, j, j+1)
			if f := max(l.first[i], l.first[j]); f < j {
				left, above := l.blocks(i, f, j), l.blocks(j, f, j)
				Gemm(NoTrans, Trans, -1, &left, &above, 1, &to)
			}
			Trsm(Right, Trans, 1, t, &to)
		})
	}
	return nil
}

// N returns the size of the factorised matrix, or zero if there is none.
func (c *SkylineCholesky) N() int { return c.l.N() }

// L returns the lower triangular factor, not a copy.
func (c *SkylineCholesky) L() *Skyline { return &c.l }

// SetL makes c the factorisation with the factor l, of which the lower triangle of diagonal blocks is used. l is kept.
func (c *SkylineCholesky) SetL(l *Skyline) { c.l = *l }

// SolveLower sets X = L^-1 X. X is N x p and zero above row of blocks begin, where it stays zero.
func (c *SkylineCholesky) SolveLower(begin int, x *Dense) {
	l := &c.l
	check(x.rows == l.N(), "SkylineCholesky: X has the wrong number of rows")
	for i := begin; i < len(l.first); i++ {
		to := l.part(x, i, i+1)
		if f := max(l.first[i], begin); f < i {
			left, before := l.blocks(i, f, i), l.part(x, f, i)
			Gemm(NoTrans, NoTrans, -1, &left, &before, 1, &to)
		}
		diagonal := l.blocks(i, i, i+1)
		Trsm(Left, NoTrans, 1, diagonal.Tri(Lower), &to)
	}
}

// SolveUpper sets X = L^-T X, for X of N x p.
func (c *SkylineCholesky) SolveUpper(x *Dense) {
	l := &c.l
	check(x.rows == l.N(), "SkylineCholesky: X has the wrong number of rows")
	for i := len(l.first) - 1; i >= 0; i-- {
		own := l.part(x, i, i+1)
		diagonal := l.blocks(i, i, i+1)
		Trsm(Left, Trans, 1, diagonal.Tri(Lower), &own)
		if f := l.first[i]; f < i {
			left, above := l.blocks(i, f, i), l.part(x, f, i)
			Gemm(Trans, NoTrans, -1, &left, &own, 1, &above)
		}
	}
}

// InverseTo sets z to the blocks of A^-1 = (LL')^-1 that A stores, from the last column to the first [Takahashi, Fagan &
// Chen, Formation of a sparse bus impedance matrix, 1973]. Diagonal blocks are whole. With S the rows below j that
// reach column j, and B = L_Sj L_jj^-1,
//
//	Z_Sj = -Z_SS B,  Z_jj = (L_jj L_jj')^-1 - B'Z_Sj,
//
// which takes about twice as long as Factorize. Where A is nearly singular, h'Zh is not accurate for a vector h that
// L^-1 makes much smaller; SolveLower is.
func (c *SkylineCholesky) InverseTo(z *Skyline) {
	l, size := &c.l, c.l.size
	z.Reset(size, l.first)
	var below []int // S
	b := NewDense(0, 0, nil)
	for j := len(l.first) - 1; j >= 0; j-- {
		below = below[:0]
		for i := j + 1; i < len(l.first); i++ {
			if l.first[i] <= j {
				below = append(below, i)
			}
		}
		diagonal := l.blocks(j, j, j+1)
		t := diagonal.Tri(Lower)
		b.Reset(len(below)*size, size)
		of := func(k int) *Dense { return b.Slice(k*size, (k+1)*size, 0, size) }
		Parallel(len(below), func(k int) {
			from := l.blocks(below[k], j, j+1)
			of(k).CopyFrom(&from)
			Trsm(Right, NoTrans, 1, t, of(k))
		})
		Parallel(len(below), func(k int) {
			i := below[k]
			to := z.blocks(i, j, j+1)
			for from := 0; from <= k; { // blocks to the left of the diagonal that are stored side by side, at once
				end := from + 1
				for end <= k && below[end] == below[end-1]+1 {
					end++
				}
				row := z.blocks(i, below[from], below[end-1]+1)
				Gemm(NoTrans, NoTrans, -1, &row, b.Slice(from*size, end*size, 0, size), 1, &to)
				from = end
			}
			for m := k + 1; m < len(below); m++ {
				block := z.blocks(below[m], i, i+1)
				Gemm(Trans, NoTrans, -1, &block, of(m), 1, &to)
			}
		})
		corner := z.blocks(j, j, j+1)
		for r := range size {
			corner.Row(r)[r] = 1
		}
		Trsm(Left, NoTrans, 1, t, &corner)
		Trsm(Left, Trans, 1, t, &corner)
		for k, i := range below {
			zij := z.blocks(i, j, j+1)
			Gemm(Trans, NoTrans, -1, of(k), &zij, 1, &corner)
		}
		for r := range size { // rounding makes them differ
			row := corner.Row(r)
			for s := range r {
				row[s] = float64(0.5 * (row[s] + corner.At(s, r)))
				corner.Set(s, r, row[s])
			}
		}
	}
}
