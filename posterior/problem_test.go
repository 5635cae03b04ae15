package posterior

import (
	"math"
	"math/rand/v2"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// at is a function of one variable given by a table.
func at(table map[float64]float64) system.Func {
	return func(x []float64) float64 { return table[x[0]] }
}

// column returns points as an n x 1 matrix.
func column(x ...float64) *mat.Dense { return mat.NewDense(len(x), 1, x) }

// rod is a small inverse problem on [0, 2]: u_xx + 3 u + lambda x = source,
// u + 0.5 lambda = 0.3 at the left end as a condition when asked for, and
// readings of u and of u_x in two groups.
func rod(condition bool) *system.Problem {
	source := map[float64]float64{}
	x := []float64{0.1, 0.45, 0.8, 1.1, 1.3, 1.6, 1.95}
	for i, v := range x {
		source[v] = -(1.5 - 0.4*float64(i))
	}
	p := &system.Problem{
		Variables:  []system.Variable{{Name: "x", Min: 0, Max: 2}},
		Fields:     []string{"u"},
		Parameters: []system.Parameter{{Name: "lambda"}},
		Equations: []system.Demand{{
			Residual: system.Functional{
				Terms:      []system.Term{{Derivative: []int{2}}, {Coefficient: system.Constant(3)}},
				Parameters: []system.ParameterTerm{{Coefficient: system.Func(func(x []float64) float64 { return x[0] })}},
				Known:      at(source),
			},
			Points: column(x...),
		}},
		Sensors: []system.Sensors{
			{Name: "values", Measures: system.Field(0), Points: column(0, 0.7, 2), Values: []float64{0.2, 0.9, -0.4}, Sigma: []float64{0.05}},
			{Name: "slopes", Measures: system.Derivative(0, 1), Points: column(0.3, 1.5), Values: []float64{0.8, -1.1}, Sigma: []float64{0.1, 0.2}},
		},
	}
	if condition {
		p.Conditions = []system.Demand{{
			Residual: system.Functional{
				Terms:      []system.Term{{}},
				Parameters: []system.ParameterTerm{{Coefficient: system.Constant(0.5)}},
				Known:      system.Constant(-0.3),
			},
			Points: column(0),
		}}
	}
	return p
}

func layerFor(p *system.Problem, neurons int, scale float64, seed uint64) *feature.Layer {
	l, err := feature.New(p.Box(), feature.Config{Neurons: neurons, Scale: []float64{scale}, Seed: seed})
	if err != nil {
		panic(err)
	}
	return l
}

// wave is an inverse problem with an exact solution: u_xx = -lambda sin(2 x) on
// [-3, 3], u = sin(2 x) + 0.3 x + 0.5, lambda = 4.
func wave(random *rand.Rand, readings int, sigma float64) (*system.Problem, system.Func) {
	exact := system.Func(func(x []float64) float64 { return mat.Sin(2*x[0]) + float64(0.3*x[0]) + 0.5 })
	p := &system.Problem{
		Variables:  []system.Variable{{Name: "x", Min: -3, Max: 3}},
		Fields:     []string{"u"},
		Parameters: []system.Parameter{{Name: "lambda"}},
		Equations: []system.Demand{{
			Residual: system.Functional{
				Terms:      []system.Term{{Derivative: []int{2}}},
				Parameters: []system.ParameterTerm{{Coefficient: system.Func(func(x []float64) float64 { return mat.Sin(2 * x[0]) })}},
			},
			Points: mat.NewDense(40, 1, nil),
		}},
		Sensors: []system.Sensors{{Name: "gauges", Measures: system.Field(0), Points: mat.NewDense(readings, 1, nil), Values: make([]float64, readings), Sigma: []float64{sigma}}},
	}
	for i := range 40 {
		p.Equations[0].Points.Set(i, 0, -3+float64(6*(float64(i)+0.5)/40))
	}
	s := &p.Sensors[0]
	noise := make([]float64, readings)
	fillNormal(random, noise)
	for i := range readings {
		s.Points.Set(i, 0, -3+float64(6*float64(i)/float64(readings-1)))
		s.Values[i] = exact(s.Points.Row(i)) + float64(sigma*noise[i])
	}
	return p, exact
}

func relative(a, b float64) float64 {
	return math.Abs(a-b) / math.Max(math.Abs(b), math.SmallestNonzeroFloat64)
}

// twoFields is v = u_x, v_x = -q with readings of u, on [0, 2].
func twoFields() *system.Problem {
	p := rod(false)
	return &system.Problem{
		Variables:  p.Variables,
		Fields:     []string{"u", "v"},
		Parameters: []system.Parameter{{Name: "q"}, {Name: "offset", Mean: 0.1, SD: 0.2}},
		Equations: []system.Demand{
			{Residual: system.Functional{Terms: []system.Term{{Derivative: []int{1}}, {Field: 1, Derivative: []int{0}, Coefficient: system.Constant(-1)}}}, Points: column(0.1, 0.3, 0.5, 0.7, 0.9, 1.1, 1.3, 1.5, 1.7, 1.9)},
			{Residual: system.Functional{Terms: []system.Term{{Field: 1, Derivative: []int{1}}}, Parameters: []system.ParameterTerm{{Parameter: 0}}}, Points: column(0, 0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.6, 1.8, 2)},
		},
		Sensors: []system.Sensors{{
			Measures: system.Functional{Terms: []system.Term{{Derivative: []int{0}}}, Parameters: []system.ParameterTerm{{Parameter: 1}}},
			Points:   column(0, 0.5, 1, 1.5, 2), Values: []float64{0.1, 0.5, 0.62, 0.48, 0.12}, Sigma: []float64{0.02},
		}},
	}
}
