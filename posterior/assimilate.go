package posterior

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/mat/asm"
	"github.com/bpielm/bpielm/posterior/internal/gauss"
	"github.com/bpielm/bpielm/system"
)

// state is physics at one slack, with what the readings say of amplitude and noise
// there.
type state struct {
	decomposition *decomposition
	observed      *observed // the readings in its coordinates
	tau           float64
	slack         float64 // relative; 0 where it is tau times the amplitude
	nodes         []node
	logWeight     float64 // log of the sum of the nodes' weights
}

// slackOf returns the slack at a node; NaN where every equation has its own.
func (s *state) slackOf(n *node) float64 {
	if s.slack == 0 {
		return s.tau * n.amplitude
	}
	return s.slack
}

// The values of log tau that are looked at, a decade apart. Below squareRootFloor,
// relative to the largest column of the physics, rounding would speak; for sums of
// squares that is sumsFloor.
const (
	tauStep         = ln10
	halfTauStep     = 3.1622776601683795 // exp(tauStep/2)
	tighter         = 100                // by how much, where the tightest is not tight enough
	looseTau        = 1.0
	tightTau        = 1e-9
	squareRootFloor = 1e-13
	sumsFloor       = 3e-7
	// Looser slacks are left out once the evidence has fallen by so much, twice.
	slackDrop = 12
	// Where equations have a tolerance of their own, the amplitude is looked at in
	// steps.
	stepLogA = 0.4
)

// survey integrates the evidence of readings over slack, amplitude and noise, and
// returns the states where it was looked at, and the log evidence of the layer.
func (ph *Physics) survey(r *readings) (states []state, logEvidence float64, err error) {
	if ph.demanded.fixed == nil {
		states, err = ph.surveyOpen(r)
	} else {
		states, err = ph.surveyFixed(r)
	}
	if err != nil {
		return nil, 0, err
	}
	logs := make([]float64, len(states))
	for i := range states {
		logs[i] = states[i].logWeight
	}
	return states, logSumExp(logs), nil
}

// lowestTau is the tightest slack per amplitude that arithmetic can tell from none, if there is any below looseTau.
func (ph *Physics) lowestTau() float64 {
	floor := squareRootFloor
	if ph.path == GramPath {
		floor = sumsFloor
	}
	return math.Min(math.Max(tightTau, floor*ph.steepest), looseTau)
}

// integrate returns the nodes of one slack and the log of their integral, and asks the doubts that it
// leaves.
func (ph *Physics) integrate(u *underPhysics, a amplitudes) ([]node, float64, error) {
	nodes, total, err := u.integrate(a)
	if err == nil && !finite(total) {
		err = dataError("evidence", "it is %g", total)
	}
	if err == nil && ph.doubts != nil {
		err = ph.doubts.ask(u, a, nodes)
	}
	return slices.Clone(nodes), total, err
}

// surveyOpen serves equations that all share the open slack, tau times the amplitude.
func (ph *Physics) surveyOpen(r *readings) (states []state, err error) {
	dec, err := ph.at(1)
	if err != nil {
		return nil, err
	}
	o := newObserved(ph.scaled(r), len(ph.scale), dec, ph.store)
	if ph.doubts != nil && ph.exact == nil && !ph.doubts.brief {
		ph.doubts.free = o.free()
	}
	for low := math.Max(ph.lowestTau(), referenceSlack); ; {
		if states, err = ph.surveyFrom(low, dec, o); err != nil {
			return nil, err
		}
		// Large amplitudes need tighter ones.
		if first := &weighty(states)[0]; low <= ph.lowestTau() || first.tau > low || isTight(first) {
			return states, nil
		}
		low = math.Max(low/tighter, ph.lowestTau())
		ph.doubts.start()
	}
}

