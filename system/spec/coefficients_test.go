package spec

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// coefficientFile is a problem with D, which is not linear, and q, which is.
const coefficientFile = `[variables]
t = [0, 1]
x = [0, 2]

[parameters]
D = { min = 0.01, max = 10 }
q = {}
k = { median = 2, factor = 3 }

[[equation]]
pde = "u_t = D*u_xx + q*exp(-k*x)"

[[condition]]
on = "x = 0"
equals = "D*u_n + (k + 1)*u = D^2"

[[sensors]]
file = "readings.csv"
measures = "k*u + 3"
average = { x = 0.1 }
sigma = 0.1
`

func writeProblem(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"problem.toml": text, "readings.csv": "t,x,value\n0.5,1,2\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "problem.toml")
}

// valueOf is a function at a point; nil is what is left out.
func valueOf(f system.Function, absent float64, x ...float64) float64 {
	if f == nil {
		return absent
	}
	v := make([]float64, 1)
	f.EvalTo(v, mat.NewDense(1, len(x), x))
	return v[0]
}

func TestParametersThatAreNotLinearAreCoefficients(t *testing.T) {
	f, err := Read(writeProblem(t, coefficientFile), nil)
	if err != nil {
		t.Fatal(err)
	}
	p := f.Problem
	if len(p.Parameters) != 1 || p.Parameters[0].Name != "q" || len(p.Coefficients) != 2 || p.Coefficients[0].Name != "D" || p.Coefficients[1].Name != "k" {
		t.Fatalf("parameters %v, coefficients %v", p.Parameters, p.Coefficients)
	}
	const d, k = 0.3, 1.5
	at := p.With([]float64{d, k})
	if len(at.Coefficients) != 0 || len(p.Coefficients) != 2 {
		t.Error("coefficients are still unknown, or the problem has changed")
	}
	for label, e := range at.Demands() {
		if e.Residual.Depends([]float64{}) {
			t.Errorf("%v still depends on coefficients", label)
		}
	}
	e := &at.Equations[0].Residual
	for i, want := range []float64{1, -d} {
		if got := valueOf(e.Terms[i].Coefficient, 1, 0.2, 0.7); got != want {
			t.Errorf("coefficient of %s is %g, want %g", p.DerivativeName(&e.Terms[i]), got, want)
		}
	}
	if got, want := valueOf(e.Parameters[0].Coefficient, 1, 0.2, 0.7), -mat.Exp(-k*0.7); math.Abs(got-want) > 1e-15 {
		t.Errorf("coefficient of q is %g, want %g", got, want)
	}
	c := &at.Conditions[0]
	x := c.Points.Row(0)
	// -D u_x + (k + 1) u - D^2
	if got := valueOf(c.Residual.Terms[0].Coefficient, 1, x...); got != -d {
		t.Errorf("coefficient along the normal is %g, want %g", got, -d)
	}
	if got := valueOf(c.Residual.Terms[1].Coefficient, 1, x...); got != k+1 {
		t.Errorf("coefficient of u is %g, want %g", got, k+1)
	}
	if got := valueOf(c.Residual.Known, 0, x...); math.Abs(got+d*d) > 1e-15 {
		t.Errorf("known part is %g, want %g", got, -d*d)
	}
	sum := 0.0
	for i := range at.Sensors[0].Measures.Terms {
		sum += valueOf(at.Sensors[0].Measures.Terms[i].Coefficient, 1, 0.5, 1)
	}
	if math.Abs(sum-k) > 1e-14 {
		t.Errorf("the average has weights of sum %g, want %g", sum, k)
	}
	// Without values they are at the medians of their priors.
	if got, want := valueOf(p.Equations[0].Residual.Terms[1].Coefficient, 1, 0.2, 0.7), -math.Sqrt(0.01*10); math.Abs(got-want) > 1e-14 {
		t.Errorf("coefficient without values is %g, want %g", got, want)
	}
}

func TestCoefficientsThatAreRefused(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"max = 10", "max = 0.01", "problem.toml:6: parameters.D.max: found 0.01; a number above min, 0.01, is expected"},
		{"min = 0.01, max = 10", "min = 0.01", "problem.toml:6: parameters.D.min: min needs max, too"},
		{"max = 10", "max = 10, mean = 3, sd = 1", "problem.toml:6: parameters.D.mean: min is given, too; what is known of a parameter is one of min and max, median and factor, mean and sd"},
		{"factor = 3", "factor = 1", "problem.toml:8: parameters.k.factor: found 1; a number above 1 is expected: two thirds of the probability are to lie between median/factor and median*factor"},
		{"median = 2", "median = -2", "problem.toml:8: parameters.k.median: found -2; a positive number is expected"},
		{"k = {", "E = { min = 1, max = 2 }\nk = {", "problem.toml:8: parameters.E: no equation, condition or sensor contains E"},
		{"D*u_xx", "u_xx/(D - 10)", "problem.toml:11: equation.pde: D = 10 is possible, but then the coefficient of u_xx is -Inf at t ="},
		{"x = [0, 2]", `x = [0, "k"]`, "problem.toml:3: variables.x: k is unknown; only variables, constants and functions of them are possible here"},
		{"[variables]", "[constants]\nb = \"2*q\"\n[variables]", "problem.toml:2: constants.b: q is unknown; only variables, constants and functions of them are possible here"},
		{`on = "x = 0"`, `on = "x = D"`, "problem.toml:14: condition.on: D is unknown; where a condition holds must be known"},
		{"[[sensors]]", "[output]\nexact = \"k*x\"\n[[sensors]]", "problem.toml:18: output.exact: k is unknown"},
		{"D*u_xx", "D*round(u)*u_xx", `problem.toml:11: equation.pde: "-(D*round(u)*u_xx)" is not linear in u, and round is not smooth`},
	} {
		_, err := Read(writeProblem(t, replaced(t, coefficientFile, c.old, c.new)), nil)
		if err == nil {
			t.Errorf("%s instead of %s is taken", c.new, c.old)
			continue
		}
		if got := err.Error()[len(filepath.Dir(err.(*Error).File))+1:]; len(got) < len(c.want) || got[:len(c.want)] != c.want {
			t.Errorf("%s instead of %s:\n  error %s\n  want  %s", c.new, c.old, got, c.want)
		}
	}
}

// A parameter that is not linear may have its range found.
func TestCoefficientOfWhichNothingIsStated(t *testing.T) {
	f, err := Read(writeProblem(t, replaced(t, replaced(t, coefficientFile, "D = { min = 0.01, max = 10 }", "D = {}"), "D*u_xx", "u_xx/D")), nil)
	if err != nil {
		t.Fatal(err)
	}
	open := 0
	for i := range f.Problem.Coefficients {
		if c := &f.Problem.Coefficients[i]; c.Open() {
			open++
			if c.Name != "D" {
				t.Errorf("%s is open", c.Name)
			}
		}
	}
	if open != 1 {
		t.Errorf("%d coefficients are open, want D alone", open)
	}
}
