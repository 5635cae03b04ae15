package posterior

import (
	"math"
	"slices"
	"time"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior/internal/gauss"
	"github.com/bpielm/bpielm/system"
)

// Assimilate conditions the physics on readings: those of the problem that was compiled, or others
// in the same variables, fields and parameters, of about the same size. Amplitude, the noise where
// Sigma is nil, and the slack where it is open are integrated over. It fails with a *DataError,
// *mat.NotConvergedError or *mat.NotPositiveDefiniteError.
func (ph *Physics) Assimilate(sensors []system.Sensors) (*Posterior, error) {
	begin := time.Now()
	r, err := ph.read(sensors)
	if err != nil {
		return nil, err
	}
	c, _, err := ph.layerPosterior(r)
	if err != nil {
		return nil, err
	}
	q := newPosterior(ph.problem, []component{c.component}, c.summary)
	q.warn(ph.problem, ph.sizes.parameter)
	q.summary.Fit = time.Since(begin)
	return q, nil
}

// read checks readings against the compiled problem and makes their rows.
func (ph *Physics) read(sensors []system.Sensors) (*readings, error) {
	p := *ph.problem
	p.Sensors = sensors
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return newReadings(nil, ph.basis, sensors, ph.problem, ph.sizes, nil, nil)
}

// layerPosterior is the posterior under one layer.
type layerPosterior struct {
	component
	summary     Summary
	logEvidence float64
	effective   float64   // effective number of parameters
	octaves     []float64 // log2 of its scale over the median, along each variable
}

// layerPosterior conditions the layer on readings, and returns the states that it is made of. It fails
// with errUnsound where the path was left open and sums of squares are not accurate enough.
func (ph *Physics) layerPosterior(r *readings) (*layerPosterior, []state, error) {
	states, logEvidence, err := ph.survey(r)
	if err != nil {
		return nil, nil, err
	}
	states = ph.kept(states)
	l, err := ph.layerPosteriorAt(states, r, logEvidence)
	return l, states, err
}

// kept returns the states that a posterior is made of.
func (ph *Physics) kept(states []state) []state {
	if ph.maximum {
		states = mostProbable(states)
	}
	return weighty(states)
}

// resume is layerPosterior with the states that an earlier survey of the same layer found.
func (ph *Physics) resume(states []state, r *readings, logEvidence float64) (*layerPosterior, error) {
	states = slices.Clone(states)
	rows := ph.scaled(r)
	for i := range states {
		s := &states[i]
		if i > 0 && (ph.decomposition != nil || s.slack == states[i-1].slack) {
			s.decomposition, s.observed = states[i-1].decomposition, states[i-1].observed
			continue
		}
		var err error
		if s.decomposition, err = ph.at(s.slack); err != nil {
			return nil, err
		}
		s.observed = newObserved(rows, len(ph.scale), s.decomposition, ph.store)
	}
	return ph.layerPosteriorAt(states, r, logEvidence)
}

func (ph *Physics) layerPosteriorAt(states []state, r *readings, logEvidence float64) (*layerPosterior, error) {
	if ph.path == GramPath && ph.config.Path != GramPath && ph.blocks == nil && !ph.sound(states) {
		return nil, errUnsound
	}
	c := &layerPosterior{logEvidence: logEvidence}
	c.basis, c.weight = ph.basis, 1
	if err := ph.condition(c, states); err != nil {
		return nil, err
	}
	c.summary = ph.summary(states, r, logEvidence)
	c.summary.EffectiveParameters = c.effective
	return c, nil
}

// condition sets mean and covariance of the weights, averaged over the states. With g = m + tau R^-1
// v, v ~ N(0, a^2 I), and rows X'v of the readings, each slack is one call of Averager.Average. The
// slacks are then averaged as well. Everything is a square root: no variance is the difference of
// two large numbers.
func (ph *Physics) condition(c *layerPosterior, states []state) (err error) {
	if ph.blocks != nil {
		return ph.conditionBlocks(c, states)
	}
	if ph.meanAlone {
		c.mean, err = ph.meanOf(states)
		return err
	}
	heaviest, slack2 := 0.0, 0.0
	c.mean, c.factor, err = ph.mix(states, func(s *state, p *slackPrior, factor *mat.Dense) []float64 {
		u := s.observed.under(p)
		if s.logWeight > heaviest {
			heaviest, c.residuals, c.room = s.logWeight, u.residuals(s.nodes), s.decomposition.room(s.tau)
		}
		mean, mean2 := u.condition(p, s.nodes, factor)
		slack2 += float64(s.logWeight * s.meanSquareSlack())
		// An uncertain parameter can make weights vary more than their prior sd.
		c.effective += float64(s.logWeight * math.Max(float64(len(p.mean))-squaresOf(factor)/mean2, 0))
		return mean
	})
	if err != nil {
		return err
	}
	c.slack = math.Sqrt(slack2)
	c.filled = make([]float64, len(c.room))
	for i, room := range c.room {
		k := ph.basis.ParameterColumn(i)
		c.filled[i] = mat.Nrm2(c.factor.Row(k)) / float64(room*ph.scale[k])
		if ph.config.keepLimits {
			c.beyond = append(c.beyond, ph.limits.share(i))
		}
	}
	return nil
}

