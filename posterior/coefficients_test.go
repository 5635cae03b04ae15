package posterior

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

var effective = flag.Int("effective", 1500, "effective sample of the brute force that coefficients are compared with")

// coefficientProblem is a small problem with unknown coefficients and the truth.
type coefficientProblem struct {
	name    string
	truth   []float64
	problem *system.Problem
}

// of makes a function of the coefficients alone.
func of(f func(c []float64) float64) system.Function {
	return system.DependentFunc(func(_, c []float64) float64 { return f(c) })
}

// line is n points of a variable, ends included.
func line(v system.Variable, n int) *mat.Dense {
	return system.Grid([]system.Variable{v}, nil, []int{n})
}

// read makes readings of a solution with noise.
func read(points *mat.Dense, sigma float64, seed uint64, u func(x []float64) float64) system.Sensors {
	random := rand.New(rand.NewPCG(seed, 1))
	s := system.Sensors{Name: "readings", Measures: system.Field(0), Points: points, Sigma: []float64{sigma}}
	for i := range points.Rows() {
		s.Values = append(s.Values, u(points.Row(i))+sigma*random.NormFloat64())
	}
	return s
}

func coefficientProblems(seed uint64) []coefficientProblem {
	t := system.Variable{Name: "t", Min: 0, Max: 4}
	minus := func(k int) func(c []float64) float64 { return func(c []float64) float64 { return -c[k] } }
	cooling := coefficientProblem{"cooling", []float64{0.7}, &system.Problem{
		Variables: []system.Variable{t}, Fields: []string{"u"},
		Coefficients: []system.Coefficient{{Name: "k", Min: 0.05, Max: 5}},
		// u_t = k (20 - u)
		Equations: []system.Equation{{Points: line(t, 60), Residual: system.Functional{
			Terms: []system.Term{{Derivative: []int{1}}, {Coefficient: of(func(c []float64) float64 { return c[0] })}},
			Known: of(func(c []float64) float64 { return -20 * c[0] }),
		}}},
		Sensors: []system.Sensors{read(line(t, 8), 2, seed, func(x []float64) float64 { return 20 + 60*math.Exp(-0.7*x[0]) })},
	}}
	const w, c = 2.5, 0.3
	oscillator := coefficientProblem{"oscillator", []float64{w, c}, &system.Problem{
		Variables: []system.Variable{t}, Fields: []string{"u"},
		Coefficients: []system.Coefficient{{Name: "w", Min: 1, Max: 4}, {Name: "c", Mean: 0.3, SD: 0.2}},
		// u_tt + c u_t + w^2 u = 0
		Equations: []system.Equation{{Points: line(t, 80), Residual: system.Functional{Terms: []system.Term{
			{Derivative: []int{2}}, {Derivative: []int{1}, Coefficient: of(func(c []float64) float64 { return c[1] })},
			{Coefficient: of(func(c []float64) float64 { return c[0] * c[0] })},
		}}}},
		Sensors: []system.Sensors{read(line(t, 15), 0.1, seed, func(x []float64) float64 {
			return math.Exp(-0.5*c*x[0]) * math.Cos(math.Sqrt(w*w-0.25*c*c)*x[0])
		})},
	}}
	x := system.Variable{Name: "x", Min: 0, Max: 3}
	fin := coefficientProblem{"fin", []float64{1.2}, &system.Problem{
		Variables: []system.Variable{x}, Fields: []string{"u"}, Parameters: []system.Parameter{{Name: "flux"}},
		Coefficients: []system.Coefficient{{Name: "h", Median: 1, Factor: 3}},
		// u_xx = h u, u_x(0) = -flux, u_x(3) = -h u(3)
		Equations: []system.Equation{{Points: line(x, 60), Residual: system.Functional{
			Terms: []system.Term{{Derivative: []int{2}}, {Coefficient: of(minus(0))}},
		}}},
		Conditions: []system.Equation{{Points: mat.NewDense(1, 1, []float64{0}), Residual: system.Functional{
			Terms: []system.Term{{Derivative: []int{1}}}, Parameters: []system.ParameterTerm{{Parameter: 0}},
		}}},
		Sensors: []system.Sensors{read(line(x, 9), 0.1, seed, func(x []float64) float64 { return 3 * math.Exp(-math.Sqrt(1.2)*x[0]) })},
	}}
	plane := []system.Variable{{Name: "x", Min: 0, Max: 1}, {Name: "t", Min: 0, Max: 0.5}}
	halton := func(n int, seed uint64) *mat.Dense {
		p, err := system.Collocation(plane, nil, n, seed)
		if err != nil {
			panic(err)
		}
		return p
	}
	edge := func(at float64) system.Equation {
		points := mat.NewDense(20, 2, nil)
		for i := range 20 {
			points.Set(i, 0, at)
			points.Set(i, 1, float64(i)/38)
		}
		return system.Equation{Points: points, Residual: system.Field(0)}
	}
	heat := coefficientProblem{"heat", []float64{0.3}, &system.Problem{
		Variables: plane, Fields: []string{"u"}, Coefficients: []system.Coefficient{{Name: "D", Min: 0.01, Max: 10}},
		// u_t = D u_xx, u = 0 at either end
		Equations: []system.Equation{{Points: halton(150, 3), Residual: system.Functional{
			Terms: []system.Term{{Derivative: []int{0, 1}}, {Derivative: []int{2}, Coefficient: of(minus(0))}},
		}}},
		Conditions: []system.Equation{edge(0), edge(1)},
		Sensors: []system.Sensors{read(halton(20, 5), 0.05, seed, func(x []float64) float64 {
			return math.Sin(math.Pi*x[0]) * math.Exp(-0.3*math.Pi*math.Pi*x[1])
		})},
	}}
	return []coefficientProblem{cooling, oscillator, fin, heat}
}

