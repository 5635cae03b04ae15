package spec

import (
	"math"
	"strconv"
	"strings"
)

// operation is what a node does with its operands.
type operation byte

const (
	number      operation = iota // value
	constant                     // value with a name
	variable                     // independent variable number index
	field                        // derivative of field number index
	parameter                    // unknown parameter number index
	coefficient                  // unknown coefficient number index; value is the median of its prior
	negation
	addition
	subtraction
	multiplication
	division
	exponentiation
	application // function name of the operands
)

// node is an expression whose names have been looked up. Nodes are immutable and may be
// shared.
type node struct {
	operation operation
	value     float64
	name      string
	index     int
	orders    []int // field: order of the derivative in each variable
	operands  []*node
	table     *lookup  // application: the table called, or nil
	normals   *normals // variable: if not nil, coordinates of the normal follow the variables in index
}

func literal(v float64) *node { return &node{operation: number, value: v} }

func operate(o operation, operands ...*node) *node { return &node{operation: o, operands: operands} }

// plus, times and their inverses build a node. They leave out operations that do nothing,
// but not a product with 0, because the other factor may be NaN.

func plus(a, b *node) *node {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case b.operation == negation:
		return operate(subtraction, a, b.operands[0])
	}
	return folded(operate(addition, a, b), a, b)
}

func minus(a, b *node) *node {
	switch {
	case b == nil:
		return a
	case a == nil:
		return negated(b)
	case b.operation == negation:
		return operate(addition, a, b.operands[0])
	}
	return folded(operate(subtraction, a, b), a, b)
}

func negated(a *node) *node {
	switch {
	case a == nil:
		return nil
	case a.operation == negation:
		return a.operands[0]
	case a.operation == number:
		return literal(-a.value)
	case a.operation == multiplication && a.operands[0].operation == negation:
		return operate(multiplication, a.operands[0].operands[0], a.operands[1])
	}
	return operate(negation, a)
}

func times(a, b *node) *node {
	for range 2 {
		if a.operation == number && a.value == 1 {
			return b
		}
		if a.operation == number && a.value == -1 {
			return negated(b)
		}
		a, b = b, a
	}
	return folded(operate(multiplication, a, b), a, b)
}

func over(a, b *node) *node {
	if b.operation == number && b.value == 1 {
		return a
	}
	return operate(division, a, b)
}

// folded returns n or, if its operands a and b are numbers, its result.
func folded(n, a, b *node) *node {
	if a.operation != number || b.operation != number {
		return n
	}
	if v := calculate(n.operation, a.value, b.value); !math.IsNaN(v) && !math.IsInf(v, 0) {
		return literal(v)
	}
	return n
}

// lastVariable returns the largest index of a variable in the expression, or -1.
func (n *node) lastVariable() int {
	last := -1
	if n.operation == variable {
		last = n.index
	}
	for _, operand := range n.operands {
		last = max(last, operand.lastVariable())
	}
	return last
}

// mentions returns the first node of the tree with one of the operations, or nil.
func (n *node) mentions(any ...operation) *node {
	for _, o := range any {
		if n.operation == o {
			return n
		}
	}
	for _, operand := range n.operands {
		if found := operand.mentions(any...); found != nil {
			return found
		}
	}
	return nil
}

// size counts the nodes of the tree.
func (n *node) size() int {
	total := 1
	for _, operand := range n.operands {
		total += operand.size()
	}
	return total
}

// How tightly an operation binds. An operand that binds less tightly than its operation
// needs parentheses.
const (
	bindsSum = iota
	bindsProduct
	bindsSign
	bindsPower
	bindsAtom
)

// String writes the expression in the form that parse reads.
func (n *node) String() string {
	var b strings.Builder
	n.write(&b, bindsSum)
	return b.String()
}

func (n *node) write(b *strings.Builder, least int) {
	if n.binding() < least {
		b.WriteByte('(')
		n.write(b, bindsSum)
		b.WriteByte(')')
		return
	}
	binary := func(left int, operator string, right int) {
		n.operands[0].write(b, left)
		b.WriteString(operator)
		n.operands[1].write(b, right)
	}
	switch n.operation {
	case number:
		b.WriteString(strconv.FormatFloat(n.value, 'g', -1, 64))
	case negation:
		b.WriteByte('-')
		n.operands[0].write(b, bindsSign)
	case addition:
		binary(bindsSum, " + ", bindsProduct)
	case subtraction:
		binary(bindsSum, " - ", bindsProduct)
	case multiplication:
		binary(bindsProduct, "*", bindsSign)
	case division:
		binary(bindsProduct, "/", bindsSign)
	case exponentiation:
		binary(bindsAtom, "^", bindsSign)
	case application:
		b.WriteString(n.name + "(")
		for i, operand := range n.operands {
			if i > 0 {
				b.WriteString(", ")
			}
			operand.write(b, bindsSum)
		}
		b.WriteByte(')')
	default:
		b.WriteString(n.name)
	}
}

func (n *node) binding() int {
	switch n.operation {
	case addition, subtraction:
		return bindsSum
	case multiplication, division:
		return bindsProduct
	case negation:
		return bindsSign
	case exponentiation:
		return bindsPower
	case number:
		if math.Signbit(n.value) {
			return bindsSign
		}
	}
	return bindsAtom
}
