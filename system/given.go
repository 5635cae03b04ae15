package system

import "slices"

// Given returns the problem with some of its parameters, listed by index in ascending order, at known values. The others
// keep their order and move up.
func (p *Problem) Given(parameters []int, values []float64) *Problem {
	q := *p
	q.Parameters = nil
	for i, v := range p.Parameters {
		if !slices.Contains(parameters, i) {
			q.Parameters = append(q.Parameters, v)
		}
	}
	q.Equations, q.Conditions = slices.Clone(p.Equations), slices.Clone(p.Conditions)
	for _, e := range q.Demands() {
		e.Residual = e.Residual.Given(parameters, values)
	}
	q.Sensors = slices.Clone(p.Sensors)
	for i := range q.Sensors {
		q.Sensors[i].Measures = q.Sensors[i].Measures.Given(parameters, values)
	}
	return &q
}

// Given returns the functional with some parameters known, as one of Problem.Given.
func (f *Functional) Given(parameters []int, values []float64) Functional {
	g := *f
	g.Parameters = nil
	for _, t := range f.Parameters {
		before, known := slices.BinarySearch(parameters, t.Parameter)
		if known {
			g.Known = sum(g.Known, Scaled(t.Coefficient, values[before]))
			continue
		}
		t.Parameter -= before
		g.Parameters = append(g.Parameters, t)
	}
	if n := f.Nonlinear; n != nil {
		m := *n
		m.Of = nil
		for i := range n.Of {
			m.Of = append(m.Of, n.Of[i].Given(parameters, values))
		}
		g.Nonlinear = &m
	}
	return g
}
