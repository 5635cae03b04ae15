package mat

import (
	"cmp"
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat/asm"
)

// SymEigen is the decomposition A = Z diag(values) Z' of a symmetric matrix. The
// zero value is ready for Factorize, which reuses its storage.
//
// Householder reflectors, from the last row up, make the matrix tridiagonal. If only
// eigenvalues are wanted, QL with implicit shifts finds them (Dubrulle, Martin and
// Wilkinson, 1968). With vectors the matrix is divided into blocks of a few dozen rows;
// QL solves the blocks, which are then merged (Cuppen, A divide and conquer method for
// the symmetric tridiagonal eigenproblem, 1981; Gu and Eisenstat, A divide-and-conquer
// algorithm for the symmetric tridiagonal eigenproblem, 1995). The two methods agree to
// rounding error relative to the largest eigenvalue.
type SymEigen struct {
	values  []float64
	z       Dense
	vectors bool
	reduced tridiagonal
	ql      implicitQL
	divided divideAndConquer
	order   []int
}

// Factorize computes the decomposition of a, which it does not modify, with or without
// eigenvectors. If a has a NaN or an infinity it returns a *NotFiniteError; it may also
// return a *NotConvergedError. On error e is empty.
func (e *SymEigen) Factorize(a *Sym, vectors bool) error {
	if !vectors {
		return e.factorizeValues(a)
	}
	k := asm.Active()
	exponent, err := e.reduce(k, a)
	if err != nil {
		return err
	}
	values, rows, err := e.divided.run(k, e.reduced.diagonal, e.reduced.off)
	if err != nil {
		return err
	}
	e.reduced.multiply(k, rows)
	n := a.N()
	e.values = resize(e.values, n)
	for i, row := range e.divided.order {
		e.values[i] = math.Ldexp(values[row], exponent)
	}
	e.z.reshape(n, n)
	transposeRows(&e.z, rows, e.divided.order)
	e.vectors = true
	return nil
}

// factorizeValues is Factorize without vectors.
func (e *SymEigen) factorizeValues(a *Sym) error {
	k := asm.Active()
	exponent, err := e.reduce(k, a)
	if err != nil {
		return err
	}
	n := a.N()
	q := &e.ql
	q.values, q.off, q.order = e.reduced.diagonal, e.reduced.off, resize(q.order, n)
	if err := q.run(k); err != nil {
		return err
	}
	e.order = resize(e.order, n)
	for i := range n {
		e.order[i] = i
	}
	slices.SortStableFunc(e.order, func(i, j int) int { return cmp.Compare(q.values[i], q.values[j]) })
	e.values = resize(e.values, n)
	for i, from := range e.order {
		e.values[i] = math.Ldexp(q.values[from], exponent)
	}
	return nil
}

// reduce empties e and reduces a, scaled by 2^-exponent, to tridiagonal form.
func (e *SymEigen) reduce(k *asm.Kernel, a *Sym) (exponent int, err error) {
	e.values, e.vectors = e.values[:0], false
	e.z.reshape(0, 0)
	if exponent, err = e.reduced.load("symmetric eigenvalues", a); err != nil {
		return 0, err
	}
	e.reduced.reduce(k)
	return exponent, nil
}

// Values returns the eigenvalues in ascending order, without copying.
func (e *SymEigen) Values() []float64 { return e.values }

// Vectors returns the orthogonal matrix whose column j belongs to value j, without copying.
func (e *SymEigen) Vectors() *Dense {
	check(e.vectors, "SymEigen: Factorize computed no vectors")
	return &e.z
}
