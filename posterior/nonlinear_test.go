package posterior_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
)

// logistic is u_t = r u (1 - u/K) with unknown r and K, and readings of the exact solution with noise sigma at times that
// are spread evenly.
func logistic(seed uint64, readings int, sigma float64) *system.Problem {
	const r, limit, start, last = 1.3, 2, 0.2, 6
	random := rand.New(rand.NewPCG(seed, 1))
	points, values := mat.NewDense(readings, 1, nil), make([]float64, readings)
	for i := range values {
		t := last * (float64(i) + 0.5) / float64(readings)
		points.Set(i, 0, t)
		values[i] = growth(r, limit, start, t) + sigma*random.NormFloat64()
	}
	p := &system.Problem{
		Variables:    []system.Variable{{Name: "t", Min: 0, Max: last}},
		Fields:       []string{"u"},
		Parameters:   []system.Parameter{{Name: "r", Mean: 1, SD: 1}},
		Coefficients: []system.Coefficient{{Name: "K", Median: 1.5, Factor: 2}},
		Sensors:      []system.Sensors{{Measures: system.Field(0), Points: points, Values: values, Sigma: []float64{sigma}}},
	}
	p.Equations = []system.Demand{{Points: system.Grid(p.Variables, nil, []int{80}), Residual: system.Functional{
		Terms: []system.Term{{Derivative: []int{1}}},
		Nonlinear: &system.Nonlinear{
			Of: []system.Functional{system.Field(0), system.ParameterValue(0)},
			Value: system.DependentFunc(func(x, c []float64) float64 {
				return -x[2] * x[1] * (1 - x[1]/c[0])
			}),
			Partials: []system.Function{
				system.DependentFunc(func(x, c []float64) float64 { return -x[2] * (1 - 2*x[1]/c[0]) }),
				system.DependentFunc(func(x, c []float64) float64 { return -x[1] * (1 - x[1]/c[0]) }),
			},
		},
	}}}
	return p
}

// growth is the solution of the logistic equation.
func growth(r, limit, start, t float64) float64 {
	return limit / (1 + (limit/start-1)*math.Exp(-r*t))
}

// exactly integrates over rate, limit and start of the solution on a grid about the truth: means and standard deviations of the
// first two, and of the solution at t. The prior of the start is flat.
func exactly(p *system.Problem, t float64) (mean, sd [3]float64) {
	const n, reach = 41, 5
	g, c := &p.Sensors[0], &p.Coefficients[0]
	density := func(r, limit, start float64) float64 {
		sum := 0.0
		for i, v := range g.Values {
			z := (v - growth(r, limit, start, g.Points.At(i, 0))) / g.Sigma[0]
			sum += z * z
		}
		q := &p.Parameters[0]
		return math.Exp(-sum/2-(r-q.Mean)*(r-q.Mean)/(2*q.SD*q.SD)) * c.Density(limit)
	}
	// A grid about the truth first, then one about the mean.
	centre, width := [3]float64{1.3, 2, 0.2}, [3]float64{0.1, 0.05, 0.03}
	for range 4 {
		var weight float64
		var sum, squares [4]float64
		for i := range n {
			for j := range n {
				for k := range n {
					at := [3]float64{}
					for d, m := range [3]int{i, j, k} {
						at[d] = centre[d] + width[d]*reach*(2*float64(m)/(n-1)-1)
					}
					if at[2] <= 0 {
						continue
					}
					w := density(at[0], at[1], at[2])
					weight += w
					for d, v := range [4]float64{at[0], at[1], at[2], growth(at[0], at[1], at[2], t)} {
						sum[d] += w * v
						squares[d] += w * v * v
					}
				}
			}
		}
		for d := range centre {
			centre[d] = sum[d] / weight
			width[d] = math.Sqrt(squares[d]/weight - centre[d]*centre[d])
		}
		for d, from := range [3]int{0, 1, 3} {
			mean[d] = sum[from] / weight
			sd[d] = math.Sqrt(squares[from]/weight - mean[d]*mean[d])
		}
	}
	return mean, sd
}

