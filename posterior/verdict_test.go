package posterior

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// probed is a wave with gauges and, anywhere, probes of the same noise.
func probed(seed uint64) *system.Problem {
	const gauges, probes, sigma = 20, 24, 0.05
	p, exact := wave(rand.New(rand.NewPCG(seed, 5)), gauges, sigma)
	random := rand.New(rand.NewPCG(seed, 6))
	s := system.Sensors{Name: "probes", Measures: system.Field(0), Points: mat.NewDense(probes, 1, nil), Values: make([]float64, probes), Sigma: []float64{sigma}}
	fillNormal(random, s.Values)
	for i := range s.Values {
		s.Points.Set(i, 0, 6*random.Float64()-3)
		s.Values[i] = exact(s.Points.Row(i)) + sigma*s.Values[i]
	}
	p.Sensors = append(p.Sensors, s)
	return p
}

// examine fits and examines.
func examine(t testing.TB, p *system.Problem, c Config) (*Posterior, *Verdict, []ReadingCheck) {
	t.Helper()
	q := fit(t, p, c)
	v, readings, err := q.Examine(p)
	if err != nil {
		t.Fatal(err)
	}
	return q, v, readings
}

// find returns the checks of a kind and status.
func (v *Verdict) find(kind string, status Status) (list []Check) {
	for _, c := range v.Checks {
		if c.Kind == kind && c.Status == status {
			list = append(list, c)
		}
	}
	return list
}

// TestSoundProblemPassesAllChecks, and every check is made.
func TestSoundProblemPassesAllChecks(t *testing.T) {
	const leastSD = 0.9 // of what is predicted, in units of the noise, of which learned there are several
	for seed := range uint64(3) {
		p := probed(seed)
		p.Conditions = []system.Demand{{Residual: system.Functional{Terms: []system.Term{{}}, Known: system.Constant(-0.5)}, Points: column(0)}}
		p.Sensors[1].Sigma = nil
		q, v, readings := examine(t, p, Config{Neurons: 40, Seed: seed})
		if len(q.components) < 2 {
			t.Errorf("seed %d: one layer alone, where mixtures are to be looked at", seed)
		}
		if !v.Sound || len(v.Failures()) != 0 || len(v.Notes()) != 0 {
			t.Errorf("seed %d: %q, %q", seed, v.Failures(), v.Notes())
		}
		for _, kind := range []string{"equation", "condition", "reading", "readings", "offset", "pattern", "noise", "layers", "roughness", "parameter", "region"} {
			if len(v.find(kind, Passed)) == 0 {
				t.Errorf("seed %d: no check of the kind %q", seed, kind)
			}
		}
		for _, c := range v.Checks {
			if c.Status != Passed || c.Message != "" || !(c.Value <= c.Limit) || c.Name == "" {
				t.Errorf("seed %d: %+v", seed, c)
			}
		}
		if len(readings) != p.Readings() {
			t.Fatalf("seed %d: %d readings are compared, there are %d", seed, len(readings), p.Readings())
		}
		k := 0
		for i := range p.Sensors {
			for j, y := range p.Sensors[i].Values {
				c := readings[k]
				k++
				if c.Sensors != i || c.Reading != j || c.Value != y || c.Weight != 1 || !(c.SD > 0) || !(c.LeftOutSD > leastSD*c.Sigma) {
					t.Errorf("seed %d: reading %d of sensors %d: %+v", seed, j, i, c)
				}
			}
		}
	}
}

// failing is a problem with something wrong.
type failing struct {
	spoil   func(p *system.Problem)
	neurons int
	kind    string   // what must fail,
	not     []string // and what must not
}

// mistyped is the number of the mistyped reading, mistake its error: eight times its noise.
const mistyped, mistake = 7, 0.4

