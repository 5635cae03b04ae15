package posterior

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// mixtureError bounds what rounding may do to the moments of a mixture.
const mixtureError = 1e-11

// mixtureOfLayers returns a mixture of three layers of different activations and numbers of neurons, and
// its members alone.
func mixtureOfLayers(t testing.TB, p *system.Problem) (q *Posterior, members []*Posterior, weights []float64) {
	t.Helper()
	weights = []float64{0.5, 0.3, 0.2}
	var list []*layerPosterior
	for k, c := range []feature.Config{
		{Neurons: 7, Scale: []float64{2}, Seed: 1, Constant: true},
		{Neurons: 9, Scale: []float64{3}, Seed: 2, Activation: feature.Sine, Constant: true},
		{Neurons: 8, Scale: []float64{2}, Seed: 3, Activation: feature.Gaussian},
	} {
		layer, err := feature.New(p.Box(), c)
		if err != nil {
			t.Fatal(err)
		}
		ph, err := Compile(p, layer, CompileConfig{})
		if err != nil {
			t.Fatal(err)
		}
		l, _, err := ph.layerPosterior(mustReadings(t, ph, p.Sensors))
		if err != nil {
			t.Fatal(err)
		}
		members = append(members, newPosterior(p, []component{l.component}, l.summary))
		l.weight = weights[k]
		list = append(list, l)
	}
	return mixed(p, list, make([]float64, len(p.Parameters))), members, weights
}

