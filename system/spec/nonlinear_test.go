package spec

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bpielm/bpielm/mat"
)

// smoothCases are expressions of u, its derivatives and a parameter that have a derivative everywhere near the places
// that are drawn, 0.2 to 0.8.
var smoothCases = []string{
	"u^2", "u^3*u_x", "u*u_x*u_xx", "1/u", "u/u_x", "u^u_x", "2^u", "u^-1.5", "(x*u)^2/(1 + u_x^2)", "sin(u)", "cos(u*u_x)", "tan(u)",
	"asin(u)", "acos(u)", "atan(u^2)", "atan2(u, u_x)", "atan2(u_x, u + x)", "sinh(u)", "cosh(u)", "tanh(3*u)", "sech(u)", "asinh(u)",
	"acosh(1 + u)", "atanh(u)", "exp(-u/q)", "log(u)", "ln(u + 1)", "log10(u)", "log2(u)", "sqrt(u)", "cbrt(u)", "pow(u, q)",
	"hypot(u, u_x)", "erf(u)", "erfc(u*x)", "-(u*u)", "q*u*u_x - x*u^2", "x^2*u^2 - (u - u_x)^2", "u*(1 - u/q)",
}

// Every function either has a case above or is refused.
func TestEveryFunctionIsSmoothOrRefused(t *testing.T) {
	all := strings.Join(smoothCases, " ")
	for name, f := range functions {
		if f.slope != nil || f.slopeOfTwo != nil {
			if !strings.Contains(" "+all, " "+name+"(") {
				t.Errorf("%s has a slope, but no expression in smoothCases begins with it", name)
			}
			continue
		}
		s := newScope()
		s.fields = []string{"u"}
		n, err := s.expression(name + "(" + strings.Repeat("u + 1, ", f.arity-1) + "u)")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.smooth(n); err == nil || !strings.Contains(err.Error(), name+" is not smooth") {
			t.Errorf("%s of a field: error %v", name, err)
		}
	}
}

// The derivatives of smooth expressions are those of differences.
func TestPartialsAreThoseOfDifferences(t *testing.T) {
	const step, bound = 1e-6, 2e-8 // rounding over the step, and its square
	random := rand.New(rand.NewPCG(1, 2))
	for _, text := range smoothCases {
		s := newScope()
		s.variables, s.fields, s.parameters = []string{"x"}, []string{"u"}, []string{"q"}
		n, err := s.expression(text)
		if err != nil {
			t.Fatal(err)
		}
		f, err := s.smooth(n)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		at := mat.NewDense(1, 1+len(f.Of), nil)
		for range 5 {
			for i := range at.Row(0) {
				at.Set(0, i, 0.2+0.6*random.Float64())
			}
			value := func(i int, by float64) float64 {
				moved, v := at.Clone(), make([]float64, 1)
				moved.Set(0, 1+i, moved.At(0, 1+i)+by)
				f.Value.EvalTo(v, moved)
				return v[0]
			}
			for i := range f.Of {
				want, got := (value(i, step)-value(i, -step))/(2*step), make([]float64, 1)
				if f.Partials[i] != nil {
					f.Partials[i].EvalTo(got, at)
				}
				if math.Abs(got[0]-want) > bound*(1+math.Abs(want))*10 {
					t.Errorf("%s: derivative %d at %v is %.10g, by differences %.10g", text, i, at.Row(0), got[0], want)
				}
			}
		}
	}
}

