package posterior

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// A nonlinear problem is solved by Gauss and Newton's method: it is linearised about a state, the linear problem is
// solved as any other, and its mean is the next state. Where that stands still, the posterior is the Laplace approximation:
// Gaussian, with the curvature at the mode. Draws from the posterior as it is then correct the moments of each layer, see
// nonlinear_rows.go; where they cannot, parameters are integrated over outside the mode, see nonlinear_outer.go.
// Hyper-parameters are integrated over as in linear problems.
//
// From afar the steps go astray. So the equations that are not linear are loose at first, and tightened step by step: at
// first the readings and the linear equations say where the solution lies. A step is shortened until it fits better what
// it is to fit. The mean of a mixture need not be where anything fits best. So where no way leads to rest like that, the last steps, which are
// to means of mixtures, are shortened only if they undo the ones before, see overshot.go.

// slackPath is how far nonlinear equations may be missed, relative to their largest term, one after the other; at 0 that
// is inferred, as for other equations.
var slackPath = []float64{1, 0.1, 0.01, 0}

const (
	// pathSteps is how many steps are taken with each slack at most, mostIntegrations how often hyper-parameters are
	// integrated over at the end.
	pathSteps, mostIntegrations = 12, 3
	// The state stands still where answers move by no more than so much of their standard deviation, in the root mean
	// square. What is left is of the order of its square.
	stands = 0.2
	// farAway is by how many standard deviations, in the root mean square, answers may move with the layers that they are
	// mixed of.
	farAway = 1
	// mostHalvings is how often a way from one slack to the next is halved where it is too steep.
	mostHalvings = 2
	// firstNoise, of the variation of readings, is what noise is taken for at first; by more than noiseStands, in its
	// logarithm, it is another.
	firstNoise, noiseStands = 0.1, 0.1
	// modeNats is by how much less evidence another solution may have for it to be mixed in.
	modeNats = 9
	// shortest is the shortest part of a step.
	shortest = 1.0 / 64
	// openSlack is that of equations of a slack that is inferred, where a fit is judged and it is not known.
	openSlack = 1e-4
)

// ConvergenceError says that the steps towards the solution of a nonlinear problem did not come to rest. Moved is how
// far each of the last ones went, in standard deviations of the answers.
type ConvergenceError struct {
	Why   string
	Moved []float64
}

func (e *ConvergenceError) Error() string {
	text := "nonlinear: " + e.Why
	if len(e.Moved) > 0 {
		text += "; the last steps moved the answers by"
		for i, m := range e.Moved {
			if i > 0 {
				text += ","
			}
			text += fmt.Sprintf(" %.2g", m)
		}
		text += " standard deviations"
	}
	return text
}

// linearisation is a nonlinear problem near a state.
type linearisation struct {
	problem *system.Problem // to first order
	of      *system.Problem // as it is
	state   system.State
	z       []float64 // of coefficients

	config  Config // and layer, with which it was solved
	neurons int
	site    site

	linear *Posterior // of the linearised problem
	drawn  float64    // the share of layers whose Gaussians were corrected, see correct

	strengths []strength
	outer     *outer       // parameters that were integrated over, see nonlinear_outer.go, and
	explored  *conditional // what is known of it; nil: none were
}

func linearised(p *system.Problem, state system.State, z []float64) *linearisation {
	return &linearisation{problem: p.Linearise(state, z), of: p, state: state, z: slices.Clone(z)}
}

// isOuter tells whether a parameter was integrated over.
func (l *linearisation) isOuter(parameter int) bool {
	return l.outer != nil && slices.Contains(l.outer.parameters, parameter)
}

// coefficients are the values of the coefficients there.
func (l *linearisation) coefficients() []float64 { return valuesAt(l.of, l.z) }

// valuesAt are the values of a problem's coefficients for which these numbers stand.
func valuesAt(p *system.Problem, numbers []float64) []float64 {
	values := make([]float64, len(numbers))
	for i, z := range numbers {
		values[i] = p.Coefficients[i].Value(z)
	}
	return values
}

