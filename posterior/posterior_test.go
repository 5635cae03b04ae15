package posterior

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

func fit(t testing.TB, p *system.Problem, c Config) *Posterior {
	t.Helper()
	q, err := Fit(p, c)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// TestSamplesHaveTheirCovariance compares the moments of many joint samples
// with mean and covariance.
func TestSamplesHaveTheirCovariance(t *testing.T) {
	const count, sigmas = 20000, 5
	q := fit(t, rod(false), Config{Neurons: 10, Scale: []float64{2}, Tolerance: 1e-3})
	points := column(0.2, 0.9, 1.8)
	c, err := q.Covariance(system.Field(0), points)
	if err != nil {
		t.Fatal(err)
	}
	mean, sd, _ := q.Predict(system.Field(0), points)
	s, err := q.Sample(system.Field(0), points, count, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if relative(sd[i]*sd[i], c.At(i, i)) > 1e-10 {
			t.Errorf("sd %d is %g, the covariance's diagonal %g", i, sd[i], c.At(i, i))
		}
		for j := range i + 1 {
			m, v := 0.0, 0.0
			for k := range count {
				m += s.At(k, i) / count
				v += (s.At(k, i) - mean[i]) * (s.At(k, j) - mean[j]) / count
			}
			if math.Abs(m-mean[i]) > sigmas*sd[i]/math.Sqrt(count) {
				t.Errorf("mean %d of the samples is %g, want %g", i, m, mean[i])
			}
			if math.Abs(v-c.At(i, j)) > sigmas*math.Sqrt2*sd[i]*sd[j]/math.Sqrt(count) {
				t.Errorf("covariance (%d, %d) of the samples is %g, want %g", i, j, v, c.At(i, j))
			}
		}
	}
}

// inUnits is rod's problem in metres and volts in other units.
func inUnits(p *system.Problem, length, volt float64) *system.Problem {
	q := *p
	q.Variables = []system.Variable{{Name: "x", Min: 0, Max: 2 * length}}
	q.Equations, q.Conditions, q.Sensors = slices.Clone(p.Equations), slices.Clone(p.Conditions), slices.Clone(p.Sensors)
	points := func(m *mat.Dense) *mat.Dense {
		s := m.Clone()
		s.Scale(length)
		return s
	}
	// lambda is measured in volt / length^3.
	e := &q.Equations[0]
	known := e.Residual.Known
	e.Points = points(e.Points)
	e.Residual = system.Functional{
		Terms: []system.Term{{Derivative: []int{2}}, {Coefficient: system.Constant(3 / (length * length))}},
		Known: system.Func(func(x []float64) float64 {
			v := make([]float64, 1)
			// the nearest tabulated point: decimals do not survive the scaling
			known.EvalTo(v, column(math.Round(x[0]/length*1e6)/1e6))
			return v[0] * volt / (length * length)
		}),
	}
	if len(p.Parameters) > 0 {
		e.Residual.Parameters = []system.ParameterTerm{{Coefficient: system.Func(func(x []float64) float64 { return x[0] })}}
	}
	for i := range q.Conditions { // u + lambda/2 = 0.3 on the left
		c := &q.Conditions[i]
		c.Points, c.SD = points(c.Points), c.SD*volt
		c.Residual = system.Functional{Terms: []system.Term{{}}, Known: system.Constant(-0.3 * volt)}
		if len(p.Parameters) > 0 {
			c.Residual.Parameters = []system.ParameterTerm{{Coefficient: system.Constant(0.5 * length * length * length)}}
		}
	}
	for i := range q.Sensors {
		s := &q.Sensors[i]
		unit := volt
		if i == 1 {
			unit = volt / length
		}
		s.Points, s.Values, s.Sigma = points(s.Points), slices.Clone(s.Values), slices.Clone(s.Sigma)
		for j := range s.Values {
			s.Values[j] *= unit
		}
		for j := range s.Sigma {
			s.Sigma[j] *= unit
		}
	}
	return &q
}

// unitsMatter is how far other units may move a mean, in standard deviations, and a standard
// deviation, relatively: rounding alone.
const unitsMatter = 1e-3

// peaksMatter is the same where maxima in several dimensions are searched, and rounding decides
// which of two that nearly agree is kept.
const peaksMatter = 0.25

// TestUnitsDoNotMatter solves problems in metres and in micrometres, with
// their readings in volts, in megavolts and in microvolts, and noise known or not.
func TestUnitsDoNotMatter(t *testing.T) {
	levels := rod(true)
	levels.Sensors[0].Sigma, levels.Sensors[1].Sigma = nil, nil
	sd := rod(true)
	sd.Conditions[0].SD = 0.05
	exact := rod(true)
	exact.Conditions[0].Exact = true
	for name, a := range map[string]*system.Problem{
		"known noise": rod(false), "a condition": rod(true), "an exact condition": exact, "a condition with an sd": sd,
		"learned noise": learnedRod(withoutParameters(rod(true))), "learned noise beside a parameter": learnedRod(rod(true)), "two learned levels": levels,
	} {
		for i, unit := range [][2]float64{{1e6, 1e-6}, {1e-3, 1e7}} {
			if testing.Short() && i > 0 {
				break
			}
			length, volt := unit[0], unit[1]
			unitsMatter := unitsMatter
			if strings.Contains(name, "beside") || strings.Contains(name, "levels") {
				unitsMatter = peaksMatter
			}
			b := inUnits(a, length, volt)
			c := Config{Neurons: 15}
			p, q := fit(t, a, c), fit(t, b, c)
			x := column(0.1, 0.5, 1, 1.4, 1.9)
			m1, s1, err1 := p.Predict(system.Field(0), x)
			x.Scale(length)
			m2, s2, err2 := q.Predict(system.Field(0), x)
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			for i := range m1 {
				if math.Abs(m2[i]/volt-m1[i]) > unitsMatter*s1[i] || relative(s2[i]/volt, s1[i]) > unitsMatter {
					t.Errorf("%s, %g, point %d: %g ± %g, in other units %g ± %g", name, volt, i, m1[i], s1[i], m2[i]/volt, s2[i]/volt)
				}
			}
			for i, l1 := range p.Parameters() {
				l2, unit := q.Parameters()[i], volt/(length*length*length)
				if math.Abs(l2.Mean/unit-l1.Mean) > unitsMatter*l1.SD || relative(l2.SD/unit, l1.SD) > unitsMatter {
					t.Errorf("%s, %g: lambda %g ± %g, in other units %g ± %g", name, volt, l1.Mean, l1.SD, l2.Mean/unit, l2.SD/unit)
				}
			}
			for i, n := range p.Summary().Noise {
				unit := volt
				if i == 1 {
					unit = volt / length
				}
				if relative(q.Summary().Noise[i].Sigma/unit, n.Sigma) > unitsMatter {
					t.Errorf("%s, %g: noise %g, in other units %g", name, volt, n.Sigma, q.Summary().Noise[i].Sigma/unit)
				}
			}
		}
	}
}

// TestSameBitsForAnyNumberOfProcessors: neither the order in which layers are tried nor the memory
// they reuse matters.
func TestSameBitsForAnyNumberOfProcessors(t *testing.T) {
	known, _ := wave(rand.New(rand.NewPCG(1, 2)), 12, 0.05)
	learned, _ := wave(rand.New(rand.NewPCG(1, 2)), 12, 0.05)
	learned.Sensors[0].Sigma = nil
	mixed := rod(true)
	mixed.Conditions[0].Tolerance = 1e-3
	askew, _ := carried()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for name, p := range map[string]*system.Problem{"known noise": known, "learned noise": learned, "a tolerance": mixed, "two variables": askew} {
		points := column(0.2, 0.3, 1)
		if len(p.Variables) == 2 {
			points = column2(-0.2, 0.3, 0.5, 0.9)
		}
		var first []float64
		for _, n := range []int{1, 2, 3, 8} {
			runtime.GOMAXPROCS(n)
			q := fit(t, p, Config{Neurons: 30})
			mean, sd, err := q.Predict(system.Field(0), points)
			if err != nil {
				t.Fatal(err)
			}
			got := append(append(mean, sd...), q.Summary().Evidence, q.Summary().Amplitude, q.Summary().Noise[0].Sigma)
			for _, e := range q.Parameters() {
				got = append(got, e.Mean, e.SD)
			}
			if first == nil {
				first = got
			}
			if !slices.Equal(got, first) {
				t.Errorf("%s, %d processors: %v, with one %v", name, n, got, first)
			}
		}
	}
}

// TestPosteriorIsSafeForConcurrentUse, and so are Physics and Prior.
func TestPosteriorIsSafeForConcurrentUse(t *testing.T) {
	p := rod(true)
	q := fit(t, p, Config{Neurons: 10, Scale: []float64{2}})
	published := fit(t, p, Config{Method: Published, Neurons: 10}) // makes its covariance when it is asked for
	points := column(0.4, 1.2)
	ph, err := Compile(p, layerFor(p, 10, 2, 1), CompileConfig{})
	if err != nil {
		t.Fatal(err)
	}
	all := func() []float64 {
		var numbers []float64
		for _, q := range []*Posterior{q, published} {
			mean, sd, err1 := q.Predict(system.Field(0), points)
			quantiles, err2 := q.Quantiles(system.Field(0), points, 0.1, 0.8)
			samples, err3 := q.Sample(system.Field(0), points, 3, 1)
			after, err4 := q.WithSensors(Sensor{"new", system.Field(0), 0.1}, points)
			if err := errors.Join(err1, err2, err3, err4); err != nil {
				t.Error(err)
				return nil
			}
			numbers = append(append(append(append(numbers, mean...), sd...), quantiles.Data()...), samples.Data()...)
			numbers = append(numbers, after.Parameters()[0].SD, q.ParameterCorrelation().At(0, 0), q.Parameters()[0].Median)
		}
		assimilated, err1 := ph.Assimilate(p.Sensors)
		prior, err2 := ph.Prior(p.Sensors)
		if err := errors.Join(err1, err2); err != nil {
			t.Error(err)
			return nil
		}
		s, err := prior.Stream(StreamConfig{})
		if err != nil {
			t.Error(err)
			return nil
		}
		return append(numbers, assimilated.Parameters()[0].Mean, prior.Posterior().Parameters()[0].SD, s.Parameters()[0].Mean)
	}
	want := all()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 5 {
				if got := all(); !slices.Equal(got, want) {
					t.Errorf("%v, alone %v", got, want)
					return
				}
			}
		})
	}
	group.Wait()
}

