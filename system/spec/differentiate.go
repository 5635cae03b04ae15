package spec

import (
	"errors"
	"fmt"
)

// differentiate returns the derivative of an expression, nil where it is 0; leaf is that of a variable, a field, a
// parameter or a coefficient. An error names the function that has none.
func differentiate(n *node, leaf func(*node) (*node, error)) (*node, error) {
	switch n.operation {
	case number, constant:
		return nil, nil
	case variable, field, parameter, coefficient:
		return leaf(n)
	}
	slopes := make([]*node, len(n.operands))
	any := false
	for i, operand := range n.operands {
		var err error
		if slopes[i], err = differentiate(operand, leaf); err != nil {
			return nil, err
		}
		any = any || slopes[i] != nil
	}
	if !any {
		return nil, nil
	}
	switch n.operation {
	case negation:
		return negated(slopes[0]), nil
	case addition:
		return plus(slopes[0], slopes[1]), nil
	case subtraction:
		return minus(slopes[0], slopes[1]), nil
	case multiplication:
		return plus(scaled(n.operands[1], slopes[0]), scaled(n.operands[0], slopes[1])), nil
	case division: // a'/b - (a/b) b'/b
		a, b := n.operands[0], n.operands[1]
		var up, down *node
		if slopes[0] != nil {
			up = over(slopes[0], b)
		}
		if slopes[1] != nil {
			down = over(times(a, slopes[1]), square(b))
		}
		return minus(up, down), nil
	case exponentiation:
		return slopeOfPower(n, slopes[0], slopes[1]), nil
	}
	return slopeOfFunction(n, slopes)
}

// slopeOfPower is the slope of n = a^b, a^b (b a'/a + b' log a), without what is not needed.
func slopeOfPower(n, da, db *node) *node {
	a, b := n.operands[0], n.operands[1]
	var sum *node
	if da != nil {
		lower := operate(exponentiation, a, minus(b, literal(1)))
		if e, ok := constantOf(b); ok {
			lower = operate(exponentiation, a, literal(e-1))
			if e == 2 {
				lower = a
			}
		}
		sum = times(times(b, lower), da)
	}
	if db != nil {
		sum = plus(sum, times(times(n, call("log", a)), db))
	}
	return sum
}

// constantOf returns the value of a literal or a declared constant.
func constantOf(n *node) (float64, bool) {
	if n.operation == number || n.operation == constant {
		return n.value, true
	}
	if n.operation == negation {
		v, ok := constantOf(n.operands[0])
		return -v, ok
	}
	return 0, false
}

func call(name string, operands ...*node) *node {
	return &node{operation: application, name: name, operands: operands}
}

func square(a *node) *node { return operate(exponentiation, a, literal(2)) }

// slopeOfFunction differentiates a call by the chain rule.
func slopeOfFunction(n *node, slopes []*node) (*node, error) {
	if n.table != nil {
		return nil, fmt.Errorf("the table %s has no derivative: it is piecewise linear", n.name)
	}
	f := functions[n.name]
	switch {
	case f.slope != nil:
		return times(f.slope(n, n.operands[0]), slopes[0]), nil
	case f.slopeOfTwo != nil:
		return f.slopeOfTwo(n, slopes[0], slopes[1]), nil
	}
	return nil, fmt.Errorf("%s is not smooth: it has no derivative everywhere", n.name)
}

// scaled is the product with a slope, which may be nil.
func scaled(by, slope *node) *node {
	if slope == nil {
		return nil
	}
	return times(by, slope)
}

// slopeOfAtan2 is (x y' - y x')/(x^2 + y^2), with y the first argument.
func slopeOfAtan2(n, dy, dx *node) *node {
	y, x := n.operands[0], n.operands[1]
	return over(minus(scaled(x, dy), scaled(y, dx)), plus(square(y), square(x)))
}

// slopeOfHypot is (x x' + y y')/hypot(x, y).
func slopeOfHypot(n, dx, dy *node) *node {
	return over(plus(scaled(n.operands[0], dx), scaled(n.operands[1], dy)), n)
}

// along is the total derivative of an expression with respect to variable number d: that of (k(x)*u_x)_x.
func (s *scope) along(n *node, d int) (*node, error) {
	slope, err := differentiate(n, func(n *node) (*node, error) {
		switch {
		case n.normals != nil:
			return nil, errors.New("the normal has no derivative")
		case n.operation == variable && n.index == d:
			return literal(1), nil
		case n.operation != field || !s.dependsOn(n.index, d):
			return nil, nil
		}
		orders := append([]int(nil), n.orders...)
		orders[d]++
		return s.derivativeOf(n.index, orders)
	})
	if slope == nil && err == nil {
		slope = literal(0)
	}
	return slope, err
}