// surveyFrom looks at slacks per amplitude from the tightest that is to be told from none.
func (ph *Physics) surveyFrom(tightestTau float64, dec *decomposition, o *observed) (states []state, err error) {
	var failure error
	p, low := ph.store.slackPrior(), mat.Log(tightestTau)
	top, falls := math.Inf(-1), 0
	for logTau := low; logTau <= mat.Log(looseTau)+tauStep/2 && falls < 2; logTau += tauStep {
		tightest := logTau == low
		tau := tightestTau
		if !tightest {
			tau = mat.Exp(logTau)
		}
		if err := p.set(dec, tau); err != nil {
			failure = err
			continue
		}
		a := amplitudes{louder: ph.louder, logPrior: func(logA float64) float64 {
			slack := tau * mat.Exp(logA)
			if tightest { // it stands for all that are tighter, and half of the way to the next
				return logAmplitudePrior(logA) + logSlackBelow(halfTauStep*slack) - float64(slackRate*slack)
			}
			return logAmplitudePrior(logA) + logSlackPrior(slack) + mat.Log(tauStep)
		}}
		nodes, total, err := ph.integrate(o.under(p), a)
		if err != nil {
			failure = err
			continue
		}
		states = append(states, state{dec, o, tau, 0, nodes, total})
		top = math.Max(top, total)
		if falls++; total > top-slackDrop {
			falls = 0
		}
	}
	if len(states) == 0 {
		return nil, failure
	}
	return states, nil
}

// surveyFixed serves equations some or all of which have a slack of their own: then
// tau is the inverse of the amplitude, and the open slack has a grid of its own.
func (ph *Physics) surveyFixed(r *readings) (states []state, err error) {
	slacks := []float64{math.NaN()}
	if ph.demanded.open != nil {
		slacks = slacks[:0]
		for e := slackFloor; e < 1; e *= 10 {
			slacks = append(slacks, e)
		}
	}
	rows := ph.scaled(r)
	var (
		failure error
		o       *observed
	)
	p := ph.store.slackPrior()
	for _, slack := range slacks {
		volume := mat.Log(stepLogA)
		if ph.demanded.open != nil {
			volume += logSlackPrior(slack) + mat.Log(tauStep)
		}
		dec, err := ph.at(slack)
		if err != nil {
			failure = err
			continue
		}
		if o == nil || ph.decomposition == nil {
			o = newObserved(rows, len(ph.scale), dec, ph.store)
			if ph.doubts != nil && ph.exact == nil && !ph.doubts.brief {
				ph.doubts.free = o.free()
			}
		}
		for logA := lowestLogA; logA <= highestLogA; logA += stepLogA {
			if err := p.set(dec, mat.Exp(-logA)); err != nil {
				failure = err
				continue
			}
			a := amplitudes{single: true, logA: logA, louder: ph.louder, logPrior: func(logA float64) float64 { return logAmplitudePrior(logA) + volume }}
			nodes, total, err := ph.integrate(o.under(p), a)
			if err != nil {
				failure = err
				continue
			}
			states = append(states, state{dec, o, p.tau, slack, nodes, total})
		}
	}
	if len(states) == 0 {
		return nil, failure
	}
	return states, nil
}

// scaled returns the readings with their columns times D; where conditions are exact
// the rest of the work is the decomposition's.
func (ph *Physics) scaled(r *readings) *readings {
	s := *r
	s.groups = slices.Clone(r.groups)
	for i := range s.groups {
		g := &s.groups[i]
		g.h = ph.store.clone(g.h)
		scaleColumns(g.h, ph.scale)
	}
	return &s
}

// Assimilate conditions the physics on readings: groups of sensors of the
// problem that was compiled, or others in the same variables, fields and
// parameters, of about the same size. Amplitude, noise where Sigma is nil, and the
// slack where it was left open are integrated over. It fails with a *DataError,
// *mat.NotConvergedError or *mat.NotPositiveDefiniteError.
func (ph *Physics) Assimilate(sensors []system.Sensors) (*Posterior, error) {
	begin := time.Now()
	r, err := ph.read(sensors)
	if err != nil {
		return nil, err
	}
	c, err := ph.layerPosterior(r)
	if err != nil {
		return nil, err
	}
	q := newPosterior(ph.problem, []component{c.component}, c.summary)
	q.warn(ph.problem, ph.sizes.parameter)
	q.summary.Fit = time.Since(begin)
	return q, nil
}

// read checks readings against the problem that was compiled and makes their rows.
func (ph *Physics) read(sensors []system.Sensors) (*readings, error) {
	p := *ph.problem
	p.Sensors = sensors
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return newReadings(nil, ph.basis, sensors, ph.problem, ph.sizes, nil)
}

// layerPosterior is what one layer has to say.
type layerPosterior struct {
	component
	summary     Summary
	logEvidence float64
	effective   float64   // number of parameters that rows determine
	octaves     []float64 // of its site, along each variable
}

// errUnsound says that sums of squares have lost what the result depends on.
var errUnsound = errors.New("sums of squares are not accurate enough")

// resolvedSlack is the slack below which a tighter one makes no difference.
const resolvedSlack = 3e-4