// fewerStrata is how far fewer strata of the nodes of many rows may move a mean, in standard
// deviations, and a standard deviation, relatively.
const fewerStrata = 5e-3

// TestMoreReadingsThanUnknownsLoseNothing: compressing a large group by QR gives the same as
// conditioning on it in several smaller groups.
func TestMoreReadingsThanUnknownsLoseNothing(t *testing.T) {
	p, _ := wave(rand.New(rand.NewPCG(4, 2)), 90, 0.05)
	p.Sizes = []float64{1.5} // that of the readings together; of parts it would be another
	parts := *p
	parts.Sensors = nil
	for i := range 6 {
		s := p.Sensors[0]
		s.Points, s.Values = s.Points.Slice(15*i, 15*i+15, 0, 1), s.Values[15*i:15*i+15]
		parts.Sensors = append(parts.Sensors, s)
	}
	q, r := fit(t, p, Config{Neurons: 30, Scale: []float64{8}}), fit(t, &parts, Config{Neurons: 30, Scale: []float64{8}})
	m1, s1, err1 := q.Predict(system.Field(0), column(-2, 0.3, 2.9))
	m2, s2, err2 := r.Predict(system.Field(0), column(-2, 0.3, 2.9))
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	for i := range m1 {
		if math.Abs(m1[i]-m2[i]) > fewerStrata*s1[i] || relative(s1[i], s2[i]) > fewerStrata {
			t.Errorf("point %d: %.12g ± %g and %.12g ± %g", i, m1[i], s1[i], m2[i], s2[i])
		}
	}
	if e1, e2 := q.Summary().Evidence, r.Summary().Evidence; math.Abs(e1-e2) > 1e-4*math.Abs(e1) {
		t.Errorf("log evidence %.10g and %.10g", e1, e2)
	}
}

