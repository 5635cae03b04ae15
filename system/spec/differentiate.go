package spec

import (
	"errors"
	"fmt"
	"math"
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
	scaled := func(i int, by *node) *node { // by may be nil, for 1
		if slopes[i] == nil || by == nil {
			return slopes[i]
		}
		return times(by, slopes[i])
	}
	switch n.operation {
	case negation:
		return negated(slopes[0]), nil
	case addition:
		return plus(slopes[0], slopes[1]), nil
	case subtraction:
		return minus(slopes[0], slopes[1]), nil
	case multiplication:
		return plus(scaled(0, n.operands[1]), scaled(1, n.operands[0])), nil
	case division: // a'/b - (a/b) b'/b
		a, b := n.operands[0], n.operands[1]
		var up, down *node
		if slopes[0] != nil {
			up = over(slopes[0], b)
		}
		if slopes[1] != nil {
			down = over(times(a, slopes[1]), operate(exponentiation, b, literal(2)))
		}
		return minus(up, down), nil
	case exponentiation:
		return slopeOfPower(n, n.operands[0], n.operands[1], slopes[0], slopes[1])
	}
	return slopeOfFunction(n, slopes)
}

// slopeOfPower is a^b (b a'/a + b' log a), without what is not needed.
func slopeOfPower(n, a, b, da, db *node) (*node, error) {
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
	return sum, nil
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

// slopeOfFunction differentiates a call by the chain rule.
func slopeOfFunction(n *node, slopes []*node) (*node, error) {
	if n.table != nil {
		return nil, fmt.Errorf("the table %s has no derivative: it is piecewise linear", n.name)
	}
	x := n.operands[0]
	square := func(a *node) *node { return operate(exponentiation, a, literal(2)) }
	one := literal(1)
	var slope *node
	switch n.name {
	case "sin":
		slope = call("cos", x)
	case "cos":
		slope = negated(call("sin", x))
	case "tan":
		slope = plus(one, square(n))
	case "asin":
		slope = over(one, call("sqrt", minus(one, square(x))))
	case "acos":
		slope = over(literal(-1), call("sqrt", minus(one, square(x))))
	case "atan":
		slope = over(one, plus(one, square(x)))
	case "sinh":
		slope = call("cosh", x)
	case "cosh":
		slope = call("sinh", x)
	case "tanh":
		slope = minus(one, square(n))
	case "sech":
		slope = negated(times(n, call("tanh", x)))
	case "asinh":
		slope = over(one, call("sqrt", plus(square(x), one)))
	case "acosh":
		slope = over(one, call("sqrt", minus(square(x), one)))
	case "atanh":
		slope = over(one, minus(one, square(x)))
	case "exp":
		slope = n
	case "log", "ln":
		slope = over(one, x)
	case "log10":
		slope = over(literal(1/math.Ln10), x)
	case "log2":
		slope = over(literal(1/math.Ln2), x)
	case "sqrt":
		slope = over(literal(0.5), n)
	case "cbrt":
		slope = over(one, times(literal(3), square(n)))
	case "erf":
		slope = times(literal(2/math.Sqrt(math.Pi)), call("exp", negated(square(x))))
	case "erfc":
		slope = times(literal(-2/math.Sqrt(math.Pi)), call("exp", negated(square(x))))
	case "pow":
		return slopeOfPower(n, x, n.operands[1], slopes[0], slopes[1])
	case "atan2", "hypot":
		return slopeOfPlane(n, slopes), nil
	default:
		return nil, fmt.Errorf("%s is not smooth: it has no derivative everywhere", n.name)
	}
	return times(slope, slopes[0]), nil
}

// slopeOfPlane is that of atan2(y, x) and of hypot(x, y).
func slopeOfPlane(n *node, slopes []*node) *node {
	a, b := n.operands[0], n.operands[1]
	part := func(by, slope *node) *node {
		if slope == nil {
			return nil
		}
		return times(by, slope)
	}
	if n.name == "hypot" {
		sum := plus(part(a, slopes[0]), part(b, slopes[1]))
		return over(sum, n)
	}
	size := plus(operate(exponentiation, a, literal(2)), operate(exponentiation, b, literal(2)))
	return over(minus(part(b, slopes[0]), part(a, slopes[1])), size)
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
