package mat

import (
	"math"

	"github.com/bpielm/bpielm/mat/asm"
)

// merge computes the decomposition of a block from those of its halves. Rows that
// are eigenvectors already, up to rounding, are deflated: left as they are. For the
// others, the eigenvalues are the roots of the secular equation, and the eigenvectors
// are the vectors of the halves times those of diag(d) + rho z z'.
type merge struct {
	t                *divideAndConquer
	first, mid, last int // the block
	rho              float64

	z        []float64 // by row
	where    []half    // by row
	sorted   []int     // rows of both halves, by ascending value
	kept     []int     // rows that enter the secular equation, by ascending value
	deflated []int     // the other rows, by ascending value
	place    []int     // position of each kept row when grouped by half
	values   []float64 // of the new rows
	secular  secular
	packed   Dense // the kept rows, grouped, then the deflated ones
	weights  Dense // row j is eigenvector j of the secular equation, its elements grouped
}

// half says which columns of a row of vectors may be nonzero.
type half uint8

const (
	upper half = iota // those of the first half
	both
	lower
	halves // the number of values above
)

// reset makes room for the block of rows first to last-1.
func (m *merge) reset(first, last int) {
	n := last - first
	m.first, m.last = first, last
	m.z, m.where, m.values = resize(m.z, last), resize(m.where, last), resize(m.values, last)
	m.sorted, m.kept, m.deflated, m.place = resize(m.sorted, n), resize(m.kept, n), resize(m.deflated, n), resize(m.place, n)
	m.packed.reshape(n, last)
}

// run merges the blocks of rows first to mid-1 and mid to last-1 of t. coupling is the
// off-diagonal element that was removed between them. It returns a *NotConvergedError if
// it does not find a root.
func (m *merge) run(t *divideAndConquer, first, mid, last int, coupling float64) error {
	m.reset(first, last)
	m.t, m.mid = t, mid
	m.load(coupling)
	m.deflate()
	m.pack()
	if !m.secular.solve(t.kernel) {
		return &NotConvergedError{What: "symmetric eigenvalues", Iterations: secularIterations}
	}
	k := len(m.kept)
	m.weights.reshape(k, k)
	m.secular.vectors(t.kernel, &m.weights, m.place)
	m.multiply()
	m.finish()
	return nil
}

// load sets z, which has norm 1, rho >= 0 and the order of the values.
func (m *merge) load(coupling float64) {
	t := m.t
	m.rho = 2 * math.Abs(coupling)
	sign := math.Copysign(math.Sqrt(0.5), coupling)
	for r := m.first; r < m.mid; r++ {
		m.z[r], m.where[r] = math.Sqrt(0.5)*t.rows.data[r*t.rows.stride+m.mid-1], upper
	}
	for r := m.mid; r < m.last; r++ {
		m.z[r], m.where[r] = sign*t.rows.data[r*t.rows.stride+m.mid], lower
	}
	m.sorted = mergeSorted(m.sorted[:0], t.order[m.first:m.mid], t.order[m.mid:m.last], t.d)
}

// mergeSorted appends to dst the indices of a and b, each of which is sorted by value.
func mergeSorted(dst, a, b []int, values []float64) []int {
	for len(a) > 0 && len(b) > 0 {
		if values[b[0]] < values[a[0]] {
			dst, b = append(dst, b[0]), b[1:]
		} else {
			dst, a = append(dst, a[0]), a[1:]
		}
	}
	return append(append(dst, a...), b...)
}

// deflate separates the rows that are eigenvectors already: those with a negligible z,
// and one of any two rows with nearly equal values, after a rotation that zeroes its z.
// The error is a few roundings of the largest value of the block.
func (m *merge) deflate() {
	const tiny = 0x1p-100 // squares of reciprocals must not overflow
	t := m.t
	largest := max(m.rho, tiny)
	for _, r := range m.sorted {
		largest = max(largest, math.Abs(t.d[r]))
	}
	tolerance := 8 * 0x1p-53 * largest
	m.kept, m.deflated = m.kept[:0], m.deflated[:0]
	before := -1
	for _, r := range m.sorted {
		switch {
		case m.rho*math.Abs(m.z[r]) <= tolerance:
			m.drop(r)
			continue
		case before < 0:
		case m.rotateOut(before, r, tolerance):
			m.drop(before)
		default:
			m.kept = append(m.kept, before)
		}
		before = r
	}
	if before >= 0 {
		m.kept = append(m.kept, before)
	}
}