// TestSeveralNoiseLevelsAreLearned: two groups of gauges of different quality.
func TestSeveralNoiseLevelsAreLearned(t *testing.T) {
	p, _ := wave(rand.New(rand.NewPCG(8, 2)), 60, 0.02)
	random := rand.New(rand.NewPCG(9, 9))
	coarse, _ := wave(random, 50, 0.4)
	p.Sensors = append(p.Sensors, coarse.Sensors[0])
	p.Sensors[0].Sigma, p.Sensors[1].Sigma = nil, nil
	q := fit(t, p, Config{Neurons: 40})
	noise := q.Summary().Noise
	if len(noise) != 2 || !noise[0].Learned || !noise[1].Learned {
		t.Fatalf("noise %+v", noise)
	}
	if s := noise[0].Sigma; s < 0.012 || s > 0.03 {
		t.Errorf("the fine gauges' noise is %g, true 0.02", s)
	}
	if s := noise[1].Sigma; s < 0.28 || s > 0.55 {
		t.Errorf("the coarse gauges' noise is %g, true 0.4", s)
	}
}

// TestParametersThatDataCannotDetermineAreNamed: two sources that no reading distinguishes, and a
// gauge that does not exist.
func TestParametersThatDataCannotDetermineAreNamed(t *testing.T) {
	p, _ := wave(rand.New(rand.NewPCG(8, 2)), 20, 0.05)
	p.Parameters = append(p.Parameters, system.Parameter{Name: "twin"})
	e := &p.Equations[0].Residual
	e.Parameters = append(e.Parameters, system.ParameterTerm{Parameter: 1, Coefficient: e.Parameters[0].Coefficient})
	q := fit(t, p, Config{Neurons: 30})
	if len(q.Summary().Warnings) == 0 {
		t.Errorf("no warning; correlation %g, sd %v", q.ParameterCorrelation().At(1, 0), q.Parameters())
	}
	p, _ = wave(rand.New(rand.NewPCG(8, 2)), 20, 0.05)
	if w := fit(t, p, Config{Neurons: 30}).Summary().Warnings; len(w) != 0 {
		t.Errorf("a well-posed problem is warned about: %q", w)
	}
}

