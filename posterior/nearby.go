package posterior

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Do the readings prefer an equation similar to the stated one? With a wrong coefficient, or without
// a necessary term, a layer may follow the readings all the same. But the evidence is exact for
// every equation. A verdict tries those that differ from the stated ones by a factor of one term, or
// by one term.

const (
	// nearbyColumns bounds the layers that compare equations; they have at least fewestNeurons.
	nearbyColumns = 200
	// mostNearby bounds how many alterations are tried: factors of terms first, then equations
	// without one, then further terms, low order first. Twelve leave none of the last for two equations of four terms.
	mostNearby = 24
	// firstFactor is the first step of the logarithm of a term's factor, firstAdded that of a further
	// term's coefficient, in units in which it is as large as the largest term. farFactor and
	// farAdded are tried, too: waves fit readings only if their length is nearly right.
	firstFactor, farFactor = 0.4, 1.2
	firstAdded, farAdded   = 0.3, 2
	// widestFactor and widestAdded bound them.
	widestFactor, widestAdded = 1.8, 4
	// nearbySteps bounds how many more evaluations the search for a maximum may take for one
	// alteration.
	nearbySteps = 16
)

// alteration is one way to change an equation: by a factor of a term, by leaving a term out, or by a
// further term.
type alteration struct {
	equation int
	term     int // -1: a further term
	without  bool
	further  system.Term // of coefficient 1
	unit     float64     // of the further term's coefficient
}

// at returns the altered problem: with the factor exp(x), or with a further term whose coefficient
// is x units.
func (a *alteration) at(p *system.Problem, x float64) *system.Problem {
	altered := *p
	altered.Equations = slices.Clone(p.Equations)
	e := &altered.Equations[a.equation]
	e.Residual.Terms = slices.Clone(e.Residual.Terms)
	if a.term < 0 {
		t := a.further
		t.Coefficient = system.Constant(x * a.unit)
		e.Residual.Terms = append(e.Residual.Terms, t)
		return &altered
	}
	if a.without {
		e.Residual.Terms = slices.Delete(e.Residual.Terms, a.term, a.term+1)
		return &altered
	}
	t := &e.Residual.Terms[a.term]
	t.Coefficient = system.Scaled(t.Coefficient, mat.Exp(x))
	return &altered
}

// alterations lists what to try.
func alterations(p *system.Problem, z *sizes) []alteration {
	var factors, left []alteration
	further := make([][]alteration, system.MaxOrder+1) // by order
	for i := range p.Equations {
		e := &p.Equations[i]
		first := 0
		if e.Residual.Known == nil {
			first = 1 // the equation as a whole may be multiplied by anything
		}
		for j := first; j < len(e.Residual.Terms); j++ {
			factors = append(factors, alteration{equation: i, term: j})
		}
		for j := range e.Residual.Terms {
			if len(e.Residual.Terms) > 1 {
				left = append(left, alteration{equation: i, term: j, without: true})
			}
		}
		// The solution of a wrong equation does not tell how large its terms are.
		top := z.residual[i]
		for j := range e.Residual.Terms {
			t := &e.Residual.Terms[j]
			top = math.Max(top, termSize(p, t, e.Points, halfWaves)*z.field[t.Field])
		}
		for _, t := range furtherTerms(p, e) {
			size := termSize(p, &t, e.Points, halfWaves) * z.field[t.Field]
			if unit := top / size; unit > 0 && finite(unit) {
				k := order(&t)
				further[k] = append(further[k], alteration{equation: i, term: -1, further: t, unit: unit})
			}
		}
	}
	list := append(factors, left...)
	for _, more := range further {
		list = append(list, more...)
	}
	return list[:min(len(list), mostNearby)]
}

