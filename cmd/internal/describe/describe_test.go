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
		{system.Functional{Terms: []system.Term{u(nil)}, Known: written("-x - 1")}, "u = x + 1"},
		{system.Functional{Terms: []system.Term{u(nil)}, Known: written("x - 1")}, "u = -x + 1"},
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
	if got, want := Functional(p, &f), "u_t - p*u + q*u^2"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Signs come out of products, numbers to their front, and sums out of parentheses.
func TestSumsAsPrinted(t *testing.T) {
	for text, want := range map[string]string{
		"r*-20":                   "-20*r",
		"-(r*-20)":                "20*r",
		"r*-20 + sin(x)":          "-20*r + sin(x)",
		"-(r*-20 + sin(-x))":      "20*r - sin(-x)",
		"-r*(T - 20)":             "-r*(T - 20)",
		"r*(-T - 20)":             "-r*(T + 20)",
		"r*(20 - T)*-1":           "-r*(20 - T)",
		"2*r*-20":                 "-2*r*20",
		"x/-2":                    "-x/2",
		"x/(-2*y)":                "-x/(2*y)",
		"a*(b/c)":                 "a*b/c",
		"x*1":                     "x",
		"1*1*x/1":                 "x/1",
		"T*(1/r)":                 "T/r",
		"1*(1/r)":                 "1/r",
		"20/-r":                   "-20/r",
		"20":                      "20",
		"1/x":                     "1/x",
		"x/1e-3 - -0.5":           "x/1e-3 + 0.5",
		"(-x)^2*-3":               "-3*(-x)^2",
		"2^-x*-x^2":               "-2^-x*x^2",
		"a - (b - (c - -d))":      "a - b + c + d",
		"-(-(x + 1))":             "x + 1",
		"exp(-x*-2)*cos(x - 1)":   "exp(-x*-2)*cos(x - 1)",
		"x*(y*-3)":                "-3*x*y",
		"-0":                      "-0",
		"f(x, t)":                 "f(x, t)",
		"(x + 1)*(x - 1)":         "(x + 1)*(x - 1)",
		"k*(-1*(a - b)) + -(c*d)": "-k*(a - b) - c*d",
	} {
		var l linear
		l.add(1, text, "")
		if got := l.String(); got != want {
			t.Errorf("%s is printed as %s, not %s", text, got, want)
		}
	}
	for text, want := range map[string]string{"r*-20": "-20*r*u", "-(a - b)": "-(a - b)*u", "-a - b": "-(a + b)*u", "-1": "-u", "x": "x*u"} {
		var l linear
		l.add(1, text, "u")
		if got := l.String(); got != want {
			t.Errorf("%s times u is printed as %s, not %s", text, got, want)
		}
	}
}

// Constants that are multiplied out have many digits; six of them are shown, and names keep theirs.
func TestLongNumbersAreRounded(t *testing.T) {
	for text, want := range map[string]string{
		"3.168808781402895e-11*R":         "3.16881e-11*R",
		"u_t - 0.3333333333333333*u_xx":   "u_t - 0.333333*u_xx",
		"86400*D1234567*h_xx + 2.5":       "86400*D1234567*h_xx + 2.5",
		"1000000*a_10000000 - 12345678*b": "1000000*a_10000000 - 1.23457e+07*b",
	} {
		if got := rounded(text); got != want {
			t.Errorf("%s is written %s, expected %s", text, got, want)
		}
	}
}