// sound tells whether the tightest slack that sums of squares can tell from none, where it
// counts, is as good as none.
func (ph *Physics) sound(states []state) bool {
	lowest := ph.lowestTau()
	for i := range states {
		if s := &states[i]; s.slack == 0 && s.tau <= lowest {
			for _, n := range strata(s.nodes, 1) {
				if s.tau*n.amplitude > resolvedSlack {
					return false
				}
			}
		}
	}
	return true
}

// layerPosterior conditions the layer on readings. It fails with errUnsound where
// sums of squares were not asked for and are not accurate enough.
func (ph *Physics) layerPosterior(r *readings) (*layerPosterior, error) {
	states, logEvidence, err := ph.survey(r)
	if err != nil {
		return nil, err
	}
	return ph.layerPosteriorAt(ph.kept(states), r, logEvidence)
}

// kept returns what of the states a posterior is made of.
func (ph *Physics) kept(states []state) []state {
	if ph.maximum {
		states = mostProbable(states)
	}
	return weighty(states)
}

// resume is layerPosterior where a survey of the same layer has left the states.
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
	if ph.path == GramPath && ph.config.Path != GramPath && !ph.sound(states) {
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

// negligibleState is the weight below which a state is left out, and nodesKept how
// many nodes of one are kept, which have the moments of all; of many rows, whose nodes
// are close together, nodesOfMany.
const (
	negligibleState = 0.05
	nodesKept       = 7
	manyRowsOfNodes = 80
	nodesOfMany     = 3
)

// mostProbable returns the best node of the best state.
func mostProbable(states []state) []state {
	best, at := &states[0], 0
	for i := range states {
		for j := range states[i].nodes {
			if states[i].nodes[j].logWeight > best.nodes[at].logWeight {
				best, at = &states[i], j
			}
		}
	}
	one := *best
	one.nodes = []node{best.nodes[at]}
	one.logWeight = one.nodes[0].logWeight
	return []state{one}
}

// weighty returns the states that count, with their weights as logWeight; the
// weights of their nodes then are shares of the state's.
func weighty(states []state) []state {
	top := math.Inf(-1)
	for i := range states {
		top = math.Max(top, states[i].logWeight)
	}
	var kept []state
	sum := 0.0
	for _, s := range states {
		if w := mat.Exp(s.logWeight - top); w >= negligibleState {
			kept = append(kept, s)
			sum += w
		}
	}
	for i := range kept {
		s := &kept[i]
		nodes := slices.Clone(s.nodes)
		for j := range nodes {
			nodes[j].logWeight -= s.logWeight
		}
		s.nodes = nodes
		s.logWeight = mat.Exp(s.logWeight-top) / sum
	}
	return withoutTighter(kept)
}

// isTight tells whether a tighter slack than that of a weighty state would make no difference.
func isTight(s *state) bool {
	return s.slack == 0 && s.tau*strata(s.nodes, 1)[0].amplitude < resolvedSlack
}

// withoutTighter gives the weight of all states at slacks so tight that they make no difference to the
// heaviest of them.
func withoutTighter(states []state) []state {
	heaviest, total := -1, 0.0
	for i := range states {
		if s := &states[i]; isTight(s) {
			total += s.logWeight
			if heaviest < 0 || s.logWeight > states[heaviest].logWeight {
				heaviest = i
			}
		}
	}
	var kept []state
	for i := range states {
		s := states[i]
		if i == heaviest {
			s.logWeight = total
		} else if isTight(&s) {
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

// strata sums nodes, which are in the order of their amplitudes, or of those relative to
// the noise, up in n strata of equal weight, each with its mean squares: of these
// variances are made. Their weights become plain shares.
func strata(nodes []node, n int) []node {
	nodes = slices.DeleteFunc(slices.Clone(nodes), func(a node) bool { return !(a.logWeight > -2*negligibleNode) })
	total := 0.0
	for i := range nodes {
		nodes[i].logWeight = mat.Exp(nodes[i].logWeight)
		total += nodes[i].logWeight
	}
	for i := range nodes {
		nodes[i].logWeight /= total
	}
	if len(nodes) <= n {
		return nodes
	}
	// Of noise that is right and noise that is too small there is no middle.
	if i := slices.IndexFunc(nodes, func(a node) bool { return a.louder }); i > 0 {
		return append(layered(nodes[:i], n), layered(nodes[i:], n)...)
	}
	return layered(nodes, n)
}

// layered is strata of nodes whose shares may add up to less than one.
func layered(nodes []node, n int) []node {
	var list []node
	var square, weight, before, total float64
	for i := range nodes {
		total += nodes[i].logWeight
	}
	noise2 := make([]float64, len(nodes[0].noise))
	flush := func() {
		if weight == 0 {
			return
		}
		s := node{amplitude: math.Sqrt(square / weight), logWeight: weight, louder: nodes[0].louder}
		if len(noise2) > 0 {
			s.noise = make([]float64, len(noise2))
		}
		for g, v := range noise2 {
			s.noise[g] = math.Sqrt(v / weight)
		}
		list = append(list, s)
		before += weight
		square, weight = 0, 0
		clear(noise2)
	}
	for i := range nodes {
		a := &nodes[i]
		if before+weight+float64(0.5*a.logWeight) > float64(total*float64(len(list)+1)/float64(n)) {
			flush()
		}
		square += float64(a.logWeight * float64(a.amplitude*a.amplitude))
		for g, v := range a.noise {
			noise2[g] += float64(a.logWeight * float64(v*v))
		}
		weight += a.logWeight
	}
	flush()
	return list
}

// condition is the Gaussian update of the prior under physics by the readings: with
// g = m + tau R^-1 v, v ~ N(0, a^2 I), and rows X' v of the readings, X = W L'
// with orthonormal columns W, a state of amplitude a and noise R_n leaves
//
//	v | y ~ N( W z, a^2 (I - W W') + W C W' ),
//
// z and C by least squares. Mixing such states at one slack changes z, C and a^2
// alone; mixing slacks stacks the square roots. Everything is a square root: no
// variance is a difference of two large ones.
func (ph *Physics) condition(c *layerPosterior, states []state) (err error) {
	heaviest := 0.0
	c.mean, c.factor, err = ph.mix(states, func(s *state, p *slackPrior) ([]float64, *mat.Dense) {
		u := s.observed.under(p)
		if s.logWeight > heaviest {
			heaviest, c.residuals, c.room = s.logWeight, u.residuals(s.nodes), s.decomposition.room(s.tau)
		}
		mean, factor, mean2 := u.condition(p, s.nodes)
		// What an uncertain parameter makes of weights may be more than their prior sd.
		c.effective += float64(s.logWeight * math.Max(float64(len(p.mean))-squaresOf(factor)/mean2, 0))
		return mean, factor
	})
	if err != nil {
		return err
	}
	c.filled = make([]float64, len(c.room))
	for i, room := range c.room {
		k := ph.basis.ParameterColumn(i)
		c.filled[i] = mat.Nrm2(c.factor.Row(k)) / float64(room*ph.scale[k])
	}
	return nil
}

// mix returns mean and square root of the covariance of the weights, mixed over states, each of
// which gives those of g.
func (ph *Physics) mix(states []state, of func(s *state, p *slackPrior) ([]float64, *mat.Dense)) ([]float64, *mat.Dense, error) {
	shares, means, factors := make([]float64, len(states)), make([][]float64, len(states)), make([]*mat.Dense, len(states))
	p := new(slackPrior)
	for i := range states {
		s := &states[i]
		if err := p.set(s.decomposition, s.tau); err != nil {
			return nil, nil, err
		}
		mean, factor := of(s, p)
		if ph.decomposition == nil { // the coordinates differ from slack to slack
			mean, factor = ph.toWeights(s.decomposition, mean, factor)
		}
		shares[i], means[i], factors[i] = s.logWeight, mean, factor
	}
	mean, factor := means[0], factors[0]
	if len(states) > 1 {
		for i, f := range factors {
			factors[i] = f.Transpose()
		}
		mean, factor = gauss.Moments(shares, means, factors)
		factor = factor.Transpose()
	}
	if ph.decomposition != nil {
		mean, factor = ph.toWeights(ph.decomposition, mean, factor)
	}
	return mean, factor, nil
}

func squaresOf(m *mat.Dense) float64 {
	sum := 0.0
	for i := range m.Rows() {
		sum += squares(m.Row(i))
	}
	return sum
}

// toWeights turns a mean and a square root of a covariance in the coordinates g into those of
// the weights.
func (ph *Physics) toWeights(dec *decomposition, mean []float64, factor *mat.Dense) ([]float64, *mat.Dense) {
	n := len(ph.scale)
	w, f := append([]float64(nil), mean...), factor
	if dec.front > 0 {
		f = mat.NewDense(n, factor.Cols(), nil)
		for i := range n {
			from := (i + dec.front) % n
			w[i] = mean[from]
			copy(f.Row(i), factor.Row(from))
		}
	}
	if dec.right != nil {
		clear(w)
		mat.Gemv(mat.Trans, 1, dec.vt(), mean, 0, w)
		f = mat.NewDense(n, factor.Cols(), nil)
		mat.Gemm(mat.Trans, mat.NoTrans, 1, dec.vt(), factor, 0, f)
	}
	for i, d := range ph.scale {
		w[i] *= d
		scaleVector(d, f.Row(i))
	}
	return w, f
}

// condition returns mean and square root of the covariance of g at one slack, mixed
// over nodes, and the mean squared amplitude.
func (u *underPhysics) condition(p *slackPrior, nodes []node) (mean []float64, factor *mat.Dense, mean2 float64) {
	keep := nodesKept
	if len(u.r) > manyRowsOfNodes {
		keep = nodesOfMany
	}
	if len(u.learned) > 1 || len(u.learned) == 1 && !u.alone() {
		keep = len(nodes) // of two modes there is no middle
	}
	nodes = strata(nodes, keep)
	states := make([]gauss.State, len(nodes))
	for j := range nodes {
		states[j] = gauss.State{Share: nodes[j].logWeight, Amplitude: nodes[j].amplitude, Noise: 1, Each: u.rowNoise(&nodes[j])}
	}
	v, factor := gauss.Average(u.x, u.r, states)
	p.mul(factor)
	p.mul(mat.NewDense(len(v), 1, v))
	mean = append([]float64(nil), p.mean...)
	mat.Axpy(1, v, mean)
	return mean, factor, gauss.MeanSquare(states)
}

// rowNoise returns the noise of each row at a node; nil where all of it is known.
func (u *underPhysics) rowNoise(a *node) []float64 {
	if a.noise == nil {
		return nil
	}
	sigma := make([]float64, len(u.group))
	for i, g := range u.group {
		sigma[i] = a.noise[g]
	}
	return sigma
}

// mul sets X = tau R^-1 X: from v to g less its mean.
func (p *slackPrior) mul(x *mat.Dense) {
	parameters := p.apart.without(x)
	if !p.sums {
		p.ridge.Solve(x)
		x.Scale(p.tau)
	} else {
		p.solveSums(mat.Trans, x)
	}
	p.apart.mul(x, parameters)
}

// summary says what was inferred of the hyper-parameters, and how.
func (ph *Physics) summary(states []state, rd *readings, logEvidence float64) Summary {
	s := Summary{
		Method: BPIELM, Path: ph.path, Kernel: asm.Active().Name(), Threads: runtime.GOMAXPROCS(0),
		Neurons: ph.basis.Layer.Neurons(), Activation: ph.basis.Layer.Activation(), Ensemble: 1, Rows: ph.rows + rd.count, Columns: len(ph.scale), Readings: rd.count,
		Scale: ph.basis.Layer.Scale(), Evidence: logEvidence,
	}
	logA, logSlack, logNoise := 0.0, 0.0, make([]float64, len(rd.groups))
	for i := range states {
		st := &states[i]
		for _, n := range strata(st.nodes, len(st.nodes)) {
			w := st.logWeight * n.logWeight
			logA += float64(w * mat.Log(n.amplitude))
			logSlack += float64(w * mat.Log(st.slackOf(&n)))
			for g, v := range n.noise {
				logNoise[g] += float64(w * mat.Log(v))
			}
		}
	}
	s.Amplitude, s.Tolerance = mat.Exp(logA), mat.Exp(logSlack)
	for i := range rd.groups {
		g := &rd.groups[i]
		if g.prior {
			continue
		}
		e := NoiseEstimate{Name: g.name, Sigma: g.rms, Learned: g.learned, readings: len(g.y) + g.extra}
		if g.learned {
			e.Sigma = mat.Exp(logNoise[g.shares])
		}
		s.Noise = append(s.Noise, e)
	}
	if len(states) == 0 {
		s.Amplitude, s.Tolerance = math.NaN(), math.NaN()
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

// warn names parameters that the data do not determine, widths being the prior sd of those
// that state none.
func (q *Posterior) warn(p *system.Problem, widths []float64) {
	estimates := q.Parameters()
	for i, e := range estimates {
		prior := p.Parameters[i].SD
		if prior == 0 {
			prior = widths[i]
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
