package posterior

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

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

// The verdict believes an interval of a parameter in a nonlinear term only if the readings are explained no better outside.
func TestIntervalsOfNonlinearParametersAreChecked(t *testing.T) {
	q, err := Fit(grown(), Config{Neurons: 60, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	l := *q.nonlinear
	l.drawn = 0 // as if draws had not corrected it
	linear := l.linear
	// check returns the check of each, with the means of the posterior moved by so many standard deviations.
	check := func(moved [2]float64) (checks [2]Check) {
		wrong := *linear
		wrong.components = nil
		for _, c := range linear.components {
			c.mean = append([]float64(nil), c.mean...)
			for j, sds := range moved {
				_, sd := linear.parameter(j).moments()
				c.mean[c.basis.ParameterColumn(j)] += sds * sd
			}
			wrong.components = append(wrong.components, c)
		}
		l.linear = &wrong
		v := &Verdict{Sound: true}
		if err := v.strengths(&l); err != nil {
			t.Fatal(err)
		}
		if len(v.Checks) != 2 || v.Checks[0].Name != "r" || v.Checks[1].Name != "K" {
			t.Fatalf("the checks are %+v", v.Checks)
		}
		return [2]Check(v.Checks)
	}
	for _, c := range check([2]float64{}) {
		if c.Status != Passed || c.Value > -0.5 || c.Value < -8 { // by the Gaussian, -3.1
			t.Errorf("where all is right: %+v", c)
		}
	}
	for j, name := range []string{"r", "K"} {
		moved := [2]float64{}
		moved[j] = 5
		if c := check(moved)[j]; c.Status != Failed || !strings.HasPrefix(c.Message, name+" is not where its interval says") {
			t.Errorf("where %s is wrong: %+v", name, c)
		}
	}
	l.drawn = 1
	v := &Verdict{Sound: true}
	if err := v.strengths(&l); err != nil || len(v.Checks) != 0 {
		t.Errorf("where draws correct the posterior: %+v, %v", v.Checks, err)
	}
}
