package posterior

import (
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/mat/asm"
	"github.com/bpielm/bpielm/system"
)

// The range of relative tolerances that the evidence may choose from, in how
// many steps it is first looked at, and how many golden sections refine it: to
// about a fifth, since the evidence is flat in it.
const (
	tightestTolerance = 1e-6
	loosestTolerance  = 1e-1
	toleranceSteps    = 5
	toleranceSections = 7
	// strictness is the prior of a tolerance that is left open, density
	// tau^-strictness in log tau: the equations are meant, so readings have to
	// earn every loosening. Without it a few readings, which hardly prefer any
	// tolerance, would let the physics go.
	strictness = 0.75
)

// choice is a state of all hyper-parameters and what speaks for it.
type choice struct {
	score     float64 // evidence of readings and source, and priors of amplitude and tolerance
	tolerance float64
	hyper     hyper
	shape     *shape
	tau       float64 // by which shape is to be divided
	scored    *scored
}

// choose maximises the evidence over tolerance, amplitude and noise.
func (ph *Physics) choose(r *readings) (*choice, error) {
	c, err := ph.survey(r)
	if err != nil {
		return nil, err
	}
	return ph.refine(c, r), nil
}

// survey does so among tolerances one toleranceStep apart.
func (ph *Physics) survey(r *readings) (best *choice, err error) {
	var tolerances []float64
	switch {
	case ph.demanded.open == nil: // every block has its own
		tolerances = []float64{1}
	case ph.config.Tolerance > 0:
		tolerances = []float64{ph.config.Tolerance}
	default:
		for i := range toleranceSteps + 1 {
			tolerances = append(tolerances, mat.Exp(mat.Log(tightestTolerance)+float64(float64(i)*toleranceStep())))
		}
	}
	var shared *scored
	for _, tolerance := range tolerances {
		c, failure := ph.score(r, tolerance, &shared)
		switch {
		case failure != nil:
			err = failure
		case best == nil || c.score > best.score:
			best = c
		}
	}
	if best == nil {
		return nil, err
	}
	return best, nil
}

// refine moves a choice of survey to the maximum within a step of it.
func (ph *Physics) refine(c *choice, r *readings) *choice {
	if ph.demanded.open == nil || ph.config.Tolerance > 0 {
		return c
	}
	best, shared := c, c.scored
	at := func(logTolerance float64) float64 {
		c, err := ph.score(r, mat.Exp(logTolerance), &shared)
		if err != nil {
			return math.Inf(-1)
		}
		if c.score > best.score {
			best = c
		}
		return c.score
	}
	here := mat.Log(c.tolerance)
	golden(at, math.Max(here-toleranceStep(), mat.Log(tightestTolerance)), math.Min(here+toleranceStep(), mat.Log(loosestTolerance)), toleranceSections)
	return best
}

// toleranceStep is the distance of the tolerances that are tried first, in log tau.
func toleranceStep() float64 { return mat.Log(loosestTolerance/tightestTolerance) / toleranceSteps }

// score maximises the evidence over amplitude and noise at one tolerance.
// shared keeps the readings' rows while the decomposition is the same.
func (ph *Physics) score(r *readings, tolerance float64, shared **scored) (*choice, error) {
	sh, tau, err := ph.at(tolerance)
	if err != nil {
		return nil, err
	}
	if *shared == nil || ph.shape == nil {
		*shared = newScored(r, ph.scale, sh.right, ph.store)
	}
	c := &choice{tolerance: tolerance, shape: sh, tau: tau, scored: *shared}
	p := sh.prior(tau)
	p.source = ph.sourceAt(sh, p, tolerance)
	if c.hyper, err = c.scored.evidence(p); err != nil {
		return nil, err
	}
	c.score = c.hyper.logEvidence + c.hyper.logPrior + p.source.logEvidence
	if ph.demanded.open != nil {
		c.score -= float64(strictness * mat.Log(tolerance))
	}
	if math.IsNaN(c.score) {
		return nil, dataError("evidence", "it is not a number at tolerance %g", tolerance)
	}
	return c, nil
}

// Assimilate conditions the physics on readings: groups of sensors of the
// problem that was compiled, or others in the same variables, fields and
// parameters. Amplitude, noise where Sigma is nil, and the tolerance where it
// was left open are chosen by the evidence. It fails with a *DataError,
// *mat.NotConvergedError or *mat.NotPositiveDefiniteError.
func (ph *Physics) Assimilate(sensors []system.Sensors) (*Posterior, error) {
	return ph.assimilate(sensors, 0)
}

