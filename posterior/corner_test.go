package posterior

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// cornerProblems break code that divides by a variance, or by a number of readings.
func cornerProblems() map[string]*system.Problem {
	with := func(p *system.Problem, sigma []float64, values ...float64) *system.Problem {
		x := make([]float64, len(values))
		for i := range x {
			x[i] = 2 * (float64(i) + 0.5) / float64(len(x))
		}
		p.Sensors = p.Sensors[:1]
		p.Sensors[0].Points, p.Sensors[0].Values, p.Sensors[0].Sigma = column(x...), values, sigma
		return p
	}
	sigma := []float64{0.05}
	levels := rod(true)
	levels.Sensors[0].Points, levels.Sensors[0].Values, levels.Sensors[0].Sigma = column(0.4), []float64{0.5}, nil
	levels.Sensors[1].Points, levels.Sensors[1].Values, levels.Sensors[1].Sigma = column(1.4), []float64{-1}, nil
	nothing := rod(true) // but exact conditions and demands with an sd
	nothing.Conditions[0].Exact, nothing.Equations[0].SD, nothing.Sensors[0].Sigma = true, 0.1, nil
	ends := rod(true)
	ends.Equations[0].SD = 0.1
	ends.Conditions[0].Points, ends.Conditions[0].Exact = column(0, 0.4, 0.8, 1.2, 1.6, 2), true
	mixed := rod(true)
	mixed.Conditions[0].Tolerance, mixed.Sensors[0].Sigma = 1e-3, nil
	offset := rod(true)
	offset.Parameters = append(offset.Parameters, system.Parameter{Name: "offset"})
	offset.Sensors[0].Measures.Parameters = []system.ParameterTerm{{Parameter: 1}}
	offset.Sensors[0].Sigma = nil
	many, _ := wave(rand.New(rand.NewPCG(1, 2)), 150, 0.05)
	many.Sensors[0].Sigma = nil
	source := withoutParameters(rod(true))
	source.Equations[0].Residual.Known = nil
	return map[string]*system.Problem{
		"readings that are equal":                    with(rod(true), sigma, 0.7, 0.7, 0.7, 0.7),
		"readings that are equal, of unknown noise":  with(rod(true), nil, 0.7, 0.7, 0.7, 0.7),
		"readings that are zero":                     with(rod(true), sigma, 0, 0, 0, 0),
		"readings that are zero, of unknown noise":   with(rod(true), nil, 0, 0, 0, 0),
		"nothing but zeros":                          with(source, nil, 0, 0, 0, 0),
		"one reading":                                with(rod(true), sigma, 0.7),
		"one reading of unknown noise":               with(rod(true), nil, 0.7),
		"one reading of unknown noise, no parameter": with(withoutParameters(rod(true)), nil, 0.7),
		"one reading in each of two unknown groups":  levels,
		"readings that hardly say anything":          with(rod(true), []float64{1e6}, 0.1, 0.5, 0.9),
		"readings without error":                     with(rod(true), []float64{1e-11}, 0.1, 0.5, 0.9),
		"no equation that is missed, noise unknown":  nothing,
		"hardly a free weight":                       ends,
		"one tolerance given, noise unknown":         mixed,
		"an offset and noise unknown":                offset,
		"more readings than unknowns, noise unknown": many,
	}
}

