package posterior

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// The posterior of a nonlinear problem is Gaussian about its mode, or a mixture of such. That is right where the equations
// are linear as far as the solution is uncertain. Whether they are can be seen: about a draw from the posterior instead of
// its mean they would be linearised to something else, and the answers would be others.

const (
	// curvatureDraws is the number of draws. Answers may differ by curved standard deviations in the root mean square:
	// the means of a Laplace approximation are off by about as much.
	curvatureDraws = 8
	curved         = 0.7
	slightlyCurved = 0.4 // worth a note
	// After straightDraws that differ by straight at most, no more are needed: for another result one of the others would
	// have to differ five times as much, at least.
	straightDraws = 3
	straight      = slightlyCurved / 4
	curvatureSeed = 0x637572766564
	// Where the Gaussians of mostlyDrawn of the layers have been corrected by draws, the linearisation does not matter.
	mostlyDrawn = 0.5
)

// curvature looks at how far the problem is from linear where its solution may be.
func (v *Verdict) curvature(l *linearisation) error {
	if l.drawn >= mostlyDrawn {
		v.Checks = append(v.Checks, Check{Kind: "nonlinear", Status: Passed, Limit: curved})
		return nil
	}
	o, z := l.outer, []float64(nil)
	if o == nil {
		o = outerOf(l, nil)
	} else {
		z = l.explored.z
	}
	n := o.given(z, l.neurons, l.site)
	from, base, err := o.curvatureBase(n)
	if err != nil {
		return err
	}
	n.hold = n.config.Patches != nil
	random := rand.New(rand.NewPCG(curvatureSeed, l.config.Seed))
	sum, defined, none := 0.0, 0, 0
	for k := range curvatureDraws {
		if k == straightDraws && defined == k && sum <= float64(float64(straight*straight)*straightDraws) {
			break
		}
		drawn := from.drawn(random)
		n.at = linearised(l.of, o.stateOf(drawn, n.values), o.numbersAt(drawn, n.values))
		_, at, err := o.answers(n)
		var data *DataError
		if errors.As(err, &data) { // as a square root of what may be negative
			none++
			continue
		}
		if err != nil {
			return err
		}
		moved := at.movedFrom(base)
		sum = mat.FMA(moved, moved, sum)
		defined++
	}
	if none > 0 {
		v.add("nonlinear", "defined", float64(none)/curvatureDraws, 0, fmt.Sprintf("within the uncertainty of the solution there are places where the equations have no value or no finite derivative, such as the root of something negative: so it is at %d of %d draws from the posterior. The bands are not to be believed there; more readings, or more exact ones, would help", none, curvatureDraws))
	}
	value := math.Sqrt(sum / float64(max(defined, 1)))
	if defined == 0 {
		return nil
	}
	c := len(v.Checks)
	v.add("nonlinear", "", value, curved, fmt.Sprintf("the equations are far from linear within the uncertainty of the solution: linearised at draws from the posterior instead of its mean, they give answers that differ by %.1f of their standard deviations. The bands are not to be believed; more readings, or more exact ones, would help", value))
	if value > slightlyCurved && value <= curved {
		v.Checks[c].Status = Note
		v.Checks[c].Message = fmt.Sprintf("the equations are not quite linear within the uncertainty of the solution: the bands are approximate, and answers may be off by about %.1f of their standard deviations", value)
	}
	return nil
}

// solutions notes that the posterior is about several.
func (v *Verdict) solutions(q *Posterior) {
	others := 1.0
	for i := range q.only.components {
		others -= q.components[i].weight
	}
	if others > negligibleComponent {
		v.Checks = append(v.Checks, Check{Kind: "nonlinear", Name: "solutions", Status: Note, Value: others, Limit: negligibleComponent,
			Message: fmt.Sprintf("the equations have several solutions that the readings allow: those beside the most probable one have a probability of %.0f %%", 100*others)})
	}
}

// apart judges the parameters where those in nonlinear terms were apart from the fields, and were given in the problem that the other
// checks are of.
func (v *Verdict) apart(q *Posterior, l *linearisation) {
	v.Checks = slices.DeleteFunc(v.Checks, func(c Check) bool { return c.Kind == "parameter" })
	first := *q
	first.coefficients = nil // they are parameters of the problem to first order
	v.parameters(&first, l.problem, l.outer.wide)
}

// curvatureBase returns the posterior that draws are made from, and the answers they are compared with. Where parameters are
// outer ones, both are for their mean.
func (o *outer) curvatureBase(n *newton) (*Posterior, *answers, error) {
	n.at = linearised(o.l.of, o.l.state, o.l.z)
	if o.parameters == nil {
		_, a, err := o.answers(n)
		return o.l.linear, a, err
	}
	if err := o.settle(n); err != nil {
		return nil, nil, err
	}
	return o.answers(n)
}

// drawn is a posterior whose mean is a draw from q.
func (q *Posterior) drawn(random *rand.Rand) *Posterior {
	c := q.components[q.pick(random)]
	noise := make([]float64, c.rootColumns())
	fillNormal(random, noise)
	c.mean, c.weight = c.at(noise), 1
	d := *q
	d.components, d.coefficients = []component{c}, nil
	return &d
}

// answers are those of the layer where the problem is linearised.
func (o *outer) answers(n *newton) (*Posterior, *answers, error) {
	q, s, err := n.step(0, false, true)
	if err != nil {
		return nil, nil, err
	}
	defer s.release()
	a, err := s.frame.answers(q)
	return q, a, err
}
