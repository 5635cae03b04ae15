package system_test

import (
	"errors"
	"math"
	"sync"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// wave is a state: u = sin(a x), its derivatives, and one parameter.
type wave struct{ a, parameter float64 }

func (w wave) ValueTo(dst []float64, f *system.Functional, points *mat.Dense) {
	clear(dst)
	if f.Known != nil {
		f.Known.EvalTo(dst, points)
	}
	at := func(c system.Function, i int) float64 {
		if c == nil {
			return 1
		}
		v := make([]float64, 1)
		c.EvalTo(v, points.Slice(i, i+1, 0, 1))
		return v[0]
	}
	for i := range dst {
		x := points.At(i, 0)
		for _, t := range f.Terms {
			order := 0
			if t.Derivative != nil {
				order = t.Derivative[0]
			}
			dst[i] += at(t.Coefficient, i) * math.Pow(w.a, float64(order)) * math.Sin(w.a*x+float64(order)*math.Pi/2)
		}
		for _, t := range f.Parameters {
			dst[i] += at(t.Coefficient, i) * w.parameter
		}
	}
}

// advected has the equation u_x + q u u_x + D u^2 = x, with the coefficient D, and sensors of u.
func advected() *system.Problem {
	points := mat.NewDense(3, 1, []float64{0.1, 0.5, 0.9})
	return &system.Problem{
		Variables:    []system.Variable{{Name: "x", Min: 0, Max: 1}},
		Fields:       []string{"u"},
		Parameters:   []system.Parameter{{Name: "q"}},
		Coefficients: []system.Coefficient{{Name: "D", Median: 2, Factor: 1.5}},
		Equations: []system.Demand{{Points: points, Residual: system.Functional{
			Terms: []system.Term{{Derivative: []int{1}}},
			Known: system.Func(func(x []float64) float64 { return -x[0] }),
			Nonlinear: &system.Nonlinear{
				Of: []system.Functional{system.Field(0), system.Derivative(0, 1), system.ParameterValue(0)},
				Value: system.DependentFunc(func(x, c []float64) float64 {
					return x[3]*x[1]*x[2] + c[0]*x[1]*x[1]
				}),
				Partials: []system.Function{
					system.DependentFunc(func(x, c []float64) float64 { return x[3]*x[2] + 2*c[0]*x[1] }),
					system.Func(func(x []float64) float64 { return x[3] * x[1] }),
					system.Func(func(x []float64) float64 { return x[1] * x[2] }),
				},
			},
		}}},
		Sensors: []system.Sensors{{Measures: system.Field(0), Points: points, Values: []float64{0, 0, 0}, Sigma: []float64{1}}},
	}
}

// withNumber is a state with a further parameter, the number of a coefficient.
type withNumber struct {
	wave
	z float64
}

func (w withNumber) ValueTo(dst []float64, f *system.Functional, points *mat.Dense) {
	g := *f
	g.Parameters = nil
	for _, t := range f.Parameters {
		if t.Parameter == 0 {
			g.Parameters = append(g.Parameters, t)
		}
	}
	w.wave.ValueTo(dst, &g, points)
	for _, t := range f.Parameters {
		if t.Parameter == 1 {
			v := make([]float64, len(dst))
			t.Coefficient.EvalTo(v, points)
			mat.Axpy(w.z, v, dst)
		}
	}
}

// The linearised problem has the value of the nonlinear one at the state, and differs from it by the square of a step
// elsewhere.
func TestLineariseIsOfFirstOrder(t *testing.T) {
	p := advected()
	if p.IsLinear() {
		t.Fatal("the problem counts as linear")
	}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	const z = 0.3
	at := wave{1.3, 0.7}
	linear := p.Linearise(at, []float64{z})
	if !linear.IsLinear() || len(linear.Coefficients) > 0 || len(linear.Parameters) != 2 || linear.Parameters[1].SD != 1 {
		t.Fatalf("the linearised problem is %+v", linear)
	}
	points := p.Equations[0].Points
	off := func(step float64) float64 {
		there, number := wave{1.3 + step, 0.7 - step}, z+step
		exact, first := make([]float64, 3), make([]float64, 3)
		f := p.Equations[0].Residual.With([]float64{p.Coefficients[0].Value(number)})
		f.Values(exact, there, points)
		withNumber{there, number}.ValueTo(first, &linear.Equations[0].Residual, points)
		worst := 0.0
		for i := range exact {
			worst = math.Max(worst, math.Abs(exact[i]-first[i]))
		}
		return worst
	}
	if v := off(0); v > 1e-13 {
		t.Errorf("at the state it is off by %g", v)
	}
	if coarse, fine := off(1e-2), off(1e-3); coarse < 1e-6 || fine > coarse/60 {
		t.Errorf("it is off by %g at a step of 0.01, by %g at 0.001: not of second order", coarse, fine)
	}
}

// Weakened problems have a share of the nonlinear part, and of its slopes, and leave the problem itself alone.
func TestWeakenedScalesNonlinearParts(t *testing.T) {
	p, at := advected(), wave{1.3, 0.7}
	values := func(p *system.Problem) (own, slope []float64) {
		own, slope = make([]float64, 3), make([]float64, 3)
		f := p.Equations[0].Residual.With([]float64{2})
		f.Values(own, at, p.Equations[0].Points)
		linear := p.Linearise(at, []float64{0})
		moved := linear.Equations[0].Residual
		withNumber{wave{1.4, 0.7}, 0}.ValueTo(slope, &moved, p.Equations[0].Points)
		return own, slope
	}
	none, flat := values(p.Weakened(0))
	whole, steep := values(p)
	for _, share := range []float64{0, 0.3, 1} {
		own, slope := values(p.Weakened(share))
		for i := range own {
			if want := none[i] + share*(whole[i]-none[i]); math.Abs(own[i]-want) > 1e-13 {
				t.Errorf("share %g, point %d: %g, want %g", share, i, own[i], want)
			}
			if want := flat[i] + share*(steep[i]-flat[i]); math.Abs(slope[i]-want) > 1e-13 {
				t.Errorf("share %g, point %d: linearised %g, want %g", share, i, slope[i], want)
			}
		}
	}
	alone := advected()
	alone.Equations[0].Residual.Terms = nil
	before, _ := values(alone)
	if after, _ := values(alone.Weakened(0)); after[0] != before[0] {
		t.Error("nothing is left of an equation without a linear part")
	}
	if again, _ := values(p); again[0] != whole[0] || whole[0] == none[0] {
		t.Error("the problem itself has changed, or has no nonlinear part")
	}
}

// What is remembered of points is found by their coordinates: a buffer that is used again has other points.
func TestLinearisedFunctionsKnowTheirPoints(t *testing.T) {
	linear := advected().Linearise(wave{2, 1}, []float64{0})
	known := linear.Equations[0].Residual.Known
	buffer, first, again := mat.NewDense(1, 1, []float64{0.2}), make([]float64, 1), make([]float64, 1)
	known.EvalTo(first, buffer)
	buffer.Set(0, 0, 0.8)
	known.EvalTo(again, buffer)
	if first[0] == again[0] {
		t.Error("two places have the same value")
	}
	var workers sync.WaitGroup
	for k := range 8 {
		workers.Go(func() {
			x, v := mat.NewDense(1, 1, []float64{0.2}), make([]float64, 1)
			for range 100 {
				x.Set(0, 0, 0.2+0.6*float64(k%2))
				if known.EvalTo(v, x); v[0] != []float64{first[0], again[0]}[k%2] {
					t.Errorf("%g at %g", v[0], x.At(0, 0))
				}
			}
		})
	}
	workers.Wait()
}

func TestNonlinearPartsAreValidated(t *testing.T) {
	for name, spoil := range map[string]func(n *system.Nonlinear){
		"no value":          func(n *system.Nonlinear) { n.Value = nil },
		"a derivative less": func(n *system.Nonlinear) { n.Partials = n.Partials[:2] },
		"of nothing":        func(n *system.Nonlinear) { n.Of, n.Partials = nil, nil },
		"of another field":  func(n *system.Nonlinear) { n.Of[0] = system.Field(1) },
		"nested":            func(n *system.Nonlinear) { n.Of[0].Nonlinear = &system.Nonlinear{} },
	} {
		p := advected()
		spoil(p.Equations[0].Residual.Nonlinear)
		var wrong *system.ProblemError
		if err := p.Validate(); !errors.As(err, &wrong) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestNonlinearFunctionalsHaveNoRows(t *testing.T) {
	defer func() {
		if _, ok := recover().(mat.Error); !ok {
			t.Error("no mat.Error")
		}
	}()
	p := advected()
	system.NewBasis(nil, 0, nil, 1).Compile(&p.Equations[0].Residual, 1)
}

// What a nonlinear part is a function of must stay in the box, too: otherwise a layer is asked for where it has no business.
func TestNonlinearFootprintIsValidated(t *testing.T) {
	p := advected()
	f := &p.Equations[0].Residual.Nonlinear.Of[0]
	f.Terms[0].Footprint = system.Shifted(3)
	var wrong *system.ProblemError
	if err := p.Validate(); !errors.As(err, &wrong) {
		t.Errorf("error %v", err)
	}
}