// publishedRows are all rows of a problem alike, of unit noise.
func publishedRows(p *system.Problem, layer *feature.Layer) plain {
	m := plainModelOf(p, layer, &Physics{sizes: naturalSizes(p)}, 1, 1)
	rows := m.physics.with(m.readings)
	for i := range rows.v {
		rows.v[i] = 1
	}
	return rows
}

// TestPublishedFixedPointSolvesItsEquations checks the stationarity of the
// paper's evidence at the result, by the mended formulas, on plain rows.
func TestPublishedFixedPointSolvesItsEquations(t *testing.T) {
	for _, path := range []Path{SquareRoot, GramPath} {
		p, _ := wave(rand.New(rand.NewPCG(3, 2)), 25, 0.05)
		q := fit(t, p, Config{Method: Published, Neurons: 12, Scale: []float64{3}, Path: path})
		layer := layerFor(p, 12, 3, 0)
		rows := publishedRows(p, layer)
		h, y := rows.matrix(), rows.y
		eta, beta := 1/(q.Summary().Amplitude*q.Summary().Amplitude), 1/(q.Summary().Noise[0].Sigma*q.Summary().Noise[0].Sigma)
		d := make([]float64, h.Cols())
		for i := range d {
			d[i] = 1 / eta
		}
		for i := range rows.v {
			rows.v[i] = 1 / beta
		}
		mu, sigma := bruteForce(d, rows)
		gamma := float64(len(d))
		for i := range d {
			gamma -= eta * sigma.At(i, i)
		}
		misfit := 0.0
		for i := range y {
			r := y[i] - mat.Dot(h.Row(i), mu)
			misfit += r * r
		}
		if want := gamma / squares(mu); relative(eta, want) > 1e-4 {
			t.Errorf("%s: eta %g, gamma/mu'mu %g", path, eta, want)
		}
		if want := (float64(len(y)) - gamma) / misfit; relative(beta, want) > 1e-4 {
			t.Errorf("%s: beta %g, (N*-gamma)/misfit %g", path, beta, want)
		}
		if relative(q.Summary().EffectiveParameters, gamma) > 1e-4 {
			t.Errorf("%s: effective parameters %g, want %g", path, q.Summary().EffectiveParameters, gamma)
		}
		if want := rows.logDensity(d); math.Abs(q.Summary().Evidence-want) > 1e-4*math.Abs(want) {
			t.Errorf("%s: log evidence %g, want %g", path, q.Summary().Evidence, want)
		}
		f := system.Field(0)
		mean, sd, _ := q.Predict(f, column(0.4))
		row := mat.NewDense(1, len(d), nil)
		p.Basis(layer).RowsTo(row, nil, &f, column(0.4))
		variance := 0.0
		for i := range d {
			for j := range d {
				variance += row.At(0, i) * row.At(0, j) * sigma.At(max(i, j), min(i, j))
			}
		}
		if math.Abs(mean[0]-mat.Dot(row.Row(0), mu)) > 1e-4*sd[0] || relative(sd[0], math.Sqrt(variance)) > 1e-4 {
			t.Errorf("%s: prediction %g +- %g, want %g +- %g", path, mean[0], sd[0], mat.Dot(row.Row(0), mu), math.Sqrt(variance))
		}
	}
}

