package posterior

import (
	"errors"
	"fmt"
	"math"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// A parameter that multiplies a function of an uncertain field may be far from where the Gaussian about the joint mode has
// it. At the mode the field is the one that suits the parameter best, and with as many degrees of freedom as readings it
// hides the effect of the parameter: the strength of a nonlinear term comes out too small. The evidence of the readings with
// the parameter given does not have that bias, since the field is integrated out (Tierney & Kadane, Accurate approximations for
// posterior moments and marginal densities, J. Am. Stat. Assoc. 81, 1986). So it is compared at the mean with what it is to
// either side, where by the Gaussian it has fallen by half the square of strengthReach.

const (
	// strengthReach is how far to either side, in standard deviations. By strengthNats the evidence may be larger there than
	// at the mean: the layers that suit different values differ by luck.
	strengthReach, strengthNats = 2.5, 3
	// givenSteps follow the solution to the given value with the layer that there is, then layers are searched for.
	givenSteps = 2
)

// strengths compares the evidence of each parameter that stands in a nonlinear term with that of values to either side.
func (v *Verdict) strengths(l *linearisation) error {
	if l.drawn >= mostlyDrawn {
		return nil
	}
	for _, j := range bentParameters(l.of) {
		mean, sd := l.linear.parameter(j).moments()
		at := func(sds float64) (float64, error) { return l.evidenceGiven(j, mean+float64(sds*sd)) }
		middle, err := at(0)
		if without(err) {
			continue
		}
		if err != nil {
			return err
		}
		gain, side := math.Inf(-1), 0.0
		for _, by := range []float64{-strengthReach, strengthReach} {
			there, err := at(by)
			if without(err) { // no solution there
				continue
			}
			if err != nil {
				return err
			}
			if there-middle > gain {
				gain, side = there-middle, by
			}
		}
		name := l.problem.Parameters[j].Name
		value := mean + float64(side*sd)
		if i := j - len(l.of.Parameters); i >= 0 {
			value = l.of.Coefficients[i].Value(value)
		}
		v.add("nonlinear", name, gain, strengthNats, fmt.Sprintf("%s is not where its interval says: with %s = %.3g, the readings are explained better by %.1f nats than at its mean. Its interval is not to be believed; more readings, or more exact ones, would help, and so would a narrower prior", name, name, value, gain))
	}
	return nil
}

// without tells whether an error says that there is no solution.
func without(err error) bool {
	var (
		data  *DataError
		pivot *mat.NotPositiveDefiniteError
	)
	return errors.As(err, &data) || errors.As(err, &pivot)
}

// bentParameters lists the parameters of the linearised problem that stand in nonlinear terms: those of the functionals in
// them, and the numbers of all coefficients.
func bentParameters(p *system.Problem) (list []int) {
	in := make([]bool, len(p.Parameters))
	mark := func(f *system.Functional) {
		if f.Nonlinear == nil {
			return
		}
		for _, of := range f.Nonlinear.Of {
			for _, t := range of.Parameters {
				in[t.Parameter] = true
			}
		}
	}
	for _, e := range p.Demands() {
		mark(&e.Residual)
	}
	for i := range p.Sensors {
		mark(&p.Sensors[i].Measures)
	}
	for i, bent := range in {
		if bent {
			list = append(list, i)
		}
	}
	for k := range p.Coefficients {
		list = append(list, len(p.Parameters)+k)
	}
	return list
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

// evidenceGiven is the log evidence of the best layer with a parameter of the linearised problem given, linearised about the
// solution there.
func (l *linearisation) evidenceGiven(j int, value float64) (float64, error) {
	n := &newton{problem: l.of, config: l.config, neurons: l.neurons, sites: []site{l.site}, known: []int{j}, values: []float64{value}}
	n.config.Progress, n.sigma = nil, make([]float64, len(l.of.Sensors))
	n.at = linearised(l.of, l.state, l.z)
	log := 0.0
	for k := range givenSteps + 2 {
		q, s, err := n.step(0, k == givenSteps, true)
		if err != nil {
			return 0, err
		}
		log = s.best().score
		s.release()
		n.at = linearised(l.of, givenState{meanState{q}, n.known, n.values}, l.numbersGiven(q, j, value))
	}
	return log, nil
}

// numbersGiven are those of the coefficients at the mean of a posterior of the linearised problem with parameter j given.
func (l *linearisation) numbersGiven(q *Posterior, j int, value float64) []float64 {
	first, z := len(l.of.Parameters), make([]float64, len(l.z))
	for k := range q.components {
		c := &q.components[k]
		at := len(c.mean) - len(z) // what is given has no column
		if j >= first {
			at++
		}
		for i := range z {
			if first+i == j {
				z[i] = value
				continue
			}
			z[i] += float64(c.weight * c.mean[at])
			at++
		}
	}
	return z
}
