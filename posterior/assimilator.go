package posterior

import (
	"math"
	"slices"
	"time"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior/internal/gauss"
	"github.com/bpielm/bpielm/system"
)

// Assimilator conditions Physics on new readings of the same sensors again and again, all at once,
// at a fixed slack per amplitude. What depends only on the sensors' positions is computed when they
// are first seen, and again when they have moved; in between it does not allocate. It is not safe
// for concurrent use.
//
// With G a square root of the covariance under the physics at amplitude 1, B = H_s G / sigma the
// rows of the sensors times G, and one noise level s, gauss.SVD gives the posterior at any amplitude
// a, and the evidence costs as many operations as there are sensors. The posterior is averaged over
// three amplitudes: the most probable one, and sqrt 3 standard deviations to either side. Readings
// that have several noise levels, some of them learned, are conditioned as Physics.Assimilate does,
// which allocates.
type Assimilator struct {
	ph     *Physics
	held   bool
	one    bool // the nodes are equal: amplitude and noise are held
	placed bool // the sensors have moved since the last readings

	prior  *slackPrior // at the most probable slack of the first readings
	slack  float64     // that slack; 0: tau times the amplitude
	centre []float64   // prior mean of the weights
	g      *mat.Dense  // n x n

	sensors  []system.Sensors // as last seen
	observed *observed
	offset   []float64  // of every reading: the known part and the prior mean
	weight   []float64  // of every reading: 1 / sigma
	svd      *gauss.SVD // of B; nil where readings have several noise levels
	gw       *mat.Dense // G W
	spectrum spectrum
	seen     *mat.Sym // W' R^-T R^-1 W
	nodes    [assimilatedNodes]gauss.State

	r      []float64  // residuals of the readings, in units of sigma
	turn   *mat.Dense // k x k
	scaled *mat.Dense // of the size of gw
	mean   []float64  // of q
	q      *Posterior
}

const assimilatedNodes = 3

// Assimilator returns an Assimilator for the physics.
func (ph *Physics) Assimilator() *Assimilator { return &Assimilator{ph: ph} }

// Hold keeps amplitude and noise at the most probable values of the last readings, until it is
// called with false. The uncertainty then does not depend on the readings.
func (a *Assimilator) Hold(held bool) { a.held = held }

// Assimilate conditions the physics on readings. The posterior belongs to the Assimilator and is
// valid until the next call. It fails as Physics.Assimilate does; the previous posterior is then no
// longer valid.
func (a *Assimilator) Assimilate(sensors []system.Sensors) (*Posterior, error) {
	if a.ph.blocks != nil {
		return nil, errNoDevice
	}
	begin := time.Now()
	if a.observed == nil || !a.unmoved(sensors) {
		a.observed = nil
		if err := a.place(sensors); err != nil {
			return nil, err
		}
	}
	if a.svd == nil {
		return a.ph.Assimilate(sensors)
	}
	k := 0
	for i := range sensors {
		for _, y := range sensors[i].Values {
			if !finite(y) {
				return nil, dataError(sensorsName(&sensors[i], i), "a reading is %g", y)
			}
			a.r[k] = mat.FMA(y, a.weight[k], -a.offset[k])
			k++
		}
	}
	for ; k < len(a.r); k++ { // priors of parameters
		a.r[k] = -a.offset[k]
	}
	a.spectrum.all.outside = a.svd.Project(a.r, a.spectrum.all.along)
	anew := !a.held || a.nodes[0].Share == 0
	if anew {
		a.integrate()
		a.one = false
	}
	if a.held && !a.one {
		for i := range a.nodes {
			a.nodes[i].Amplitude, a.nodes[i].Noise = a.nodes[1].Amplitude, a.nodes[1].Noise
		}
		a.one, anew = true, true
	}
	along := a.svd.Mean(a.nodes[:])
	if anew || a.placed {
		if err := a.setFactor(); err != nil {
			return nil, err
		}
	}
	copy(a.mean, a.centre)
	mat.Gemv(mat.NoTrans, 1, a.gw, along, 1, a.mean)
	if a.placed {
		a.q.warn(a.ph.problem, a.ph.sizes.parameter)
		a.placed = false
	}
	a.q.summary.Fit = time.Since(begin)
	return a.q, nil
}

