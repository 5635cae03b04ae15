package posterior

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// A parameter that multiplies a function of an uncertain field may be far from where the Gaussian about the joint mode has
// it. At the mode the field is the one that suits the parameter best, and with as many degrees of freedom as readings it
// hides the effect of the parameter: the strength of a nonlinear term comes out too small. The evidence of the readings with
// the parameter given does not have that bias, since the field is integrated out by itself (Tierney & Kadane, Accurate
// approximations for posterior moments and marginal densities, J. Am. Stat. Assoc. 81, 1986).
//
// So parameters whose posterior is not what the Gaussian says, see nonlinear_strength.go, become outer ones: they are
// integrated over as coefficients are, and the problem is linearised about its own solution for each value of them.

const (
	// mostOuter parameters are integrated over; of more the verdict warns.
	mostOuter = 4
	// givenSteps follow the solution to a given value with the layer that there is, then layers are searched for.
	givenSteps = 2
	// outerSteps are how many steps lead to the solution of one layer at a given value, at most. They end where the state
	// stands as still as the evidence is to be known.
	outerSteps, outerStands = 6, 0.05
)

// outer is a nonlinear problem as the family of problems in which some parameters are given. Their standard normal numbers
// count standard deviations of the Gaussian about the joint mode from its mean.
type outer struct {
	l          *linearisation
	parameters []int // of the linearised problem, in ascending order
	list       []system.Coefficient
	wide       []float64                           // prior sd of all parameters of the linearised problem that state none
	start      func(values []float64) system.State // from which to solve the problem with the parameters given
	neurons    int                                 // of the layers that explore, of which some hundred are evaluated
}

func newOuter(l *linearisation, parameters []int) *outer {
	return &outer{l: l, parameters: parameters, neurons: min(l.neurons, max(fewestNeurons, mostColumns/len(l.of.Fields)))}
}

// add adds what is known of the next parameter.
func (o *outer) add(mean, sd float64) {
	name := o.l.problem.Parameters[o.parameters[len(o.list)]].Name
	o.list = append(o.list, system.Coefficient{Name: name, Mean: mean, SD: sd})
}

// outerOf begins at the joint mode.
func outerOf(l *linearisation, parameters []int) *outer {
	o := newOuter(l, parameters)
	for _, j := range parameters {
		o.add(l.linear.parameter(j).moments())
	}
	o.wide = l.linear.wide
	o.start = func(values []float64) system.State { return meanState{l.linear.shifted(parameters, values)} }
	return o
}

// values are those of the parameters at a point.
func (o *outer) values(z []float64) []float64 {
	values := make([]float64, len(z))
	for i := range z {
		values[i] = o.list[i].Value(z[i])
	}
	return values
}

// given prepares to solve the problem at a point with a layer.
func (o *outer) given(z []float64, neurons int, at site) *newton {
	n := &newton{problem: o.l.of, config: o.l.config, neurons: neurons, sites: []site{at}, known: o.parameters, values: o.values(z)}
	n.config.Progress, n.sigma = nil, make([]float64, len(o.l.of.Sensors))
	n.at = linearised(o.l.of, o.start(n.values), o.numbers(o.l.z, n.values))
	return n
}

// stateOf is the state at the mean of a posterior in which the parameters are given.
func (o *outer) stateOf(q *Posterior, values []float64) system.State {
	return givenState{meanState{q}, o.parameters, values}
}

// numbers are those of the coefficients, where these are given replaced by the given ones.
func (o *outer) numbers(z, values []float64) []float64 {
	z, first := slices.Clone(z), len(o.l.of.Parameters)
	for i, j := range o.parameters {
		if j >= first {
			z[j-first] = values[i]
		}
	}
	return z
}

// advance takes a step, or a part of one. It returns the log evidence of the best layer, and how far it is from the state that was
// left to its mean, in standard deviations.
func (o *outer) advance(n *newton, look bool) (log, moved float64, err error) {
	q, s, err := n.step(0, look, true)
	if err != nil {
		return 0, 0, err
	}
	defer s.release()
	log = s.best().score
	next := o.stateOf(q, n.values)
	a, err := s.frame.answers(q)
	if err != nil {
		return 0, 0, err
	}
	if look {
		n.overshot = nil
	}
	by := fieldsApart(n.at.state, next, a, s.frame)
	share := n.overshot.relaxed(by)
	n.overshot = &overshot{by, share}
	n.at = linearised(n.problem, towards(n.at.state, next, share), along(n.at.z, o.numbersAt(q, n.values), share))
	return log, rootMeanSquare(by), nil
}

