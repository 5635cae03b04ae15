package posterior

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior/rowtree"
	"github.com/bpielm/bpielm/system"
)

// oscillator is a driven oscillator, u” + 9 u = 5 q with q = 0.4 unknown, and n readings of u in the order of time.
func oscillator(n int, noise float64, seed uint64) (p *system.Problem, truth func(x float64) float64) {
	const q = 0.4
	truth = func(x float64) float64 { return math.Sin(3*x) + 5*q/9 }
	dice := rand.New(rand.NewPCG(seed, 5))
	s := system.Sensors{Name: "u", Measures: system.Field(0), Points: mat.NewDense(n, 1, nil), Values: make([]float64, n)}
	for k := range n {
		x := 2 * (float64(k) + dice.Float64()) / float64(n)
		s.Points.Set(k, 0, x)
		s.Values[k] = truth(x) + noise*dice.NormFloat64()
	}
	points := make([]float64, 50)
	for k := range points {
		points[k] = 2 * (float64(k) + 0.5) / float64(len(points))
	}
	return &system.Problem{
		Variables: []system.Variable{{Name: "x", Max: 2}}, Fields: []string{"u"}, Parameters: []system.Parameter{{Name: "q"}},
		Equations: []system.Demand{{Points: column(points...), Residual: system.Functional{
			Terms:      []system.Term{{Derivative: []int{2}}, {Coefficient: system.Constant(9)}},
			Parameters: []system.ParameterTerm{{Coefficient: system.Constant(-5)}},
		}}},
		Sensors: []system.Sensors{s},
	}, truth
}

// divided is a source that reads a problem in leaves, in any order, and merges them at the end.
type divided struct {
	*inProblem
	dice     *rand.Rand
	reduced  int // layers
	requests int
}

func (d *divided) Reduce(layers []feature.Config) ([][]*rowtree.Node, error) {
	d.requests++
	d.reduced += len(layers)
	all := make([][]*rowtree.Node, len(layers))
	for k, c := range layers {
		all[k] = make([]*rowtree.Node, len(d.p.Sensors))
		for _, i := range d.large {
			s := &d.p.Sensors[i]
			leaves := make([]*rowtree.Node, (len(s.Values)+rowtree.LeafRows-1)/rowtree.LeafRows)
			for _, leaf := range d.dice.Perm(len(leaves)) {
				part := d.part(i, leaf*rowtree.LeafRows, min(len(s.Values), (leaf+1)*rowtree.LeafRows))
				n, err := ReduceLeaf(d.p, c, i, leaf, part)
				if err != nil {
					return nil, err
				}
				b, _ := n.AppendBinary(nil)
				leaves[leaf] = new(rowtree.Node)
				if err := leaves[leaf].UnmarshalBinary(b); err != nil {
					return nil, err
				}
			}
			var tree rowtree.Tree
			for _, n := range leaves {
				tree.Add(n)
			}
			all[k][i] = tree.Whole()
		}
	}
	return all, nil
}

func (d *divided) part(i, first, last int) *system.Sensors {
	part := d.p.Sensors[i]
	part.Points, part.Values = part.Points.Slice(first, last, 0, part.Points.Cols()), part.Values[first:last]
	if len(part.Sigma) > 1 {
		part.Sigma = part.Sigma[first:last]
	}
	return &part
}

func (d *divided) Far(f *Forecast) ([][]FarReading, error) {
	all := make([][]FarReading, len(d.p.Sensors))
	for _, i := range d.large {
		n := len(d.p.Sensors[i].Values)
		for first := 0; first < n; {
			last := min(n, first+1+d.dice.IntN(9000))
			list, err := f.Far(d.p, i, first, d.part(i, first, last))
			if err != nil {
				return nil, err
			}
			all[i] = Farthest(append(append(all[i], list...), list...)) // delivered twice
			first = last
		}
	}
	return all, nil
}