// meanState is the state at the mean of a posterior.
type meanState struct{ q *Posterior }

// ValueTo implements system.State.
func (s meanState) ValueTo(dst []float64, f *system.Functional, points *mat.Dense) {
	mean, _, err := s.q.moments(*f, points, false)
	if err != nil {
		for i := range dst {
			dst[i] = math.NaN()
		}
		return
	}
	copy(dst, mean)
}

// betweenStates is a state a share of the way from one to another.
type betweenStates struct {
	from, to system.State
	share    float64
}

// ValueTo implements system.State. What is known of a functional is the same in both states.
func (s *betweenStates) ValueTo(dst []float64, f *system.Functional, points *mat.Dense) {
	s.from.ValueTo(dst, f, points)
	to := make([]float64, len(dst))
	s.to.ValueTo(to, f, points)
	for i, v := range to {
		dst[i] += float64(s.share * (v - dst[i]))
	}
}

// levelState has every field at a level, the same everywhere, and parameters at the means of their priors.
type levelState struct {
	fields     []float64
	parameters []float64
}

// ValueTo implements system.State.
func (s *levelState) ValueTo(dst []float64, f *system.Functional, points *mat.Dense) {
	clear(dst)
	if f.Known != nil {
		f.Known.EvalTo(dst, points)
	}
	for i := range f.Terms {
		if t := &f.Terms[i]; order(t) == 0 {
			weights, _ := t.Footprint.Sum()
			mat.Axpy(s.fields[t.Field]*weights, evaluated(t.Coefficient, points), dst)
		}
	}
	for i := range f.Parameters {
		t := &f.Parameters[i]
		mat.Axpy(s.parameters[t.Parameter], evaluated(t.Coefficient, points), dst)
	}
}

// startsOf are the states from which a problem is first linearised: fields at the levels of their readings, and higher and
// lower by as much as these vary.
func startsOf(p *system.Problem) []*levelState {
	level, spread := make([]float64, len(p.Fields)), make([]float64, len(p.Fields))
	weight := make([]float64, len(p.Fields))
	for i := range p.Sensors {
		g := &p.Sensors[i]
		m := &g.Measures
		if len(m.Terms) != 1 || m.Nonlinear != nil || len(m.Parameters) > 0 || m.Known != nil || order(&m.Terms[0]) > 0 || len(g.Values) == 0 {
			continue
		}
		weights, _ := m.Terms[0].Footprint.Sum()
		if size := weights * signedSize(&m.Terms[0], g.Points); size != 0 {
			f, n := m.Terms[0].Field, float64(len(g.Values))
			mean, sd := meanAndSD(g.Values)
			level[f] += float64(n*mean) / size
			spread[f] = math.Max(spread[f], sd/math.Abs(size))
			weight[f] += n
		}
	}
	for f, n := range weight {
		if n > 0 {
			level[f] /= n
		} else if f < len(p.Sizes) {
			level[f] = 0.5 * p.Sizes[f]
		}
	}
	means := make([]float64, len(p.Parameters))
	for i, q := range p.Parameters {
		means[i] = q.Mean
	}
	var starts []*levelState
	for _, by := range []float64{0, 1, -1} {
		at := slices.Clone(level)
		mat.Axpy(by, spread, at)
		starts = append(starts, &levelState{at, means})
		if !slices.ContainsFunc(spread, func(s float64) bool { return s > 0 }) {
			break
		}
	}
	return starts
}

// newton finds where a nonlinear problem is to be linearised.
type newton struct {
	problem  *system.Problem
	config   Config
	neurons  int
	at       *linearisation
	sites    []site      // of the layers of the last step; nil before the first
	surveyed []*tried    // with patches: these, as they were surveyed last; nil: not yet
	hold     bool        // takes the hyper-parameters surveyed last for the next step: a survey costs many times what a step does
	answers  *answers    // of the last step, and
	evidence float64     // what it had
	stood    bool        // the state stood still after the last of the steps
	trail    []milestone // the ends of each slack
	sigma    []float64   // of each group whose noise is learned, as far as it is known; 0: stated
	weights  [][]float64 // of readings with Student's noise, as they have settled; nil: not yet
	sizes    *sizes      // of the mixture whose layers the steps take; nil: natural ones
	moved    []float64
	assemble time.Duration
	told     *progress
	share    [2]float64 // of the time, in which the present start goes down the path

	overshot *overshot // the last step that was relaxed, by the same layers; nil: none
	relaxes  bool      // move relaxes steps of which no part fits better
	known    []int     // parameters of the linearised problem that are given; nil: none
	values   []float64 // theirs
}

