package posterior

import (
	"math"

	"github.com/bpielm/bpielm/mat"
)

// blockPrior is a slackPrior for a layer with patches. Parameters are kept apart from the beginning
// (see parameters.go for why): with G = H'H of the weights and g its border,
//
//	F = [ tau L^-T  W_0 ; 0  I ] [ I  0 ; 0  M^-1/2 ],   LL' = G + tau^2 I,
//
// maps standard normal numbers to the coordinates less their mean. W_0 responds to parameters at a
// tight slack, and M is the precision that the rows leave the parameters.
type blockPrior struct {
	tau  float64
	chol mat.SkylineCholesky
	v    *mat.Dense // the columns of F for the parameters, n x m
}

// set computes the prior at tau, and its mean.
func (p *blockPrior) set(dec *decomposition, tau float64, mean []float64) error {
	sums := dec.sums
	p.tau = tau
	if p.chol.Factorize(sums.blocks.weights, float64(tau*tau)) != nil {
		return errCellsTooSmall
	}
	n, m := sums.blocks.border.Dims()
	p.meanTo(mean[:n], sums)
	clear(mean[n:])
	p.v = nil
	if m == 0 {
		return nil
	}
	chol, of, err := dec.particular.moments(tau)
	if err != nil {
		return err
	}
	mat.Gemv(mat.NoTrans, 1, dec.particular.w, of, 1, mean)
	p.v = dec.particular.w.Clone()
	mat.Trsm(mat.Right, mat.Trans, 1, chol.L(), p.v)
	return nil
}

var errCellsTooSmall = &ConfigError{"features.patches", "in cells this small the derivatives in the equations are so steep that sums of squares keep no digits of them; take fewer patches, or none"}

// solveVec sets dst = (G + tau^2)^-1 y.
func (p *blockPrior) solveVec(dst, y []float64) {
	copy(dst, y)
	x := mat.NewDense(len(dst), 1, dst)
	p.chol.SolveLower(0, x)
	p.chol.SolveUpper(x)
}

// meanTo sets dst to (G + tau^2)^-1 H'y, of the weights, about those that solve the rows nearly.
func (p *blockPrior) meanTo(dst []float64, sums *reduction) {
	n, rest := len(dst), make([]float64, len(dst))
	copy(rest, sums.left)
	mat.Axpy(-float64(p.tau*p.tau), sums.about[:n], rest)
	p.solveVec(dst, rest)
	mat.Axpy(1, sums.about[:n], dst)
}

// responses returns how all coordinates respond to the parameters under rows alone.
func (p *blockPrior) responses(b *blockSums) *mat.Dense {
	n, m := b.border.Dims()
	w := mat.NewDense(n+m, m, nil)
	weights := w.Slice(0, n, 0, m)
	weights.CopyFrom(b.border)
	weights.Scale(-1)
	p.chol.SolveLower(0, weights)
	p.chol.SolveUpper(weights)
	for i := range m {
		w.Set(n+i, i, 1)
	}
	return w
}

// parts returns the rows of weights and of parameters.
func (p *blockPrior) parts(x *mat.Dense) (weights, parameters *mat.Dense) {
	n := p.chol.N()
	return x.Slice(0, n, 0, x.Cols()), x.Slice(n, x.Rows(), 0, x.Cols())
}

// mul sets X = F X.
func (p *blockPrior) mul(x *mat.Dense) {
	weights, parameters := p.parts(x)
	p.chol.SolveUpper(weights)
	weights.Scale(p.tau)
	if p.v != nil {
		own := parameters.Clone()
		parameters.Zero()
		mat.Gemm(mat.NoTrans, mat.NoTrans, 1, p.v, own, 1, x)
	}
}

// mulTrans sets X = F'X.
func (p *blockPrior) mulTrans(x *mat.Dense) {
	weights, parameters := p.parts(x)
	var own *mat.Dense
	if p.v != nil {
		own = mat.NewDense(parameters.Rows(), x.Cols(), nil)
		mat.Gemm(mat.Trans, mat.NoTrans, 1, p.v, x, 0, own)
	}
	p.chol.SolveLower(firstBlock(weights, p.chol.L().Size()), weights)
	weights.Scale(p.tau)
	if own != nil {
		parameters.CopyFrom(own)
	}
}

// firstBlock is the first block of rows that are not all zero.
func firstBlock(x *mat.Dense, size int) int {
	for i := range x.Rows() {
		for _, v := range x.Row(i) {
			if v != 0 {
				return i / size
			}
		}
	}
	return x.Rows() / max(size, 1)
}

// findBlockParticular is findParticular and loosenParticular for a layer with patches.
func (dec *decomposition) findBlockParticular(p *blockPrior, tau float64, rows int) error {
	b := dec.sums.blocks
	p.tau = tau
	if err := p.chol.Factorize(b.weights, float64(tau*tau)); err != nil {
		return err
	}
	n, m := b.border.Dims()
	w := p.responses(b)
	rest := mat.NewDense(n+m, 1, nil) // H'(y - H m_0), with m_0 the solution without parameters
	without := mat.NewDense(n+m, 1, nil)
	p.meanTo(without.Data()[:n], dec.sums)
	mat.Axpy(-1, dec.sums.about, without.Data())
	b.mulTo(rest, without)
	for i, y := range dec.sums.left {
		rest.Set(i, 0, y-rest.At(i, 0))
	}
	vector := make([]float64, m)
	mat.Gemv(mat.Trans, 1, w, rest.Data(), 0, vector)
	paid := mat.NewSym(m, nil)
	mat.Syrk(mat.Trans, float64(tau*tau), w.Slice(0, n, 0, m), 0, paid)
	missed := dec.square(w)
	found, err := inExcess(missed, paid, vector)
	if err != nil {
		return err
	}
	found.share(rows)
	found.w = w
	dec.particular = found
	return dec.loosen(tau, func(looser float64) (*mat.Dense, error) {
		if err := p.chol.Factorize(b.weights, float64(looser*looser)); err != nil {
			return nil, err
		}
		return p.responses(b), nil
	})
}

// missingBlocks is missing for a layer with patches.
func (ph *Physics) missingBlocks(all *reduction) float64 {
	if all.yy == 0 {
		return 0
	}
	p := ph.store.slackPrior().lendBlocks()
	tau := math.Max(missingTau, ph.lowestTau())
	if p.chol.Factorize(all.blocks.weights, float64(tau*tau)) != nil {
		return 0
	}
	n := all.blocks.weights.N()
	w := make([]float64, n)
	p.solveVec(w, all.y[:n])
	return ph.missedShare(all, tau, w)
}

// decomposeBlocks is decompose for a layer with patches.
func (ph *Physics) decomposeBlocks(dec *decomposition, unit bool, tolerance float64) (*decomposition, error) {
	dec.unitOpen, dec.order = unit, ph.blocks
	if ph.basis.Parameters == 0 {
		return dec, nil
	}
	tau, p := ph.referenceTau(tolerance), ph.store.slackPrior().lendBlocks()
	err := dec.findBlockParticular(p, tau, ph.rows)
	for ; err != nil && tau < looseTau; err = dec.findBlockParticular(p, tau, ph.rows) {
		tau *= 10
	}
	return dec, err
}