// assimilate does so at a tolerance; 0 leaves it to Compile or the evidence.
func (ph *Physics) assimilate(sensors []system.Sensors, tolerance float64) (*Posterior, error) {
	begin := time.Now()
	r, err := ph.read(sensors)
	if err != nil {
		return nil, err
	}
	var c *choice
	if tolerance > 0 {
		var shared *scored
		c, err = ph.score(r, tolerance, &shared)
	} else {
		c, err = ph.choose(r)
	}
	if err != nil {
		return nil, err
	}
	q, err := ph.condition(c, r)
	if err != nil {
		return nil, err
	}
	ph.warn(q, c.hyper.amplitude)
	q.summary.Fit = time.Since(begin)
	return q, nil
}

// read checks readings against the problem that was compiled and makes their rows.
func (ph *Physics) read(sensors []system.Sensors) (*readings, error) {
	if err := ph.validate(sensors); err != nil {
		return nil, err
	}
	return newReadings(nil, ph.basis, sensors, ph.problem)
}

// validate checks readings against the problem that was compiled.
func (ph *Physics) validate(sensors []system.Sensors) error {
	p := *ph.problem
	p.Sensors = sensors
	return p.Validate()
}

// condition is the Gaussian update of the prior under physics by the readings:
// with w = m + F v, v ~ N(0, I), rows B = H_s F / sigma = L W' (W with
// orthonormal columns) and T'T = I + L'L,
//
//	v | y ~ N( W x, I - W W' + W T^-1 T^-T W' ),   x = argmin |L x - r|^2 + |x|^2.
//
// Everything is a square root: no variance is a difference of two large ones.
func (ph *Physics) condition(c *choice, rd *readings) (*Posterior, error) {
	p := c.shape.prior(c.tau)
	bt := c.scored.pt.Clone()
	r := append([]float64(nil), c.scored.y...)
	mat.Gemv(mat.Trans, -1, c.scored.pt, p.mean, 1, r)
	p.spread(bt)
	weight := make([]float64, len(r))
	for i := range r {
		w := 1 / c.hyper.noise[c.scored.group[i]]
		r[i] *= w
		weight[i] = c.hyper.amplitude * w
	}
	scaleColumns(bt, weight)
	u := newUpdate(bt, r)

	q := newPosterior(ph.basis, ph.problem)
	q.factor = ph.moments(c, p, q.mean)
	mat.Gemv(mat.NoTrans, 1, q.factor, u.mean(), 1, q.mean)
	u.conditionFactor(q.factor)
	q.summary = ph.summary(c, rd)
	q.summary.EffectiveParameters = u.effectiveParameters(p)
	return q, nil
}

// moments sets mean to the mean of the weights under physics and returns the
// factor F = a tau D^1/2 V R^-1 of their covariance FF'.
func (ph *Physics) moments(c *choice, p *prior, mean []float64) (factor *mat.Dense) {
	mat.Gemv(mat.Trans, 1, c.shape.vt(), p.mean, 0, mean)
	ft := c.shape.vt().Clone()
	p.ridge.SolveTrans(ft)
	factor = ft.Transpose()
	for i := range mean {
		mean[i] *= ph.scale[i]
		scaleVector(c.hyper.amplitude*c.tau*ph.scale[i], factor.Row(i))
	}
	return factor
}

// summary says what was chosen, and how.
func (ph *Physics) summary(c *choice, rd *readings) Summary {
	n := len(ph.scale)
	s := Summary{
		Method: BPIELM, Path: ph.path, Kernel: asm.Active().Name(), Threads: runtime.GOMAXPROCS(0),
		Neurons: ph.basis.Layer.Neurons(), Activation: ph.basis.Layer.Activation(), Ensemble: 1, Rows: ph.rows + rd.count, Columns: n, Readings: rd.count,
		Scale: ph.basis.Layer.Scale(), Amplitude: c.hyper.amplitude, Tolerance: c.tolerance,
		Evidence: c.hyper.logEvidence,
	}
	if ph.demanded.open == nil {
		s.Tolerance = math.NaN()
	}
	for i := range rd.groups {
		g := &rd.groups[i]
		if g.prior {
			continue
		}
		e := NoiseEstimate{Name: g.name, Sigma: g.rms, Learned: g.learned, readings: len(g.y) + g.extra}
		if g.learned {
			e.Sigma = c.hyper.noise[i]
		}
		s.Noise = append(s.Noise, e)
	}
	return s
}

