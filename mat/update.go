package mat

import (
	"math"

	"github.com/bpielm/bpielm/mat/asm"
)

// Changes of a Cholesky factorisation that take O(n^2) operations, where a new one
// takes O(n^3). All of them leave it as it was when they return an error.

// Update makes c the factorisation of A + xx'. x is left unchanged. It returns a
// *NotFiniteError if x has a NaN or an infinity.
func (c *Cholesky) Update(x []float64) error {
	n := c.l.rows
	check(len(x) == n, "Cholesky.Update: x has the wrong length")
	if _, i := magnitude(x); i >= 0 {
		return &NotFiniteError{What: "Cholesky.Update", Row: i}
	}
	w := borrow()
	defer w.giveBack()
	scratch := w.vector(3 * n)
	copy(scratch, x)
	c.rotateIn(0, scratch[:n], scratch[n:2*n], scratch[2*n:])
	c.panels.n = 0
	return nil
}

// rotateIn adds xx' to the part of A from row and column first on. x is used up;
// cos and sin are scratch of the same length.
//
// Rotation k turns (l_kk, x_k) into (r, 0). Rows are independent of each other but
// for the rotations, so they are taken four at a time.
func (c *Cholesky) rotateIn(first int, x, cos, sin []float64) {
	n := len(x)
	for i := 0; i < n; {
		// Rotations 0 to i-1 act on the rows i to end-1 at once, the rest of the
		// triangle of these rows row by row.
		end := min(i+4, n)
		if end == i+4 {
			turn4(cos[:i], sin[:i], c.row(first, i), c.row(first, i+1), c.row(first, i+2), c.row(first, i+3), (*[4]float64)(x[i:]))
		} else {
			for r := i; r < end; r++ {
				x[r] = turn(cos[:i], sin[:i], c.row(first, r), x[r])
			}
		}
		for r := i; r < end; r++ {
			row := c.row(first, r)
			x[r] = turn(cos[i:r], sin[i:r], row[i:], x[r])
			cos[r], sin[r], row[r] = givens(row[r], x[r])
		}
		i = end
	}
}

// row returns row i of the part of L from row and column first on.
func (c *Cholesky) row(first, i int) []float64 {
	return c.l.data[(first+i)*c.l.stride+first:][:i+1]
}

// turn applies rotations to the pairs (row[k], x), one after the other, and
// returns the last x.
func turn(cos, sin, row []float64, x float64) float64 {
	row, sin = row[:len(cos)], sin[:len(cos)]
	for k, c := range cos {
		s, l := sin[k], row[k]
		row[k] = asm.FMA(s, x, c*l)
		x = asm.FMA(c, x, -(s * l))
	}
	return x
}

// turn4 is turn for four rows, whose chains of operations overlap.
func turn4(cos, sin, r0, r1, r2, r3 []float64, x *[4]float64) {
	n := len(cos)
	sin, r0, r1, r2, r3 = sin[:n], r0[:n], r1[:n], r2[:n], r3[:n]
	x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
	for k, c := range cos {
		s := sin[k]
		l0, l1, l2, l3 := r0[k], r1[k], r2[k], r3[k]
		r0[k], x0 = asm.FMA(s, x0, c*l0), asm.FMA(c, x0, -(s*l0))
		r1[k], x1 = asm.FMA(s, x1, c*l1), asm.FMA(c, x1, -(s*l1))
		r2[k], x2 = asm.FMA(s, x2, c*l2), asm.FMA(c, x2, -(s*l2))
		r3[k], x3 = asm.FMA(s, x3, c*l3), asm.FMA(c, x3, -(s*l3))
	}
	x[0], x[1], x[2], x[3] = x0, x1, x2, x3
}

// Downdate makes c the factorisation of A - xx'. x is left unchanged. If A - xx' is
// not positive definite it returns a *NotPositiveDefiniteError, which names the first
// pivot that is not positive.
//
// With Lp = x, rotations that turn (p, sqrt(1-p'p)) into a unit vector also
// take x out of L (Golub, see Dongarra et al., LINPACK Users' Guide, chapter 10).
func (c *Cholesky) Downdate(x []float64) error {
	n := c.l.rows
	check(len(x) == n, "Cholesky.Downdate: x has the wrong length")
	w := borrow()
	defer w.giveBack()
	scratch := w.vector(2 * n)
	p, cos := scratch[:n], scratch[n:]
	copy(p, x)
	t := c.l.tri(Lower)
	Trsv(NoTrans, &t, p)
	norm := Nrm2(p)
	if !(norm < 1) {
		return c.refuse(p)
	}
	rho := math.Sqrt((1 - norm) * (1 + norm))
	for k := n - 1; k >= 0; k-- {
		cos[k], p[k], rho = givens(rho, p[k])
	}
	c.rotateOut(cos, p)
	c.panels.n = 0
	return nil
}