// milestone is the end of the steps with a slack.
type milestone struct {
	answers *answers
	stood   bool // the state stood still
}

// Until pathShare of the time the starts follow the path, with about stepsToCome steps for each slack. Until settledShare
// hyper-parameters are integrated over.
const (
	pathShare, settledShare = 0.6, 0.9
	stepsToCome             = 5
)

// fitNonlinear is Fit for a problem that is not linear.
func fitNonlinear(p *system.Problem, c Config) (*Posterior, error) {
	begin := time.Now()
	if c.Method != BPIELM && c.Method != "" {
		return nil, &ConfigError{"method", "only bpielm solves nonlinear problems"}
	}
	if i := slices.IndexFunc(p.Coefficients, func(c system.Coefficient) bool { return c.Open() }); i >= 0 {
		return nil, &system.ProblemError{Where: fmt.Sprintf("coefficient %q", p.Coefficients[i].Name), Why: "state what is known of it beforehand: nonlinear problems, and those with patches, have no range of their own for it"}
	}
	c.linearised = true
	n := &newton{problem: p, config: c, sigma: guessNoise(p)}
	n.prepare()
	n.told = newProgress(c.Progress)
	n.config.Progress = nil
	if err := c.fits(p, n.neurons); err != nil {
		return nil, err
	}
	modes, stranded, failures := n.modes()
	var memory *MemoryError // the result must not depend on the memory limit
	if errors.As(errors.Join(failures...), &memory) {
		return nil, memory
	}
	var all []*Posterior
	var distinct []*newton
	for _, m := range modes {
		m.config.Progress = m.told.within(pathShare, settledShare)
		q, err := m.settle()
		if errors.As(err, &memory) {
			return nil, err
		}
		if err != nil {
			stranded, failures = append(stranded, m), append(failures, m.undefined(err))
			continue
		}
		q.summary.Assemble += m.assemble
		// With its own layers one may lead to another.
		if k := slices.IndexFunc(distinct, m.sameAnswers); k < 0 {
			all, distinct = append(all, q), append(distinct, m)
		} else if q.summary.Evidence > all[k].summary.Evidence {
			all[k], distinct[k] = q, m
		}
	}
	if len(all) == 0 {
		q, err := n.apart(stranded) // before steps are relaxed, because what these lead to is often worse
		for i := 0; err == nil && q == nil && i < len(modes); i++ {
			modes[i].relaxes = true
			if q, err = modes[i].settle(); !errors.As(err, &memory) {
				err = nil
			}
			if q != nil {
				q.summary.Warnings = append(q.summary.Warnings, "the steps towards the solution came to rest only when each that undid the last was shortened: other layers may lead to another solution")
			}
		}
		if err != nil || q == nil {
			return nil, cmp.Or(err, failures[0])
		}
		all, failures = append(all, q), nil
	}
	slices.SortStableFunc(all, func(a, b *Posterior) int { return cmp.Compare(b.summary.Evidence, a.summary.Evidence) })
	warnings := &all[0].summary.Warnings
	for _, err := range failures { // several starts may fail for the same reason
		if w := "another start led to no solution: " + err.Error(); !slices.Contains(*warnings, w) {
			*warnings = append(*warnings, w)
		}
	}
	n.told.finish()
	q := mixedModes(all)
	q.summary.Fit = time.Since(begin) - q.summary.Assemble
	return q, nil
}

// sameAnswers tells whether another start has led to the same solution.
func (n *newton) sameAnswers(other *newton) bool {
	return !(n.answers.movedFrom(other.answers) > farAway)
}