func mustReadings(t testing.TB, ph *Physics, sensors []system.Sensors) *readings {
	t.Helper()
	r, err := ph.read(sensors)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// functionalsOf lists what is compared of a problem's posteriors.
func functionalsOf(p *system.Problem) []system.Functional {
	list := []system.Functional{system.Field(0), system.Derivative(0, 2)}
	for i := range p.Parameters {
		list = append(list, system.ParameterValue(i))
	}
	if len(p.Fields) > 1 {
		list = append(list, system.Functional{Terms: []system.Term{{Derivative: []int{1}}, {Field: 1, Derivative: []int{0}}}, Parameters: []system.ParameterTerm{{Coefficient: system.Constant(-2)}}})
	}
	return list
}

// compareMoments compares means, standard deviations and covariances with those of the members, to
// bound standard deviations.
func compareMoments(t *testing.T, name string, q *Posterior, p *system.Problem, members []*Posterior, weights []float64, points *mat.Dense, bound float64) {
	t.Helper()
	for i, f := range functionalsOf(p) {
		mean, covariance := momentsOfMembers(t, members, weights, f, points)
		gotMean, gotSD, err := q.Predict(f, points)
		if err != nil {
			t.Fatal(err)
		}
		c, err := q.Covariance(f, points)
		if err != nil {
			t.Fatal(err)
		}
		for r := range mean {
			sd := math.Sqrt(covariance.At(r, r))
			if math.Abs(gotMean[r]-mean[r]) > bound*sd || relative(gotSD[r], sd) > bound {
				t.Errorf("%s, functional %d, point %d: %g ± %g, want %g ± %g", name, i, r, gotMean[r], gotSD[r], mean[r], sd)
			}
			for s := range r + 1 {
				if math.Abs(c.At(r, s)-covariance.At(r, s)) > bound*sd*math.Sqrt(covariance.At(s, s)) {
					t.Errorf("%s, functional %d, covariance (%d, %d): %g, want %g", name, i, r, s, c.At(r, s), covariance.At(r, s))
				}
			}
		}
	}
}

// momentsOfMembers is mean and covariance of a mixture by the definition.
func momentsOfMembers(t *testing.T, members []*Posterior, weights []float64, f system.Functional, points *mat.Dense) (mean []float64, covariance *mat.Dense) {
	t.Helper()
	n := points.Rows()
	mean, covariance = make([]float64, n), mat.NewDense(n, n, nil)
	means := make([][]float64, len(members))
	for k, m := range members {
		var err error
		if means[k], _, err = m.Predict(f, points); err != nil {
			t.Fatal(err)
		}
		mat.Axpy(weights[k], means[k], mean)
	}
	for k, m := range members {
		c, err := m.Covariance(f, points)
		if err != nil {
			t.Fatal(err)
		}
		for r := range n {
			for s := range n {
				d := c.At(max(r, s), min(r, s)) + (means[k][r]-mean[r])*(means[k][s]-mean[s])
				covariance.Set(r, s, covariance.At(r, s)+weights[k]*d)
			}
		}
	}
	return mean, covariance
}

func TestMixtureHasTheMomentsOfItsMembers(t *testing.T) {
	for name, p := range map[string]*system.Problem{"one field": rod(true), "two fields": twoFields()} {
		q, members, weights := mixtureOfLayers(t, p)
		stored := readAgain(t, q)
		points := column(0, 0.35, 0.7, 1.4, 2)
		for _, q := range []*Posterior{q, stored} {
			compareMoments(t, name, q, p, members, weights, points, mixtureError)
		}
		if a, b := q.Summary(), stored.Summary(); a.Neurons != 8 || b.Neurons != 8 || a.Ensemble != 3 || b.Ensemble != 3 || a.Columns != b.Columns || b.Activation != feature.Tanh {
			t.Errorf("%s: summaries %+v, stored %+v", name, a, b)
		}
	}
}

// TestParametersOfAMixture: moments, quantiles and correlation are those of the values of parameters.
func TestParametersOfAMixture(t *testing.T) {
	p := twoFields()
	q, members, weights := mixtureOfLayers(t, p)
	one := column(0)
	mean, covariance := make([]float64, 2), mat.NewDense(2, 2, nil)
	for i := range 2 {
		for j := range 2 {
			// Var(a + b) and Var(a - b) tell the covariance.
			sum := system.Functional{Parameters: []system.ParameterTerm{{Parameter: i}, {Parameter: j}}}
			difference := system.Functional{Parameters: []system.ParameterTerm{{Parameter: i}, {Parameter: j, Coefficient: system.Constant(-1)}}}
			_, plus := momentsOfMembers(t, members, weights, sum, one)
			_, minus := momentsOfMembers(t, members, weights, difference, one)
			covariance.Set(i, j, (plus.At(0, 0)-minus.At(0, 0))/4)
		}
		m, _ := momentsOfMembers(t, members, weights, system.ParameterValue(i), one)
		mean[i] = m[0]
	}
	correlation := q.ParameterCorrelation()
	want := covariance.At(1, 0) / math.Sqrt(covariance.At(0, 0)*covariance.At(1, 1))
	if math.Abs(correlation.At(1, 0)-want) > 1e-8 || correlation.At(0, 0) != 1 || correlation.At(1, 1) != 1 {
		t.Errorf("correlation %g, want %g", correlation.At(1, 0), want)
	}
	for i, e := range q.Parameters() {
		sd := math.Sqrt(covariance.At(i, i))
		if e.Name != p.Parameters[i].Name || relative(e.Mean, mean[i]) > mixtureError || relative(e.SD, sd) > 1e-8 {
			t.Errorf("%s: %g ± %g, want %g ± %g", e.Name, e.Mean, e.SD, mean[i], sd)
		}
		quantiles, err := q.Quantiles(system.ParameterValue(i), one, 0.025, 0.5, 0.975)
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range []float64{e.Lower95, e.Median, e.Upper95} {
			if math.Abs(quantiles.At(0, k)-v) > mixtureError*sd {
				t.Errorf("%s: quantile %d is %g, of its value %g", e.Name, k, v, quantiles.At(0, k))
			}
		}
	}
}

// TestQuantilesAreThoseOfTheDistribution, summed on a fine grid.
func TestQuantilesAreThoseOfTheDistribution(t *testing.T) {
	for name, m := range map[string]mixture{
		"one":             {{1, 2, 3}},
		"two apart":       {{0.3, -5, 0.1}, {0.7, 4, 2}},
		"three together":  {{0.2, 0, 1}, {0.5, 0.3, 0.2}, {0.3, -1, 3}},
		"wide and narrow": {{0.02, 0, 1000}, {0.98, 1, 0.01}},
		"far from zero":   {{0.5, 1e6, 1}, {0.5, 1e6 + 3, 0.5}},
	} {
		low, high := math.Inf(1), math.Inf(-1)
		for _, g := range m {
			low, high = math.Min(low, g.mean-12*g.sd), math.Max(high, g.mean+12*g.sd)
		}
		const steps = 4_000_000
		h, below := (high-low)/steps, 0.0
		probabilities := []float64{1e-6, 0.025, 0.16, 0.5, 0.9, 0.975, 1 - 1e-6}
		k := 0
		for i := range steps {
			x := low + (float64(i)+0.5)*h
			density := 0.0
			for _, g := range m {
				z := (x - g.mean) / g.sd
				density += g.weight * math.Exp(-z*z/2) / (g.sd * math.Sqrt(2*math.Pi))
			}
			below += density * h
			for k < len(probabilities) && below >= probabilities[k] {
				if got := m.quantile(probabilities[k]); math.Abs(got-x) > 2*h {
					t.Errorf("%s: quantile %g is %.9g, on a grid of step %.2g it is %.9g", name, probabilities[k], got, h, x)
				}
				k++
			}
		}
		if k != len(probabilities) {
			t.Errorf("%s: the grid ends at a probability of %g", name, below)
		}
	}
}

// TestQuantilesOfWhatIsCertain, or nearly so, are its value.
func TestQuantilesOfWhatIsCertain(t *testing.T) {
	for _, sd := range []float64{0, 1e-300, 1e-20} {
		for _, p := range []float64{0.01, 0.5, 0.99} {
			if got := (mixture{{1, 3, sd}}).quantile(p); got != 3 {
				t.Errorf("3 ± %g has the quantile %g", sd, got)
			}
		}
		m := mixture{{0.25, 3, sd}, {0.75, 5, sd}}
		if a, b := m.quantile(0.2), m.quantile(0.3); a != 3 && math.Abs(a-3) > 1e-15 || math.Abs(b-5) > 1e-14 {
			t.Errorf("3 or 5, each ± %g: quantiles %v and %v", sd, a, b)
		}
	}
}

func TestNormalDistribution(t *testing.T) {
	for z := -8.0; z <= 8; z += 0.25 {
		if want := 0.5 * math.Erfc(-z/math.Sqrt2); relative(normalBelow(z), want) > 1e-14 {
			t.Errorf("below %g there is %g, want %g", z, normalBelow(z), want)
		}
	}
}

func TestQuantilesRefuseWhatMakesNoSense(t *testing.T) {
	q, _, _ := mixtureOfLayers(t, rod(true))
	for _, p := range []float64{0, 1, -1, math.NaN()} {
		var config *ConfigError
		if _, err := q.Quantiles(system.Field(0), column(1), p); !errors.As(err, &config) {
			t.Errorf("probability %g: error %v", p, err)
		}
	}
	var problem *system.ProblemError
	if _, err := q.Quantiles(system.Field(2), column(1), 0.5); !errors.As(err, &problem) {
		t.Errorf("no such field: error %v", err)
	}
	var config *ConfigError
	if _, err := fit(t, rod(true), Config{Method: PseudoInverse, Neurons: 5}).Quantiles(system.Field(0), column(1), 0.5); !errors.As(err, &config) {
		t.Errorf("no uncertainty: error %v", err)
	}
}

// TestSamplesOfAMixture have its mean, covariance and quantiles, and those of the joint
// distribution: a sample comes from one layer everywhere.
func TestSamplesOfAMixture(t *testing.T) {
	const count, sigmas = 20000, 5
	p := twoFields()
	q, members, weights := mixtureOfLayers(t, p)
	points := column(0.35, 1.4, 1.9)
	for _, f := range functionalsOf(p)[:2] {
		mean, covariance := momentsOfMembers(t, members, weights, f, points)
		s, err := q.Sample(f, points, count, 3)
		if err != nil {
			t.Fatal(err)
		}
		quantiles, err := q.Quantiles(f, points, 0.2)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			below := 0
			for j := range i + 1 {
				m, v, fourth := 0.0, 0.0, 0.0
				for k := range count {
					product := (s.At(k, i) - mean[i]) * (s.At(k, j) - mean[j])
					m += s.At(k, i) / count
					v += product / count
					fourth += product * product / count
				}
				if math.Abs(m-mean[i]) > sigmas*math.Sqrt(covariance.At(i, i)/count) {
					t.Errorf("mean %d of the samples is %g, want %g", i, m, mean[i])
				}
				if math.Abs(v-covariance.At(i, j)) > sigmas*math.Sqrt(fourth/count) {
					t.Errorf("covariance (%d, %d) of the samples is %g, want %g", i, j, v, covariance.At(i, j))
				}
			}
			for k := range count {
				if s.At(k, i) < quantiles.At(i, 0) {
					below++
				}
			}
			if z := (float64(below) - 0.2*count) / math.Sqrt(0.16*count); math.Abs(z) > sigmas {
				t.Errorf("%d of %d samples are below the quantile of 0.2", below, count)
			}
		}
	}
	again, err1 := q.Sample(system.Field(0), points, 5, 9)
	first, err2 := q.Sample(system.Field(0), points, 5, 9)
	if err1 != nil || err2 != nil || !slices.Equal(again.Data(), first.Data()) {
		t.Errorf("the same seed gives other samples: %v, %v", err1, err2)
	}
}

