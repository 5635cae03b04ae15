package mat

import (
	"cmp"
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat/asm"
)

// eigenIterations is the number of QL steps allowed for each eigenvalue.
const eigenIterations = 60

// SymEigen is the decomposition A = Z diag(values) Z' of a symmetric matrix. The
// zero value is ready for Factorize, which reuses its storage.
//
// Householder reflectors, from the last row up, make the matrix tridiagonal; QL
// with implicit shifts makes that diagonal (Dubrulle, Martin and Wilkinson, 1968).
type SymEigen struct {
	values    []float64
	z         Dense
	vectors   bool
	a, zt     Dense // A, then its reflectors; Z', whose rows are rotated
	off       []float64
	tau, v, p []float64
	x         []float64 // follows the vectors; nil where there is nothing to follow
	order     []int     // row of zt that belongs to each diagonal element
	sorted    []int
}

// Factorize computes the decomposition of a, which it leaves unchanged, with or
// without eigenvectors. It returns a *NotFiniteError if a has a NaN or an
// infinity, or a *NotConvergedError; e is then empty.
func (e *SymEigen) Factorize(a *Sym, vectors bool) error {
	return e.factorize(a, vectors, nil)
}

// FactorizeFor computes the eigenvalues of a, which it leaves unchanged, and sets
// x to Z'x, its components along the eigenvectors, without computing those. Errors
// are those of Factorize; x is then undefined.
func (e *SymEigen) FactorizeFor(a *Sym, x []float64) error {
	check(len(x) == a.N(), "SymEigen.FactorizeFor: x has the wrong length")
	return e.factorize(a, false, x)
}

func (e *SymEigen) factorize(a *Sym, vectors bool, x []float64) error {
	n := a.N()
	e.clear()
	exponent, err := scaleExponent("symmetric eigenvalues", n, a.Row)
	if err != nil {
		return err
	}
	e.a.reshape(n, n)
	for i := range n {
		scaleByPower(e.a.Row(i), a.Row(i), -exponent)
	}
	e.values = resize(e.values, n)
	e.off, e.tau, e.v, e.p = resize(e.off, n), resize(e.tau, n), resize(e.v, n), resize(e.p, n)
	e.order, e.sorted = resize(e.order, n), resize(e.sorted, n)
	for i := range n {
		e.order[i] = i
	}
	k := asm.Active()
	e.x = x
	defer func() { e.x = nil }()
	e.tridiagonalise(k)
	if vectors {
		e.accumulate(k)
	}
	if err := e.diagonalise(k, vectors); err != nil {
		e.clear()
		return err
	}
	e.finish(exponent, vectors)
	return nil
}

func (e *SymEigen) clear() {
	e.values = e.values[:0]
	e.z.reshape(0, 0)
	e.vectors = false
}

// tridiagonalise leaves the diagonal in values, the elements beside it in off, and
// reflector i, which acts on the first i coordinates with its head last, in row i.
func (e *SymEigen) tridiagonalise(k *asm.Kernel) {
	n := e.a.rows
	for i := n - 1; i > 0; i-- {
		x := e.a.Row(i)[:i]
		tau := reflector(&x[i-1], x[:i-1])
		e.tau[i], e.off[i-1] = tau, x[i-1]
		v, p := e.v[:i], e.p[:i]
		copy(v, x[:i-1])
		v[i-1] = 1
		if e.x != nil {
			reflect(k, tau, x[:i-1], &e.x[i-1], e.x[:i-1])
		}
		// With p = tau A v and w = p - tau (p'v)/2 v, HAH = A - vw' - wv'.
		clear(p)
		for r := range i {
			row := e.a.Row(r)
			k.Axpy(v[r], row[:r], p[:r])
			p[r] = math.FMA(row[r], v[r], k.Dot(row[:r], v[:r]))
		}
		scaleVector(tau, p)
		k.Axpy(-0.5*tau*k.Dot(p, v), v, p)
		for r := range i {
			row := e.a.Row(r)[:r+1]
			k.Axpy(-v[r], p[:r+1], row)
			k.Axpy(-p[r], v[:r+1], row)
		}
	}
	for i := range n {
		e.values[i] = e.a.At(i, i)
	}
}

