package posterior

import (
	"math"
	"slices"
	"time"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Assimilator conditions compiled physics on the readings of the same sensors time
// and again, all at once, at a tolerance that is held. What depends on where the
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
// are sensors. Readings that have several noise levels, some of them learned, are
// conditioned as Physics.Assimilate does, which allocates.
type Assimilator struct {
	ph        *Physics
	tolerance float64 // 0 until the evidence has chosen it
	held      bool
	placed    bool // since the last readings

	prior  *prior
	centre []float64  // prior mean of the weights
	g      *mat.Dense // n x n

	sensors  []system.Sensors // as they stood
	scored   *scored
	offset   []float64  // of every reading: what the known part and the prior mean foretell
	weight   []float64  // of every reading: 1 / sigma
	z, w     *mat.Dense // readings x k, n x k
	gw       *mat.Dense // G W
	spectrum spectrum
	seen     []float64 // |R^-1 W|^2 by columns
	hyper    hyper

	r, c, shrink []float64
	scaled       *mat.Dense // of the size of gw
	q            *Posterior
}

// Assimilator returns one whose tolerance is that of Compile or, where it was left
// to the evidence, the one that the first readings choose.
func (ph *Physics) Assimilator() *Assimilator {
	return &Assimilator{ph: ph, tolerance: ph.config.Tolerance}
}

// Hold keeps amplitude and noise as the last readings have chosen them, until Hold
// is called with false.
func (a *Assimilator) Hold(held bool) { a.held = held }

// Assimilate conditions the physics on readings. The posterior is the
// Assimilator's own and valid until the next call. It fails as Physics.Assimilate
// does; the posterior of the readings before is then no longer valid.
func (a *Assimilator) Assimilate(sensors []system.Sensors) (*Posterior, error) {
	begin := time.Now()
	if a.scored == nil || !a.unmoved(sensors) {
		a.scored = nil
		if err := a.place(sensors); err != nil {
			return nil, err
		}
	}
	if a.w == nil {
		return a.ph.assimilate(sensors, a.tolerance)
	}
	k := 0
	for i := range sensors {
		for _, y := range sensors[i].Values {
			if !finite(y) {
				return nil, dataError(sensorsName(&sensors[i], i), "a reading is %g", y)
			}
			a.r[k] = math.FMA(y, a.weight[k], -a.offset[k])
			k++
		}
	}
	for ; k < len(a.r); k++ { // priors of parameters
		a.r[k] = -a.offset[k]
	}
	f := &a.spectrum
	mat.Gemv(mat.Trans, 1, a.z, a.r, 0, a.c)
	inside := 0.0
	for i, c := range a.c {
		f.r2[i] = c * c
		inside += f.r2[i]
	}
	f.outside = 0
	if len(a.r) > len(a.c) {
		f.outside = math.Max(squares(a.r)-inside, 0)
	}
	anew := !a.held || a.hyper.amplitude == 0
	if anew {
		var err error
		if a.hyper, err = a.scored.maximise(*f, a.prior.source, a.hyper.noise); err != nil {
			return nil, err
		}
	}
	if anew || a.placed {
		a.setFactor()
	}
	amplitude, noise := a.hyper.amplitude, a.hyper.noise[0]
	for i, k := range f.k {
		a.c[i] *= float64(amplitude*math.Sqrt(k)) / (float64(float64(amplitude*amplitude)*k) + float64(noise*noise))
	}
	copy(a.q.mean, a.centre)
	mat.Gemv(mat.NoTrans, amplitude, a.gw, a.c, 1, a.q.mean)
	if a.placed {
		a.ph.warn(a.q, amplitude)
		a.placed = false
	}
	a.q.summary.Fit = time.Since(begin)
	return a.q, nil
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
	s, h := collect(rd, len(a.centre), nil)
	a.scored, a.w, a.placed = s, nil, true
	for i := range rd.groups {
		if rd.groups[i].extra > 0 {
			return nil // more readings than unknowns: rows of their own no longer
		}
	}
	if !s.oneNoise() {
		return nil
	}
	n, rows := len(a.centre), len(s.y)
	a.offset, a.weight = make([]float64, rows), make([]float64, rows)
	mat.Gemv(mat.NoTrans, 1, h, a.centre, 0, a.offset)
	k := 0
	for i := range sensors {
		for j, y := range sensors[i].Values {
			a.weight[k] = 1
			if sigma := sensors[i].Sigma; len(sigma) > 0 {
				a.weight[k] = 1 / sigma[min(j, len(sigma)-1)]
			}
			a.offset[k] += float64(a.weight[k]*y) - s.y[k] // the known part
			k++
		}
	}
	for ; k < rows; k++ { // priors of parameters
		a.offset[k] -= s.y[k]
	}
	bt := mat.NewDense(n, rows, nil)
	mat.Gemm(mat.Trans, mat.Trans, 1, a.g, h, 0, bt)
	var svd mat.SVD
	if err := svd.Factorize(bt, true); err != nil {
		return err
	}
	a.w, a.z = svd.U(), svd.V()
	m := a.w.Cols()
	a.gw, a.scaled = mat.NewDense(n, m, nil), mat.NewDense(n, m, nil)
	mat.Gemm(mat.NoTrans, mat.NoTrans, 1, a.g, a.w, 0, a.gw)
	a.spectrum = spectrum{k: make([]float64, m), r2: make([]float64, m), extra: float64(s.readings - m)}
	for i, v := range svd.Values() {
		a.spectrum.k[i] = v * v
	}
	spread := a.w.Clone()
	a.prior.ridge.Solve(spread)
	a.seen = make([]float64, m)
	for i := range n {
		for j, v := range spread.Row(i) {
			a.seen[j] = math.FMA(v, v, a.seen[j])
		}
	}
	a.r, a.c, a.shrink = make([]float64, rows), make([]float64, m), make([]float64, m)
	amplitude := a.hyper
	if len(amplitude.noise) == 0 || !a.held {
		amplitude = hyper{amplitude: 1, noise: make([]float64, len(rd.groups))}
	}
	a.q = newPosterior(ph.basis, ph.problem)
	a.q.factor = mat.NewDense(n, n, nil)
	a.q.summary = ph.summary(&choice{tolerance: a.tolerance, hyper: amplitude}, rd)
	return nil
}

// choosePrior settles the tolerance and the prior under physics once and for all.
func (a *Assimilator) choosePrior(rd *readings) error {
	if a.prior != nil {
		return nil
	}
	if a.tolerance == 0 && a.ph.demanded.open != nil {
		c, err := a.ph.choose(rd)
		if err != nil {
			return err
		}
		a.tolerance = c.tolerance
	}
	sh, tau, err := a.ph.at(a.tolerance)
	if err != nil {
		return err
	}
	a.prior = sh.prior(tau)
	a.prior.source = a.ph.sourceAt(sh, a.prior, a.tolerance)
	a.centre = make([]float64, len(a.ph.scale))
	a.g = a.ph.moments(&choice{hyper: hyper{amplitude: 1}, shape: sh, tau: tau}, a.prior, a.centre)
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
			t.Derivative, t.Shift, t.Fixed = slices.Clone(t.Derivative), slices.Clone(t.Shift), slices.Clone(t.Fixed)
		}
	}
	return kept
}

