package spec

import "github.com/bpielm/bpielm/system"

// allOccur refuses fields and parameters that no equation, condition or sensor
// contains. Probably a name was mistyped.
func (d *document) allOccur(p *system.Problem) error {
	fields, parameters := make([]bool, len(p.Fields)), make([]bool, len(p.Parameters))
	var see func(f *system.Functional)
	see = func(f *system.Functional) {
		for _, t := range f.Terms {
			fields[t.Field] = true
		}
		for _, t := range f.Parameters {
			parameters[t.Parameter] = true
		}
		if f.Nonlinear != nil {
			for i := range f.Nonlinear.Of {
				see(&f.Nonlinear.Of[i])
			}
		}
	}
	for _, e := range p.Demands() {
		see(&e.Residual)
	}
	for i := range p.Sensors {
		see(&p.Sensors[i].Measures)
	}
	for i, seen := range fields {
		if !seen {
			return d.refuse("fields", "no equation, condition or sensor contains %s", p.Fields[i])
		}
	}
	for i := range p.Coefficients {
		if name := p.Coefficients[i].Name; !d.scope.occurring[name] {
			return d.refuse(join("parameters", name), "no equation, condition or sensor contains %s", name)
		}
	}
	for i, seen := range parameters {
		if !seen {
			return d.refuse(join("parameters", p.Parameters[i].Name), "no equation, condition or sensor contains %s", p.Parameters[i].Name)
		}
	}
	return nil
}
