package posterior

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// undefined says where an expression has no value, such as the logarithm of a field that is negative there, if that is
// why a problem cannot be solved near the present state.
func (n *newton) undefined(err error) error {
	var data *DataError
	if !errors.As(err, &data) {
		return err
	}
	var near []*system.Demand
	for _, e := range n.at.problem.Demands() {
		near = append(near, e)
	}
	for label, e := range n.problem.Demands() {
		if why := n.notFinite(&e.Residual, &near[label.Index].Residual, e.Points); why != "" {
			return dataError(label.String(), "%s", why)
		}
	}
	for i := range n.problem.Sensors {
		g := &n.problem.Sensors[i]
		if why := n.notFinite(&g.Measures, &n.at.problem.Sensors[i].Measures, g.Points); why != "" {
			return dataError(fmt.Sprintf("sensors %q", g.Name), "%s", why)
		}
	}
	return err
}

// notFinite names the first point where a functional is not finite, and what it is a function of there. near is the
// functional to first order.
func (n *newton) notFinite(f, near *system.Functional, points *mat.Dense) string {
	if f.Nonlinear == nil {
		return ""
	}
	known := make([]float64, points.Rows())
	near.Known.EvalTo(known, points) // made of the value and of all derivatives
	i := slices.IndexFunc(known, func(v float64) bool { return !finite(v) })
	if i < 0 {
		return ""
	}
	point, at, where := points.Slice(i, i+1, 0, points.Cols()), "", ""
	for d, v := range n.problem.Variables {
		at += fmt.Sprintf(", %s = %.6g", v.Name, point.At(0, d))
	}
	value := make([]float64, 1)
	here := f.With(n.at.coefficients())
	for j := range here.Nonlinear.Of {
		of := &here.Nonlinear.Of[j]
		name := "a function"
		switch {
		case len(of.Terms) > 0:
			name = n.problem.DerivativeName(&of.Terms[0])
		case len(of.Parameters) > 0:
			name = n.problem.Parameters[of.Parameters[0].Parameter].Name
		}
		n.at.state.ValueTo(value, of, point)
		where += fmt.Sprintf(", %s = %.3g", name, value[0])
	}
	return fmt.Sprintf("what is not linear, or its derivative, is not finite at %s, where the search for the solution came to %s", at[2:], where[2:])
}
