package posterior

import (
	"math"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/system"
)

// A source between the points of an equation is told of, also if the equation has an unknown coefficient, or the source unknown
// strength; a smooth one is not, and one with a pole is not either.
func TestSourcesBetweenPointsAreToldOf(t *testing.T) {
	variables := []system.Variable{{Name: "x", Min: 0, Max: 1}}
	points, err := system.Collocation(variables, nil, 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	candidates, err := system.Collocation(variables, nil, 4000, 2)
	if err != nil {
		t.Fatal(err)
	}
	narrow := func(x float64) float64 { return 1e3 * math.Exp(-math.Pow((x-0.4321)/1e-3, 2)) }
	smooth := func(x float64) float64 { return 1 + math.Sin(12*x) }
	for name, c := range map[string]struct {
		source           func(x float64) float64
		refine           int
		coefficient      bool
		strength, unseen bool
	}{
		"narrow":                      {source: narrow, unseen: true},
		"refined":                     {source: narrow, refine: 50},
		"smooth":                      {source: smooth},
		"zero":                        {source: func(float64) float64 { return 0 }},
		"pole":                        {source: func(x float64) float64 { return 1 / math.Sqrt(math.Abs(x-0.4321)) }},
		"coefficient":                 {source: narrow, coefficient: true, unseen: true},
		"smooth, with a coefficient":  {source: smooth, coefficient: true},
		"strength":                    {source: narrow, strength: true, unseen: true},
		"smooth, of unknown strength": {source: smooth, strength: true},
	} {
		p := &system.Problem{
			Variables: variables, Fields: []string{"u"},
			Equations: []system.Demand{{Residual: system.Functional{
				Terms: []system.Term{{Derivative: []int{2}}}, Known: system.Func(func(x []float64) float64 { return c.source(x[0]) }),
			}, Points: points, Spread: true, Refine: c.refine, Candidates: candidates}},
			Conditions: []system.Demand{{Residual: system.Field(0), Points: column(0)}, {Residual: system.Field(0), Points: column(1)}},
			Sensors:    []system.Sensors{{Measures: system.Field(0), Points: column(0.2, 0.8), Values: []float64{0.1, 0.1}, Sigma: []float64{1}}},
		}
		e := &p.Equations[0].Residual
		if c.strength {
			p.Parameters = []system.Parameter{{Name: "s"}}
			e.Parameters, e.Known = []system.ParameterTerm{{Coefficient: e.Known}}, nil
		}
		if c.coefficient {
			p.Coefficients = []system.Coefficient{{Name: "k", Min: 0.1, Max: 10}}
			e.Terms = append(e.Terms, system.Term{Coefficient: of(func(c []float64) float64 { return c[0] })})
			known := c.source
			e.Known = system.DependentFunc(func(x, c []float64) float64 { return c[0] * known(x[0]) })
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

// Where a solution grows fast, readings of its beginning alone say nothing, and make it look small. With one where it is large, with
// a size that is stated, or with a known beginning, there is nothing to tell of.
func TestReadingsThatDetermineNothingAreToldOf(t *testing.T) {
	variables := []system.Variable{{Name: "t", Min: 0, Max: 20}}
	points, err := system.Collocation(variables, nil, 120, 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(p *system.Problem)
		told   bool
	}{
		"beginning": {func(*system.Problem) {}, true},
		"size":      {func(p *system.Problem) { p.Sizes = []float64{1} }, false},
		"large": {func(p *system.Problem) {
			p.Sensors[0].Points, p.Sensors[0].Values = column(0.6, 1.9, 2.7, 20), []float64{0.01, -0.02, 0.02, 1}
		}, false},
		"intrinsic": {func(p *system.Problem) { // u' = exp(-u) - u, which no reading is needed to place
			p.Equations[0].Residual.Terms[1].Coefficient = system.Constant(1)
			p.Equations[0].Residual.Nonlinear = &system.Nonlinear{
				Of: []system.Functional{system.Field(0)}, Value: system.Func(func(x []float64) float64 { return -math.Exp(-x[len(x)-1]) }),
				Partials: []system.Function{system.Func(func(x []float64) float64 { return math.Exp(-x[len(x)-1]) })},
			}
			p.Sensors[0].Values, p.Sensors[0].Sigma = []float64{0.5, 0.6, 0.6}, []float64{1}
		}, false},
		"known": {func(p *system.Problem) {
			p.Conditions = []system.Demand{{Residual: system.Functional{Terms: []system.Term{{}}, Known: system.Constant(-1e-4)}, Points: column(0)}}
		}, false},
	} {
		p := &system.Problem{
			Variables: variables, Fields: []string{"u"},
			Equations: []system.Demand{{Residual: system.Functional{
				Terms: []system.Term{{Derivative: []int{1}}, {Coefficient: system.Constant(-1.3)}},
			}, Points: points, Spread: true}},
			Sensors: []system.Sensors{{Measures: system.Field(0), Points: column(0.6, 1.9, 2.7), Values: []float64{0.01, -0.02, 0.02}, Sigma: []float64{0.02}}},
		}
		c.change(p)
		q, err := Fit(p, Config{Neurons: 40})
		if err != nil {
			t.Fatal(err)
		}
		v, _, err := q.Examine(p)
		if err != nil {
			t.Fatal(err)
		}
		told := slices.ContainsFunc(v.Checks, func(c Check) bool { return c.Name == "size" && c.Status == Failed })
		if told != c.told {
			t.Errorf("%s: told of it: %v; %+v", name, told, v.Checks)
		}
	}
}
