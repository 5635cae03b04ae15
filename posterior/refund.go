package posterior

import (
	"math"

	"github.com/bpielm/bpielm/mat"
)

// With K the covariance of the readings under the physics, in units of their noise, the log evidence of one layer is
//
//	-1/2 [ r'(I + K)^-1 r + log|I + K| ] + const.
//
// What the equations leave open, such as the constants of their homogeneous solutions, is in K. For each direction that is free with
// variance k >> 1 the determinant takes 1/2 log k, half a dozen nats, because it could have been any amount of that order. But k
// follows from the amplitude, which is a guess. One who does not believe it gives the determinant back, and takes the degrees of
// freedom that the readings have instead:
//
//	refund = 1/2 log|I + K| - 1/2 tr K (I + K)^-1.
//
// Of readings that are noise, what is free makes the quadratic form smaller by the trace, on average: it pays as much as it gains by
// fitting noise. (Mallows, Some comments on Cp, Technometrics 15, 1973, asks for twice that, which is best for predictions.) The
// trace is at most one for each direction, whatever the amplitude.
//
// The noise is a reference, the same at all coefficients. Where the noise is learned, one that a coefficient happens to leave small would
// otherwise give more back for every direction, and the readings would seem to have as many degrees of freedom as there are of them.
//
// The refund is that of the physics as stated: at a slack below which a tighter one makes no difference. Where coefficients are
// wrong, readings may be explained by giving up the equations, and for that the determinant is to be paid.

// refund is that of a survey that has just ended, at the reference noise of each group or, without one, at that in the middle of its prior.
// It also returns the noise that is typical of the survey. With patches there is none.
func (ph *Physics) refund(states []state, reference []float64) (refund float64, noise []float64) {
	s := statedPhysics(states)
	tau, at := typicalNode(states, func(s *state, _ *node) float64 { return s.tau })
	if s.slack == 0 { // the slack is tau times the amplitude
		tau /= 1 + float64(tau*at.amplitude/resolvedSlack)
	}
	p, o := ph.store.slackPrior(), s.observed
	err := p.set(s.decomposition, tau)
	for ; err != nil && tau < looseTau; err = p.set(s.decomposition, tau) {
		tau *= 10 // sums of squares do not resolve it
	}
	if err != nil || p.blocks != nil {
		return 0, nil
	}
	if len(reference) != len(o.groups) {
		reference = usualNoise(o.groups)
	}
	x := ph.store.clone(o.pt)
	p.mulTrans(x)
	n, rows := x.Dims()
	for i := range n {
		for j, row := 0, x.Row(i); j < rows; j++ {
			row[j] *= float64(at.amplitude / reference[o.group[j]])
		}
	}
	logDet, freedom := given(x.Slice(0, n, 0, o.data), x.Slice(0, n, o.data, rows), ph.store)
	if refund = float64(0.5 * (logDet - freedom)); !finite(refund) {
		refund = 0
	}
	return refund, at.noise
}

// mostSquared is the largest variance beside which an error of 1 can be told from its square's rounding.
const mostSquared = 1e10

// given returns log|I + K| and tr K (I + K)^-1 with K the covariance of X'g given that Y'g is known but for standard normal errors,
// g being standard normal.
func given(x, y *mat.Dense, store *storage) (logDet, freedom float64) {
	qr, chol := &store.evidence().qr, &store.slackPrior().chol // no slack is looked at any more
	n, count := x.Dims()
	if count > n { // only XX' matters
		qr.Factorize(x.Transpose())
		count = n
		x = qr.R().Slice(0, n, 0, n).Transpose()
		for i := range n {
			clear(x.Row(i)[i+1:])
		}
	}
	known := y.Cols()
	// A = (Y X). The last block of the factor of I + A'A is that of I + K.
	stacked := store.dense(n+known+count, known+count)
	a := stacked.Slice(0, n, 0, known+count)
	a.Slice(0, n, 0, known).CopyFrom(y)
	a.Slice(0, n, known, known+count).CopyFrom(x)
	squares := mat.NewSym(known+count, store.unset((known+count)*(known+count)))
	mat.Syrk(mat.Trans, 1, a, 0, squares)
	largest := 0.0
	for i := range known + count {
		largest = math.Max(largest, squares.At(i, i))
	}
	factor, lower := (*mat.Tri)(nil), mat.NoTrans
	if largest < mostSquared && chol.FactorizeShifted(squares, 1) == nil {
		factor = chol.L()
	} else { // as R of both, one above the other
		for i := range known + count {
			stacked.Set(n+i, i, 1)
		}
		qr.Factorize(stacked)
		factor, lower = qr.R().Tri(mat.Upper), mat.Trans
	}
	inverse := store.dense(known+count, count)
	for i := range count {
		logDet += float64(2 * mat.Log(math.Abs(factor.At(known+i, known+i))))
		inverse.Set(known+i, i, 1)
	}
	mat.Trsm(mat.Left, lower, 1, factor, inverse)
	return logDet, float64(count) - squaresOf(inverse)
}

// statedPhysics is the state that has the equations as they hold: with a slack of at most resolvedSlack.
func statedPhysics(states []state) *state {
	holds := &states[0]
	for i := range states {
		if s := &states[i]; s.slack <= resolvedSlack && s.slack > holds.slack {
			holds = s
		}
	}
	return holds
}

// usualNoise is the middle of the prior of each group's noise.
func usualNoise(groups []group) []float64 {
	noise := make([]float64, len(groups))
	for g := range groups {
		if noise[g] = 1; groups[g].learned { // known noise is the unit of its rows
			noise[g] = float64(math.Sqrt(noiseFloor) * groups[groups[g].shares].size)
		}
	}
	return noise
}