// Of each block one reading is drawn, and no period of the sensors is favoured.
func TestDrawnReadingsAreEven(t *testing.T) {
	for _, n := range []int{1, rowtree.LeafRows, FewestOfLarge - 1, FewestOfLarge, 100_001, 1_000_000} {
		numbers := numbersDrawn(n)
		every := oneOf(n)
		if n < FewestOfLarge && len(numbers) != n || n >= FewestOfLarge && (len(numbers) < rowtree.LeafRows-1 || len(numbers) > 2*rowtree.LeafRows) {
			t.Errorf("%d of %d are drawn", len(numbers), n)
		}
		k := 0
		for i := range n {
			if Drawn(i, n) {
				if k == len(numbers) || numbers[k] != i || i/every != k && n%every == 0 {
					t.Fatalf("of %d, %d is drawn", n, i)
				}
				k++
			}
		}
		for period := 2; period <= 64 && n > 50_000; period++ {
			count := make([]float64, period)
			for _, i := range numbers {
				count[i%period]++
			}
			expected := float64(len(numbers)) / float64(period)
			for r, c := range count {
				if math.Abs(c-expected) > 5*math.Sqrt(expected) {
					t.Errorf("of %d, %g have remainder %d by %d; about %g are expected", n, c, r, period, expected)
				}
			}
		}
	}
}

// The layers are chosen by some readings, and conditioned on all: with the same layer, the answer is that of all readings.
func TestLayersAreConditionedOnAllReadings(t *testing.T) {
	p, _ := oscillator(3*FewestOfLarge, 0.1, 1)
	c := Config{Neurons: 30, Scale: []float64{3}, Activation: feature.Sine, Ensemble: 1}
	some, err := Fit(p, c)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.complete(); err != nil {
		t.Fatal(err)
	}
	all, s, err := integrate(p, c) // the search sees all
	if err != nil {
		t.Fatal(err)
	}
	s.release()
	points := column(0.1, 0.7, 1, 1.4, 1.9)
	m1, sd1, err1 := some.Predict(system.Field(0), points)
	m2, sd2, err2 := all.Predict(system.Field(0), points)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	for k := range m1 {
		if math.Abs(m1[k]-m2[k]) > 0.2*sd2[k] || math.Abs(sd1[k]/sd2[k]-1) > 0.05 {
			t.Errorf("%g ± %g; want %g ± %g", m1[k], sd1[k], m2[k], sd2[k])
		}
	}
	if a, b := some.Summary(), all.Summary(); a.Readings != b.Readings || math.Abs(a.Noise[0].Sigma/b.Noise[0].Sigma-1) > 1e-4 {
		t.Errorf("%d readings of noise %g; want %d of %g", a.Readings, a.Noise[0].Sigma, b.Readings, b.Noise[0].Sigma)
	}
}

// Wherever the readings are, and however they are divided, the answer and its verdict have the same bits. A reading that is
// wrong is named by its number, though it was not drawn.
func TestASourceHasTheSameBits(t *testing.T) {
	p, _ := oscillator(FewestOfLarge+700, 0.1, 2)
	wrong := 9000
	for Drawn(wrong, len(p.Sensors[0].Values)) {
		wrong++
	}
	p.Sensors[0].Values[wrong] += 2
	p.Sensors = append(p.Sensors, system.Sensors{Name: "few", Measures: system.Derivative(0, 1), Points: column(0.5, 1.5), Values: []float64{0.2, -0.7}, Sigma: []float64{0.1, 0.2}})
	each := slices.Repeat([]float64{0.1}, len(p.Sensors[0].Values))
	for k := range each {
		each[k] += 0.01 * float64(k%3)
	}
	for name, sigma := range map[string][]float64{"learned": nil, "one level": {0.1}, "each": each} {
		p.Sensors[0].Sigma = sigma
		c := Config{Neurons: 20, Ensemble: 2, Activation: feature.Sine}
		tell := func(p *system.Problem, c Config) (text string) {
			q, err := Fit(p, c)
			if err != nil {
				t.Fatal(err)
			}
			mean, sd, err := q.Predict(system.Field(0), column(0.1, 1, 1.7))
			if err != nil {
				t.Fatal(err)
			}
			v, readings, err := q.Examine(p)
			if err != nil {
				t.Fatal(err)
			}
			text = fmt.Sprintln(mean, sd, q.Parameters(), q.Summary().Evidence, q.Summary().Noise, len(readings))
			for _, r := range readings {
				text += fmt.Sprintln(r.Sensors, r.Reading, r.Value, r.Standardised)
			}
			for _, check := range v.Checks {
				text += fmt.Sprintln(check)
			}
			return text
		}
		want := tell(p, c)
		if !strings.Contains(want, fmt.Sprintf(`sensors "u", reading %d is`, wrong+1)) {
			t.Errorf("%s: reading %d is not named: %s", name, wrong, want[:200])
		}
		l, err := c.largeOf(p)
		if err != nil {
			t.Fatal(err)
		}
		source := &divided{inProblem: l.source.(*inProblem), dice: rand.New(rand.NewPCG(3, 4))}
		c.Source = source
		if got := tell(l.with(p), c); got != want {
			t.Errorf("%s: %.400s\nwant %.400s", name, got, want)
		}
		if source.requests > 3 || source.reduced > 3*mostComponents {
			t.Errorf("%s: %d passes with %d layers", name, source.requests, source.reduced)
		}
	}
}

