package posterior

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bpielm/bpielm/system"
)

// TestReadingsThatPhysicsForetellsLeaveUncertainty: where equation and conditions alone already
// predict the readings, amplitude zero would explain everything, and the load q would be certain.
// u_xx = q, u(0) = 0, u_x(2) = 1 give u = q (x^2/2 - 2 x) + x, so the least squares error of q is
// known.
func TestReadingsThatPhysicsForetellsLeaveUncertainty(t *testing.T) {
	const sigma = 0.01
	variables := []system.Variable{{Name: "x", Min: 0, Max: 2}}
	points, err := system.Collocation(variables, nil, 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	at := []float64{0.5, 1, 1.7}
	information := 0.0
	for _, x := range at {
		information += math.Pow((x*x/2-2*x)/sigma, 2)
	}
	random := rand.New(rand.NewPCG(2, 2))
	squared, seeds, wide := 0.0, 12, 0
	for range seeds {
		noise := make([]float64, 3)
		fillNormal(random, noise)
		values := make([]float64, 3)
		for i, x := range at {
			values[i] = x*x/2 - x + sigma*noise[i]
		}
		p := &system.Problem{
			Variables:  variables,
			Fields:     []string{"u"},
			Parameters: []system.Parameter{{Name: "q"}},
			Equations: []system.Demand{{Points: points, Residual: system.Functional{
				Terms:      []system.Term{{Derivative: []int{2}}},
				Parameters: []system.ParameterTerm{{Coefficient: system.Constant(-1)}},
			}}},
			Conditions: []system.Demand{
				{Points: column(0), Residual: system.Field(0)},
				{Points: column(2), Residual: system.Functional{Terms: []system.Term{{Derivative: []int{1}}}, Known: system.Constant(-1)}},
			},
			Sensors: []system.Sensors{{Measures: system.Field(0), Points: column(at...), Values: values, Sigma: []float64{sigma}}},
		}
		q := fit(t, p, Config{Neurons: 60, Seed: 1}).Parameters()[0]
		if want := 1 / math.Sqrt(information); q.SD < 0.7*want || q.SD > 3*want {
			t.Errorf("sd of q is %.2g, least squares has %.2g", q.SD, want)
		} else if q.SD > 2*want {
			wide++
		}
		squared += (q.Mean - 1) * (q.Mean - 1) / (q.SD * q.SD) / float64(seeds)
	}
	// Of three readings one may be so far off that a looser equation, or louder noise, is thought of.
	const mostWide = 2
	if wide > mostWide {
		t.Errorf("%d of %d sd are more than twice that of least squares", wide, seeds)
	}
	// 99.9 % point of chi-squared with twelve degrees of freedom, divided by them
	if squared > 2.75 {
		t.Errorf("mean squared error of q in units of its sd is %.2f", squared)
	}
}