func failingProblems() map[string]failing {
	everyNoise := func(p *system.Problem, sigma float64) {
		for i := range p.Sensors {
			p.Sensors[i].Sigma = []float64{sigma}
		}
	}
	return map[string]failing{
		"a term is missing from the equation": {func(p *system.Problem) {
			p.Equations[0].Residual.Known = system.Constant(1)
		}, 40, "equation", nil},
		"a condition is wrong": {func(p *system.Problem) {
			p.Conditions = []system.Demand{{Residual: system.Functional{Terms: []system.Term{{}}, Known: system.Constant(-1.5)}, Points: column(0)}}
		}, 40, "condition", []string{"layers"}},
		"the stated noise is too small": {func(p *system.Problem) { everyNoise(p, 0.02) }, 40, "readings", []string{"condition", "layers"}},
		"a reading is mistyped":         {func(p *system.Problem) { p.Sensors[0].Values[mistyped] += mistake }, 40, "reading", []string{"equation", "offset", "pattern", "layers"}},
		"a reading is mistyped, noise unknown": {func(p *system.Problem) {
			p.Sensors[0].Values[mistyped] += 3 * mistake // which makes the noise look larger
			p.Sensors[0].Sigma = nil
		}, 40, "reading", []string{"equation", "offset", "pattern", "layers"}},
		"a group is offset": {func(p *system.Problem) {
			for i := range p.Sensors[1].Values {
				p.Sensors[1].Values[i] += 0.12
			}
		}, 40, "offset", []string{"equation", "layers"}},
		"a group of unknown noise is offset": {func(p *system.Problem) {
			for i := range p.Sensors[1].Values {
				p.Sensors[1].Values[i] += 0.25
			}
			p.Sensors[1].Sigma = nil
		}, 40, "offset", []string{"equation", "reading", "layers"}},
		"readings have a ripple that the equation does not allow": {func(p *system.Problem) {
			q, _ := wave(rand.New(rand.NewPCG(1, 2)), 40, 0.05)
			p.Sensors = q.Sensors
			s := &p.Sensors[0]
			for i := range s.Values {
				s.Values[i] += 0.3 * mat.Sin(5*s.Points.At(i, 0))
			}
			s.Sigma = nil
		}, 45, "pattern", []string{"reading", "offset", "layers"}},
		"readings are nothing but noise": {func(p *system.Problem) {
			p.Sensors = p.Sensors[1:]
			fillNormal(rand.New(rand.NewPCG(1, 2)), p.Sensors[0].Values)
			p.Sensors[0].Sigma = nil
		}, 40, "readings", []string{"reading", "offset"}},
		"there are too few neurons": {func(p *system.Problem) { p.Sensors = p.Sensors[:1] }, 8, "layers", nil},
	}
}

// TestWhatIsWrongIsFound: each kind of mistake fails the check made for it.
func TestWhatIsWrongIsFound(t *testing.T) {
	seeds := uint64(2)
	if testing.Short() {
		seeds = 1
	}
	for name, test := range failingProblems() {
		for seed := range seeds {
			p := probed(seed)
			test.spoil(p)
			_, v, _ := examine(t, p, Config{Neurons: test.neurons, Seed: seed})
			failed := v.find(test.kind, Failed)
			if len(failed) == 0 || v.Sound || len(v.Failures()) < len(failed) {
				t.Errorf("%s, seed %d: %q does not fail, failures are %q", name, seed, test.kind, v.Failures())
			}
			for _, c := range v.Checks {
				if c.Status == Failed && (c.Message == "" || c.Value <= c.Limit || !strings.Contains(strings.Join(v.Failures(), "\n"), c.Message)) {
					t.Errorf("%s, seed %d: %+v", name, seed, c)
				}
			}
			for _, kind := range test.not {
				for _, c := range v.find(kind, Failed) {
					if c.Kind != "equation" || c.Name != "without" { // which is so whenever readings do not fit
						t.Errorf("%s, seed %d: %q fails, too: %s", name, seed, kind, c.Message)
					}
				}
			}
		}
	}
}

// TestMistypedReadingIsNamed by its sensors and its number from 1, and no other reading is.
func TestMistypedReadingIsNamed(t *testing.T) {
	for seed := range uint64(3) {
		for group := range 2 {
			p := probed(seed)
			s := &p.Sensors[group]
			s.Values[mistyped] += mistake
			_, v, readings := examine(t, p, Config{Neurons: 40, Seed: seed})
			want := fmt.Sprintf("sensors %q, reading %d", s.Name, mistyped+1)
			named := v.find("reading", Failed)
			if len(named) != 1 || named[0].Name != want || !strings.HasPrefix(named[0].Message, want) {
				t.Errorf("seed %d: %+v is named, want %s", seed, named, want)
			}
			for _, c := range readings {
				if spoiled := c.Sensors == group && c.Reading == mistyped; spoiled != (math.Abs(c.Standardised) > 5) {
					t.Errorf("seed %d: reading %d of sensors %d is %.1f standard deviations off", seed, c.Reading, c.Sensors, c.Standardised)
				}
			}
			// What is predicted of it does not lean to it.
			c := readings[group*len(p.Sensors[0].Values)+mistyped]
			if right := c.Value - mistake; math.Abs(right-c.LeftOutMean) > 4*c.LeftOutSD {
				t.Errorf("seed %d: %.3f ± %.3f is predicted, without the mistake it is %.3f", seed, c.LeftOutMean, c.LeftOutSD, right)
			}
		}
	}
}

// TestGrossErrorsAreNamedFirst, of one group and of two.
func TestGrossErrorsAreNamedFirst(t *testing.T) {
	for seed := range uint64(2) {
		for _, groups := range []int{1, 2} {
			p := probed(seed)
			p.Sensors = p.Sensors[:groups]
			p.Sensors[0].Values[mistyped] += 100 * mistake
			t.Run(fmt.Sprintf("seed %d, groups %d", seed, groups), func(t *testing.T) {
				_, v, _ := examine(t, p, Config{Neurons: 40, Seed: seed})
				named := v.find("reading", Failed)
				if want := fmt.Sprintf("sensors %q, reading %d", "gauges", mistyped+1); len(named) == 0 || named[0].Name != want {
					t.Errorf("%+v are named, want %s", named, want)
				}
				if len(named) > 1 { // neighbours, whose prediction it moves
					t.Errorf("%d readings are named, one is wrong: %+v", len(named), named)
				}
			})
		}
	}
}