// What needs single readings is refused before any is read.
func TestSourcesAreRefused(t *testing.T) {
	p, _ := oscillator(FewestOfLarge, 0.1, 1)
	l, err := new(Config).largeOf(p)
	if err != nil {
		t.Fatal(err)
	}
	change := func(f func(p *system.Problem)) *system.Problem {
		q := l.with(p)
		q.Sensors = slices.Clone(q.Sensors)
		f(q)
		return q
	}
	for name, c := range map[string]struct {
		p      *system.Problem
		method Method
		want   any
	}{
		"the paper's method": {l.with(p), Published, new(*ConfigError)},
		"a coefficient":      {change(func(p *system.Problem) { p.Coefficients = []system.Coefficient{{Name: "k", Min: 1, Max: 2}} }), BPIELM, new(*system.ProblemError)},
		"Student's noise":    {change(func(p *system.Problem) { p.Sensors[0].Student = true }), BPIELM, new(*DataError)},
		"another number":     {change(func(p *system.Problem) { p.Sensors[0] = chosen(&p.Sensors[0], []int{1, 2}) }), BPIELM, new(*DataError)},
		"another group":      {change(func(p *system.Problem) { p.Sensors = append(p.Sensors, p.Sensors[0]) }), BPIELM, new(*DataError)},
	} {
		if _, err := Fit(c.p, Config{Method: c.method, Neurons: 10, Source: l.source}); err == nil || !errors.As(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := FitPrior(l.with(p), Config{Neurons: 10, Source: l.source}); err == nil {
		t.Error("a prior takes a source")
	}
	short := &cut{l.source}
	if _, err := Fit(l.with(p), Config{Neurons: 10, Scale: []float64{3}, Activation: feature.Sine, Source: short}); err == nil || !strings.Contains(err.Error(), "not of all") {
		t.Error(err)
	}
}

// cut is a source that loses the last leaf.
type cut struct{ Source }

func (c *cut) Reduce(layers []feature.Config) ([][]*rowtree.Node, error) {
	all, err := c.Source.Reduce(layers)
	for k := range all {
		var tree rowtree.Tree
		less := *all[k][0]
		less.Rows -= rowtree.LeafRows
		less.Leaves--
		tree.Add(&less)
		all[k][0] = tree.Whole()
	}
	return all, err
}

// With layers that are chosen by some of the readings, bands hold as often as they say.
func TestBandsOfManyReadingsHold(t *testing.T) {
	if testing.Short() {
		t.Skip("it solves many problems")
	}
	const problems = 20
	points := make([]float64, 21)
	for k := range points {
		points[k] = 0.1 * float64(k)
	}
	within, sum, parameters := 0, 0.0, 0.0
	for seed := range problems {
		p, truth := oscillator(FewestOfLarge+5000, 0.2, uint64(100+seed))
		q := fit(t, p, Config{Neurons: 25, Ensemble: 2, Seed: uint64(seed)})
		mean, sd, err := q.Predict(system.Field(0), column(points...))
		if err != nil {
			t.Fatal(err)
		}
		for k, x := range points {
			z := (mean[k] - truth(x)) / sd[k]
			sum += z * z
			if math.Abs(z) < 1.96 {
				within++
			}
		}
		e := q.Parameters()[0]
		parameters += (e.Mean - 0.4) / e.SD * (e.Mean - 0.4) / e.SD
	}
	count := float64(problems * len(points))
	t.Logf("%.3f within 95 %% bands, rms z %.2f; of the parameter %.2f", float64(within)/count, math.Sqrt(sum/count), math.Sqrt(parameters/problems))
	// An error has about four degrees of freedom.
	if share := float64(within) / count; share < 0.85 || math.Sqrt(sum/count) > 1.35 || math.Sqrt(parameters/problems) > 1.6 {
		t.Errorf("%.3f within, rms z %.2f, of the parameter %.2f", share, math.Sqrt(sum/count), math.Sqrt(parameters/problems))
	}
}