// furtherTerms returns the fields of an equation and their derivatives along one variable, up to its
// order and at least the second, without those that it already has.
func furtherTerms(p *system.Problem, e *system.Demand) []system.Term {
	highest, fields := 2, []int{}
	for i := range e.Residual.Terms {
		t := &e.Residual.Terms[i]
		highest = max(highest, order(t))
		if !slices.Contains(fields, t.Field) {
			fields = append(fields, t.Field)
		}
	}
	has := func(t *system.Term) bool {
		return slices.ContainsFunc(e.Residual.Terms, func(o system.Term) bool {
			return o.Field == t.Field && o.Footprint == nil && slices.Equal(padded(o.Derivative, len(p.Variables)), padded(t.Derivative, len(p.Variables)))
		})
	}
	var list []system.Term
	for _, f := range fields {
		if t := (system.Term{Field: f}); !has(&t) {
			list = append(list, t)
		}
		for d := range p.Variables {
			for k := 1; k <= highest; k++ {
				t := system.Term{Field: f, Derivative: make([]int, len(p.Variables))}
				t.Derivative[d] = k
				if !has(&t) {
					list = append(list, t)
				}
			}
		}
	}
	return list
}

// padded returns the orders of a derivative, one for each variable.
func padded(orders []int, n int) []int {
	all := make([]int, n)
	copy(all, orders)
	return all
}

// nearby compares problems similar to one that has been solved.
type nearby struct {
	frame   frame
	stated  []system.Sensors // with their noise as known
	config  Config
	neurons int
	sites   []site // that suit the stated equations, plus a smooth and a rough one
	score   float64
	plain   float64 // without the penalty of layers, which does not come from the readings
}

// nearby keeps what is needed to compare problems with p.
func (s *search) nearby(p *system.Problem, q *Posterior) *nearby {
	n := &nearby{frame: *s.frame, config: s.config, neurons: s.neurons}
	n.frame.sizes, n.frame.problem = s.sizes.clone(), p
	n.stated = slices.Clone(p.Sensors)
	group := 0
	for i := range n.stated {
		g := &n.stated[i]
		if len(g.Values) == 0 {
			continue
		}
		if noise := q.summary.Noise[group]; noise.Learned && !g.Student {
			g.Sigma = []float64{toBeExplained * math.Min(noise.Sigma, sizeOf(g.Values))}
		}
		group++
	}
	best := s.ranked()[0]
	n.sites, n.score, n.plain = []site{best.site}, best.score, best.plain()
	if s.held == nil {
		n.sites = append(n.sites, alike(best.activation, len(p.Variables), ladderLow), alike(best.activation, len(p.Variables), ladderHigh))
	}
	return n
}

// toBeExplained is the share of learned noise, or of the readings' variation, that counts as noise
// when equations that explain the rest are sought.
const toBeExplained = 0.5

// evidence returns the log evidence of the readings with an alteration (nil: none) and few neurons;
// -Inf where no layer has any. Noise is as large as stated, or smaller than was found: if everything
// that an equation does not explain were noise, all equations would be equally good, and none would
// lead to a better one.
func (n *nearby) evidence(a *alteration, x float64) float64 {
	p := *n.frame.problem
	p.Sensors = n.stated
	next := n.search(&p, a, x, min(n.neurons, max(fewestNeurons, nearbyColumns/len(p.Fields))), 0)
	defer next.release()
	best := math.Inf(-1)
	for _, t := range next.ranked() {
		best = math.Max(best, t.stated())
	}
	return best
}

// gain returns by how many nats an alteration explains the readings better with as many neurons as
// the answer has, or as mostColumns allows, and layers that suit it: the least over several draws,
// since one may be lucky.
func (n *nearby) gain(a *alteration, x float64) float64 {
	neurons := min(n.neurons, max(fewestNeurons, mostColumns/len(n.frame.problem.Fields)))
	least := math.Inf(1)
	for draw := range draws {
		t := n.climbed(a, x, neurons, draw)
		if t == nil {
			return math.Inf(-1)
		}
		score, plain := n.score, n.plain
		if neurons < n.neurons { // compare smaller layers with smaller ones
			if stated := n.climbed(nil, 0, neurons, draw); stated != nil {
				score, plain = stated.score, stated.plain()
			}
		}
		if least = math.Min(least, math.Min(t.score-score, t.plain()-plain)); least < 0 {
			break
		}
	}
	return least
}