// integrate finds the maximum of the evidence, and its width there. Where equations have a tolerance
// of their own, the fixed slack per amplitude determines the amplitude.
func (a *Assimilator) integrate() {
	learned, tied := len(a.observed.learned) > 0, a.ph.demanded.fixed != nil
	n, unit := float64(a.observed.readings), 1.0
	if learned {
		unit = a.observed.groups[a.observed.learned[0]].size
	}
	if tied && !learned {
		amplitude := 1 / a.prior.tau
		for i := range a.nodes {
			a.nodes[i] = gauss.State{Share: heldWeights[i], Amplitude: amplitude, Noise: 1}
		}
		a.q.summary.Evidence = a.spectrum.known(amplitude * amplitude)
		return
	}
	// The variable is log a or, where the noise is learned, log a/s with the best s.
	noise := func(x float64) float64 {
		switch {
		case !learned:
			return 1
		case tied:
			return math.Max(mat.Exp(-x)/a.prior.tau, smallestNoise*unit)
		}
		q, _ := a.spectrum.all.quadraticAndLogDet(mat.Exp(2 * x))
		return math.Max(math.Sqrt(q/n), smallestNoise*unit)
	}
	prior := func(logA float64) float64 {
		if tied {
			return 0
		}
		return logAmplitudePrior(logA) + logSlackPrior(float64(a.prior.tau*mat.Exp(logA)))
	}
	score := func(x float64) float64 {
		if !learned {
			return a.spectrum.known(mat.Exp(2*x)) + prior(x)
		}
		q, det := a.spectrum.all.quadraticAndLogDet(mat.Exp(2 * x))
		s := noise(x)
		return a.spectrum.constant - float64(0.5*(q/float64(s*s)+det)) - float64(n*mat.Log(s)) + logNoisePrior(s/unit) + prior(x+mat.Log(s))
	}
	low, high := lowestLogA, highestLogA
	if learned { // in units of the readings
		low, high = low-mat.Log(unit), high-mat.Log(unit)+smallNoise
	}
	x, top := maximum(score, low, high, amplitudeGrid, amplitudeSections)
	const h = 0.1
	curvature := (float64(2*top) - score(x+h) - score(x-h)) / (h * h)
	const flattest = 0.25 // at most two e-folds wide
	reach := math.Sqrt(3 / math.Max(curvature, flattest))
	for i := range a.nodes {
		t := x + float64(float64(i-1)*reach)
		s := noise(t)
		a.nodes[i] = gauss.State{Share: heldWeights[i], Amplitude: mat.Exp(t) * s, Noise: s}
	}
	a.q.summary.Evidence = top
}

// heldWeights are the weights of a Gaussian's sigma points.
var heldWeights = [assimilatedNodes]float64{1.0 / 6, 2.0 / 3, 1.0 / 6}

const (
	// amplitudeGrid is how many amplitudes are tried before the best is refined by golden section:
	// the evidence may have more than one maximum.
	amplitudeGrid     = 24
	amplitudeSections = 15
)

// maximum returns the position and value of the largest maximum of f in [a, b]: the best of n+1
// equidistant points, refined between its neighbours by golden section.
func maximum(f func(float64) float64, a, b float64, n, sections int) (x, fx float64) {
	step := (b - a) / float64(n)
	best := 0
	fx = math.Inf(-1)
	for i := range n + 1 {
		if v := f(a + float64(float64(i)*step)); v > fx {
			best, fx = i, v
		}
	}
	x = a + float64(float64(best)*step)
	y, fy := golden(f, math.Max(a, x-step), math.Min(b, x+step), sections)
	if fy > fx {
		return y, fy
	}
	return x, fx
}

// golden refines a maximum in [a, b] by golden section.
func golden(f func(float64) float64, a, b float64, sections int) (x, fx float64) {
	const ratio = 0.6180339887498949
	c, d := b-float64(ratio*(b-a)), a+float64(ratio*(b-a))
	fc, fd := f(c), f(d)
	for range sections {
		if fc >= fd {
			b, d, fd = d, c, fc
			c = b - float64(ratio*(b-a))
			fc = f(c)
		} else {
			a, c, fc = c, d, fd
			d = a + float64(ratio*(b-a))
			fd = f(d)
		}
	}
	if fc >= fd {
		return c, fc
	}
	return d, fd
}

