package posterior

import (
	"math"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/system"
)

// A source between the points of an equation is told of; a smooth one is not, and one with a pole is not either.
func TestSourcesBetweenPointsAreToldOf(t *testing.T) {
	variables := []system.Variable{{Name: "x", Min: 0, Max: 1}}
	points, err := system.Collocation(variables, nil, 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		source func(x float64) float64
		unseen bool
	}{
		"narrow": {func(x float64) float64 { return 1e3 * math.Exp(-math.Pow((x-0.4321)/1e-3, 2)) }, true},
		"smooth": {func(x float64) float64 { return 1 + math.Sin(12*x) }, false},
		"zero":   {func(float64) float64 { return 0 }, false},
		"pole":   {func(x float64) float64 { return 1 / math.Sqrt(math.Abs(x-0.4321)) }, false},
	} {
		p := &system.Problem{
			Variables: variables, Fields: []string{"u"},
			Equations: []system.Demand{{Residual: system.Functional{
				Terms: []system.Term{{Derivative: []int{2}}}, Known: system.Func(func(x []float64) float64 { return c.source(x[0]) }),
			}, Points: points, Spread: true}},
			Conditions: []system.Demand{{Residual: system.Field(0), Points: column(0)}, {Residual: system.Field(0), Points: column(1)}},
			Sensors:    []system.Sensors{{Measures: system.Field(0), Points: column(0.2, 0.8), Values: []float64{0.1, 0.1}, Sigma: []float64{1}}},
		}
		q, err := Fit(p, Config{Neurons: 30})
		if err != nil {
			t.Fatal(err)
		}
		v, _, err := q.Examine(p)
		if err != nil {
			t.Fatal(err)
		}
		told := slices.ContainsFunc(v.Checks, func(c Check) bool { return c.Name == "equation 1, source" && c.Status == Failed })
		if told != c.unseen {
			t.Errorf("%s: told of it: %v; %+v", name, told, v.Checks)
		}
	}
}
