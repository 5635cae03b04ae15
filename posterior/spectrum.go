package posterior

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// spectrum is the diagonal form of the evidence where all rows share one noise level: of all rows,
// and of the rows that are not data, whose evidence is divided out.
type spectrum struct {
	all, prior eigenvalues
	constant   float64
}

// eigenvalues holds, for some rows, the eigenvalues of K, the squared components of r along the
// eigenvectors, and the squared norm of what of r lies outside their span.
type eigenvalues struct {
	k, r2   []float64
	outside float64
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
	s.prior.k = s.prior.k[:0]
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

// decompose sets p to the spectrum of k = x'x: from k itself where that is accurate enough, otherwise from the singular
// values of x.
func (u *underPhysics) decompose(p *eigenvalues, k *mat.Sym, x *mat.Dense, r []float64) error {
	p.outside = 0
	largest := 0.0 // the largest eigenvalue is at least that
	for i := range r {
		largest = math.Max(largest, k.At(i, i))
	}
	if largest <= eigenvaluesKeep {
		p.k, p.r2 = resized(p.k, len(r)), append(p.r2[:0], r...)
		if err := u.eigen.FactorizeFor(k, p.r2); err != nil {
			return err
		}
		for i, v := range u.eigen.Values() {
			p.k[i] = math.Max(v, 0)
			p.r2[i] *= p.r2[i]
		}
		if slices.Max(p.k) <= eigenvaluesKeep {
			return nil
		}
	}
	values, along, err := u.singular(x, r)
	if err != nil {
		return err
	}
	p.k, p.r2 = resized(p.k, len(values)), resized(p.r2, len(values))
	p.outside = squares(r)
	for i, v := range values {
		p.k[i] = float64(v * v)
		p.r2[i] = float64(along[i] * along[i])
		p.outside -= p.r2[i]
	}
	if p.outside = math.Max(p.outside, 0); len(p.k) == len(r) {
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

// quadraticAndLogDet returns r'(xK + 1)^-1 r and log |xK + 1|.
func (p *eigenvalues) quadraticAndLogDet(x float64) (quadratic, logDet float64) {
	quadratic = p.outside
	var det logProduct
	for i, k := range p.k {
		d := 1 + float64(x*k)
		quadratic += p.r2[i] / d
		det.times(d)
	}
	return quadratic, det.log()
}

// known is the log evidence at a^2 = x, for rows in units of their noise.
func (s *spectrum) known(x float64) float64 {
	q, det := s.all.quadraticAndLogDet(x)
	e := s.constant - float64(0.5*(q+det))
	if len(s.prior.k) > 0 {
		q, det = s.prior.quadraticAndLogDet(x)
		e += float64(0.5 * (q + det))
	}
	return e
}

// dataOnly is quadraticAndLogDet of the readings given the rows that are not data.
func (s *spectrum) dataOnly(x float64) (quadratic, logDet float64) {
	quadratic, logDet = s.all.quadraticAndLogDet(x)
	if len(s.prior.k) > 0 {
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