// climbed returns the layer of a draw that suits the equations best, with an alteration or (nil)
// without one. It returns nil where no layer has any evidence.
func (n *nearby) climbed(a *alteration, x float64, neurons, draw int) *tried {
	s := n.search(n.frame.problem, a, x, neurons, draw)
	defer s.release()
	s.ascend(climbRounds, n.sites[0].activation)
	return s.best()
}

// draws is how many draws are compared.
const draws = 2

// search evaluates an alteration with the known layers.
func (n *nearby) search(p *system.Problem, a *alteration, x float64, neurons, draw int) *search {
	f := n.frame
	f.problem = p.ForNeurons(neurons)
	if a != nil {
		f.problem = a.at(f.problem, x)
	}
	s := newSearch(&f, n.config, neurons, nil)
	s.brief = true
	var list []site
	for i := range n.sites {
		list = append(list, n.sites[i].drawn(draw))
	}
	s.try(list...)
	return s
}

// find returns the best size of an alteration with few neurons, its gain in nats over the evidence
// without it, and a price to be subtracted because nobody knows the size: sizes within the bound are
// equally probable, so a size that must be found exactly gains less.
func (n *nearby) find(a *alteration, without float64) (size, gain, price float64) {
	if a.without {
		return 0, n.evidence(a, 0) - without, 0
	}
	step, far, bound := firstFactor, farFactor, widestFactor
	if a.term < 0 {
		step, far, bound = firstAdded, farAdded, widestAdded
	}
	seen := []abscissa{{x: 0, log: without}}
	look := func(x float64) {
		seen = append(seen, abscissa{x: x, log: n.evidence(a, x)})
		sortPlaces(seen)
	}
	look(-step)
	look(step)
	if !(without > math.Max(seen[0].log, seen[2].log)+sharp) {
		for _, x := range []float64{-bound, -far, far, bound} {
			look(x)
		}
	}
	for range nearbySteps {
		x, more := lookNext(seen, step)
		if !more {
			break
		}
		look(x)
	}
	k := highest(seen)
	return seen[k].x, seen[k].log - without, math.Max(0, mat.Log(2*bound)-logWidth(seen, k))
}

// logWidth is the logarithm of the integral of a density over its value at the best of several
// abscissae: by Laplace's approximation or, at either end, by an exponential tail. It is infinite
// where the density falls to neither side.
func logWidth(seen []abscissa, k int) float64 {
	if k > 0 && k < len(seen)-1 {
		_, curvature := vertex(seen[k-1 : k+2])
		if !(curvature > 0) {
			return math.Inf(1)
		}
		return 0.5 * (log2Pi - mat.Log(curvature))
	}
	neighbour := seen[max(k-1, 0)]
	if k == 0 {
		neighbour = seen[1]
	}
	slope := (seen[k].log - neighbour.log) / math.Abs(seen[k].x-neighbour.x)
	if !(slope > 0) {
		return math.Inf(1)
	}
	return -mat.Log(slope)
}

const (
	// sharp is by how many nats the evidence must fall to both sides for the equation to be about
	// right: then the far sizes are not tried.
	sharp = 10
	// worthwhile is the gain in nats below which a maximum is not sought.
	worthwhile = 2
	// Abscissae must be within finestStep first steps of the maximum, and within resolvedDrop nats
	// below it, before the parabola through them is trusted; then its top is evaluated if it promises
	// a gain.
	finestStep, resolvedDrop, promising = 0.25, 6, 0.3
)

