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
	values   []float64
	z        Dense
	vectors  bool
	reduced  tridiagonal
	q        Dense
	turned   rotations // Q', then Z'
	off      []float64
	x        []float64 // follows the vectors; nil where there is nothing to follow
	order    []int     // row of Z' that belongs to each diagonal element
	sorted   []int
	unsorted []float64
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
	e.reduced.reset(n)
	for i := range n {
		scaleByPower(e.reduced.a.Row(i)[:i+1], a.Row(i), -exponent)
	}
	k := asm.Active()
	e.reduced.reduce(k, x)
	e.values, e.off = e.reduced.diagonal, e.reduced.off
	e.order, e.sorted, e.unsorted = resize(e.order, n), resize(e.sorted, n), resize(e.unsorted, n)
	for i := range n {
		e.order[i] = i
	}
	e.x = x
	defer func() { e.x = nil }()
	if vectors {
		e.reduced.vectorsTo(&e.q)
		e.turned.load(&e.q)
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

// diagonalise finds the eigenvalues of the tridiagonal matrix, block by block.
func (e *SymEigen) diagonalise(k *asm.Kernel, vectors bool) error {
	n := len(e.values)
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
		off, above, below := math.Abs(e.off[m]), math.Abs(e.values[m]), math.Abs(e.values[m+1])
		if off > epsilon*max(above, below) && off > tiny {
			continue // most of them, and without roots
		}
		if off <= epsilon*math.Sqrt(above)*math.Sqrt(below) || off <= tiny {
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
	if vectors {
		// Rows of a block are in order, or in reverse.
		e.turned.begin(k, e.order[m], e.order[m-1]-e.order[m])
	}
	s, c, p := 1.0, 1.0, 0.0
	for i := m - 1; i >= l; i-- {
		f, b := s*off[i], c*off[i]
		square := math.FMA(f, f, float64(g*g))
		r := math.Sqrt(square)
		if !safeSquare(square) {
			r = hypot(f, g)
			if r == 0 { // the block splits here
				d[i+1] -= p
				off[m] = 0
				return
			}
		}
		r = math.Copysign(r, g) // for a cosine that is not negative
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
			e.turned.add(c, s)
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
		e.unsorted[i] = e.values[i]
	}
	slices.SortStableFunc(e.sorted, func(i, j int) int { return cmp.Compare(e.unsorted[i], e.unsorted[j]) })
	for i, from := range e.sorted {
		e.values[i] = math.Ldexp(e.unsorted[from], exponent)
	}
	if e.x != nil {
		copy(e.unsorted, e.x)
		for i, from := range e.sorted {
			e.x[i] = e.unsorted[e.order[from]]
		}
	}
	if !vectors {
		return
	}
	e.vectors = true
	e.turned.apply(asm.Active())
	for i, from := range e.sorted {
		e.sorted[i] = e.order[from]
	}
	e.z.reshape(n, n)
	e.turned.transposeTo(&e.z, e.sorted)
}

// Values returns the eigenvalues, smallest first, not a copy.
func (e *SymEigen) Values() []float64 { return e.values }

// Vectors returns the orthogonal matrix whose column j belongs to value j, not a copy.
func (e *SymEigen) Vectors() *Dense {
	check(e.vectors, "SymEigen: Factorize computed no vectors")
	return &e.z
}
