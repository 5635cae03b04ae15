package posterior

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// transport is a u_x + b u_t = 0.
func transport(a, b system.Function, x, t system.Variable) *system.Problem {
	p := &system.Problem{Variables: []system.Variable{x, t}, Fields: []string{"u"}, Equations: []system.Demand{{Residual: system.Functional{
		Terms: []system.Term{{Derivative: []int{1}, Coefficient: a}, {Derivative: []int{0, 1}, Coefficient: b}}}}}}
	p.Equations[0].Points, _ = system.Collocation(p.Variables, nil, 200, 3)
	return p
}

func TestCharacteristicsOfAnEquation(t *testing.T) {
	square := system.Variable{Min: -1, Max: 1}
	second := transport(nil, nil, square, square)
	second.Equations[0].Residual.Terms[0].Derivative = []int{2}
	sourced := transport(nil, nil, square, square)
	sourced.Equations[0].Residual.Terms = append(sourced.Equations[0].Residual.Terms, system.Term{Coefficient: system.Constant(3)})
	two := transport(nil, nil, square, square)
	two.Fields = append(two.Fields, "v")
	two.Equations[0].Residual.Terms[1].Field = 1
	crossing := transport(nil, nil, square, square)
	crossing.Equations = append(crossing.Equations, transport(nil, system.Constant(-1), square, square).Equations...)
	for name, c := range map[string]struct {
		p     *system.Problem
		angle float64 // NaN: none
	}{
		"diagonal":            {transport(nil, nil, square, square), math.Pi / 4},
		"along x":             {transport(nil, system.Constant(0), square, square), 0},
		"in other units":      {transport(system.Constant(1000), nil, system.Variable{Min: 0, Max: 2000}, square), math.Pi / 4},
		"on a log axis":       {transport(system.Func(func(x []float64) float64 { return x[0] }), nil, system.Variable{Min: 1, Max: math.Exp(2), Log: true}, square), math.Pi / 4},
		"with another term":   {sourced, math.Pi / 4},
		"curved":              {transport(system.Func(func(x []float64) float64 { return x[1] }), nil, square, square), math.NaN()},
		"of second order":     {second, math.NaN()},
		"of two fields":       {two, math.NaN()},
		"in two directions":   {crossing, math.NaN()},
		"without derivatives": {&system.Problem{Variables: []system.Variable{square, square}, Fields: []string{"u"}, Equations: []system.Demand{{Residual: system.Field(0)}}}, math.NaN()},
	} {
		domain, err := system.Collocation(c.p.Variables, nil, framePoints, frameSeed)
		if err != nil {
			t.Fatal(err)
		}
		angle, ok := characteristics(c.p, domain)
		if ok == math.IsNaN(c.angle) || ok && math.Abs(math.Remainder(angle-c.angle, math.Pi)) > 1e-12 {
			t.Errorf("%s: %g, %v; want %g", name, angle, ok, c.angle)
		}
	}
}

// A wave with kinks, which is carried through the box and read on three of its sides, is followed far better by neurons that have
// kinks across the characteristics.
func TestAKinkIsCarriedAlong(t *testing.T) {
	const noise = 0.01
	exact := func(x []float64) float64 { return 2 / math.Cosh(3*(math.Mod(x[0]-float64(2*x[1])+2, 1)-0.5)) }
	p := transport(system.Constant(2), nil, system.Variable{Name: "x", Max: 1}, system.Variable{Name: "t", Max: 1})
	random := rand.New(rand.NewPCG(5, 6))
	eps := make([]float64, 28)
	fillNormal(random, eps)
	s := system.Sensors{Measures: system.Field(0), Points: mat.NewDense(len(eps), 2, nil), Values: make([]float64, len(eps)), Sigma: []float64{noise}}
	for i := range eps {
		at := float64(i) * 3 / float64(len(eps)-1)
		switch {
		case at < 1:
			s.Points.Set(i, 1, 1-at)
		case at < 2:
			s.Points.Set(i, 0, at-1)
		default:
			s.Points.Set(i, 0, 1)
			s.Points.Set(i, 1, at-2)
		}
		s.Values[i] = exact(s.Points.Row(i)) + float64(noise*eps[i])
	}
	p.Sensors = []system.Sensors{s}
	grid := system.Grid(p.Variables, nil, []int{31, 31})
	score := func(c Config) (off, inside float64) {
		mean, sd, err := fit(t, p, c).Predict(system.Field(0), grid)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range mean {
			d := math.Abs(m - exact(grid.Row(i)))
			off += d / float64(len(mean))
			if d <= 1.96*sd[i] {
				inside += 1 / float64(len(mean))
			}
		}
		return off, inside
	}
	off, inside := score(Config{Neurons: 150, Seed: 1})
	smooth, _ := score(Config{Neurons: 150, Seed: 1, Activations: []feature.Activation{feature.Tanh, feature.Sine}})
	t.Logf("mean error %.4f, %.0f %% inside; without kinks %.4f", off, 100*inside, smooth)
	if off > 0.6*smooth || inside < 0.9 {
		t.Errorf("mean error %.4f, %.0f %% inside; without kinks %.4f", off, 100*inside, smooth)
	}
}

// What a site's scales weigh counts only those that are open: kinks have as much of the prior as all smooth layers of an activation.
func TestGivenScalesCostNothing(t *testing.T) {
	kinks := site{activation: feature.Softplus, octaves: []float64{flatOctave, kinkOctave}, turn: 100, across: true}
	if got, want := kinks.logPrior(), logScalePrior([]float64{0, 0}); got != want {
		t.Errorf("log prior %g, want %g", got, want)
	}
	// The integral of the tempered prior over all scales, by the trapezoidal rule.
	mass := 0.0
	const step = 0.01
	for k := -12.0; k < 12; k += step {
		mass += step * math.Exp(logScalePrior([]float64{k})/temper)
	}
	if got, want := kinks.logShare(), 2*math.Log(mass); math.Abs(got-want) > 1e-6 {
		t.Errorf("log share %g, want %g", got, want)
	}
	steep := site{octaves: []float64{flatOctave, 1}, turn: 100, across: true}
	if got, want := steep.logShare(), math.Log(mass)+logScalePrior([]float64{1})/temper; math.Abs(got-want) > 1e-6 {
		t.Errorf("log share %g, want %g", got, want)
	}
	if n := len(kinks.neighbours(1)) + len(kinks.turns(1)); n != 0 {
		t.Errorf("%d neighbours of what is given", n)
	}
	if n := len(steep.neighbours(1)); n != 2 {
		t.Errorf("%d neighbours, want 2", n)
	}
}