// rotateOut applies the rotations, the last one first, to the pairs (x, l_ik) of
// every row i, where x begins as zero; four rows at a time.
func (c *Cholesky) rotateOut(cos, sin []float64) {
	n := len(cos)
	for i := 0; i < n; i += 4 {
		var x [4]float64
		end := min(i+4, n)
		for r := i; r < end; r++ {
			x[r-i] = turnBack(cos[i:r+1], sin[i:r+1], c.row(0, r)[i:], 0)
		}
		if end == i+4 {
			turnBack4(cos[:i], sin[:i], c.row(0, i), c.row(0, i+1), c.row(0, i+2), c.row(0, i+3), &x)
			continue
		}
		for r := i; r < end; r++ {
			turnBack(cos[:i], sin[:i], c.row(0, r), x[r-i])
		}
	}
}

// turnBack applies rotations, the last one first, to the pairs (x, row[k]), and
// returns the last x.
func turnBack(cos, sin, row []float64, x float64) float64 {
	row, sin = row[:len(cos)], sin[:len(cos)]
	for k := len(cos) - 1; k >= 0; k-- {
		c, s, l := cos[k], sin[k], row[k]
		row[k] = asm.FMA(-s, x, c*l)
		x = asm.FMA(c, x, s*l)
	}
	return x
}

// turnBack4 is turnBack for four rows, whose chains of operations overlap.
func turnBack4(cos, sin, r0, r1, r2, r3 []float64, x *[4]float64) {
	n := len(cos)
	sin, r0, r1, r2, r3 = sin[:n], r0[:n], r1[:n], r2[:n], r3[:n]
	x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
	for k := n - 1; k >= 0; k-- {
		c, s := cos[k], sin[k]
		l0, l1, l2, l3 := r0[k], r1[k], r2[k], r3[k]
		r0[k], x0 = asm.FMA(-s, x0, c*l0), asm.FMA(c, x0, s*l0)
		r1[k], x1 = asm.FMA(-s, x1, c*l1), asm.FMA(c, x1, s*l1)
		r2[k], x2 = asm.FMA(-s, x2, c*l2), asm.FMA(c, x2, s*l2)
		r3[k], x3 = asm.FMA(-s, x3, c*l3), asm.FMA(c, x3, s*l3)
	}
}

// refuse returns the error for a downdate by Lp. Pivot i of the downdated matrix is
// l_ii^2 (1 - p_0^2 - ... - p_i^2) / (1 - p_0^2 - ... - p_(i-1)^2).
func (c *Cholesky) refuse(p []float64) error {
	left := 1.0
	for i, v := range p {
		next := asm.FMA(-v, v, left)
		if !(next > 0) || i == len(p)-1 {
			l := c.l.data[i*c.l.stride+i]
			return &NotPositiveDefiniteError{Index: i, Pivot: min(0, next) / left * float64(l*l)}
		}
		left = next
	}
	return nil
}

// Append makes c the factorisation of A with one row and column more. row is the
// new last row, N+1 elements. If the matrix is no longer positive definite Append
// returns a *NotPositiveDefiniteError.
//
// Storage grows by halves, so that appending one row after the other does not
// copy each time.
func (c *Cholesky) Append(row []float64) error {
	n := c.l.rows
	check(len(row) == n+1, "Cholesky.Append: row has the wrong length")
	w := borrow()
	defer w.giveBack()
	l := w.vector(n)
	copy(l, row)
	t := c.l.tri(Lower)
	Trsv(NoTrans, &t, l)
	pivot := row[n] - asm.Active().Dot(l, l)
	if !(pivot > 0 && pivot <= math.MaxFloat64) {
		return &NotPositiveDefiniteError{Index: n, Pivot: pivot}
	}
	c.grow()
	for i := range n {
		c.l.data[i*c.l.stride+n] = 0
	}
	copy(c.l.Row(n), l)
	c.l.data[n*c.l.stride+n] = math.Sqrt(pivot)
	c.panels.n = 0
	return nil
}

// grow makes room for one row and column more.
func (c *Cholesky) grow() {
	n := c.l.rows + 1
	stride := c.l.stride
	if stride < n || cap(c.l.data) < n*stride {
		old := c.l
		stride = n + n/2 + 8
		c.l = Dense{data: make([]float64, stride*stride), stride: stride}
		for i := range old.rows {
			copy(c.l.data[i*stride:], old.Row(i))
		}
	}
	c.l.rows, c.l.cols = n, n
	c.l.data = c.l.data[:(n-1)*stride+n]
}

// Remove makes c the factorisation of A without row and column i.
func (c *Cholesky) Remove(i int) {
	n := c.l.rows
	check(0 <= i && i < n, "Cholesky.Remove: no such row")
	w := borrow()
	defer w.giveBack()
	left := n - 1 - i
	scratch := w.vector(3 * left)
	column := scratch[:left]
	for r := range left {
		// Row i+1+r moves up without its element in column i.
		from, to := c.l.Row(i+1+r), c.l.Row(i+r)
		column[r] = from[i]
		copy(to[:i], from)
		copy(to[i:i+r+1], from[i+1:])
		clear(to[i+r+1:])
	}
	n--
	c.l.rows, c.l.cols = n, n
	if n == 0 {
		c.l.data = c.l.data[:0]
	} else {
		c.l.data = c.l.data[:(n-1)*c.l.stride+n]
	}
	c.rotateIn(i, column, scratch[left:2*left], scratch[2*left:])
	c.panels.n = 0
}
