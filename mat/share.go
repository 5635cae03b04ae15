package mat

import "math"

// shared is a product that several processors share.
type shared struct {
	product
	rows, cols int            // number of parts of C, vertically and horizontally
	sums       []float64      // partial sums, one C after another
	ldSum      int            // their leading dimension
	block      func(part int) // multiplyBlock
	terms      func(part int) // multiplyTerms
	total      func(part int) // addTerms
	parts      int            // number of partial sums
}

// share multiplies part by part, on several processors where that pays. Each element of
// C is computed by one of them, so the bits do not depend on their number.
func (p *product) share() {
	work := p.m * p.n * p.depth
	if p.lower {
		work /= 2
	}
	if work < 2*minPartWork {
		p.multiply(0, p.m, 0, p.n)
		return
	}
	processors := processors()
	parts := min(processors, work/minPartWork)
	if p.b.bestInPlace(p.k, p.n) && !p.b.alongRows { // otherwise each part packs what it needs of B
		for parts < 4*processors && work/(2*longPartWork) >= parts {
			parts *= 2
		}
	}
	if parts == 1 {
		p.multiply(0, p.m, 0, p.n)
		return
	}
	w := borrow()
	s := w.shared()
	s.product = *p
	s.rows, s.cols = parts, 1
	for !p.lower && s.rows > 1 && p.m*s.cols < p.n*s.rows {
		s.rows, s.cols = (s.rows+1)/2, 2*s.cols
	}
	Parallel(s.rows*s.cols, s.block)
	s.product = product{}
	w.giveBack()
}

// shared returns the shared product of w. Its method values are made once, because each
// allocates.
func (w *arena) shared() *shared {
	s := &w.share
	if s.block == nil {
		s.block, s.terms, s.total = s.multiplyBlock, s.multiplyTerms, s.addTerms
	}
	return s
}

// multiplyBlock computes one block of C.
func (s *shared) multiplyBlock(part int) {
	row, col := part/s.cols, part%s.cols
	if s.lower {
		first, last := lowerBound(s.m, row, s.rows), lowerBound(s.m, row+1, s.rows)
		s.multiply(first, last, 0, last)
		return
	}
	s.multiply(bound(s.m, row, s.rows), bound(s.m, row+1, s.rows), bound(s.n, col, s.cols), bound(s.n, col+1, s.cols))
}

// bound returns where part i begins when n lines are split into equal parts: a multiple
// of 8, or n.
func bound(n, i, parts int) int { return boundAt(n, float64(i)/float64(parts)) }

// lowerBound returns the row where part i begins when a lower triangle is split into
// parts of equal area.
func lowerBound(n, i, parts int) int { return boundAt(n, math.Sqrt(float64(i)/float64(parts))) }

// boundAt returns the multiple of 8 nearest to a fraction of n, at most n.
func boundAt(n int, fraction float64) int {
	if fraction == 1 {
		return n
	}
	return min(n, int(math.RoundToEven(float64(n)*fraction/8))*8)
}

// depthParts returns how many parts the terms of each sum are split into, so that
// several processors can share a product with a small C. It is a power of two, at most
// 16, for C of at most 512 x 512 elements and parts of at least 2048 terms. Each part is
// a product of its own, with alpha = 1 and beta = 0. The partial sums are then added
// pairwise: part i + parts/2 to part i, and so on by halves. The total enters C as
// fma(alpha, sum, C).
func (p *product) depthParts() int {
	parts := 1
	for p.depth >= 2*partTerms*parts && parts < maxParts && p.m*p.n <= partElements {
		parts *= 2
	}
	return parts
}

// shareDepth computes the partial products and adds them up.
func (p *product) shareDepth(parts int) {
	p.scaleC()
	w := borrow()
	s := w.shared()
	s.product, s.parts = *p, parts
	s.ldSum = roundUp(p.n, 8)
	if s.ldSum%512 == 0 {
		s.ldSum += 8
	}
	s.sums = resizePacked(s.sums, parts*p.m*s.ldSum)
	Parallel(parts, s.terms)
	s.rows = 1
	if parts*p.m*p.n >= minPartWork/2 {
		s.rows = min(processors(), p.m/8+1)
	}
	Parallel(s.rows, s.total)
	s.product = product{}
	w.giveBack()
}

// addTerms adds up the partial sums for one share of the rows, and adds the total to C.
func (s *shared) addTerms(part int) {
	first, last := bound(s.m, part, s.rows), bound(s.m, part+1, s.rows)
	if s.lower {
		first, last = lowerBound(s.m, part, s.rows), lowerBound(s.m, part+1, s.rows)
	}
	for row := first; row < last; row++ {
		for half := s.parts / 2; half > 0; half /= 2 {
			for i := range half {
				s.k.Axpy(1, s.sum(i+half, row), s.sum(i, row))
			}
		}
		sum := s.sum(0, row)
		switch c := s.c[row*s.ldc:][:len(sum)]; {
		case s.beta != 0:
			s.k.Axpy(s.alpha, sum, c)
		case s.alpha == 1:
			copy(c, sum)
		default:
			for j, v := range sum {
				c[j] = s.alpha * v
			}
		}
	}
}

// sum returns a row of a partial sum.
func (s *shared) sum(part, row int) []float64 {
	n := s.n
	if s.lower {
		n = row + 1
	}
	return s.sums[(part*s.m+row)*s.ldSum:][:n]
}

// multiplyTerms computes one partial sum.
func (s *shared) multiplyTerms(part int) {
	first, last := s.depth*part/s.parts, s.depth*(part+1)/s.parts
	p := s.product
	p.alpha, p.beta = 1, 0
	p.a, p.b, p.depth = p.a.from(first), p.b.from(first), last-first
	p.c, p.ldc = s.sums[part*s.m*s.ldSum:], s.ldSum
	p.multiply(0, p.m, 0, p.n)
}