// mix returns the mean of the weights and a square root of their covariance, averaged over the
// states. of returns the mean of g at one state, and sets a root of its covariance.
func (ph *Physics) mix(states []state, of func(s *state, p *slackPrior, root *mat.Dense) []float64) (mean []float64, factor *mat.Dense, err error) {
	p, store := ph.store.slackPrior(), ph.store
	if len(ph.scale) > manyNeurons { // do not keep so much
		store = nil
	}
	var m *gauss.Mixture
	for i := range states {
		s := &states[i]
		if err := p.set(s.decomposition, s.tau); err != nil {
			return nil, nil, err
		}
		n := len(p.mean)
		switch {
		case len(states) == 1:
			factor = mat.NewDense(n, n, nil)
		case m == nil:
			m = gauss.NewMixture(store.unsetDense(len(states)*(n+1), n), &store.evidence().qr)
			factor = store.unsetDense(n, n)
		}
		mean = of(s, p, factor)
		root := factor
		if ph.decomposition == nil { // each slack has its own coordinates
			mean, root = ph.toWeights(s.decomposition, mean, factor)
		}
		if m == nil {
			factor = root
			break
		}
		transposeTo(m.Add(s.logWeight, mean), root)
	}
	if m != nil {
		mean, factor = m.Moments()
		factor = factor.Transpose()
	}
	if ph.decomposition != nil {
		mean, factor = ph.toWeights(ph.decomposition, mean, factor)
	}
	return mean, factor, nil
}

// meanOf returns the mean of the weights, averaged over the states.
func (ph *Physics) meanOf(states []state) ([]float64, error) {
	sum, p := make([]float64, len(ph.scale)), ph.store.slackPrior()
	for i := range states {
		s := &states[i]
		if err := p.set(s.decomposition, s.tau); err != nil {
			return nil, err
		}
		u := s.observed.under(p)
		v := u.average.Mean(u.x, u.r, u.statesOf(s.nodes))
		p.mul(mat.NewDense(len(v), 1, v))
		mat.Axpy(1, p.mean, v)
		w, _ := ph.toWeights(s.decomposition, v, nil)
		mat.Axpy(s.logWeight, w, sum)
	}
	return sum, nil
}

func squaresOf(m *mat.Dense) float64 {
	sum := 0.0
	for i := range m.Rows() {
		sum += squares(m.Row(i))
	}
	return sum
}

// toWeights transforms a mean and a square root of a covariance, which may be nil, from the coordinates g to
// the weights.
func (ph *Physics) toWeights(dec *decomposition, mean []float64, factor *mat.Dense) ([]float64, *mat.Dense) {
	n := len(ph.scale)
	w, f := append([]float64(nil), mean...), factor
	if dec.front > 0 {
		for i := range n {
			w[i] = mean[(i+dec.front)%n]
		}
		if factor != nil {
			f = mat.NewDense(n, factor.Cols(), nil)
			for i := range n {
				copy(f.Row(i), factor.Row((i+dec.front)%n))
			}
		}
	}
	if dec.right != nil {
		clear(w)
		mat.Gemv(mat.Trans, 1, dec.vt(), mean, 0, w)
		if factor != nil {
			f = mat.NewDense(n, factor.Cols(), nil)
			mat.Gemm(mat.Trans, mat.NoTrans, 1, dec.vt(), factor, 0, f)
		}
	}
	for i, d := range ph.scale {
		w[i] *= d
		if f != nil {
			scaleVector(d, f.Row(i))
		}
	}
	return w, f
}

// condition returns the mean of g at one slack, averaged over the nodes, with the mean squared amplitude, and sets a square
// root of the covariance.
func (u *underPhysics) condition(p *slackPrior, nodes []node, factor *mat.Dense) (mean []float64, mean2 float64) {
	states := u.statesOf(nodes)
	v := u.average.Average(u.x, u.r, states, factor)
	p.mul(factor)
	p.mul(mat.NewDense(len(v), 1, v))
	mean = append([]float64(nil), p.mean...)
	mat.Axpy(1, v, mean)
	return mean, gauss.MeanSquare(states)
}

// statesOf returns the states that stand for the nodes of one slack.
func (u *underPhysics) statesOf(nodes []node) []gauss.State {
	keep := nodesKept
	if len(u.r) > manyRowsOfNodes {
		keep = nodesOfMany
	}
	if len(u.learned) > 1 || len(u.learned) == 1 && !u.alone() {
		keep = len(nodes) // averaging two modes would describe neither
	}
	nodes = strata(nodes, keep)
	states := make([]gauss.State, len(nodes))
	for j := range nodes {
		noise, each := u.rowNoise(&nodes[j])
		states[j] = gauss.State{Share: nodes[j].logWeight, Amplitude: nodes[j].amplitude, Noise: noise, Each: each}
	}
	return states
}

// rowNoise returns the noise of all rows at a node or, where they differ in it, that of each.
func (u *underPhysics) rowNoise(a *node) (all float64, each []float64) {
	if a.noise == nil || len(u.group) == 0 { // known, or of none
		return 1, nil
	}
	first := a.noise[u.group[0]]
	if !slices.ContainsFunc(u.group, func(g int) bool { return a.noise[g] != first }) {
		return first, nil
	}
	each = make([]float64, len(u.group))
	for i, g := range u.group {
		each[i] = a.noise[g]
	}
	return 0, each
}
