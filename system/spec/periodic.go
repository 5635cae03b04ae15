package spec

import (
	"fmt"
	"slices"

	"github.com/bpielm/bpielm/system"
)

// periodic reads a condition that something is the same at both ends of a
// variable's range: periodic = "x", of = "u_x".
func (s section) periodic(p *system.Problem, seed uint64) (e system.Demand, err error) {
	for _, key := range []string{"on", "where", "equals"} {
		if s.has(key) {
			return e, s.refuse(join(s.name, key), "a periodic condition has none: it says that what stands in of is the same at both ends")
		}
	}
	which, err := s.periodicVariable(p)
	if err != nil {
		return e, err
	}
	if !s.has("of") {
		return e, s.missing(`of = "%s" is missing: what is the same at both ends`, p.Fields[0])
	}
	text, err := s.text("of")
	if err != nil {
		return e, err
	}
	n, err := s.scope.expression(text)
	if err != nil {
		return e, s.wrong("of", err)
	}
	f, err := s.linear("of", text, n)
	if err != nil {
		return e, err
	}
	if e.Residual, err = acrossPeriod(&f, p, which); err != nil {
		return e, s.wrong("of", err)
	}
	if err = s.strictness(&e); err != nil {
		return e, err
	}
	count, err := s.conditionPoints(p)
	if err != nil {
		return e, err
	}
	v := &p.Variables[which]
	if e.Points, err = across(p.Variables, p.Domain, which, v.Min, count, seed); err != nil {
		return e, s.wrong("periodic", err)
	}
	e.Name = v.Name + ", periodic"
	return e, s.finite("of", &f, p, e.Points)
}

// periodicVariable returns the number of the variable whose range is a period.
func (s section) periodicVariable(p *system.Problem) (int, error) {
	name, err := s.text("periodic")
	if err != nil {
		return 0, err
	}
	names := s.scope.variables
	which := slices.Index(names, name)
	if which < 0 {
		return 0, s.wrong("periodic", fmt.Errorf("%s is no variable%s", shorten(name), didYouMean(name, names, are("variable", names))))
	}
	if p.Variables[which].Log {
		return 0, s.refuse(join(s.name, "periodic"), "the axis of %s is logarithmic: it has no period", name)
	}
	return which, nil
}

// acrossPeriod returns a functional at the lower end of a variable's range, minus the
// same at the upper end. Its coefficients should be periodic, too: those of the lower
// end are used.
func acrossPeriod(f *system.Functional, p *system.Problem, which int) (system.Functional, error) {
	if f.Known != nil || len(f.Parameters) > 0 || f.Nonlinear != nil {
		return system.Functional{}, fmt.Errorf("only fields and their derivatives, times coefficients, can be compared with themselves")
	}
	period := make([]float64, len(p.Variables))
	period[which] = p.Variables[which].Max - p.Variables[which].Min
	end := system.Shifted(period...)
	g := system.Functional{Terms: append([]system.Term(nil), f.Terms...)}
	for _, t := range f.Terms {
		t.Coefficient, t.Footprint = system.Negative(t.Coefficient), end
		g.Terms = append(g.Terms, t)
	}
	return g, nil
}
