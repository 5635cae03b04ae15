package spec

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// normals holds the outward unit normals at the points of a condition: one for all, or
// one for each point.
type normals struct {
	everywhere []float64            // one coordinate for each variable; nil if the normals differ
	at         map[string][]float64 // by the bits of the point
	dimensions int                  // coordinates that may differ from 0
}

// newNormals stores the normal at each row of points: the rows of outward, in the first
// variables.
func newNormals(points, outward *mat.Dense) *normals {
	n := &normals{at: map[string][]float64{}, dimensions: outward.Cols()}
	for i := range points.Rows() {
		n.at[bitsOf(points.Row(i))] = outward.Row(i)
	}
	return n
}

func bitsOf(x []float64) string {
	var b strings.Builder
	for _, v := range x {
		var eight [8]byte
		binary.LittleEndian.PutUint64(eight[:], math.Float64bits(v))
		b.Write(eight[:])
	}
	return b.String()
}

// outward returns the derivative of a field along the outward normal as an expression:
// the sum of n_x u_x over the variables. It is nil if that is 0.
func (s *scope) outward(index int, name string) *node {
	var sum *node
	for i := range s.normal.dimensions {
		orders := make([]int, len(s.variables))
		orders[i] = 1
		derivative := &node{operation: field, name: name + "_" + s.variables[i], index: index, orders: orders}
		component := s.component(i)
		if component.operation == number && component.value == 0 || !s.dependsOn(index, i) {
			continue
		}
		sum = plus(sum, times(component, derivative))
	}
	return sum
}

// component returns coordinate i of the normal, such as n_x.
func (s *scope) component(i int) *node {
	switch {
	case i >= s.normal.dimensions:
		return literal(0)
	case s.normal.everywhere != nil:
		return literal(s.normal.everywhere[i])
	}
	return &node{operation: variable, name: "n_" + s.variables[i], index: len(s.variables) + i, normals: s.normal}
}

// normalsOf returns the normals that an expression mentions, or nil.
func (n *node) normalsOf() *normals {
	if n.normals != nil {
		return n.normals
	}
	for _, operand := range n.operands {
		if found := operand.normalsOf(); found != nil {
			return found
		}
	}
	return nil
}

// alongNormal is a function of a condition's point and the normal there.
type alongNormal struct {
	*program
	normals *normals
}

// EvalTo implements system.Function, for points of the condition only.
func (f *alongNormal) EvalTo(dst []float64, points *mat.Dense) {
	n, d := points.Dims()
	whole := mat.NewDense(n, d+f.normals.dimensions, nil)
	for i := range n {
		row := whole.Row(i)
		copy(row, points.Row(i))
		copy(row[d:], f.normals.at[bitsOf(points.Row(i))])
	}
	f.program.EvalTo(dst, whole)
}

// With implements system.Dependent.
func (f *alongNormal) With(coefficients []float64) system.Function {
	if f.given || f.source.mentions(coefficient) == nil {
		return f
	}
	return f.source.functionAt(coefficients)
}

var _ system.Dependent = (*alongNormal)(nil)