// modes follows the path from several starts, and returns those that lead to different solutions which the readings do not
// rule out, the most probable first, and those that lead to none, and why.
func (n *newton) modes() (modes, stranded []*newton, failures []error) {
	starts := startsOf(n.problem)
	if n.config.Patches != nil { // strengthening begins where the nonlinear terms do not matter
		starts = starts[:1]
	}
	for i, start := range starts {
		m := *n
		m.share = [2]float64{pathShare * float64(i) / float64(len(starts)), pathShare * float64(i+1) / float64(len(starts))}
		m.sigma = slices.Clone(n.sigma)
		m.at = linearised(m.problem, start, make([]float64, len(m.problem.Coefficients)))
		known, err := m.approach(modes)
		if known {
			continue
		}
		if err == nil {
			err = m.refine()
		}
		if err != nil {
			stranded, failures = append(stranded, &m), append(failures, m.undefined(err))
			continue
		}
		modes = append(modes, &m)
	}
	slices.SortStableFunc(modes, func(a, b *newton) int { return cmp.Compare(b.evidence, a.evidence) })
	var distinct []*newton
	for _, m := range modes {
		if m.evidence > modes[0].evidence-modeNats && !slices.ContainsFunc(distinct, m.sameAnswers) {
			distinct = append(distinct, m)
		}
	}
	return distinct, stranded, failures
}

// approach leads from a start to a solution: with patches by strengthening the nonlinear terms, else down the path of slacks.
// known tells that another start has come the same way.
func (n *newton) approach(others []*newton) (known bool, err error) {
	if n.config.Patches != nil {
		return false, n.strengthen()
	}
	return n.descendAll(others)
}

// descendAll goes down the path of slacks, unless it meets that of another start: then known is true.
func (n *newton) descendAll(others []*newton) (known bool, err error) {
	from := slackPath[0]
	for i, slack := range slackPath {
		width := (n.share[1] - n.share[0]) / float64(len(slackPath))
		n.told.span(n.share[0]+float64(width*float64(i)), n.share[0]+float64(width*float64(i+1)), stepsToCome)
		if err := n.reach(from, slack, mostHalvings); err != nil {
			return false, err
		}
		from = slack
		if slices.ContainsFunc(others, func(o *newton) bool { return n.answers.movedFrom(o.trail[i].answers) <= stands }) {
			return true, nil
		}
		n.trail = append(n.trail, milestone{n.answers, n.stood})
	}
	return false, nil
}

// reach descends to a slack from one at which the state stands still. If the state does not come to rest, the step was too
// large, and reach goes by a slack in between.
func (n *newton) reach(from, to float64, halvings int) error {
	before := *n
	before.sigma = slices.Clone(n.sigma)
	stood, err := n.descend(to)
	if err != nil || stood || halvings == 0 || from == to {
		return err
	}
	*n = before
	between := math.Sqrt(from * math.Max(to, openSlack))
	if err := n.reach(from, between, halvings-1); err != nil {
		return err
	}
	return n.reach(between, to, halvings-1)
}

// mixedModes mixes the posteriors about several solutions, the most probable first, as layers are mixed, by their tempered
// evidence. The first is the one that a verdict is about.
func mixedModes(all []*Posterior) *Posterior {
	q := all[0]
	if len(all) == 1 {
		return q
	}
	logs := make([]float64, len(all))
	for i, m := range all {
		logs[i] = m.summary.Evidence / temper
	}
	total := logSumExp(logs)
	mixture := *q
	mixture.components = nil
	for i, m := range all {
		weight := mat.Exp(logs[i] - total)
		for _, c := range m.components {
			c.weight *= weight
			mixture.components = append(mixture.components, c)
		}
	}
	mixture.only = q
	return &mixture
}

// refine takes further points where the equations ask for them, as refined does.
func (n *newton) refine() error {
	more, err := refined(n.at.problem, n.config)
	if err != nil || more == n.at.problem {
		return err
	}
	n.problem = withPointsOf(n.problem, more)
	n.at = linearised(n.problem, n.at.state, n.at.z)
	_, err = n.descend(0)
	return err
}