// TestGrossErrorsDoNotChooseWhatIsForetold: of few readings one decides which layers seem good. Its
// prediction by the others is still that of the layers that are good without it.
func TestGrossErrorsDoNotChooseWhatIsForetold(t *testing.T) {
	const (
		readings, sigma = 10, 0.05
		widest          = 4 // standard deviation of what is predicted, in units of the noise
		seeds, most     = 8, 5
	)
	wide := 0
	for seed := range uint64(seeds) {
		p, exact := wave(rand.New(rand.NewPCG(seed, 5)), readings, sigma)
		p.Sensors[0].Values[readings/2] += 600 * sigma
		_, _, checks := examine(t, p, Config{Neurons: 30, Seed: seed})
		c := checks[readings/2]
		if right := exact(p.Sensors[0].Points.Row(readings / 2)); math.Abs(c.LeftOutMean-right) > 4*c.LeftOutSD {
			t.Errorf("seed %d: %.3f ± %.3f is predicted, the solution is %.3f", seed, c.LeftOutMean, c.LeftOutSD, right)
		}
		if c.LeftOutSD > widest*sigma {
			wide++
		}
	}
	if wide > most {
		t.Errorf("for %d of %d problems what is predicted is wide", wide, seeds)
	}
}

// TestFewReadingsAreNamed where most do not fit.
func TestFewReadingsAreNamed(t *testing.T) {
	p := probed(1)
	for i := range p.Sensors {
		p.Sensors[i].Sigma = []float64{1e-3}
	}
	_, v, readings := examine(t, p, Config{Neurons: 40, Seed: 1})
	if named := v.find("reading", Failed); len(named) != maxOutliers {
		t.Errorf("%d readings are named, want %d", len(named), maxOutliers)
	} else {
		for k, c := range named[1:] {
			if c.Value > named[k].Value {
				t.Errorf("%s is named after %s, which is less off", c.Name, named[k].Name)
			}
		}
		worst := 0.0
		for _, c := range readings {
			worst = math.Max(worst, math.Abs(c.Standardised))
		}
		if named[0].Value != worst {
			t.Errorf("the first is %g standard deviations off, the worst %g", named[0].Value, worst)
		}
	}
	if len(v.find("reading", Note)) != 1 {
		t.Errorf("that there are others is not said: %q", v.Notes())
	}
}

// TestWhatIsLeftOpenIsNoted without being a failure: a part of the domain, or a parameter, that no
// reading constrains.
func TestWhatIsLeftOpenIsNoted(t *testing.T) {
	for seed := range uint64(2) {
		p := probed(seed)
		p.Parameters, p.Equations[0].Residual.Parameters = nil, nil
		p.Equations[0].Residual.Known = system.Func(func(x []float64) float64 { return 4 * mat.Sin(2*x[0]) })
		p.Equations[0].Points = p.Equations[0].Points.Slice(0, 20, 0, 1) // on the left
		for i := range p.Sensors {
			s := &p.Sensors[i]
			s.Points, s.Values = withoutSome(s, func(k int) bool { return s.Points.At(k, 0) > -0.2 })
		}
		_, v, _ := examine(t, p, Config{Neurons: 40, Seed: seed})
		open := v.find("region", Note)
		if !v.Sound || len(open) != 1 || open[0].Name != "u" {
			t.Fatalf("seed %d: region %+v, failures %q", seed, open, v.Failures())
		}
		var share, from, to float64
		if _, err := fmt.Sscanf(open[0].Message, "the data hardly determine u in %f %% of the domain, within x = %f to %f", &share, &from, &to); err != nil {
			t.Fatalf("seed %d: %q: %v", seed, open[0].Message, err)
		}
		if share < 30 || share > 55 || from < 0 || from > 2 || to < 2.8 || math.Abs(share/100-open[0].Value) > 0.01 {
			t.Errorf("seed %d: %q; what is open is on the right", seed, open[0].Message)
		}
		// A field that exists only where it is known is not open.
		p.Where = []system.Domain{system.Region(func(x []float64) bool { return x[0] < -0.5 })}
		if _, v, _ = examine(t, p, Config{Neurons: 40, Seed: seed}); len(v.find("region", Note)) != 0 {
			t.Errorf("seed %d: %q, where there is no u", seed, v.find("region", Note)[0].Message)
		}
		p.Where = []system.Domain{system.Region(func(x []float64) bool { return x[0] > -0.5 })}
		if _, v, _ = examine(t, p, Config{Neurons: 40, Seed: seed}); len(v.find("region", Note)) != 1 || !(v.find("region", Note)[0].Value > open[0].Value) || !strings.Contains(v.Notes()[0], "of the part of the domain where it exists") {
			t.Errorf("seed %d: %+v", seed, v.find("region", Note))
		}

		p = probed(seed)
		p.Parameters = append(p.Parameters, system.Parameter{Name: "idle", Mean: 1, SD: 0.5})
		p.Conditions = []system.Demand{{ // says next to nothing
			Residual: system.Functional{Terms: []system.Term{{Derivative: []int{1}}}, Parameters: []system.ParameterTerm{{Parameter: 1}}}, Points: column(0), SD: 100,
		}}
		_, v, _ = examine(t, p, Config{Neurons: 40, Seed: seed})
		idle := v.find("parameter", Note)
		if !v.Sound || len(idle) != 1 || idle[0].Name != "idle" || len(v.find("parameter", Passed)) != 1 {
			t.Errorf("seed %d: parameters %+v, failures %q", seed, idle, v.Failures())
		}
	}
}

