package posterior

import "github.com/bpielm/bpielm/mat"

// slackPrior is the prior of the coordinates g under the physics at one slack, at amplitude 1:
// N(mean, tau^2 (R'R)^-1). The zero value is ready for set.
type slackPrior struct {
	tau   float64
	mean  []float64
	ridge mat.Ridge
	sums  bool // instead of the ridge, chol; for the first coordinates
	chol  mat.Cholesky
	apart apart

	blocks      *blockPrior // of a layer with patches, instead of all that; nil: it has none
	blockMemory *blockPrior // reused
}

// lendBlocks returns the memory for blocks.
func (p *slackPrior) lendBlocks() *blockPrior {
	if p.blockMemory == nil {
		p.blockMemory = new(blockPrior)
	}
	return p.blockMemory
}

// set computes the prior at tau in the existing storage.
func (p *slackPrior) set(dec *decomposition, tau float64) error {
	p.apart.count = 0
	if dec.order != nil {
		p.blocks, p.tau, p.mean = p.lendBlocks(), tau, resized(p.mean, len(dec.order.column))
		return p.blocks.set(dec, tau, p.mean)
	}
	if err := p.underRows(dec, tau); err != nil {
		return err
	}
	return p.setApart(dec)
}

// underRows is set without the correction for parameters, see parameters.go.
func (p *slackPrior) underRows(dec *decomposition, tau float64) error {
	p.tau, p.sums, p.blocks = tau, dec.sums != nil, nil
	if !p.sums {
		p.mean = resized(p.mean, len(dec.d))
		p.ridge.Factorize(dec.d, dec.e, tau, dec.c)
		p.ridge.SolveTo(p.mean)
		return nil
	}
	n := len(dec.sums.y)
	p.mean = resized(p.mean, n+len(dec.known))
	copy(p.mean[n:], dec.known)
	if err := p.chol.FactorizeShifted(dec.sums.hh, tau*tau); err != nil {
		return err
	}
	p.chol.SolveVecTo(p.mean[:n], dec.sums.y)
	return nil
}

// trace returns the trace of the covariance.
func (p *slackPrior) trace() float64 {
	more := 0.0
	if p.apart.count > 0 {
		more = p.apart.more
	}
	if !p.sums {
		return float64(float64(p.tau*p.tau)*p.ridge.InverseSquare()) + more
	}
	return float64(float64(p.tau*p.tau)*p.chol.InverseTrace()) + more
}

// mul sets X = F X, with F = tau R^-1 a square root of the covariance at amplitude 1: it maps
// standard normal numbers to g less its mean.
func (p *slackPrior) mul(x *mat.Dense) {
	if p.blocks != nil {
		p.blocks.mul(x)
		return
	}
	parameters := p.apart.without(x)
	if !p.sums {
		p.ridge.Solve(x)
		x.Scale(p.tau)
	} else {
		p.solveSums(mat.Trans, x)
	}
	p.apart.mul(x, parameters)
}

// mulTrans sets X = F'X. If the columns of X are rows of sensors in the coordinates g, their squared
// norms become prior variances.
func (p *slackPrior) mulTrans(x *mat.Dense) {
	if p.blocks != nil {
		p.blocks.mulTrans(x)
		return
	}
	parameters := p.apart.before(x)
	if !p.sums {
		p.ridge.SolveTrans(x)
		x.Scale(p.tau)
	} else {
		p.solveSums(mat.NoTrans, x)
	}
	p.apart.mulTrans(x, parameters)
}

// solveSums sets X = tau L^-1 X or tau L^-T X. Coordinates that exact conditions fix do not vary.
func (p *slackPrior) solveSums(t mat.Transpose, x *mat.Dense) {
	n := p.chol.N()
	mat.Trsm(mat.Left, t, p.tau, p.chol.L(), x.Slice(0, n, 0, x.Cols()))
	for i := n; i < x.Rows(); i++ {
		clear(x.Row(i))
	}
}