// The Laplace approximation is near the exact posterior where the readings say much: means within a third of a standard
// deviation, standard deviations within a fifth.
func TestNonlinearAgainstTheExactPosterior(t *testing.T) {
	const atTime = 2
	fewest := math.MaxInt
	for seed := range uint64(3) {
		p := logistic(seed, 20, 0.03)
		q, err := posterior.Fit(p, posterior.Config{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		fewest = min(fewest, q.Summary().Neurons)
		mean, sd := exactly(p, atTime)
		var got, width [3]float64
		for i, e := range q.Parameters() {
			got[i], width[i] = e.Mean, e.SD
		}
		m, s, err := q.Predict(system.Field(0), mat.NewDense(1, 1, []float64{atTime}))
		if err != nil {
			t.Fatal(err)
		}
		got[2], width[2] = m[0], s[0]
		for i, name := range []string{"r", "K", "u(2)"} {
			if math.Abs(got[i]-mean[i]) > sd[i]/3 || math.Abs(math.Log(width[i]/sd[i])) > 0.2 {
				t.Errorf("seed %d: %s is %.4f ± %.4f, exactly %.4f ± %.4f", seed, name, got[i], width[i], mean[i], sd[i])
			}
		}
		v, _, err := q.Examine(p)
		if err != nil {
			t.Fatal(err)
		}
		if !v.Sound {
			t.Errorf("seed %d: %v", seed, v.Failures())
		}
	}
	if fewest > 200 { // the least that a doubling is compared with
		t.Errorf("%d neurons, where half as many may say the same", fewest)
	}
}

// Where the readings leave the solution wide, linear equations are no approximation, and the verdict remarks on it.
func TestVerdictOnNonlinearity(t *testing.T) {
	p := logistic(0, 8, 1.5)
	q, err := posterior.Fit(p, posterior.Config{})
	var astray *posterior.ConvergenceError
	if errors.As(err, &astray) {
		return // said as well
	}
	if err != nil {
		t.Fatal(err)
	}
	v, _, err := q.Examine(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range v.Checks {
		if c.Kind == "nonlinear" {
			if c.Status != posterior.Failed {
				t.Errorf("%+v", c)
			}
			return
		}
	}
	t.Error("the verdict does not look at it")
}

// What only Fit can do is refused elsewhere, by name.
func TestNonlinearIsRefusedElsewhere(t *testing.T) {
	p := logistic(0, 10, 0.1)
	var wrong *system.ProblemError
	layer, err := feature.New(p.Box(), feature.Config{Neurons: 20, Scale: []float64{3}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := posterior.Compile(p, layer, posterior.CompileConfig{}); !errors.As(err, &wrong) {
		t.Errorf("Compile: %v", err)
	}
	if _, err := posterior.FitPrior(p, posterior.Config{}); !errors.As(err, &wrong) {
		t.Errorf("FitPrior: %v", err)
	}
	var setting *posterior.ConfigError
	if _, err := posterior.Fit(p, posterior.Config{Method: posterior.Published}); !errors.As(err, &setting) {
		t.Errorf("the paper's method: %v", err)
	}
	p.Coefficients[0] = system.Coefficient{Name: "K"}
	if _, err := posterior.Fit(p, posterior.Config{}); !errors.As(err, &wrong) {
		t.Errorf("an open coefficient: %v", err)
	}
}

// A rate that is nowhere finite is an error that names the equation.
func TestBlowUpIsAnError(t *testing.T) {
	p := logistic(0, 10, 0.1)
	n := p.Equations[0].Residual.Nonlinear
	n.Value = system.Func(func(x []float64) float64 { return math.Log(-x[1] - 100) })
	n.Partials[0] = system.Func(func(x []float64) float64 { return 1 / (x[1] + 100) * math.Log(-1-x[1]*x[1]) })
	n.Partials[1] = nil
	var data *posterior.DataError
	if _, err := posterior.Fit(p, posterior.Config{}); !errors.As(err, &data) || data.Where == "" {
		t.Errorf("error %v", err)
	}
}

// rooted is u_x = 2 sqrt(u), whose readings of x^2 may come from a place where u is negative.
func rooted(sigma float64, values ...float64) *system.Problem {
	points := mat.NewDense(len(values), 1, nil)
	for i := range values {
		points.Set(i, 0, (float64(i)+0.5)/float64(len(values)))
	}
	p := &system.Problem{
		Variables: []system.Variable{{Name: "x", Min: 0, Max: 1}},
		Fields:    []string{"u"},
		Sensors:   []system.Sensors{{Measures: system.Field(0), Points: points, Values: values, Sigma: []float64{sigma}}},
	}
	p.Equations = []system.Demand{{Points: system.Grid(p.Variables, nil, []int{60}), Residual: system.Functional{
		Terms: []system.Term{{Derivative: []int{1}}},
		Nonlinear: &system.Nonlinear{
			Of:       []system.Functional{system.Field(0)},
			Value:    system.Func(func(x []float64) float64 { return -2 * math.Sqrt(x[1]) }),
			Partials: []system.Function{system.Func(func(x []float64) float64 { return -1 / math.Sqrt(x[1]) })},
		},
	}}}
	return p
}

// Where the search comes to a state at which an expression has no value, the error says what the state is.
func TestNoValueNamesTheState(t *testing.T) {
	_, err := posterior.Fit(rooted(0.05, -1, -1.1, -1, -1.1), posterior.Config{Neurons: 60})
	if err == nil || !strings.HasPrefix(err.Error(), "equation 1: ") || !strings.Contains(err.Error(), "came to u = -1") {
		t.Errorf("error %v", err)
	}
}

// A start at which an expression has no value is given up, and the answer says so: it may be that another solution was not found.
func TestStartWithoutASolutionIsTold(t *testing.T) {
	p := rooted(0.005, 0.25, 0.25, 0.25, 0.25, 0.25, 2.25) // the mean less the standard deviation is negative
	for i, x := range []float64{0, 0, 0, 0, 0, 1} {
		p.Sensors[0].Points.Set(i, 0, x)
	}
	q, err := posterior.Fit(p, posterior.Config{Neurons: 60})
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, w := range q.Summary().Warnings {
		if strings.HasPrefix(w, "another start led to no solution: equation 1: ") {
			told++
		}
	}
	if told != 1 {
		t.Errorf("warnings %q", q.Summary().Warnings)
	}
	mean, _, err := q.Predict(system.Field(0), mat.NewDense(1, 1, []float64{0.5}))
	if err != nil || math.Abs(mean[0]-1) > 0.01 {
		t.Errorf("u(0.5) is %v, %v", mean, err)
	}
}

// A draw from the posterior at which an expression has no value spoils the bands, not the whole answer.
func TestVerdictWhereDrawsHaveNoValue(t *testing.T) {
	p := rooted(0.8, 0.09, 0.25, 0.49, 0.81, 1.21)
	q, err := posterior.Fit(p, posterior.Config{Neurons: 60})
	if err != nil {
		t.Fatal(err)
	}
	v, _, err := q.Examine(p)
	if err != nil {
		t.Fatal(err)
	}
	if v.Sound || !slices.ContainsFunc(v.Checks, func(c posterior.Check) bool { return c.Name == "defined" && c.Status == posterior.Failed }) {
		t.Errorf("%+v", v.Checks)
	}
}

// Gross errors are given up before hyper-parameters are integrated over, and stay so in the steps that follow.
func TestNonlinearWithGrossErrors(t *testing.T) {
	const readings, sigma, off = 20, 0.03, 1
	clean := logistic(4, readings, sigma)
	mean, sd := exactly(clean, 2)
	p := logistic(4, readings, sigma)
	g := &p.Sensors[0]
	g.Student = true
	for _, k := range []int{3, 9, 15, 18} {
		g.Values[k] -= off
	}
	q, err := posterior.Fit(p, posterior.Config{Neurons: 60})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range q.Parameters() {
		if math.Abs(e.Mean-mean[i]) > 2*sd[i] || e.SD > 2*sd[i] {
			t.Errorf("%s is %.4f ± %.4f, without the errors %.4f ± %.4f", e.Name, e.Mean, e.SD, mean[i], sd[i])
		}
	}
}

// Draws loosen an equation by what its linearisation leaves out. Where its tolerance is stated, or it holds exactly, they cannot,
// and the verdict looks at how far it is from linear.
func TestStatedTolerancesAreNotLoosened(t *testing.T) {
	for _, name := range []string{"its own", "of all", "exact"} {
		p, c := logistic(0, 8, 0.5), posterior.Config{Neurons: 40}
		equation := &p.Equations[0].Residual
		switch name {
		case "its own":
			p.Equations[0].Tolerance = 1e-5
		case "of all":
			c.Tolerance = 1e-5
		case "exact": // the only one that is not linear
			p.Conditions = []system.Demand{{Points: mat.NewDense(1, 1, nil), Exact: true, Residual: *equation}}
			*equation = system.Functional{Terms: []system.Term{{Derivative: []int{2}}}}
		}
		q, err := posterior.Fit(p, c)
		if err != nil {
			t.Fatal(name, err)
		}
		v, _, err := q.Examine(p)
		if err != nil {
			t.Fatal(name, err)
		}
		k := slices.IndexFunc(v.Checks, func(c posterior.Check) bool { return c.Kind == "nonlinear" && c.Name == "" })
		if k < 0 || v.Checks[k].Value == 0 {
			t.Errorf("%s: whether the equation is nearly linear is not measured: %+v", name, v.Checks)
		}
	}
}

// Readings that say little leave both stable solutions of u_t = 4 (u - u^3); each is one mode.
func TestBothSolutionsAreFoundOnce(t *testing.T) {
	v := []system.Variable{{Name: "t", Min: 0, Max: 4}}
	points := system.Grid(v, nil, []int{6})
	p := &system.Problem{
		Variables: v, Fields: []string{"u"}, Sizes: []float64{1},
		Sensors: []system.Sensors{{Measures: system.Field(0), Points: points, Values: []float64{1.5, -1.4, 1.6, -1.5, 1.3, -1.5}, Sigma: []float64{2}}},
	}
	p.Equations = []system.Demand{{Points: system.Grid(v, nil, []int{80}), Residual: system.Functional{
		Terms: []system.Term{{Derivative: []int{1}}},
		Nonlinear: &system.Nonlinear{
			Of:       []system.Functional{system.Field(0)},
			Value:    system.Func(func(x []float64) float64 { return -4 * (x[1] - x[1]*x[1]*x[1]) }),
			Partials: []system.Function{system.Func(func(x []float64) float64 { return -4 * (1 - 3*x[1]*x[1]) })},
		},
	}}}
	q, err := posterior.Fit(p, posterior.Config{Neurons: 40})
	if err != nil {
		t.Fatal(err)
	}
	samples, err := q.Sample(system.Field(0), mat.NewDense(1, 1, []float64{3.5}), 200, 1)
	if err != nil {
		t.Fatal(err)
	}
	above := 0
	for _, u := range samples.Data() {
		if u > 0 {
			above++
		}
	}
	verdict, _, err := q.Examine(p)
	if err != nil {
		t.Fatal(err)
	}
	k := slices.IndexFunc(verdict.Checks, func(c posterior.Check) bool { return c.Name == "solutions" })
	if k < 0 || above < 40 || above > 160 {
		t.Errorf("%d of 200 draws are above 0; the verdict: %+v", above, verdict.Checks)
	}
}
