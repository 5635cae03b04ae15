package posterior

import (
	"math"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Conditions on the same field that demand different values where they meet are said to contradict each other, and no others.
func TestConditionsThatContradictEachOther(t *testing.T) {
	variables := []system.Variable{{Name: "x", Min: 0, Max: 2}, {Name: "t", Min: 1, Max: 3}}
	side := func(variable int, value float64) *mat.Dense {
		points := mat.NewDense(20, 2, nil)
		for i := range 20 {
			free := 1 - variable
			points.Set(i, free, variables[free].Min+(variables[free].Max-variables[free].Min)*(float64(i)+0.5)/20)
			points.Set(i, variable, value)
		}
		return points
	}
	boundary := mat.NewDense(40, 2, append(append([]float64(nil), side(0, 0).Data()...), side(0, 2).Data()...))
	// residual is factor*(u - value).
	is := func(name string, points *mat.Dense, factor float64, value func(x []float64) float64) system.Demand {
		return system.Demand{Name: name, Points: points, Spread: true, Residual: system.Functional{
			Terms: []system.Term{{Coefficient: system.Constant(factor)}},
			Known: system.Func(func(x []float64) float64 { return -factor * value(x) }),
		}}
	}
	constant := func(v float64) func(x []float64) float64 { return func([]float64) float64 { return v } }
	with := func(e system.Demand, change func(e *system.Demand)) system.Demand {
		change(&e)
		return e
	}
	start := is("start", side(1, 1), 1, func(x []float64) float64 { return 5 * x[0] })
	for _, c := range []struct {
		name string
		end  system.Demand
		jump float64 // relative to the size of the field; 0: none
	}{
		{"agrees", is("end", side(0, 2), -3, constant(10)), 0},
		{"nearly", is("end", side(0, 2), -3, constant(9.5)), 0},
		{"jumps", is("end", side(0, 2), -3, constant(4)), 0.6},
		{"jumps at the other end", is("end", side(0, 0), 2, constant(-4)), 0.4},
		{"jumps where the boundary begins", is("end", boundary, 1, constant(0)), 1},
		{"goes over in time", is("end", side(0, 2), 1, func(x []float64) float64 { return 4 + 6*math.Exp(-5*(x[1]-1)) }), 0},
		{"allows for it", with(is("end", side(0, 2), -3, constant(4)), func(e *system.Demand) { e.SD = 7 }), 0},
		{"another field", with(is("end", side(0, 2), 1, constant(4)), func(e *system.Demand) { e.Residual.Terms[0].Field = 1 }), 0},
		{"a derivative", with(is("end", side(0, 2), 1, constant(4)), func(e *system.Demand) { e.Residual.Terms[0].Derivative = []int{1} }), 0},
		{"a mixed condition", with(is("end", side(0, 2), 1, constant(4)), func(e *system.Demand) {
			e.Residual.Terms = append(e.Residual.Terms, system.Term{Derivative: []int{1}})
		}), 0},
		{"an unknown value", with(is("end", side(0, 2), 1, constant(4)), func(e *system.Demand) { e.Residual.Parameters = []system.ParameterTerm{{}} }), 0},
		{"in a part", with(is("end", side(0, 2), 1, constant(4)), func(e *system.Demand) { e.Spread = false }), 0},
		{"at the same time", is("end", side(1, 3), 1, constant(4)), 0},
		{"inside", is("end", mat.NewDense(3, 2, []float64{0.5, 1.5, 1, 2, 1.2, 2.5}), 1, constant(40)), 0},
	} {
		for _, turned := range []bool{false, true} {
			p := &system.Problem{Variables: variables, Fields: []string{"u", "w"}, Parameters: []system.Parameter{{Name: "k"}}, Conditions: []system.Demand{start, c.end}}
			if turned {
				p.Conditions[0], p.Conditions[1] = c.end, start
			}
			v := &Verdict{Sound: true}
			v.jumps(p, &sizes{field: []float64{10, 10}})
			check := v.Checks[0]
			if v.Sound != (c.jump == 0) || c.jump > 0 && math.Abs(check.Value-c.jump) > 1e-12 {
				t.Errorf("%s: %+v", c.name, check)
			}
			if c.jump > 0 && !(strings.Contains(check.Message, "(start)") && strings.Contains(check.Message, "t = 1 ") && strings.Contains(check.Message, "(end)")) {
				t.Errorf("%s: %s", c.name, check.Message)
			}
		}
	}
}

// Outside the domain nothing meets.
func TestConditionsMeetInTheDomain(t *testing.T) {
	variables := []system.Variable{{Name: "x", Min: 0, Max: 1}, {Name: "y", Min: 0, Max: 1}}
	at := func(points ...float64) *mat.Dense { return mat.NewDense(len(points)/2, 2, points) }
	p := &system.Problem{Variables: variables, Fields: []string{"u"}, Conditions: []system.Demand{
		{Points: at(0, 0.2, 0, 0.4, 0, 0.8), Spread: true, Residual: system.Functional{Terms: []system.Term{{}}}},
		{Points: at(0.3, 1, 0.9, 1), Spread: true, Residual: system.Functional{Terms: []system.Term{{}}, Known: system.Constant(-1)}},
	}}
	for _, within := range []bool{true, false} {
		if p.Domain = system.Region(func(x []float64) bool { return x[0] > 0.1 || x[1] < 0.9 }); within {
			p.Domain = nil
		}
		v := &Verdict{Sound: true}
		v.jumps(p, &sizes{field: []float64{1}})
		if v.Sound == within {
			t.Errorf("within %v: %+v", within, v.Checks)
		}
	}
}

// A condition inside of the box meets the boundary at the sides only.
func TestConditionsMeetTheBoundaryAtSides(t *testing.T) {
	variables := []system.Variable{{Name: "x", Min: 0, Max: 1}, {Name: "y", Min: 0, Max: 1}}
	at := func(points ...float64) *mat.Dense { return mat.NewDense(len(points)/2, 2, points) }
	for _, end := range []float64{0, 0.3} {
		inside := func(x []float64) float64 { return -end - math.Sin(math.Pi*x[1]) }
		p := &system.Problem{Variables: variables, Fields: []string{"u"}, Conditions: []system.Demand{
			{Points: at(0, 0.2, 0, 0.5, 1, 0.7, 1, 0.4, 0.1, 0, 0.6, 0, 0.3, 1, 0.9, 1), Spread: true, Residual: system.Functional{Terms: []system.Term{{}}}},
			{Points: at(0.5, 0.2, 0.5, 0.4, 0.5, 0.8), Spread: true, Residual: system.Functional{Terms: []system.Term{{}}, Known: system.Func(inside)}},
		}}
		v := &Verdict{Sound: true}
		v.jumps(p, &sizes{field: []float64{1}})
		if math.Abs(v.Checks[0].Value-end) > 1e-12 || v.Sound != (end == 0) {
			t.Errorf("%g at the ends: %+v", end, v.Checks)
		}
	}
}
