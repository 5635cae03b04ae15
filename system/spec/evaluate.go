package spec

import (
	"sync"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// chunk is the number of points that a program handles at a time. Its stack then stays
// in the first-level cache.
const chunk = 256

// instruction pushes a value, or replaces the topmost values by a result.
type instruction struct {
	operation operation
	value     float64 // number, coefficient
	index     int     // variable
	one       func(float64) float64
	two       func(a, b float64) float64
	table     *lookup // of index operands
}

// program evaluates a known expression at many points on a stack of vectors. It
// implements system.Function, is immutable, and writes its own text.
type program struct {
	code   []instruction
	stack  int // vectors needed
	source *node
	values []float64 // of coefficients, while it is compiled; nil: the medians of their priors
	given  bool      // there were values: it no longer depends on coefficients
}

// compile translates an expression without unknowns. It computes constant parts, with
// the same operations as at each point.
func compile(n *node) *program {
	return compileAt(n, nil)
}

// compileAt is compile with values of the coefficients.
func compileAt(n *node, values []float64) *program {
	p := &program{source: n, values: values, given: values != nil}
	p.emit(n, 0)
	p.values = nil // they belong to the caller
	return p
}

// function returns the expression as a system.Function, a system.Constant if it is
// constant.
func (n *node) function() system.Function { return n.functionAt(nil) }

// functionAt is function with values of the coefficients.
func (n *node) functionAt(values []float64) system.Function {
	p := compileAt(n, values)
	if v, ok := p.constant(); ok {
		return system.Constant(v)
	}
	if found := n.normalsOf(); found != nil {
		return &alongNormal{p, found}
	}
	return p
}

// With implements system.Dependent.
func (p *program) With(coefficients []float64) system.Function {
	if p.given || p.source.mentions(coefficient) == nil {
		return p
	}
	return p.source.functionAt(coefficients)
}

func (p *program) constant() (float64, bool) {
	return p.code[0].value, len(p.code) == 1 && p.code[0].operation == number
}

// emit appends code that leaves the value of n at the given height of the stack.
func (p *program) emit(n *node, height int) {
	p.stack = max(p.stack, height+1)
	switch n.operation {
	case number, constant:
		p.code = append(p.code, instruction{operation: number, value: n.value})
	case coefficient:
		i := instruction{operation: coefficient, value: n.value}
		if p.values != nil {
			i = instruction{operation: number, value: p.values[n.index]}
		}
		p.code = append(p.code, i)
	case variable:
		p.code = append(p.code, instruction{operation: variable, index: n.index})
	case negation:
		p.emit(n.operands[0], height)
		p.reduce(instruction{operation: negation}, 1)
	case application:
		if n.table != nil {
			for k, operand := range n.operands {
				p.emit(operand, height+k)
			}
			p.code = append(p.code, instruction{operation: application, table: n.table, index: len(n.operands)})
			return
		}
		f := functions[n.name]
		p.emit(n.operands[0], height)
		if f.one != nil {
			p.reduce(instruction{operation: application, one: f.one}, 1)
		}
		for _, operand := range n.operands[1:] {
			p.emit(operand, height+1)
			p.reduce(instruction{operation: application, two: f.two}, 2)
		}
	default:
		p.emit(n.operands[0], height)
		p.emit(n.operands[1], height+1)
		p.reduce(instruction{operation: n.operation}, 2)
	}
}

// reduce appends an instruction with the given number of operands, or its result if all
// of them are numbers.
func (p *program) reduce(i instruction, operands int) {
	first := len(p.code) - operands
	v := [2]float64{}
	for k, c := range p.code[first:] {
		if c.operation != number {
			p.code = append(p.code, i)
			return
		}
		v[k] = c.value
	}
	p.code = append(p.code[:first], instruction{operation: number, value: i.apply(v[0], v[1])})
}

// apply does one instruction with its operands; b is unused when it has one.
func (i *instruction) apply(a, b float64) float64 {
	switch {
	case i.one != nil:
		return i.one(a)
	case i.two != nil:
		return i.two(a, b)
	}
	return calculate(i.operation, a, b)
}

func calculate(o operation, a, b float64) float64 {
	switch o {
	case negation:
		return -a
	case addition:
		return a + b
	case subtraction:
		return a - b
	case multiplication:
		return a * b
	case division:
		return a / b
	}
	return pow(a, b)
}

// String returns the expression that the program evaluates.
func (p *program) String() string { return p.source.String() }

// EvalTo implements system.Function.
func (p *program) EvalTo(dst []float64, points *mat.Dense) {
	p.run(dst, points.Data(), points.Stride())
}

// at evaluates the program at one point.
func (p *program) at(x []float64) float64 {
	v := [1]float64{}
	p.run(v[:], x, len(x))
	return v[0]
}

// stacks holds vectors between runs, so that one run allocates nothing.
var stacks = sync.Pool{New: func() any { return new([]float64) }}

// run sets dst[i] to the value at the point whose coordinates begin at
// points[i*stride].
func (p *program) run(dst, points []float64, stride int) {
	held := stacks.Get().(*[]float64)
	width := min(chunk, len(dst))
	if len(*held) < p.stack*width {
		*held = make([]float64, p.stack*width)
	}
	for first := 0; first < len(dst); first += chunk {
		n := min(chunk, len(dst)-first)
		p.runChunk(*held, width, n, points[min(len(points), first*stride):], stride)
		copy(dst[first:first+n], *held)
	}
	stacks.Put(held)
}

// runChunk evaluates the program at n points. The result is in the first n entries of
// the stack, whose vectors are width apart.
func (p *program) runChunk(stack []float64, width, n int, points []float64, stride int) {
	height := 0
	for k := range p.code {
		i := &p.code[k]
		switch i.operation {
		case number, coefficient:
			fill(stack[height*width:][:n], i.value)
			height++
			continue
		case variable:
			v := stack[height*width:][:n]
			for r := range v {
				v[r] = points[r*stride+i.index]
			}
			height++
			continue
		}
		if i.table != nil {
			height -= i.index - 1
			i.lookUp(stack[(height-1)*width:], width, n)
			continue
		}
		if i.operation == negation || i.one != nil {
			i.unary(stack[(height-1)*width:][:n])
			continue
		}
		height--
		i.binary(stack[(height-1)*width:][:n], stack[height*width:][:n])
	}
}

// lookUp replaces the topmost vectors by the table's values. The vectors have n entries
// and are width apart.
func (i *instruction) lookUp(stack []float64, width, n int) {
	var x [maxTableAxes]float64
	for r := range n {
		for d := range i.index {
			x[d] = stack[d*width+r]
		}
		stack[r] = i.table.at(x[:i.index])
	}
}

func fill(v []float64, value float64) {
	for i := range v {
		v[i] = value
	}
}

func (i *instruction) unary(a []float64) {
	if i.one == nil {
		for r := range a {
			a[r] = -a[r]
		}
		return
	}
	for r := range a {
		a[r] = i.one(a[r])
	}
}

func (i *instruction) binary(a, b []float64) {
	switch i.operation {
	case addition:
		for r := range a {
			a[r] += b[r]
		}
	case subtraction:
		for r := range a {
			a[r] -= b[r]
		}
	case multiplication:
		for r := range a {
			a[r] *= b[r]
		}
	case division:
		for r := range a {
			a[r] /= b[r]
		}
	default:
		for r := range a {
			a[r] = i.apply(a[r], b[r])
		}
	}
}