// numbersAt are those of the coefficients at the mean of a posterior without the given parameters.
func (o *outer) numbersAt(q *Posterior, values []float64) []float64 {
	first, z := len(o.l.of.Parameters), make([]float64, len(o.l.z))
	column := 0 // among parameters that are not given
	for j := range first + len(z) {
		if slices.Contains(o.parameters, j) {
			continue
		}
		if j >= first {
			z[j-first], _ = q.parameter(column).moments()
		}
		column++
	}
	return o.numbers(z, values)
}

// fieldsApart is by how many standard deviations of answers the fields of two states differ.
func fieldsApart(a, b system.State, in *answers, f *frame) []float64 {
	points := f.domain.Rows()
	from, by := make([]float64, points), make([]float64, points*len(f.problem.Fields))
	for i := range f.problem.Fields {
		of, to := system.Field(i), by[i*points:][:points]
		a.ValueTo(from, &of, f.domain)
		b.ValueTo(to, &of, f.domain)
		mat.Axpy(-1, from, to)
	}
	for i := range by {
		if by[i] != 0 { // the answer may be certain
			by[i] /= in.sd[i]
		}
	}
	return by
}

// follow leads to the solution at a point: first with the layer of the joint mode, then with one that suits the point. It
// returns the log evidence of that.
func (o *outer) follow(z []float64) (*newton, float64, error) {
	n := o.given(z, o.l.neurons, o.l.site)
	log := 0.0
	for k := range givenSteps + 2 {
		var err error
		if log, _, err = o.advance(n, k == givenSteps); err != nil {
			return nil, 0, err
		}
	}
	return n, log, nil
}

// density is the log density at a point by the best layer there; -Inf where there is no solution.
func (o *outer) density(z []float64) float64 {
	_, log, err := o.follow(z)
	if err != nil || math.IsNaN(log) {
		return math.Inf(-1)
	}
	return log + o.logPrior(z) - float64(0.5*squares(z))
}

// solve implements family.
func (o *outer) solve(z []float64, _, _ int) (*system.Problem, *Posterior, *search, error) {
	n, _, err := o.follow(z)
	if err != nil {
		return nil, nil, nil, err
	}
	p := n.at.problem.Given(n.known, n.values)
	c := n.config
	c.Neurons = o.neurons
	q, s, err := integrate(p, c)
	return p, q, s, err
}

// near implements family. The problem is linearised about the solution of the site's layer.
func (o *outer) near(z []float64, neurons int, at *site) (*system.Problem, error) {
	n := o.given(z, neurons, *at)
	if err := o.settle(n); err != nil {
		return nil, err
	}
	return n.at.problem.Given(n.known, n.values), nil
}

// settle takes steps until the state stands still. It fails where that stays far away.
func (o *outer) settle(n *newton) error {
	moved := 0.0
	for range outerSteps {
		var err error
		if _, moved, err = o.advance(n, false); err != nil || moved <= outerStands {
			return err
		}
	}
	if moved > farAway {
		return dataError("nonlinear terms", "there is no solution nearby with the parameters given")
	}
	return nil
}

// logPrior implements family.
func (o *outer) logPrior(z []float64) float64 {
	sum := 0.0
	for i, v := range o.values(z) {
		p := &o.l.problem.Parameters[o.parameters[i]]
		mean, sd := p.Mean, p.SD
		if sd == 0 {
			mean, sd = 0, o.wide[o.parameters[i]]
		}
		r := (v - mean) / sd
		sum += mat.Log(o.list[i].SD/sd) + float64(0.5*(float64(z[i]*z[i])-float64(r*r)))
	}
	return sum
}

// shifted is a posterior in which some parameters have given means, and what depends on them follows.
func (q *Posterior) shifted(parameters []int, values []float64) *Posterior {
	s := *q
	s.components = slices.Clone(q.components)
	if len(parameters) == 0 {
		return &s
	}
	for k := range s.components {
		c := &s.components[k]
		rows, off := mat.NewDense(len(parameters), c.rootColumns(), nil), mat.NewDense(len(parameters), 1, nil)
		for i, j := range parameters {
			copy(rows.Row(i), c.parameterRoot(j, 1).Row(0))
			off.Set(i, 0, values[i]-c.mean[c.basis.ParameterColumn(j)])
		}
		covariance := mat.NewSym(len(parameters), nil)
		mat.Syrk(mat.NoTrans, 1, rows, 0, covariance)
		var chol mat.Cholesky
		if chol.Factorize(covariance) != nil {
			continue // a parameter that is certain
		}
		chol.SolveTo(off, off)
		along := make([]float64, c.rootColumns())
		for i := range parameters {
			mat.Axpy(off.At(i, 0), rows.Row(i), along)
		}
		c.mean = c.at(along)
		for i, j := range parameters {
			c.mean[c.basis.ParameterColumn(j)] = values[i]
		}
	}
	return &s
}

