package spec

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bpielm/bpielm/system"
)

// expression reads a text that must be a single expression.
func (s *scope) expression(text string) (*node, error) {
	parts, err := parse(text)
	if err != nil {
		return nil, err
	}
	if len(parts.Parts) != 1 || len(parts.Parts[0].Rest) != 0 {
		return nil, fmt.Errorf("%q is not one expression: =, <, > and \"and\" have no place here", shorten(text))
	}
	return s.sum(parts.Parts[0].First)
}

// known reads an expression of variables and constants only.
func (s *scope) known(text string) (*node, error) {
	n, err := s.expression(text)
	if err != nil {
		return nil, err
	}
	return n, onlyKnown(n)
}

// onlyKnown refuses an expression with a field, a parameter or a coefficient.
func onlyKnown(n *node) error {
	if unknown := n.mentions(field, parameter, coefficient); unknown != nil {
		return unknownHere(unknown.name)
	}
	return nil
}

func unknownHere(name string) error {
	return fmt.Errorf("%s is unknown; only variables, constants and functions of them are possible here", name)
}

// value reads an expression of constants only and returns its value, which must be
// finite.
func (s *scope) value(text string) (float64, error) {
	only := *s
	only.onlyConstants = true
	n, err := only.known(text)
	if err != nil {
		return 0, err
	}
	if v := n.mentions(variable); v != nil {
		return 0, fmt.Errorf("%s is a variable; a constant is expected here", v.name)
	}
	v := compile(n).at(nil)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%q is %g; a finite number is expected", shorten(text), v)
	}
	return v, nil
}

// equation reads left = right.
func (s *scope) equation(text string) (left, right *node, err error) {
	parts, err := parse(text)
	if err != nil {
		return nil, nil, err
	}
	c := parts.Parts[0]
	if len(parts.Parts) != 1 || len(c.Rest) != 1 || c.Rest[0].Operator != "=" {
		return nil, nil, fmt.Errorf("%q is not an equation: one = is expected between two expressions", shorten(text))
	}
	if left, err = s.sum(c.First); err != nil {
		return nil, nil, err
	}
	right, err = s.sum(c.Rest[0].Side)
	return left, right, err
}

// inequality is lesser < greater, or <= when orEqual.
type inequality struct {
	lesser, greater *node
	orEqual         bool
}

// inequalities reads inequalities joined with "and". Each may be a chain, such as
// 0 < x < 1.
func (s *scope) inequalities(text string) ([]inequality, error) {
	parts, err := parse(text)
	if err != nil {
		return nil, err
	}
	var all []inequality
	for _, c := range parts.Parts {
		if len(c.Rest) == 0 {
			return nil, fmt.Errorf("%q is not an inequality: <, <=, > or >= is expected between two expressions", shorten(text))
		}
		left, err := s.sum(c.First)
		if err != nil {
			return nil, err
		}
		for _, r := range c.Rest {
			right, err := s.sum(r.Side)
			if err != nil {
				return nil, err
			}
			switch r.Operator {
			case "<", "<=":
				all = append(all, inequality{left, right, r.Operator == "<="})
			case ">", ">=":
				all = append(all, inequality{right, left, r.Operator == ">="})
			default:
				return nil, fmt.Errorf("%q is not an inequality: an inside needs <, <=, > or >=", shorten(text))
			}
			left = right
		}
	}
	return all, nil
}

func (s *scope) sum(e *sum) (*node, error) {
	n, err := s.product(e.First)
	for i := 0; err == nil && i < len(e.Rest); i++ {
		var right *node
		right, err = s.product(e.Rest[i].Product)
		o := addition
		if e.Rest[i].Operator == "-" {
			o = subtraction
		}
		n = operate(o, n, right)
	}
	return n, err
}

func (s *scope) product(e *product) (*node, error) {
	n, err := s.signed(e.First)
	for i := 0; err == nil && i < len(e.Rest); i++ {
		var right *node
		right, err = s.signed(e.Rest[i].Signed)
		o := multiplication
		if e.Rest[i].Operator == "/" {
			o = division
		}
		n = operate(o, n, right)
	}
	return n, err
}

func (s *scope) signed(e *signed) (*node, error) {
	if e.Power != nil {
		return s.power(e.Power)
	}
	n, err := s.signed(e.Of)
	if err == nil && e.Sign == "-" {
		n = operate(negation, n)
	}
	return n, err
}

