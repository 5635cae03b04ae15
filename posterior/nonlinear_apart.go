package posterior

import (
	"errors"
	"math"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// The joint mode of a field and the strength of a nonlinear term may be nowhere near the posterior. The tighter the equations,
// the better does a field fit that hides the effect of the term, and the weaker this becomes, until the steps towards the mode no
// longer come to rest. With the strength given, the field is determined as elsewhere. So where no start leads to a solution, the
// parameters of nonlinear terms are held at what the looser equations on the way had them, and then integrated over as in
// nonlinear_outer.go.

const (
	// mostGuesses is at how many values of the parameters the problem is solved to begin with.
	mostGuesses = 4
	// What is found may be farGuess of its standard deviations from where it was looked for, and wideGuess times as narrow.
	// Otherwise it is looked for there, mostAgain times at most. What is not found where it was looked for is no answer.
	farGuess, wideGuess, mostAgain = 2, 4, 2
)

// guess is what a linearised problem, with equations that were still loose, says of the parameters of nonlinear terms.
type guess struct{ mean, sd []float64 }

// apart solves the problem with the parameters of nonlinear terms apart from its fields, beginning where the ways to the joint mode
// that led nowhere had come to rest last. It returns nil where there is no such solution either.
func (n *newton) apart(stranded []*newton) (*Posterior, error) {
	parameters := bentParameters(n.problem)
	if len(parameters) == 0 || len(parameters) > mostOuter || n.config.Maximum || n.config.Patches != nil {
		return nil, nil
	}
	var from *outer
	top := math.Inf(-1)
	for _, g := range n.guesses(stranded, parameters) {
		m, err := n.held(parameters, g.mean)
		if err != nil {
			return nil, err
		}
		if m == nil {
			continue
		}
		o := n.outerAt(m, parameters, g)
		if log := m.evidence + o.logDensity(); log > top {
			from, top = o, log
		}
	}
	if from == nil {
		return nil, nil
	}
	share := pathShare
	for again := 0; ; again++ {
		share = n.halfOfRest(share, len(parameters))
		explored, e, err := n.explore(from, from.around())
		var memory *MemoryError // the result must not depend on the memory limit
		if errors.As(err, &memory) {
			return nil, err
		}
		if err != nil {
			return nil, nil
		}
		g := explored.guess(len(parameters), from)
		if from.nearTo(&g) {
			l := from.l
			l.outer, l.explored = from, e.at
			q := newPosterior(l.problem, nil, explored.summary)
			q.wide, q.weights, q.octaves = from.wide, explored.weights, explored.octaves
			q.nonlinear, q.coefficients = l, n.problem.Coefficients
			return from.whole(q, explored, e), nil
		}
		if again == mostAgain {
			return nil, nil
		}
		m, err := n.held(parameters, g.mean)
		if m == nil || err != nil {
			return nil, err
		}
		from = n.outerAt(m, parameters, g)
	}
}

// halfOfRest tells that an exploration begins, which may be the last, and returns the share of the time at which it ends.
func (n *newton) halfOfRest(from float64, parameters int) (upTo float64) {
	upTo = float64(0.5 * (1 + from))
	n.told.span(from, upTo, placesToCome*parameters)
	return upTo
}

// guesses are those of all ends of slacks where the state stood still, or what the prior says if there are none.
func (n *newton) guesses(stranded []*newton, parameters []int) (list []guess) {
	for _, m := range stranded {
		for _, at := range m.trail {
			if g := at.answers.guess(len(n.problem.Fields), len(n.problem.Parameters)+len(n.problem.Coefficients), parameters); at.stood && !g.in(list) {
				list = append(list, g)
			}
		}
	}
	if list == nil {
		prior := guess{make([]float64, len(parameters)), make([]float64, len(parameters))}
		first := linearised(n.problem, startsOf(n.problem)[0], make([]float64, len(n.problem.Coefficients))).problem
		wide := naturalSizes(balanced(first.ForNeurons(n.neurons))).parameter
		for i, j := range parameters {
			prior.mean[i], prior.sd[i] = first.Parameters[j].Mean, first.Parameters[j].SD
			if prior.sd[i] == 0 {
				prior.sd[i] = wide[j]
			}
		}
		list = append(list, prior)
	}
	return list[max(0, len(list)-mostGuesses):]
}

// guess is what answers, of a problem with so many fields and parameters, say of some of these.
func (a *answers) guess(fields, all int, parameters []int) (g guess) {
	points := len(a.mean) / (fields + all) // of each
	for _, j := range parameters {
		k := (fields + j) * points
		g.mean, g.sd = append(g.mean, a.mean[k]), append(g.sd, a.sd[k])
	}
	return g
}

// guess is what a posterior with the numbers of a family behind the other parameters says of these.
func (q *Posterior) guess(numbers int, of *outer) (g guess) {
	first := len(q.components[0].mean) - numbers
	for i := range of.list {
		mean, square := 0.0, 0.0
		for k := range q.components {
			c := &q.components[k]
			m, row := c.mean[first+i], c.root().Row(first+i)
			mean += float64(c.weight * m)
			square += float64(c.weight * (float64(m*m) + squares(row)))
		}
		sd := math.Sqrt(math.Max(square-float64(mean*mean), 0))
		g.mean, g.sd = append(g.mean, of.list[i].Value(mean)), append(g.sd, float64(of.list[i].SD*sd))
	}
	return g
}

// nearTo tells whether the numbers of a family are those of what was found.
func (o *outer) nearTo(g *guess) bool {
	for i := range o.list {
		if p := &o.list[i]; math.Abs(g.mean[i]-p.Mean) > farGuess*g.sd[i] || p.SD > wideGuess*g.sd[i] {
			return false
		}
	}
	return true
}

// in tells whether a list has a guess within a standard deviation.
func (g *guess) in(list []guess) bool {
	for _, other := range list {
		near := true
		for i, mean := range g.mean {
			near = near && math.Abs(mean-other.mean[i]) <= math.Max(g.sd[i], other.sd[i])
		}
		if near {
			return true
		}
	}
	return false
}

// held is the most probable solution with parameters, among them the numbers of all coefficients, at given values; nil if the
// steps do not come to rest.
func (n *newton) held(parameters []int, values []float64) (*newton, error) {
	p := n.problem
	linear := len(parameters) - len(p.Coefficients)
	if linear < len(parameters) {
		p = p.With(valuesAt(p, values[linear:]))
	}
	p = p.Given(parameters[:linear], values[:linear])
	m := &newton{problem: p, config: n.config, neurons: n.neurons, sigma: guessNoise(p)}
	modes, _, failures := m.modes()
	var memory *MemoryError
	if errors.As(errors.Join(failures...), &memory) {
		return nil, memory
	}
	for _, mode := range modes {
		if mode.stood {
			return mode, nil
		}
	}
	return nil, nil
}

// outerAt begins at a solution with parameters given.
func (n *newton) outerAt(m *newton, parameters []int, g guess) *outer {
	z := g.mean[len(parameters)-len(n.problem.Coefficients):]
	l := linearised(withPointsOf(n.problem, m.problem), givenState{m.at.state, parameters, g.mean}, z)
	l.config, l.neurons, l.site = m.config, m.neurons, m.sites[0]
	o := newOuter(l, parameters)
	for i := range parameters {
		o.add(g.mean[i], g.sd[i])
	}
	o.wide = naturalSizes(balanced(l.problem.ForNeurons(l.neurons))).parameter
	o.start = func(values []float64) system.State { return givenState{m.at.state, parameters, values} }
	return o
}

// logDensity is the log density of the prior where the numbers are zero.
func (o *outer) logDensity() float64 {
	log := o.logPrior(make([]float64, len(o.parameters)))
	for i := range o.list {
		log -= mat.Log(o.list[i].SD)
	}
	return log
}

// around are the place where the numbers are zero, and those a standard deviation from it.
func (o *outer) around() []spot {
	places := []spot{{z: make([]float64, len(o.parameters))}}
	for i := range o.parameters {
		for _, by := range []float64{-1, 1} {
			z := make([]float64, len(o.parameters))
			z[i] = by
			places = append(places, spot{z: z})
		}
	}
	return places
}