// Quantiles of coefficients are those that importance sampling of the same layers' posteriors gives.
func TestCoefficientsAgainstBruteForce(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of evidences")
	}
	const endsOff = 0.03 // of the interval's width
	for _, p := range coefficientProblems(1) {
		neurons := 30
		if len(p.problem.Variables) > 1 {
			neurons = 50
		}
		e, clouds, err := explored(p.problem, Config{Neurons: neurons})
		if err != nil {
			t.Fatal(p.name, err)
		}
		q, err := e.mixture(clouds)
		if err != nil {
			t.Fatal(p.name, err)
		}
		brute := sampled(e, clouds[0], *effective)
		estimates := q.Parameters()[len(p.problem.Parameters):]
		for k, got := range estimates {
			values := make([]float64, len(brute.z))
			for i, z := range brute.z {
				values[i] = e.values(z)[k]
			}
			low, high := weightedQuantile(values, brute.weights, 0.025), weightedQuantile(values, brute.weights, 0.975)
			for _, end := range []struct{ p, got float64 }{{0.025, got.Lower95}, {0.5, got.Median}, {0.975, got.Upper95}} {
				if want := weightedQuantile(values, brute.weights, end.p); math.Abs(end.got-want) > endsOff*(high-low) {
					t.Errorf("%s, %s: quantile %g is %.5g, by brute force %.5g of [%.5g, %.5g]", p.name, got.Name, end.p, end.got, want, low, high)
				}
			}
			t.Logf("%-10s %s %.5g [%.5g, %.5g], brute force [%.5g, %.5g] of %d effective draws", p.name, got.Name, got.Median, got.Lower95, got.Upper95, low, high, brute.effective)
		}
	}
}

// sample are places of the layers' mixture with weights.
type sample struct {
	z         [][]float64
	weights   []float64
	effective int
}

// sampled draws from a wide normal distribution until the sample is as effective as is asked.
func sampled(e *coefficients, c *cloud, effective int) *sample {
	const wide = 1.6
	d := len(c.centre)
	// about the mean, in units of the standard deviations of all models together
	points, u := feature.NewHalton(d, 77), make([]float64, d)
	b := &sample{}
	var logs [][]float64
	var proposed []float64
	for b.effective < effective {
		for range effective {
			points.NextTo(u)
			x := make([]float64, d)
			for k, v := range u {
				x[k] = wide * normalQuantile(v)
			}
			z := c.place(x)
			b.z, proposed = append(b.z, z), append(proposed, -squares(x)/(2*wide*wide))
			own := slices.Clone(e.evidence(z))
			for k := range own {
				own[k] -= 0.5 * squares(z)
			}
			logs = append(logs, own)
		}
		n, models := len(b.z), len(e.sites)
		masses, each := make([]float64, models), make([][]float64, models)
		for k := range models {
			each[k] = make([]float64, n)
			for i := range n {
				each[k][i] = logs[i][k] - proposed[i]
			}
			masses[k] = logSumExp(each[k])
		}
		b.weights = make([]float64, n)
		square := 0.0
		for k, w := range modelWeights(e.shares, masses) {
			for i := range n {
				b.weights[i] += w * math.Exp(each[k][i]-masses[k])
			}
		}
		for _, w := range b.weights {
			square += w * w
		}
		b.effective = int(1 / square)
	}
	return b
}
