package mat

import "math"

// PivotedQR is the factorisation AP = QR with column pivoting (Businger and Golub,
// 1965). The diagonal of R decreases in magnitude; if the columns of A are linearly
// dependent, it drops to rounding errors. The zero value is ready for Factorize, which
// reuses its storage.
type PivotedQR struct {
	qr    QR
	order []int
	norms []float64
}

// Factorize computes the factorisation of a, an m x n matrix of any shape, which it does
// not modify. If a has a NaN or an infinity it returns a *NotFiniteError, and p is the
// factorisation of a 0 x 0 matrix.
func (p *PivotedQR) Factorize(a *Dense) error {
	m, n := a.Dims()
	exponent, err := scaleExponent("pivoted QR", m, a.Row)
	if err != nil {
		m, n = 0, 0
	}
	at := &p.qr.at
	at.reshape(n, m)
	p.order, p.norms = resize(p.order, n), resize(p.norms, 2*n)
	if err == nil {
		transpose(at, a)
	}
	// After scaling, norms of columns neither overflow nor vanish.
	scaleByPower(at.data, at.data, -exponent)
	p.qr.factorizePivoted(p.order, p.norms)
	for j := range n {
		r := at.Row(j)[:min(j+1, m)]
		for i, v := range r {
			r[i] = math.Ldexp(v, exponent)
		}
	}
	return err
}

// R returns a copy of the min(m, n) x n upper trapezoidal factor.
func (p *PivotedQR) R() *Dense { return p.qr.R() }

// MulQ sets B = QB, or B = Q'B with Trans. Q is the full m x m factor.
func (p *PivotedQR) MulQ(t Transpose, b *Dense) { p.qr.MulQ(t, b) }

// Order returns P: column j of AP is column Order()[j] of A. It does not copy.
func (p *PivotedQR) Order() []int { return p.order }

// Rank returns the number of leading diagonal elements of R that exceed rcond times the
// first in magnitude.
func (p *PivotedQR) Rank(rcond float64) int {
	at := &p.qr.at
	rank, limit := 0, 0.0
	for rank < min(at.rows, at.cols) {
		v := math.Abs(at.At(rank, rank))
		if rank == 0 {
			limit = rcond * v
		}
		if !(v > limit) {
			break
		}
		rank++
	}
	return rank
}