// accumulate sets zt to the product of the reflectors, so that zt A zt' is tridiagonal.
func (e *SymEigen) accumulate(k *asm.Kernel) {
	n := e.a.rows
	e.zt.Reset(n, n)
	for i := range n {
		e.zt.Set(i, i, 1)
	}
	for i := 1; i < n; i++ {
		tail := e.a.Row(i)[:i-1]
		for r := range i {
			row := e.zt.Row(r)
			reflect(k, e.tau[i], tail, &row[i-1], row[:i-1])
		}
	}
}

// diagonalise finds the eigenvalues of the tridiagonal matrix, block by block.
func (e *SymEigen) diagonalise(k *asm.Kernel, vectors bool) error {
	n := e.a.rows
	steps := 0
	for first := 0; first < n; {
		last := e.blockEnd(first, n-1)
		end := last + 1
		if math.Abs(e.values[last]) < math.Abs(e.values[first]) {
			// QL deflates at the top: it wants the small end of a graded block there.
			slices.Reverse(e.values[first:end])
			slices.Reverse(e.off[first:last])
			slices.Reverse(e.order[first:end])
		}
		for first < end {
			m := e.blockEnd(first, last)
			if m == first {
				first++
				continue
			}
			if steps++; steps > eigenIterations*n {
				return &NotConvergedError{What: "symmetric eigenvalues", Iterations: steps - 1}
			}
			e.step(k, first, m, vectors)
		}
	}
	return nil
}

// blockEnd returns the end of the block that begins at first: the next place with a
// negligible element beside the diagonal, at most last.
func (e *SymEigen) blockEnd(first, last int) int {
	const epsilon, tiny = 0x1p-53, 0x1p-500 // of a matrix with elements up to 1
	for m := first; m < last; m++ {
		scale := math.Sqrt(math.Abs(e.values[m])) * math.Sqrt(math.Abs(e.values[m+1]))
		if off := math.Abs(e.off[m]); off <= epsilon*scale || off <= tiny {
			return m
		}
	}
	return last
}

// step does one QL step with Wilkinson's shift on the block from l to m.
func (e *SymEigen) step(k *asm.Kernel, l, m int, vectors bool) {
	d, off := e.values, e.off
	g := (d[l+1] - d[l]) / (2 * off[l])
	g = d[m] - d[l] + off[l]/(g+math.Copysign(hypot(g, 1), g))
	s, c, p := 1.0, 1.0, 0.0
	for i := m - 1; i >= l; i-- {
		f, b := s*off[i], c*off[i]
		r := hypot(f, g)
		if r == 0 { // the block splits here
			d[i+1] -= p
			off[m] = 0
			return
		}
		c, s = g/r, f/r
		if i < m-1 {
			off[i+1] = r
		}
		g = d[i+1] - p
		r = math.FMA(d[i]-g, s, 2*c*b)
		p = float64(s * r)
		d[i+1] = g + p
		g = math.FMA(c, r, -b)
		if vectors {
			k.Rotate(c, s, e.zt.Row(e.order[i+1]), e.zt.Row(e.order[i]))
		}
		if e.x != nil {
			u, v := &e.x[e.order[i+1]], &e.x[e.order[i]]
			*u, *v = float64(c**u)+float64(s**v), float64(c**v)-float64(s**u)
		}
	}
	d[l] -= p
	off[l] = g
}

// finish sorts the eigenvalues, undoes the scaling and lays out the vectors.
func (e *SymEigen) finish(exponent int, vectors bool) {
	n := len(e.values)
	for i := range n {
		e.sorted[i] = i
		e.v[i] = e.values[i]
	}
	slices.SortStableFunc(e.sorted, func(i, j int) int { return cmp.Compare(e.v[i], e.v[j]) })
	for i, from := range e.sorted {
		e.values[i] = math.Ldexp(e.v[from], exponent)
	}
	if e.x != nil {
		copy(e.v, e.x)
		for i, from := range e.sorted {
			e.x[i] = e.v[e.order[from]]
		}
	}
	if !vectors {
		return
	}
	e.vectors = true
	for i, from := range e.sorted {
		copy(e.a.Row(i), e.zt.Row(e.order[from]))
	}
	e.z.reshape(n, n)
	transpose(&e.z, &e.a)
}

// Values returns the eigenvalues, smallest first, not a copy.
func (e *SymEigen) Values() []float64 { return e.values }

// Vectors returns the orthogonal matrix whose column j belongs to value j, not a copy.
func (e *SymEigen) Vectors() *Dense {
	check(e.vectors, "SymEigen: Factorize computed no vectors")
	return &e.z
}
