package spec

import (
	"fmt"
	"slices"

	"github.com/bpielm/bpielm/system"
)

// affine is an expression that is affine in the unknowns: a sum of known coefficients
// times unknowns, plus a known part (nil: none).
type affine struct {
	terms []linearTerm
	known *node
}

// linearTerm is coefficient(x) times an unknown: a derivative of a field, or a
// parameter.
type linearTerm struct {
	unknown     *node
	coefficient *node
}

// split expands an expression into terms, in the order in which their unknowns first
// appear. If a part is not linear, the error names it.
func split(n *node) (affine, error) {
	switch n.operation {
	case field, parameter:
		return affine{terms: []linearTerm{{n, literal(1)}}}, nil
	case negation:
		a, err := split(n.operands[0])
		return a.each(negated), err
	case addition, subtraction:
		return splitSum(n)
	case multiplication:
		return splitProduct(n)
	case division:
		return splitQuotient(n)
	case exponentiation, application:
		if unknown := n.mentions(field, parameter); unknown != nil {
			return affine{}, nonlinear(n, n.mentions(parameter), "it puts the unknown %s into a %s", unknown.name, map[bool]string{true: "function", false: "power"}[n.operation == application])
		}
	}
	return affine{known: n}, nil
}

// each applies a linear operation to all coefficients and to the known part.
func (a affine) each(f func(*node) *node) affine {
	b := affine{terms: make([]linearTerm, len(a.terms))}
	for i, t := range a.terms {
		b.terms[i] = linearTerm{t.unknown, f(t.coefficient)}
	}
	if a.known != nil {
		b.known = f(a.known)
	}
	return b
}

func splitSum(n *node) (affine, error) {
	// A long sum is nested to the left. Its right operands are added one by one to a
	// single list of terms, so that the work is linear in their number.
	var right []*node
	for n.operation == addition || n.operation == subtraction {
		right = append(right, n)
		n = n.operands[0]
	}
	total, err := split(n)
	if err != nil {
		return affine{}, err
	}
	at := map[string]int{}
	for i, t := range total.terms {
		at[t.key()] = i
	}
	for _, n := range slices.Backward(right) {
		combine := plus
		if n.operation == subtraction {
			combine = minus
		}
		b, err := split(n.operands[1])
		if err != nil {
			return affine{}, err
		}
		for _, t := range b.terms {
			key := t.key()
			if i, ok := at[key]; ok {
				total.terms[i].coefficient = combine(total.terms[i].coefficient, t.coefficient)
				continue
			}
			at[key] = len(total.terms)
			total.terms = append(total.terms, linearTerm{t.unknown, combine(nil, t.coefficient)})
		}
		total.known = combine(total.known, b.known)
	}
	return total, nil
}

// key is the same for the same unknown: u_xy is u_yx.
func (t *linearTerm) key() string {
	return fmt.Sprint(t.unknown.operation, t.unknown.index, t.unknown.orders)
}

func splitProduct(n *node) (affine, error) {
	a, err := split(n.operands[0])
	if err != nil {
		return affine{}, err
	}
	b, err := split(n.operands[1])
	if err != nil {
		return affine{}, err
	}
	switch {
	case len(b.terms) == 0:
		return a.each(func(c *node) *node { return times(c, b.known) }), nil
	case len(a.terms) == 0:
		return b.each(func(c *node) *node { return times(a.known, c) }), nil
	}
	// Hold a parameter fixed: in the factor with fewer terms, if that will do.
	fewer, other := &a, &b
	if len(b.terms) < len(a.terms) {
		fewer, other = &b, &a
	}
	held := fewer.first(parameter)
	if other.first(parameter) != nil && (held == nil || fewer.first(field) != nil) {
		held = other.first(parameter)
	}
	return affine{}, nonlinear(n, held, "it multiplies the unknowns %s and %s", a.terms[0].unknown.name, b.terms[0].unknown.name)
}

// first returns the first unknown of a kind, or nil.
func (a *affine) first(kind operation) *node {
	for _, t := range a.terms {
		if t.unknown.operation == kind {
			return t.unknown
		}
	}
	return nil
}

func splitQuotient(n *node) (affine, error) {
	if unknown := n.operands[1].mentions(field, parameter); unknown != nil {
		return affine{}, nonlinear(n, n.operands[1].mentions(parameter), "it divides by the unknown %s", unknown.name)
	}
	a, err := split(n.operands[0])
	return a.each(func(c *node) *node { return over(c, n.operands[1]) }), err
}

// notLinear says why an expression is not linear in the unknowns. held names a parameter that would make it linear, or
// at least closer to that, if it were a coefficient. It is "" if there is none.
type notLinear struct{ text, why, held string }

func (e *notLinear) Error() string {
	return fmt.Sprintf("%q is not linear in the unknowns: %s", e.text, e.why)
}

func nonlinear(n, held *node, format string, args ...any) error {
	e := &notLinear{text: shorten(n.String()), why: fmt.Sprintf(format, args...)}
	if held != nil {
		e.held = held.name
	}
	return e
}

// maxExpanded is the largest number of nodes of all terms together. A product of long
// sums expands into far more nodes than its text has characters.
const maxExpanded = 200_000

// size counts the nodes of all terms.
func (a *affine) size() int {
	total := 0
	for _, t := range a.terms {
		total += t.coefficient.size()
	}
	if a.known != nil {
		total += a.known.size()
	}
	return total
}

// functional compiles an affine expression. It leaves out terms that cancel.
func (a *affine) functional() system.Functional {
	f := system.Functional{}
	for _, t := range a.terms {
		coefficient := t.coefficient.function()
		switch coefficient {
		case system.Constant(0):
			continue
		case system.Constant(1):
			coefficient = nil
		}
		if t.unknown.operation == parameter {
			f.Parameters = append(f.Parameters, system.ParameterTerm{Parameter: t.unknown.index, Coefficient: coefficient})
			continue
		}
		derivative := t.unknown.orders
		if !slices.ContainsFunc(derivative, func(order int) bool { return order > 0 }) {
			derivative = nil
		}
		f.Terms = append(f.Terms, system.Term{Field: t.unknown.index, Derivative: derivative, Coefficient: coefficient})
	}
	if a.known != nil {
		if known := a.known.function(); known != system.Function(system.Constant(0)) {
			f.Known = known
		}
	}
	return f
}
