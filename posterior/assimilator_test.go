package posterior

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// assimilatorError bounds how far an Assimilator may be from Physics.Assimilate,
// relative to a standard deviation.
const assimilatorError = 1e-7

func samePosterior(t *testing.T, what string, got, want *Posterior) {
	t.Helper()
	points := system.Grid(want.variables, nil, []int{9})
	for _, f := range []system.Functional{system.Field(0), system.Derivative(0, 1)} {
		m1, s1, err1 := got.Predict(f, points)
		m2, s2, err2 := want.Predict(f, points)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		for i := range m1 {
			if math.Abs(m1[i]-m2[i]) > assimilatorError*s2[i] || relative(s1[i], s2[i]) > assimilatorError {
				t.Errorf("%s, point %d: %g ± %g, want %g ± %g", what, i, m1[i], s1[i], m2[i], s2[i])
			}
		}
	}
	a, b := got.Summary(), want.Summary()
	if relative(a.Amplitude, b.Amplitude) > assimilatorError || relative(a.Noise[0].Sigma, b.Noise[0].Sigma) > assimilatorError || math.Abs(a.Evidence-b.Evidence) > 1e-6 || math.Abs(a.EffectiveParameters-b.EffectiveParameters) > 1e-6 || len(a.Warnings) != len(b.Warnings) {
		t.Errorf("%s: %+v\nwant %+v", what, a, b)
	}
}

func assimilatorProblems() map[string]*system.Problem {
	known, _ := wave(rand.New(rand.NewPCG(1, 2)), 14, 0.05)
	learned, _ := wave(rand.New(rand.NewPCG(1, 2)), 16, 0.05)
	learned.Sensors[0].Sigma = nil
	many, _ := wave(rand.New(rand.NewPCG(1, 2)), 90, 0.05)
	two, _ := wave(rand.New(rand.NewPCG(1, 2)), 20, 0.05)
	other := two.Sensors[0]
	other.Sigma, other.Measures, other.Name = nil, system.Derivative(0, 1), "slopes"
	two.Sensors = append(two.Sensors, other)
	exact := rod(true)
	exact.Conditions[0].Exact = true
	sd := rod(true)
	sd.Conditions[0].SD = 0.02
	return map[string]*system.Problem{"exact condition": exact, "condition with an sd": sd, "known noise": known, "learned noise": learned, "more readings than unknowns": many, "two noise levels": two, "two fields": twoFields(), "rod": rod(true)}
}

