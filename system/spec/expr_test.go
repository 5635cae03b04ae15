package spec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// testScope knows the variables x and time, the fields u and v, the parameter
// lambda1 and the constant k_0 = 4.
func testScope(t testing.TB) *scope {
	t.Helper()
	s := newScope()
	s.variables, s.fields, s.parameters = []string{"x", "time"}, []string{"u", "v"}, []string{"lambda1"}
	s.constants["k_0"] = 4
	for kind, names := range map[string][]string{"variable": s.variables, "field": s.fields, "parameter": s.parameters, "constant": {"k_0"}} {
		for _, name := range names {
			if err := s.declare(name, kind); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

func TestPrecedence(t *testing.T) {
	s := testScope(t)
	for text, want := range map[string]float64{
		"-3^2":                    -9,
		"-3**2":                   -9,
		"(-3)^2":                  9,
		"2^-1":                    0.5,
		"2^3^2":                   512,
		"(2^3)^2":                 64,
		"2^-1^2":                  0.5,
		"8/2/2":                   2,
		"8/2*2":                   8,
		"8 - 2 - 2":               4,
		"1 - -2":                  3,
		"2*-3":                    -6,
		"- - 3":                   3,
		"+3":                      3,
		"-2*3 + 4":                -2,
		"1 + 2*3^2":               19,
		"1e3 + .5 + 2.":           1002.5,
		"2.5e-1":                  0.25,
		"k_0/2":                   2,
		"2*pi":                    2 * math.Pi,
		"e":                       math.E,
		"sqrt(16) + max(1, 7, 3)": 11,
		"min(2, 1) - mod(7, 4)":   -2,
		"\n 1\n + 1 ":             2,
	} {
		if v, err := s.value(text); err != nil || math.Abs(v-want) > 1e-15*math.Abs(want) {
			t.Errorf("%s = %g (%v), want %g", text, v, err, want)
		}
	}
}

func TestWhatExpressionsRefuse(t *testing.T) {
	s := testScope(t)
	for text, want := range map[string]string{
		"":                                   "empty",
		" \n":                                "empty",
		"1 +":                                "ends where more is expected",
		"1 + * 2":                            `unexpected "*"`,
		"(1":                                 "ends where more is expected",
		"1)":                                 `unexpected ")"`,
		"2x":                                 `unexpected "x"`,
		"2 $ 3":                              `unexpected character '$'`,
		"2 × 3":                              `unexpected character '×'`,
		"x.y":                                "unexpected character '.'",
		"1 = 2":                              "not one expression",
		"1 < 2":                              "not one expression",
		"1 and 2":                            "not one expression",
		"1e999":                              "too large",
		"sin":                                "sin is a function",
		"sin()":                              "sin takes 1 argument, found 0",
		"sin(1, 2)":                          "sin takes 1 argument, found 2",
		"atan2(1)":                           "atan2 takes 2 arguments, found 1",
		"max(1)":                             "max takes at least 2 arguments, found 1",
		"sinn(1)":                            "unknown function sinn; did you mean",
		"k_0(1)":                             "k_0 is a constant, not a function",
		"lamda1":                             "unknown name lamda1; did you mean lambda1?",
		"floors":                             "did you mean floor?",
		"w":                                  "unknown name w; a number or an expression of constants is expected; constants are k_0",
		"X":                                  "did you mean x?",
		"u_y":                                `"y" after u_ is not a sequence of the variables x and time`,
		"u_":                                 "variables must follow the underscore, as in u_x",
		"u_xtim":                             "not a sequence",
		"u_xxxxxxxxx":                        "derivative of order 9; the highest order is 8",
		"x":                                  "x is a variable; a constant is expected",
		"1/0":                                "+Inf; a finite number",
		"log(-1)":                            "NaN; a finite number",
		"u":                                  "u is unknown; only variables",
		"lambda1":                            "lambda1 is unknown; only variables",
		strings.Repeat("1", 10_001):          "10001 characters; at most 10000",
		strings.Repeat("(", 101) + "1":       "nested 101 deep",
		strings.Repeat("-", 101) + "1":       "nested 101 deep",
		strings.Repeat("2^", 101) + "1":      "nested 101 deep",
		strings.Repeat("2^-", 51) + "1":      "nested 102 deep",
		strings.Repeat("sin(", 101):          "nested 101 deep",
		"1" + strings.Repeat("^1)*(1", 1000): `unexpected ")"`,
	} {
		if _, err := s.value(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", shorten(text), err, want)
		}
	}
}

// TestLongExpressions stand just inside the bounds.
func TestLongExpressions(t *testing.T) {
	s := testScope(t)
	for text, want := range map[string]float64{
		"1" + strings.Repeat("+1", 4999):                            5000,
		strings.Repeat("(", 100) + "1" + strings.Repeat(")", 100):   1,
		strings.Repeat("(1)+", 1000) + "1":                          1001,
		strings.Repeat("-1^2*", 1000) + "1":                         1,
		strings.Repeat("abs(", 50) + "-1" + strings.Repeat(")", 50): 1,
	} {
		if v, err := s.value(text); err != nil || v != want {
			t.Errorf("%s = %g (%v), want %g", shorten(text), v, err, want)
		}
	}
}

func TestDerivativeNames(t *testing.T) {
	s := testScope(t)
	for name, want := range map[string][]int{
		"u_x": {1, 0}, "u_time": {0, 1}, "v_xtime": {1, 1}, "u_timex": {1, 1}, "u_xxtimetimex": {3, 2}, "u": {0, 0},
	} {
		n, err := s.expression(name)
		if err != nil || n.operation != field || fmt.Sprint(n.orders) != fmt.Sprint(want) || n.index != strings.Index("uv", name[:1]) {
			t.Errorf("%s: %+v, %v", name, n, err)
		}
	}
}

func TestAmbiguousVariables(t *testing.T) {
	for _, names := range [][]string{{"x"}, {"x", "y", "z", "t"}, {"x", "time"}, {"ab", "ba"}, {"x1", "x2", "x10"}, {"a", "ab"}, {"t", "theta"}} {
		if err := unambiguous(names); err != nil {
			t.Errorf("%v: %v", names, err)
		}
	}
	for _, names := range [][]string{{"x", "xx"}, {"x", "t", "xt"}, {"a", "ab", "b"}, {"ab", "abc", "cab", "c"}, {"x", "xyx", "yx"}} {
		if err := unambiguous(names); err == nil {
			t.Errorf("%v can be told apart, it is said", names)
		}
	}
}

// evaluateWith is the plain meaning of an expression: unknowns have given values.
func evaluateWith(n *node, x []float64, unknown func(*node) float64) float64 {
	operand := func(i int) float64 { return evaluateWith(n.operands[i], x, unknown) }
	switch n.operation {
	case number, constant:
		return n.value
	case variable:
		return x[n.index]
	case field, parameter:
		return unknown(n)
	case negation:
		return -operand(0)
	case addition:
		return operand(0) + operand(1)
	case subtraction:
		return operand(0) - operand(1)
	case multiplication:
		return operand(0) * operand(1)
	case division:
		return operand(0) / operand(1)
	case exponentiation:
		return math.Pow(operand(0), operand(1))
	}
	switch n.name {
	case "sin":
		return math.Sin(operand(0))
	case "exp":
		return math.Exp(operand(0))
	case "max":
		v := operand(0)
		for i := range n.operands {
			v = math.Max(v, operand(i))
		}
		return v
	}
	panic("no such function in this test: " + n.name)
}

// unknownValue gives every unknown a value of its own; u_xtime is u_timex.
func unknownValue(n *node) float64 {
	if n.operation == parameter {
		return 0.7
	}
	return 0.3*float64(n.index+1) + 1.1*float64(n.orders[0]) - 0.45*float64(n.orders[1])
}

// draw writes random expressions, linear in the unknowns or known.
type draw struct{ *rand.Rand }

func (d draw) known(depth int) string {
	if depth == 0 {
		return [...]string{"x", "time", "2", "0.5", "k_0", "pi"}[d.IntN(6)]
	}
	a, b := d.known(depth-1), d.known(d.IntN(depth))
	return fmt.Sprintf([...]string{"(%s + %s)", "%s - %s", "-%s*%s", "sin(%s + %s)", "%s/(3 + (%s)^2)", "max(%s, 1, %s)", "exp(-(%s)^2 - %s^2)"}[d.IntN(7)], a, b)
}

func (d draw) linear(depth int) string {
	if depth == 0 {
		return [...]string{"u", "v", "u_x", "u_xtime", "u_timex", "v_timetime", "lambda1", "x*u"}[d.IntN(8)]
	}
	a, b, k := d.linear(depth-1), d.linear(d.IntN(depth)), d.known(d.IntN(3))
	switch d.IntN(8) {
	case 0:
		return a + " - " + k
	case 1:
		return "-(" + a + ")"
	case 2:
		return "(" + a + ")*(" + k + ")"
	case 3:
		return "(" + k + ")*(" + a + ")"
	case 4:
		return "(" + a + ")/(7 + (" + k + ")^2)"
	case 5:
		return a + " - (" + b + ")"
	case 6:
		return "(" + a + " + " + k + ")*(1 - x)"
	}
	return a + " + " + b
}

// TestSplitMeansTheSame compares the sum of terms with the expression itself.
func TestSplitMeansTheSame(t *testing.T) {
	s, d := testScope(t), draw{rand.New(rand.NewPCG(1, 2))}
	points := mat.NewDense(3, 2, []float64{0.3, -1.2, -0.8, 0.1, 2, 1.5})
	for range 2000 {
		text := d.linear(1 + d.IntN(6))
		n, err := s.expression(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		a, err := split(n)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		f := a.functional()
		for i := range points.Rows() {
			x := points.Row(i)
			got, size := valueAt(f.Known, x, 0), 1.0
			for _, term := range f.Terms {
				orders := term.Derivative
				if orders == nil {
					orders = []int{0, 0}
				}
				part := valueAt(term.Coefficient, x, 1) * unknownValue(&node{operation: field, index: term.Field, orders: orders})
				got, size = got+part, size+math.Abs(part)
			}
			for _, term := range f.Parameters {
				part := valueAt(term.Coefficient, x, 1) * 0.7
				got, size = got+part, size+math.Abs(part)
			}
			size += math.Abs(valueAt(f.Known, x, 0))
			if want := evaluateWith(n, x, unknownValue); !(math.Abs(got-want) <= 1e-12*size) {
				t.Fatalf("%s at %v: the terms give %g, the expression %g", text, x, got, want)
			}
		}
	}
}

func valueAt(f system.Function, x []float64, absent float64) float64 {
	if f == nil {
		return absent
	}
	v := []float64{0}
	f.EvalTo(v, mat.NewDense(1, len(x), x))
	return v[0]
}

func TestSplitExamples(t *testing.T) {
	s := testScope(t)
	for text, want := range map[string]string{
		"(u_x + 2*u)*x - (lambda1*sin(x) - 3)": "x u_x; 2*x u; -sin(x) lambda1; 3",
		"-(u_xx)":                              "-1 u_xx",
		"2*(u + v)/k_0":                        "0.5 u; 0.5 v",
		"k_0*(u_xx + u_timetime)":              "4 u_xx; 4 u_timetime",
		"u_xtime + u_timex":                    "2 u_xtime",
		"u + v - u":                            "1 v",
		"u - 1 + 1":                            "1 u",
		"x*(u*2)*3":                            "x*2*3 u",
		"(x*u - lambda1)/2 - 5":                "x/2 u; -0.5 lambda1; -5",
	} {
		n, err := s.expression(text)
		if err != nil {
			t.Fatal(err)
		}
		a, err := split(n)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var found []string
		for _, term := range a.terms {
			if c := term.coefficient.function(); c != system.Function(system.Constant(0)) {
				found = append(found, fmt.Sprint(c)+" "+term.unknown.name)
			}
		}
		if a.known != nil && a.known.function() != system.Function(system.Constant(0)) {
			found = append(found, fmt.Sprint(a.known.function()))
		}
		if got := strings.Join(found, "; "); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestNonlinearTermsAreNamed(t *testing.T) {
	s := testScope(t)
	for text, want := range map[string]string{
		"u_time + u*u_x":     `"u*u_x" is not linear in the unknowns: it multiplies the unknowns u and u_x`,
		"u + x*sin(u + 1)":   `"sin(u + 1)" is not linear in the unknowns: it puts the unknown u into a function`,
		"1/u":                `"1/u" is not linear in the unknowns: it divides by the unknown u`,
		"u_x/(1 + v)":        "divides by the unknown v",
		"u_x + u^2":          `"u^2" is not linear in the unknowns: it puts the unknown u into a power`,
		"2^lambda1":          "unknown lambda1 into a power",
		"u_xx + lambda1*u":   `"lambda1*u" is not linear in the unknowns: it multiplies the unknowns lambda1 and u`,
		"u_xx*(1 + lambda1)": "it multiplies the unknowns u_xx and lambda1",
		"lambda1*lambda1":    "multiplies the unknowns lambda1 and lambda1",
		"(u + v)*(1 + u)":    `"(u + v)*(1 + u)" is not linear`,
		"max(lambda1, 1)":    "unknown lambda1 into a function",
		"sin(" + strings.Repeat("x + ", 100) + "u)": `..." is not linear in the unknowns: it puts the unknown u into a function`,
	} {
		n, err := s.expression(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := split(n); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
}

// TestProductsOfSumsStayBounded would otherwise need gigabytes.
func TestProductsOfSumsStayBounded(t *testing.T) {
	s := newScope()
	var terms []string
	s.fields = []string{"u"}
	for i := range 16 {
		s.variables = append(s.variables, string(rune('a'+i)))
	}
	for i := range 500 {
		terms = append(terms, "u_"+s.variables[i%16]+s.variables[i/16%16]+s.variables[i/256])
	}
	n, err := s.expression("(" + strings.Join(terms, "+") + ")*(" + strings.Repeat("a+", 1500) + "a)")
	if err != nil {
		t.Fatal(err)
	}
	d := &document{scope: s}
	if _, err := (section{document: d}).linear("pde", "text", n); err == nil || !strings.Contains(err.Error(), "expanded") {
		t.Errorf("error %v", err)
	}
}

// TestTextReadsBack writes random expressions and reads them again.
func TestTextReadsBack(t *testing.T) {
	s, d := testScope(t), draw{rand.New(rand.NewPCG(3, 4))}
	for range 2000 {
		n, err := s.expression(d.known(1 + d.IntN(5)))
		if err != nil {
			t.Fatal(err)
		}
		again, err := s.expression(n.String())
		if err != nil || again.String() != n.String() {
			t.Fatalf("%s is read as %v (%v)", n, again, err)
		}
		x := []float64{0.37, -1.9}
		if a, b := compile(n).at(x), compile(again).at(x); math.Float64bits(a) != math.Float64bits(b) {
			t.Fatalf("%s is %g, read back %g", n, a, b)
		}
	}
}

// TestProgramsAgreeWithPlainEvaluation covers chunks that are full, partial and
// strided.
func TestProgramsAgreeWithPlainEvaluation(t *testing.T) {
	s, d := testScope(t), draw{rand.New(rand.NewPCG(5, 6))}
	wide := mat.NewDense(2*chunk+17, 5, nil)
	for i := range wide.Data() {
		wide.Data()[i] = 4*d.Float64() - 2
	}
	points := wide.Slice(0, wide.Rows(), 1, 3)
	for range 200 {
		n, err := s.expression(d.known(1 + d.IntN(5)))
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float64, points.Rows())
		n.function().EvalTo(got, points)
		for i, v := range got {
			want := evaluateWith(n, points.Row(i), nil)
			if !(math.Abs(v-want) <= 1e-11*math.Max(1, math.Abs(want))) {
				t.Fatalf("%s at %v is %g, want %g", n, points.Row(i), v, want)
			}
			if one := compile(n).at(points.Row(i)); math.Float64bits(one) != math.Float64bits(v) {
				t.Fatalf("%s at one point is %g, among others %g", n, one, v)
			}
		}
	}
}

func TestConstantsAreFolded(t *testing.T) {
	s := testScope(t)
	for text, want := range map[string]int{"2*pi*x": 3, "sin(k_0)^2 + 1": 1, "x + (1 + 2)*3": 3, "-2^0.5": 1, "max(1, 2, x)": 3} {
		n, err := s.expression(text)
		if err != nil {
			t.Fatal(err)
		}
		if p := compile(n); len(p.code) != want {
			t.Errorf("%s has %d instructions, want %d", text, len(p.code), want)
		}
	}
}

func TestEvaluationIsConcurrentAndDoesNotAllocate(t *testing.T) {
	n, err := testScope(t).expression("exp(-x^2)*sin(time)/(1 + x^2*time^2)")
	if err != nil {
		t.Fatal(err)
	}
	f := compile(n)
	points := mat.NewDense(1000, 2, nil)
	for i := range points.Data() {
		points.Data()[i] = float64(i%97) / 50
	}
	want := make([]float64, 1000)
	f.EvalTo(want, points)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			got := make([]float64, 1000)
			for range 20 {
				f.EvalTo(got, points)
				for i := range got {
					if got[i] != want[i] {
						t.Errorf("point %d: %g, alone %g", i, got[i], want[i])
						return
					}
				}
			}
		})
	}
	wait.Wait()
	if testing.AllocsPerRun(200, func() { f.EvalTo(want, points) }) >= 1 { // not 0: the race detector makes sync.Pool forget
		t.Error("evaluation allocates")
	}
}

func FuzzExpression(f *testing.F) {
	for _, text := range []string{
		"u_xx + u_time = (16*x^2 - 12)*exp(-(2*x^2))", "-x^2", "2^-1^2", "max(1, x, k_0)/time", "x < 1 and time >= 0 and 0 < x < 2",
		"lambda1*sin(x) - 3*(u + v_timex)", "u*u_x", "((((", "- - - 1", "1e999", "u_", "sin()", "x..1", "**", "1 = = 2", "\xff", "é", "u_xxxxxxxxx", "0/0*u",
	} {
		f.Add(text)
	}
	s := testScope(f)
	x := []float64{0.5, -2}
	f.Fuzz(func(t *testing.T, text string) {
		if n, err := s.expression(text); err == nil {
			if a, err := split(n); err == nil && a.size() < maxExpanded {
				a.functional()
			}
			again, err := s.expression(n.String())
			if len(n.String()) <= maxExpressionLength && (err != nil || again.String() != n.String()) {
				t.Errorf("%q is written %q and read back as %v, %v", text, n, again, err)
			}
			if n.mentions(field, parameter) == nil {
				compile(n).at(x)
			}
		}
		s.value(text)
		s.equation(text)
		s.inequalities(text)
	})
}