// place prepares what depends on the sensors' positions and noise.
func (a *Assimilator) place(sensors []system.Sensors) error {
	ph := a.ph
	rd, err := ph.read(sensors)
	if err != nil {
		return err
	}
	if err := a.choosePrior(rd); err != nil {
		return err
	}
	a.sensors = remember(sensors)
	rows := newObserved(rd, len(a.centre), nil, nil)
	a.observed, a.svd, a.placed = rows, nil, true
	for i := range rd.groups {
		if rd.groups[i].extra > 0 {
			return nil // more readings than unknowns: rows are compressed
		}
	}
	if u := (&underPhysics{observed: rows}); len(rows.learned) > 1 || len(rows.learned) == 1 && !u.alone() {
		return nil
	}
	h := rows.pt.Transpose()
	a.setOffsets(h, sensors)
	if err := a.decompose(h); err != nil {
		return err
	}
	n := len(a.centre)
	a.mean = make([]float64, n)
	a.q = newPosterior(ph.problem, []component{{weight: 1, basis: ph.basis, mean: a.mean, factor: mat.NewDense(n, n, nil)}}, ph.summary(nil, rd, math.NaN()))
	return nil
}

// setOffsets sets what turns values into residuals. h is the rows of the weights.
func (a *Assimilator) setOffsets(h *mat.Dense, sensors []system.Sensors) {
	y := a.observed.y
	a.offset, a.weight, a.r = make([]float64, len(y)), make([]float64, len(y)), make([]float64, len(y))
	mat.Gemv(mat.NoTrans, 1, h, a.centre, 0, a.offset)
	k := 0
	for i := range sensors {
		s := &sensors[i]
		for j, value := range s.Values {
			a.weight[k] = 1
			if len(s.Sigma) > 0 {
				a.weight[k] = 1 / s.Sigma[min(j, len(s.Sigma)-1)]
			}
			a.offset[k] += float64(a.weight[k]*value) - y[k] // the known part
			k++
		}
	}
	for ; k < len(y); k++ { // priors of parameters
		a.offset[k] -= y[k]
	}
}

// decompose computes the singular values of the rows, and everything else that depends only on them.
func (a *Assimilator) decompose(h *mat.Dense) error {
	rows, n := a.observed, len(a.centre)
	count := len(rows.y)
	bt := mat.NewDense(n, count, nil)
	mat.Gemm(mat.Trans, mat.Trans, 1, a.g, h, 0, bt)
	svd, err := gauss.NewSVD(bt, assimilatedNodes)
	if err != nil {
		return err
	}
	m := svd.W.Cols()
	a.gw, a.scaled, a.turn = mat.NewDense(n, m, nil), mat.NewDense(n, m, nil), mat.NewDense(m, m, nil)
	mat.Gemm(mat.NoTrans, mat.NoTrans, 1, a.g, svd.W, 0, a.gw)
	a.spectrum = spectrum{constant: -float64(0.5*float64(float64(rows.readings)*log2Pi)) - rows.logSigma}
	a.spectrum.all = resolvent{diagonal: svd.Squares, along: make([]float64, m)}
	if m := count - rows.data; m > 0 { // conditioned on, but not data
		x, k, r := bt.Slice(0, n, rows.data, count), mat.NewSym(m, nil), make([]float64, m)
		mat.Syrk(mat.Trans, 1, x, 0, k)
		mat.Axpy(-1, a.offset[rows.data:], r)
		if err := (&underPhysics{observed: rows}).decompose(&a.spectrum.prior, k, x, r); err != nil {
			return err
		}
	}
	spread := svd.W.Clone()
	a.prior.mul(spread)
	a.seen = mat.NewSym(m, nil)
	mat.Syrk(mat.Trans, 1, spread, 0, a.seen)
	if !a.held {
		a.nodes = [assimilatedNodes]gauss.State{}
	}
	a.svd = svd
	return nil
}

// choosePrior fixes the slack per amplitude, and with it the prior, at the most probable state of
// the first readings.
func (a *Assimilator) choosePrior(rd *readings) error {
	if a.prior != nil {
		return nil
	}
	states, _, err := a.ph.survey(rd)
	if err != nil {
		return err
	}
	best := &states[0]
	for i := range states {
		if states[i].logWeight > best.logWeight {
			best = &states[i]
		}
	}
	a.prior, a.slack = new(slackPrior), best.slack
	if err := a.prior.set(best.decomposition, best.tau); err != nil {
		return err
	}
	n := len(a.ph.scale)
	identity := mat.NewDense(n, n, nil)
	for i := range n {
		identity.Set(i, i, 1)
	}
	a.prior.mul(identity)
	a.centre, a.g = a.ph.toWeights(best.decomposition, a.prior.mean, identity)
	return nil
}