// TestFalseAlarms: sound problems of many kinds fail no more often than checks of readings may.
func TestFalseAlarms(t *testing.T) {
	const (
		// Of readings, their sums, offsets and patterns, each with falseAlarm; what else is looked at does
		// not depend on luck.
		alarms  = 4 * falseAlarm
		neurons = 45 // more than there are readings
	)
	seeds := uint64(8)
	if testing.Short() {
		seeds = 2
	}
	kinds := map[string]func(p *system.Problem){
		"two groups":    func(p *system.Problem) {},
		"one group":     func(p *system.Problem) { p.Sensors = p.Sensors[:1] },
		"noise unknown": func(p *system.Problem) { p.Sensors = p.Sensors[1:]; p.Sensors[0].Sigma = nil },
		"one of two unknown, a condition": func(p *system.Problem) {
			p.Sensors[0].Sigma = nil
			p.Conditions = []system.Demand{{Residual: system.Functional{Terms: []system.Term{{}}, Known: system.Constant(-0.5)}, Points: column(0)}}
		},
		"no parameter": func(p *system.Problem) {
			p.Parameters, p.Equations[0].Residual.Parameters = nil, nil
			p.Equations[0].Residual.Known = system.Func(func(x []float64) float64 { return 4 * mat.Sin(2*x[0]) })
		},
	}
	problems, unsound := 0, 0
	for name, change := range kinds {
		for seed := range seeds {
			p := probed(100 + seed)
			change(p)
			_, v, _ := examine(t, p, Config{Neurons: neurons, Seed: seed, Ensemble: 1})
			problems++
			if !v.Sound {
				unsound++
				t.Logf("%s, seed %d: %q", name, seed, v.Failures())
			}
		}
	}
	expected := alarms * float64(problems)
	if most := expected + 3*math.Sqrt(expected); float64(unsound) > most {
		t.Errorf("%d of %d sound problems fail, at most %.1f may", unsound, problems, most)
	}
}

// TestForetoldIsAboutWhatARefitSays, with everything inferred again without the reading.
func TestForetoldIsAboutWhatARefitSays(t *testing.T) {
	// Layers are weighed by what evidence says of them, which one reading more or less moves.
	const off, ratio = 0.25, 1.25
	known, _ := wave(rand.New(rand.NewPCG(3, 5)), 14, 0.05)
	learned, _ := wave(rand.New(rand.NewPCG(3, 5)), 14, 0.05)
	learned.Sensors[0].Sigma = nil
	for name, p := range map[string]*system.Problem{"known noise": known, "learned noise": learned} {
		c := Config{Neurons: 30, Seed: 1, Ensemble: 1}
		_, _, readings := examine(t, p, c)
		for _, r := range readings {
			q := *p
			q.Sensors = slices.Clone(p.Sensors)
			s := &q.Sensors[0]
			s.Points, s.Values = withoutSome(s, func(i int) bool { return i == r.Reading })
			refit := fit(t, &q, c)
			mean, sd, err := refit.Predict(s.Measures, p.Sensors[0].Points.Slice(r.Reading, r.Reading+1, 0, 1))
			if err != nil {
				t.Fatal(err)
			}
			want := math.Hypot(sd[0], refit.Summary().Noise[0].Sigma)
			if math.Abs(r.LeftOutMean-mean[0]) > off*want || r.LeftOutSD > ratio*want || r.LeftOutSD < want/ratio {
				t.Errorf("%s, reading %d: %.4f ± %.4f is predicted, a refit says %.4f ± %.4f", name, r.Reading, r.LeftOutMean, r.LeftOutSD, mean[0], want)
			}
		}
	}
}

