package posterior

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// spectrum is the evidence where all rows share one noise level: of all rows,
// and of the rows that are not data, whose evidence is divided out.
type spectrum struct {
	all, prior resolvent
	constant   float64
}

// resolvent holds K = Q T Q' of some rows, with a tridiagonal T, and the components of r along Q. One evaluation of
//
//	r'(xK + 1)^-1 r   and   log |xK + 1|
//
// is a recursion over the rows: finding the eigenvalues of T would take longer than all evaluations.
type resolvent struct {
	diagonal, off []float64 // of T; without off T is diagonal
	along         []float64 // Q'r
	outside       float64   // squared norm of what of r lies outside the span of Q
}

// diagonalise sets u.s.
func (u *underPhysics) diagonalise() error {
	s := &u.s
	s.constant = -float64(0.5*float64(float64(u.readings)*log2Pi)) - u.logSigma
	k := u.covariance()
	if err := u.decompose(&s.all, k, u.x, u.r); err != nil {
		return err
	}
	s.all.outside += u.residual
	for _, g := range u.learned {
		s.all.outside += u.groups[g].residual
	}
	s.prior.diagonal = s.prior.diagonal[:0]
	if m := len(u.r) - u.data; m > 0 {
		of := mat.NewSym(m, nil)
		for i := range m {
			copy(of.Row(i)[:i+1], k.Row(u.data + i)[u.data:u.data+i+1])
		}
		return u.decompose(&s.prior, of, u.x.Slice(0, u.x.Rows(), u.data, len(u.r)), u.r[u.data:])
	}
	return nil
}

// squaresKeep is the largest ratio of prior variance to noise variance at which sums of squares
// still resolve the noise.
const squaresKeep = 1e11

// eigenvaluesKeep is the largest prior variance at amplitude 1, in units of the noise variance, at
// which eigenvalues of sums of squares are accurate enough even at amplitudes of some hundreds. With
// parameters the variance is larger, see flatParameter.
const eigenvaluesKeep = 1e7

// decompose sets p to k = x'x: from k itself where that is accurate enough, otherwise from the singular values of x.
func (u *underPhysics) decompose(p *resolvent, k *mat.Sym, x *mat.Dense, r []float64) error {
	largest := 0.0 // the largest eigenvalue is at least that
	for i := range r {
		largest = math.Max(largest, k.At(i, i))
	}
	if largest <= eigenvaluesKeep {
		if err := p.set(&u.tridiagonal, k, r); err != nil {
			return err
		}
		if p.largest() <= eigenvaluesKeep {
			return nil
		}
	}
	values, along, err := u.singular(x, r)
	if err != nil {
		return err
	}
	p.diagonal, p.along, p.off = resized(p.diagonal, len(values)), append(p.along[:0], along...), nil
	p.outside = squares(r)
	for i, v := range values {
		p.diagonal[i] = float64(v * v)
		p.outside -= float64(along[i] * along[i])
	}
	if p.outside = math.Max(p.outside, 0); len(values) == len(r) {
		p.outside = 0
	}
	return nil
}

// singular returns the singular values of x and the components of r along its right singular vectors.
func (u *underPhysics) singular(x *mat.Dense, r []float64) (values, along []float64, err error) {
	along = slices.Clone(r)
	if n, rows := x.Dims(); n < rows {
		if err := u.bidiagonal.Factorize(x.Transpose()); err != nil {
			return nil, nil, err
		}
		u.bidiagonal.MulUTrans(along)
		along = along[:n]
		values, err = u.bidiagonal.SingularValues(mat.Left, along)
		return values, along, err
	} else if n >= tallRows*rows {
		u.qr.Factorize(x)
		x = u.qr.R()
	}
	if err := u.bidiagonal.Factorize(x); err != nil {
		return nil, nil, err
	}
	u.bidiagonal.MulRightV(mat.NewDense(1, len(along), along))
	values, err = u.bidiagonal.SingularValues(mat.Right, along)
	return values, along, err
}

// tallRows is from how many rows a column on QR before bidiagonalisation pays.
const tallRows = 2

