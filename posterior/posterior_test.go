package posterior

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
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

// TestUnitsDoNotMatter solves one problem in metres and in micrometres, with
// its readings in volts and in megavolts.
func TestUnitsDoNotMatter(t *testing.T) {
	const length, volt = 1e6, 1e-6
	a := rod(false)
	b := rod(false)
	b.Variables[0] = system.Variable{Name: "x", Min: 0, Max: 2 * length}
	e := &b.Equations[0]
	known := e.Residual.Known
	e.Residual = system.Functional{
		Terms:      []system.Term{{Derivative: []int{2}}, {Coefficient: system.Constant(3 / (length * length))}},
		Parameters: []system.ParameterTerm{{Coefficient: system.Func(func(x []float64) float64 { return x[0] })}},
		Known: system.Func(func(x []float64) float64 {
			v := make([]float64, 1)
			// the nearest tabulated point: decimals do not survive the scaling
			known.EvalTo(v, column(math.Round(x[0]/length*1e6)/1e6))
			return v[0] * volt / (length * length)
		}),
	}
	scale := func(m *mat.Dense) *mat.Dense {
		s := m.Clone()
		s.Scale(length)
		return s
	}
	e.Points = scale(e.Points)
	for i := range b.Sensors {
		s := &b.Sensors[i]
		s.Points = scale(s.Points)
		unit := volt
		if i == 1 {
			unit = volt / length
		}
		for j := range s.Values {
			s.Values[j] *= unit
		}
		for j := range s.Sigma {
			s.Sigma[j] *= unit
		}
	}
	p, q := fit(t, a, Config{Neurons: 15}), fit(t, b, Config{Neurons: 15})
	points := column(0.1, 0.5, 1, 1.4, 1.9)
	m1, s1, _ := p.Predict(system.Field(0), points)
	m2, s2, _ := q.Predict(system.Field(0), scale(points))
	for i := range m1 {
		if relative(m2[i]/volt, m1[i]) > 1e-5 || relative(s2[i]/volt, s1[i]) > 1e-5 {
			t.Errorf("point %d: %g +- %g, in other units %g +- %g", i, m1[i], s1[i], m2[i]/volt, s2[i]/volt)
		}
	}
	l1, l2 := p.Parameters()[0], q.Parameters()[0]
	unit := volt / (length * length * length)
	if relative(l2.Mean/unit, l1.Mean) > 1e-5 || relative(l2.SD/unit, l1.SD) > 1e-5 {
		t.Errorf("lambda %g +- %g, in other units %g +- %g", l1.Mean, l1.SD, l2.Mean/unit, l2.SD/unit)
	}
}

// TestSameBitsForAnyNumberOfProcessors: the order in which scales are tried
// must not matter.
func TestSameBitsForAnyNumberOfProcessors(t *testing.T) {
	p, _ := wave(rand.New(rand.NewPCG(1, 2)), 12, 0.05)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first []float64
	for _, n := range []int{1, 2, 3, 8} {
		runtime.GOMAXPROCS(n)
		q := fit(t, p, Config{Neurons: 30})
		mean, sd, _ := q.Predict(system.Field(0), column(-2, 0.3, 1))
		got := append(append(mean, sd...), q.Summary().Evidence, q.Parameters()[0].Mean)
		if first == nil {
			first = got
		}
		for i := range got {
			if got[i] != first[i] {
				t.Fatalf("%d processors: number %d is %v, with one %v", n, i, got[i], first[i])
			}
		}
	}
}

func TestPosteriorIsSafeForConcurrentUse(t *testing.T) {
	q := fit(t, rod(true), Config{Neurons: 10, Scale: []float64{2}})
	want, _, _ := q.Predict(system.Field(0), column(0.4, 1.2))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				got, _, err := q.Predict(system.Field(0), column(0.4, 1.2))
				if err != nil || got[0] != want[0] || got[1] != want[1] {
					t.Errorf("%v, %v", got, err)
					return
				}
			}
		})
	}
	group.Wait()
}