// drop adds a row to the deflated ones, which rotateOut may deliver slightly out of order.
func (m *merge) drop(r int) {
	d := m.t.d
	m.deflated = append(m.deflated, r)
	for p := len(m.deflated) - 1; p > 0 && d[m.deflated[p-1]] > d[r]; p-- {
		m.deflated[p-1], m.deflated[p] = m.deflated[p], m.deflated[p-1]
	}
}

// rotateOut rotates two rows so that z of the first becomes zero, unless the off-diagonal
// element that this creates between them exceeds the tolerance. It reports whether it
// has rotated them.
func (m *merge) rotateOut(a, b int, tolerance float64) bool {
	d := m.t.d
	r := hypot(m.z[a], m.z[b])
	c, s := m.z[b]/r, -m.z[a]/r
	if math.Abs(float64((d[b]-d[a])*c)*s) > tolerance {
		return false
	}
	m.z[a], m.z[b] = 0, r
	from, to := m.first, m.last
	switch {
	case m.where[a] == upper && m.where[b] == upper:
		to = m.mid
	case m.where[a] == lower && m.where[b] == lower:
		from = m.mid
	default:
		m.widen(a)
		m.widen(b)
	}
	m.t.kernel.Rotate(c, s, m.t.rows.Row(a)[from:to], m.t.rows.Row(b)[from:to])
	cc, ss := float64(c*c), float64(s*s)
	d[a], d[b] = asm.FMA(d[a], cc, float64(d[b]*ss)), asm.FMA(d[a], ss, float64(d[b]*cc))
	return true
}

// widen writes zeros into the half of a row that has not been stored so far.
func (m *merge) widen(r int) {
	row := m.t.rows.Row(r)
	switch m.where[r] {
	case upper:
		clear(row[m.mid:m.last])
	case lower:
		clear(row[m.first:m.mid])
	}
	m.where[r] = both
}

// count returns how many kept rows there are of each kind.
func (m *merge) count() (n [halves]int) {
	for _, r := range m.kept {
		n[m.where[r]]++
	}
	return n
}

// pack groups the kept rows by half, so that products skip the zeros, and sets up the
// secular equation.
func (m *merge) pack() {
	t, k := m.t, len(m.kept)
	n := m.count()
	next := [halves]int{0, n[upper], n[upper] + n[both]}
	m.place = m.place[:k]
	m.secular.reset(k, m.rho)
	for j, r := range m.kept {
		m.secular.d[j], m.secular.z[j] = t.d[r], m.z[r]
		p := next[m.where[r]]
		next[m.where[r]]++
		m.place[j] = p
		from, to := m.first, m.last
		switch m.where[r] {
		case upper:
			to = m.mid
		case lower:
			from = m.mid
		}
		copy(m.packed.Row(p)[from:to], t.rows.Row(r)[from:to])
	}
	for i, r := range m.deflated {
		m.widen(r)
		copy(m.packed.Row(k + i)[m.first:m.last], t.rows.Row(r)[m.first:m.last])
	}
}

// multiply computes the eigenvectors of the block.
func (m *merge) multiply() {
	k, n := len(m.kept), m.count()
	rows := &m.t.rows
	part := func(from, to, col, end int) {
		weights := m.weights.sub(0, k, from, to)
		vectors := m.packed.sub(from, to, col, end)
		product := rows.sub(m.first, m.first+k, col, end)
		Gemm(NoTrans, NoTrans, 1, &weights, &vectors, 0, &product)
	}
	part(0, n[upper]+n[both], m.first, m.mid)
	part(n[upper], k, m.mid, m.last)
	for i := k; m.first+i < m.last; i++ {
		copy(rows.Row(m.first + i)[m.first:m.last], m.packed.Row(i)[m.first:m.last])
	}
}

// finish stores the eigenvalues and their order.
func (m *merge) finish() {
	t, k := m.t, len(m.kept)
	values := m.values[m.first:m.last]
	for j := range k {
		values[j] = m.secular.root(j)
	}
	for i, r := range m.deflated {
		values[k+i] = t.d[r]
	}
	copy(t.d[m.first:m.last], values)
	for i := range m.sorted {
		m.sorted[i] = m.first + i
	}
	mergeSorted(t.order[m.first:m.first], m.sorted[:k], m.sorted[k:], t.d)
}