// TestExamineWhatHasNoResiduals: a stored posterior, the paper's, one with further sensors and one
// with compressed readings are examined as far as possible; one without uncertainty is refused.
func TestExamineWhatHasNoResiduals(t *testing.T) {
	p := probed(2)
	q := fit(t, p, Config{Neurons: 50, Seed: 2})
	many, _ := wave(rand.New(rand.NewPCG(2, 5)), 80, 0.05)
	few := fit(t, many, Config{Neurons: 30, Seed: 2})
	paper := fit(t, p, Config{Neurons: 50, Seed: 2, Method: Published})
	further, err := q.WithSensors(Sensor{Name: "further", Measures: system.Field(0), Sigma: 0.01}, column(0.5, 1))
	if err != nil {
		t.Fatal(err)
	}
	load := func(q *Posterior) *Posterior {
		loaded, err := Load(bytes.NewReader(saved(t, q)))
		if err != nil {
			t.Fatal(err)
		}
		return loaded
	}
	if len(q.components) < 2 {
		t.Fatal("no mixture")
	}
	for name, test := range map[string]struct {
		q *Posterior
		p *system.Problem
	}{
		"a fit": {q, p}, "a stored one": {load(q), p}, "one with further sensors": {further, p},
		"many readings": {few, many}, "many readings, stored": {load(few), many},
		"the paper's": {paper, p}, "the paper's, stored": {load(paper), p},
	} {
		v, readings, err := test.q.Examine(test.p)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, kind := range []string{"equation", "reading", "parameter", "region"} {
			if len(v.find(kind, Passed)) == 0 {
				t.Errorf("%s: no check of the kind %q", name, kind)
			}
		}
		if !v.Sound || len(readings) != test.p.Readings() {
			t.Errorf("%s: %d readings, %q", name, len(readings), v.Failures())
		}
		s := test.p.Sensors[0]
		mean, sd, err := test.q.Predict(s.Measures, s.Points)
		if err != nil {
			t.Fatal(err)
		}
		for i := range mean {
			if c := readings[i]; c.Mean != mean[i] || c.SD != sd[i] || !finite(c.Standardised) || !(c.LeftOutSD > 0) {
				t.Errorf("%s, reading %d: %+v, the posterior says %g ± %g", name, i, c, mean[i], sd[i])
			}
		}
	}
	certain := fit(t, p, Config{Neurons: 50, Seed: 2, Method: PseudoInverse})
	if v, _, err := certain.Examine(p); err == nil {
		t.Errorf("without uncertainty there is a verdict, %+v", v)
	}
}