// TestFurtherSensorsOfAMixture have the effect of conditioning its moments, in everything that a
// posterior returns.
func TestFurtherSensorsOfAMixture(t *testing.T) {
	for name, p := range map[string]*system.Problem{"one field": rod(true), "two fields": twoFields()} {
		q, _, _ := mixtureOfLayers(t, p)
		points := column(0, 0.35, 0.7, 1.4, 2)
		gauge := Sensor{Name: "new", Measures: system.Field(0), Sigma: 0.01}
		after, err := q.WithSensors(gauge, column(0.7))
		if err != nil {
			t.Fatal(err)
		}
		prior, err := q.Covariance(system.Field(0), points)
		if err != nil {
			t.Fatal(err)
		}
		before, _, err := q.Predict(system.Field(0), points)
		if err != nil {
			t.Fatal(err)
		}
		mean, sd, err := after.Predict(system.Field(0), points)
		if err != nil {
			t.Fatal(err)
		}
		quantiles, err := after.Quantiles(system.Field(0), points, 0.025)
		if err != nil {
			t.Fatal(err)
		}
		const count = 20000
		samples, err := after.Sample(system.Field(0), points, count, 4)
		if err != nil {
			t.Fatal(err)
		}
		for r := range sd {
			cross := prior.At(max(r, 2), min(r, 2))
			want := math.Sqrt(prior.At(r, r) - cross*cross/(prior.At(2, 2)+gauge.Sigma*gauge.Sigma))
			if relative(sd[r], want) > 1e-8 || mean[r] != before[r] && math.Abs(mean[r]-before[r]) > 1e-12 {
				t.Errorf("%s: with a further sensor %g ± %g, want %g ± %g", name, mean[r], sd[r], before[r], want)
			}
			if low := mean[r] - 1.959963984540054*sd[r]; math.Abs(quantiles.At(r, 0)-low) > 1e-9*sd[r] {
				t.Errorf("%s: with a further sensor the quantile is %g, want %g", name, quantiles.At(r, 0), low)
			}
			v := 0.0
			for k := range count {
				v += (samples.At(k, r) - mean[r]) * (samples.At(k, r) - mean[r]) / count
			}
			if relative(math.Sqrt(v), sd[r]) > 0.03 {
				t.Errorf("%s: samples with a further sensor have sd %g, want %g", name, math.Sqrt(v), sd[r])
			}
		}
		for i, e := range after.Parameters() {
			mean, sd, err := after.Predict(system.ParameterValue(i), column(0))
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(e.Mean-mean[0]) > 1e-12*sd[0] || relative(e.SD, sd[0]) > 1e-10 || !(e.SD < q.Parameters()[i].SD) {
				t.Errorf("%s: with a further sensor %s is %g ± %g, its value %g ± %g; before ± %g", name, e.Name, e.Mean, e.SD, mean[0], sd[0], q.Parameters()[i].SD)
			}
		}
		if len(p.Parameters) == 2 {
			sum := system.Functional{Parameters: []system.ParameterTerm{{}, {Parameter: 1}}}
			_, total, err := after.Predict(sum, column(0))
			if err != nil {
				t.Fatal(err)
			}
			e := after.Parameters()
			want := (total[0]*total[0] - e[0].SD*e[0].SD - e[1].SD*e[1].SD) / (2 * e[0].SD * e[1].SD)
			if got := after.ParameterCorrelation().At(1, 0); math.Abs(got-want) > 1e-8 {
				t.Errorf("%s: with a further sensor the correlation is %g, want %g", name, got, want)
			}
		}
		// One after the other is both at once.
		twice, err1 := after.WithSensors(gauge, column(1.7))
		both, err2 := q.WithSensors(gauge, column(0.7, 1.7))
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		_, s1, err1 := twice.Predict(system.Field(0), points)
		_, s2, err2 := both.Predict(system.Field(0), points)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		for r := range s1 {
			if relative(s1[r], s2[r]) > 1e-8 {
				t.Errorf("%s: one sensor after the other leaves sd %g, both %g", name, s1[r], s2[r])
			}
		}
		var e *FileError
		if err := after.Save(&bytes.Buffer{}); !errors.As(err, &e) {
			t.Errorf("%s: what is not there yet is stored: %v", name, err)
		}
	}
}