const (
	// uninformed is the ratio of posterior to prior standard deviation above
	// which a parameter is reported as not determined by the data.
	uninformed = 0.5
	// inseparable is the correlation above which two parameters are reported
	// as not told apart by the data.
	inseparable = 0.999
)

// warn names parameters that the data do not determine.
func (ph *Physics) warn(q *Posterior, amplitude float64) {
	estimates := q.Parameters()
	for i, e := range estimates {
		prior := ph.problem.Parameters[i].SD
		if prior == 0 {
			prior = amplitude * ph.scale[ph.basis.ParameterColumn(i)]
		}
		if e.SD > uninformed*prior {
			q.summary.Warnings = append(q.summary.Warnings, fmt.Sprintf("the data hardly determine %s: its posterior sd %.3g is close to its prior sd %.3g", e.Name, e.SD, prior))
		}
	}
	correlation := q.ParameterCorrelation()
	for i := range estimates {
		for j := range i {
			if math.Abs(correlation.At(i, j)) > inseparable {
				q.summary.Warnings = append(q.summary.Warnings, fmt.Sprintf("the data can hardly tell %s and %s apart: their correlation is %.5f", estimates[j].Name, estimates[i].Name, correlation.At(i, j)))
			}
		}
	}
}

// update is the conditioning of v ~ N(0, I) on rows b v = r with unit noise.
type update struct {
	w *mat.Dense // n x k, orthonormal columns
	t *mat.Dense // k x k upper triangle
	x []float64  // k
}

// newUpdate takes the rows as the columns of bt.
func newUpdate(bt *mat.Dense, r []float64) *update {
	n, rows := bt.Dims()
	k := min(rows, n)
	u := &update{x: make([]float64, k)}
	// B' = W R, so L = R'.
	var qr mat.QR
	qr.Factorize(bt)
	u.w = mat.NewDense(n, k, nil)
	for i := range k {
		u.w.Set(i, i, 1)
	}
	qr.MulQ(mat.NoTrans, u.w)
	// [L; I] = Q T, and T x = the first k entries of Q'[r; 0].
	stacked := mat.NewDense(rows+k, k, nil)
	stacked.Slice(0, rows, 0, k).CopyFrom(qr.R().Transpose())
	for i := range k {
		stacked.Set(rows+i, i, 1)
	}
	var square mat.QR
	square.Factorize(stacked)
	u.t = square.R()
	rhs := mat.NewDense(rows+k, 1, nil)
	for i, v := range r {
		rhs.Set(i, 0, v)
	}
	square.MulQ(mat.Trans, rhs)
	for i := range k {
		u.x[i] = rhs.At(i, 0)
	}
	mat.Trsv(mat.NoTrans, u.t.Tri(mat.Upper), u.x)
	return u
}

// mean returns the conditional mean of v.
func (u *update) mean() []float64 {
	v := make([]float64, u.w.Rows())
	mat.Gemv(mat.NoTrans, 1, u.w, u.x, 0, v)
	return v
}

// conditionFactor replaces f by f (I - W W' + W T^-1 W'), a square root of the
// conditional covariance of f v.
func (u *update) conditionFactor(f *mat.Dense) {
	n, k := f.Rows(), u.w.Cols()
	fw := mat.NewDense(n, k, nil)
	mat.Gemm(mat.NoTrans, mat.NoTrans, 1, f, u.w, 0, fw)
	shrunk := fw.Clone()
	mat.Trsm(mat.Right, mat.NoTrans, 1, u.t.Tri(mat.Upper), shrunk)
	for i := range n {
		mat.Axpy(-1, shrunk.Row(i), fw.Row(i))
	}
	mat.Gemm(mat.NoTrans, mat.Trans, -1, fw, u.w, 1, f)
}

// effectiveParameters returns gamma = n - trace(prior precision * posterior
// covariance), MacKay's count of the parameters that rows have determined. With
// G = tau R^-1 the covariance under physics is GG', and the trace is
//
//	|G|^2 - |G W|^2 + |G W T^-1|^2   (Frobenius norms).
func (u *update) effectiveParameters(p *prior) float64 {
	gw := u.w.Clone()
	p.ridge.Solve(gw)
	before := squares(gw.Data())
	mat.Trsm(mat.Right, mat.NoTrans, 1, u.t.Tri(mat.Upper), gw)
	trace := p.ridge.InverseSquare() - before + squares(gw.Data())
	return float64(len(p.mean)) - float64(float64(p.tau*p.tau)*trace)
}
