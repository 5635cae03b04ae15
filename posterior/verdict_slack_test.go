package posterior

import (
	"math"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/system"
)

// cantilever is a beam with an unknown load P at its tip, where w_xxx = -P. Its deflection is measured with an sd of sigma.
// The true load is 2.
func cantilever(t *testing.T, sigma float64, exact bool) *system.Problem {
	t.Helper()
	variables := []system.Variable{{Name: "x", Min: 0, Max: 2}}
	points, err := system.Collocation(variables, nil, 80, 1)
	if err != nil {
		t.Fatal(err)
	}
	derivative := func(order int) system.Functional {
		return system.Functional{Terms: []system.Term{{Derivative: []int{order}}}}
	}
	shear := derivative(3)
	shear.Parameters = []system.ParameterTerm{{Coefficient: system.Constant(1)}}
	s := system.Sensors{Measures: system.Field(0), Sigma: []float64{sigma}}
	var at []float64
	for i := range 12 {
		x := float64(i+1) / 6
		at = append(at, x)
		s.Values = append(s.Values, x*x*(6-x)/3+float64(sigma*float64(i%3-1)))
	}
	s.Points = column(at...)
	p := &system.Problem{
		Variables: variables, Fields: []string{"w"}, Parameters: []system.Parameter{{Name: "P"}}, Sensors: []system.Sensors{s},
		Equations: []system.Demand{{Residual: derivative(4), Points: points}},
		Conditions: []system.Demand{
			{Residual: system.Field(0), Points: column(0)}, {Residual: derivative(1), Points: column(0)},
			{Residual: derivative(2), Points: column(2)}, {Name: "tip", Residual: shear, Points: column(2)},
		},
	}
	for i := range p.Conditions {
		p.Conditions[i].Exact = exact
	}
	if exact {
		p.Equations[0].Tolerance = 1e-7
	}
	return p
}

// The load is known from how the beam bends, and the slack of the conditions is most of its uncertainty where the readings
// are good. The verdict says so, and by how much: as a fit with exact conditions
// and a tight equation confirms.
func TestSlackThatWidensAParameterIsNoted(t *testing.T) {
	config := Config{Neurons: 60, Seed: 1}
	slackOf := func(p *system.Problem) (Check, float64) {
		q := fit(t, p, config)
		v, _, err := q.Examine(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range v.Checks {
			if c.Kind == "slack" && c.Name == "P" {
				return c, q.Parameters()[0].SD
			}
		}
		t.Fatal("there is no check of the slack")
		return Check{}, 0
	}
	loose, wide := slackOf(cantilever(t, 1e-4, false))
	if loose.Status != Note || !strings.Contains(loose.Message, "P is uncertain mostly because equations and conditions may be missed") || !strings.Contains(loose.Message, "exact = true") {
		t.Errorf("with good readings: %+v", loose)
	}
	_, narrow := slackOf(cantilever(t, 1e-4, true))
	if !(wide > 2*narrow) || math.Abs(math.Log((1-loose.Value)*wide/narrow)) > math.Log(2) {
		t.Errorf("the sd is %.2g, without slack %.2g; %.2g of it was foretold", wide, narrow, 1-loose.Value)
	}
	if poor, _ := slackOf(cantilever(t, 0.1, false)); poor.Status != Passed || poor.Value > 0.1 {
		t.Errorf("with poor readings, which are most of the uncertainty: %+v", poor)
	}
}
