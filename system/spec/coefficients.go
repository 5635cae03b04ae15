package spec

import (
	"fmt"
	"slices"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// maxCoefficients is the largest number of coefficients.
const maxCoefficients = 8

// holding is the error of an expression that is linear only if a parameter is held fixed. That parameter must be a
// coefficient.
type holding struct {
	parameter string
	where     error
}

func (h *holding) Error() string { return h.where.Error() }

// readParameters reads the priors of the parameters. A parameter is a coefficient if the problem is not linear in it,
// or if its prior is not normal. posterior.Ranged finds a range for a coefficient without a prior.
func (d *document) readParameters(f *File, parameters section, names []string) error {
	for _, name := range names {
		s := parameters.inner(name)
		if err := s.quantity(f, name); err != nil {
			return err
		}
		c, err := s.prior(name)
		if err != nil {
			return err
		}
		if !d.held[name] && !s.has("min") && !s.has("median") {
			d.scope.parameters = append(d.scope.parameters, name)
			f.Problem.Parameters = append(f.Problem.Parameters, system.Parameter{Name: name, Mean: c.Mean, SD: c.SD})
			continue
		}
		d.scope.coefficients = append(d.scope.coefficients, c)
		if n := len(d.scope.coefficients); n > maxCoefficients {
			return s.refuse(s.name, "%d parameters are not linear, or bounded; at most %d can be", n, maxCoefficients)
		}
	}
	f.Problem.Coefficients = slices.Clone(d.scope.coefficients)
	return nil
}

// prior reads the prior of a parameter.
func (s section) prior(name string) (c system.Coefficient, err error) {
	c.Name = name
	if err := s.onePrior(); err != nil {
		return c, err
	}
	for _, number := range []struct {
		key string
		to  *float64
	}{{"min", &c.Min}, {"max", &c.Max}, {"median", &c.Median}, {"factor", &c.Factor}, {"mean", &c.Mean}, {"sd", &c.SD}} {
		if *number.to, err = s.number(number.key, 0); err != nil {
			return c, err
		}
	}
	switch {
	case s.has("sd") && !(c.SD > 0):
		return c, s.refuse(join(s.name, "sd"), "found %g; a positive number is expected", c.SD)
	case s.has("min") && !(c.Min < c.Max):
		return c, s.refuse(join(s.name, "max"), "found %g; a number above min, %g, is expected", c.Max, c.Min)
	case s.has("median") && !(c.Median > 0):
		return c, s.refuse(join(s.name, "median"), "found %g; a positive number is expected", c.Median)
	case s.has("median") && !(c.Factor > 1):
		return c, s.refuse(join(s.name, "factor"), "found %g; a number above 1 is expected: two thirds of the probability are to lie between median/factor and median*factor", c.Factor)
	}
	return c, nil
}

// onePrior checks that the keys of at most one prior are there, and all of them.
func (s section) onePrior() error {
	first := "" // key found
	for _, pair := range [][2]string{{"min", "max"}, {"median", "factor"}, {"mean", "sd"}} {
		for i, key := range pair {
			if !s.has(key) {
				continue
			}
			if other := pair[1-i]; !s.has(other) && key != "sd" {
				return s.refuse(join(s.name, key), "%s needs %s, too", key, other)
			}
			if first != "" && first != pair[0] && first != pair[1] {
				return s.refuse(join(s.name, key), "%s is given, too; what is known of a parameter is one of min and max, median and factor, mean and sd", first)
			}
			if first == "" {
				first = key
			}
		}
	}
	return nil
}

// demand is a functional that must be finite at its points for all values of the coefficients.
type demand struct {
	section section
	key     string
	f       *system.Functional
	points  *mat.Dense
}

// meansSomething refuses expressions that are not finite for all likely values of the coefficients. It tries both ends of
// each coefficient's prior.
func (d *document) meansSomething(p *system.Problem) error {
	if slices.ContainsFunc(p.Coefficients, func(c system.Coefficient) bool { return c.Open() }) {
		return nil // Ranged looks for values for which it is finite
	}
	for i := range p.Coefficients {
		c := &p.Coefficients[i]
		farthest := likely
		if c.Min < c.Max { // up to the bounds
			farthest = bounded
		}
		for _, z := range []float64{-farthest, farthest} {
			values := make([]float64, len(p.Coefficients))
			for k := range values {
				values[k] = p.Coefficients[k].Value(0)
			}
			values[i] = c.Value(z)
			for _, one := range d.demands {
				f := one.f.With(values)
				if err := finiteFunctional(&f, p, one.points); err != nil {
					return one.section.wrong(one.key, fmt.Errorf("%s = %g is possible, but then %w", c.Name, values[i], err))
				}
			}
		}
	}
	return nil
}

// A coefficient is tried at this many standard deviations, on the scale of Coefficient.Value, from its median. At
// bounded, double precision has reached its bounds.
const likely, bounded = 4.0, 40.0
