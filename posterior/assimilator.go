package posterior

import (
	"math"
	"slices"
	"time"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Assimilator conditions compiled physics on the readings of the same sensors time
// and again, all at once, at a slack per amplitude that is held. What depends on where the
// sensors stand alone is computed when they are first seen, and anew when they have
// moved; from then on it does not allocate. It is not safe for concurrent use.
//
// With B = H_s G / sigma = Z S W' the rows of the sensors times a factor G of the
// covariance under physics at amplitude 1, r the readings less the prior mean, and
// one noise level s,
//
//	w | y ~ N( m + a G W c, FF' ),   c = a S Z'r / (a^2 S^2 + s^2),
//	F = a G (I - W (1 - s / sqrt(a^2 S^2 + s^2)) W'),
//
// and the evidence of any amplitude a and noise s costs as many operations as there
// are sensors. It is integrated over three amplitudes: where it is largest and sqrt 3
// standard deviations to either side. Readings that have several noise levels, some of
// them learned, are conditioned as Physics.Assimilate does, which allocates.
type Assimilator struct {
	ph     *Physics
	held   bool
	one    bool // nodes are one: amplitude and noise are held
	placed bool // since the last readings

	prior  *prior     // at the slack that the first readings preferred
	slack  float64    // that slack; 0 where it is tau times the amplitude
	centre []float64  // prior mean of the weights
	g      *mat.Dense // n x n

	sensors  []system.Sensors // as they stood
	observed *observed
	offset   []float64  // of every reading: what the known part and the prior mean foretell
	weight   []float64  // of every reading: 1 / sigma
	z, w     *mat.Dense // readings x k, n x k
	gw       *mat.Dense // G W
	spectrum spectrum
	seen     *mat.Sym // W' R^-T R^-1 W
	nodes    [assimilatedNodes]heldNode

	r, zr, c []float64
	apart    [assimilatedNodes][]float64 // of each node, how far it is from c
	inner    *mat.Sym                    // covariance of the coordinates along W
	chol     mat.Cholesky
	turn     *mat.Dense // of the size of inner
	scaled   *mat.Dense // of the size of gw
	mean     []float64  // of q
	q        *Posterior
}

const assimilatedNodes = 3

// heldNode is one amplitude and noise with their weight.
type heldNode struct{ amplitude, noise, weight float64 }

// Assimilator returns one for the physics.
func (ph *Physics) Assimilator() *Assimilator { return &Assimilator{ph: ph} }

// Hold keeps amplitude and noise as the last readings have found them most probable, until
// Hold is called with false. The uncertainty then does not depend on the readings.
func (a *Assimilator) Hold(held bool) { a.held = held }

// Assimilate conditions the physics on readings. The posterior is the
// Assimilator's own and valid until the next call. It fails as Physics.Assimilate
// does; the posterior of the readings before is then no longer valid.
func (a *Assimilator) Assimilate(sensors []system.Sensors) (*Posterior, error) {
	begin := time.Now()
	if a.observed == nil || !a.unmoved(sensors) {
		a.observed = nil
		if err := a.place(sensors); err != nil {
			return nil, err
		}
	}
	if a.w == nil {
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
	f := &a.spectrum.all
	mat.Gemv(mat.Trans, 1, a.z, a.r, 0, a.zr)
	inside := 0.0
	for i, c := range a.zr {
		f.r2[i] = c * c
		inside += f.r2[i]
	}
	f.outside = 0
	if len(a.r) > len(a.zr) {
		f.outside = math.Max(squares(a.r)-inside, 0)
	}
	anew := !a.held || a.nodes[0].weight == 0
	if anew {
		a.integrate()
		a.one = false
	}
	if a.held && !a.one {
		for i := range a.nodes {
			a.nodes[i].amplitude, a.nodes[i].noise = a.nodes[1].amplitude, a.nodes[1].noise
		}
		a.one, anew = true, true
	}
	a.setMoments()
	if anew || a.placed {
		if err := a.setFactor(); err != nil {
			return nil, err
		}
	}
	copy(a.mean, a.centre)
	mat.Gemv(mat.NoTrans, 1, a.gw, a.c, 1, a.mean)
	if a.placed {
		a.q.warn(a.ph.problem, a.ph.sizes.parameter)
		a.placed = false
	}
	a.q.summary.Fit = time.Since(begin)
	return a.q, nil
}

// integrate finds where the evidence is largest, and how wide it is there. Where equations
// have a tolerance of their own the slack per amplitude that is held says what the
// amplitude is.
func (a *Assimilator) integrate() {
	learned, tied := len(a.observed.learned) > 0, a.ph.demanded.fixed != nil
	n, unit := float64(a.observed.readings), 1.0
	if learned {
		unit = a.observed.groups[a.observed.learned[0]].size
	}
	if tied && !learned {
		amplitude := 1 / a.prior.tau
		for i := range a.nodes {
			a.nodes[i] = heldNode{amplitude, 1, heldWeights[i]}
		}
		a.q.summary.Evidence = a.spectrum.known(amplitude * amplitude)
		return
	}
	// At log a or, where the noise is learned, log a/s, with the noise that suits it best.
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
	const flattest = 0.25 // no wider than two e-folds
	reach := math.Sqrt(3 / math.Max(curvature, flattest))
	for i := range a.nodes {
		t := x + float64(float64(i-1)*reach)
		s := noise(t)
		a.nodes[i] = heldNode{mat.Exp(t) * s, s, heldWeights[i]}
	}
	a.q.summary.Evidence = top
}

// heldWeights are those of a Gaussian's sigma points.
var heldWeights = [assimilatedNodes]float64{1.0 / 6, 2.0 / 3, 1.0 / 6}

const (
	// amplitudeGrid is how many amplitudes are tried before the best is refined by
	// golden sections: the evidence may have more than one maximum.
	amplitudeGrid     = 24
	amplitudeSections = 15
)

// maximum returns the place and value of the largest maximum of f in [a, b]:
// the best of n+1 equidistant places, refined by so many golden sections
// between its neighbours.
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

// golden narrows a maximum in [a, b] down by golden sections.
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

// place prepares what depends on where the sensors stand, and on their noise.
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
	a.observed, a.w, a.placed = rows, nil, true
	for i := range rd.groups {
		if rd.groups[i].extra > 0 {
			return nil // more readings than unknowns: rows of their own no longer
		}
	}
	if u := (&underPhysics{observed: rows}); len(rows.learned) > 1 || len(rows.learned) == 1 && !u.alone() {
		return nil
	}
	h := rows.pt.Transpose()
	n, count := len(a.centre), len(rows.y)
	a.offset, a.weight = make([]float64, count), make([]float64, count)
	mat.Gemv(mat.NoTrans, 1, h, a.centre, 0, a.offset)
	k := 0
	for i := range sensors {
		for j, y := range sensors[i].Values {
			a.weight[k] = 1
			if sigma := sensors[i].Sigma; len(sigma) > 0 {
				a.weight[k] = 1 / sigma[min(j, len(sigma)-1)]
			}
			a.offset[k] += float64(a.weight[k]*y) - rows.y[k] // the known part
			k++
		}
	}
	for ; k < count; k++ { // priors of parameters
		a.offset[k] -= rows.y[k]
	}
	bt := mat.NewDense(n, count, nil)
	mat.Gemm(mat.Trans, mat.Trans, 1, a.g, h, 0, bt)
	var svd mat.SVD
	if err := svd.Factorize(bt, true); err != nil {
		return err
	}
	a.w, a.z = svd.U(), svd.V()
	m := a.w.Cols()
	a.gw, a.scaled = mat.NewDense(n, m, nil), mat.NewDense(n, m, nil)
	mat.Gemm(mat.NoTrans, mat.NoTrans, 1, a.g, a.w, 0, a.gw)
	a.spectrum = spectrum{constant: -float64(0.5*float64(float64(rows.readings)*log2Pi)) - rows.logSigma}
	a.spectrum.all = eigenvalues{k: make([]float64, m), r2: make([]float64, m)}
	for i, v := range svd.Values() {
		a.spectrum.all.k[i] = v * v
	}
	if m := count - rows.data; m > 0 { // conditioned upon, but no data
		x, k, r := bt.Slice(0, n, rows.data, count), mat.NewSym(m, nil), make([]float64, m)
		mat.Syrk(mat.Trans, 1, x, 0, k)
		mat.Axpy(-1, a.offset[rows.data:], r)
		if err := (&underPhysics{observed: rows}).decompose(&a.spectrum.prior, k, x, r); err != nil {
			return err
		}
	}
	spread := a.w.Clone()
	a.prior.leave(spread)
	a.seen, a.inner, a.turn = mat.NewSym(m, nil), mat.NewSym(m, nil), mat.NewDense(m, m, nil)
	mat.Syrk(mat.Trans, 1, spread, 0, a.seen)
	a.r, a.zr, a.c = make([]float64, count), make([]float64, m), make([]float64, m)
	for j := range a.apart {
		a.apart[j] = make([]float64, m)
	}
	if !a.held {
		a.nodes = [assimilatedNodes]heldNode{}
	}
	a.mean = make([]float64, n)
	a.q = newPosterior(ph.problem, []component{{weight: 1, basis: ph.basis, mean: a.mean, factor: mat.NewDense(n, n, nil)}}, ph.summary(nil, rd, math.NaN()))
	return nil
}

// choosePrior settles the slack per amplitude and the prior under physics once and
// for all: at the state that the first readings find most probable.
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
	a.prior, a.slack = new(prior), best.slack
	if err := a.prior.set(best.shape, best.tau); err != nil {
		return err
	}
	n := len(a.ph.scale)
	identity := mat.NewDense(n, n, nil)
	for i := range n {
		identity.Set(i, i, 1)
	}
	a.prior.leave(identity)
	a.centre, a.g = a.ph.toWeights(best.shape, a.prior.mean, identity)
	return nil
}

