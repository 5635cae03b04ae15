package gauss

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// SVD conditions v ~ N(0, a^2 I) on the same rows again and again, with new values, at any
// amplitudes a and noise levels s that all rows share. With B = Z D W', state (a, s) leaves
//
//	v | r ~ N( W c, a^2 (I - WW') + W C W' ),
//	c = a^2 D Z'r / (a^2 D^2 + s^2),   C = a^2 s^2 / (a^2 D^2 + s^2),
//
// both diagonal, so a further state costs O(k). It does not allocate after NewSVD.
type SVD struct {
	W       *mat.Dense // n x k, orthonormal columns
	Squares []float64  // D^2

	z     *mat.Dense  // rows x k, orthonormal columns
	zr    []float64   // Z'r
	mean  []float64   // c, averaged over the states
	apart [][]float64 // of each state: its c less the mean
	inner *mat.Sym    // C of the mixture
	chol  mat.Cholesky

	svd     mat.SVD
	qr      mat.QR
	stacked mat.Dense
}

// NewSVD takes the rows as the columns of bt, n x rows, and how many states there will be.
// It fails with a *mat.NotConvergedError.
func NewSVD(bt *mat.Dense, states int) (*SVD, error) {
	s := new(SVD)
	if err := s.decompose(bt, states); err != nil {
		return nil, err
	}
	s.inner = mat.NewSym(len(s.Squares), nil)
	return s, nil
}

// decompose is NewSVD in existing memory.
func (s *SVD) decompose(bt *mat.Dense, states int) error {
	if err := s.svd.Factorize(bt, true); err != nil {
		return err
	}
	s.W, s.z = s.svd.U(), s.svd.V()
	k := s.W.Cols()
	s.Squares, s.zr, s.mean = resized(s.Squares, k), resized(s.zr, k), resized(s.mean, k)
	for i, d := range s.svd.Values() {
		s.Squares[i] = d * d
	}
	s.apart = slices.Grow(s.apart[:0], states)[:states]
	for j := range s.apart {
		s.apart[j] = resized(s.apart[j], k)
	}
	return nil
}

// resized returns a slice of n elements, x itself where it is large enough.
func resized(x []float64, n int) []float64 { return slices.Grow(x[:0], n)[:n] }

// Project takes new values. It sets along to Z'r and returns the squared norm
// of what lies outside the span of Z.
func (s *SVD) Project(r, along []float64) (outside float64) {
	mat.Gemv(mat.Trans, 1, s.z, r, 0, s.zr)
	inside := 0.0
	for i, c := range s.zr {
		along[i] = c
		inside += float64(c * c)
	}
	if len(r) > len(s.zr) {
		outside = math.Max(squares(r)-inside, 0)
	}
	return outside
}

// Mean returns c of the mixture of states, valid until the next call.
func (s *SVD) Mean(states []State) []float64 {
	for i, k := range s.Squares {
		root, mean := math.Sqrt(k), 0.0
		for j := range states {
			n := &states[j]
			total := float64(float64(n.Amplitude*n.Amplitude)*k) + float64(n.Noise*n.Noise)
			s.apart[j][i] = float64(float64(n.Amplitude*n.Amplitude)*root) * s.zr[i] / total
			mean += float64(n.Share * s.apart[j][i])
		}
		for j := range states {
			s.apart[j][i] -= mean
		}
		s.mean[i] = mean
	}
	return s.mean
}

// Covariance returns C of the mixture of the states that Mean was last called with, and its
// factorisation; both are valid until the next call. It fails with a
// *mat.NotPositiveDefiniteError.
func (s *SVD) Covariance(states []State) (c *mat.Sym, chol *mat.Cholesky, err error) {
	for i, k := range s.Squares {
		for l := range i + 1 {
			v := 0.0
			for j := range states {
				v += float64(states[j].Share * float64(s.apart[j][i]*s.apart[j][l]))
			}
			s.inner.Set(i, l, v)
		}
		s.inner.Set(i, i, s.inner.At(i, i)+meanVariance(states, k))
	}
	if err := s.chol.Factorize(s.inner); err != nil {
		return nil, nil, err
	}
	return s.inner, &s.chol, nil
}

// meanVariance is the mean of C over the states, at one D^2.
func meanVariance(states []State, k float64) float64 {
	v := 0.0
	for j := range states {
		n := &states[j]
		total := float64(float64(n.Amplitude*n.Amplitude)*k) + float64(n.Noise*n.Noise)
		v += float64(n.Share * float64(float64(n.Amplitude*n.Amplitude)*(float64(n.Noise*n.Noise)/total)))
	}
	return v
}

// root returns an upper triangular R with R'R = C of the mixture of the states that Mean was last called with: by a QR
// factorisation of the roots of the states' own C, which are diagonal, and their distances from the mean. Nothing is squared.
func (s *SVD) root(states []State) *mat.Dense {
	k := len(s.Squares)
	s.stacked.Reset(k+len(states), k)
	for i, square := range s.Squares {
		s.stacked.Set(i, i, math.Sqrt(meanVariance(states, square)))
	}
	for j := range states {
		mat.Axpy(math.Sqrt(states[j].Share), s.apart[j], s.stacked.Row(k+j))
	}
	s.qr.Factorize(&s.stacked)
	return s.qr.R()
}

// squares returns the sum of squares of x, in the fixed order of mat.Dot.
func squares(x []float64) float64 { return mat.Dot(x, x) }
