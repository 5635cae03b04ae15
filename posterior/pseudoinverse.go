package posterior

import (
	"math"
	"runtime"
	"time"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/mat/asm"
	"github.com/bpielm/bpielm/system"
)

// pseudoInverseCut is the singular value, relative to the largest, below which the pseudo-inverse
// drops a direction: numpy's default for pinv.
const pseudoInverseCut = 1e-15

// fitPseudoInverse is the paper's PIELM (eq_PIELM_inver) for forward and inverse problems: the
// minimum-norm least squares solution of all rows, by QR and the singular values of R. It has no
// uncertainty.
func fitPseudoInverse(p *system.Problem, basis system.Basis) (*Posterior, error) {
	store := borrowStorage()
	defer store.giveBack()
	s, err := stack(p, basis, SquareRoot, store)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	var svd mat.SVD
	if err := svd.Factorize(s.reduced.r, true); err != nil {
		return nil, err
	}
	mean := make([]float64, basis.Columns())
	solution := mat.NewDense(len(mean), 1, nil)
	rank := svd.SolveTo(solution, mat.NewDense(len(mean), 1, s.reduced.y), pseudoInverseCut)
	for i := range mean {
		mean[i] = solution.At(i, 0)
	}
	return newPosterior(p, []component{{weight: 1, basis: basis, mean: mean}}, Summary{
		Method: PseudoInverse, Path: SquareRoot, Kernel: asm.Active().Name(), Threads: runtime.GOMAXPROCS(0),
		Neurons: basis.Layer.Neurons(), Activation: basis.Layer.Activation(), Ensemble: 1, Rows: s.rows, Columns: len(mean), Readings: s.readings,
		Scale: basis.Layer.Scale(), Amplitude: math.NaN(), Tolerance: math.NaN(),
		Evidence: math.NaN(), EffectiveParameters: float64(rank),
		Assemble: s.assemble, Fit: time.Since(begin),
	}), nil
}