// outward integrates over the parameters for which the Gaussian about the joint mode is wrong. Where that is not possible
// the verdict warns.
func (n *newton) outward(l *linearisation, q *Posterior) *Posterior {
	if l.drawn >= mostlyDrawn {
		return q
	}
	l.strengths = strengthsOf(l)
	var bent []int
	for _, s := range l.strengths {
		if !s.gaussian() {
			bent = append(bent, s.parameter)
		}
	}
	if w := n.integrateOver(l, q, bent); w != nil {
		return w
	}
	return q
}

// integrateOver integrates over parameters, and returns nil where that is not possible, or not to be trusted by the checks that
// coefficients have. They are explored about their Gaussian in l.
func (n *newton) integrateOver(l *linearisation, q *Posterior, parameters []int) *Posterior {
	if len(parameters) == 0 || len(parameters) > mostOuter || n.config.Maximum || n.config.Patches != nil {
		return nil
	}
	o := outerOf(l, parameters)
	n.told.span(settledShare, 1, placesToCome*len(parameters))
	explored, e, err := n.explore(o, o.places(l.strengths))
	if err != nil || e.at.off > coarse || e.at.changed > mostChanged || e.at.lost > mostLost {
		return nil
	}
	l.outer, l.explored = o, e.at
	return o.whole(q, explored, e)
}

// explore explores the parameters of a family, beginning at some places, and returns the posterior with their numbers behind
// the other parameters.
func (n *newton) explore(o *outer, places []spot) (*Posterior, *coefficients, error) {
	e := &coefficients{family: o, list: o.list, fields: len(o.l.of.Fields), config: o.l.config, told: n.told, wide: []float64{}, changed: math.NaN()}
	e.config.Neurons, e.config.Progress = o.neurons, nil
	for j, wide := range o.wide {
		if !slices.Contains(o.parameters, j) {
			e.wide = append(e.wide, wide)
		}
	}
	if err := e.solve(0, 0, places...); err != nil {
		return nil, nil, err
	}
	if err := e.find(); err != nil {
		return nil, nil, err
	}
	e.checkNeurons()
	q, err := e.mixture()
	return q, e, err
}

// places are where the problem is solved first: at the mean, and to that side of it where the evidence is larger.
func (o *outer) places(known []strength) []spot {
	places := []spot{{z: make([]float64, len(o.parameters))}}
	for i, j := range o.parameters {
		for _, s := range known {
			if s.parameter == j {
				z := make([]float64, len(o.parameters))
				_, z[i] = s.gain()
				places = append(places, spot{z: z})
			}
		}
	}
	return places
}

// whole is a posterior q of the linearised problem, with the components of one in which parameters were given: their
// numbers stand behind the other parameters.
func (o *outer) whole(q, explored *Posterior, e *coefficients) *Posterior {
	w := *q
	w.components = nil
	total := len(o.l.problem.Parameters)
	for _, c := range explored.components {
		factor, first := c.root(), len(c.mean)-total
		to := c
		to.mean, to.factor, to.late = slices.Clone(c.mean), factor.Clone(), nil
		inner, known := first, len(c.mean)-len(o.parameters)
		for j := range total {
			row, unit, mean := inner, 1.0, 0.0
			if i := slices.Index(o.parameters, j); i >= 0 {
				row, unit, mean = known+i, o.list[i].SD, o.list[i].Mean
			} else {
				inner++
			}
			to.mean[first+j] = mean + float64(unit*c.mean[row])
			copy(to.factor.Row(first+j), factor.Row(row))
			scaleVector(unit, to.factor.Row(first+j))
		}
		to.coefficients = nil
		w.components = append(w.components, to)
	}
	masses := make([]float64, len(e.views))
	for i, v := range e.views {
		masses[i] = mat.Log(v.weight) + v.mass()
	}
	w.summary.Evidence = logSumExp(masses) - float64(0.5*float64(float64(len(o.list))*log2Pi))
	return &w
}

// givenState is the state of a problem with some parameters given, as one of the whole problem.
type givenState struct {
	system.State
	parameters []int
	values     []float64
}

// ValueTo implements system.State.
func (s givenState) ValueTo(dst []float64, f *system.Functional, points *mat.Dense) {
	g := f.Given(s.parameters, s.values)
	s.State.ValueTo(dst, &g, points)
}