// TestOtherReadingsAreRefused: a posterior is not examined against readings that it has not seen.
func TestOtherReadingsAreRefused(t *testing.T) {
	p := probed(2)
	q := fit(t, p, Config{Neurons: 50, Seed: 2})
	for name, change := range map[string]func(p *system.Problem){
		"one less": func(p *system.Problem) {
			s := &p.Sensors[0]
			s.Points, s.Values = withoutSome(s, func(i int) bool { return i == 3 })
		},
		"more": func(p *system.Problem) {
			more, _ := wave(rand.New(rand.NewPCG(1, 2)), 90, 0.05)
			p.Sensors[1] = more.Sensors[0]
		},
		"a group less":                 func(p *system.Problem) { p.Sensors = p.Sensors[1:] },
		"a group more":                 func(p *system.Problem) { p.Sensors = append(p.Sensors, p.Sensors[0]) },
		"without the parameter's name": func(p *system.Problem) { p.Parameters = nil },
	} {
		other := probed(2)
		change(other)
		if _, _, err := q.Examine(other); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestManyReadingsAreLeftOutOfWideFits: where readings were compressed and the posterior is wider
// than the stated noise, because that may be too small, the prediction of a left-out reading is
// still near the posterior.
func TestManyReadingsAreLeftOutOfWideFits(t *testing.T) {
	p, _ := wave(rand.New(rand.NewPCG(2, 5)), 20, 0.05)
	_, _, readings := examine(t, p, Config{Neurons: 8, Seed: 2})
	_, size := meanAndSD(p.Sensors[0].Values)
	for _, c := range readings {
		if math.Abs(c.LeftOutMean-c.Mean) > size {
			t.Errorf("reading %d: the posterior is %.3f ± %.3f, without it %.3f ± %.3f is predicted", c.Reading, c.Mean, c.SD, c.LeftOutMean, c.LeftOutSD)
		}
	}
}

// TestVerdictsOfCornersAreFinite whatever they say.
func TestVerdictsOfCornersAreFinite(t *testing.T) {
	for name, p := range cornerProblems() {
		for _, maximum := range []bool{false, true} {
			if maximum && testing.Short() {
				continue
			}
			_, v, readings := examine(t, p, Config{Neurons: 14, Seed: 1, Ensemble: 1, Maximum: maximum})
			for _, c := range v.Checks {
				if !finite(c.Value) || !finite(c.Limit) {
					t.Errorf("%s: %+v", name, c)
				}
			}
			for _, c := range readings {
				if !finite(c.Standardised) || !finite(c.LeftOutMean) || !(c.LeftOutSD > 0) || !(c.SD > 0) {
					t.Errorf("%s: %+v", name, c)
				}
			}
		}
	}
}

// TestExamineIsSafeForConcurrentUse, and gives the same result each time.
func TestExamineIsSafeForConcurrentUse(t *testing.T) {
	student := probed(3)
	student.Sensors[0].Student = true
	student.Sensors[0].Values[mistyped] += 100 * mistake
	for name, test := range map[string]struct {
		p      *system.Problem
		method Method
	}{"a mixture": {probed(3), BPIELM}, "Student's noise": {student, BPIELM}, "the paper's": {probed(3), Published}} {
		const times = 6
		q := fit(t, test.p, Config{Neurons: 50, Seed: 2, Method: test.method})
		said := make([]string, times)
		var group sync.WaitGroup
		for k := range times {
			group.Add(1)
			go func() {
				defer group.Done()
				v, readings, err := q.Examine(test.p)
				said[k] = fmt.Sprint(v, readings, err)
			}()
		}
		group.Wait()
		for _, s := range said[1:] {
			if s != said[0] {
				t.Fatalf("%s: %s\nand at the same time %s", name, said[0], s)
			}
		}
	}
}

// TestRoughnessIsThatOfTheScales: in standard deviations of their prior, for each variable, and not
// checked where scales were given.
func TestRoughnessIsThatOfTheScales(t *testing.T) {
	p := &system.Problem{Variables: []system.Variable{{Name: "x", Max: 1}, {Name: "t", Max: 1}}}
	q := &Posterior{octaves: []float64{0.99 * rough * scaleOctaves, 1.01 * rough * scaleOctaves}}
	v := &Verdict{Sound: true}
	v.roughness(q, p)
	if v.Sound || len(v.Checks) != 2 || v.Checks[0].Status != Passed || v.Checks[1].Status != Failed || v.Checks[1].Name != "t" {
		t.Errorf("%+v", v.Checks)
	}
	wave, _ := wave(rand.New(rand.NewPCG(1, 5)), 20, 0.05)
	_, v, _ = examine(t, wave, Config{Neurons: 30, Seed: 1, Scale: []float64{100}})
	for _, c := range v.Checks {
		if c.Kind == "roughness" {
			t.Errorf("with a scale that was given: %+v", c)
		}
	}
	_, v, _ = examine(t, ripples(), Config{Neurons: 80, Seed: 1, Ensemble: 1})
	if len(v.find("roughness", Failed)) != 1 {
		t.Errorf("a solution of many waves is not rough: %+v", v.Checks)
	}
}

// ripples has many more waves in its domain than solutions usually have.
func ripples() *system.Problem {
	const waves, readings = 80, 120 // slopes, in half of the domain
	p, _ := wave(rand.New(rand.NewPCG(1, 5)), readings, 0.05)
	p.Parameters, p.Equations[0].Residual.Parameters = nil, nil
	p.Equations[0].Tolerance = 1
	s := &p.Sensors[0]
	for i := range s.Values {
		s.Values[i] = mat.Sin(waves / 3 * s.Points.At(i, 0))
	}
	return p
}

// TestBetweenIsHalfwayToTheNearest: isolated points are themselves, and at most freshPoints are
// returned.
func TestBetweenIsHalfwayToTheNearest(t *testing.T) {
	p := &system.Problem{Variables: []system.Variable{{Name: "x", Min: 0, Max: 100}, {Name: "t", Min: 0, Max: 1}}}
	points := column2(0, 0, 10, 0, 0, 0.2, 100, 1)
	want := column2(5, 0, 5, 0, 0, 0.1, 50, 0.6)
	got := between(p, points)
	for i := range want.Rows() {
		for c := range 2 {
			if math.Abs(got.At(i, c)-want.At(i, c)) > 1e-12 {
				t.Errorf("point %d is %v, want %v", i, got.Row(i), want.Row(i))
			}
		}
	}
	if alone := between(p, column2(7, 0.5)); alone.Rows() != 1 || alone.At(0, 0) != 7 || alone.At(0, 1) != 0.5 {
		t.Errorf("a point alone: %v", alone.Data())
	}
	if many := between(p, mat.NewDense(10*freshPoints, 2, nil)); many.Rows() != freshPoints {
		t.Errorf("%d points are looked at", many.Rows())
	}
}

func TestChecksFailAboveTheirLimit(t *testing.T) {
	for _, test := range []struct {
		value float64
		fails bool
	}{{1, false}, {2, false}, {2.001, true}, {math.Inf(1), true}, {math.NaN(), true}, {-5, false}} {
		v := &Verdict{Sound: true}
		v.add("equation", "all", test.value, 2, "reason")
		c := v.Checks[0]
		if v.Sound == test.fails || (c.Status == Failed) != test.fails || (c.Message == "reason") != test.fails || len(v.Failures()) != len(v.find("equation", Failed)) {
			t.Errorf("%g: %+v, sound %v", test.value, c, v.Sound)
		}
	}
	for _, p := range []float64{0.4, 0.05, falseAlarm, 1e-6} {
		if got := 0.5 * math.Erfc(normalAbove(p)/math.Sqrt2); relative(got, p) > 1e-9 {
			t.Errorf("%g is exceeded with the probability %g, want %g", normalAbove(p), got, p)
		}
	}
}

// asked is one layer's doubts at one slack per amplitude.
func asked(t *testing.T, ph *Physics, p *system.Problem, tau float64) (d doubts, best node, h *held) {
	t.Helper()
	h = hold(t, ph, p.Sensors, 1, tau, nil)
	u, a := h.state.observed.under(h.prior), amplitudes{density: amplitudeDensity, louder: true}
	nodes, _, err := u.integrate(a)
	if err != nil {
		t.Fatal(err)
	}
	d = newDoubts(false)
	if err := d.ask(u, nodes); err != nil {
		t.Fatal(err)
	}
	d.sum([]state{{alternatives: u.alternatives}})
	best.logWeight = math.Inf(-1)
	for _, n := range nodes {
		if !n.louder && n.logWeight > best.logWeight {
			best = n
		}
	}
	return d, best, h
}

// TestDoubtsAreIntegrals: the evidence with right noise and with too small noise, and the factor in
// the latter, agree with a grid; the prediction of a left-out reading agrees with the brute force at
// the most probable amplitude.
func TestDoubtsAreIntegrals(t *testing.T) {
	const (
		tau                = 1e-3
		step, factorStep   = 0.1, 0.05
		bound, factorBound = 0.03, 0.03
		widened            = 0.1 // factorBound beside parameters
	)
	offset, small := twoFields(), withoutParameters(rod(true))
	offset.Parameters[1].SD = 0
	for i := range small.Sensors {
		small.Sensors[i].Sigma = []float64{0.02}
	}
	for name, p := range map[string]*system.Problem{"no parameter": withoutParameters(rod(true)), "a parameter": rod(true), "two": offset, "noise stated too small": small} {
		layer := layerFor(p, 12, 3, 11)
		ph, err := Compile(p, layer, CompileConfig{Path: SquareRoot})
		if err != nil {
			t.Fatal(err)
		}
		d, best, _ := asked(t, ph, p, tau)
		var right, louder, factors []float64
		for x := -0.5 * factorStep; x < 4*factorSD; x += factorStep {
			t1 := math.Max(x, 0) // at first the noise that is stated
			sensors := slices.Clone(p.Sensors)
			for i := range sensors {
				sensors[i].Sigma = slices.Clone(sensors[i].Sigma)
				for k := range sensors[i].Sigma {
					sensors[i].Sigma[k] *= math.Exp(t1)
				}
			}
			for logA := lowestLogA; logA < highestLogA; logA += step {
				a := math.Exp(logA)
				e := hold(t, ph, sensors, a, tau*a, nil).spectralEvidence(t) + logAmplitudePrior(logA) + math.Log(step)
				if x < 0 {
					right = append(right, e)
					continue
				}
				halfNormal := -0.5*t1*t1/(factorSD*factorSD) + math.Log(2) - 0.5*log2Pi - math.Log(factorSD)
				louder, factors = append(louder, e+halfNormal+math.Log(factorStep)), append(factors, t1)
			}
		}
		if want := logSumExp(right); math.Abs(d.right-want) > bound {
			t.Errorf("%s: log evidence with stated noise %.4f, want %.4f", name, d.right, want)
		}
		want, logFactor := logSumExp(louder), 0.0
		for i, l := range louder {
			logFactor += math.Exp(l-want) * factors[i]
		}
		// Priors of parameters are taken to be wider by the same factor, which costs its logarithm for each
		// that readings determine: more where it is large.
		least, off := want-bound, factorBound
		if m := len(p.Parameters); m > 0 {
			least, off = least-2*float64(m)*logFactor, widened
		}
		if d.louder > want+bound || d.louder < least || math.Abs(d.logFactor-logFactor) > off {
			t.Errorf("%s: log evidence with louder noise %.4f at a log factor of %.4f, want %.4f at %.4f", name, d.louder, d.logFactor, want, logFactor)
		}
		m := plainModelOf(p, layer, ph, best.amplitude, tau*best.amplitude)
		for i, e := range d.errors {
			mean, sd := m.foretell(i)
			unit := math.Sqrt(m.readings.v[i])
			if off := (m.readings.y[i] - mean) / unit; math.Abs(e-off) > leftOutMean*sd/unit || relative(d.sds[i], sd/unit) > leftOutSD {
				t.Errorf("%s, reading %d: off by %.6f with sd %.6f, by brute force %.6f and %.6f", name, i, e, d.sds[i], off, sd/unit)
			}
		}
	}
}

// TestFreeEvidenceIsWithoutEquations: it is that of the readings alone under the prior of the layer,
// on a grid.
func TestFreeEvidenceIsWithoutEquations(t *testing.T) {
	const step, bound = 0.1, 0.005
	for name, p := range map[string]*system.Problem{"no parameter": withoutParameters(rod(true)), "a parameter": rod(true)} {
		layer := layerFor(p, 12, 3, 11)
		ph, err := Compile(p, layer, CompileConfig{Path: SquareRoot})
		if err != nil {
			t.Fatal(err)
		}
		got := hold(t, ph, p.Sensors, 1, 1, nil).state.observed.free()
		var logs []float64
		for logA := lowestLogA; logA < highestLogA; logA += step {
			m := plainModelOf(p, layer, ph, math.Exp(logA), 1)
			logs = append(logs, logNormal(t, m.priors.with(m.readings), m.d)-logNormal(t, m.priors, m.d)+logAmplitudePrior(logA)+math.Log(step))
		}
		if want := logSumExp(logs); math.Abs(got-want) > bound {
			t.Errorf("%s: log evidence without equations %.4f, want %.4f", name, got, want)
		}
	}
}

// logNormal is log N(y; 0, diag(v) + H diag(d) H').
func logNormal(t *testing.T, p plain, d []float64) float64 {
	t.Helper()
	n := len(p.y)
	if n == 0 {
		return 0
	}
	c, x := mat.NewSym(n, nil), make([]float64, n)
	for i := range n {
		for j := range i + 1 {
			v := 0.0
			for k, w := range d {
				v += p.h[i][k] * w * p.h[j][k]
			}
			c.Set(i, j, v)
		}
		c.Set(i, i, c.At(i, i)+p.v[i])
	}
	var chol mat.Cholesky
	if err := chol.Factorize(c); err != nil {
		t.Fatal(err)
	}
	chol.SolveVecTo(x, p.y)
	return -0.5 * (mat.Dot(x, p.y) + chol.LogDet() + float64(n)*log2Pi)
}

// TestDoubtsPreferTheTruth: readings of a solution are explained better with its equation and its
// noise; without the equation if that is wrong; and with louder noise if the stated noise is too
// small, by about the right factor.
func TestDoubtsPreferTheTruth(t *testing.T) {
	const (
		readings, sigma = 40, 0.05
		factor          = 4
		factorBound     = 1.35 // of so many readings the factor is known to a ninth
	)
	for seed := range uint64(3) {
		ask := func(change func(p *system.Problem)) (free, louder Check, logFactor float64) {
			p, _ := wave(rand.New(rand.NewPCG(seed, 11)), readings, sigma)
			change(p)
			q, v, _ := examine(t, p, Config{Neurons: 45, Seed: seed, Ensemble: 1})
			for _, c := range v.Checks { // values are nats by which readings are explained better
				switch {
				case c.Kind == "equation" && c.Name == "without":
					free = c
				case c.Kind == "readings" && c.Name == "noise":
					louder = c
				}
			}
			best := slices.MaxFunc(q.tried, func(a, b *tried) int { return cmp.Compare(a.doubts.louder+a.prior, b.doubts.louder+b.prior) })
			return free, louder, best.doubts.logFactor
		}
		if free, louder, _ := ask(func(p *system.Problem) {}); free.Status != Passed || louder.Status != Passed || !(free.Value < 0 && louder.Value < 0) {
			t.Errorf("seed %d: %+v, %+v", seed, free, louder)
		}
		if free, _, _ := ask(func(p *system.Problem) { p.Equations[0].Residual.Known = system.Constant(1) }); free.Status != Failed {
			t.Errorf("seed %d: the equation is wrong: %+v", seed, free)
		}
		_, louder, logFactor := ask(func(p *system.Problem) { p.Sensors[0].Sigma = []float64{sigma / factor} })
		if louder.Status != Failed {
			t.Errorf("seed %d: noise is stated too small: %+v", seed, louder)
		}
		if got := math.Exp(logFactor); got < factor/factorBound || got > factor*factorBound {
			t.Errorf("seed %d: noise is found to be %.2f times as large as stated, it is %d times", seed, got, factor)
		}
	}
}

// TestBothEndsOfARodAreNoNeighbours: with one variable the boundary is two points, and what a condition says of them says
// nothing of the middle of the rod.
func TestBothEndsOfARodAreNoNeighbours(t *testing.T) {
	p := &system.Problem{
		Variables: []system.Variable{{Name: "x", Min: 0, Max: 2}},
		Fields:    []string{"u"},
		Equations: []system.Demand{{
			Residual: system.Functional{Terms: []system.Term{{Derivative: []int{2}}}, Known: system.Constant(1)},
			Points:   mat.NewDense(4, 1, []float64{0.25, 0.75, 1.25, 1.75}),
		}},
		Conditions: []system.Demand{{Residual: system.Field(0), Points: mat.NewDense(2, 1, []float64{0, 2})}},
		Sensors:    []system.Sensors{{Measures: system.Field(0), Points: mat.NewDense(2, 1, []float64{0.5, 1}), Values: []float64{0.375, 0.5}, Sigma: []float64{0.01}}},
	}
	says := func() bool {
		t.Helper()
		q, err := Fit(p, Config{Neurons: 30, Seed: 1, Ensemble: 1})
		if err != nil {
			t.Fatal(err)
		}
		v, _, err := q.Examine(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range v.Checks {
			if c.Kind == "condition" {
				return c.Status == Passed
			}
		}
		t.Fatal("the condition has not been checked")
		return false
	}
	if !says() {
		t.Error("a condition that holds at both ends is said not to hold")
	}
}

// TestNoiseIsLearnedFromWhatTheSolutionLeaves: two readings of a wave, which has two degrees of
// freedom, say nothing of their noise.
func TestNoiseIsLearnedFromWhatTheSolutionLeaves(t *testing.T) {
	for readings, want := range map[int]Status{2: Failed, 8: Passed} {
		p, _ := wave(rand.New(rand.NewPCG(4, 5)), readings, 0.05)
		p.Sensors[0].Sigma = nil
		_, v, _ := examine(t, p, Config{Neurons: 60, Seed: 1})
		if found := v.find("noise", want); len(found) != 1 {
			t.Errorf("%d readings: %+v", readings, v.Checks)
		}
	}
}