// TestPseudoInverseIsTheMinimumNormSolution: with more neurons than rows, the
// rows are met exactly and the weights are orthogonal to the null space.
func TestPseudoInverseIsTheMinimumNormSolution(t *testing.T) {
	p := rod(false)
	q := fit(t, p, Config{Method: PseudoInverse, Neurons: 40, Scale: []float64{6}, Seed: 5})
	layer := layerFor(p, 40, 6, 5)
	rows := publishedRows(p, layer)
	h, y, weights := rows.matrix(), rows.y, q.components[0].mean
	size := mat.Nrm2(weights)
	for i := range y {
		if r := y[i] - mat.Dot(h.Row(i), weights); math.Abs(r) > 1e-9*size*mat.Nrm2(h.Row(i)) {
			t.Errorf("row %d is missed by %g", i, r)
		}
	}
	// w = H'z for some z: least squares on H' must reproduce w
	var qr mat.QR
	qr.Factorize(h.Transpose())
	z := mat.NewDense(h.Rows(), 1, nil)
	if err := qr.SolveTo(z, mat.NewDense(len(weights), 1, append([]float64(nil), weights...))); err != nil {
		t.Fatal(err)
	}
	back := make([]float64, len(weights))
	mat.Gemv(mat.Trans, 1, h, z.Transpose().Row(0), 0, back)
	mat.Axpy(-1, weights, back)
	if mat.Nrm2(back) > 1e-8*size {
		t.Errorf("a part of norm %g of the weights, %g, lies in the null space", mat.Nrm2(back), size)
	}
	if q.ParameterCorrelation() != nil || !math.IsNaN(q.Parameters()[0].SD) {
		t.Error("the pseudo-inverse pretends to know its uncertainty")
	}
	if _, err := q.Covariance(system.Field(0), column(0)); err == nil {
		t.Error("the pseudo-inverse gives a covariance")
	}
}