// loosened is a linearised problem whose equations that are not linear may be missed by a slack.
func (n *newton) loosened(slack float64) *system.Problem {
	p := *n.at.problem
	loose := func(list, of []system.Demand) []system.Demand {
		list = slices.Clone(list)
		for i := range list {
			if e := &list[i]; n.bends(&of[i].Residual) {
				if e.SD == 0 && e.Tolerance < slack {
					e.Tolerance, e.Exact = slack, false
				}
			} else if slack > 0 && e.SD == 0 && e.Tolerance == 0 && !e.Exact { // one slack less to survey
				list[i].Tolerance = openSlack
			}
		}
		return list
	}
	p.Equations, p.Conditions = loose(p.Equations, n.problem.Equations), loose(p.Conditions, n.problem.Conditions)
	return &p
}

// dependent tells whether a functional has coefficients, which make it nonlinear, too.
func (n *newton) dependent(f *system.Functional) bool {
	return len(n.problem.Coefficients) > 0 && f.Depends(make([]float64, len(n.problem.Coefficients)))
}

// descend takes steps at a slack until the state stands still, and tells whether it does. Learning noise is slow, so it is
// held on the way and learned at the end. If it then differs, descend goes on.
func (n *newton) descend(slack float64) (stood bool, err error) {
	defer func() { n.stood = stood }()
	look := len(n.sites) < 2
	for k, learn := 0, false; k < pathSteps; k++ {
		q, s, err := n.step(slack, look, learn)
		if err != nil {
			return false, err
		}
		moved, err := n.move(q, s.frame, slack)
		s.release()
		if err != nil {
			return false, err
		}
		changed := learn && n.learned(q)
		still := moved <= stands && !changed
		if still && (learn || !n.learns()) {
			return true, nil
		}
		look, learn = false, still
	}
	return false, nil
}

// learns tells whether noise is to be learned.
func (n *newton) learns() bool {
	return slices.ContainsFunc(n.sigma, func(s float64) bool { return s > 0 })
}

// learned takes the noise of a posterior, and tells whether it is another than before.
func (n *newton) learned(q *Posterior) bool {
	changed, group := false, 0
	for i := range n.problem.Sensors {
		if len(n.problem.Sensors[i].Values) == 0 {
			continue
		}
		if now := q.summary.Noise[group].Sigma; n.sigma[i] > 0 {
			changed = changed || math.Abs(mat.Log(now/n.sigma[i])) > noiseStands
			n.sigma[i] = now
		}
		group++
	}
	return changed
}

// guessNoise is what noise that is to be learned is taken for at first: a share of the variation of its readings.
func guessNoise(p *system.Problem) []float64 {
	sigma := make([]float64, len(p.Sensors))
	for i := range p.Sensors {
		if g := &p.Sensors[i]; len(g.Sigma) == 0 && len(g.Values) > 0 {
			mean, sd := meanAndSD(g.Values)
			sigma[i] = firstNoise * math.Max(sd, 1e-3*math.Abs(mean))
		}
	}
	return sigma
}