func TestAssimilatorSaysWhatAssimilateSays(t *testing.T) {
	for name, p := range assimilatorProblems() {
		physics, err := Compile(p, layerFor(p, 20, 4, 3), CompileConfig{Tolerance: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		a := physics.Assimilator()
		random := rand.New(rand.NewPCG(3, 4))
		sensors := append([]system.Sensors(nil), p.Sensors...)
		for round := range 6 {
			if round == 3 { // sensors move
				sensors[0].Points = sensors[0].Points.Clone()
				sensors[0].Points.Set(0, 0, sensors[0].Points.At(0, 0)+0.1)
			}
			for i := range sensors {
				values := append([]float64(nil), sensors[i].Values...)
				for j := range values {
					values[j] += 0.05 * random.NormFloat64()
				}
				sensors[i].Values = values
			}
			want, err := physics.Assimilate(sensors)
			if err != nil {
				t.Fatal(err)
			}
			got, err := a.Assimilate(sensors)
			if err != nil {
				t.Fatal(err)
			}
			samePosterior(t, name, got, want)
		}
	}
}

// TestAssimilatorChoosesTheTolerance with the first readings, as Assimilate does.
func TestAssimilatorChoosesTheTolerance(t *testing.T) {
	p, _ := wave(rand.New(rand.NewPCG(1, 2)), 14, 0.05)
	physics, err := Compile(p, layerFor(p, 20, 4, 3), CompileConfig{})
	if err != nil {
		t.Fatal(err)
	}
	want, err1 := physics.Assimilate(p.Sensors)
	got, err2 := physics.Assimilator().Assimilate(p.Sensors)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if got.Summary().Tolerance != want.Summary().Tolerance {
		t.Errorf("tolerance %g, want %g", got.Summary().Tolerance, want.Summary().Tolerance)
	}
	samePosterior(t, "first readings", got, want)
}

func TestAssimilatorHolds(t *testing.T) {
	p, _ := wave(rand.New(rand.NewPCG(1, 2)), 14, 0.05)
	physics, err := Compile(p, layerFor(p, 20, 4, 3), CompileConfig{Tolerance: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	a := physics.Assimilator()
	first, err := a.Assimilate(p.Sensors)
	if err != nil {
		t.Fatal(err)
	}
	amplitude := first.Summary().Amplitude
	prior, err := physics.Prior(p.Sensors) // holds the same
	if err != nil {
		t.Fatal(err)
	}
	a.Hold(true)
	sensors := append([]system.Sensors(nil), p.Sensors...)
	sensors[0].Values = append([]float64(nil), sensors[0].Values...)
	for round := range 3 {
		if round == 2 {
			sensors[0].Points = sensors[0].Points.Clone()
			sensors[0].Points.Set(3, 0, 0.2)
		}
		sensors[0].Values[round] *= 1.3
		q, err := a.Assimilate(sensors)
		if err != nil {
			t.Fatal(err)
		}
		if q.Summary().Amplitude != amplitude {
			t.Errorf("amplitude %g, held %g", q.Summary().Amplitude, amplitude)
		}
		points := system.Grid(p.Variables, nil, []int{9})
		s := newStream(t, prior, StreamConfig{Queries: []Query{{system.Field(0), points}}}, prior.Sensors()...)
		for i, y := range sensors[0].Values {
			add(t, s, Reading{At: sensors[0].Points.Row(i), Value: y})
		}
		mean, sd := make([]float64, 9), make([]float64, 9)
		s.EstimateTo(mean, sd)
		m, v, err := q.Predict(system.Field(0), points)
		if err != nil {
			t.Fatal(err)
		}
		for i := range m {
			if math.Abs(m[i]-mean[i]) > assimilatorError*sd[i] || relative(v[i], sd[i]) > assimilatorError {
				t.Errorf("round %d, point %d: %g ± %g, a stream says %g ± %g", round, i, m[i], v[i], mean[i], sd[i])
			}
		}
	}
}

func TestAssimilatorDoesNotAllocate(t *testing.T) {
	for _, name := range []string{"known noise", "learned noise", "rod", "two fields"} {
		p := assimilatorProblems()[name]
		physics, err := Compile(p, layerFor(p, 20, 4, 3), CompileConfig{Tolerance: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		a := physics.Assimilator()
		for _, held := range []bool{false, true} {
			a.Hold(held)
			run := func() {
				p.Sensors[0].Values[0] += 0.001
				if _, err := a.Assimilate(p.Sensors); err != nil {
					t.Fatal(err)
				}
			}
			run()
			if n := testing.AllocsPerRun(20, run); n != 0 {
				t.Errorf("%s, held %v: %g allocations", name, held, n)
			}
		}
	}
}

func TestAssimilatorRefuses(t *testing.T) {
	p := rod(true)
	physics, err := Compile(p, layerFor(p, 10, 2, 3), CompileConfig{Tolerance: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	a := physics.Assimilator()
	sensors := append([]system.Sensors(nil), p.Sensors...)
	values := sensors[0].Values
	for range 2 { // before and after it has seen good ones
		sensors[0].Values = append([]float64{math.NaN()}, values[1:]...)
		var data *DataError
		var problem *system.ProblemError
		if _, err := a.Assimilate(sensors); !errors.As(err, &data) && !errors.As(err, &problem) {
			t.Errorf("a reading of NaN: %v", err)
		}
		sensors[0].Values = values
		sensors[0].Points = mat.NewDense(1, 1, nil)
		if _, err := a.Assimilate(sensors); !errors.As(err, &problem) {
			t.Errorf("points that do not fit: %v", err)
		}
		sensors[0].Points = p.Sensors[0].Points
		if _, err := a.Assimilate(sensors); err != nil {
			t.Fatal(err)
		}
	}
}