func (s *scope) power(e *power) (*node, error) {
	base, err := s.atom(e.Base)
	if err != nil || e.Exponent == nil {
		return base, err
	}
	exponent, err := s.signed(e.Exponent)
	return operate(exponentiation, base, exponent), err
}

func (s *scope) atom(e *atom) (*node, error) {
	switch {
	case e.Group != nil:
		return s.group(e)
	case e.Number != "":
		v, err := strconv.ParseFloat(e.Number, 64)
		if err != nil {
			return nil, fmt.Errorf("the number %s is too large", shorten(e.Number))
		}
		return literal(v), nil
	case e.Call != nil:
		return s.call(e.Name, e.Call.List)
	}
	return s.name(e.Name)
}

// group is what stands in parentheses, or its derivative, as (k*u_x)_x.
func (s *scope) group(e *atom) (*node, error) {
	n, err := s.sum(e.Group)
	if err != nil || e.Suffix == "" {
		return n, err
	}
	orders, err := s.sequence(e.Suffix[1:])
	if err != nil {
		return nil, fmt.Errorf("%s after a parenthesis %w", shorten(e.Suffix), err)
	}
	for d, k := range orders {
		for range k {
			if n, err = s.along(n, d); err != nil {
				return nil, err
			}
			if n.size() > maxExpanded {
				return nil, fmt.Errorf("the derivative (...)%s has more than %d parts", shorten(e.Suffix), maxExpanded)
			}
		}
	}
	return n, nil
}

func (s *scope) call(name string, arguments []*sum) (*node, error) {
	if t := s.tables[name]; t != nil {
		return s.lookup(name, t, arguments)
	}
	f, ok := functions[name]
	if !ok {
		if other := s.occupant(name); other != "" {
			return nil, fmt.Errorf("%s is %s, not a function: write %s*(...) for a product", name, other, name)
		}
		hint := didYouMean(name, functionNames(), "")
		switch strings.ToLower(name) {
		case "laplace", "laplacian", "nabla", "grad", "div", "curl", "rot", "lap":
			hint = writtenOperator
		case "d", "diff", "derivative", "dx", "dt", "dy", "partial":
			hint = writtenDerivative
		}
		return nil, fmt.Errorf("unknown function %s%s", shorten(name), hint)
	}
	if n := len(arguments); n != f.arity && !(f.variadic && n > f.arity) {
		atLeast := ""
		if f.variadic {
			atLeast = "at least "
		}
		return nil, fmt.Errorf("%s takes %s%d argument%s, found %d", name, atLeast, f.arity, plural(f.arity), n)
	}
	return s.apply(&node{operation: application, name: name}, arguments)
}

// lookup reads the call of a table.
func (s *scope) lookup(name string, t *lookup, arguments []*sum) (*node, error) {
	if n := len(t.axes); n != len(arguments) {
		return nil, fmt.Errorf("the table %s takes %d argument%s, found %d", name, n, plural(n), len(arguments))
	}
	return s.apply(&node{operation: application, name: name, table: t}, arguments)
}

// apply reads the arguments of a function or a table.
func (s *scope) apply(n *node, arguments []*sum) (*node, error) {
	for _, a := range arguments {
		operand, err := s.sum(a)
		if err != nil {
			return nil, err
		}
		n.operands = append(n.operands, operand)
	}
	return n, nil
}

// derivativeOf is a derivative of a field.
func (s *scope) derivativeOf(field int, orders []int) (*node, error) {
	name := s.fields[field] + "_"
	for d, k := range orders {
		name += strings.Repeat(s.variables[d], k)
	}
	return s.derivativeNamed(name, field, orders)
}