// lookNext returns the next abscissa to evaluate, given those seen in order: halfway from the best
// to its neighbours until these are near, and then the top of the parabola through them.
func lookNext(seen []abscissa, step float64) (x float64, more bool) {
	k := highest(seen)
	best := seen[k]
	far := func(p abscissa) float64 {
		return math.Max(math.Abs(p.x-best.x)/(finestStep*step), (best.log-p.log)/resolvedDrop)
	}
	if k == 0 || k == len(seen)-1 {
		neighbour := seen[1]
		if k > 0 {
			neighbour = seen[k-1]
		}
		return 0.5 * (best.x + neighbour.x), far(neighbour) > 1
	}
	top, _ := vertex(seen[k-1 : k+2])
	if best.x == 0 {
		return top.x, top.log > best.log+worthwhile
	}
	switch below, above := far(seen[k-1]), far(seen[k+1]); {
	case math.Max(below, above) < 1:
		return top.x, top.log > best.log+promising
	case below > above:
		return 0.5 * (seen[k-1].x + best.x), true
	default:
		return 0.5 * (best.x + seen[k+1].x), true
	}
}

// highest returns the index of the largest log.
func highest(list []abscissa) int {
	k := 0
	for i := range list {
		if list[i].log > list[k].log {
			k = i
		}
	}
	return k
}

// vertex returns the top of the parabola through three abscissae, and its negative curvature there.
func vertex(p []abscissa) (abscissa, float64) {
	a, b := p[0].x-p[1].x, p[2].x-p[1].x
	u, v := (p[0].log-p[1].log)/a, (p[2].log-p[1].log)/b
	second := (v - u) / (b - a) // of log = p[1].log + slope d + second d^2
	slope := u - float64(second*a)
	if !(second < 0) {
		return p[1], 0
	}
	d := -slope / (2 * second)
	return abscissa{x: p[1].x + d, log: p[1].log - float64(float64(slope*slope)/(4*second))}, -2 * second
}

// better is an alteration with its best size, gain and price, see find.
type better struct {
	alteration
	size, gain, price float64
}

// mostThorough is how many of the best alterations are checked thoroughly.
const mostThorough = 3

// equationsNearby checks whether an equation similar to a stated one explains the readings better.
func (v *Verdict) equationsNearby(q *Posterior, p *system.Problem, z *sizes) {
	if q.nearby == nil {
		return
	}
	list, without := alterations(p, z), q.nearby.evidence(nil, 0)
	if len(list) == 0 || math.IsInf(without, -1) {
		return
	}
	limit := wrongEquation + mat.Log(float64(len(list)))
	var all []better
	for _, a := range list {
		size, gain, price := q.nearby.find(&a, without)
		all = append(all, better{a, size, gain, price})
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].gain-all[i].price > all[j].gain-all[j].price })
	best, most := &all[0], all[0].gain-all[0].price
	if most > limit {
		// Does the gain remain with as many neurons as the answer has, layers that suit either, and
		// noise as the problem states it?
		most = math.Inf(-1)
		for i := range all[:min(len(all), mostThorough)] {
			b := &all[i]
			if gain := math.Min(q.nearby.gain(&b.alteration, b.size), b.gain) - b.price; gain > most {
				best, most = b, gain
			}
			if most > limit {
				break
			}
		}
	}
	if math.IsInf(most, -1) { // no layer has any evidence
		return
	}
	name := system.Label{Kind: system.Equations, Number: best.equation, Name: p.Equations[best.equation].Name}.String()
	v.add("equation", name+", "+best.name(p), most, limit, fmt.Sprintf("the readings are explained better (by %.1f nats) if %s %s: is a coefficient wrong, or is a term missing?", most, name, best.words(p, best.size)))
}

// name names the term.
func (a *alteration) name(p *system.Problem) string {
	if a.term < 0 {
		return p.DerivativeName(&a.further)
	}
	return p.DerivativeName(&p.Equations[a.equation].Residual.Terms[a.term])
}

// words describes the alteration.
func (a *alteration) words(p *system.Problem, x float64) string {
	if a.term < 0 {
		return fmt.Sprintf("also has the term %.2g*%s on its left", x*a.unit, a.name(p))
	}
	if a.without {
		return fmt.Sprintf("has no term in %s", a.name(p))
	}
	return fmt.Sprintf("has its term in %s times %.2g", a.name(p), mat.Exp(x))
}
