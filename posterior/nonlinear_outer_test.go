package posterior

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// strengthOfSquare has parameters theta ~ N(1, spread) and r ~ N(1, 1), and a reading of r theta^2 with little noise.
func strengthOfSquare(spread float64) *system.Problem {
	p := parabola(1, spread, 1, 0.05)
	p.Parameters = append(p.Parameters, system.Parameter{Name: "r", Mean: 1, SD: 1})
	p.Sensors[1].Measures = system.Functional{Nonlinear: &system.Nonlinear{
		Of:    []system.Functional{system.ParameterValue(0), system.ParameterValue(1)},
		Value: system.Func(func(x []float64) float64 { return x[2] * x[1] * x[1] }),
		Partials: []system.Function{
			system.Func(func(x []float64) float64 { return 2 * x[2] * x[1] }),
			system.Func(func(x []float64) float64 { return x[1] * x[1] }),
		},
	}}
	return p
}

// strengthExactly returns mean and standard deviation of r by quadrature over r and theta.
func strengthExactly(spread float64) (float64, float64) {
	const n = 1500
	var total, first, second float64
	for i := range n {
		r := 8 * (float64(i) + 0.5) / n
		for k := range n {
			theta := 1 + 6*spread*(2*(float64(k)+0.5)/n-1)
			a, b, c := (theta-1)/spread, r-1, (r*theta*theta-1)/0.05
			w := math.Exp(-(a*a + b*b + c*c) / 2)
			total, first, second = total+w, first+w*r, second+w*r*r
		}
	}
	first /= total
	return first, math.Sqrt(second/total - first*first)
}

// outerAgain integrates over parameters outside the mode of a fitted problem, as if draws had not corrected it.
func outerAgain(t *testing.T, p *system.Problem, c Config) (q *Posterior, linear *Posterior) {
	t.Helper()
	q, err := Fit(p, c)
	if err != nil {
		t.Fatal(err)
	}
	l := *q.nonlinear
	l.drawn = 0
	n := &newton{problem: l.of, config: l.config}
	q = n.outward(&l, l.linear)
	q.nonlinear = &l
	return q, l.linear
}

// A parameter whose Gaussian about the joint mode is far from the posterior is integrated over outside the mode, and its
// marginal then agrees with quadrature.
func TestOuterParametersAgainstQuadrature(t *testing.T) {
	const meanError, sdError = 0.2, 0.15 // in standard deviations, and of their logarithm
	for _, spread := range []float64{0.15, 0.2} {
		mean, sd := strengthExactly(spread)
		q, linear := outerAgain(t, strengthOfSquare(spread), Config{Neurons: 20, Seed: 1})
		e, before := q.Parameters()[1], linear.Parameters()[1]
		t.Logf("r = %.3f ± %.3f, about the mode %.3f ± %.3f, exactly %.3f ± %.3f; outer %v", e.Mean, e.SD, before.Mean, before.SD, mean, sd, q.nonlinear.isOuter(0))
		if math.Abs(e.Mean-mean) > meanError*sd || math.Abs(math.Log(e.SD/sd)) > sdError {
			t.Errorf("spread %g: r = %.3f ± %.3f, exactly %.3f ± %.3f", spread, e.Mean, e.SD, mean, sd)
		}
	}
}

