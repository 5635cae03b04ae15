package gauss

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// State is one possible amplitude and noise, with its share in a mixture.
type State struct {
	Share     float64
	Amplitude float64
	Noise     float64   // of every row
	Each      []float64 // of each row, instead of Noise; nil: Noise
}

func (s *State) noise(row int) float64 {
	if s.Each != nil {
		return s.Each[row]
	}
	return s.Noise
}

// MeanSquare returns the mean squared amplitude.
func MeanSquare(states []State) float64 {
	sum := 0.0
	for i := range states {
		s := &states[i]
		sum += float64(s.Share * float64(s.Amplitude*s.Amplitude))
	}
	return sum
}

// Averager averages over states, in memory that it keeps. The zero value is ready.
type Averager struct {
	svd   SVD
	along []float64
	wi    mat.Dense
}

// spectralStates is from how many states of a common noise singular values are faster than a factorisation for each.
const spectralStates = 6

// Average returns the mean of v, and sets factor, n x n, to a square root of its covariance, of the mixture
// of states. The rows are the columns of bt. Each state leaves
//
//	v | r ~ N( W z, a^2 (I - WW') + W C W' ),
//
// so the mixture changes z, C and a^2 alone.
func (s *Averager) Average(bt *mat.Dense, r []float64, states []State, factor *mat.Dense) (mean []float64) {
	var w, root *mat.Dense
	var z []float64
	if s.spectral(bt, r, states) {
		w, z, root = s.svd.W, s.svd.Mean(states), s.svd.root(states)
	} else {
		w, z, root = stacked(bt, r, states)
	}
	n, k := w.Dims()
	// F = a I + W (root' - a I) W'.
	amplitude := math.Sqrt(MeanSquare(states))
	for i := range k {
		root.Set(i, i, root.At(i, i)-amplitude)
	}
	s.wi.Reset(n, k)
	mat.Gemm(mat.NoTrans, mat.Trans, 1, w, root, 0, &s.wi)
	factor.Zero()
	for i := range n {
		factor.Set(i, i, amplitude)
	}
	mat.Gemm(mat.NoTrans, mat.Trans, 1, &s.wi, w, 1, factor)
	mean = make([]float64, n)
	mat.Gemv(mat.NoTrans, 1, w, z, 0, mean)
	return mean
}

// Mean returns the mean that Average does.
func (s *Averager) Mean(bt *mat.Dense, r []float64, states []State) []float64 {
	mean := make([]float64, bt.Rows())
	if s.spectral(bt, r, states) {
		mat.Gemv(mat.NoTrans, 1, s.svd.W, s.svd.Mean(states), 0, mean)
		return mean
	}
	of := newSpan(bt)
	z := make([]float64, of.w.Cols())
	for j := range states {
		at := &states[j]
		_, one := of.solve(r, at)
		mat.Axpy(at.Share*at.Amplitude, one, z)
	}
	mat.Gemv(mat.NoTrans, 1, of.w, z, 0, mean)
	return mean
}

// spectral prepares the singular values, which serve all states. It returns false where rows differ in their noise, or states are few.
func (s *Averager) spectral(bt *mat.Dense, r []float64, states []State) bool {
	each := slices.ContainsFunc(states, func(at State) bool { return at.Each != nil })
	if each || len(states) < spectralStates || s.svd.decompose(bt, len(states)) != nil {
		return false
	}
	s.along = resized(s.along, len(s.svd.Squares))
	s.svd.Project(r, s.along)
	return true
}

// stacked returns W, and z and a root of C of the mixture, by a QR factorisation for each state.
func stacked(bt *mat.Dense, r []float64, states []State) (w *mat.Dense, z []float64, root *mat.Dense) {
	s := newSpan(bt)
	k := s.w.Cols()
	m := NewMixture(mat.NewDense(len(states)*(k+1), k, nil), new(mat.QR))
	for j := range states {
		at := &states[j]
		t, z := s.solve(r, at)
		for i := range z {
			z[i] *= at.Amplitude
		}
		// C = a^2 T^-1 T^-T, whose root is transposed: a T^-T.
		root := m.Add(at.Share, z)
		for i := range k {
			root.Set(i, i, at.Amplitude)
		}
		mat.Trsm(mat.Left, mat.Trans, 1, t.Tri(mat.Upper), root)
	}
	z, root = m.Moments()
	return s.w, z, root
}

// Mixture is a mixture of Gaussians N(mean, R'R).
type Mixture struct {
	stacked *mat.Dense
	qr      *mat.QR
	shares  []float64
	means   [][]float64
}

// NewMixture takes a matrix with n+1 rows of n columns for each component, and work space.
func NewMixture(stacked *mat.Dense, qr *mat.QR) *Mixture { return &Mixture{stacked: stacked, qr: qr} }

// Add adds a component, and returns the part of the matrix that is to become its root R.
func (m *Mixture) Add(share float64, mean []float64) *mat.Dense {
	n, first := len(mean), len(m.means)*(len(mean)+1)
	m.shares, m.means = append(m.shares, share), append(m.means, mean)
	return m.stacked.Slice(first, first+n, 0, n)
}

// Moments returns the mean of the mixture, and an upper triangular R such that R'R is its covariance: that of the
// components plus that of their means, by a QR factorisation of the stacked roots, which it overwrites.
func (m *Mixture) Moments() (mean []float64, root *mat.Dense) {
	n := len(m.means[0])
	mean = make([]float64, n)
	for j, share := range m.shares {
		mat.Axpy(share, m.means[j], mean)
	}
	for j, share := range m.shares {
		scale, first := math.Sqrt(share), j*(n+1)
		m.stacked.Slice(first, first+n, 0, n).Scale(scale)
		apart := m.stacked.Row(first + n)
		for i, v := range mean {
			apart[i] = scale * (m.means[j][i] - v)
		}
	}
	m.qr.Factorize(m.stacked)
	return mean, m.qr.R()
}