// TestMoreReadingsThanUnknownsLoseNothing: compressing a large group by QR must
// give what conditioning on its halves as two groups gives.
func TestMoreReadingsThanUnknownsLoseNothing(t *testing.T) {
	p, _ := wave(rand.New(rand.NewPCG(4, 2)), 90, 0.05)
	q := fit(t, p, Config{Neurons: 30, Scale: []float64{8}, Tolerance: 1e-3})
	s := p.Sensors[0]
	p.Sensors = nil
	for i := range 6 {
		p.Sensors = append(p.Sensors, system.Sensors{Measures: s.Measures, Sigma: s.Sigma, Points: s.Points.Slice(15*i, 15*i+15, 0, 1), Values: s.Values[15*i : 15*i+15]})
	}
	r := fit(t, p, Config{Neurons: 30, Scale: []float64{8}, Tolerance: 1e-3})
	m1, s1, _ := q.Predict(system.Field(0), column(-2, 0.3, 2.9))
	m2, s2, _ := r.Predict(system.Field(0), column(-2, 0.3, 2.9))
	for i := range m1 {
		if math.Abs(m1[i]-m2[i]) > 1e-4*s1[i] || relative(s1[i], s2[i]) > 1e-4 {
			t.Errorf("point %d: %.12g +- %g and %.12g +- %g", i, m1[i], s1[i], m2[i], s2[i])
		}
	}
	if e1, e2 := q.Summary().Evidence, r.Summary().Evidence; math.Abs(e1-e2) > 1e-5*math.Abs(e1) {
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

// TestParametersThatDataCannotDetermineAreNamed: a source that no reading feels
// apart from another, and a gauge that is not there.
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

// TestPublishedFixedPointSolvesItsEquations checks the stationarity of the
// paper's evidence at the result, by the mended formulas, on plain rows.
func TestPublishedFixedPointSolvesItsEquations(t *testing.T) {
	for _, path := range []Path{SquareRoot, GramPath} {
		p, _ := wave(rand.New(rand.NewPCG(3, 2)), 25, 0.05)
		q := fit(t, p, Config{Method: Published, Neurons: 12, Scale: []float64{3}, Path: path})
		layer := layerFor(p, 12, 3, 0)
		_, hf, hs, yf, _, ys, _ := plainRows(p, layer, 1, 1)
		h, y := stackRows(hf, hs), append(yf, ys...)
		eta, beta := 1/(q.Summary().Amplitude*q.Summary().Amplitude), 1/(q.Summary().Noise[0].Sigma*q.Summary().Noise[0].Sigma)
		d, v := make([]float64, h.Cols()), make([]float64, h.Rows())
		for i := range d {
			d[i] = 1 / eta
		}
		for i := range v {
			v[i] = 1 / beta
		}
		mu, sigma := bruteForce(d, h, y, v)
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
		if want := gaussianLogDensity(d, h, y, v); math.Abs(q.Summary().Evidence-want) > 1e-4*math.Abs(want) {
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
	_, hf, hs, yf, _, ys, _ := plainRows(p, layer, 1, 1)
	h, y := stackRows(hf, hs), append(yf, ys...)
	size := mat.Nrm2(q.mean)
	for i := range y {
		if r := y[i] - mat.Dot(h.Row(i), q.mean); math.Abs(r) > 1e-9*size*mat.Nrm2(h.Row(i)) {
			t.Errorf("row %d is missed by %g", i, r)
		}
	}
	// w = H'z for some z: least squares on H' must reproduce w
	var qr mat.QR
	qr.Factorize(h.Transpose())
	z := mat.NewDense(h.Rows(), 1, nil)
	if err := qr.SolveTo(z, mat.NewDense(len(q.mean), 1, append([]float64(nil), q.mean...))); err != nil {
		t.Fatal(err)
	}
	back := make([]float64, len(q.mean))
	mat.Gemv(mat.Trans, 1, h, z.Transpose().Row(0), 0, back)
	mat.Axpy(-1, q.mean, back)
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

// TestActivationIsChosenByTheEvidence: of all, that of the largest score, as if it
// had been named.
func TestActivationIsChosenByTheEvidence(t *testing.T) {
	p, _ := wave(rand.New(rand.NewPCG(4, 5)), 14, 0.05)
	c := Config{Neurons: 25, Seed: 3}
	best, score := feature.Tanh, math.Inf(-1)
	for _, a := range feature.Activations() {
		c.Activation = a
		s, err := searchLayers(p, c)
		if err != nil {
			t.Fatal(err)
		}
		if s.best.choice.score > score {
			best, score = a, s.best.choice.score
		}
	}
	c.Activation = best
	want := fit(t, p, c)
	c.Activation, c.ChooseActivation = feature.Tanh, true
	got := fit(t, p, c)
	if got.Summary().Activation != best || got.Summary().Evidence != want.Summary().Evidence || got.mean[0] != want.mean[0] {
		t.Errorf("%v chosen with evidence %g, want %v with %g", got.Summary().Activation, got.Summary().Evidence, best, want.Summary().Evidence)
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
	sh, err := s.reduced.decompose(nil)
	if err != nil {
		t.Fatal(err)
	}
	var evidence []float64
	for _, beta := range publishedBetas {
		f, err := sh.fixedPoint(beta, float64(s.rows))
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

// TestLargeLayersAreSearchedByParts: with more neurons than are searched at once
// the evidence is hardly less than that of any common scale.
func TestLargeLayersAreSearchedByParts(t *testing.T) {
	if testing.Short() {
		t.Skip("layers of hundreds of neurons")
	}
	p, _ := wave(rand.New(rand.NewPCG(5, 6)), 12, 0.05)
	told, most := 0, 0
	c := Config{Neurons: manyNeurons + 20, Seed: 3, Ensemble: 1, Progress: func(done, total int) { told, most = done, total }}
	found := fit(t, p, c).Summary()
	if told != most || most == 0 {
		t.Errorf("at the end %d of %d is done", told, most)
	}
	best := math.Inf(-1)
	for k := -2.0; k <= 10; k++ {
		c := Config{Neurons: manyNeurons + 20, Seed: 3, Ensemble: 1, Scale: halfOctaves([]float64{k})}
		best = math.Max(best, fit(t, p, c).Summary().Evidence)
	}
	if found.Evidence < best-1 {
		t.Errorf("log evidence %g at scale %v, %g elsewhere", found.Evidence, found.Scale, best)
	}
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