// step solves the linear problem with the layers of the last step, or with one that is looked for.
// The search is to be released.
func (n *newton) step(slack float64, look, learn bool) (*Posterior, *search, error) {
	p := n.loosened(slack)
	if n.known != nil {
		p = p.Given(n.known, n.values)
	}
	if !learn {
		p.Sensors = slices.Clone(p.Sensors)
		for i, sigma := range n.sigma {
			if sigma > 0 {
				p.Sensors[i].Sigma, p.Sensors[i].Group = []float64{sigma}, ""
			}
		}
	}
	c := n.config
	c.Maximum = c.Maximum || c.Patches != nil && (slack > 0 || n.hold)
	p = balanced(c.enough(p, n.neurons))
	f, err := newFrame(p)
	if err != nil {
		return nil, nil, err
	}
	var s *search
	var q *Posterior
	if f.robust() && n.weights != nil {
		f.weights = n.weights
	}
	if n.sizes != nil {
		f.sizes = n.sizes.clone()
	}
	switch {
	case n.hold && n.surveyed != nil:
		s = newSearch(f, c, n.neurons, nil)
		s.order = n.surveyed
	case c.Patches != nil && n.sites == nil:
		s = newSearch(f, c, n.neurons, nil)
		var middle []site
		for _, a := range c.activations() {
			middle = append(middle, alike(a, len(p.Variables), 0))
		}
		s.try(middle...)
		if s.best() == nil {
			s.release()
			return nil, nil, cmp.Or(s.failure, s.sizes.beyondArithmetic(s.problem))
		}
		n.sites = []site{s.ranked()[0].site}
	case c.Patches == nil && (look || n.sites == nil):
		if s, q, err = f.first(c, n.neurons, nil); err != nil {
			return nil, nil, err
		}
		n.sites = []site{s.ranked()[0].site}
	default:
		s = newSearch(f, c, n.neurons, nil)
		s.eager = true
		s.try(n.sites...)
	}
	if c.Patches != nil && !n.hold {
		n.surveyed = s.ranked()[:min(len(s.ranked()), len(n.sites))]
	}
	n.told.more()
	if q == nil {
		q, err = s.mix(len(n.sites))
	}
	n.assemble += s.assemble
	if err != nil {
		s.release()
	} else {
		n.weights = s.weights
	}
	return q, s, err
}

// move makes the mean of a posterior the state, or a place on the way there, and returns how far the answers of the
// posterior are from those of the state that was left.
func (n *newton) move(q *Posterior, f *frame, slack float64) (float64, error) {
	to, z := system.State(meanState{q}), n.numbers(q)
	var err error
	if n.answers, err = n.answersOf(q, f); err != nil {
		return 0, err
	}
	n.evidence = q.summary.Evidence
	by := n.apartBy(n.answers, f, to, z)
	moved := rootMeanSquare(by)
	n.moved = append(n.moved, moved)
	share := 1.0
	if moved > stands && !n.relayered(q) {
		before := n.misfit(n.at.state, n.at.z, q, f)
		for ; share > shortest; share *= 0.5 {
			// A misfit of 1 is what noise and slack leave.
			if after := n.misfit(towards(n.at.state, to, share), along(n.at.z, z, share), q, f); after < math.Max(before, 1) || !finite(before) && finite(after) {
				break
			}
		}
		if share <= shortest && n.relaxes {
			share = n.overshot.relaxed(by)
		} else if share <= shortest && slack == 0 && moved <= farAway { // the mean of a mixture is not where the misfit is least
			share = 1
		}
	}
	if n.relaxes {
		n.overshot = &overshot{by, share}
	}
	n.at = linearised(n.problem, towards(n.at.state, to, share), along(n.at.z, z, share))
	return moved, nil
}

// answersOf are the answers of a step. With hyper-parameters held, standard deviations are those of the survey.
func (n *newton) answersOf(q *Posterior, f *frame) (*answers, error) {
	if !n.hold || n.answers == nil {
		return f.answers(q)
	}
	a := &answers{sd: n.answers.sd}
	for i := range n.problem.Fields {
		mean, _, err := q.moments(system.Field(i), f.domain, false)
		if err != nil {
			return nil, err
		}
		a.mean = append(a.mean, mean...)
	}
	for _, e := range q.Parameters() {
		for range f.domain.Rows() {
			a.mean = append(a.mean, e.Mean)
		}
	}
	return a, nil
}

// relayered tells whether a posterior has other layers with patches than the present state, or several: none of the states
// between is of one layer, so none may fit better than the present one.
func (n *newton) relayered(q *Posterior) bool {
	if n.config.Patches == nil {
		return false
	}
	a, b := weightsOf(n.at.state), weightsOf(meanState{q})
	return a == nil || b == nil || !a.sameLayer(b)
}