// setFactor makes the covariance factor, and what the summary says of it.
func (a *Assimilator) setFactor() {
	amplitude, noise := a.hyper.amplitude, a.hyper.noise[0]
	trace := a.prior.ridge.InverseSquare()
	for i, k := range a.spectrum.k {
		total := float64(float64(amplitude*amplitude)*k) + float64(noise*noise)
		a.shrink[i] = 1 - noise/math.Sqrt(total)
		trace -= float64(a.seen[i] * (1 - float64(noise*noise)/total))
	}
	a.scaled.CopyFrom(a.gw)
	scaleColumns(a.scaled, a.shrink)
	a.q.factor.CopyFrom(a.g)
	mat.Gemm(mat.NoTrans, mat.Trans, -amplitude, a.scaled, a.w, amplitude, a.q.factor)
	s := &a.q.summary
	s.Amplitude, s.Evidence = amplitude, a.hyper.logEvidence
	s.EffectiveParameters = float64(len(a.q.mean)) - float64(float64(a.prior.tau*a.prior.tau)*trace)
	for i := range s.Noise {
		if s.Noise[i].Learned {
			s.Noise[i].Sigma = noise
		}
	}
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
			return s.Field == t.Field && slices.Equal(s.Derivative, t.Derivative) && slices.Equal(s.Shift, t.Shift) && slices.Equal(s.Fixed, t.Fixed) && sameConstant(s.Coefficient, t.Coefficient)
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