// (k*u_x)_x is k_x u_x + k u_xx, of what is known and of what is not.
func TestDerivativesOfExpressions(t *testing.T) {
	for _, c := range []struct{ text, same string }{
		{"(x^2*u_x)_x", "2*x*u_x + x^2*u_xx"},
		{"(u*u_x)_x", "u_x*u_x + u*u_xx"},
		{"(sin(x*y)*u_y)_xy", "(cos(x*y) - x*y*sin(x*y))*u_y + y*cos(x*y)*u_yy + x*cos(x*y)*u_xy + sin(x*y)*u_xyy"},
		{"(3*y)_x", "0*u"},
		{"(u^2)_xx", "2*u_x^2 + 2*u*u_xx"},
		{"2*(u)_x + ((u)_y)_x", "2*u_x + u_xy"},
	} {
		s := newScope()
		s.variables, s.fields = []string{"x", "y"}, []string{"u"}
		values := make([]map[string]float64, 5)
		random := rand.New(rand.NewPCG(3, 4))
		for i := range values {
			values[i] = map[string]float64{}
			for _, name := range []string{"x", "y", "u", "u_x", "u_y", "u_xx", "u_xy", "u_yy", "u_xyy"} {
				values[i][name] = random.NormFloat64()
			}
		}
		var trees [2]*node
		for i, text := range []string{c.text, c.same} {
			var err error
			if trees[i], err = s.expression(text); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
		}
		for _, v := range values {
			if a, b := valueIn(trees[0], v), valueIn(trees[1], v); math.Abs(a-b) > 1e-12*(1+math.Abs(a)) {
				t.Errorf("%s is %g, %s is %g", c.text, a, c.same, b)
			}
		}
	}
}

// valueIn is the value of a tree in which every unknown and variable has one.
func valueIn(n *node, v map[string]float64) float64 {
	known := func(n *node) *node { return literal(v[strings.TrimSuffix(n.name, "_")]) }
	var replaced func(n *node) *node
	replaced = func(n *node) *node {
		if n.operation == field || n.operation == variable {
			return known(n)
		}
		m := *n
		m.operands = nil
		for _, operand := range n.operands {
			m.operands = append(m.operands, replaced(operand))
		}
		return &m
	}
	return compile(replaced(n)).at(nil)
}

const nonlinearFile = `
[variables]
x = [0, 1]
t = [0, 2]
[parameters]
D = { min = 0.01, max = 1 }
r = {}
[[equation]]
pde = "u_t = D*u_xx + r*u*(1 - u) + x"
points = 20
[[sensors]]
file = "r.csv"
`

// readMemory reads a problem file whose sensors are in r.csv.
func readMemory(problem, readings string) (*File, error) {
	return ReadFS(fstest.MapFS{"p.toml": &fstest.MapFile{Data: []byte(problem)}, "r.csv": &fstest.MapFile{Data: []byte(readings)}}, "p.toml", nil)
}

// What is linear stays so; the rest is one nonlinear part.
func TestNonlinearFile(t *testing.T) {
	f, err := readMemory(nonlinearFile, "x,t,value\n0.5,1,2\n0.7,1.5,1\n")
	if err != nil {
		t.Fatal(err)
	}
	p := f.Problem
	if p.IsLinear() || len(p.Coefficients) != 1 || p.Coefficients[0].Name != "D" || len(p.Parameters) != 1 {
		t.Fatalf("coefficients %v, parameters %v", p.Coefficients, p.Parameters)
	}
	e := &p.Equations[0].Residual
	if len(e.Terms) != 2 || e.Known == nil || e.Nonlinear == nil || len(e.Nonlinear.Of) != 2 {
		t.Errorf("the equation is %+v", e)
	}
}

func TestNonlinearRefusals(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"r*u*(1 - u)", "r*abs(u)", "abs is not smooth"},
		{"r*u*(1 - u)", "r*u^2 + (abs(u))_x", "abs is not smooth"},
		{"r*u*(1 - u)", "r*(u^2)_z", "_z after a parenthesis is not a sequence of the variables x and t"},
		{"r*u*(1 - u)", "r*(u*u_xxxxxxxx)_x", "derivative of order 9"},
		{"r*u*(1 - u)", "r*u*sin(u_y)", "u_y"},
		{`file = "r.csv"`, "file = \"r.csv\"\nmeasures = \"u^2\"\naverage = { x = 0.1 }", "cannot be averaged"},
	} {
		text := strings.Replace(nonlinearFile, c.old, c.new, 1)
		if _, err := readMemory(text, "x,t,value\n0.5,1,2\n"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.new, err, c.want)
		}
	}
}