// apartBy is by how many standard deviations of the answers a of a posterior its mean, which is a state, differs from the present one.
func (n *newton) apartBy(a *answers, f *frame, to system.State, z []float64) (by []float64) {
	from, next := make([]float64, f.domain.Rows()), make([]float64, f.domain.Rows())
	add := func(from, to float64) {
		d := to - from
		if d != 0 { // both may be certain
			d /= a.sd[len(by)]
		}
		by = append(by, d)
	}
	compare := func(of system.Functional) {
		n.at.state.ValueTo(from, &of, f.domain)
		to.ValueTo(next, &of, f.domain)
		for k := range from {
			add(from[k], next[k])
		}
	}
	for field := range n.problem.Fields {
		compare(system.Field(field))
	}
	for j := range n.problem.Parameters {
		compare(system.ParameterValue(j))
	}
	for j := range z {
		for range from {
			add(n.at.z[j], z[j])
		}
	}
	return by
}

// towards is a state a share of the way to another.
func towards(from, to system.State, share float64) system.State {
	if share == 1 {
		return to
	}
	if between := betweenWeights(from, to, share); between != nil {
		return between
	}
	return &betweenStates{from, to, share}
}

func along(from, to []float64, share float64) []float64 {
	z := make([]float64, len(from))
	for i := range z {
		z[i] = from[i] + float64(share*(to[i]-from[i]))
	}
	return z
}

// numbers are those that stand for the coefficients at the mean of a posterior of a linearised problem.
func (n *newton) numbers(q *Posterior) []float64 {
	z := make([]float64, len(n.problem.Coefficients))
	for k := range q.components {
		c := &q.components[k]
		first := len(c.mean) - len(z)
		for i := range z {
			z[i] += float64(c.weight * c.mean[first+i])
		}
	}
	return z
}

// misfit is the mean square of what equations, in units of their slack, and readings, in units of their noise, leave over
// at a state.
func (n *newton) misfit(state system.State, z []float64, q *Posterior, f *frame) float64 {
	values := valuesAt(n.problem, z)
	sum, rows := 0.0, 0
	squaresOf := func(g *system.Functional, points *mat.Dense, known []float64, unit func(i int) float64) {
		at := g.With(values)
		v := make([]float64, points.Rows())
		at.Values(v, state, points)
		for i := range v {
			if known != nil {
				v[i] -= known[i]
			}
			v[i] /= unit(i)
		}
		sum, rows = sum+squares(v), rows+len(v)
	}
	var tolerances []float64
	for _, e := range f.problem.Demands() {
		tolerances = append(tolerances, e.Tolerance)
	}
	for label, e := range n.config.enough(n.problem, n.neurons).Demands() {
		unit := e.SD
		if unit == 0 {
			tolerance := tolerances[label.Index]
			if tolerance == 0 {
				tolerance = openSlack
			}
			unit = f.sizes.residual[label.Index] * tolerance
		}
		squaresOf(&e.Residual, e.Points, nil, func(int) float64 { return unit })
	}
	group := 0
	for i := range n.problem.Sensors {
		g := &n.problem.Sensors[i]
		if len(g.Values) == 0 {
			continue
		}
		sigma := q.summary.Noise[group].Sigma
		group++
		squaresOf(&g.Measures, g.Points, g.Values, func(k int) float64 {
			unit := sigma
			if len(g.Sigma) == len(g.Values) {
				unit = g.Sigma[k]
			}
			if f.weights != nil && f.weights[i] != nil {
				unit /= math.Sqrt(f.weights[i][k])
			}
			return unit
		})
	}
	if penalty, ok := penaltyOf(state, q); ok {
		sum += penalty
	}
	return sum / float64(rows)
}