// grown is u_t = r u (1 - u/K) with r = 1.3, K = 2 and 12 readings of the solution.
func grown() *system.Problem {
	random := rand.New(rand.NewPCG(3, 1))
	points, values := mat.NewDense(12, 1, nil), make([]float64, 12)
	for i := range values {
		t := 0.5 * (float64(i) + 0.5)
		points.Set(i, 0, t)
		values[i] = 2/(1+9*math.Exp(-1.3*t)) + 0.05*random.NormFloat64()
	}
	p := &system.Problem{
		Variables:    []system.Variable{{Name: "t", Min: 0, Max: 6}},
		Fields:       []string{"u"},
		Parameters:   []system.Parameter{{Name: "r", Mean: 1, SD: 1}},
		Coefficients: []system.Coefficient{{Name: "K", Median: 1.5, Factor: 2}},
		Sensors:      []system.Sensors{{Measures: system.Field(0), Points: points, Values: values, Sigma: []float64{0.05}}},
	}
	p.Equations = []system.Demand{{Points: system.Grid(p.Variables, nil, []int{60}), Residual: system.Functional{
		Terms: []system.Term{{Derivative: []int{1}}},
		Nonlinear: &system.Nonlinear{
			Of:    []system.Functional{system.Field(0), system.ParameterValue(0)},
			Value: system.DependentFunc(func(x, c []float64) float64 { return -x[2] * x[1] * (1 - x[1]/c[0]) }),
			Partials: []system.Function{
				system.DependentFunc(func(x, c []float64) float64 { return -x[2] * (1 - 2*x[1]/c[0]) }),
				system.DependentFunc(func(x, c []float64) float64 { return -x[1] * (1 - x[1]/c[0]) }),
			},
		},
	}}}
	return p
}

// A parameter is left to its Gaussian only if the evidence falls to either side as that says. The verdict does not believe it if
// the readings are explained much better outside, unless it was integrated over.
func TestStrengthsOfNonlinearParameters(t *testing.T) {
	q, err := Fit(grown(), Config{Neurons: 60, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	linear := q.nonlinear.linear
	// moved returns the strengths if the means of the posterior were so many standard deviations elsewhere.
	moved := func(by [2]float64) *linearisation {
		l := *q.nonlinear
		wrong := *linear
		wrong.components = nil
		for _, c := range linear.components {
			c.mean = append([]float64(nil), c.mean...)
			for j, sds := range by {
				_, sd := linear.parameter(j).moments()
				c.mean[c.basis.ParameterColumn(j)] += sds * sd
			}
			wrong.components = append(wrong.components, c)
		}
		l.linear, l.outer, l.explored = &wrong, nil, nil
		l.strengths = strengthsOf(&l)
		if len(l.strengths) != 2 || l.strengths[0].parameter != 0 || l.strengths[1].parameter != 1 {
			t.Fatalf("the strengths are %+v", l.strengths)
		}
		return &l
	}
	check := func(l *linearisation) []Check {
		v := &Verdict{Sound: true}
		v.strengths(l)
		return v.Checks
	}
	right := moved([2]float64{})
	for _, s := range right.strengths {
		if gain, _ := s.gain(); !s.gaussian() || gain > -0.5 || gain < -8 { // by the Gaussian, -3.1
			t.Errorf("where all is right: %+v", s)
		}
	}
	for _, c := range check(right) {
		if c.Status != Passed {
			t.Errorf("where all is right: %+v", c)
		}
	}
	for j, name := range []string{"r", "K"} {
		by := [2]float64{}
		by[j] = 5
		l := moved(by)
		if c := check(l)[j]; l.strengths[j].gaussian() || c.Status != Failed || !strings.HasPrefix(c.Message, name+" is not where its interval says") {
			t.Errorf("where %s is wrong: %+v, %+v", name, l.strengths[j], c)
		}
		l.outer = outerOf(l, []int{j})
		if c := check(l); len(c) != 1 || c[0].Name == name {
			t.Errorf("where %s was integrated over: %+v", name, c)
		}
	}
	inf := math.Inf(-1)
	for _, c := range []struct {
		below, above float64
		want         bool
	}{
		{-3.125, -3.125, true}, {-2.4, -4.2, true}, {-20, -3, true}, {inf, -3, true}, {inf, inf, true},
		{-6, -1.9, false}, {-1.9, -6, false}, {-1.5, -1.5, false}, {10, -20, false}, {inf, 0, false}, {1, 1, false},
	} {
		if got := (&strength{0, c.below, c.above}).gaussian(); got != c.want {
			t.Errorf("below %g, above %g: gaussian is %v", c.below, c.above, got)
		}
	}
}