// TestSummaryOfAMixture is the weighted mean of what members differ in.
func TestSummaryOfAMixture(t *testing.T) {
	p := learnedRod(rod(true))
	q, members, weights := mixtureOfLayers(t, p)
	logA, logNoise, evidence := 0.0, 0.0, 0.0
	for k, m := range members {
		s := m.Summary()
		logA += weights[k] * math.Log(s.Amplitude)
		logNoise += weights[k] * math.Log(s.Noise[0].Sigma)
		evidence += weights[k] * s.Evidence
	}
	s := q.Summary()
	if relative(s.Amplitude, math.Exp(logA)) > 1e-12 || relative(s.Noise[0].Sigma, math.Exp(logNoise)) > 1e-12 || math.Abs(s.Evidence-evidence) > 1e-12*math.Abs(evidence) {
		t.Errorf("%+v; amplitude %g, noise %g, evidence %g", s, math.Exp(logA), math.Exp(logNoise), evidence)
	}
}

// TestAveragingHelps: the average is nearer to the truth than its members are on average.
func TestAveragingHelps(t *testing.T) {
	const members = 3
	alone, together := 0.0, 0.0
	for seed := range uint64(20) {
		p, exact := wave(rand.New(rand.NewPCG(seed, 7)), 12, 0.1)
		points := system.Grid(p.Variables, nil, []int{41})
		squared := func(c Config) (total float64) {
			c.Neurons, c.Scale, c.Tolerance, c.Activations = 25, []float64{4}, 1e-3, []feature.Activation{feature.Tanh}
			mean, _, err := fit(t, p, c).Predict(system.Field(0), points)
			if err != nil {
				t.Fatal(err)
			}
			for i, m := range mean {
				total += (m - exact(points.Row(i))) * (m - exact(points.Row(i)))
			}
			return total
		}
		together += squared(Config{Seed: seed, Ensemble: members})
		for k := range members {
			alone += squared(Config{Seed: memberSeed(seed, k), Ensemble: 1}) / members
		}
	}
	t.Logf("squared error %g of averages, %g of single draws", together, alone)
	if together > alone {
		t.Errorf("squared error %g of averages, %g of single draws", together, alone)
	}
}

