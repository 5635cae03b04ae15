package spec

import (
	"fmt"
	"slices"

	"github.com/bpielm/bpielm/system"
)

// curved says that an expression is not linear in the fields. The file is then read once more, as that of a nonlinear
// problem: parameters may then stand anywhere without being coefficients.
type curved struct{}

func (curved) Error() string { return "the problem is not linear" }

// nonlinear makes a functional of an expression whose linear terms are kept apart from the others.
func (s *scope) nonlinear(n *node) (system.Functional, error) {
	linear, rest := affine{}, (*node)(nil)
	at := map[string]int{}
	for _, a := range addends(n, false) {
		part, err := split(a)
		if err != nil || part.size() > maxExpanded {
			rest = plus(rest, a)
			continue
		}
		for _, t := range part.terms {
			if i, ok := at[t.key()]; ok {
				linear.terms[i].coefficient = plus(linear.terms[i].coefficient, t.coefficient)
				continue
			}
			at[t.key()] = len(linear.terms)
			linear.terms = append(linear.terms, t)
		}
		if part.known != nil {
			linear.known = plus(linear.known, part.known)
		}
	}
	f := linear.functional()
	if rest == nil {
		return f, nil
	}
	var err error
	f.Nonlinear, err = s.smooth(rest)
	return f, err
}

// addends returns what an expression is the sum of, each with its sign.
func addends(n *node, minus bool) []*node {
	switch n.operation {
	case negation:
		return addends(n.operands[0], !minus)
	case addition, subtraction:
		list := addends(n.operands[0], minus)
		return append(list, addends(n.operands[1], minus != (n.operation == subtraction))...)
	}
	if minus {
		n = negated(n)
	}
	return []*node{n}
}

// smooth compiles an expression and its derivatives with respect to the fields, their derivatives, and the parameters
// that it has.
func (s *scope) smooth(n *node) (*system.Nonlinear, error) {
	if n.normalsOf() != nil {
		return nil, fmt.Errorf("%q is not linear, and depends on the normal: the derivative along the normal may only stand in linear terms", shorten(n.String()))
	}
	unknowns := n.unknowns()
	f, total := &system.Nonlinear{}, n.size()
	for _, u := range unknowns {
		one := affine{terms: []linearTerm{{u, literal(1)}}}
		f.Of = append(f.Of, one.functional())
		slope, err := differentiate(n, func(leaf *node) (*node, error) {
			if leaf.same(u) {
				return literal(1), nil
			}
			return nil, nil
		})
		if err != nil {
			return nil, fmt.Errorf("%q is not linear in %s, and %w", shorten(n.String()), u.name, err)
		}
		var partial system.Function
		if slope != nil {
			if total += slope.size(); total > maxExpanded {
				return nil, fmt.Errorf("%q and its derivatives with respect to the unknowns have more than %d parts", shorten(n.String()), maxExpanded)
			}
			partial = s.extended(slope, unknowns).function()
		}
		f.Partials = append(f.Partials, partial)
	}
	f.Value = s.extended(n, unknowns).function()
	return f, nil
}

// unknowns returns the fields, derivatives and parameters in an expression, each once.
func (n *node) unknowns() (list []*node) {
	n.collect(func(leaf *node) {
		if (leaf.operation == field || leaf.operation == parameter) && !slices.ContainsFunc(list, leaf.same) {
			list = append(list, leaf)
		}
	})
	return list
}

// extended puts further coordinates of a place, after the variables, for unknowns.
func (s *scope) extended(n *node, unknowns []*node) *node {
	if i := slices.IndexFunc(unknowns, n.same); i >= 0 {
		return &node{operation: variable, name: n.name, index: len(s.variables) + i}
	}
	if len(n.operands) == 0 {
		return n
	}
	m := *n
	m.operands = make([]*node, len(n.operands))
	for i, operand := range n.operands {
		m.operands[i] = s.extended(operand, unknowns)
	}
	return &m
}

// same tells whether two nodes are the same unknown.
func (n *node) same(m *node) bool {
	return n.operation == m.operation && (n.operation == field || n.operation == parameter) && n.index == m.index && slices.Equal(n.orders, m.orders)
}

// collect calls f with the leaves of a tree.
func (n *node) collect(f func(*node)) {
	if len(n.operands) == 0 {
		f(n)
	}
	for _, operand := range n.operands {
		operand.collect(f)
	}
}