// set takes K itself.
func (p *resolvent) set(t *mat.Tridiagonal, k *mat.Sym, r []float64) error {
	if err := t.Factorize(k); err != nil {
		return err
	}
	p.diagonal, p.off = append(p.diagonal[:0], t.Diagonal()...), append(p.off[:0], t.Off()...)
	p.along, p.outside = append(p.along[:0], r...), 0
	t.MulQTrans(p.along)
	return nil
}

// largest bounds the eigenvalues from above, by Gershgorin's circles.
func (p *resolvent) largest() float64 {
	largest, before := 0.0, 0.0
	for i, v := range p.diagonal {
		after := 0.0
		if i < len(p.off) {
			after = math.Abs(p.off[i])
		}
		largest, before = math.Max(largest, v+before+after), after
	}
	return largest
}

// quadraticAndLogDet returns r'(xK + 1)^-1 r and log |xK + 1|. With m_i the i-th leading minor of xT + 1, and w_i that
// of the same matrix with r in place of the last column, these are
//
//	sum w_i^2 / (m_(i-1) m_i)   and   log m_n.
//
// What is left of xT when the rows before have been eliminated is not negative. Where rounding makes it so, the element
// beside the diagonal is as large as it may be.
func (p *resolvent) quadraticAndLogDet(x float64) (quadratic, logDet float64) {
	quadratic = p.outside
	if len(p.off) == 0 {
		var det logProduct
		for i, k := range p.diagonal {
			d := 1 + float64(x*k)
			quadratic += float64(p.along[i]*p.along[i]) / d
			det.times(d)
		}
		return quadratic, det.log()
	}
	const large, bits = 0x1p200, 200 // their squares do not overflow
	minor, before, w, scaled := 1.0, 0.0, 0.0, 0.0
	off := 0.0 // of xT, before the row
	for i, k := range p.diagonal {
		k = max(x*k, 0)
		square := float64(off * off)
		if most := float64((minor - before) * k); i > 0 && square*before > most {
			square = most / before
			off = math.Copysign(math.Sqrt(square), off)
		}
		w = float64(p.along[i]*minor) - float64(off*w)
		next := float64((1+k)*minor) - float64(square*before)
		quadratic += float64(w*w) / float64(minor*next)
		if before, minor = minor, next; minor > large {
			before, minor, w = before/large, minor/large, w/large
			scaled += bits
		}
		if i < len(p.off) {
			off = float64(x * p.off[i])
		}
	}
	return quadratic, mat.Log(minor) + float64(scaled*ln2)
}

// known is the log evidence at a^2 = x, for rows in units of their noise.
func (s *spectrum) known(x float64) float64 {
	q, det := s.all.quadraticAndLogDet(x)
	e := s.constant - float64(0.5*(q+det))
	if len(s.prior.diagonal) > 0 {
		q, det = s.prior.quadraticAndLogDet(x)
		e += float64(0.5 * (q + det))
	}
	return e
}

// dataOnly is quadraticAndLogDet of the readings given the rows that are not data.
func (s *spectrum) dataOnly(x float64) (quadratic, logDet float64) {
	quadratic, logDet = s.all.quadraticAndLogDet(x)
	if len(s.prior.diagonal) > 0 {
		q, det := s.prior.quadraticAndLogDet(x)
		quadratic, logDet = math.Max(quadratic-q, 0), logDet-det
	}
	return quadratic, logDet
}

// logProduct accumulates the logarithm of a product, several factors at a time, since logarithms are
// expensive. The zero value is the empty product.
type logProduct struct {
	sum, product float64 // product: of the factors not yet in sum; 0: none
}

// times multiplies by a positive factor.
func (l *logProduct) times(factor float64) {
	const large, small = 0x1p400, 0x1p-400
	switch {
	case factor > large || factor < small:
		l.sum += mat.Log(factor)
	case l.product == 0:
		l.product = factor
	case l.product > large || l.product < small:
		l.sum += mat.Log(l.product)
		l.product = factor
	default:
		l.product *= factor
	}
}

func (l *logProduct) log() float64 {
	if l.product == 0 {
		return l.sum
	}
	return l.sum + mat.Log(l.product)
}