// Quantiles at normal numbers are those by bisection, to within a thousandth of the narrowest component.
func TestQuantilesAtNormalNumbers(t *testing.T) {
	for _, m := range []mixture{
		{{1, 3, 2}},
		{{0.5, 0, 1}, {0.3, 0.2, 0.5}, {0.2, -4, 3}},
		{{0.999, 0, 1e-3}, {0.001, 1e4, 1}},
	} {
		for _, z := range []float64{-1, 0, 1} {
			if got, want := m.atNormal(z), m.quantile(normalBelow(z)); math.Abs(got-want) > 1e-3*m[0].sd {
				t.Errorf("%v: quantile at %g is %g, want %g", m, z, got, want)
			}
		}
	}
}

// A layer of small weight that says something else does not decide whether answers have moved; one that most others
// agree with does.
func TestOneOddLayerDoesNotMoveAnswers(t *testing.T) {
	p, _ := wave(rand.New(rand.NewPCG(1, 2)), 14, 0.05)
	q, _, _ := mixtureOfLayers(t, p)
	f, err := newFrame(p)
	if err != nil {
		t.Fatal(err)
	}
	moved := func(weight float64) float64 {
		odd := *q
		odd.components = slices.Clone(q.components)
		for k := range odd.components {
			odd.components[k].weight *= 1 - weight
		}
		wild := q.components[0]
		wild.weight, wild.mean = weight, slices.Clone(wild.mean)
		for i := range wild.mean {
			wild.mean[i] *= 50
		}
		odd.components = append(odd.components, wild)
		a, err := f.middles(&odd)
		if err != nil {
			t.Fatal(err)
		}
		b, err := f.middles(q)
		if err != nil {
			t.Fatal(err)
		}
		return a.movedFrom(b)
	}
	if m := moved(0.05); !(m < quiet) {
		t.Errorf("a layer of 5 %% has moved the answers by %.2f", m)
	}
	if m := moved(0.6); !(m > stillness) {
		t.Errorf("a layer of 60 %% has moved the answers by %.2f only", m)
	}
}

// A probability is at most one, whatever weights add up to by rounding.
func TestProbabilityIsAtMostOne(t *testing.T) {
	if p := (mixture{{1, 0, 1}, {0x1p-52, 0, 1}}).below(50); p != 1 {
		t.Errorf("it is 1 + %g", p-1)
	}
}
