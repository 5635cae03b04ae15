package pinn

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// problem returns a problem with two fields, two variables, a parameter, all supported
// derivatives, variable coefficients and sensors: everything that a gradient passes through.
func problem() *system.Problem {
	x := mat.NewDense(70, 2, nil) // more than one segment
	for i := range x.Rows() {
		x.Set(i, 0, 3*mat.Sin(float64(i)))
		x.Set(i, 1, 1+mat.Cos(float64(3*i)))
	}
	slope := system.Func(func(x []float64) float64 { return 1 + x[0]*x[1] })
	known := system.Func(func(x []float64) float64 { return x[0] - 2*x[1] })
	return &system.Problem{
		Variables:  []system.Variable{{Name: "x", Min: -3, Max: 3}, {Name: "t", Min: 0, Max: 2}},
		Fields:     []string{"u", "v"},
		Parameters: []system.Parameter{{Name: "k"}},
		Equations: []system.Demand{
			{Residual: system.Functional{
				Terms:      []system.Term{{Derivative: []int{2}}, {Derivative: []int{0, 1}, Coefficient: slope}, {Field: 1, Derivative: []int{0, 2}}, {Field: 1}},
				Parameters: []system.ParameterTerm{{Coefficient: slope}},
				Known:      known,
			}, Points: x},
			{Residual: system.Functional{Terms: []system.Term{{Field: 1, Derivative: []int{1}}, {Coefficient: system.Constant(2)}}}, Points: x.Slice(0, 5, 0, 2).Clone()},
		},
		Sensors: []system.Sensors{{Measures: system.Field(0), Points: x.Slice(0, 3, 0, 2).Clone(), Values: []float64{1, -1, 2}}},
	}
}