func (s *scope) derivativeNamed(name string, index int, orders []int) (*node, error) {
	order := 0
	for _, k := range orders {
		order += k
	}
	if order > system.MaxOrder {
		return nil, fmt.Errorf("%s is a derivative of order %d; the highest order is %d", shorten(name), order, system.MaxOrder)
	}
	return &node{operation: field, name: name, index: index, orders: orders}, nil
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// name looks up a name: of a constant, variable, parameter, field, normal or derivative.
func (s *scope) name(name string) (*node, error) {
	if v, ok := s.constants[name]; ok {
		return &node{operation: constant, name: name, value: v}, nil
	}
	if v, ok := mathematical[name]; ok {
		return &node{operation: constant, name: name, value: v}, nil
	}
	if n := s.declaredName(name); n != nil {
		return n, nil
	}
	if n, err := s.normalName(name); n != nil || err != nil {
		return n, err
	}
	if n, err := s.derivativeName(name); n != nil || err != nil {
		return n, err
	}
	return nil, s.unknownName(name)
}

// declaredName returns the variable, parameter, coefficient or field of a name, or nil.
func (s *scope) declaredName(name string) *node {
	if i := slices.Index(s.variables, name); i >= 0 {
		return &node{operation: variable, name: name, index: i}
	}
	if i := slices.Index(s.parameters, name); i >= 0 {
		return &node{operation: parameter, name: name, index: i}
	}
	for i := range s.coefficients {
		if c := &s.coefficients[i]; c.Name == name {
			s.occurring[name] = true
			return &node{operation: coefficient, name: name, index: i, value: c.Value(0)}
		}
	}
	if i := slices.Index(s.fields, name); i >= 0 {
		return &node{operation: field, name: name, index: i, orders: make([]int, len(s.variables))}
	}
	return nil
}

// normalName returns the derivative along the outward normal, u_n, or a coordinate of the normal, n_x. For other names it
// returns nil.
func (s *scope) normalName(name string) (*node, error) {
	if i := slices.IndexFunc(s.fields, func(f string) bool { return name == f+"_n" }); i >= 0 && !slices.Contains(s.variables, "n") {
		if s.normal == nil {
			return nil, fmt.Errorf("%s, the derivative along the outward normal, has a meaning on boundaries alone: in a [[condition]] on a side of the box or a boundary", name)
		}
		sum := s.outward(i, s.fields[i])
		if sum == nil {
			return nil, fmt.Errorf("%s is 0: %s is a function of %s alone", name, s.fields[i], s.variablesOf(i))
		}
		return sum, nil
	}
	if i := slices.IndexFunc(s.variables, func(v string) bool { return name == "n_"+v }); i >= 0 && s.normal != nil && !slices.Contains(s.fields, "n") {
		return s.component(i), nil
	}
	return nil, nil
}

// derivativeName returns a partial derivative of a field, such as u_xx. For other names it returns nil.
func (s *scope) derivativeName(name string) (*node, error) {
	i, orders, err := s.derivative(name)
	if err != nil {
		return nil, fmt.Errorf("unknown name %s: %w%s", shorten(name), err, didYouMean(name, s.names(), ""))
	}
	if i < 0 {
		return nil, nil
	}
	for d, k := range orders {
		if k > 0 && !s.dependsOn(i, d) {
			return nil, fmt.Errorf("%s is 0: %s is a function of %s alone", shorten(name), s.fields[i], s.variablesOf(i))
		}
	}
	return s.derivativeNamed(name, i, orders)
}

// unknownName returns an error that says what is wrong with a name.
func (s *scope) unknownName(name string) error {
	_, isFunction := functions[name]
	noName := nearest(name, s.names()) == ""
	function := nearest(name, functionNames())
	switch {
	case s.tables[name] != nil:
		return fmt.Errorf("%s is a table: its arguments must follow in parentheses", name)
	case s.declared[name] == aParameter: // declared, but its prior has not been read yet
		return unknownHere(name)
	case s.declared[name] != "":
		return fmt.Errorf("%s has no value yet; a constant may use those that stand before it", name)
	case isFunction:
		return fmt.Errorf("%s is a function: its arguments must follow in parentheses", name)
	case s.onlyConstants && noName && function == "":
		return fmt.Errorf("unknown name %s; a number or an expression of constants is expected%s", shorten(name), didYouMean(name, slices.Sorted(maps.Keys(s.constants)), "constants are"))
	case function != "" && noName:
		return fmt.Errorf("unknown name %s; did you mean %s?", shorten(name), function)
	}
	if s.isDifferential(name) {
		return fmt.Errorf("unknown name %s%s", shorten(name), writtenDerivative)
	}
	return fmt.Errorf("unknown name %s%s%s", shorten(name), didYouMean(name, s.names(), "known are"), s.orUnknown(name))
}

// isDifferential reports whether a name is one of du/dx or d2u/dx2, as they are written elsewhere.
func (s *scope) isDifferential(name string) bool {
	of, is := strings.CutPrefix(name, "d")
	of = strings.TrimLeft(of, "0123456789")
	if slices.Contains(s.fields, of) {
		return is
	}
	return is && slices.Contains(s.variables, strings.TrimRight(of, "0123456789"))
}