// settle integrates over the hyper-parameters, and follows the state with the layers that this has found until it stands
// still. Where that is far from where it began, other layers may suit it better.
func (n *newton) settle() (*Posterior, error) {
	for range mostIntegrations {
		q, s, err := n.config.integrate(n.at.problem)
		if err != nil {
			return nil, err
		}
		n.take(q, s)
		unsettled := 0.0 // where the answers have been compared with those of twice as many neurons
		if n.config.Neurons == 0 && s.settled && q.summary.Unsettled < quiet {
			if fewer, of := n.halved(q, s.frame); fewer != nil {
				s.release()
				unsettled = q.summary.Unsettled
				q, s = fewer, of
			}
		}
		first, of := q, s.frame
		at := n.at
		n.hold, n.surveyed = false, nil
		moved, err := n.move(q, of, 0)
		s.release()
		n.overshot = nil // it had other layers
		for k := 0; err == nil && !(moved <= stands && !n.hold) && k < pathSteps; k++ {
			at = n.at
			n.hold = n.surveyed != nil && moved > stands && !n.learns()
			if q, s, err = n.step(0, false, true); err != nil {
				break
			}
			if moved, err = n.move(q, s.frame, 0); moved <= stands && !n.hold {
				s.explain(balanced(at.problem), q)
				of = s.frame
			}
			s.release()
		}
		if err != nil {
			return nil, err
		}
		if !(moved <= stands) {
			continue
		}
		if q != first {
			a, err := of.answers(q)
			if err != nil {
				return nil, err
			}
			b, err := of.answers(first)
			if err != nil {
				return nil, err
			}
			if a.movedFrom(b) > farAway {
				continue
			}
		}
		if unsettled > 0 {
			q.summary.Unsettled = unsettled
		}
		at.config, at.neurons, at.site, at.linear = n.config, n.neurons, n.sites[0], q
		q.nonlinear, q.coefficients = at, n.problem.Coefficients
		if q, err = n.corrected(at, of, q); err != nil {
			return nil, err
		}
		return n.outward(at, q), nil
	}
	return nil, &ConvergenceError{"the solution does not come to rest", n.moved[max(0, len(n.moved)-mostTold):]}
}

// take takes the layers of a mixture, its sizes and the weights of its readings, for the steps to come.
func (n *newton) take(q *Posterior, s *search) {
	most := mostComponents
	if n.config.Maximum {
		most = 1
	}
	n.neurons, n.weights, n.sizes, n.sites = q.summary.Neurons, s.weights, s.sizes.clone(), nil
	chosen, _ := representatives(s.ranked(), most)
	for _, t := range chosen {
		n.sites = append(n.sites, t.site)
	}
}

// halved returns the answer with half as many neurons as that of a mixture, and its search, which is to be released, where both
// say the same: what is to come then takes a fraction of the time. It returns nil where they do not.
func (n *newton) halved(q *Posterior, f *frame) (*Posterior, *search) {
	neurons, weights := n.neurons, n.weights
	n.neurons /= 2
	fewer, s, err := n.step(0, false, true)
	if err == nil {
		var a, b *answers
		if a, err = f.answers(q); err == nil {
			b, err = f.answers(fewer)
		}
		if err == nil && b.movedFrom(a) <= stillness && b.widened(a) <= similarWidth {
			s.explain(balanced(n.at.problem), fewer)
			return fewer, s
		}
		s.release()
	}
	n.neurons, n.weights = neurons, weights
	return nil, nil
}

// mostTold is how many steps an error tells of.
const mostTold = 6

// corrected replaces the Gaussians of a linearised problem by the moments of draws from the posterior as it is, where these
// are to be trusted.
func (n *newton) corrected(at *linearisation, f *frame, q *Posterior) (*Posterior, error) {
	c := *q
	c.components = slices.Clone(q.components)
	logs := make([]float64, len(c.components))
	for k := range c.components {
		weight := c.components[k].weight
		log, ok, err := n.correct(at, f, q, &c.components[k])
		if err != nil {
			return nil, err
		}
		if ok {
			at.drawn += weight
		}
		logs[k] = mat.Log(weight) + log/temper
	}
	total := logSumExp(logs)
	for k := range c.components {
		c.components[k].weight = mat.Exp(logs[k] - total)
	}
	c.summary.Evidence += float64(temper * total)
	return &c, nil
}

// prepare sets the number of neurons with which the path is gone.
func (n *newton) prepare() {
	if n.config.Patches == nil {
		n.neurons = n.config.stages(n.problem)[0].neurons
		return
	}
	n.config.Path, n.config.Neurons = GramPath, n.config.neuronsOf(n.problem)
	n.neurons = n.config.Neurons // with fewer, fronts would not be followed
}
