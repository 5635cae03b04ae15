package posterior

import (
	"sync"

	"github.com/bpielm/bpielm/mat"
)

// storage is the memory of one candidate of a search, reused by the next: allocating costs more than
// the computation. A nil storage allocates. It serves one goroutine at a time.
type storage struct {
	slabs     [][]float64
	slab      int // the first with room
	used      int // elements of it
	rows      shelf[mat.TSQR]
	sums      shelf[mat.Gram]
	forms     shelf[mat.Bidiagonal]
	symmetric shelf[mat.Tridiagonal]
	slack     *slackPrior
	readings  evidenceSpace
}

// spare keeps storage from one fit to the next, as long as the garbage collector permits.
var spare = sync.Pool{New: func() any { return new(storage) }}

func borrowStorage() *storage { return spare.Get().(*storage) }

// giveBack returns the storage for reuse: nothing it has lent may be used any more.
func (s *storage) giveBack() {
	s.reclaim()
	spare.Put(s)
}

// slackPrior lends the storage's only one.
func (s *storage) slackPrior() *slackPrior {
	if s == nil {
		return new(slackPrior)
	}
	if s.slack == nil {
		s.slack = new(slackPrior)
	}
	return s.slack
}

// evidence lends the storage's only one.
func (s *storage) evidence() *evidenceSpace {
	if s == nil {
		return new(evidenceSpace)
	}
	return &s.readings
}

// upTo is the storage for n rows; nil, which allocates, where several goroutines make them.
func (s *storage) upTo(rows int) *storage {
	if rows > segmentRows {
		return nil
	}
	return s
}

// slabSize is the least size of a slab: 1 MiB.
const slabSize = 1 << 17

// reclaim takes back everything that has been lent.
func (s *storage) reclaim() {
	s.rewind(mark{})
}

// mark is how much of a storage has been lent.
type mark struct{ slab, used, rows, sums, forms, symmetric int }

func (s *storage) mark() mark {
	if s == nil {
		return mark{}
	}
	return mark{s.slab, s.used, s.rows.lent, s.sums.lent, s.forms.lent, s.symmetric.lent}
}

// rewind takes back what has been lent since a mark.
func (s *storage) rewind(m mark) {
	if s != nil {
		s.slab, s.used = m.slab, m.used
		s.rows.lent, s.sums.lent, s.forms.lent, s.symmetric.lent = m.rows, m.sums, m.forms, m.symmetric
	}
}

// vector lends n zeros.
func (s *storage) vector(n int) []float64 {
	x := s.unset(n)
	if s != nil { // else they are new
		clear(x)
	}
	return x
}

// unset lends n elements that hold anything.
func (s *storage) unset(n int) []float64 {
	if s == nil {
		return make([]float64, n)
	}
	for ; s.slab < len(s.slabs); s.slab, s.used = s.slab+1, 0 {
		if slab := s.slabs[s.slab]; s.used+n <= len(slab) {
			x := slab[s.used : s.used+n : s.used+n]
			s.used += n
			return x
		}
	}
	s.slabs = append(s.slabs, make([]float64, max(n, slabSize)))
	s.used = n
	return s.slabs[s.slab][:n:n]
}

// unsetDense lends a matrix that holds anything.
func (s *storage) unsetDense(rows, cols int) *mat.Dense {
	return mat.NewDense(rows, cols, s.unset(rows*cols))
}

// dense lends a matrix of zeros.
func (s *storage) dense(rows, cols int) *mat.Dense {
	return mat.NewDense(rows, cols, s.vector(rows*cols))
}

// clone lends a copy.
func (s *storage) clone(a *mat.Dense) *mat.Dense {
	rows, cols := a.Dims()
	c := s.unsetDense(rows, cols)
	c.CopyFrom(a)
	return c
}

// shelf keeps objects of one kind and lends them in order.
type shelf[T any] struct {
	objects []*T
	lent    int
}

func (s *shelf[T]) lend() *T {
	if s.lent == len(s.objects) {
		s.objects = append(s.objects, new(T))
	}
	s.lent++
	return s.objects[s.lent-1]
}

// tsqr lends an empty TSQR.
func (s *storage) tsqr(cols int) *mat.TSQR {
	if s == nil {
		return mat.NewTSQR(cols)
	}
	t := s.rows.lend()
	t.Reset(cols)
	return t
}

// gram lends an empty Gram.
func (s *storage) gram(cols int) *mat.Gram {
	if s == nil {
		return mat.NewGram(cols)
	}
	g := s.sums.lend()
	g.Reset(cols)
	return g
}

// bidiagonal lends a decomposition.
func (s *storage) bidiagonal() *mat.Bidiagonal {
	if s == nil {
		return new(mat.Bidiagonal)
	}
	return s.forms.lend()
}

// tridiagonal lends a decomposition.
func (s *storage) tridiagonal() *mat.Tridiagonal {
	if s == nil {
		return new(mat.Tridiagonal)
	}
	return s.symmetric.lend()
}