// remember copies all of sensors but their values.
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

// setMoments makes what the nodes together say of the coordinates along W: their mean, and
// how far each node's is from it.
func (a *Assimilator) setMoments() {
	for i, k := range a.spectrum.all.k {
		root, mean := math.Sqrt(k), 0.0
		for j, n := range a.nodes {
			total := float64(float64(n.amplitude*n.amplitude)*k) + float64(n.noise*n.noise)
			a.apart[j][i] = float64(float64(n.amplitude*n.amplitude)*root) * a.zr[i] / total
			mean += float64(n.weight * a.apart[j][i])
		}
		for j := range a.nodes {
			a.apart[j][i] -= mean
		}
		a.c[i] = mean
	}
}

// setFactor makes the covariance factor, and what the summary says of it.
func (a *Assimilator) setFactor() error {
	square, logA, logNoise := 0.0, 0.0, 0.0
	for _, n := range a.nodes {
		square += float64(n.weight * float64(n.amplitude*n.amplitude))
		logA += float64(n.weight * mat.Log(n.amplitude))
		logNoise += float64(n.weight * mat.Log(n.noise))
	}
	for i, k := range a.spectrum.all.k {
		for l := range i + 1 {
			v := 0.0
			for j, n := range a.nodes {
				v += float64(n.weight * float64(a.apart[j][i]*a.apart[j][l]))
			}
			a.inner.Set(i, l, v)
		}
		v := a.inner.At(i, i)
		for _, n := range a.nodes {
			total := float64(float64(n.amplitude*n.amplitude)*k) + float64(n.noise*n.noise)
			v += float64(n.weight * float64(float64(n.amplitude*n.amplitude)*(float64(n.noise*n.noise)/total)))
		}
		a.inner.Set(i, i, v)
	}
	if err := a.chol.Factorize(a.inner); err != nil {
		return err
	}
	amplitude := math.Sqrt(square)
	trace := 0.0
	for i := range a.c {
		for l := range a.c {
			v, own := a.inner.At(max(i, l), min(i, l)), 0.0
			if i == l {
				own = 1
			}
			trace += float64(a.seen.At(max(i, l), min(i, l)) * (own - v/square))
			a.turn.Set(i, l, 0)
			if l <= i {
				a.turn.Set(i, l, a.chol.L().At(i, l)-float64(own*amplitude))
			}
		}
	}
	factor := a.q.components[0].factor
	mat.Gemm(mat.NoTrans, mat.NoTrans, 1, a.gw, a.turn, 0, a.scaled)
	factor.CopyFrom(a.g)
	mat.Gemm(mat.NoTrans, mat.Trans, 1, a.scaled, a.w, amplitude, factor)
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

// unmoved tells whether sensors are those of the last call but for their values.
func (a *Assimilator) unmoved(sensors []system.Sensors) bool {
	return slices.EqualFunc(sensors, a.sensors, func(s, t system.Sensors) bool {
		return s.Name == t.Name && len(s.Values) == len(t.Values) && slices.Equal(s.Sigma, t.Sigma) && samePoints(s.Points, t.Points) && sameFunctional(&s.Measures, &t.Measures)
	})
}

func samePoints(a, b *mat.Dense) bool {
	if a.Rows() != b.Rows() || a.Cols() != b.Cols() {
		return false
	}
	for i := range a.Rows() {
		if !slices.Equal(a.Row(i), b.Row(i)) {
			return false
		}
	}
	return true
}

// sameFunctional does not look into functions: two that are not constant count as
// different, unless the functional is without them.
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