// TestCornerCasesAreFinite: mean, uncertainty, evidence and hyper-parameters are finite, and only
// what is exact is certain.
func TestCornerCasesAreFinite(t *testing.T) {
	paths := []Path{Auto, SquareRoot}
	if testing.Short() {
		paths = paths[:1]
	}
	for name, p := range cornerProblems() {
		for _, path := range paths {
			q, err := Fit(p, Config{Neurons: 14, Seed: 1, Path: path})
			if err != nil {
				t.Errorf("%s, %s: %v", name, path, err)
				continue
			}
			s := q.Summary()
			for _, v := range []float64{s.Evidence, s.Amplitude, s.EffectiveParameters, s.Noise[0].Sigma} {
				if !finite(v) {
					t.Errorf("%s, %s: summary %+v", name, path, s)
				}
			}
			if s.EffectiveParameters < 0 || s.EffectiveParameters > float64(s.Columns)*(1+1e-9) {
				t.Errorf("%s, %s: %g effective parameters of %d", name, path, s.EffectiveParameters, s.Columns)
			}
			points := system.Grid(p.Variables, nil, []int{9})
			mean, sd, err := q.Predict(system.Field(0), points)
			if err != nil {
				t.Fatal(err)
			}
			for i := range mean {
				if !finite(mean[i]) || !finite(sd[i]) || !(sd[i] > 0) {
					t.Errorf("%s, %s, point %d: %g ± %g", name, path, i, mean[i], sd[i])
				}
			}
			for _, e := range q.Parameters() {
				if !finite(e.Mean) || !(e.SD > 0) || !finite(e.SD) || !(e.Lower95 < e.Median && e.Median < e.Upper95) {
					t.Errorf("%s, %s: %+v", name, path, e)
				}
			}
		}
	}
}

// TestReadingsWithoutErrorAreMet and those that say nothing leave the prior as it is.
func TestReadingsWithoutErrorAreMet(t *testing.T) {
	p := cornerProblems()["readings without error"]
	q := fit(t, p, Config{Neurons: 20, Seed: 1})
	mean, sd, err := q.Predict(system.Field(0), p.Sensors[0].Points)
	if err != nil {
		t.Fatal(err)
	}
	for i, y := range p.Sensors[0].Values {
		if math.Abs(mean[i]-y) > 1e-8 || sd[i] > 1e-8 {
			t.Errorf("reading %d is %g, the field %g ± %g", i, y, mean[i], sd[i])
		}
	}
	idle := cornerProblems()["readings that hardly say anything"]
	loose := fit(t, idle, Config{Neurons: 20, Seed: 1})
	_, before, err1 := loose.Predict(system.Field(0), p.Sensors[0].Points)
	if err1 != nil || !(before[1] > 100*sd[1]) {
		t.Errorf("with readings that say nothing the sd is %g, %v", before, err1)
	}
}

// TestReadingsThatAreNoNumbersAreRefused wherever they occur.
func TestReadingsThatAreNoNumbersAreRefused(t *testing.T) {
	ph, err := Compile(rod(true), layerFor(rod(true), 10, 2, 3), CompileConfig{})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for what, spoil := range map[string]func(p *system.Problem){
			"value": func(p *system.Problem) { p.Sensors[0].Values[1] = bad },
			"noise": func(p *system.Problem) { p.Sensors[1].Sigma[0] = bad },
			"place": func(p *system.Problem) { p.Sensors[0].Points.Set(0, 0, bad) },
		} {
			p := rod(true)
			spoil(p)
			var problem *system.ProblemError
			var data *DataError
			if _, err := Fit(p, Config{Neurons: 10}); !errors.As(err, &problem) && !errors.As(err, &data) {
				t.Errorf("a %s of %g: Fit says %v", what, bad, err)
			}
			if _, err := ph.Assimilate(p.Sensors); !errors.As(err, &problem) && !errors.As(err, &data) {
				t.Errorf("a %s of %g: Assimilate says %v", what, bad, err)
			}
			if _, err := ph.Prior(p.Sensors); !errors.As(err, &problem) && !errors.As(err, &data) {
				t.Errorf("a %s of %g: Prior says %v", what, bad, err)
			}
		}
	}
	empty := rod(true).Sensors
	for i := range empty {
		empty[i].Values, empty[i].Points = nil, mat.NewDense(0, 1, nil)
	}
	if _, err := ph.Assimilate(empty); err == nil {
		t.Error("no readings at all are accepted")
	}
	huge := rod(true)
	huge.Sensors[0].Values[0] = 1e200 // whose square overflows
	if q, err := Fit(huge, Config{Neurons: 10}); err == nil {
		t.Errorf("a reading of 1e200: %+v", q.Summary())
	}
}
