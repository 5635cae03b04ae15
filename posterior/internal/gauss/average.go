package gauss

import (
	"math"

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

// AverageMean returns the mean that Average does.
func AverageMean(bt *mat.Dense, r []float64, states []State) []float64 {
	s := newSpan(bt)
	n, k := s.w.Dims()
	z := make([]float64, k)
	for j := range states {
		at := &states[j]
		_, one := s.solve(r, at)
		mat.Axpy(at.Share*at.Amplitude, one, z)
	}
	mean := make([]float64, n)
	mat.Gemv(mat.NoTrans, 1, s.w, z, 0, mean)
	return mean
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

// Average returns the mean of v and a square root of its covariance, n x n, of the mixture
// of states. The rows are the columns of bt. Each state leaves
//
//	v | r ~ N( W z, a^2 (I - WW') + W C W' ),
//
// so the mixture changes z, C and a^2 alone.
func Average(bt *mat.Dense, r []float64, states []State) (mean []float64, factor *mat.Dense) {
	s := newSpan(bt)
	n, k := s.w.Dims()
	shares, means, roots := make([]float64, len(states)), make([][]float64, len(states)), make([]*mat.Dense, len(states))
	for j := range states {
		at := &states[j]
		t, z := s.solve(r, at)
		for i := range z {
			z[i] *= at.Amplitude
		}
		// C = a^2 T^-1 T^-T, whose root is transposed: a T^-T.
		root := mat.NewDense(k, k, nil)
		for i := range k {
			root.Set(i, i, at.Amplitude)
		}
		mat.Trsm(mat.Left, mat.Trans, 1, t.Tri(mat.Upper), root)
		shares[j], means[j], roots[j] = at.Share, z, root
	}
	z, root := Moments(shares, means, roots)
	// F = a I + W (root' - a I) W'.
	amplitude := math.Sqrt(MeanSquare(states))
	inner := root.Transpose()
	for i := range k {
		inner.Set(i, i, inner.At(i, i)-amplitude)
	}
	wi := mat.NewDense(n, k, nil)
	mat.Gemm(mat.NoTrans, mat.NoTrans, 1, s.w, inner, 0, wi)
	factor = mat.NewDense(n, n, nil)
	for i := range n {
		factor.Set(i, i, amplitude)
	}
	mat.Gemm(mat.NoTrans, mat.Trans, 1, wi, s.w, 1, factor)
	mean = make([]float64, n)
	mat.Gemv(mat.NoTrans, 1, s.w, z, 0, mean)
	return mean, factor
}

// Moments returns the mean of a mixture of Gaussians N(means[j], roots[j]'roots[j]), and an
// upper triangular R such that R'R is its covariance: that of the components plus that of
// their means, by a QR factorisation of the stacked roots. A single component is returned as
// it is. Moments lets go of roots, which may be large, before it factorises them: it leaves nil.
func Moments(shares []float64, means [][]float64, roots []*mat.Dense) (mean []float64, root *mat.Dense) {
	if len(means) == 1 {
		return means[0], roots[0]
	}
	n := len(means[0])
	mean = make([]float64, n)
	for j, share := range shares {
		mat.Axpy(share, means[j], mean)
	}
	stacked := mat.NewDense(len(means)*(n+1), n, nil)
	for j, share := range shares {
		scale, first := math.Sqrt(share), j*(n+1)
		block := stacked.Slice(first, first+n, 0, n)
		block.CopyFrom(roots[j])
		block.Scale(scale)
		roots[j] = nil
		apart := stacked.Row(first + n)
		for i, v := range mean {
			apart[i] = scale * (means[j][i] - v)
		}
	}
	var qr mat.QR
	qr.Factorize(stacked)
	return mean, qr.R()
}