func TestErrorsAreTyped(t *testing.T) {
	var config *ConfigError
	var data *DataError
	var problem *system.ProblemError
	for name, c := range map[string]Config{
		"method":         {Method: "guess"},
		"path":           {Path: "short"},
		"neurons":        {Neurons: -1},
		"ensemble":       {Ensemble: -1},
		"too large":      {Ensemble: maxEnsemble + 1},
		"tolerance":      {Tolerance: math.NaN()},
		"published path": {Method: Published, Path: "short"},
		"pielm gram":     {Method: PseudoInverse, Path: GramPath},
	} {
		if _, err := Fit(rod(false), c); !errors.As(err, &config) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	p := rod(false)
	p.Sensors = nil
	if _, err := Fit(p, Config{}); !errors.As(err, &problem) {
		t.Errorf("no sensors: error %v", err)
	}
	p = rod(false)
	p.Equations[0].Residual.Known = system.Func(func(x []float64) float64 { return 1 / (x[0] - 1.3) })
	if _, err := Fit(p, Config{}); !errors.As(err, &data) || data.Where != "equation 1, point 5" {
		t.Errorf("infinite source: error %v", err)
	}
	p = rod(false)
	p.Equations[0].Residual.Terms = []system.Term{{Coefficient: system.Constant(0)}}
	p.Equations[0].Residual.Parameters = nil
	if _, err := Fit(p, Config{}); !errors.As(err, &data) {
		t.Errorf("an equation of zeros: error %v", err)
	}
	q := fit(t, rod(false), Config{Neurons: 5, Scale: []float64{1}})
	if _, _, err := q.Predict(system.Field(3), column(0)); !errors.As(err, &problem) {
		t.Errorf("unknown field: error %v", err)
	}
	if _, _, err := q.Predict(system.Field(0), mat.NewDense(1, 2, nil)); !errors.As(err, &data) {
		t.Errorf("too many coordinates: error %v", err)
	}
}

// TestPublishedTakesTheBetterMode: the published evidence of an inverse problem has
// two modes, and the fixed point ends in one or the other; the result is that of the
// larger evidence.
func TestPublishedTakesTheBetterMode(t *testing.T) {
	p, exact := wave(rand.New(rand.NewPCG(3, 2)), 25, 0.05)
	for i := range p.Sensors[0].Values { // large enough for the collapse to be seen
		p.Sensors[0].Values[i] *= 10
	}
	basis := p.Basis(layerFor(p, 30, 6, 1))
	s, err := stack(p, basis, SquareRoot, nil)
	if err != nil {
		t.Fatal(err)
	}
	dec, err := s.reduced.decompose(nil)
	if err != nil {
		t.Fatal(err)
	}
	var evidence []float64
	for _, beta := range publishedBetas {
		f, err := dec.fixedPoint(beta, float64(s.rows))
		if err != nil || !f.converged {
			t.Fatal(err, f)
		}
		evidence = append(evidence, f.evidence)
	}
	q, err := fitPublished(p, basis, SquareRoot, true)
	if err != nil {
		t.Fatal(err)
	}
	if got := q.Summary().Evidence; got != slices.Max(evidence) {
		t.Errorf("evidence %g, of %v", got, evidence)
	}
	mean, _, err := q.Predict(system.Field(0), column(0.3))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("modes %v, u(0.3) = %g, exact %g", evidence, mean[0], 10*exact([]float64{0.3}))
}

// publishedPathsAgree bounds how far the paper's posterior by sums of squares may be
// from the one by QR, relative to a standard deviation.
const publishedPathsAgree = 1e-4

// TestPublishedPathsAgree: where Auto says that sums of squares are sound they are.
func TestPublishedPathsAgree(t *testing.T) {
	gram := 0
	for seed := range uint64(8) {
		p, _ := wave(rand.New(rand.NewPCG(seed, 9)), 40, 0.05)
		auto, root := fit(t, p, Config{Method: Published, Neurons: 30, Seed: seed}), fit(t, p, Config{Method: Published, Neurons: 30, Seed: seed, Path: SquareRoot})
		if auto.Summary().Path == GramPath {
			gram++
		}
		points := system.Grid(p.Variables, nil, []int{21})
		m1, s1, err1 := auto.Predict(system.Field(0), points)
		m2, s2, err2 := root.Predict(system.Field(0), points)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		for i := range m1 {
			if math.Abs(m1[i]-m2[i]) > publishedPathsAgree*s2[i] || relative(s1[i], s2[i]) > publishedPathsAgree {
				t.Errorf("seed %d, point %d: %g ± %g, by QR %g ± %g", seed, i, m1[i], s1[i], m2[i], s2[i])
			}
		}
	}
	if gram == 0 {
		t.Error("no case took the sums of squares")
	}
}

// Every reading counts once in the noise of all of them.
func TestNoiseOfAllReadings(t *testing.T) {
	s := Summary{Noise: []NoiseEstimate{{Sigma: 1, readings: 30}, {Sigma: 2, readings: 10}, {Sigma: 100}}}
	if got, want := s.RootMeanSquareNoise(), math.Sqrt(70.0/40); !(math.Abs(got-want) <= 1e-14) {
		t.Errorf("%g, want %g", got, want)
	}
	if got := (&Summary{}).RootMeanSquareNoise(); !math.IsNaN(got) {
		t.Errorf("without sensors %g", got)
	}
}