// remember copies everything of sensors except their values.
func remember(sensors []system.Sensors) []system.Sensors {
	kept := slices.Clone(sensors)
	for i := range kept {
		s := &kept[i]
		s.Values, s.Sigma, s.Points = make([]float64, len(s.Values)), slices.Clone(s.Sigma), s.Points.Clone()
		s.Measures.Terms, s.Measures.Parameters = slices.Clone(s.Measures.Terms), slices.Clone(s.Measures.Parameters)
		for j := range s.Measures.Terms {
			t := &s.Measures.Terms[j]
			t.Derivative, t.Footprint = slices.Clone(t.Derivative), t.Footprint.Clone()
		}
	}
	return kept
}

// setFactor computes the covariance factor, and the figures of the summary that depend on it.
func (a *Assimilator) setFactor() error {
	covariance, chol, err := a.svd.Covariance(a.nodes[:])
	if err != nil {
		return err
	}
	square := gauss.MeanSquare(a.nodes[:])
	amplitude := math.Sqrt(square)
	l, trace := chol.L(), 0.0
	for i := range a.turn.Rows() {
		for j := range a.turn.Cols() {
			v, own := covariance.At(max(i, j), min(i, j)), 0.0
			if i == j {
				own = 1
			}
			trace += float64(a.seen.At(max(i, j), min(i, j)) * (own - v/square))
			a.turn.Set(i, j, 0)
			if j <= i {
				a.turn.Set(i, j, l.At(i, j)-float64(own*amplitude))
			}
		}
	}
	factor := a.q.components[0].factor
	mat.Gemm(mat.NoTrans, mat.NoTrans, 1, a.gw, a.turn, 0, a.scaled)
	factor.CopyFrom(a.g)
	mat.Gemm(mat.NoTrans, mat.Trans, 1, a.scaled, a.svd.W, amplitude, factor)
	logA, logNoise := 0.0, 0.0
	for i := range a.nodes {
		n := &a.nodes[i]
		logA += float64(n.Share * mat.Log(n.Amplitude))
		logNoise += float64(n.Share * mat.Log(n.Noise))
	}
	s := &a.q.summary
	s.Amplitude = mat.Exp(logA)
	if s.Tolerance = a.slack; a.slack == 0 {
		s.Tolerance = float64(a.prior.tau * s.Amplitude)
	}
	s.EffectiveParameters = math.Max(float64(len(a.mean))-(a.prior.trace()-trace), 0)
	for i := range s.Noise {
		if s.Noise[i].Learned {
			s.Noise[i].Sigma = mat.Exp(logNoise)
		}
	}
	return nil
}

// unmoved tells whether sensors are those of the last call except for their values.
func (a *Assimilator) unmoved(sensors []system.Sensors) bool {
	return slices.EqualFunc(sensors, a.sensors, func(s, t system.Sensors) bool {
		return s.Name == t.Name && len(s.Values) == len(t.Values) && slices.Equal(s.Sigma, t.Sigma) && s.Points.Equal(t.Points) && sameFunctional(&s.Measures, &t.Measures)
	})
}

// sameFunctional does not look into functions: two that are not constant count as different.
func sameFunctional(f, g *system.Functional) bool {
	return f.Known == nil && g.Known == nil &&
		slices.EqualFunc(f.Terms, g.Terms, func(s, t system.Term) bool {
			return s.Field == t.Field && slices.Equal(s.Derivative, t.Derivative) && s.Footprint.Equal(t.Footprint) && sameConstant(s.Coefficient, t.Coefficient)
		}) &&
		slices.EqualFunc(f.Parameters, g.Parameters, func(s, t system.ParameterTerm) bool {
			return s.Parameter == t.Parameter && sameConstant(s.Coefficient, t.Coefficient)
		})
}

func sameConstant(f, g system.Function) bool {
	if f == nil || g == nil {
		return f == nil && g == nil
	}
	c, ok := f.(system.Constant)
	d, okToo := g.(system.Constant)
	return ok && okToo && c == d
}
