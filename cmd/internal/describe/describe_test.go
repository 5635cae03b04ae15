package describe

import (
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// written is a known function with a text.
type written string

func (w written) EvalTo([]float64, *mat.Dense) {}
func (w written) String() string               { return string(w) }

func TestEquationsAreDescribedAsLinearTerms(t *testing.T) {
	p := &system.Problem{
		Variables:  []system.Variable{{Name: "x", Min: 0, Max: 1}, {Name: "t", Min: 0, Max: 1}},
		Fields:     []string{"u", "v"},
		Parameters: []system.Parameter{{Name: "lambda"}},
	}
	u := func(c system.Function, orders ...int) system.Term {
		return system.Term{Coefficient: c, Derivative: orders}
	}
	v := func(c system.Function) system.Term { return system.Term{Field: 1, Coefficient: c} }
	over := func(f *system.Footprint) system.Term {
		return system.Term{Derivative: []int{1}, Coefficient: system.Constant(-1), Footprint: f}
	}
	lambda := func(c system.Function) []system.ParameterTerm { return []system.ParameterTerm{{Coefficient: c}} }
	for _, c := range []struct {
		residual system.Functional
		want     string
	}{
		{system.Functional{Terms: []system.Term{u(nil, 2), u(nil, 0, 1)}}, "u_xx + u_t = 0"},
		{system.Functional{Terms: []system.Term{u(nil, 1, 1), u(system.Constant(-0.5), 2)}}, "u_xt - 0.5*u_xx = 0"},
		{system.Functional{Terms: []system.Term{u(system.Constant(-1)), v(system.Constant(1e-3))}}, "-u + 0.001*v = 0"},
		{system.Functional{Terms: []system.Term{u(written("x + t"), 1), v(written("-(x*t)"))}}, "(x + t)*u_x - x*t*v = 0"},
		{system.Functional{Terms: []system.Term{u(nil)}, Known: written("-(x - 1)")}, "u = x - 1"},
		{system.Functional{Terms: []system.Term{u(nil)}, Known: written("-x - 1")}, "u = -(-x - 1)"},
		{system.Functional{Terms: []system.Term{u(nil)}, Known: written("x - 1")}, "u = -(x - 1)"},
		{system.Functional{Terms: []system.Term{u(nil)}, Known: system.Constant(-2)}, "u = 2"},
		{system.Functional{Terms: []system.Term{u(nil)}, Parameters: lambda(written("-(-sin(x)*cos(x))"))}, "u + sin(x)*cos(x)*lambda = 0"},
		{system.Functional{Terms: []system.Term{u(nil)}, Parameters: lambda(system.Func(nil))}, "u + f(x, t)*lambda = 0"},
		{system.Functional{Terms: []system.Term{u(written("(x + 1)*(x - 1)"))}}, "(x + 1)*(x - 1)*u = 0"},
		{system.Functional{Terms: []system.Term{u(nil, 1), over(system.Shifted(0.5, -1))}}, "u_x - u_x(x + 0.5, t - 1) = 0"},
		{system.Functional{Terms: []system.Term{over(&system.Footprint{Offsets: mat.NewDense(1, 2, nil), Fixed: []bool{true, false}})}}, "-u_x(x = 0) = 0"},
		{system.Functional{Terms: []system.Term{over(&system.Footprint{Offsets: mat.NewDense(9, 2, nil)})}}, "-u_x(mean of 9 places) = 0"},
	} {
		if got := equation(p, &c.residual); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestSumThatBeginsWithAMinusFollowsATerm(t *testing.T) {
	p := &system.Problem{Variables: []system.Variable{{Name: "t", Max: 1}}, Fields: []string{"u"}}
	f := system.Functional{Terms: []system.Term{{Derivative: []int{1}}}, Nonlinear: &system.Nonlinear{Value: written("-(p*u) + q*u^2")}}
	if got, want := Functional(p, &f), "u_t - (p*u) + q*u^2"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