func trainer(t *testing.T, p *system.Problem, c Config) *Trainer {
	t.Helper()
	tr, err := NewTrainer(p, c)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// The gradient of the loss matches central differences in every weight.
func TestGradient(t *testing.T) {
	const step, bound = 1e-5, 1e-6
	tr := trainer(t, problem(), Config{Hidden: []int{5, 4}, Seed: 3, DataWeight: 2})
	all := tr.network.weights.all
	for i := range all { // including biases and parameters
		all[i] += 0.1 * mat.Sin(float64(i))
	}
	tr.evaluate()
	gradient := slices.Clone(tr.gradient)
	largest := 0.0
	for _, g := range gradient {
		largest = math.Max(largest, math.Abs(g))
	}
	for i := range all {
		before := all[i]
		all[i] = before + step
		up := tr.evaluate()
		all[i] = before - step
		down := tr.evaluate()
		all[i] = before
		if got, want := gradient[i], (up-down)/(2*step); math.Abs(got-want) > bound*largest {
			t.Errorf("weight %d: gradient %g, differences %g", i, got, want)
		}
	}
}

// The propagated derivatives match differences of the predictions.
func TestDerivatives(t *testing.T) {
	const h, bound = 1e-3, 1e-5
	p := problem()
	tr := trainer(t, p, Config{Hidden: []int{6, 6}, Seed: 1})
	s := tr.segments[0]
	out := s.jet.forward(tr.network.weights)
	n := tr.Network()
	at := func(field int, x, y float64) float64 {
		return n.Predict(field, mat.NewDense(1, 2, []float64{x, y}))[0]
	}
	for i := range 10 {
		x, y := p.Equations[0].Points.At(i, 0), p.Equations[0].Points.At(i, 1)
		for _, term := range s.block.terms {
			carried := out.At(term.component*s.jet.rows+i, term.field)
			var want float64
			switch { // scaled to normalised coordinates: half sides 3 and 1
			case term.component == 0:
				want = at(term.field, x, y)
			case term.component <= len(s.jet.components.first):
				dx, dy, half := direction(s.jet.components.first[term.component-1])
				want = half * (at(term.field, x+h*dx, y+h*dy) - at(term.field, x-h*dx, y-h*dy)) / (2 * h)
			default:
				second := s.jet.components.second[term.component-1-len(s.jet.components.first)]
				dx, dy, half := direction(s.jet.components.first[second])
				want = half * half * (at(term.field, x+h*dx, y+h*dy) - 2*at(term.field, x, y) + at(term.field, x-h*dx, y-h*dy)) / (h * h)
			}
			if math.Abs(carried-want) > bound*(1+math.Abs(want)) {
				t.Errorf("point %d, field %d, component %d: %g, differences %g", i, term.field, term.component, carried, want)
			}
		}
	}
}

func direction(variable int) (dx, dy, half float64) {
	if variable == 0 {
		return 1, 0, 3
	}
	return 0, 1, 1
}

// u” = -lambda sin(x) on [0, pi] with readings of u: u = sin x, lambda = 1.
func TestTrainSolvesAnInverseProblem(t *testing.T) {
	if testing.Short() {
		t.Skip("trains a network")
	}
	x := mat.NewDense(40, 1, nil)
	for i := range x.Rows() {
		x.Set(i, 0, math.Pi*float64(i)/39)
	}
	readings := mat.NewDense(5, 1, []float64{0, 0.8, 1.6, 2.4, math.Pi})
	values := make([]float64, 5)
	for i := range values {
		values[i] = mat.Sin(readings.At(i, 0))
	}
	sine := system.Func(func(x []float64) float64 { return mat.Sin(x[0]) })
	p := &system.Problem{
		Variables:  []system.Variable{{Name: "x", Min: 0, Max: math.Pi}},
		Fields:     []string{"u"},
		Parameters: []system.Parameter{{Name: "lambda"}},
		Equations:  []system.Demand{{Residual: system.Functional{Terms: []system.Term{{Derivative: []int{2}}}, Parameters: []system.ParameterTerm{{Coefficient: sine}}}, Points: x}},
		Sensors:    []system.Sensors{{Measures: system.Field(0), Points: readings, Values: values}},
	}
	n, err := Train(p, Config{Hidden: []int{16, 16}, Epochs: 4000, Rate: 3e-3})
	if err != nil {
		t.Fatal(err)
	}
	if lambda := n.Parameters()[0]; math.Abs(lambda-1) > 0.02 {
		t.Errorf("lambda = %g, want 1", lambda)
	}
	for i, u := range n.Predict(0, x) {
		if math.Abs(u-mat.Sin(x.At(i, 0))) > 0.02 {
			t.Errorf("u(%g) = %g", x.At(i, 0), u)
		}
	}
}

func TestSameForAnyNumberOfProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var want []float64
	for _, processors := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(processors)
		tr := trainer(t, problem(), Config{Hidden: []int{8, 8}, Seed: 1})
		for range 20 {
			tr.Epoch()
		}
		if want == nil {
			want = tr.network.weights.all
		}
		if !slices.Equal(want, tr.network.weights.all) {
			t.Errorf("%d processors give different weights", processors)
		}
	}
}

func TestUnsupportedTerms(t *testing.T) {
	for _, derivative := range [][]int{{1, 1}, {3}, {0, 4}} {
		p := problem()
		p.Equations[0].Residual.Terms[0].Derivative = derivative
		var unsupported *UnsupportedError
		if _, err := Train(p, Config{Epochs: 1}); !errors.As(err, &unsupported) || unsupported.Where != "equation 1" {
			t.Errorf("%v: %v", derivative, err)
		}
	}
	p := problem()
	p.Sensors[0].Measures = system.Functional{Terms: []system.Term{{}, {Footprint: system.Shifted(make([]float64, len(p.Variables))...)}}}
	var unsupported *UnsupportedError
	if _, err := Train(p, Config{Epochs: 1}); !errors.As(err, &unsupported) || unsupported.Where != "sensors 1" {
		t.Errorf("a term elsewhere: %v", err)
	}
}

func TestDivergenceIsAnError(t *testing.T) {
	var diverged *DivergedError
	if _, err := Train(problem(), Config{Hidden: []int{4}, Rate: 1e300, Epochs: 50}); !errors.As(err, &diverged) {
		t.Error(err)
	}
}
